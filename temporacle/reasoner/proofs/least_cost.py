"""Proofs that no choice costs less: the steps that ``checker.optima`` checks, found here.

A *problem* has slots. Each takes one of its options, at a cost. A *conflict* blocks options of some slots: at least one
of these slots must take an option that is not blocked. Repairs and decodings are such problems.

    1  conflicts that share no slot do not influence each other: each group gets a proof of its own
    2  the linear relaxation of a group, solved exactly, gives a price for each conflict. Often that is the bound
    3  otherwise branch on a slot that the relaxation splits, and go on in each case

Only conflicts that a proof uses are part of it.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import bits as bits_of
from temporacle.reasoner.optimise.choices import connected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.reasoner.network import Budget

_MOST_STEPS = 20_000  # of one group
_FEW_CONFLICTS = 25  # that a linear program begins with
_LARGEST_TABLE = 400_000  # entries of a linear program; a larger one is solved greedily


class CoverProblem(NamedTuple):
    """Costs of the options by slot, and conflicts: blocked options by slot, as bits. The least cost of a slot is 0."""

    costs: Mapping[int, Sequence[int]]
    conflicts: Sequence[Mapping[int, int]]


class Branch(NamedTuple):
    """Cases that cover the options of a slot, as bits, each with the place of its step."""

    slot: int
    cases: tuple[tuple[int, int], ...]


class Blocked(NamedTuple):
    """A conflict that cannot be met any more."""

    conflict: int


class Dual(NamedTuple):
    """Prices of conflicts. They prove the bound for the options that are left."""

    prices: tuple[tuple[int, Fraction], ...]


Step = Branch | Blocked | Dual


class CoverPart(NamedTuple):
    """A group of conflicts: every choice that meets them costs at least ``bound``."""

    bound: int
    conflicts: tuple[int, ...]
    steps: tuple[Step, ...]


class _Relaxed(NamedTuple):
    prices: tuple[tuple[int, Fraction], ...]
    value: Fraction
    split: tuple[int, int] | None  # the slot to branch on, and options to try first, as bits


def prove_bound(problem: CoverProblem, chosen: Mapping[int, int], budget: Budget) -> tuple[CoverPart, ...]:
    """Return a proof that no choice that meets the conflicts costs less than the chosen options, which meet them.

    Raise BudgetExceeded if it takes too long, InternalError if there is a cheaper choice.
    """
    needed = _inclusion_minimal(problem.conflicts)
    parts = []
    for places in connected([list(problem.conflicts[number]) for number in needed]):
        group = [needed[place] for place in places]
        slots = {slot for number in group for slot in problem.conflicts[number]}
        bound = sum(problem.costs[slot][chosen[slot]] for slot in slots)
        if bound > sum(min(problem.costs[slot]) for slot in slots):
            parts.append(_Search(problem, group, slots, bound, budget).run())
    return tuple(parts)


class _Search:
    def __init__(
        self, problem: CoverProblem, group: Sequence[int], slots: Iterable[int], bound: int, budget: Budget
    ) -> None:
        self._problem = problem
        self._group = group
        self._all = {slot: (1 << len(problem.costs[slot])) - 1 for slot in sorted(slots)}
        self._bound = bound
        self._unit = gcd(*(cost for slot in self._all for cost in problem.costs[slot]))
        self._budget = budget

    def run(self) -> CoverPart:
        steps: list[Step | None] = [None]
        waiting = [(0, self._all)]
        while waiting:
            place, allowed = waiting.pop()
            self._budget.check()
            step = self._closed(allowed)
            if isinstance(step, _Relaxed):
                if step.split is None:
                    raise InternalError("a choice that was called the cheapest is not")
                slot, first = step.split
                cases = [bits for bits in (first, allowed[slot] & ~first) if bits]
                step = Branch(slot, tuple((bits, len(steps) + number) for number, bits in enumerate(cases)))
                waiting += [(later, allowed | {slot: bits}) for bits, later in step.cases]
                steps += [None] * len(cases)
                if len(steps) > _MOST_STEPS:
                    raise BudgetExceeded("the proof that nothing is cheaper has too many cases")
            steps[place] = step
        return _trimmed(self._bound, [step for step in steps if step is not None])

    def _closed(self, allowed: Mapping[int, int]) -> Step | _Relaxed:
        """Return the step that proves the bound for these options, or the relaxation if that is not enough."""
        open_conflicts = []
        for number in self._group:
            blocked = self._problem.conflicts[number]
            if all(not allowed[slot] & ~bits for slot, bits in blocked.items()):
                return Blocked(number)
            if all(allowed[slot] & bits for slot, bits in blocked.items()):
                open_conflicts.append(number)  # else a slot has no blocked option left: it is met
        relaxed = self._relaxed(open_conflicts, allowed)
        value = -(-relaxed.value // self._unit) * self._unit
        return Dual(relaxed.prices) if value >= self._bound else relaxed

    def _relaxed(self, conflicts: Sequence[int], allowed: Mapping[int, int]) -> _Relaxed:
        """Return the best prices. Few conflicts matter: others join when the relaxed choice does not meet them."""
        chosen = list(conflicts) if len(conflicts) <= _FEW_CONFLICTS else self._greedily(conflicts, allowed)
        while True:
            relaxed, shares = self._priced(chosen, allowed)
            if shares is None or relaxed.value >= self._bound:
                return relaxed
            known = set(chosen)
            broken = sorted(
                (met, number)
                for number in conflicts
                if number not in known and (met := self._met(number, allowed, shares)) < 1
            )
            if not broken:
                return relaxed
            chosen += [number for _, number in broken[:_FEW_CONFLICTS]]

    def _met(self, number: int, allowed: Mapping[int, int], shares: Mapping[tuple[int, int], Fraction]) -> Fraction:
        """Return how much the relaxed choice takes of options that a conflict does not block."""
        found = Fraction(0)
        for slot, blocked in self._problem.conflicts[number].items():
            found += sum(shares.get((slot, option), Fraction(0)) for option in bits_of(allowed[slot] & ~blocked))
        return found

    def _shares(
        self, allowed: Mapping[int, int], prices: Mapping[tuple[int, int], Fraction]
    ) -> dict[tuple[int, int], Fraction]:
        """Return the relaxed choice: what is not taken by options with a price is the cheapest one's."""
        shares = dict(prices)
        taken: dict[int, Fraction] = {}
        for (slot, _), share in prices.items():
            taken[slot] = taken.get(slot, Fraction(0)) + share
        for slot, bits in allowed.items():
            _, cheapest = min((self._problem.costs[slot][option], option) for option in bits_of(bits))
            rest = 1 - taken.get(slot, Fraction(0))
            shares[slot, cheapest] = shares.get((slot, cheapest), Fraction(0)) + max(rest, Fraction(0))
        return shares

    def _greedily(self, conflicts: Sequence[int], allowed: Mapping[int, int]) -> list[int]:
        """Return conflicts that get a price if prices are raised one after the other."""
        rows, b, _ = self._rows(conflicts, allowed)
        return [number for number, price in zip(conflicts, _ascent(conflicts, rows, b), strict=True) if price]

    def _rows(
        self, conflicts: Sequence[int], allowed: Mapping[int, int]
    ) -> tuple[dict[tuple[int, int], dict[int, int]], list[int], int]:
        """Return the prices that each option of a slot may get back, up to what it costs more than the cheapest."""
        costs = self._problem.costs
        least = {slot: min(costs[slot][option] for option in bits_of(bits)) for slot, bits in allowed.items()}
        rows: dict[tuple[int, int], dict[int, int]] = {}
        for column, number in enumerate(conflicts):
            for slot, bits in self._problem.conflicts[number].items():
                for option in bits_of(allowed[slot] & ~bits):
                    rows.setdefault((slot, option), {})[column] = 1
        return rows, [costs[slot][option] - least[slot] for slot, option in rows], sum(least.values())

    def _priced(
        self, conflicts: Sequence[int], allowed: Mapping[int, int]
    ) -> tuple[_Relaxed, dict[tuple[int, int], Fraction] | None]:
        """Return the best prices of these conflicts: maximise their sum, minus what each slot gets back.

        A row says that a slot does not get back more than ``z`` for one of its options, beyond what it costs. Also
        return the relaxed choice, unless it says nothing about other conflicts.
        """
        if not conflicts:
            return _Relaxed((), Fraction(self._forced(allowed)), None), self._shares(allowed, {})
        rows, b, start = self._rows(conflicts, allowed)
        rows_of: dict[int, list[tuple[int, int]]] = {}
        for place in rows:
            rows_of.setdefault(place[0], []).append(place)
        several = [slot for slot, own in rows_of.items() if len(own) > 1]
        size = (len(rows) + 1) * (len(rows) + len(conflicts) + len(several))
        if size > _LARGEST_TABLE:
            raised = _ascent(conflicts, rows, b)
            split = self._split_by_hand(conflicts, allowed)
            found = tuple((conflicts[column], Fraction(price)) for column, price in enumerate(raised) if price)
            return _Relaxed(found, Fraction(start + sum(raised)), split), None
        for column, slot in enumerate(several, len(conflicts)):
            for place in rows_of[slot]:
                rows[place][column] = -1
        solved = maximise([1] * len(conflicts) + [-1] * len(several), list(rows.values()), b, self._budget)
        if isinstance(solved, Unbounded):
            gain = sum(solved.ray[: len(conflicts)]) - sum(solved.ray[len(conflicts) :])
            far = Fraction(self._bound, 1) / gain
            along = [each + far * more for each, more in zip(solved.x, solved.ray, strict=True)]
            return _Relaxed(_positive(conflicts, along), Fraction(self._bound), None), None
        taken = dict(zip(rows, solved.prices, strict=True))
        relaxed = _Relaxed(_positive(conflicts, solved.x), solved.value + start, _split(taken, allowed))
        return relaxed, self._shares(allowed, taken)

    def _forced(self, allowed: Mapping[int, int]) -> int:
        return sum(min(self._problem.costs[slot][option] for option in bits_of(bits)) for slot, bits in allowed.items())

    def _split_by_hand(self, conflicts: Sequence[int], allowed: Mapping[int, int]) -> tuple[int, int] | None:
        """Return the slot that occurs in most conflicts among those that still have a choice, and its first option."""
        counts: dict[int, int] = {}
        for number in conflicts:
            for slot in self._problem.conflicts[number]:
                if allowed[slot] & (allowed[slot] - 1):
                    counts[slot] = counts.get(slot, 0) + 1
        if not counts:
            return None
        slot = max(counts, key=lambda each: (counts[each], -each))
        return slot, allowed[slot] & -allowed[slot]


