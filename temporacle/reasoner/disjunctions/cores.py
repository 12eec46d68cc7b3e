"""Conflicts in networks of disjunctions: one incremental solver for all subsets of the links.

Each link has a *selector*, a Boolean that switches its clauses on. A subset of the links is then a list of assumptions,
the solver keeps what it has learnt from one subset to the next, and a refused subset comes back as a *core*: selectors
that already cannot all be on. Relations cannot be narrowed by path consistency here, since that would need all links at
once; so a question takes longer than in ``search``, but there is no network to build for each.

    core = all links; replaced by what the solver blames as long as that becomes smaller
    for each link of the core, the last first:
        refused without it:  core = what the solver blames
        a model without it:  the link is needed; it is switched on for good

References: Eén and Sörensson (2003), "Temporal induction by incremental SAT solving" (assumptions); Belov, Lynce and
Marques-Silva (2012), "Towards efficient MUS extraction" (deletion).
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL, atom_at, converse
from temporacle.reasoner.disjunctions.completion import Triangles, complete
from temporacle.reasoner.disjunctions.encoding import (
    LOCAL,
    RowWriter,
    atoms_of,
    codes_of,
    implicate_clauses,
    implicates,
    open_rows,
    shifted,
)
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.disjunctions.search import MOST_TRIANGLES, TIGHT
from temporacle.reasoner.network import NotMinimal, TooLarge
from temporacle.reasoner.optimise.core_guided import least_cost
from temporacle.reasoner.points.graph import Contradiction, PointGraph, model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget, Network


_EASY = 50  # conflicts
_SHORTER = 0.9  # a core is asked for again as long as that leaves out a tenth of it


@cache
def own_implicates(mask: int) -> list[tuple[int, ...]]:
    """Return the prime implicates of a relation without those that hold for any two entities."""
    always = implicates(ALL)
    return [clause for clause in implicates(mask) if clause not in always]


class SelectedLinks:
    """Any subset of some links: consistent, or a core. Links of an entity to itself take no part.

    Further links may be added later, between pairs of entities that the first ones already bring together.
    """

    def __init__(
        self,
        entities: int,
        constraints: Sequence[tuple[int, int, int]],
        budget: Budget,
        solver: Cdcl | None = None,
        *,
        switched: bool = True,
    ) -> None:
        """``switched``: False if all links are on for good, so that no clause has a selector."""
        completion = complete(entities, ((source, target) for source, _, target in constraints))
        if completion.count_triangles() > MOST_TRIANGLES:
            raise TooLarge(f"{completion.count_triangles():,} triangles of entities are too many to search")
        self.order = completion.order
        self.triangles = triangles = Triangles(completion)
        self._places = np.empty(entities, np.int32)
        self._places[completion.order] = np.arange(entities)
        self._bases = LOCAL * np.arange(triangles.pairs, dtype=np.int32)
        self._first_selector = LOCAL * triangles.pairs + 1
        self._switched = switched
        self._solver = Cdcl(budget) if solver is None else solver
        self._kept: set[int] = set()
        self._pair_of_link: list[int] = []
        self._oriented: list[int] = []
        self._constraints: list[tuple[int, int, int]] = []
        self._last_variable = 0  # of those that were asked for
        self._on: list[bool] = []  # by link, in the last model of ``solve``
        self.times: list[int] = []  # of all points, in the last model that was found
        labels = np.full(triangles.pairs, ALL, np.uint16)
        for constraint in constraints:
            self.add(constraint)
            if (pair := self._pair_of_link[-1]) >= 0:
                labels[pair] &= self._oriented[-1]
        self._solver.add_many(implicate_clauses(self._bases, np.full(triangles.pairs, ALL, np.uint16)))
        sizes = np.bitwise_count(labels)
        ij, jk, ik = triangles.sides
        self._rows = RowWriter(self._solver, triangles, self._bases)
        rows = open_rows(np.full(triangles.pairs, ALL, np.uint16), triangles)
        self._rows.write(sizes[ij] + sizes[jk] + sizes[ik] <= TIGHT, rows)

    def add(self, constraint: tuple[int, int, int]) -> int:
        """Add a link, off at first, and return its number."""
        if self._last_variable:
            raise InternalError("links must be added before variables")
        source, mask, target = constraint
        number = len(self._pair_of_link)
        self._constraints.append(constraint)
        if source == target:
            self._pair_of_link.append(-1)
            self._oriented.append(ALL)
            return number
        first, second = int(self._places[source]), int(self._places[target])
        stated = mask if first < second else converse(mask)
        pair = int(self.triangles.number[min(first, second), max(first, second)])
        self._pair_of_link.append(pair)
        self._oriented.append(stated)
        base, switch = LOCAL * pair, [-self._first_selector - number] if self._switched else []
        self._solver.add([*switch, *shifted(clause, base)] for clause in own_implicates(stated))
        return number

    def core(self, numbers: Sequence[int]) -> list[int] | None:
        """Return some of these links that contradict each other, in the order given; None if they are consistent."""
        first = self._first_selector
        while self._solver.solve([first + number for number in numbers] if self._switched else ()):
            values = np.array(self._solver.values(LOCAL * self.triangles.pairs), bool)
            codes = codes_of(values, self._bases)
            if self._is_model(codes, numbers):
                return None
            self._rows.write_broken(codes)
        # The solver does not blame what is on for good.
        blamed = self._kept.union(literal - first for literal in self._solver.core())
        return [number for number in numbers if number in blamed]

    def clause_links(self) -> Iterator[int]:
        """Yield the number of the link of each clause of a link, in the order in which the solver got them."""
        for number, (pair, stated) in enumerate(zip(self._pair_of_link, self._oriented, strict=True)):
            if pair >= 0:
                yield from repeat(number, len(own_implicates(stated)))

    def selector(self, number: int) -> int:
        """Return the variable that switches a link on."""
        return self._first_selector + number

    def new_variable(self) -> int:
        """Return a variable that no clause has."""
        self._last_variable = max(self._last_variable, self._first_selector + len(self._pair_of_link) - 1) + 1
        return self._last_variable

    def add_clauses(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses about selectors and new variables."""
        self._solver.add(clauses)

    def solve(self, assumptions: Sequence[int]) -> bool:
        """Return whether assumed literals can be true, with the links consistent that are on then."""
        links, variables = len(self._pair_of_link), LOCAL * self.triangles.pairs
        while self._solver.solve(assumptions):
            values = self._solver.values(variables + links)
            self._on = values[variables:]
            codes = codes_of(np.array(values[:variables], bool), self._bases)
            if self._is_model(codes, [number for number in range(links) if self._on[number]]):
                return True
            self._rows.write_broken(codes)
        return False

    def is_easily_refused(self, assumptions: Sequence[int]) -> bool:
        """Return whether a short search shows that assumed literals cannot be true. Rows that are missing stay so."""
        return self._solver.solve_at_once(assumptions, conflicts=_EASY) is False

    def blamed(self) -> list[int]:
        """Return assumptions that cannot all be true, after a refusal."""
        return self._solver.core()

    def refused(self) -> list[int]:
        """Return the selectors of the links that do not hold at the times of the last model, on or off."""
        return [
            self._first_selector + number
            for number, (source, mask, target) in enumerate(self._constraints)
            if not mask & atom_at(self.times, source, target)
        ]

    def is_on(self, number: int) -> bool:
        """Return whether a link is on in the last model."""
        return self._on[number]

    def keep(self, number: int) -> None:
        """Switch a link on for good."""
        self._kept.add(number)
        self._solver.add([[self._first_selector + number]])

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.close()

    def _is_model(self, codes: NDArray[np.uint8], numbers: Sequence[int]) -> bool:
        """Return whether the values of the selected links' pairs are atoms of the links that fit together."""
        pairs = np.array([self._pair_of_link[number] for number in numbers], np.intp)
        oriented = np.array([self._oriented[number] for number in numbers], np.int64)
        between = pairs >= 0
        pairs, oriented = pairs[between], oriented[between]
        taken = np.left_shift(1, atoms_of(codes)[pairs], dtype=np.int64)  # 0 where the code stands for no atom
        if not (taken & oriented).all():
            raise InternalError("the solver returned values that break a link")
        order, triangles = np.array(self.order), self.triangles
        ends = order[triangles.first[pairs]].tolist(), order[triangles.second[pairs]].tolist()
        graph = PointGraph(len(order))
        graph.add_all(zip(ends[0], taken.tolist(), ends[1], strict=True))
        try:
            self.times = model_of(graph.condense())
        except Contradiction:
            return False
        return True


