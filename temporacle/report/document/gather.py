"""Everything a report shows about one document, found by asking the oracle."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from itertools import chain, combinations
from operator import itemgetter, le
from types import MappingProxyType
from typing import TYPE_CHECKING

from temporacle.calendar.facts import values_of
from temporacle.checks import INCOMPLETE, OUT_OF_TIME, REPAIR_MISSING
from temporacle.errors import BudgetExceeded, InternalError, spelled
from temporacle.model import Action, Document, Entity, Link, PlainGraph, Remark, Unreadable
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.problem import CalendarProblem
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.cycles import shortest_strict_cycle
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.report.document import values
from temporacle.report.document import values as limits
from temporacle.report.document.values import (
    DocumentPage,
    DocumentRow,
    DrawnArrow,
    EntityRow,
    FactRow,
    GraphEdge,
    GraphNode,
    LinkRow,
    MinimalGraph,
    Piece,
    RemarkRow,
    ShownConflict,
    TimelineBar,
    TimelineBars,
)
from temporacle.report.layout import DrawnPlace, places_of
from temporacle.results import DocumentVerdict, Repair
from temporacle.rules import UNDECIDED, Trouble, trouble_with
from temporacle.wording import Names, needs_removed, would_also_do

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.passages import Quotation
    from temporacle.reasoner.points.minimal_graph import Reduction
    from temporacle.results import Fact

    _Mark = tuple[int, int, EntityRow]  # a span and its entity

_NOT_DRAWN = "Consistent documents of a large corpus are not drawn. Use {} to get their drawings."


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
    return CheckOptions(repair=True, relabel=True, budget=budget, calendar=calendar)


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
        conflict_labels=tuple(pair for facts in check.conflicts for pair in _label_pairs(facts)),
    )


def _label_pairs(facts: Iterable[Fact]) -> list[tuple[str, str]]:
    """Return the pairs of labels of a conflict; a label stands beside itself if two links have it."""
    said = [fact.label or str(fact.relation) if isinstance(fact, Link) else "a value" for fact in facts]
    return sorted({(min(pair), max(pair)) for pair in combinations(said, 2)})


def _labels(found: Document | PlainGraph | Unreadable) -> Mapping[str, int]:
    if isinstance(found, PlainGraph):
        return found.labels()
    return Counter(link.label or str(link.relation) for link in (found.links if isinstance(found, Document) else ()))


def _trouble(found: Document | Unreadable, check: Check) -> tuple[Trouble, ...]:
    if isinstance(found, Unreadable) or check.error is None:
        return trouble_with(found)
    why = Remark(check.verdict.value, check.error, element=found.id)
    return (Trouble(found.path, why), *trouble_with(found))


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
        timeline, timeline_note = self._dated_timeline()
        if consistent is not None and self.calendar is None:
            timeline, timeline_note = timeline_of(consistent.network, self.rows)
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
            graph_note=graph_note if self.drawn else _NOT_DRAWN.format(spelled("all_details", True)),
            conflicts=conflicts_of(check, self.rows),
            more_conflicts=max(0, len(check.conflicts) - limits.CONFLICTS),
            conflict_note=missing.get(OUT_OF_TIME, ""),
            repair=fact_rows(check.to_drop, check, self.rows),
            needs=needs_removed(check.to_drop) if check.to_drop else "",
            instead=tuple(_instead(check)),
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
        if not self.drawn or self.calendar is None:
            return None, ""
        if self.check.verdict is not DocumentVerdict.CONSISTENT and not self.check.to_drop:
            return None, ""
        try:
            return dated_timeline(self.document, self.calendar, self.check.to_drop, self.rows, self.budget)
        except BudgetExceeded as limit:
            return None, f"No timeline: {limit}."

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


def timeline_of(network: Network, rows: Mapping[str, EntityRow]) -> tuple[TimelineBars | None, str]:
    """Return the places of the entities that links mention, and a note; no bars if they are too many.

    The links must be consistent.
    """
    linked = linked_entities(network.links)
    if len(linked) > limits.BARS:
        return None, f"No timeline: {len(linked)} linked entities are more than the {limits.BARS} that can be drawn."
    if not linked:
        return None, "No timeline: no links."
    alone = len(rows) - len(linked)
    bars = tuple(TimelineBar(rows[name], place) for name, place in places_of(Network(network.links)).items())
    return TimelineBars(bars), f"Not drawn: {alone} without links, which may lie anywhere." if alone else ""


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


# ----------------------------------------------------------------------------------------------------
# The entities of a document as a page names them, and its text cut at their spans.

# Faster than a generator over all links and entities, and than the constructors of named tuples.
_ends, _entity_id = itemgetter(1, 3), itemgetter(0)
_start, _end = itemgetter(0), itemgetter(1)  # of a mark
_new_row: Callable[[tuple[object, ...]], EntityRow] = partial(tuple.__new__, EntityRow)
_new_piece: Callable[[tuple[object, ...]], Piece] = partial(tuple.__new__, Piece)
_new_link: Callable[[tuple[object, ...]], LinkRow] = partial(tuple.__new__, LinkRow)


def entity_rows(document: Document) -> dict[str, EntityRow]:
    """Return all entities by id: the declared ones, and those that only links mention."""
    described = dict(zip(map(_entity_id, document.entities), document.entities, strict=True))
    length = len(document.text or "")
    mentioned = chain.from_iterable(map(_ends, document.links))
    return {
        name: _row(number, described.get(name) or Entity(name), length)
        for number, name in enumerate(dict.fromkeys(chain(document.entity_ids, mentioned)))
    }


def _row(number: int, entity: Entity, length: int) -> EntityRow:
    name, kind, text, spans = entity.id, entity.kind, entity.text, entity.spans
    shown = "dct" if entity.is_dct else kind.value
    in_text = False
    for start, end in spans:
        in_text = in_text or 0 <= start < end <= length
    return _new_row((number, name, shown, text or "", entity.value or "", in_text))


def pieces_of(document: Document, rows: dict[str, EntityRow]) -> tuple[Piece, ...]:
    """Return the text in order, split where an entity begins or ends. Spans may overlap, nest and have gaps."""
    text = document.text
    if not text:
        return ()
    length = len(text)
    marks = [
        (start, end, row)
        for entity in document.entities
        if (row := rows.get(entity.id)) is not None
        for start, end in entity.spans
        if 0 <= start < end <= length
    ]
    in_order = sorted(marks, key=_start)
    apart = all(map(le, map(_end, in_order), map(_start, in_order[1:])))
    return _trimmed(_cut_between(text, in_order) if apart else list(_cut(text, marks)))


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Return the text without the blank lines that formats leave around it."""
    if pieces and not pieces[0].entities:
        pieces[0] = Piece(pieces[0].text.lstrip())
    if pieces and not pieces[-1].entities:
        pieces[-1] = Piece(pieces[-1].text.rstrip())
    return tuple([piece for piece in pieces if piece.text])