def _positive(conflicts: Sequence[int], prices: Sequence[Fraction]) -> tuple[tuple[int, Fraction], ...]:
    return tuple((number, price) for number, price in zip(conflicts, prices, strict=False) if price)


def _ascent(conflicts: Sequence[int], rows: Mapping[tuple[int, int], Mapping[int, int]], b: Sequence[int]) -> list[int]:
    """Return prices that are raised one after the other as far as no slot gets anything back."""
    left = list(b)
    of_column: list[list[int]] = [[] for _ in conflicts]
    for place, row in enumerate(rows.values()):
        for column in row:
            of_column[column].append(place)
    prices = [0] * len(conflicts)
    for column in sorted(range(len(conflicts)), key=lambda column: len(of_column[column])):
        prices[column] = min(left[place] for place in of_column[column])
        for place in of_column[column]:
            left[place] -= prices[column]
    return prices


def _split(shares: Mapping[tuple[int, int], Fraction], allowed: Mapping[int, int]) -> tuple[int, int] | None:
    """Return the slot whose options the relaxation mixes most evenly, and the option that has most of it."""
    best: tuple[Fraction, int, int] | None = None
    by_slot: dict[int, dict[int, Fraction]] = {}
    for (slot, option), share in shares.items():
        by_slot.setdefault(slot, {})[option] = share
    for slot, own in sorted(by_slot.items()):
        if not allowed[slot] & (allowed[slot] - 1):
            continue
        option = max(own, key=lambda each: (own[each], -each))
        mixed = min(own[option], 1 - own[option])
        if mixed > 0 and (best is None or mixed > best[0]):
            best = (mixed, slot, 1 << option)
    return None if best is None else best[1:]