def first_core(network: Network, budget: Budget) -> list[int] | None:
    """Return numbers of links that the solver blames; None if all are consistent. Callers verify and shrink it."""
    links = SelectedLinks(len(network.entities), network.constraints, budget)
    try:
        return links.core(range(len(network.links)))
    finally:
        links.close()


def minimal_core(network: Network, budget: Budget) -> list[int] | None:
    """Return numbers of links that contradict each other, each of them needed; None if all links are consistent.

    Raises NotMinimal, which carries the links found so far, when the time is over after the first core.
    """
    links = SelectedLinks(len(network.entities), network.constraints, budget)
    try:
        core = links.core(range(len(network.links)))
        return None if core is None else shrink_core(links, network, core, links.keep)
    finally:
        links.close()


def shrink_core(
    links: SelectedLinks, network: Network, core: list[int], needed: Callable[[int], None] = lambda _number: None
) -> list[int]:
    """Return a minimal part of a core, by deletion. ``needed`` is called with each link that must stay."""
    try:
        smaller = links.core(core)
        while smaller and len(smaller) < _SHORTER * len(core):
            core, smaller = smaller, links.core(smaller)
        for number in reversed(core):
            if number in core:
                fewer = links.core([other for other in core if other != number])
                if fewer is None:
                    needed(number)
                else:
                    core = fewer
    except BudgetExceeded as limit:
        raise NotMinimal(str(limit), network.links, core) from None
    return core