def _cut_between(text: str, marks: Iterable[_Mark]) -> list[Piece]:
    """Return the text split at spans that are in order and do not overlap: as ``_cut`` does, and faster."""
    last = 0
    pieces = []
    for start, end, row in marks:
        if start > last:
            pieces.append(_new_piece((text[last:start], ())))
        pieces.append(_new_piece((text[start:end], (row,))))
        last = end
    if last < len(text):
        pieces.append(Piece(text[last:]))
    return pieces


def _cut(text: str, marks: Iterable[_Mark]) -> Iterator[Piece]:
    """Yield the text split at any spans."""
    opened: dict[int, list[EntityRow]] = {}
    closed: dict[int, list[EntityRow]] = {}
    for start, end, row in marks:
        opened.setdefault(start, []).append(row)
        closed.setdefault(end, []).append(row)
    current: list[EntityRow] = []
    last = 0
    for place in sorted({*opened, *closed, len(text)}):
        if place > last:
            yield Piece(text[last:place], tuple(dict.fromkeys(current)))
            last = place
        for row in closed.get(place, ()):
            current.remove(row)
        current.extend(opened.get(place, ()))


_written = cache(str)  # relations: there are few different ones


def link_row(link: Link) -> LinkRow:
    return LinkRow(link.id, link.source, link.label, _written(link.relation), link.target, link.line)


