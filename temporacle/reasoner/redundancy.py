"""Links that follow from all the other links, found again and again while links are edited.

Convex links: those without a needed edge (``needed``), at the cost of one closure.
Other links, between two bounds:

    follows        no edge of the links' hulls is needed, and what the hulls say about the pair is inside the link
    does not       in a *case* around a model (each disjunction narrowed to a convex relation), the other links allow
                   an atom that is not in the link (``without``): one closure for all links
    between        a model that breaks the link alone is looked for near one that once did (``nearby``). If none is
                   found, one solver for all subsets of the links decides (``cores``); without it, an oracle for each

What is found is kept for the next question as a certificate: a model of the other links that breaks the link,
or a few links from which it follows. A certificate is compared with the links that stand at the time, so it may come
from any earlier or later state of the document. Nothing has to be known about the edits between two questions.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.cdcl import is_available
from temporacle.reasoner.holding import LinkArrays, with_times_for
from temporacle.reasoner.nearby import narrowed, nearby_model
from temporacle.reasoner.needed import find_needed
from temporacle.reasoner.network import Network, TooLarge
from temporacle.reasoner.reasons import follows_from
from temporacle.reasoner.tighten import is_convex
from temporacle.reasoner.without import ConvexLinks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.cores import SelectedLinks
    from temporacle.reasoner.holding import Times
    from temporacle.reasoner.network import Budget

    Constraint = tuple[int, int, int]  # source, mask, target

T = TypeVar("T")
_MOST_KEPT = 5_000  # links with certificates of each kind; a forgotten one costs time only
_COUNTERMODELS = 4  # of each link
_MISSES = 4  # more than hits: what is looked for near kept models is hardly ever there
_FEW = 3  # links that are decided one by one rather than by a case


class RedundancyFinder:
    """Finds the links that follow from all others, again and again for networks that have much in common.

    >>> from temporacle.reasoner.network import Budget
    >>> network = Network.of([("a", "b", "b"), ("b", "b|m", "c"), ("a", "b|bi", "c")])
    >>> RedundancyFinder().find(network, [np.arange(6)], Budget())
    [False, False, True]
    """

    def __init__(self) -> None:
        self._countermodels: dict[Constraint, deque[Times]] = {}
        self._reasons: dict[Constraint, Counter[Constraint]] = {}
        self._solver = _ConstraintSolver()

    def find(self, network: Network, models: Sequence[Times], budget: Budget) -> list[bool]:
        """Return which links follow from all others.

        ``models``: one or more times of all points with which all links are true.
        """
        size, constraints = len(network.entities), network.constraints
        hulls = find_needed(size, constraints, budget)
        follows = [
            not needed and not hulls.closure.relation(source, target) & ~mask
            for needed, (source, mask, target) in zip(hulls.links, constraints, strict=True)
        ]
        if is_convex(constraints):
            return follows
        asked = _Asked(network, budget)
        undecided = [number for number, known in enumerate(follows) if not known]
        undecided = self._not_known_to_be_broken(asked, undecided)
        for number in undecided:
            follows[number] = self._has_reason(constraints[number], asked.counts)
        undecided = [number for number in undecided if not follows[number]]
        for model in models:
            if len(undecided) > _FEW:
                undecided = asked.not_broken_around(model, undecided)
        for number in undecided:
            budget.check()
            follows[number] = not (self._is_broken_nearby(asked, number) or self._is_broken(asked, number))
        return follows

    def _not_known_to_be_broken(self, asked: _Asked, numbers: Sequence[int]) -> list[int]:
        """Return those links that no kept model breaks as the only one."""
        left = list(numbers)
        for place in range(_COUNTERMODELS):
            kept = [(number, self._countermodels.get(asked.constraints[number], ())) for number in left]
            rows = {number: asked.times_of(models[place]) for number, models in kept if len(models) > place}
            if not rows:
                break
            held = np.array(list(rows))
            broken = set(held[asked.arrays.broken_alone(np.array(list(rows.values())), held)].tolist())
            left = [number for number in left if number not in broken]
        return left

    def _has_reason(self, constraint: Constraint, counts: Counter[Constraint]) -> bool:
        """Return whether the links are there, beside this one, from which it is known to follow."""
        reason = self._reasons.get(constraint)
        return reason is not None and reason + Counter([constraint]) <= counts

    def _is_broken_nearby(self, asked: _Asked, number: int) -> bool:
        """Return whether a model of all other links that breaks this one is found near one that once did.

        If an edit changes much, this decides few links; then the search stops.
        """
        kept = self._countermodels.get(asked.constraints[number])
        if not kept or asked.misses > asked.hits + _MISSES:
            return False
        atoms = asked.arrays.atoms(asked.times_of(kept[0])).tolist()
        found = nearby_model(asked.entities, asked.with_opposite(number), atoms)
        if found is None:
            asked.misses += 1
            return False
        asked.hits += 1
        self._keep_countermodel(asked, number, np.array(found))
        return True

    def _is_broken(self, asked: _Asked, number: int) -> bool:
        """Return whether some model of all other links breaks this one, and keep the certificate."""
        network, budget = asked.network, asked.budget
        link, others = network.links[number], network.links[:number] + network.links[number + 1 :]
        if not is_available():
            return not follows_from(others, link.source, link.relation, link.target, budget)
        try:
            core = self._solver.core(asked, number)
        except TooLarge:
            return not follows_from(others, link.source, link.relation, link.target, budget)
        if core is None:
            self._keep_countermodel(asked, number, asked.times_of(self._solver.times))
            return True
        reason = Network([network.links[place] for place in core if place != number], network.entities)
        if not follows_from(reason.links, link.source, link.relation, link.target, budget):
            raise InternalError("a link does not follow from the links that the search found for it")
        _keep(self._reasons, asked.constraints[number], Counter(reason.constraints))
        return False

    def _keep_countermodel(self, asked: _Asked, number: int, times: Times) -> None:
        if not asked.arrays.broken_alone(times[None], np.array([number])).all():
            raise InternalError(f"a model that should break link {asked.network.links[number].id} alone does not")
        constraint = asked.constraints[number]
        models = self._countermodels.get(constraint) or deque(maxlen=_COUNTERMODELS)
        models.appendleft(times)
        _keep(self._countermodels, constraint, models)


class _Asked:
    """The links of one question in the forms that its parts need."""

    def __init__(self, network: Network, budget: Budget) -> None:
        self.network = network
        self.budget = budget
        self.entities = len(network.entities)
        self.constraints = network.constraints
        self.arrays = LinkArrays(network.constraints)
        self.counts = Counter(network.constraints)
        self.hits = self.misses = 0  # of looking near kept models

    def times_of(self, kept: Times) -> Times:
        """Return kept times for the entities that there are now."""
        return with_times_for(self.entities, kept)[: 2 * self.entities]

    def with_opposite(self, number: int) -> list[Constraint]:
        """Return the links with one of them turned into its opposite."""
        constraints = list(self.constraints)
        constraints[number] = self.opposite(number)
        return constraints

    def opposite(self, number: int) -> Constraint:
        """Return the opposite of a link."""
        source, mask, target = self.constraints[number]
        return source, ALL & ~mask, target

    def not_broken_around(self, model: Times, numbers: Sequence[int]) -> list[int]:
        """Return those links that no model of all other links breaks in the case around a model."""
        case = narrowed(self.constraints, self.arrays.atoms(model).tolist())
        needs = find_needed(self.entities, case, self.budget)
        links = ConvexLinks(case, needs.closure)
        return [
            number
            for number in numbers
            if not needs.links[number] or not links.relation_without(number) & self.opposite(number)[1]
        ]


class _ConstraintSolver:
    """One solver for any links between pairs of entities that it has met; made anew when another pair comes."""

    def __init__(self) -> None:
        self._links: SelectedLinks | None = None
        self._numbers: dict[Constraint, int] = {}
        self._asked: _Asked | None = None  # last
        self._present: list[int] = []  # the numbers of its links
        self.times: Times  # of the last model

    def core(self, asked: _Asked, number: int) -> list[int] | None:
        """Return places of links that contradict each other, one of them turned into its opposite; None if all can be
        true.
        """
        try:
            links = self._with_all(asked, asked.opposite(number))
            numbers = self._present.copy()
            numbers[number] = self._numbers[asked.opposite(number)]
            core = links.core(numbers)
        except BudgetExceeded:
            self._links = None  # it may have stopped halfway
            raise
        if core is None:
            self.times = np.array(links.times)
            return None
        blamed = set(core)
        return [place for place, number in enumerate(numbers) if number in blamed]

    def _with_all(self, asked: _Asked, opposite: Constraint) -> SelectedLinks:
        """Return a solver that knows all links of a question, and one more."""
        from temporacle.reasoner.cores import SelectedLinks

        links = self._links
        wanted = (opposite,) if asked is self._asked else (*asked.counts, opposite)
        new = [each for each in wanted if each not in self._numbers]
        if links is None or not all(links.has_pair(source, target) for source, _, target in new):
            every = list(dict.fromkeys((*asked.counts, opposite)))
            self._links = links = SelectedLinks(asked.entities, every, asked.budget)
            self._numbers = {each: number for number, each in enumerate(every)}
            self._asked = None
        else:
            for constraint in new:
                self._numbers[constraint] = links.add(constraint)
        if asked is not self._asked:
            self._asked = asked
            self._present = [self._numbers[each] for each in asked.constraints]
        return links


def _keep(kept: dict[Constraint, T], constraint: Constraint, certificate: T) -> None:
    kept.pop(constraint, None)
    kept[constraint] = certificate
    if len(kept) > _MOST_KEPT:
        del kept[next(iter(kept))]
