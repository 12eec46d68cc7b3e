"""Links that follow from all the other links, found again and again while links are edited.

Convex links: those without a needed edge (``needed``), at the cost of one closure.
Other links, between two bounds:

    follows        no edge of the links' hulls is needed, and what the hulls say about the pair is inside the link
    does not       in a *case* around a model (each disjunction narrowed to a convex relation), a convex link has a
                   needed edge: then some model of all the other links breaks it
    between        a model that breaks the link alone is looked for near known ones (``nearby``). If none is found, one
                   solver for all subsets of the links decides (``cores``); without it, an oracle for each

What is found is kept for the next question as a certificate: a model of the other links that breaks the link,
or a few links from which it follows. A certificate is compared with the links that stand at the time, so it may come
from any earlier or later state of the document. Nothing has to be known about the edits between two questions.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import ALL, RelationClass, classify
from temporacle.reasoner.cdcl import is_available
from temporacle.reasoner.holding import LinkArrays, with_times_for
from temporacle.reasoner.nearby import narrowed, nearby_model
from temporacle.reasoner.needed import find_needed
from temporacle.reasoner.network import Network, TooLarge
from temporacle.reasoner.reasons import follows_from
from temporacle.reasoner.tighten import is_convex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.cores import SelectedLinks
    from temporacle.reasoner.holding import Times
    from temporacle.reasoner.network import Budget

    Constraint = tuple[int, int, int]  # source, mask, target

T = TypeVar("T")
_MOST_KEPT = 5_000  # links with certificates of each kind; a forgotten one costs time only
_COUNTERMODELS = 4  # of each link
_FEW = 3  # links that are decided one by one rather than by another case


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
        arrays = LinkArrays(constraints)
        undecided = [number for number, known in enumerate(follows) if not known]
        disjunctive = [classify(mask) is not RelationClass.CONVEX for _, mask, _ in constraints]
        for model in models:
            around = arrays.atoms(model).tolist()
            needed = find_needed(size, narrowed(constraints, around), budget).links
            undecided = [number for number in undecided if disjunctive[number] or not needed[number]]
            if len(undecided) <= _FEW:
                break
        counts = Counter(constraints)
        for number in undecided:
            budget.check()
            kept = [with_times_for(size, times) for times in self._countermodels.get(constraints[number], ())]
            if any(arrays.broken(times).tolist() == [number] for times in kept):
                continue
            starts = [arrays.atoms(times).tolist() for times in kept[:1]]
            if needed[number]:
                starts.append(around)
            follows[number] = self._has_reason(constraints[number], counts) or not (
                self._is_broken_nearby(network, number, starts) or self._is_broken(network, number, budget)
            )
        return follows

    def _has_reason(self, constraint: Constraint, counts: Counter[Constraint]) -> bool:
        """Return whether the links are there, beside this one, from which it is known to follow."""
        reason = self._reasons.get(constraint)
        return reason is not None and reason + Counter([constraint]) <= counts

    def _is_broken_nearby(self, network: Network, number: int, starts: Sequence[Sequence[int]]) -> bool:
        """Return whether a model of all other links that breaks this one is found near known atoms of all links."""
        asked = _with_opposite(network, number)
        for atoms in starts:
            found = nearby_model(len(network.entities), asked, atoms)
            if found is not None:
                self._keep_countermodel(network, number, np.array(found))
                return True
        return False

    def _is_broken(self, network: Network, number: int, budget: Budget) -> bool:
        """Return whether some model of all other links breaks this one, and keep the certificate."""
        link, others = network.links[number], network.links[:number] + network.links[number + 1 :]
        if not is_available():
            return not follows_from(others, link.source, link.relation, link.target, budget)
        try:
            core = self._solver.core(len(network.entities), _with_opposite(network, number), budget)
        except TooLarge:
            return not follows_from(others, link.source, link.relation, link.target, budget)
        if core is None:
            self._keep_countermodel(network, number, with_times_for(len(network.entities), self._solver.times))
            return True
        reason = Network([network.links[place] for place in core if place != number], network.entities)
        if not follows_from(reason.links, link.source, link.relation, link.target, budget):
            raise InternalError("a link does not follow from the links that the search found for it")
        _keep(self._reasons, network.constraints[number], Counter(reason.constraints))
        return False

    def _keep_countermodel(self, network: Network, number: int, times: Times) -> None:
        if LinkArrays(network.constraints).broken(times).tolist() != [number]:
            raise InternalError(f"a model that should break link {network.links[number].id} alone does not")
        constraint = network.constraints[number]
        models = self._countermodels.get(constraint) or deque(maxlen=_COUNTERMODELS)
        models.appendleft(times)
        _keep(self._countermodels, constraint, models)


def _with_opposite(network: Network, number: int) -> list[Constraint]:
    """Return the links with one of them turned into its opposite."""
    source, mask, target = network.constraints[number]
    return [*network.constraints[:number], (source, ALL & ~mask, target), *network.constraints[number + 1 :]]


class _ConstraintSolver:
    """One solver for any links between pairs of entities that it has met; made anew when another pair comes."""

    def __init__(self) -> None:
        self._links: SelectedLinks | None = None
        self._numbers: dict[Constraint, int] = {}
        self.times: Times  # of the last model

    def core(self, entities: int, constraints: Sequence[Constraint], budget: Budget) -> list[int] | None:
        """Return places of links that contradict each other; None if all can be true."""
        try:
            links = self._with_all(entities, constraints, budget)
            numbers = [self._numbers[each] for each in constraints]
            core = links.core(numbers)
        except BudgetExceeded:
            self._links = None  # it may have stopped halfway
            raise
        if core is None:
            self.times = np.array(links.times)
            return None
        blamed = set(core)
        return [place for place, number in enumerate(numbers) if number in blamed]

    def _with_all(self, entities: int, constraints: Sequence[Constraint], budget: Budget) -> SelectedLinks:
        """Return a solver that knows all these links."""
        from temporacle.reasoner.cores import SelectedLinks

        new = [each for each in dict.fromkeys(constraints) if each not in self._numbers]
        links = self._links
        if links is None or not all(links.has_pair(source, target) for source, _, target in new):
            every = list(dict.fromkeys(constraints))
            self._links = links = SelectedLinks(entities, every, budget)
            self._numbers = {each: number for number, each in enumerate(every)}
        else:
            for constraint in new:
                self._numbers[constraint] = links.add(constraint)
        return links


def _keep(kept: dict[Constraint, T], constraint: Constraint, certificate: T) -> None:
    kept.pop(constraint, None)
    kept[constraint] = certificate
    if len(kept) > _MOST_KEPT:
        del kept[next(iter(kept))]