def link_rows(links: Iterable[Link]) -> tuple[LinkRow, ...]:
    return tuple(
        [
            _new_link((name, source, label, _written(relation), target, line))
            for name, source, relation, target, label, line, _, _ in links
        ]
    )


# ----------------------------------------------------------------------------------------------------
# Conflicts and repairs as a page shows them: links with words, sentences, derivations, and arrows to draw.

_NO_ROWS: Mapping[str, EntityRow] = MappingProxyType({})


def conflicts_of(check: Check, rows: Mapping[str, EntityRow]) -> tuple[ShownConflict, ...]:
    """Return the first conflicts of a check. Only the first links and steps of a long conflict are written out."""
    shown = zip(check.conflicts[: values.CONFLICTS], check.in_words(), strict=False)
    return tuple(
        _drawable(facts, rows)._replace(
            headline=words.headline,
            facts=fact_rows(facts[: values.FACTS], check, rows),
            more_facts=max(0, len(facts) - values.FACTS),
            sentences=tuple(sentence_pieces(each, rows) for each in words.quotations[: values.FACTS]),
            derivation=shortened_steps(words.derivation),
        )
        for facts, words in shown
    )


def _drawable(facts: Sequence[Fact], rows: Mapping[str, EntityRow]) -> ShownConflict:
    """Return the conflict with its arrows. Links alone do not show why they contradict values: then there are none."""
    links = tuple(fact for fact in facts if isinstance(fact, Link))
    if len(links) < len(facts):
        return ShownConflict(link_rows(links), (), is_cycle=False)
    return conflict_of(links, rows)


def _instead(check: Check) -> Iterator[str]:
    """Yield for each removed link which others would also do, and which labels it could have."""
    known = check.repair.alternatives if isinstance(check.repair, Repair) else None
    labels = {id(each.link): each.labels for each in check.relabellings or ()}
    for fact, others in zip(check.to_drop, known or [()] * len(check.to_drop), strict=True):
        proposed = ", ".join(labels.get(id(fact), ()))
        yield "; ".join(filter(None, (would_also_do(others), proposed and f"or label it {proposed}")))


def fact_rows(facts: Iterable[Fact], check: Check, rows: Mapping[str, EntityRow]) -> tuple[FactRow, ...]:
    """Return links and values with the words of their entities."""
    names = Names(check.excerpts)
    return tuple(_fact_row(fact, names, rows) for fact in facts)


def _fact_row(fact: Fact, names: Names, rows: Mapping[str, EntityRow]) -> FactRow:
    if isinstance(fact, Link):
        source, target = fact.source, fact.target
        return FactRow(link_row(fact), rows[source], rows[target], names[source], names[target])
    label = fact.label if fact.attribute == "value" else f"{fact.attribute} {fact.label}"
    row = LinkRow(fact.id, fact.entity, label, "", fact.entity, fact.line)
    return FactRow(row, rows[fact.entity], None, names[fact.entity])


def sentence_pieces(quotation: Quotation, rows: Mapping[str, EntityRow]) -> tuple[Piece, ...]:
    """Return a sentence of the text with the entities that it is quoted for."""
    pieces = [Piece(text, tuple(rows[name] for name in names)) for text, names in quotation.pieces()]
    before, after = quotation.passage.begins_earlier, quotation.passage.goes_on
    return (*([Piece("…")] if before else []), *pieces, *([Piece("…")] if after else []))


