"""Changes of single places and lists of a certificate, whatever they mean.

A value is most often exchanged with others of its role (``spots``).
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fuzz.forgeries.pools import ENDS, EXTREMES, JUNK, ODD_NAMES, VALUES
from fuzz.forgeries.spots import Spot, choose, spots
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from random import Random

Json = Any


def _is_leaf(spot: Spot) -> bool:
    return not isinstance(spot.value, dict | list)


def exchange(rng: Random, certificate: Json) -> None:
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


def exchange_all(rng: Random, certificate: Json) -> None:
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


def toggle_atom(rng: Random, certificate: Json) -> None:
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


def change_list(rng: Random, certificate: Json) -> None:
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


def change_place(rng: Random, certificate: Json) -> None:
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


def redirect_case(rng: Random, certificate: Json) -> None:
    """The case that leads to the last step leads to another one, and the last step is dropped."""
    steps = certificate["proof"]
    for step in steps:
        for case in step.get("cases", ()):
            if case[1] == len(steps) - 1:
                case[1] = rng.randrange(-1, len(steps))
                steps.pop()
                return
