"""The links and values of a document as facts with edges.

Facts are numbered: the links in their order, then the values, then *assumptions*, which are always true: a date that a
question names, or a relation that a question supposes. Point 2i is the start of entity i and 2i + 1 its end; the last
two points are the origins ``@`` and ``@Z``.

A convex link is a conjunction of ``<=`` and ``<`` between endpoints: edges of 0 seconds. A pointisable one may add
``!=`` (``differences``). Any other link gives the edges of its hull, and is a *choice* between its convex pieces.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from temporacle.calendar.facts import EARLIEST_ZONE, LATEST_ZONE
from temporacle.calendar.said import LOCAL, UTC
from temporacle.model import Link
from temporacle.reasoner.algebra import RelationClass, classify, convex_pieces
from temporacle.reasoner.clock.weights import WeightedEdge, outgoing
from temporacle.reasoner.network import Network
from temporacle.reasoner.points.graph import edges_between, hull_differences, strong_components
from temporacle.reasoner.points.hulls import is_convex
from temporacle.relation import EQUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from temporacle.calendar.facts import CalendarFact

    Fact = Link | CalendarFact


class Assumptions(NamedTuple):
    """What a question adds to a document."""

    links: tuple[Link, ...] = ()
    values: tuple[CalendarFact, ...] = ()


class CalendarProblem:
    """Facts, and the graph of any of them."""

    def __init__(
        self,
        network: Network,
        values: Sequence[CalendarFact],
        zone: int | None = None,
        assumed: Assumptions = Assumptions(),  # noqa: B008 - an immutable value
    ) -> None:
        entities = dict.fromkeys(network.entities)
        entities.update(dict.fromkeys(fact.entity for fact in (*values, *assumed.values)))
        self.document_links = network.links
        changed = assumed.links or len(entities) > len(network.entities)
        self.network = Network((*network.links, *assumed.links), entities) if changed else network
        self.values = (*values, *assumed.values)
        self.zone = zone
        self.facts: tuple[Fact, ...] = (*network.links, *values, *assumed.links, *assumed.values)
        self.droppable = len(network.links) + len(values)
        self.points = 2 * len(self.network.entities) + 2
        # Larger than the number of points, also with the two dates that a question may name: its times stay comparable.
        self.unit = self.points + 1 + 2 * (2 - min(2, len(assumed.values)))
        self.local, self.utc = self.points - 2, self.points - 1
        self.known_conflicts: dict[frozenset[int], list[int] | None] = {}  # by the facts left out (``conflicts``)

    def with_assumptions(self, assumed: Assumptions) -> CalendarProblem:
        """The facts of the document, and what a question adds. Numbers stay; the document has no assumptions yet."""
        own = self.values[: self.droppable - len(self.document_links)]
        return CalendarProblem(Network(self.document_links, self.network.entities), own, self.zone, assumed)

    def part(self, facts: Sequence[int]) -> CalendarProblem:
        """Some facts, numbered anew in their order, and all assumptions; only the entities that they mention."""
        links = len(self.document_links)
        own = self.droppable - links
        assumed = Assumptions(self.network.links[links:], self.values[own:])
        kept = Network(self.document_links[number] for number in facts if number < links)
        return CalendarProblem(
            kept, [self.values[number - links] for number in facts if number >= links], self.zone, assumed
        )

    # --- facts ------------------------------------------------------------------------------------------------------

    @property
    def every(self) -> range:
        """The numbers of the facts of the document."""
        return range(self.droppable)

    @cached_property
    def origins(self) -> frozenset[str]:
        """The origins that values refer to."""
        ends = {end for fact in self.values for constraint in fact.constraints for end in constraint[:2]}
        return frozenset(ends & {LOCAL, UTC})

    @property
    def clock(self) -> int:
        """The origin that bounds are counted from: UTC's where every dated value has a zone."""
        return self.utc if self.origins == {UTC} else self.local

    @cached_property
    def _constraints(self) -> list[tuple[int, int, int] | None]:
        """Source, mask, target of each link, by the number of its fact."""
        links = iter(self.network.constraints)
        return [next(links) if isinstance(fact, Link) else None for fact in self.facts]

    def relation(self, fact: int) -> tuple[int, int, int] | None:
        """Source, mask and target of a link; None for a value."""
        return self._constraints[fact]

    def point(self, name: str) -> int:
        """The number of a point: ``@``, ``@Z`` or an endpoint such as ``t3.start``."""
        if name == LOCAL:
            return self.local
        if name == UTC:
            return self.utc
        entity, _, end = name.rpartition(".")
        return 2 * self.network.index[entity] + (end == "end")

    def name(self, point: int) -> str:
        """The name of a point."""
        if point >= self.local:
            return LOCAL if point == self.local else UTC
        return f"{self.network.entities[point >> 1]}.{'end' if point & 1 else 'start'}"

    @cached_property
    def is_convex(self) -> bool:
        """Whether edges are all that the links say."""
        return is_convex(self.network.constraints)

    @cached_property
    def all_suspects(self) -> frozenset[int]:
        """The suspects among all facts: those among fewer are some of them."""
        return frozenset(self.suspects(self.every))

    def suspects(self, facts: Sequence[int], extra: Sequence[WeightedEdge] = ()) -> list[int]:
        """The facts with an edge on some cycle, whatever is picked for the disjunctions, and those that say ``!=``.

        No other is in a conflict: what makes two points equal is a cycle, too.
        """
        edges = self.graph(facts, extra)
        successors = [[2 * edge.right for edge in each] for each in edges]
        pieces = {
            number: [
                edge
                for piece in convex_pieces((self.relation(number) or (0, 0, 0))[1])
                for edge in self.link_edges(number, piece)
            ]
            for number in self.choices(facts)
        }
        for each in pieces.values():
            for edge in each:
                successors[edge.left].append(2 * edge.right)
        components = strong_components(successors)
        different = {number for _, _, number in self.differences(facts)}
        return [
            number
            for number in facts
            if number in different
            or any(
                components[edge.left] == components[edge.right]
                for edge in (*self.edges_of[number], *pieces.get(number, ()))
            )
        ]

    # --- edges ------------------------------------------------------------------------------------------------------

    @cached_property
    def background(self) -> list[WeightedEdge]:
        """What always holds: start < end, and how far clocks can be apart."""
        edges = [WeightedEdge(start + 1, start, -1, None) for start in range(0, self.local, 2)]
        if len(self.origins) == 2:
            least, most = (EARLIEST_ZONE, LATEST_ZONE) if self.zone is None else (self.zone, self.zone)
            edges.append(WeightedEdge(self.local, self.utc, most * self.unit, None))
            edges.append(WeightedEdge(self.utc, self.local, -least * self.unit, None))
        return edges

    @cached_property
    def edges_of(self) -> list[tuple[WeightedEdge, ...]]:
        """The edges of each fact; of a disjunction those of its hull."""
        return [self._edges(number) for number in range(len(self.facts))]

    def _edges(self, number: int) -> tuple[WeightedEdge, ...]:
        link = self.relation(number)
        if link is not None:
            return self.link_edges(number, link[1])
        fact = self.facts[number]
        return tuple(
            WeightedEdge(self.point(left), self.point(right), seconds * self.unit - strict, number)
            for left, right, seconds, strict in fact.constraints  # type: ignore[union-attr]
        )

    def link_edges(self, number: int, mask: int) -> tuple[WeightedEdge, ...]:
        """The edges of a link if only some atoms were allowed. An impossible link is a cycle by itself."""
        source, stated, target = self._constraints[number] or (0, 0, 0)
        mask &= stated
        if not mask or (source == target and not mask & EQUAL):
            return (WeightedEdge(2 * source, 2 * source, -1, number),)
        if source == target:
            return ()
        return tuple(WeightedEdge(y, x, -strict, number) for x, y, strict in edges_between(source, mask, target))

    def graph(self, facts: Iterable[int], extra: Iterable[WeightedEdge] = ()) -> list[list[WeightedEdge]]:
        """The edges of some facts, all assumptions and the background, by the point where they begin."""
        return outgoing(self.points, self._all_edges(facts, extra))

    def _all_edges(self, facts: Iterable[int], extra: Iterable[WeightedEdge]) -> Iterator[WeightedEdge]:
        yield from self.background
        edges_of = self.edges_of
        for number in facts:
            yield from edges_of[number]
        for number in range(self.droppable, len(self.facts)):
            yield from edges_of[number]
        yield from extra

    def differences(self, facts: Iterable[int]) -> list[tuple[int, int, int]]:
        """Pairs of points that links call different, with the number of the link."""
        found = []
        for number in self.with_assumed(facts):
            link = self.relation(number)
            if link is None or link[0] == link[2] or classify(link[1]) is not RelationClass.POINTISABLE:
                continue
            source, mask, target = link
            points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
            found += [(points[x], points[y], number) for x, y in hull_differences(mask)]
        return found

    def choices(self, facts: Iterable[int]) -> list[int]:
        """The links that are more than their hull and their differences."""
        return [
            number
            for number in self.with_assumed(facts)
            if (link := self.relation(number)) is not None
            and link[0] != link[2]
            and classify(link[1]) not in (RelationClass.CONVEX, RelationClass.POINTISABLE)
        ]

    def with_assumed(self, facts: Iterable[int]) -> list[int]:
        """Some facts, and all assumptions."""
        return [*facts, *range(self.droppable, len(self.facts))]

    def without_assumed(self, facts: Collection[int]) -> list[int]:
        """Only those that belong to the document, in its order."""
        return sorted(number for number in set(facts) if number < self.droppable)