# ----------------------------------------------------------------------------------------------------
# The lightest links to drop from a network of disjunctions: core-guided search on a selector for each link.
#
# To keep a link is a wish that costs the link's weight (``core_guided``). Weights are scaled so that among repairs of
# equal weight one with fewer links costs less. The solver then knows which wishes are true in the optimal repairs and
# in no others, and the first of these repairs is found with a few more questions:
#
#     d = the next dropped link of the last model
#     is there an optimal repair that drops an earlier one as well, the links before being settled?
#     yes: take that model;  no: d is dropped, what stands before it is kept; go on behind it


def lightest_to_drop(
    entities: int,
    constraints: Sequence[tuple[int, int, int]],
    weights: Mapping[int, int],
    protected: Collection[int],
    budget: Budget,
) -> list[int] | None:
    """Return the numbers of the links to drop, the first of the optimal choices; None if the protected links contradict
    each other.

    No link may be a contradiction by itself. Raises TooLarge where there would be too many clauses.
    """
    links = SelectedLinks(entities, constraints, budget)
    try:
        for number in protected:
            links.keep(number)
        free = [
            number
            for number, (source, _, target) in enumerate(constraints)
            if source != target and number not in protected
        ]
        costs = {number: weights[number] * (len(free) + 1) + 1 for number in free}
        unit = gcd(*costs.values()) or 1
        found = least_cost(links, {links.selector(number): cost // unit for number, cost in costs.items()})
        if found is None:
            return None
        dropped = _first(links, free, found.wishes)
        if sum(costs[number] for number in dropped) != found.cost * unit:
            raise InternalError("the links that the search drops do not weigh what it says")
        return dropped
    finally:
        links.close()


def _first(links: SelectedLinks, free: Sequence[int], wishes: Sequence[int]) -> list[int]:
    """Return the first optimal choice, in which all these wishes are true. The last model is one of them."""
    settled: list[int] = list(wishes)
    if not links.solve(settled):
        raise InternalError("what the search calls optimal is impossible")
    dropped: list[int] = []
    start = 0
    while True:
        place = next((place for place in range(start, len(free)) if not links.is_on(free[place])), None)
        if place is None:
            return dropped
        before = [links.selector(number) for number in free[start:place]]
        if before:
            switch = links.new_variable()
            links.add_clauses([[-switch, *(-selector for selector in before)]])
            if links.solve([*settled, switch]):
                continue
        settled += [*before, -links.selector(free[place])]
        if not links.solve(settled):
            raise InternalError("a repair that was found is impossible")
        dropped.append(free[place])
        start = place + 1