def shortened_steps(sentences: Sequence[str]) -> tuple[str, ...]:
    """Return the first steps and the last one, which is the conclusion."""
    hidden = len(sentences) - values.FACTS - 1
    if hidden <= 0:
        return tuple(sentences)
    return (*sentences[: values.FACTS], f"… and {hidden} more steps …", sentences[-1])


def conflict_of(links: tuple[Link, ...], rows: Mapping[str, EntityRow] = _NO_ROWS) -> ShownConflict:
    """Return a minimal conflict as arrows: its strict cycle over endpoints, or one arrow per link if it has no cycle.

    ``rows`` are the entities of the document, for their words. The hulls of a minimal conflict have a strict cycle or
    none; if they have one, it needs all of its links.
    """
    network = Network(links)
    texts = tuple((name, rows[name].text) for name in network.entities if name in rows and rows[name].text)
    possible = all(mask for _, mask, _ in network.constraints)  # an empty relation has no endpoints to draw
    cycle = shortest_strict_cycle(len(network.entities), network.constraints) if possible else None
    if cycle is None:
        arrows = [
            DrawnArrow(link.source, link.label or str(link.relation), link.target, link_row(link)) for link in links
        ]
        return ShownConflict(link_rows(links), tuple(arrows), is_cycle=False, texts=texts)

    def point(number: int) -> str:
        return f"{network.entities[number >> 1]}.{'end' if number & 1 else 'start'}"

    return ShownConflict(
        link_rows(links),
        tuple(
            DrawnArrow(
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


# ----------------------------------------------------------------------------------------------------
# A timeline on the calendar: when each entity can have been; those without any limit by their links alone.


def dated_timeline(
    document: Document, calendar: Calendar, dropped: Sequence[Fact], rows: Mapping[str, EntityRow], budget: Budget
) -> tuple[TimelineBars | None, str]:
    """Return the bars of the entities that have links or values, and a note; no bars if they are too many.

    ``dropped``: the links and values that a repair removes.
    """
    found = DatedPlaces(document, calendar, dropped, budget)
    if len(found.shown) > limits.BARS:
        return None, f"No timeline: {len(found.shown)} entities are more than the {limits.BARS} that can be drawn."
    if not found.shown:
        return None, "No timeline: no links and no values."
    bars = tuple(TimelineBar(rows[name], place) for name, place in found.places().items())
    alone = len(rows) - len(found.shown)
    note = f"Not drawn: {alone} without links and values, which may lie anywhere." if alone else ""
    return TimelineBars(bars, unit=found.unit), note


class DatedPlaces:
    """The places of the entities that have links or values: on the calendar in lane 0, others by their links alone.

    ``dropped``: the links and values that a repair removes. ``unit``: steps of a second, counted from 1970.
    """

    def __init__(self, document: Document, calendar: Calendar, dropped: Sequence[Fact], budget: Budget) -> None:
        values = values_of(document, calendar)
        gone = {(fact.id, fact.said) for fact in dropped}
        links = [link for link in document.links if (link.id, link.said) not in gone]
        facts = [fact for fact in values.facts if (fact.id, fact.said) not in gone]
        problem = CalendarProblem(Network(links, document.entity_ids), facts, calendar.zone)
        self._oracle = CalendarOracle(document, calendar, budget=budget, values=values).about(problem)
        self.shown = dict.fromkeys(name for link in links for name in link.entities)
        self.shown.update(dict.fromkeys(fact.entity for fact in facts))
        self.unit = self._oracle.unit

    def places(self) -> dict[str, DrawnPlace]:
        """Return the places; raise BudgetExceeded if they are undecided."""
        ordered = places_of(self._oracle.problem.network)
        found = {}
        for name in self.shown:
            bounds = self._oracle.bounds(name)
            known = (bounds.start.earliest, bounds.start.latest, bounds.end.earliest, bounds.end.latest)
            dated = DrawnPlace(0, *(None if limit is None else limit.seconds * self.unit for limit in known))
            found[name] = dated if any(known) else ordered[name]._replace(lane=ordered[name].lane + 1)
        return found