def _trimmed(bound: int, steps: Sequence[Step]) -> CoverPart:
    """Return the part with the conflicts that its steps use."""
    used: set[int] = set()
    for step in steps:
        if isinstance(step, Blocked):
            used.add(step.conflict)
        elif isinstance(step, Dual):
            used.update(conflict for conflict, _ in step.prices)
    return CoverPart(bound, tuple(sorted(used)), tuple(steps))


def _inclusion_minimal(conflicts: Sequence[Mapping[int, int]]) -> list[int]:
    """Return the conflicts that no other makes superfluous: on fewer slots, blocking at least as much there."""
    kept: list[int] = []
    holding: dict[int, list[int]] = {}  # by the first slot of a kept conflict
    for number in sorted(range(len(conflicts)), key=lambda number: (len(conflicts[number]), number)):
        blocked = conflicts[number]
        smaller = (other for slot in blocked for other in holding.get(slot, ()))
        if not any(
            all(slot in blocked and not blocked[slot] & ~bits for slot, bits in conflicts[other].items())
            for other in smaller
        ):
            kept.append(number)
            holding.setdefault(next(iter(blocked)), []).append(number)
    return sorted(kept)


def conflicts_of(parts: Iterable[CoverPart]) -> list[int]:
    """Return the conflicts that the parts use."""
    return sorted(conflict for part in parts for conflict in part.conflicts)


def parts_form(parts: Iterable[CoverPart], names: OptionNames) -> list[dict[str, Any]]:
    """Return parts in the documented form."""
    return [
        {
            "bound": str(part.bound * names.unit),
            "conflicts": [names.conflicts[conflict] for conflict in part.conflicts],
            "steps": [_step_form(step, names) for step in part.steps],
        }
        for part in parts
    ]


