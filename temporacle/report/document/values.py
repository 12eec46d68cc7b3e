"""The contents of a page about one document: filled by ``gathering``, shown by ``drawings`` and ``pages``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from temporacle.report.layout import DrawnPlace  # noqa: TC001 - part of the public signature
from temporacle.results import DocumentVerdict
from temporacle.rules import Trouble  # noqa: TC001 - part of the public signature


class EntityRow(NamedTuple):
    """An entity; ``number`` is its place in the document and names it inside a page."""

    number: int
    id: str
    kind: str  # event, time, dct or unknown: how it is drawn
    text: str = ""
    value: str = ""
    in_text: bool = False  # the text marks it

    @property
    def caption(self) -> str:
        """Return the id, followed by the words it stands for."""
        return f"{self.id} {self.text}" if self.text and self.text != self.id else self.id


class LinkRow(NamedTuple):
    """A link as stated."""

    id: str
    source: str
    label: str
    relation: str  # atoms joined by a bar
    target: str
    line: int | None = None

    @property
    def place(self) -> str:
        return "" if self.line is None else f"line {self.line}"


class FactRow(NamedTuple):
    """A link, or the value of a time expression, in a conflict or repair, with entities as sentences call them."""

    link: LinkRow  # a value has its own id and line, and what it says as its label
    source: EntityRow
    target: EntityRow | None  # None: the value of the source
    source_words: str
    target_words: str = ""

    @property
    def entities(self) -> tuple[EntityRow, ...]:
        return (self.source,) if self.target is None else (self.source, self.target)


class Piece(NamedTuple):
    """A stretch of text and the entities it belongs to."""

    text: str
    entities: tuple[EntityRow, ...] = ()


class LinkStatus(StrEnum):
    """The result of comparing a link with the other side."""

    RIGHT = "right"
    MISSED = "missed"
    WRONG = "wrong"


class TimelineBar(NamedTuple):
    """An entity and its certain place."""

    entity: EntityRow
    place: DrawnPlace


class Connection(NamedTuple):
    """A link drawn over a timeline."""

    link: LinkRow
    status: LinkStatus
    disagreement: int | None = None  # that a wrong link belongs to; None: a link of gold


class TimelineBars(NamedTuple):
    """Bars in lanes, and links to be drawn between them."""

    bars: tuple[TimelineBar, ...]
    connections: tuple[Connection, ...] = ()
    unit: int | None = None  # steps of a second, counted from 1970, if the first lane is on the calendar

    def around(self, source: str, target: str, disagreement: int, most: int) -> TimelineBars:
        """Return two entities, the wrong links of a disagreement about them, and the gold links that touch them.

        Further entities come in the order of the links, as long as there are not more than ``most`` in all.
        """
        pair = {source, target}
        near = [
            each
            for each in self.connections
            if (each.disagreement == disagreement if each.disagreement else {each.link.source, each.link.target} & pair)
        ]
        known = {bar.entity.id for bar in self.bars}
        wanted = dict.fromkeys(
            (source, target, *(name for each in near for name in (each.link.source, each.link.target)))
        )
        shown = set([name for name in wanted if name in known][:most])
        return TimelineBars(
            tuple(bar for bar in self.bars if bar.entity.id in shown),
            tuple(each for each in near if {each.link.source, each.link.target} <= shown),
        )


class GraphNode(NamedTuple):
    """Endpoints that are equal, and how many steps lie before them."""

    rank: int
    points: tuple[str, ...]


class GraphEdge(NamedTuple):
    """``<`` or ``<=`` between nodes, by number. Trivial: from the start to the end of one entity."""

    source: int
    label: str
    target: int
    trivial: bool = False


class MinimalGraph(NamedTuple):
    """The labelled transitive reduction."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    texts: tuple[tuple[str, str], ...] = ()  # the words of its entities, by id, where they are known


class DrawnArrow(NamedTuple):
    """One step of a conflict, and the link that says so (None: an entity starts before it ends)."""

    source: str
    label: str  # "<", "<=" between endpoints; a relation between entities
    target: str
    link: LinkRow | None


