"""Lower bounds by branching: for certificates whose linear programs are too good for it.

The problems of forgeries are small, so a dual step nearly always proves their bound. Here the steps of a part are
replaced by a tree that tries all options, which a checker must accept as well.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

Slot = Any
Costs = dict[Any, Fraction]  # by option
MOST_STEPS = 200


def branched(
    rng: Random, parts: list[dict[str, Any]], slots: Mapping[Slot, Costs], conflicts: Sequence[Mapping[Slot, set[Any]]]
) -> list[dict[str, Any]] | None:
    """Return parts with trees of cases; None if one of them would be large.

    ``conflicts``: for each slot the options that are blocked.
    """
    found = []
    for part in parts:
        own = list(dict.fromkeys(chain.from_iterable(conflicts[number] for number in part["conflicts"])))
        rng.shuffle(own)
        steps = _tree(part, own, slots, conflicts)
        if steps is None:
            return None
        found.append(part | {"steps": steps})
    return found


def _tree(
    part: dict[str, Any], own: list[Slot], slots: Mapping[Slot, Costs], conflicts: Sequence[Mapping[Slot, set[Any]]]
) -> list[dict[str, Any]] | None:
    steps: list[dict[str, Any]] = [{}]
    waiting: list[tuple[int, dict[Slot, Any]]] = [(0, {})]  # options taken for the first slots
    while waiting:
        place, taken = waiting.pop(0)
        broken = [
            number
            for number in part["conflicts"]
            if all(slot in taken and taken[slot] in blocked for slot, blocked in conflicts[number].items())
        ]
        cost = sum((slots[slot][option] for slot, option in taken.items()), Fraction(0))
        cost += sum((min(slots[slot].values()) for slot in own if slot not in taken), Fraction(0))
        if broken:
            steps[place] = {"conflict": broken[-1]}
        elif cost >= Fraction(part["bound"]):
            steps[place] = {"dual": []}
        elif len(taken) == len(own) or len(steps) > MOST_STEPS:
            return None
        else:
            slot = own[len(taken)]
            cases = []
            for option in slots[slot]:
                cases.append([[option], len(steps)])
                waiting.append((len(steps), taken | {slot: option}))
                steps.append({})
            steps[place] = {"branch": list(slot) if isinstance(slot, tuple) else slot, "cases": cases}
    return steps
