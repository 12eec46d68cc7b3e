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
facts contradict each other, so every repair drops one of them that is not protected. In version 4 the stated bound may
be lower than the weight, and it may rest on *cores* instead of conflicts:

    A link has a variable: it is kept. To keep it is a *wish* that costs its weight. A core is a lemma that says: one
    of these wishes is not true. The least cost w among them is paid by everyone. So it is moved from each of them to
    the bound; and since those who leave two of them pay w twice, "fewer than two of them are not true" becomes a wish
    that costs w. If w is moved from "fewer than k of them", it is moved to "fewer than k + 1 of them" as well.

    A wish is *sure* if the bound so far and its cost are together not less than the weight of the repair: without it,
    no repair is lighter. What rests on sure wishes holds in every lighter repair, and so does the bound, which then
    is at most that weight.

    Variables that count are known by what they mean: at least so many wishes of a core, from one place to another, are
    not true. What a clause says about them is checked by adding up.

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
from .refutations import (
    CLAUSAL,
    as_point,
    check_clausal_form,
    check_clause,
    check_conflict_form,
    check_proof,
    check_proof_form,
    follows_by_hints,
    is_clause,
)

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
BOUNDED_REPAIR = {"weights", "protected", "dropped", "weight", "witness", "bound", "proof"}  # version 4
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
    if certificate["version"] == 3:
        _check_conflicts_form(certificate, certificate)
        return
    require(as_fraction(certificate["bound"], "bound") >= 0, "bound: negative")
    proof = certificate["proof"]
    if isinstance(proof, dict) and "cores" in proof:
        _check_cores_form(proof, certificate)
    else:
        check_fields(proof, {"conflicts", "parts"}, "proof")
        _check_conflicts_form(proof, certificate)


def _check_conflicts_form(holder: dict[str, Any], certificate: dict[str, Any]) -> None:
    for place, conflict in enumerate(as_list(holder["conflicts"], "conflicts")):
        check_fields(conflict, {"conflict", "proof"}, f"conflict {place}")
        check_conflict_form(conflict["conflict"], certificate, f"conflict {place}")
        check_proof_form(conflict["proof"], certificate)
    check_parts_form(holder["parts"])


def check_repair(certificate: dict[str, Any], facts: Facts) -> None:
    """Check the witness of what is kept, and that every repair weighs as much as stated."""
    weights = dict(zip(facts.known, (Fraction(text) for text in certificate["weights"]), strict=True))
    dropped, protected = ({key(fact) for fact in certificate[name]} for name in ("dropped", "protected"))
    require(dropped.isdisjoint(protected), "a protected fact is dropped")
    stated = Fraction(certificate["weight"])
    require(sum(weights[fact] for fact in dropped) == stated, "the dropped facts have another weight")
    kept = [fact for number, fact in facts.known.items() if number not in dropped]
    check_model(certificate["witness"], kept, "witness", facts.clock)
    costs = {number: weight for number, weight in weights.items() if number not in protected}
    if certificate["version"] == 3:
        bound = _bound_by_conflicts(certificate, facts, costs)
    else:
        stated = Fraction(certificate["bound"])
        proof = certificate["proof"]
        by_cores = "cores" in proof
        bound = _bound_by_cores(certificate, facts, costs) if by_cores else _bound_by_conflicts(proof, facts, costs)
    require(bound >= stated, f"a repair may weigh {bound} only")


def _bound_by_conflicts(proof: dict[str, Any], facts: Facts, costs: dict[Any, Fraction]) -> Fraction:
    """Return what it costs at least to drop a fact of every conflict. ``costs``: of facts that are not protected."""
    conflicts = []
    for conflict in proof["conflicts"]:
        numbers = [key(number) for number in conflict["conflict"]]
        check_proof(conflict["proof"], {number: facts.known[number] for number in numbers}, facts.clock)
        conflicts.append({number: frozenset({KEEP}) for number in numbers if number in costs})
    options = {number: {KEEP: Fraction(0), DROP: cost} for number, cost in costs.items()}
    return lower_bound(proof["parts"], options, conflicts)


# --- repair by cores -------------------------------------------------------------------------------------------------

COUNT = "count"  # why a clause holds: by adding up


def _check_cores_form(proof: dict[str, Any], certificate: dict[str, Any]) -> None:
    require(not has_values(certificate), "a repair with values of time expressions cannot be proven by cores")
    check_fields(proof, CLAUSAL | {"hints", "counts", "cores", "sure"}, "proof")
    more = len(certificate["links"]) + len(as_list(proof["counts"], "counts")), len(as_list(proof["sure"], "sure"))
    check_clausal_form({name: proof[name] for name in (*CLAUSAL, "hints")}, with_hints=True, more=more, why=COUNT)
    lemmas, cores = proof["lemmas"], as_list(proof["cores"], "cores")
    require(all(_is_place(core, lemmas) for core in cores), "cores: not a list of lemmas")
    require(cores == sorted(set(cores)), "cores: not in their order")
    for core in cores:
        require(len(set(lemmas[core])) == len(lemmas[core]), "cores: a literal twice")
    for count in proof["counts"]:
        require(is_list(count, 4) and all(map(_is_natural, count)), "counts: not [core, from, to, number]")
        core, first, last, number = count
        require(core < len(cores), "counts: not a core")
        within = first < last <= len(lemmas[cores[core]]) and 0 < number <= last - first
        require(within, "counts: not a number of wishes of the core")
    for entry in proof["sure"]:
        good = is_list(entry, 2) and is_clause(entry[:1], len(proof["variables"]) + more[0]) and _is_natural(entry[1])
        require(good and entry[1] <= len(cores), "sure: not [wish, number of cores]")