class ShownConflict(NamedTuple):
    """Links that contradict each other. ``arrows`` are a cycle of endpoints, or the links where there is none."""

    links: tuple[LinkRow, ...]
    arrows: tuple[DrawnArrow, ...]
    is_cycle: bool
    texts: tuple[tuple[str, str], ...] = ()  # the words of its entities, by id, where they are known
    headline: str = ""
    facts: tuple[FactRow, ...] = ()  # the first links and values, in the order of the text
    more_facts: int = 0  # that are not shown
    sentences: tuple[tuple[Piece, ...], ...] = ()  # of the text, with its entities marked
    derivation: tuple[str, ...] = ()  # why the links contradict each other


class RemarkRow(NamedTuple):
    """Something odd that a reader or the linter found."""

    code: str
    message: str
    line: int | None = None
    element: str | None = None
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Everything shown about one document. A ``note`` says why something is not shown."""

    id: str
    verdict: DocumentVerdict
    path: str = ""
    format: str = ""
    reading: str = ""
    decided_by: str = ""
    reason: str = ""  # why undecided or unreadable
    entities: tuple[EntityRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    pieces: tuple[Piece, ...] = ()
    timeline: TimelineBars | None = None
    timeline_note: str = ""
    graph: MinimalGraph | None = None
    graph_note: str = ""
    conflicts: tuple[ShownConflict, ...] = ()
    more_conflicts: int = 0  # that are not shown
    conflict_note: str = ""
    repair: tuple[FactRow, ...] = ()
    needs: str = ""  # what the repair removes, in a sentence
    instead: tuple[str, ...] = ()  # for each of them, what would also do, and other labels
    repair_note: str = ""
    remarks: tuple[RemarkRow, ...] = ()
    trouble: tuple[Trouble, ...] = ()  # what could not be read or decided

    @property
    def conflict(self) -> ShownConflict | None:
        """Return the first conflict."""
        return self.conflicts[0] if self.conflicts else None

    def conflicts_of(self) -> dict[int, list[int]]:
        """Return for each entity, by number, the conflicts that it is part of, by place."""
        found: dict[int, list[int]] = {}
        for place, conflict in enumerate(self.conflicts, 1):
            for number in dict.fromkeys(each.number for fact in conflict.facts for each in fact.entities):
                found.setdefault(number, []).append(place)
        return found


class DocumentRow(NamedTuple):
    """A row of the table of documents."""

    key: str  # names the document inside the page
    id: str
    verdict: DocumentVerdict
    path: str
    format: str
    entities: int
    links: int
    conflict: int
    repair: int
    remarks: int
    labels: tuple[tuple[str, int], ...] = ()  # how often each label occurs
    trouble: tuple[Trouble, ...] = ()  # what could not be read or decided
    conflict_labels: tuple[tuple[str, str], ...] = ()  # pairs of labels in one conflict, for each conflict
    place: str = ""  # the path as the page shows it

    @property
    def is_plain(self) -> bool:
        """Return whether the document is consistent and there is nothing else to report about it."""
        return self.verdict is DocumentVerdict.CONSISTENT and not self.remarks and not self.trouble


# ----------------------------------------------------------------------------------------------------
# Limits on how much a page shows of one thing. The page counts what is left out.

BARS = 400  # entities of a timeline; a larger picture is of no use
NEIGHBOURS = 14  # entities in the drawing of one disagreement
DISAGREEMENTS = 200  # pairs of one document
NODES = 300  # of a minimal graph
EDGES = 1200
ARROWS = 40  # of a conflict
ROWS = 1000  # of one table of links or remarks
EXPLAINED = 400  # links of one side; each explanation searches the graph
DOCUMENTS = 60  # whose details stand on the page itself; with more, each has a page of its own
CONFLICTS = 20  # of one document
PICTURES = 6  # of conflicts of one document
FACTS = 60  # links and steps of one conflict
CERTIFICATE_BYTES = 8 << 20  # of all certificates on one page; larger ones can be dropped onto it
