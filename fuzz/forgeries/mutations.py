"""Changes of a certificate's content. Most keep its form, so that a checker has to look at the meaning.

A value is most often exchanged with others of its role (``spots``).
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.spots import Spot, choose, spots
from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

Json = Any

ENDS = (".start", ".end")
ODD_NAMES = (
    *("__proto__", "constructor", "toString", "", ".", "a.start", "a.end", "@", "@Z", "query", "\ud800", "0", "null"),
    *("\u00e9", "e\u0301", " a", "a\x00", "start", "end", ".start", "value 0", "\U0001f600", "d.d", "hasOwnProperty"),
)
JUNK = (None, True, False, 0, -1, 1, 2, 1.0, "x", "", "query", [], {}, [0], ["b"], {"x": [0, 1]}, ["value", 0], [[]])
EXTREMES = (
    10**18,
    10**18 + 1,
    -(10**18),
    10**15,
    10**15 + 1,
    -(10**15),
    10**9,
    10**24,
    10**24 + 1,
    2**53,
    2**53 + 1,
    2**63,
)
VALUES = (
    *("1998-02-06", "1998-02-30", "1998-W53", "1998-W06-7", "1998-W06-0", "1998-Q4", "1998-H2", "199", "19", "0000"),
    *("000", "00", "9999", "9999-12-31", "1998-02-06T24", "1998-02-06T24:00:00", "1998-02-06T24:01", "2000-02-29"),
    *("1998-02-06T10:30:15.5", "1998-02-06T10+14:30", "1998-02-06T10-1459", "1998-02-06T10Z", "1998-02-06T10+15"),
    *(
        "P1D",
        "P1.5M",
        "P0.000001Y",
        "P999999L",
        "P999999ML",
        "PT1S",
        "PT0.5S",
        "P1WE",
        "P2WE",
        "P1Y6M",
        "P400Y",
        "P401Y",
    ),
    *("P4800M", "PT", "P", "P1", "PT5", "P0D", "P1Q", "P1.1DE", "P1CE", "P1W2D", "FY1998", "1998-SU", "BC0044"),
    *("-0044", "199X", "1998-XX", "1998-02TMO", "1998-02-06TMO", "1998-02-30TMO", "1998T10", " 1998 ", "\u00a01998"),
    *("\ufeff1998", "1998\x1c", "1998\x85", "\u0661998", "1998\n", "19980206", "2000-W00", "2004-W53-7", "P1.0000001D"),
)
MODS = (
    *(None, "", "START", "MID", "END", "BEFORE", "AFTER", "ON_OR_BEFORE", "ON_OR_AFTER", "LESS_THAN", "MORE_THAN"),
    *(
        "EQUAL_OR_LESS",
        "EQUAL_OR_MORE",
        "APPROX",
        "start",
        " end\t",
        "le\u017fs_than",
        "ODD",
        "m\u0131d",
        "mid\x1f",
        "\ufeffEND",
    ),
)
TYPES = (None, "", "DATE", "TIME", "DURATION", "SET", "set", "date ", "\u017fet", "t\u0131me")


def forged(rng: Random, original: str) -> tuple[Json, str]:
    """Return a certificate that differs from the original, and its text. The original is what ``json.dumps`` writes."""
    while True:
        copy = _changed(rng, json.loads(original))
        text = json.dumps(copy)
        if text != original:
            return copy, text


def _changed(rng: Random, copy: Json) -> Json:
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        names, weights = zip(*CHANGES, strict=True)
        with suppress(ArithmeticError, LookupError, TypeError, AttributeError, ValueError):  # after a change of types
            rng.choices(names, weights)[0](rng, copy)
    if rng.random() < 0.9:
        _mend_readings(copy)
    return copy


def _is_leaf(spot: Spot) -> bool:
    return not isinstance(spot.value, dict | list)


def _exchange(rng: Random, certificate: Json) -> None:
    """A leaf becomes another leaf of its role, or its neighbour."""
    spot, others = choose(rng, certificate, _is_leaf)
    if spot is None:
        return
    old = spot.value
    new: Json = rng.choice(
        [each.value for each in others if type(each.value) is type(old) and each.value != old] or [old]
    )
    if isinstance(old, bool):
        new = not old
    elif isinstance(old, int) and rng.random() < 0.6:
        new = rng.choice((old + 1, old - 1, -old, 0, old + 2, rng.choice(EXTREMES)))
    elif isinstance(old, str) and rng.random() < 0.5:
        new = _other_text(rng, old)
    spot.put(new)


def _exchange_all(rng: Random, certificate: Json) -> None:
    """One leaf in all elements of a list becomes the same: no edge of a cycle is strict, all rest on one link."""
    spot, _ = choose(rng, certificate, lambda spot: _is_leaf(spot) and isinstance(spot.outer, list))
    if spot is None:
        return
    new = spot.value
    if isinstance(new, bool):
        new = not new
    elif isinstance(new, str):
        new = _other_text(rng, new)
    for element in spot.outer:
        with suppress(LookupError, TypeError):
            element[spot.key] = new


def _other_text(rng: Random, old: str) -> str:
    signs = {"<": "<=", "<=": "<"}
    if old in signs:
        return signs[old]
    if old in ATOMS:
        return rng.choice(ATOMS)
    if re.fullmatch(r"-?\d+(/\d+)?", old):
        number = Fraction(old)
        new = rng.choice((number + 1, number - 1, number / 2, number * 2, -number, number + Fraction(1, 7)))
        return rng.choice((str(new), str(new), f"0{old}", f"{old}/1", "2/4", "-0", "+1", "1/0", f"{old} ", "9" * 2001))
    for one, other in (ENDS, ENDS[::-1]):
        if old.endswith(one):
            return old.removesuffix(one) + other
    return rng.choice(("@", "@Z", "a", "b", "a.start", "b.end", rng.choice(ODD_NAMES), rng.choice(VALUES)))


def _has_atoms(spot: Spot) -> bool:
    return isinstance(spot.value, list) and (
        spot.key == "relation"
        or bool(spot.value and all(isinstance(atom, str) and atom in ATOMS for atom in spot.value))
    )


def _toggle_atom(rng: Random, certificate: Json) -> None:
    """A set of atoms gains or loses some."""
    spot, _ = choose(rng, certificate, _has_atoms)
    if spot is None:
        return
    atoms = {atom for atom in spot.value if isinstance(atom, str)}
    for atom in rng.sample(ATOMS, rng.choice((1, 1, 1, 2, 6))):
        atoms ^= {atom}
    if rng.random() < 0.05:
        atoms = rng.choice((set(), set(ATOMS)))
    spot.put([atom for atom in ATOMS if atom in atoms])


def _change_list(rng: Random, certificate: Json) -> None:
    """Elements are dropped, doubled, moved, exchanged."""
    spot, _ = choose(rng, certificate, lambda spot: isinstance(spot.value, list))
    if spot is None:
        return
    found = spot.value
    place = rng.randrange(len(found) + 1)
    other = rng.randrange(len(found) + 1)
    match rng.randrange(8):
        case 6:
            found.clear()
        case 5:
            del found[place:]
        case 0:
            del found[place : place + rng.choice((1, 1, 1, 3))]
        case 1 if place < len(found):
            found.insert(other, json.loads(json.dumps(found[place])))
        case 2 if place < len(found) and other < len(found):
            found[place], found[other] = found[other], found[place]
        case 3:
            found.reverse()
        case 4:
            found[:] = found[place:] + found[:place]
        case _:
            rng.shuffle(found)


def _change_place(rng: Random, certificate: Json) -> None:
    """Anything anywhere: removed, replaced by another part, or by something of another type."""
    places = list(spots(certificate, rng.choice(sorted(certificate))))
    _, _, parent, key = rng.choice(places)
    other = json.loads(json.dumps(rng.choice(places).value))
    match rng.randrange(6):
        case 0:
            del parent[key]
        case 1:
            parent[key] = other
        case 2:
            parent[key] = rng.choice(JUNK)
        case 3 if isinstance(parent, dict):
            parent[rng.choice(("extra", *certificate, "cycle", "split", "dropped", "calendar"))] = other
        case 4 if isinstance(parent[key], int):
            number = parent[key]
            parent[key] = rng.choice((float(number), str(number), bool(number), [number], None, rng.choice(EXTREMES)))
        case _:
            for _ in range(rng.choice((1, 3, 40))):
                parent[key] = [parent[key]]


def _redirect_case(rng: Random, certificate: Json) -> None:
    """The case that leads to the last step leads to another one, and the last step is dropped."""
    steps = certificate["proof"]
    for step in steps:
        for case in step.get("cases", ()):
            if case[1] == len(steps) - 1:
                case[1] = rng.randrange(-1, len(steps))
                steps.pop()
                return


def _names(certificate: Json) -> list[str]:
    found: set[str] = set()
    for part in (certificate.get("links"), certificate.get("values"), [certificate.get("query")]):
        for each in part if isinstance(part, list) else ():
            if isinstance(each, dict):
                found |= {each[key] for key in ("source", "target", "entity") if isinstance(each.get(key), str)}
    for part in ("witness", "countermodel"):
        if isinstance(certificate.get(part), dict):
            found |= set(certificate[part])
    return sorted(found)


def _rename(rng: Random, certificate: Json) -> None:
    """An entity gets another name everywhere, or in one part: an odd one, or that of another entity."""
    names = _names(certificate)
    if not names:
        return
    old = rng.choice(names)
    new = rng.choice(ODD_NAMES) if rng.random() < 0.6 else rng.choice(names)
    suffixes = ("", *ENDS, ".beginPoint", ".endPoint")
    renamed = {old + suffix: new + suffix for suffix in suffixes}
    skipped = {"document", "readings", "format", "claim"}
    if rng.random() < 0.2:
        skipped = set(certificate) - {rng.choice(sorted(certificate))}
    for part in sorted(set(certificate) - skipped):
        certificate[part] = _renamed(certificate[part], renamed)


def _renamed(value: Json, renamed: dict[str, str]) -> Json:
    if isinstance(value, str):
        return renamed.get(value, value)
    if isinstance(value, list):
        return [_renamed(each, renamed) for each in value]
    if isinstance(value, dict):
        return {renamed.get(key, key): _renamed(each, renamed) for key, each in value.items()}
    return value


def _change_link(rng: Random, certificate: Json) -> None:
    """A link is reversed, points at itself, gets another relation; or a new one is added at the end."""
    holder = rng.choice(list(_holders(certificate)))
    links = holder["links"]
    if not links or not all(isinstance(link, dict) for link in links):
        return
    link = rng.choice(links)
    atoms = link.get("relation")
    if not isinstance(atoms, list) or not all(isinstance(atom, str) and atom in ATOMS for atom in atoms):
        return
    match rng.randrange(5):
        case 0:
            link["source"], link["target"] = link.get("target"), link.get("source")
            link["relation"] = list(Relation.of(*atoms).converse().atoms)
        case 1:
            link["source"], link["target"] = link.get("target"), link.get("source")
        case 2:
            link["target"] = link.get("source")
        case 3:
            link["relation"] = list(Relation(rng.randrange(1 << 13)).atoms)
        case _:
            links.append({**link, "id": "new", "relation": list(Relation(rng.randrange(1 << 13)).atoms)})
            if rng.random() < 0.5:
                links[-1]["target"] = rng.choice(_names(holder) or ["x"])


def _change_claim(rng: Random, certificate: Json) -> None:
    """Another claim with the parts that it takes, as far as they are there."""
    match rng.randrange(5):
        case 0:
            certificate["claim"] = {"entailed": "refuted", "refuted": "entailed"}.get(certificate.get("claim"), "open")
        case 1 if isinstance(certificate.get("query"), dict) and isinstance(certificate["query"].get("relation"), list):
            relation = certificate["query"]["relation"]
            relation[:] = [atom for atom in ATOMS if atom not in relation]
            certificate["claim"] = {"entailed": "refuted", "refuted": "entailed"}.get(certificate.get("claim"), "open")
        case 2 if "countermodel" in certificate and "witness" in certificate:
            certificate["witness"], certificate["countermodel"] = certificate["countermodel"], certificate["witness"]
        case 3 if "witness" in certificate:
            certificate["claim"] = "consistent"
            for part in ("query", "countermodel", "conflict", "proof", "needed"):
                certificate.pop(part, None)
            if "calendar" not in certificate:
                certificate["version"] = 1
        case _:
            if "needed" in certificate:
                certificate["needed"] = None
            elif isinstance(certificate.get("version"), int):
                certificate["version"] = rng.choice((1, 2, 3, 0))


def _move_times(rng: Random, certificate: Json) -> None:
    """Times of a model are shifted, spread, exchanged, or two of them made equal."""
    models = [certificate.get("witness"), certificate.get("countermodel")]
    models += certificate["needed"] if isinstance(certificate.get("needed"), list) else []
    models = [model for model in models if isinstance(model, dict) and model]
    if not models:
        return
    model = rng.choice(models)
    if not all(isinstance(times, list) and all(type(time) is int for time in times) for times in model.values()):
        return
    factor, shift = rng.choice((1, 1, 2, 3, 10**6)), rng.choice((0, 1, -1, 5, 10**17, -(10**17)))
    match rng.randrange(4):
        case 0:
            for times in model.values():
                times[:] = [factor * time + shift for time in times]
        case 1:
            one, other = rng.choice(list(model)), rng.choice(list(model))
            model[one], model[other] = model[other], model[one]
        case 2:
            every = [time for times in model.values() for time in times]
            times = rng.choice(list(model.values()))
            if times and every:
                times[rng.randrange(len(times))] = rng.choice(every)
        case _:
            model[rng.choice(("extra", *model))] = rng.choice(([0, 1], [1, 0], [0, 0], [0, 1, 2]))
            if type(certificate.get("unit")) is int and rng.random() < 0.5:
                certificate["unit"] *= 2


def _change_value(rng: Random, certificate: Json) -> None:
    """A value of a time expression, or the policy, becomes another; most often with the right constraints."""
    values = certificate.get("values")
    if not isinstance(values, list) or not isinstance(certificate.get("calendar"), dict):
        return
    records = [record for record in values if isinstance(record, dict)]
    if rng.random() < 0.25 or not records:
        certificate["calendar"]["policy"] = rng.choice(("within", "document", "exact"))
    elif rng.random() < 0.15:
        certificate["calendar"]["zone"] = rng.choice((None, "+00:00", "+05:30", "-11:00", "+14:59", "+15:00", "-00:00"))
    else:
        record = rng.choice(records)
        name = rng.choice(("value", "value", "value", "mod", "type", "dct", "fact"))
        pool: tuple[Json, ...] = {"value": VALUES, "mod": MODS, "type": TYPES, "dct": (True, False)}.get(name, (None,))
        if name == "fact":
            entity = record.get("entity")
            pool = (entity, f"{entity}.beginPoint", f"{entity}.endPoint", None)
        record[name] = rng.choice(pool)
    if rng.random() < 0.85:
        for record in records:
            _state_again(record, certificate["calendar"].get("policy"))


def _state_again(record: Json, policy: Json) -> None:
    """Put in what a value says, if the checker has a rule for it. Both checkers see the same, so one can be asked."""
    from temporacle.checker import Rejected
    from temporacle.checker.values import constraints_of

    try:
        found = constraints_of(record, policy)
    except (Rejected, AttributeError, KeyError, TypeError):
        return
    if found:
        record["constraints"] = [list(constraint) for constraint in found]


def _mend_readings(certificate: Json) -> None:
    """Let the readings say what the links say, so that other rules decide."""
    for holder in list(_holders(certificate)):
        links = holder["links"]
        pairs = {
            (link.get("label"), tuple(link.get("relation") or ()))
            for link in links
            if isinstance(link, dict)
            and isinstance(link.get("label"), str)
            and isinstance(link.get("relation"), list)
            and all(isinstance(atom, str) for atom in link["relation"])
        }
        holder["readings"] = [[label, list(atoms)] for label, atoms in sorted(pairs)]


def _holders(certificate: Json) -> Iterator[dict[str, Json]]:
    """Yield the objects that have links and readings: the certificate, or its sides."""
    for found in (certificate, *certificate.values()):
        if isinstance(found, dict) and isinstance(found.get("links"), list) and "readings" in found:
            yield found


CHANGES: list[tuple[Callable[[Random, Json], None], int]] = [
    (_exchange, 10),
    (_exchange_all, 2),
    (_toggle_atom, 6),
    (_change_list, 5),
    (_change_place, 3),
    (_redirect_case, 1),
    (_rename, 2),
    (_change_link, 4),
    (_change_claim, 2),
    (_move_times, 3),
    (_change_value, 3),
]
