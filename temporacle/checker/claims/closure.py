"""``closure``: the strongest relation of every pair of entities.

Entities are divided into *parts* that no link connects. Between two parts every atom is possible: times of one part
keep their order when they are moved and stretched (t becomes a + b t, b > 0), so its links still hold, and any two
proper intervals can be brought to any atom in this way. Within a part, every pair is listed. Each atom of its relation
holds in a model of the part, and each other atom is excluded by a reason (``grounds``).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ..atoms import ATOM_OF, order
from ..facts import Facts
from ..form import LARGEST, as_atoms, as_list, check_common, check_fields, has_values, is_int, is_list, require
from ..grounds import EVERY, FIELDS, Grounds, check_reasons_form
from ..grounds import check_form as check_grounds_form

VERSIONS = (3,)
PART = {"entities", "models", "pairs"}


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_common(certificate, {"entities", "parts"} | FIELDS)
    require(not has_values(certificate), "a closure with values of time expressions cannot be checked")
    _check_names(certificate["entities"], "entities")
    links = len(certificate["links"])
    check_grounds_form(certificate, links)
    for place, part in enumerate(as_list(certificate["parts"], "parts")):
        check_fields(part, PART, f"part {place}")
        _check_names(part["entities"], f"part {place}: entities")
        for model in as_list(part["models"], f"part {place}: models"):
            good = is_list(model, 2 * len(part["entities"])) and all(is_int(time) for time in model)
            require(good and all(abs(time) <= LARGEST for time in model), f"part {place}: a bad model")
        for row in as_list(part["pairs"], f"part {place}: pairs"):
            name = f"part {place}: a pair"
            require(is_list(row, 5) and isinstance(row[0], str) and isinstance(row[2], str), f"{name} has a bad form")
            atoms = as_atoms(row[1], name)
            check_reasons_form(row[3], certificate, links, name)
            good = all(is_int(number) and 0 <= number < len(part["models"]) for number in as_list(row[4], name))
            require(good and len(row[4]) == len(atoms), f"{name}: not one model for each atom")


def _check_names(names: Any, name: str) -> None:
    require(all(isinstance(each, str) for each in as_list(names, name)), f"{name}: not texts")
    require(len(set(names)) == len(names), f"{name}: a name is given twice")


def check(certificate: dict[str, Any]) -> None:
    """Check that the parts are all entities and that no link connects two of them; then each part by itself."""
    known = Facts(certificate).known
    part_of = {entity: place for place, part in enumerate(certificate["parts"]) for entity in part["entities"]}
    count = sum(len(part["entities"]) for part in certificate["parts"])
    everyone = set(certificate["entities"])
    require(count == len(part_of) and part_of.keys() == everyone, "the parts are not all entities, each once")
    links: list[list[Any]] = [[] for _ in certificate["parts"]]
    for number, (source, relation, target) in known.items():
        require(source in part_of and target in part_of, f"link {number} is about an entity that is not listed")
        require(part_of[source] == part_of[target], f"link {number} connects two parts")
        links[part_of[source]].append((source, relation, target))
    grounds = Grounds(certificate, known, len(known))
    for place, part in enumerate(certificate["parts"]):
        _check_part(part, links[place], grounds, f"part {place}")


def _check_part(part: dict[str, Any], links: list[Any], grounds: Grounds, name: str) -> None:
    entities = part["entities"]
    place_of = {entity: place for place, entity in enumerate(entities)}
    require(bool(part["models"]), f"{name} has no model")
    models = [list(zip(model[::2], model[1::2], strict=True)) for model in part["models"]]
    for number, model in enumerate(models):
        require(
            all(start < end for start, end in model), f"{name}: model {number} has an end that is not after its start"
        )
        for source, relation, target in links:
            atom = ATOM_OF[order(model[place_of[source]], model[place_of[target]])]
            require(atom in relation, f"{name}: {source!r} {atom} {target!r} in model {number} breaks a link")
    expected = combinations(entities, 2)
    require(len(part["pairs"]) == len(entities) * (len(entities) - 1) // 2, f"{name} does not list all pairs")
    for (first, second), (source, relation, target, reasons, shown) in zip(expected, part["pairs"], strict=True):
        pair = f"{name}: {source!r} and {target!r}"
        require((first, second) == (source, target), f"{pair} are not the next pair")
        excluded, _ = grounds.excluded(source, target, reasons, pair)
        require(EVERY - frozenset(relation) <= excluded, f"{pair}: an atom is not excluded")
        for atom, number in zip(relation, shown, strict=True):
            times = models[number][place_of[source]], models[number][place_of[target]]
            require(ATOM_OF[order(*times)] == atom, f"{pair}: model {number} does not show {atom}")