def _bound_by_cores(certificate: dict[str, Any], facts: Facts, costs: dict[Any, Fraction]) -> Fraction:
    """Return what every repair weighs at least, as far as the cores show it."""
    proof = certificate["proof"]
    points = [tuple(map(as_point, pair)) for pair in proof["variables"]]
    kept = {link: len(points) + 1 + link for link in facts.known}  # the variables of links
    counts = dict(enumerate(map(tuple, proof["counts"]), len(points) + len(kept) + 1))
    cores = [proof["lemmas"][number] for number in proof["cores"]]
    known = {}
    for place, (clause, why) in enumerate(proof["clauses"]):
        name = f"proof clause {place}"
        if why == COUNT:
            _check_count(clause, counts, cores, name)
        elif not _is_impossible(facts.known.get(why)):  # what cannot be true implies everything
            require(all(abs(literal) <= len(points) for literal in clause), f"{name} is not about endpoints only")
            check_clause(clause, why, points, facts.known, name)
        known[place] = [*clause, -kept[why]] if why in costs else clause
    payments = _Payments({-kept[link]: cost for link, cost in costs.items()}, counts, cores)
    weight = Fraction(certificate["weight"])

    def believe_sure() -> None:
        for place, (wish, after) in enumerate(proof["sure"], len(proof["clauses"])):
            if after == payments.count:
                require(payments.without(-wish) >= weight, f"proof clause {place} is not sure")
                known[place] = [wish]

    believe_sure()
    first = len(proof["clauses"]) + len(proof["sure"])  # the number of the first lemma
    for place, (lemma, hints) in enumerate(zip(proof["lemmas"], proof["hints"], strict=True)):
        require(follows_by_hints(lemma, hints, known), f"proof lemma {place} does not follow by its hints")
        known[first + place] = lemma
        if payments.count < len(cores) and proof["cores"][payments.count] == place:
            payments.pay()
            believe_sure()
    return min(payments.bound, weight)


def _is_impossible(link: Link | None) -> bool:
    """Return whether a link says that an entity is not equal to itself."""
    return link is not None and link[0] == link[2] and "=" not in link[1]


def _check_count(clause: list[int], counts: dict[int, Any], cores: list[list[int]], name: str) -> None:
    """Check that the count of the last literal is reached by the counts and wishes that the other literals deny.

    All of these are about different wishes, among those that the last one counts.
    """
    require(bool(clause) and clause[-1] in counts, f"{name} counts nothing")
    core, first, last, number = counts[clause[-1]]
    taken: set[int] = set()
    total = 0
    for literal in clause[:-1]:
        other = counts.get(-literal)
        if other is None or other[0] != core:
            require(-literal in cores[core], f"{name} counts something else")
            other = (core, cores[core].index(-literal), cores[core].index(-literal) + 1, 1)
        places = set(range(other[1], other[2]))
        require(first <= other[1] and other[2] <= last and taken.isdisjoint(places), f"{name} counts something twice")
        taken |= places
        total += other[3]
    require(total >= number, f"{name} does not add up")


class _Payments:
    """What wishes cost, by the literal that denies them, and the bound. Wishes that count: by core and number."""

    def __init__(self, costs: dict[Any, Fraction], counts: dict[int, Any], cores: list[list[int]]) -> None:
        self.bound = Fraction(0)
        self.count = 0  # of the cores so far
        self._costs = costs
        self._counts = counts
        self._cores = cores

    def pay(self) -> None:
        """Move costs to the bound for the next core."""
        core = self._cores[self.count]
        denied = [self._wish(literal) for literal in core]
        good = bool(core) and all(wish in self._costs for wish in denied)
        require(good, f"core {self.count} is not about wishes")
        step = min(self._costs[wish] for wish in denied)
        self.bound += step
        for wish in denied:
            self._costs[wish] -= step
            if isinstance(wish, tuple):
                following = (wish[0], wish[1] + 1)
                self._costs[following] = self._costs.get(following, Fraction(0)) + step
        self._costs[self.count, 2] = step
        self.count += 1

    def without(self, denial: int) -> Fraction:
        """Return what everyone pays who does not have a wish true."""
        return self.bound + self._costs.get(self._wish(denial), Fraction(0))

    def _wish(self, literal: int) -> Any:
        """Return (core, number) for "at least so many wishes of this core are not true", else the literal."""
        core, first, last, number = self._counts.get(literal, (0, 0, 0, 0))
        return (core, number) if last and (first, last) == (0, len(self._cores[core])) else literal


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
