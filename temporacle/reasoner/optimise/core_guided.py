"""The least cost of wishes that cannot all be granted: core-guided search on a solver that takes assumptions.

A *wish* is a literal with a cost: what it costs not to be true. The solver is asked for all dear wishes at once. If it
refuses, the wishes that it blames (a *core*) show that at least the least of their costs, w, must be paid:

    bound += w, and each wish of the core costs w less from now on
    new wish, of cost w: at most one wish of the core is not true

so every assignment costs as much as before, with w of it in the bound. The new wish is an output of a counter. If it is
refused in turn, "at most two" takes its place, and so on. Once all wishes that still cost something can be true, the
bound is the optimum, and the assignments in which they are true are exactly the optimal ones. Dear wishes are asked for
first (*stratification*), so that cheap ones do not split their costs. Each answer on the way is an upper bound; a wish
that costs more than the bounds are apart is true in every optimal assignment, and becomes a clause (*hardening*).

The solver never sees a cost: costs are Python's whole numbers, of any length. Where all wishes cost the same, cores are
not made smaller, since that takes more time than it saves. Otherwise a wish that is in a core for nothing has its cost
split for nothing, and cores are made smaller as far as that is easy.

Reference: Morgado, Dodaro and Marques-Silva (2014), "Core-guided MaxSAT with soft cardinality constraints" (OLL).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from temporacle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_TIMES = 3  # a core is asked for again, as long as that makes it smaller


class Solver(Protocol):
    """Clauses go in and stay; a question is a list of literals that are assumed."""

    def solve(self, assumptions: Sequence[int]) -> bool:
        """Return whether all clauses and assumptions can be true."""

    def is_easily_refused(self, assumptions: Sequence[int]) -> bool:
        """Return whether a short search shows that the assumptions cannot all be true."""

    def blamed(self) -> list[int]:
        """Return assumptions that cannot all be true, after a refusal."""

    def refused(self) -> Iterable[int]:
        """Return the wishes of the beginning that some solution does not grant, after the last one was found."""

    def add_clauses(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses."""

    def new_variable(self) -> int:
        """Return a variable that no clause has."""


class Count(NamedTuple):
    """What a new variable stands for: at least ``number`` of some wishes of a core are not true.

    Cores are numbered as they are found. The wishes are those from place ``first`` to before ``last``.
    """

    core: int
    first: int
    last: int
    number: int


class Trace(Protocol):
    """Writes down how a bound comes about, for a proof of it."""

    def found(self, core: Sequence[int], step: int) -> None:
        """Note wishes that cannot all be true, and by how much they raise the bound."""

    def counts(self, variable: int, count: Count) -> None:
        """Note what a new variable stands for."""

    def hardened(self, wish: int) -> None:
        """Note a wish that is true in all assignments that cost no more than the upper bound."""


class Optimum(NamedTuple):
    """The least cost, and wishes that, with the clauses, are all true in the optimal assignments alone."""

    cost: int
    wishes: list[int]


def least_cost(
    solver: Solver, costs: Mapping[int, int], trace: Trace | None = None, enough: int | None = None
) -> Optimum | None:
    """Return the optimum of wishes with positive costs; None if the clauses alone cannot be true.

    ``enough``: the optimum, if it is known. Then only the way to it is searched for, to be written down.
    """
    left = dict(costs)
    is_weighted = len(set(costs.values())) > 1
    counters: dict[int, tuple[_Counter, int]] = {}  # of a wish that fewer than so many inputs are true
    bound = found = 0
    most = sum(costs.values()) if enough is None else enough
    _harden(solver, left, most, trace)
    level = max(left.values(), default=0)
    while True:
        if solver.solve([wish for wish, cost in left.items() if cost >= level]):
            if enough is None:
                most = min(most, sum(costs.get(wish, 0) for wish in solver.refused()))
            _harden(solver, left, most - bound, trace)
            lower = {cost for cost in left.values() if cost < level}
            if not lower:
                return Optimum(bound, list(left))
            level = max((cost for cost in lower if 2 * cost <= level), default=min(lower))
            continue
        core = _core(solver)
        if not core:
            return None
        if is_weighted:
            core = _trimmed(solver, core)
        step = min(left[wish] for wish in core)
        bound += step
        if trace is not None:
            trace.found(core, step)
        for wish in core:
            left[wish] -= step
            if not left[wish]:
                del left[wish]
            if wish in counters:
                counter, number = counters[wish]
                _add(left, counters, counter, number + 1, step)
        solver.add_clauses([[-wish for wish in core]])
        if len(core) > 1:
            _add(left, counters, _Counter(solver, [-wish for wish in core], trace, (found, 0)), 2, step)
        found += 1
        if bound == enough:
            return Optimum(bound, list(left))
        _harden(solver, left, most - bound, trace)


