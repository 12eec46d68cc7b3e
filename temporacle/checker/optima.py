"""Whether no repair is lighter, and no labelling worth more: lower bounds, and the claims ``repair`` and ``decode``.

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

In a ``repair``, a fact is kept at no cost, or dropped at its weight. Each conflict has a proof of its own that its
facts contradict each other, so every repair drops one of them that is not protected.

In a ``decode``, each pair gets one of its labels. The value of a label follows from its score; a label costs what it is
worth less than the best of its pair. Each conflict has a proof of its own that its links, and "one of the blocked
labels" for each of its pairs, contradict each other.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from .kernel import (
    LARGEST,
    Facts,
    Link,
    as_atoms,
    as_list,
    check_fields,
    check_model,
    check_model_form,
    has_values,
    is_int,
    is_line,
    is_list,
    is_text,
    key,
    require,
)
from .refutations import check_conflict_form, check_proof, check_proof_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# --- lower bounds ----------------------------------------------------------------------------------------------------

Costs = dict[Any, dict[Any, Fraction]]  # by slot and option
Conflict = dict[Any, frozenset[Any]]  # blocked options by slot

LONGEST_FRACTION = 2000  # characters of a fraction
_FRACTION = re.compile("-?[0-9]+(/[1-9][0-9]*)?")


def as_fraction(text: Any, name: str) -> Fraction:
    """Return an exact number that is written in lowest terms: "3", "-17/32"."""
    good = isinstance(text, str) and len(text) <= LONGEST_FRACTION and _FRACTION.fullmatch(text) is not None
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
        require(all(_is_natural(number) for number in as_list(part["conflicts"], name)), f"{name}: a bad conflict")
        for step in as_list(part["steps"], name):
            _check_step_form(step, name)


def _check_step_form(step: Any, name: str) -> None:
    kinds = ({"branch", "cases"}, {"conflict"}, {"dual"})
    require(isinstance(step, dict) and set(step) in kinds, f"{name}: a step of no kind")
    if "conflict" in step:
        require(_is_natural(step["conflict"]), f"{name}: a bad conflict")
    for entry in as_list(step.get("dual", []), name):
        require(is_list(entry, 2) and _is_natural(entry[0]), f"{name}: a bad price")
        require(as_fraction(entry[1], name) >= 0, f"{name}: a negative price")
    if "branch" in step:
        require(_is_natural(step["branch"]) or is_value(step["branch"]), f"{name}: a bad branch")
    for case in as_list(step.get("cases", []), name):
        require(is_list(case, 2) and is_int(case[1]), f"{name}: a bad case")
        for option in as_list(case[0], name):
            good = isinstance(option, str) or (is_int(option) and abs(option) <= LARGEST)
            require(good, f"{name}: a bad option")


def is_value(fact: Any) -> bool:
    """Return whether it names a value: ["value", position]."""
    return is_list(fact, 2) and fact[0] == "value" and _is_natural(fact[1])


def _is_natural(value: Any) -> bool:
    return is_int(value) and value >= 0


# --- repair ----------------------------------------------------------------------------------------------------------

REPAIR = {"weights", "protected", "dropped", "weight", "witness", "conflicts", "parts"}
KEEP, DROP = "keep", "drop"


def check_repair_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    facts = len(certificate["links"]) + len(certificate.get("values", ()))
    require(len(as_list(certificate["weights"], "weights")) == facts, "weights: not one for each link and value")
    for weight in [*certificate["weights"], certificate["weight"]]:
        require(as_fraction(weight, "weights") >= 0, "weights: a negative one")
    for name in ("protected", "dropped"):
        check_conflict_form(certificate[name], certificate, name)
    check_model_form(certificate["witness"], "witness", certificate)
    for place, conflict in enumerate(as_list(certificate["conflicts"], "conflicts")):
        check_fields(conflict, {"conflict", "proof"}, f"conflict {place}")
        check_conflict_form(conflict["conflict"], certificate, f"conflict {place}")
        check_proof_form(conflict["proof"], certificate)
    check_parts_form(certificate["parts"])


def check_repair(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the witness of what is kept, the conflicts, and that no lighter repair meets them."""
    weights = dict(zip(facts.known, (Fraction(text) for text in certificate["weights"]), strict=True))
    dropped, protected = ({key(fact) for fact in certificate[name]} for name in ("dropped", "protected"))
    require(dropped.isdisjoint(protected), "a protected fact is dropped")
    stated = Fraction(certificate["weight"])
    require(sum(weights[fact] for fact in dropped) == stated, "the dropped facts have another weight")
    kept = [fact for number, fact in facts.known.items() if number not in dropped]
    check_model(certificate["witness"], kept, "witness", facts.clock)
    conflicts = []
    for conflict in certificate["conflicts"]:
        numbers = [key(number) for number in conflict["conflict"]]
        check_proof(conflict["proof"], {number: facts.known[number] for number in numbers}, facts.clock)
        conflicts.append({number: frozenset({KEEP}) for number in numbers if number not in protected})
    costs = {number: {KEEP: Fraction(0), DROP: weight} for number, weight in weights.items() if number not in protected}
    bound = lower_bound(certificate["parts"], costs, conflicts)
    require(bound >= stated, f"a repair may weigh {bound} only")


