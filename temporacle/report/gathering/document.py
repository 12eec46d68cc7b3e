"""Everything a report shows about one document, found by asking the oracle."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from temporacle.checks import INCOMPLETE, OUT_OF_TIME, REPAIR_MISSING
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Action, Document, PlainGraph, Remark, Unreadable
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reduction import reduction_of
from temporacle.report.gathering.conflicts import conflicts_of, fact_rows
from temporacle.report.gathering.entities import entity_rows, link_rows, pieces_of
from temporacle.report.values import limits
from temporacle.report.values.document import (
    DocumentPage,
    DocumentRow,
    GraphEdge,
    GraphNode,
    MinimalGraph,
    RemarkRow,
    TimelineBar,
    TimelineBars,
)
from temporacle.results import DocumentVerdict
from temporacle.trouble import UNDECIDED, Trouble, trouble_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.model import Link
    from temporacle.reasoner.reduction import Reduction
    from temporacle.report.values.document import EntityRow
    from temporacle.results import Witness

_NOT_DRAWN = "Consistent documents of a large corpus are not drawn. Use --all-details to get their drawings."


def page_of(
    found: Document | Unreadable,
    budget: float | None = None,
    check: Check | None = None,
    *,
    drawn: bool = True,
    calendar: Calendar | None = None,
) -> DocumentPage:
    """Return the page of a document, or of a file that could not be read.

    ``budget``: seconds for all questions together. ``check``: the result of ``checked``, if it is known already.
    ``drawn``: with the timeline and the minimal graph. ``calendar``: how values are read; None: they are not.
    """
    answer = checked(found, budget, calendar) if check is None else check
    if isinstance(found, Unreadable):
        return DocumentPage(
            id=found.id,
            verdict=DocumentVerdict.UNREADABLE,
            path=found.path,
            reason=str(found.error),
            trouble=trouble_with(found),
        )
    try:
        left = None if budget is None else max(0.0, budget - answer.seconds)
        return _Gatherer(found, answer, Budget(left), drawn=drawn, calendar=calendar).page()
    except InternalError as error:
        reason = f"internal error: {error}"
        return DocumentPage(
            id=found.id,
            verdict=DocumentVerdict.UNDECIDED,
            path=found.path or "",
            reason=reason,
            trouble=(_undecided(found, reason),),
        )


def checked(found: Document | Unreadable, budget: float | None = None, calendar: Calendar | None = None) -> Check:
    """Return what a report needs to know about every document."""
    return check_document(found, asked_by_report(budget, calendar))


def asked_by_report(budget: float | None, calendar: Calendar | None) -> CheckOptions:
    """Return what a report asks a check for."""
    return CheckOptions(repair=True, budget=budget, calendar=calendar)


def row_of(found: Document | PlainGraph | Unreadable, check: Check, key: str) -> DocumentRow:
    """Return the row of a document in the table."""
    return DocumentRow(
        key=key,
        id=check.document,
        verdict=check.verdict,
        path=check.path or "",
        format="" if isinstance(found, Unreadable) else found.format or "",
        entities=check.entities,
        links=check.links,
        conflict=len(check.conflict),
        repair=len(check.to_drop),
        remarks=0 if isinstance(found, Unreadable) else len(found.remarks),
        labels=tuple(sorted(_labels(found).items())),
        trouble=() if isinstance(found, PlainGraph) else _trouble(found, check),
    )


def _labels(found: Document | PlainGraph | Unreadable) -> Mapping[str, int]:
    if isinstance(found, PlainGraph):
        return found.labels()
    return Counter(link.label or str(link.relation) for link in (found.links if isinstance(found, Document) else ()))


def _trouble(found: Document | Unreadable, check: Check) -> tuple[Trouble, ...]:
    if isinstance(found, Unreadable) or check.error is None:
        return trouble_with(found)
    return (_undecided(found, check.error), *trouble_with(found))


def _undecided(document: Document, reason: str) -> Trouble:
    return Trouble(document.path, Remark(UNDECIDED, reason, element=document.id))


class _Gatherer:
    """Arranges what a check says, and draws. Where the time runs out, a note stands in place of a drawing."""

    def __init__(
        self, document: Document, check: Check, budget: Budget, *, drawn: bool, calendar: Calendar | None = None
    ) -> None:
        self.document = document
        self.calendar = calendar
        self.drawn = drawn
        self.check = check
        self.budget = budget
        self.rows = entity_rows(document)

    def page(self) -> DocumentPage:
        document, check = self.document, self.check
        consistent = self._consistent() if self.drawn else None
        timeline, timeline_note = self._timeline(consistent) if self.calendar is None else self._dated_timeline()
        graph, graph_note = self._graph(consistent)
        missing = {remark.code: remark.message for remark in check.remarks}
        return DocumentPage(
            id=document.id,
            verdict=check.verdict,
            path=document.path or "",
            format=document.format or "",
            reading=document.reading.name,
            decided_by=check.decided_by or "",
            reason=check.error or "",
            entities=tuple(self.rows.values()),
            links=link_rows(document.links),
            pieces=pieces_of(document, self.rows),
            timeline=timeline,
            timeline_note=timeline_note,
            graph=graph,
            graph_note=graph_note if self.drawn else _NOT_DRAWN,
            conflicts=conflicts_of(check, self.rows),
            more_conflicts=max(0, len(check.conflicts) - limits.CONFLICTS),
            conflict_note=missing.get(OUT_OF_TIME, ""),
            repair=fact_rows(check.to_drop, check, self.rows),
            repair_note=missing.get(REPAIR_MISSING, ""),
            remarks=tuple(map(remark_row, self._remarks())),
            trouble=_trouble(document, check),
        )

    def _consistent(self) -> Oracle | None:
        """Return an oracle over the links that the repair keeps; None if they are not known to be consistent."""
        if self.check.verdict is DocumentVerdict.CONSISTENT:
            return Oracle(self.document, budget=self.budget)
        if not self.check.to_drop:
            return None
        dropped = {id(link) for link in self.check.to_drop}
        network = Network.of(self.document)
        kept = [link for link in network.links if id(link) not in dropped]
        return Oracle(Network(kept, network.entities), budget=self.budget)

    def _remarks(self) -> Sequence[Remark]:
        """Return the remarks on the document and, with a calendar, on its values."""
        known = set(self.document.remarks)
        values = () if self.calendar is None else self.check.remarks
        return (*self.document.remarks, *(each for each in values if each not in known and each.code not in INCOMPLETE))

    def _dated_timeline(self) -> tuple[TimelineBars | None, str]:
        """Return the timeline on the calendar, of the facts that the repair keeps, with bounds."""
        from temporacle.report.gathering.dated import dated_timeline

        if not self.drawn or self.calendar is None:
            return None, ""
        if self.check.verdict is not DocumentVerdict.CONSISTENT and not self.check.to_drop:
            return None, ""
        try:
            return dated_timeline(self.document, self.calendar, self.check.to_drop, self.rows, self.budget)
        except BudgetExceeded as limit:
            return None, f"No timeline: {limit}."

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
        texts = tuple((name, self.rows[name].text) for name in reduced.entities if self.rows[name].text)
        return graph_of(reduced, texts), note if reduced.different else ""


def linked_entities(links: Iterable[Link]) -> dict[str, None]:
    """Return the entities that some link mentions, in order of mention."""
    return dict.fromkeys(end for link in links for end in (link.source, link.target))


def timeline_of(witness: Witness, rows: Mapping[str, EntityRow], shown: Iterable[str]) -> TimelineBars:
    """Return the witness as bars."""
    return TimelineBars(tuple(TimelineBar(rows[name], *witness[name]) for name in shown))


def graph_of(reduced: Reduction, texts: tuple[tuple[str, str], ...] = ()) -> MinimalGraph:
    """Return the minimal graph with ranks: the most steps on a path from any first node. Edges go to higher numbers."""
    edges = sorted((*reduced.major, *reduced.trivial))
    ranks = [0] * len(reduced.nodes)
    for source, _, target in edges:
        ranks[target] = max(ranks[target], ranks[source] + 1)
    major = set(reduced.major)
    return MinimalGraph(
        tuple(GraphNode(rank, points) for rank, points in zip(ranks, reduced.nodes, strict=True)),
        tuple(GraphEdge(*edge, trivial=edge not in major) for edge in edges),
        texts,
    )


def remark_row(remark: Remark) -> RemarkRow:
    return RemarkRow(remark.code, remark.message, remark.line, remark.element, remark.action is Action.DROPPED)
