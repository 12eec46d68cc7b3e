"""Lower bounds: every choice that meets all conflicts costs at least so much.

A *problem* has slots. Each slot takes one of its options, which has a cost of at least 0. A *conflict* blocks options
of some slots: at least one of these slots must take an option that is not blocked. For a repair the slots are links and
the options are keep and drop; for a decoding they are pairs and their labels.

The bound is proven in *parts* that share no slot, so their bounds add up. The proof of a part is a tree of steps, the
first of which is about all choices:

    branch     cases that together cover all options a slot still has; each case is a later step, used once
    conflict   all options that its slots still have are blocked: no choice is left
    dual       a price for some conflicts. A choice that meets a conflict is refunded its price: for each slot it takes
               the option of least cost minus the prices of those conflicts in which that option is not blocked. All
               prices together, plus these least costs, are a lower bound, whatever the prices are (the Lagrangian
               bound; at the best prices that of linear programming)

All costs of a part are multiples of its *unit*, their greatest common divisor. So every choice costs a multiple of it,
and the value of a dual may be rounded up to the next one. All numbers are exact fractions.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from .form import LARGEST, as_list, check_fields, is_int, is_list, key, require

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Costs = dict[Any, dict[Any, Fraction]]  # by slot and option
Conflict = dict[Any, frozenset[Any]]  # blocked options by slot

LONGEST = 2000  # characters of a fraction
_FRACTION = re.compile("-?[0-9]+(/[1-9][0-9]*)?")


def as_fraction(text: Any, name: str) -> Fraction:
    """Return an exact number that is written in lowest terms: "3", "-17/32"."""
    good = isinstance(text, str) and len(text) <= LONGEST and _FRACTION.fullmatch(text) is not None
    require(good, f"{name}: not a fraction such as 17/32")
    number = Fraction(text)
    require(str(number) == text, f"{name}: not a fraction in lowest terms")
    return number


def lower_bound(parts: Sequence[dict[str, Any]], costs: Costs, conflicts: Sequence[Conflict]) -> Fraction:
    """Return what every choice costs at least, if the proof of every part holds."""
    taken: set[Any] = set()
    total = Fraction(0)
    for place, part in enumerate(parts):
        name = f"part {place}"
        own: dict[int, Conflict] = {}
        for number in part["conflicts"]:
            require(number < len(conflicts) and number not in own, f"{name}: names no conflict, or one twice")
            own[number] = conflicts[number]
        slots = {slot for conflict in own.values() for slot in conflict}
        slots |= {key(step["branch"]) for step in part["steps"] if "branch" in step}
        require(slots <= costs.keys(), f"{name}: branches on something else")
        require(taken.isdisjoint(slots), f"{name}: shares something with another part")
        taken |= slots
        bound = Fraction(part["bound"])
        _check_tree(part["steps"], {slot: costs[slot] for slot in slots}, own, bound, name)
        total += bound
    return total  # other slots cost at least 0


def _check_tree(steps: list[Any], costs: Costs, conflicts: dict[int, Conflict], bound: Fraction, part: str) -> None:
    """Check that each step is reached once, by an earlier branch, and holds for the options that are left there."""
    unit = _unit(cost for options in costs.values() for cost in options.values())
    left: dict[int, dict[Any, frozenset[Any]]] = {0: {slot: frozenset(options) for slot, options in costs.items()}}
    require(bool(steps), f"{part}: no steps")
    for place, step in enumerate(steps):
        name = f"{part}, step {place}"
        require(place in left, f"{name} is not used")
        allowed = left.pop(place)
        if "branch" in step:
            slot = key(step["branch"])
            covered = frozenset(option for options, _ in step["cases"] for option in options)
            require(allowed[slot] <= covered, f"{name} leaves out an option")
            for options, later in step["cases"]:
                require(place < later < len(steps) and later not in left, f"{name} names a wrong step")
                left[later] = allowed | {slot: allowed[slot] & frozenset(options)}
        elif "conflict" in step:
            require(step["conflict"] in conflicts, f"{name} names no conflict of this part")
            blocked = conflicts[step["conflict"]]
            require(all(allowed[slot] <= blocked[slot] for slot in blocked), f"{name}: the conflict can be met")
        else:
            require(all(each in conflicts for each, _ in step["dual"]), f"{name}: a price of no conflict of this part")
            if all(allowed.values()):  # else a slot has no option left: no choice
                value = _dual(step["dual"], costs, conflicts, allowed)
                if unit:
                    value = unit * -(-value // unit)
                require(value >= bound, f"{name}: the prices give {value} instead of {bound}")


def _dual(
    prices: list[Any], costs: Costs, conflicts: dict[int, Conflict], allowed: dict[Any, frozenset[Any]]
) -> Fraction:
    total = Fraction(0)
    rest = {slot: {option: costs[slot][option] for option in options} for slot, options in allowed.items()}
    for number, text in prices:
        price = Fraction(text)
        total += price
        for slot, blocked in conflicts[number].items():
            for option in allowed[slot] - blocked:
                rest[slot][option] -= price
    return total + sum(min(options.values()) for options in rest.values())


def _unit(costs: Iterable[Fraction]) -> Fraction:
    """Return the greatest number that all costs are multiples of; 0 if all are 0."""
    numbers = list(costs)
    parts = lcm(*(cost.denominator for cost in numbers))
    return Fraction(gcd(*(int(cost * parts) for cost in numbers)), parts)


def check_parts_form(parts: Any) -> None:
    """Check that every part and every step has its place and type. What branches name is looked up later."""
    for place, part in enumerate(as_list(parts, "parts")):
        name = f"part {place}"
        check_fields(part, {"bound", "conflicts", "steps"}, name)
        as_fraction(part["bound"], name)
        require(all(_is_place(number) for number in as_list(part["conflicts"], name)), f"{name}: a bad conflict")
        for step in as_list(part["steps"], name):
            _check_step(step, name)


def _check_step(step: Any, name: str) -> None:
    kinds = ({"branch", "cases"}, {"conflict"}, {"dual"})
    require(isinstance(step, dict) and set(step) in kinds, f"{name}: a step of no kind")
    if "conflict" in step:
        require(_is_place(step["conflict"]), f"{name}: a bad conflict")
    for entry in as_list(step.get("dual", []), name):
        require(is_list(entry, 2) and _is_place(entry[0]), f"{name}: a bad price")
        require(as_fraction(entry[1], name) >= 0, f"{name}: a negative price")
    if "branch" in step:
        require(_is_place(step["branch"]) or is_value(step["branch"]), f"{name}: a bad branch")
    for case in as_list(step.get("cases", []), name):
        require(is_list(case, 2) and is_int(case[1]), f"{name}: a bad case")
        for option in as_list(case[0], name):
            good = isinstance(option, str) or (is_int(option) and abs(option) <= LARGEST)
            require(good, f"{name}: a bad option")


def is_value(fact: Any) -> bool:
    """Return whether it names a value: ["value", position]."""
    return is_list(fact, 2) and fact[0] == "value" and _is_place(fact[1])


def _is_place(value: Any) -> bool:
    return is_int(value) and value >= 0