# --- decode ----------------------------------------------------------------------------------------------------------

DECODING = {"objective", "pairs", "value", "witness", "conflicts", "parts"}
OBJECTIVES = ("logprob", "prob", "weight")
UNITS = 10**12  # values count in one of so many parts
SMALLEST = Fraction(1, 10**6)  # a score below it counts as this much, before the logarithm
_PRECISE = Context(prec=60)


def check_decoding_form(certificate: dict[str, Any]) -> None:
    """Check that every part has its place and type."""
    require(not has_values(certificate), "a decoding with values of time expressions cannot be checked")
    require(certificate["objective"] in OBJECTIVES, "objective: an unknown one")
    _check_whole_form(certificate["value"], "value")
    check_model_form(certificate["witness"], "witness", certificate)
    for place, pair in enumerate(as_list(certificate["pairs"], "pairs")):
        _check_pair_form(pair, f"pair {place}")
    for place, conflict in enumerate(as_list(certificate["conflicts"], "conflicts")):
        _check_blocking_form(conflict, certificate, f"conflict {place}")
    check_parts_form(certificate["parts"])


def _check_pair_form(pair: Any, name: str) -> None:
    check_fields(pair, {"id", "source", "target", "line", "labels", "chosen"}, name)
    require(is_text(pair, "id", "source", "target") and is_line(pair["line"]), f"{name}: wrong types")
    for entry in as_list(pair["labels"], name):
        require(is_list(entry, 4) and isinstance(entry[0], str), f"{name}: a label is [label, atoms, score, value]")
        as_atoms(entry[1], name)
        as_fraction(entry[2], name)
        _check_whole_form(entry[3], name)
    require(_is_place(pair["chosen"], pair["labels"]), f"{name}: the chosen label does not exist")


def _check_blocking_form(conflict: Any, certificate: dict[str, Any], name: str) -> None:
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


def _check_whole_form(text: Any, name: str) -> None:
    require(as_fraction(text, name).denominator == 1, f"{name}: not a whole number")


def _is_place(value: Any, among: list[Any]) -> bool:
    return is_int(value) and 0 <= value < len(among)


def check_decoding(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the values, the witness of the chosen labels, the conflicts, and that no labelling is worth more."""
    pairs = certificate["pairs"]
    for place, pair in enumerate(pairs):
        for label, _, score, value in pair["labels"]:
            good = _is_worth(Fraction(score), int(value), certificate["objective"])
            require(good, f"pair {place}: {label!r:.40} is not worth this")
    stated = int(certificate["value"])
    chosen = [int(pair["labels"][pair["chosen"]][3]) for pair in pairs]
    require(sum(chosen) == stated, "the chosen labels have another value")
    labelled = [_link_of_pair(pair, [pair["chosen"]]) for pair in pairs]
    check_model(certificate["witness"], [*facts.all(), *labelled], "witness")
    conflicts = []
    for conflict in certificate["conflicts"]:
        used = {link: facts.known[link] for link in conflict["links"]}
        used |= {len(facts.known) + place: _link_of_pair(pairs[place], labels) for place, labels in conflict["blocked"]}
        check_proof(conflict["proof"], used)
        conflicts.append({place: frozenset(labels) for place, labels in conflict["blocked"]})
    best = [max(int(entry[3]) for entry in pair["labels"]) for pair in pairs]
    costs = {
        place: {option: Fraction(best[place] - int(entry[3])) for option, entry in enumerate(pair["labels"])}
        for place, pair in enumerate(pairs)
    }
    bound = sum(best) - lower_bound(certificate["parts"], costs, conflicts)
    require(bound <= stated, f"labels may be worth {bound}")


def _link_of_pair(pair: dict[str, Any], labels: list[int]) -> Link:
    """Return a pair as a link: one of these labels holds."""
    atoms = frozenset(atom for label in labels for atom in pair["labels"][label][1])
    return pair["source"], atoms, pair["target"]


def _is_worth(score: Fraction, value: int, objective: str) -> bool:
    """Return whether a value, in units, is that of a score: rounded half to even; a logarithm may be off by one."""
    if score < 0 and objective != "weight":
        return False
    if objective != "logprob":
        return value == round(score * UNITS)
    counted = max(score, SMALLEST)
    logarithm = _PRECISE.ln(_PRECISE.divide(Decimal(counted.numerator), Decimal(counted.denominator)))
    return abs(Fraction(logarithm) * UNITS - value) < 1