class OptionNames(NamedTuple):
    """The names of slots, options and conflicts in a certificate; costs are counted in ``unit``."""

    slots: Mapping[int, Any]
    options: Mapping[int, Sequence[Any]]
    conflicts: Mapping[int, int]
    unit: Fraction


def _step_form(step: Step, names: OptionNames) -> dict[str, Any]:
    if isinstance(step, Blocked):
        return {"conflict": names.conflicts[step.conflict]}
    if isinstance(step, Dual):
        return {"dual": [[names.conflicts[conflict], str(price * names.unit)] for conflict, price in step.prices]}
    cases = [[[names.options[step.slot][option] for option in bits_of(bits)], place] for bits, place in step.cases]
    return {"branch": names.slots[step.slot], "cases": cases}


# ----------------------------------------------------------------------------------------------------
# Linear programs solved exactly: maximise c x, subject to A x <= b and x >= 0, where b >= 0.
#
# The simplex method on a dense table of whole numbers. A pivot multiplies across and divides by the pivot before it,
# which is always exact (Edmonds, Bareiss), so there are no fractions and no rounding. The entering column is the one
# that promises most; after several steps without progress it is the first one that promises anything (Bland), so it
# ends.
#
# For the small programs behind the optimality of repairs and decodings: hundreds of rows and columns.

_STALLED = 20  # steps without progress before the rule that cannot cycle


class PartSolution(NamedTuple):
    """The best x, and the price of each row: by how much the maximum grows with its b."""

    x: list[Fraction]
    prices: list[Fraction]
    value: Fraction


class Unbounded(NamedTuple):
    """There is no maximum: from ``x``, going on in the direction ``ray`` is always allowed and always better."""

    x: list[Fraction]
    ray: list[Fraction]


def maximise(
    c: Sequence[int], rows: Sequence[Mapping[int, int]], b: Sequence[int], budget: Budget
) -> PartSolution | Unbounded:
    """Return the best solution. ``rows`` are the coefficients by column. No b may be negative.

    >>> from temporacle.reasoner.network import Budget
    >>> maximise([1, 1, 1], [{0: 1, 1: 1}, {1: 1, 2: 1}, {0: 1, 2: 1}], [1, 1, 1], Budget()).value
    Fraction(3, 2)
    """
    columns, height = len(c), len(rows)
    table = np.zeros((height + 1, columns + height + 1), dtype=object)
    for place, row in enumerate(rows):
        for column, coefficient in row.items():
            table[place, column] = coefficient
        table[place, columns + place] = 1
        table[place, -1] = b[place]
    table[-1, :columns] = [-each for each in c]
    basis = list(range(columns, columns + height))
    scale, stalled = 1, 0  # the table holds everything times ``scale``
    while True:
        budget.check()
        entering = _entering(table[-1, :-1], by_order=stalled > _STALLED)
        if entering is None:
            return PartSolution(
                _values(table[:-1, -1], basis, columns, scale),
                [Fraction(int(each), scale) for each in table[-1, columns:-1]],
                Fraction(int(table[-1, -1]), scale),
            )
        leaving = _leaving(table, entering, basis)
        if leaving is None:
            ray = _values(-table[:-1, entering], basis, columns, scale)
            if entering < columns:
                ray[entering] = Fraction(1)
            return Unbounded(_values(table[:-1, -1], basis, columns, scale), ray)
        before = Fraction(int(table[-1, -1]), scale)
        scale = _pivot(table, leaving, entering, scale)
        basis[leaving] = entering
        stalled = stalled + 1 if Fraction(int(table[-1, -1]), scale) == before else 0


def _entering(costs: np.ndarray, *, by_order: bool) -> int | None:
    column = int(np.argmax(costs < 0)) if by_order else int(np.argmin(costs))
    return column if costs[column] < 0 else None


def _leaving(table: np.ndarray, column: int, basis: Sequence[int]) -> int | None:
    """Return the row that limits the entering column; among equals the one with the first basic column."""
    candidates = np.flatnonzero(table[:-1, column] > 0).tolist()
    if not candidates:
        return None
    return int(min(candidates, key=lambda row: (Fraction(int(table[row, -1]), int(table[row, column])), basis[row])))


def _pivot(table: np.ndarray, row: int, column: int, scale: int) -> int:
    """Bring a column into the basis. Return the new scale."""
    pivot = int(table[row, column])
    others = np.arange(len(table)) != row
    table[others] = (table[others] * pivot - np.outer(table[others, column], table[row])) // scale
    return pivot


def _values(amounts: np.ndarray, basis: Sequence[int], columns: int, scale: int) -> list[Fraction]:
    found = [Fraction(0)] * columns
    for column, amount in zip(basis, amounts, strict=True):
        if column < columns:
            found[column] = Fraction(int(amount), scale)
    return found