def _harden(solver: Solver, left: dict[int, int], apart: int, trace: Trace | None) -> None:
    """Make clauses of the wishes that cost more than the lower and the upper bound are apart."""
    sure = [wish for wish, cost in left.items() if cost > apart]
    solver.add_clauses([wish] for wish in sure)
    for wish in sure:
        del left[wish]
        if trace is not None:
            trace.hardened(wish)


def _core(solver: Solver) -> list[int]:
    core = solver.blamed()
    for _ in range(_TIMES):
        if solver.solve(core):
            raise InternalError("the solver grants what it has refused")
        smaller = solver.blamed()
        if len(smaller) >= len(core):
            break
        core = smaller
    return core


def _trimmed(solver: Solver, core: list[int]) -> list[int]:
    """Return part of a core that is one itself: leave out halves, quarters and so on as long as that is easy."""
    size = len(core) // 2
    while size:
        start = 0
        while start < len(core):
            fewer = core[:start] + core[start + size :]
            if fewer and solver.is_easily_refused(fewer):
                blamed = set(solver.blamed())
                core = [wish for wish in fewer if wish in blamed]
            else:
                start += size
        size //= 2
    return core


def _add(
    left: dict[int, int], counters: dict[int, tuple[_Counter, int]], counter: _Counter, number: int, cost: int
) -> None:
    """Wish that fewer than so many inputs of a counter are true. All of them being true costs nothing more."""
    if number <= counter.size:
        wish = -counter.at_least(number)
        counters[wish] = counter, number
        left[wish] = left.get(wish, 0) + cost


class _Counter:
    """A totalizer: literals that must be true if at least so many inputs are. Written as far as it is asked for.

    Reference: Bailleux and Boufkhad (2003), "Efficient CNF encoding of Boolean cardinality constraints".
    """

    def __init__(
        self, solver: Solver, inputs: Sequence[int], trace: Trace | None = None, place: tuple[int, int] = (0, 0)
    ) -> None:
        self._solver = solver
        self._trace = trace
        self._core, self._first = place
        self.size = len(inputs)
        self._halves: tuple[_Counter, _Counter] | None = None
        self._outputs: list[int] = list(inputs) if self.size == 1 else []
        if self.size > 1:
            middle = self.size // 2
            self._halves = (
                _Counter(solver, inputs[:middle], trace, place),
                _Counter(solver, inputs[middle:], trace, (self._core, self._first + middle)),
            )

    def at_least(self, number: int) -> int:
        """Return the literal of "at least so many inputs are true", from 1 on."""
        return self.up_to(number)[number - 1]

    def up_to(self, number: int) -> list[int]:
        """Return the literals of "at least 1, 2, ... inputs are true", as many as asked for if there are so many."""
        if self._halves is not None:
            number = min(number, self.size)
            first, second = (half.up_to(number) for half in self._halves)
            while len(self._outputs) < number:
                output, total = self._solver.new_variable(), len(self._outputs) + 1
                if self._trace is not None:
                    self._trace.counts(output, Count(self._core, self._first, self._first + self.size, total))
                self._solver.add_clauses(
                    [
                        *([-first[own - 1]] if own else []),
                        *([-second[total - own - 1]] if own < total else []),
                        output,
                    ]
                    for own in range(max(0, total - len(second)), min(total, len(first)) + 1)
                )
                if self._outputs:
                    self._solver.add_clauses([[-output, self._outputs[-1]]])
                self._outputs.append(output)
        return self._outputs
