"""Everything a report shows about one document, found by asking the oracle."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.model import Action, Link, Remark, Unreadable
from temporacle.reasoner.cycles import shortest_strict_cycle
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reduction import reduction_of
from temporacle.reasoner.repair import repair as repair_of
from temporacle.report.gathering.entities import entity_rows, link_row, link_rows, pieces_of
from temporacle.report.values import limits
from temporacle.report.values.document import (
    Arrow,
    Conflict,
    DocumentPage,
    GraphEdge,
    GraphNode,
    MinimalGraph,
    RemarkRow,
    TimelineBar,
    TimelineBars,
)
from temporacle.results import Consistent, DocumentVerdict, Inconsistent, Repair
from temporacle.trouble import UNDECIDED, Trouble, trouble_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.model import Document
    from temporacle.reasoner.reduction import Reduction
    from temporacle.report.values.document import EntityRow
    from temporacle.results import Fact, Witness

_NO_ROWS: Mapping[str, EntityRow] = MappingProxyType({})


def page_of(found: Document | Unreadable, budget: float | None = None) -> DocumentPage:
    """The page of a document, or of a file that could not be read. ``budget``: seconds for all questions together."""
    if isinstance(found, Unreadable):
        return DocumentPage(
            id=found.id,
            verdict=DocumentVerdict.UNREADABLE,
            path=found.path,
            reason=str(found.error),
            trouble=trouble_with(found),
        )
    try:
        return _Gatherer(found, Budget(budget)).page()
    except InternalError as error:
        reason = f"internal error: {error}"
        return DocumentPage(
            id=found.id,
            verdict=DocumentVerdict.UNDECIDED,
            path=found.path or "",
            reason=reason,
            trouble=(_undecided(found, reason),),
        )


def _undecided(document: Document, reason: str) -> Trouble:
    return Trouble(document.path, Remark(UNDECIDED, reason, element=document.id))


class _Gatherer:
    """Asks the questions in turn. Where the time runs out, a note stands in place of the answer."""

    def __init__(self, document: Document, budget: Budget) -> None:
        self.document = document
        self.budget = budget
        self.oracle = Oracle(document, budget=budget)
        self.rows = entity_rows(document)

    def page(self) -> DocumentPage:
        answer = self.oracle.consistency()
        if isinstance(answer, Consistent):
            return self._page(DocumentVerdict.CONSISTENT, self.oracle, decided_by=answer.decided_by)
        if isinstance(answer, Inconsistent):
            return self._inconsistent(answer)
        return self._page(DocumentVerdict.UNDECIDED, None, reason=answer.reason)

    def _inconsistent(self, answer: Inconsistent) -> DocumentPage:
        conflict = (
            conflict_of(_links(answer.conflict), self.rows) if answer.conflict else None
        )  # None: the time ran out before
        try:
            found = repair_of(self.oracle.network, self.budget)
        except (BudgetExceeded, UsageError) as limit:
            note = f"No repair is proposed: {limit}."
            return self._page(
                DocumentVerdict.INCONSISTENT, None, decided_by=answer.decided_by, conflict=conflict, note=note
            )
        repair = (
            _links(found.dropped) if isinstance(found, Repair) else ()
        )  # without protected links there is always one
        dropped = {id(link) for link in repair}
        kept = [link for link in self.oracle.network.links if id(link) not in dropped]
        rest = Oracle(Network(kept, self.oracle.network.entities), budget=self.budget)
        return self._page(
            DocumentVerdict.INCONSISTENT, rest, decided_by=answer.decided_by, conflict=conflict, repair=repair
        )

    def _page(
        self,
        verdict: DocumentVerdict,
        consistent: Oracle | None,
        *,
        decided_by: str = "",
        reason: str = "",
        conflict: Conflict | None = None,
        repair: tuple[Link, ...] = (),
        note: str = "",
    ) -> DocumentPage:
        document = self.document
        timeline, timeline_note = self._timeline(consistent)
        graph, graph_note = self._graph(consistent)
        return DocumentPage(
            id=document.id,
            verdict=verdict,
            path=document.path or "",
            format=document.format or "",
            reading=document.reading.name,
            decided_by=decided_by,
            reason=reason,
            entities=tuple(self.rows.values()),
            links=link_rows(document.links),
            pieces=pieces_of(document, self.rows),
            timeline=timeline,
            timeline_note=timeline_note,
            graph=graph,
            graph_note=graph_note,
            conflict=conflict,
            repair=link_rows(repair),
            repair_note=note,
            remarks=tuple(map(remark_row, document.remarks)),
            trouble=(*((_undecided(document, reason),) if reason else ()), *trouble_with(document)),
        )

    def _timeline(self, oracle: Oracle | None) -> tuple[TimelineBars | None, str]:
        if oracle is None:
            return None, ""
        linked = linked_entities(oracle.network.links)
        if len(linked) > limits.BARS:
            return (
                None,
                f"No timeline: {len(linked)} linked entities are more than the {limits.BARS} that can be drawn.",
            )
        if not linked:
            return None, "No timeline: no links."
        try:
            timeline = timeline_of(oracle.witness(), self.rows, linked)
        except BudgetExceeded as limit:
            return None, f"No timeline: {limit}."
        alone = len(self.rows) - len(linked)
        return timeline, f"Not drawn: {alone} without links, which may lie anywhere." if alone else ""

    def _graph(self, oracle: Oracle | None) -> tuple[MinimalGraph | None, str]:
        if oracle is None or not oracle.network.links:
            return None, ""
        linked = linked_entities(oracle.network.links)
        if len(linked) > limits.NODES:
            return None, f"No minimal graph: {len(linked)} linked entities are too many to draw."
        try:
            table = Oracle(Network(oracle.network.links), budget=self.budget).minimal_network()
        except BudgetExceeded as limit:
            return None, f"No minimal graph: {limit}."
        if table is None:
            return None, ""
        reduced = reduction_of(table)
        if len(reduced.nodes) > limits.NODES or len(reduced.major) > limits.EDGES:
            size = f"{len(reduced.nodes)} nodes and {len(reduced.major)} edges"
            return None, f"The minimal graph is too large to draw: {size}."
        note = f"{reduced.different} pairs of endpoints are known to differ, which no edge can say."
        return graph_of(reduced), note if reduced.different else ""


def linked_entities(links: Iterable[Link]) -> dict[str, None]:
    """Those that some link mentions, in order of mention."""
    return dict.fromkeys(end for link in links for end in (link.source, link.target))


def timeline_of(witness: Witness, rows: Mapping[str, EntityRow], shown: Iterable[str]) -> TimelineBars:
    """The witness as bars."""
    return TimelineBars(tuple(TimelineBar(rows[name], *witness[name]) for name in shown))


def graph_of(reduced: Reduction) -> MinimalGraph:
    """The minimal graph with ranks: the most steps on a way from any first node. Edges lead to higher numbers."""
    edges = sorted((*reduced.major, *reduced.trivial))
    ranks = [0] * len(reduced.nodes)
    for source, _, target in edges:
        ranks[target] = max(ranks[target], ranks[source] + 1)
    major = set(reduced.major)
    return MinimalGraph(
        tuple(GraphNode(rank, points) for rank, points in zip(ranks, reduced.nodes, strict=True)),
        tuple(GraphEdge(*edge, trivial=edge not in major) for edge in edges),
    )


def _links(facts: Sequence[Fact]) -> tuple[Link, ...]:
    return tuple(fact for fact in facts if isinstance(fact, Link))


def conflict_of(links: tuple[Link, ...], rows: Mapping[str, EntityRow] = _NO_ROWS) -> Conflict:
    """A minimal conflict as arrows: its strict cycle over endpoints, or one arrow a link where it has none.

    ``rows`` are the entities of the document, for their words. The hulls of a minimal conflict have a strict cycle or
    none; if they have one, it needs all of its links.
    """
    network = Network(links)
    texts = tuple((name, rows[name].text) for name in network.entities if name in rows and rows[name].text)
    possible = all(mask for _, mask, _ in network.constraints)  # an empty relation has no endpoints to draw
    cycle = shortest_strict_cycle(len(network.entities), network.constraints) if possible else None
    if cycle is None:
        arrows = [Arrow(link.source, link.label or str(link.relation), link.target, link_row(link)) for link in links]
        return Conflict(link_rows(links), tuple(arrows), is_cycle=False, texts=texts)

    def point(number: int) -> str:
        return f"{network.entities[number >> 1]}.{'end' if number & 1 else 'start'}"

    return Conflict(
        link_rows(links),
        tuple(
            Arrow(
                point(edge.from_point),
                "<" if edge.strict else "<=",
                point(edge.to_point),
                None if edge.link is None else link_row(links[edge.link]),
            )
            for edge in cycle
        ),
        is_cycle=True,
        texts=texts,
    )


def remark_row(remark: Remark) -> RemarkRow:
    return RemarkRow(remark.code, remark.message, remark.line, remark.element, remark.action is Action.DROPPED)
