"""What a page shows, as plain values. Whoever gathers them (``temporacle.report``) knows how they were found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class EntityKind(StrEnum):
    """What an entity is drawn as."""

    EVENT = "event"
    TIME = "time"
    DCT = "dct"
    UNKNOWN = "unknown"


class EntityRow(NamedTuple):
    """An entity; ``number`` is its place in the document and names it inside a page."""

    number: int
    id: str
    kind: EntityKind
    text: str = ""
    value: str = ""

    @property
    def caption(self) -> str:
        """The id, with the words it stands for."""
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


class Piece(NamedTuple):
    """A stretch of text and the entities it belongs to."""

    text: str
    entities: tuple[EntityRow, ...] = ()


class Status(StrEnum):
    """What a comparison says about a link."""

    RIGHT = "right"
    MISSED = "missed"
    WRONG = "wrong"


class Bar(NamedTuple):
    """An entity as an interval of whole numbers."""

    entity: EntityRow
    start: int
    end: int


class Connection(NamedTuple):
    """A link drawn over a timeline."""

    link: LinkRow
    status: Status


class Timeline(NamedTuple):
    """Bars over ordered endpoints, and links to be drawn between them."""

    bars: tuple[Bar, ...]
    connections: tuple[Connection, ...] = ()


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


class Arrow(NamedTuple):
    """One step of a conflict, and the link that says so (None: an entity starts before it ends)."""

    source: str
    label: str  # "<", "<=" between endpoints; a relation between entities
    target: str
    link: LinkRow | None


class Conflict(NamedTuple):
    """Links that cannot all be true; ``arrows`` form a cycle over endpoints, or connect entities where none exists."""

    links: tuple[LinkRow, ...]
    arrows: tuple[Arrow, ...]
    is_cycle: bool


class Warned(NamedTuple):
    """What a reader or the linter found odd."""

    code: str
    message: str
    line: int | None = None
    element: str | None = None
    dropped: bool = False


class Verdict(StrEnum):
    """What is known about a document as a whole."""

    CONSISTENT = "consistent"
    INCONSISTENT = "inconsistent"
    UNDECIDED = "undecided"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Everything shown about one document. A ``note`` says why something is not shown."""

    id: str
    verdict: Verdict
    path: str = ""
    format: str = ""
    reading: str = ""
    decided_by: str = ""
    reason: str = ""  # why undecided or unreadable
    entities: tuple[EntityRow, ...] = ()
    links: tuple[LinkRow, ...] = ()
    pieces: tuple[Piece, ...] = ()
    timeline: Timeline | None = None
    timeline_note: str = ""
    graph: MinimalGraph | None = None
    graph_note: str = ""
    conflict: Conflict | None = None
    repair: tuple[LinkRow, ...] = ()
    repair_note: str = ""
    warnings: tuple[Warned, ...] = ()


class Summary(NamedTuple):
    """A row of the table of documents."""

    key: str
    id: str
    verdict: str
    path: str
    format: str
    entities: int
    links: int
    conflict: int
    repair: int
    warnings: int
    labels: tuple[tuple[str, int], ...] = ()  # how often each label occurs
    trouble: tuple[str, ...] = ()  # what could not be read or decided


def summary_of(page: DocumentPage, key: str) -> Summary:
    """What the table says about a page."""
    labels: dict[str, int] = {}
    for link in page.links:
        name = link.label or link.relation
        labels[name] = labels.get(name, 0) + 1
    return Summary(
        key=key,
        id=page.id,
        verdict=page.verdict.value,
        path=page.path,
        format=page.format,
        entities=len(page.entities),
        links=len(page.links),
        conflict=len(page.conflict.links) if page.conflict else 0,
        repair=len(page.repair),
        warnings=len(page.warnings),
        labels=tuple(sorted(labels.items())),
        trouble=_trouble(page),
    )


def _trouble(page: DocumentPage) -> tuple[str, ...]:
    """What is told beside the page: why there is no verdict, and which links were dropped."""
    if page.reason:
        return (f"{page.verdict.value}: {page.reason}",)
    return tuple(
        ":".join(str(part) for part in (page.path, warned.line) if part is not None)
        + f": dropped {warned.element or 'link'}: {warned.message}"
        for warned in page.warnings
        if warned.dropped
    )


def shown(value: float, places: int = 3) -> str:
    """A figure with some decimals, and more where these would show a whole number that it is not.

    >>> shown(2 / 3), shown(1.0), shown(0.99996), shown(99.97, places=1), shown(0.07 * 100)
    ('0.667', '1.000', '0.99996', '99.97', '7.000')
    """
    is_whole = abs(value - round(value)) < 1e-9  # but for the error of floating point
    while not is_whole and float(f"{value:.{places}f}").is_integer():
        places += 1
    return f"{value:.{places}f}"
