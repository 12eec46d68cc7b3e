"""What an annotated document is: entities, links between them, and where each was stated.

Entity and Link are named tuples, not dataclasses: corpora hold millions of them, and a frozen dataclass takes four
times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError  # noqa: TC001 - part of the public signature
from temporacle.relation import Relation  # noqa: TC001 - part of the public signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Kind(Enum):
    """What an entity is in the text."""

    EVENT = "event"
    TIME = "time"
    UNKNOWN = "unknown"


class Entity(NamedTuple):
    """An event (its instance, where the format has instances) or a time expression: a proper interval."""

    id: str
    kind: Kind = Kind.UNKNOWN
    text: str | None = None
    spans: tuple[tuple[int, int], ...] = ()  # [start, end) in the document's text; several where it has gaps
    event_id: str | None = None  # the event (eid) that an instance (eiid) belongs to
    value: str | None = None  # TIMEX3 value
    function: str | None = None  # TIMEX3 functionInDocument
    is_dct: bool = False
    line: int | None = None


class Link(NamedTuple):
    """``source relation target``, with the label as written and the place it stands at."""

    id: str
    source: str
    relation: Relation
    target: str
    label: str = ""
    line: int | None = None
    weight: float = 1
    task: str | None = None  # the subtask a link belongs to, where the format has subtasks


class Action(Enum):
    """What a reader did with something odd."""

    WARNED = "warned"  # accepted or mended
    DROPPED = "dropped"  # this link is not in the document


class Remark(NamedTuple):
    """Something odd in a document, located so that a person can find it."""

    code: str  # a stable kebab-case name, e.g. "dangling-id"
    message: str
    line: int | None = None
    element: str | None = None
    action: Action = Action.WARNED


class Extras(NamedTuple):
    """What a file says in words of its own: nobody here reads it, but it is not lost."""

    document: Mapping[str, Any]
    entities: Mapping[str, Mapping[str, Any]]  # by id
    links: Mapping[str, Mapping[str, Any]]  # by id


class Body(NamedTuple):
    """The parts of a document that reasoning does not need."""

    entities: tuple[Entity, ...] = ()
    text: str | None = None
    extras: Extras | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One annotated document.

    ``entity_ids`` and ``links`` are what reasoning needs and are always there. Entities with their spans, and the
    text, may be worked out only when first asked for: pass a function as ``body``.
    """

    id: str
    links: tuple[Link, ...] = ()
    entity_ids: tuple[str, ...] = ()
    path: str | None = None
    format: str | None = None
    reading: str | None = None
    remarks: tuple[Remark, ...] = ()
    body: Body | Callable[[], Body] = field(default=Body(), compare=False, repr=False)

    def _resolved(self) -> Body:
        if callable(self.body):
            object.__setattr__(self, "body", self.body())
        assert isinstance(self.body, Body)  # noqa: S101 - narrows the type only
        return self.body

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self._resolved().entities

    @property
    def text(self) -> str | None:
        return self._resolved().text

    @property
    def extras(self) -> Extras | None:
        """Keys that mean nothing here, where the format has any."""
        return self._resolved().extras

    @property
    def dropped(self) -> tuple[Remark, ...]:
        """Remarks about links that were left out."""
        return tuple(remark for remark in self.remarks if remark.action is Action.DROPPED)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or one document of a file, that could not be read, and why."""

    id: str
    path: str
    error: InputError
