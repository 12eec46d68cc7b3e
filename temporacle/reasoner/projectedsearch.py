"""The residual of a document as a network of entities for ``Search``.

Entities of the network are those of open pairs, and those that questions bring in. Its relations are the open
disjunctions and what the closure says between other entities of the network. Not all of that is needed: endpoints that
are equal are tied to one of them, and of the order among the others only what does not follow from the rest is stated.
So a model of the network agrees with the closure on all its endpoints, and extends to the document (``residual``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.pointproblem import Choice, atom_chosen
from temporacle.reasoner.residual import reduced_edges
from temporacle.reasoner.search import Search

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.tighten import Tightened

    Pair = tuple[int, int]


class ProjectedSearch:
    """A search on the open disjunctions of a document, with entities numbered as in the document."""

    def __init__(self, tightened: Tightened, budget: Budget) -> None:
        self._tightened = tightened
        self._budget = budget
        self._number: dict[int, int] = {}  # of an entity in the search
        self._known: set[Pair] = set()
        self._search: Search | None = None
        self._open = list(tightened.residual.items())

    @property
    def propagation_refutes(self) -> bool:
        """Return whether path consistency alone shows the document to be inconsistent."""
        return self._search is not None and self._search.propagation_refutes

    def atoms(self, query: tuple[int, int, int] | None = None) -> list[int] | None:
        """Return an atom for every open pair, so that the query holds; None if there is no model."""
        search = self.include(() if query is None else (query[0], query[2]))
        number = self._number
        times = search.find(None if query is None else (number[query[0]], query[1], number[query[2]]))
        if times is None:
            return None
        asked = [] if query is None else [((query[0], query[2]), query[1])]
        atoms = []
        for (source, target), mask in self._open + asked:
            atom = atom_chosen(_choice(number[source], number[target]), times)
            if not mask >> atom & 1:
                raise InternalError("the search returned a model that does not satisfy the links")
            atoms.append(atom)
        return atoms[: len(self._open)]

    def include(self, entities: Iterable[int], pairs: Iterable[Pair] = ()) -> Search:
        """Return the search after adding these entities and variables for these pairs."""
        missing = [entity for entity in dict.fromkeys(entities) if entity not in self._number]
        wanted: dict[Pair, int] = {}
        if self._search is None:
            wanted.update(self._open)
            missing = list(dict.fromkeys((*(entity for pair in wanted for entity in pair), *missing)))
        if missing:
            for entity in missing:
                self._number[entity] = len(self._number)
            for pair in self._stated():
                if pair not in self._known:
                    wanted.setdefault(pair, ALL)
        for source, target in pairs:
            pair = (min(source, target), max(source, target))
            if pair not in self._known:
                wanted.setdefault(pair, ALL)
        if wanted or self._search is None:
            closure = self._tightened.closure
            number = self._number
            relations = {
                (number[source], number[target]): mask & closure.relation(source, target)
                for (source, target), mask in wanted.items()
            }
            self._known.update(wanted)
            if self._search is None:
                self._search = Search(len(number), relations, self._budget)
            else:
                self._search.extend(len(number), relations)
        return self._search

    def bound(self, source: int, target: int) -> int:
        """Return the atoms that the search still allows for one of its pairs."""
        assert self._search is not None  # noqa: S101 - for the type checker
        return self._search.bound(self._number[source], self._number[target])

    def _stated(self) -> Iterable[Pair]:
        """Return pairs whose relations together say everything that the closure says about the endpoints of the
        network.
        """
        components = self._tightened.closure.components
        holder: dict[int, int] = {}  # one entity for each component
        pairs: dict[Pair, None] = {}
        for entity in self._number:
            for end in (0, 1):
                first = holder.setdefault(components[2 * entity + end], entity)
                if first != entity:
                    pairs[min(first, entity), max(first, entity)] = None
        for own, other, _ in reduced_edges(self._tightened.closure, sorted(holder)):
            source, target = holder[own], holder[other]
            if source != target:
                pairs[min(source, target), max(source, target)] = None
        return pairs


def _choice(source: int, target: int) -> Choice:
    return Choice(2 * source, 2 * source + 1, 2 * target, 2 * target + 1, ALL)
