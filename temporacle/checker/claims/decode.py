"""``decode``: the chosen labels and the links can all be true, and no other labels are worth more.

Each pair gets one of its labels. The value of a label follows from its score. Each conflict has a proof of its own that
its links, and "one of the blocked labels" for each of its pairs, contradict each other. What a labelling loses at least
against the best label of every pair is proven by ``bounds``: a label costs what it is worth less than the best.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from ..bounds import as_fraction, check_parts_form, lower_bound
from ..facts import Facts
from ..form import (
    as_atoms,
    as_list,
    check_common,
    check_fields,
    check_times,
    has_values,
    is_int,
    is_line,
    is_list,
    is_text,
    require,
)
from ..models import check_model
from ..proofs import check_proof, check_proof_form

VERSIONS = (3,)
FIELDS = {"objective", "pairs", "value", "witness", "conflicts", "parts"}
OBJECTIVES = ("logprob", "prob", "weight")
UNIT = 10**12  # values count in one of so many parts
SMALLEST = Fraction(1, 10**6)  # a score below it counts as this much, before the logarithm
_PRECISE = Context(prec=60)


def check_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    check_common(certificate, FIELDS)
    require(not has_values(certificate), "a decoding with values of time expressions cannot be checked")
    require(certificate["objective"] in OBJECTIVES, "objective: an unknown one")
    _check_whole(certificate["value"], "value")
    check_times(certificate["witness"], "witness", certificate)
    for place, pair in enumerate(as_list(certificate["pairs"], "pairs")):
        _check_pair(pair, f"pair {place}")
    for place, conflict in enumerate(as_list(certificate["conflicts"], "conflicts")):
        _check_conflict(conflict, certificate, f"conflict {place}")
    check_parts_form(certificate["parts"])


def _check_pair(pair: Any, name: str) -> None:
    check_fields(pair, {"id", "source", "target", "line", "labels", "chosen"}, name)
    require(is_text(pair, "id", "source", "target") and is_line(pair["line"]), f"{name}: wrong types")
    for entry in as_list(pair["labels"], name):
        require(is_list(entry, 4) and isinstance(entry[0], str), f"{name}: a label is [label, atoms, score, value]")
        as_atoms(entry[1], name)
        as_fraction(entry[2], name)
        _check_whole(entry[3], name)
    require(_is_place(pair["chosen"], pair["labels"]), f"{name}: the chosen label does not exist")


def _check_conflict(conflict: Any, certificate: dict[str, Any], name: str) -> None:
    check_fields(conflict, {"links", "blocked", "proof"}, name)
    links = as_list(conflict["links"], name)
    require(all(_is_place(link, certificate["links"]) for link in links), f"{name}: not a list of links")
    for entry in as_list(conflict["blocked"], name):
        require(is_list(entry, 2) and _is_place(entry[0], certificate["pairs"]), f"{name}: not a pair")
        labels = certificate["pairs"][entry[0]]["labels"]
        require(all(_is_place(label, labels) for label in as_list(entry[1], name)), f"{name}: not labels of the pair")
    pairs = [entry[0] for entry in conflict["blocked"]]
    require(len(set(pairs)) == len(pairs), f"{name}: a pair twice")
    check_proof_form(conflict["proof"], certificate)


def _check_whole(text: Any, name: str) -> None:
    require(as_fraction(text, name).denominator == 1, f"{name}: not a whole number")


def _is_place(value: Any, among: list[Any]) -> bool:
    return is_int(value) and 0 <= value < len(among)


def check(certificate: dict[str, Any]) -> None:
    """Check the values, the witness of the chosen labels, the conflicts, and that no labelling is worth more."""
    pairs = certificate["pairs"]
    for place, pair in enumerate(pairs):
        for label, _, score, value in pair["labels"]:
            good = _is_worth(Fraction(score), int(value), certificate["objective"])
            require(good, f"pair {place}: {label!r:.40} is not worth this")
    stated = int(certificate["value"])
    chosen = [int(pair["labels"][pair["chosen"]][3]) for pair in pairs]
    require(sum(chosen) == stated, "the chosen labels have another value")
    facts = Facts(certificate)
    labelled = [_fact(pair, [pair["chosen"]]) for pair in pairs]
    check_model(certificate["witness"], [*facts.all(), *labelled], "witness", None)
    conflicts = []
    for conflict in certificate["conflicts"]:
        used = {link: facts.known[link] for link in conflict["links"]}
        used |= {len(facts.known) + place: _fact(pairs[place], labels) for place, labels in conflict["blocked"]}
        check_proof(conflict["proof"], used, None)
        conflicts.append({place: frozenset(labels) for place, labels in conflict["blocked"]})
    best = [max(int(entry[3]) for entry in pair["labels"]) for pair in pairs]
    costs = {
        place: {option: Fraction(best[place] - int(entry[3])) for option, entry in enumerate(pair["labels"])}
        for place, pair in enumerate(pairs)
    }
    bound = sum(best) - lower_bound(certificate["parts"], costs, conflicts)
    require(bound <= stated, f"labels may be worth {bound}")


def _fact(pair: dict[str, Any], labels: list[int]) -> tuple[str, frozenset[str], str]:
    """Return a pair as a link: one of these labels holds."""
    atoms = frozenset(atom for label in labels for atom in pair["labels"][label][1])
    return pair["source"], atoms, pair["target"]


def _is_worth(score: Fraction, value: int, objective: str) -> bool:
    """Return whether a value, in units, is that of a score: rounded half to even; a logarithm may be off by one."""
    if score < 0 and objective != "weight":
        return False
    if objective != "logprob":
        return value == round(score * UNIT)
    counted = max(score, SMALLEST)
    logarithm = _PRECISE.ln(_PRECISE.divide(Decimal(counted.numerator), Decimal(counted.denominator)))
    return abs(Fraction(logarithm) * UNIT - value) < 1
