"""The parts of an annotated document: entities, links between them, and where each was stated.

Entity and Link are named tuples, not dataclasses: corpora hold millions of them, and a frozen dataclass takes four
times as long to make.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from itertools import count
from numbers import Integral
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import InputError, LabelError, UsageError
from temporacle.readings import Reading, load_reading
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence


class Kind(Enum):
    """The kind of an entity in the text."""

    EVENT = "event"  # an event, or an instance of one
    TIME = "time"  # a time expression
    UNKNOWN = "unknown"  # the format does not say


class Entity(NamedTuple):
    """An event (its instance, where the format has instances) or a time expression: a proper interval."""

    id: str  # the name that links use
    kind: Kind = Kind.UNKNOWN  # event or time
    text: str | None = None  # its words
    spans: tuple[tuple[int, int], ...] = ()  # [start, end) in the document's text; several where it has gaps
    event_id: str | None = None  # the event (eid) that an instance (eiid) belongs to
    value: str | None = None  # TIMEX3 value
    function: str | None = None  # TIMEX3 functionInDocument
    is_dct: bool = False  # whether it is the document creation time
    line: int | None = None  # the line of the file
    type: str | None = None  # TIMEX3 type: DATE, TIME, DURATION or SET
    mod: str | None = None  # TIMEX3 mod, such as APPROX
    begin_point: str | None = None  # the id of the time at which it begins (TIMEX3 beginPoint)
    end_point: str | None = None  # the id of the time at which it ends (TIMEX3 endPoint)

    def renamed(self, new: Callable[[str], str]) -> Entity:
        """Return the entity with new ids: its own, and those of the times that it names.

        Args:
            new: Returns the new id for an old one.

        Returns:
            The renamed entity.
        """
        begins, ends = (name and new(name.strip()) for name in (self.begin_point, self.end_point))
        return self._replace(id=new(self.id), begin_point=begins, end_point=ends)


class Link(NamedTuple):
    """``source relation target``, with the label as written and the place it stands at."""

    id: str  # its id in the file; otherwise its line, or l1, l2, ...
    source: str  # the id of an entity
    relation: Relation  # what the label means
    target: str  # the id of an entity
    label: str = ""  # as it is written
    line: int | None = None  # the line of the file
    weight: float = 1  # what it costs to remove the link in a repair
    task: str | None = None  # the subtask a link belongs to, where the format has subtasks

    @property
    def entities(self) -> tuple[str, str]:
        """Return the ids of source and target."""
        return self.source, self.target

    @property
    def said(self) -> str:
        """Return the statement of the link, by ids."""
        return f"{self.source} {self.label or self.relation} {self.target}"

    def to_dict(self, texts: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
        """Return the link as in JSON output.

        Args:
            texts: The words of entities, as far as they are known.

        Returns:
            The JSON object.
        """
        row: dict[str, Any] = {
            "id": self.id,
            "source": self.source,
            "relation": list(self.relation.atoms),
            "label": self.label,
            "target": self.target,
            "line": self.line,
        }
        for end, name in (("source_text", self.source), ("target_text", self.target)):
            if name in texts:
                row[end] = texts[name]
        return row


Statement: TypeAlias = Link | tuple[str, str | Relation, str]
"""A link, or what is short for one: ``("a", "BEFORE", "b")``."""


def as_link(statement: Statement, position: int, reading: Reading | None = None) -> Link:
    """Return a link made from a link or from a triple of source, label or relation, target.

    >>> as_link(("a", "b|m", "c"), 3)
    Link(id='l3', source='a', relation=Relation('b|m'), target='c', label='b|m', line=None, weight=1, task=None)
    """
    if isinstance(statement, Link):
        return statement
    if isinstance(statement, str) or not isinstance(statement, tuple | list) or len(statement) != 3:
        raise UsageError(
            f'statement {position} is {statement!r}: expected a triple such as ("left", "BEFORE", "docked")'
        )
    source, label, target = statement
    ends = _end(source, "source"), _end(target, "target")
    if is_missing(label) or label == "":
        raise LabelError("the link has no label")
    known = load_reading("links") if reading is None else reading
    if not isinstance(label, str | Relation):
        raise LabelError(f"the label is {label!r:.40}", cure=f"write one of {known.vocabulary()}")
    relation = label if isinstance(label, Relation) else known.relation(label)
    return Link(f"l{position}", ends[0], relation, ends[1], label=str(label))


def _end(value: object, role: str) -> str:
    """Return the id of an entity as text. Raise InputError for anything but text and whole numbers."""
    if isinstance(value, str) and value:
        return value
    if is_whole(value):
        return str(value)
    if value == "" or is_missing(value):
        raise InputError(f"the link has no {role}")
    raise InputError(f"the {role} is {value!r:.40}; ids are text or whole numbers")


def is_whole(value: object) -> bool:
    """Return whether a value is a whole number of any library, which is an id as well as text is.

    >>> is_whole(12), is_whole(12.0), is_whole(True)
    (True, False, False)
    """
    return type(value) is not bool and isinstance(value, Integral)


def is_missing(value: Any) -> bool:
    """Return whether a cell is missing: None, NaN, or what pandas writes for either.

    >>> is_missing(None), is_missing(float("nan")), is_missing(0), is_missing("NONE")
    (True, True, False, False)
    """
    if value is None:
        return True
    if isinstance(value, str | Integral | Relation | tuple | list | dict):
        return False
    try:
        return bool(value != value)  # noqa: PLR0124 - NaN is the value that differs from itself
    except (TypeError, ValueError):  # pandas.NA does not say, and an array has several answers
        return type(value).__name__ == "NAType"


class Action(Enum):
    """The action of a reader on something odd."""

    WARNED = "warned"  # accepted or mended
    DROPPED = "dropped"  # this link is not in the document


class Remark(NamedTuple):
    """Something odd in a document, located so that a person can find it."""

    code: str  # a stable kebab-case name, e.g. "dangling-id"
    message: str  # one sentence
    line: int | None = None  # the line of the file
    element: str | None = None  # the id of the link or entity that it is about
    action: Action = Action.WARNED  # whether a link was skipped

    def sentence(self) -> str:
        """Return the message with the element that it is about, unless the message names that element first.

        >>> Remark("self-link", "l1 has no effect", element="l1").sentence()
        'l1 has no effect'
        >>> Remark("missing-label", "the link has no label", element="l1").sentence()
        'l1: the link has no label'
        """
        if self.element is None or self.message.startswith((f"{self.element} ", f"link {self.element} ")):
            return self.message
        return f"{self.element}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Return the remark as in the JSON that commands print. The caller, who knows the path, fills it in."""
        return {
            "code": self.code,
            "message": self.message,
            "path": None,
            "line": self.line,
            "element": self.element,
            "action": self.action.value,
        }


def skipped_links(remarks: Iterable[Remark]) -> dict[str, int]:
    """Return how many links were left out, by code: the key ``skipped_links`` of every result made from documents.

    >>> skipped_links([Remark("unknown-label", "x", action=Action.DROPPED), Remark("measure", "y")])
    {'unknown-label': 1}
    """
    return dict(sorted(Counter(remark.code for remark in remarks if remark.action is Action.DROPPED).items()))


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "link"), counted(2, "link")
    ('1 link', '2 links')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def skipped_words(by_code: Mapping[str, int]) -> str:
    """Return the end of a phrase that says how many links were skipped; empty if none was.

    >>> skipped_words({"unknown-label": 2, "bad-link": 1})
    ', 3 skipped: 2 unknown-label, 1 bad-link'
    """
    if not by_code:
        return ""
    parts = ", ".join(f"{count} {code}" for code, count in by_code.items())
    return f", {sum(by_code.values())} skipped: {parts}"


def unchecked_words(remarks: Iterable[Remark]) -> str:
    """Return why a document of which no link could be used was not checked.

    >>> unchecked_words([Remark("unknown-label", "unknown label 'X'", action=Action.DROPPED)])
    "not checked: its only link was skipped: unknown label 'X'"
    """
    skipped = [remark for remark in remarks if remark.action is Action.DROPPED]
    if len(skipped) == 1:
        return f"not checked: its only link was skipped: {skipped[0].message}"
    return f"not checked: all of its {len(skipped)} links were skipped, the first because: {skipped[0].message}"


class Extras(NamedTuple):
    """The contents of a file that have no meaning here. They are kept, so that they can be written again."""

    document: Mapping[str, Any]
    entities: Mapping[str, Mapping[str, Any]]  # by id
    links: Mapping[str, Mapping[str, Any]]  # by id
    lost: Mapping[str, int] = {}  # what could not be kept, counted by kind


class Body(NamedTuple):
    """The parts of a document that reasoning does not need."""

    entities: tuple[Entity, ...] = ()
    text: str | None = None
    extras: Extras | Callable[[], Extras | None] | None = None  # a function: worked out when first asked for


ANSWERS = "llm"
"""The format of answers of language models. Scores treat them in their own way: what cannot be used is counted."""
IN_MEMORY = ("statements", "records", "frame")  # how documents were made that were not read


class HowRead(NamedTuple):
    """The way a document was read: everything besides the file that affects its links. Signatures are made from it."""

    format: str
    reading: Reading  # what its labels mean, DURING included
    choices: tuple[str, ...] = ()  # further options that were chosen, such as "keep-unknown"
    mapping: Any = None  # what names mean in files of annotation tools (``io.tools.mapping``); also among the choices


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """One annotated document.

    ``entity_ids`` and ``links`` are what reasoning needs and are always there. Entities with their spans, and the
    text, may be worked out only when first asked for: pass a function as ``body``. Links may be given as statements.

    >>> Document("ferry", [("left", "BEFORE", "docked")]).links[0].relation
    Relation('b')
    """

    id: str  # its name
    links: tuple[Link, ...] = ()  # those that could be used
    entity_ids: tuple[str, ...] = ()  # of all entities that are known
    path: str | None = None  # the file
    how_read: HowRead | None = None  # None: it was made of links, not read
    remarks: tuple[Remark, ...] = ()  # what was odd, skipped links included
    body: Body | Callable[[], Body] = field(default=Body(), compare=False, repr=False)  # entities and text
    known_times: tuple[Entity, ...] | None = field(default=None, compare=False, repr=False)  # see ``times``

    def __post_init__(self) -> None:
        if type(self.links) is not tuple or not all(type(link) is Link for link in self.links):
            object.__setattr__(self, "links", tuple(map(as_link, self.links, count(1))))

    def __repr__(self) -> str:
        return f"Document({self.id!r}, {counted(len(self.links), 'link')}{skipped_words(self.skipped_links)})"

    @property
    def format(self) -> str | None:
        """Return the name of the format that the document was read in, if it was read."""
        return None if self.how_read is None else self.how_read.format

    @property
    def reading(self) -> Reading:
        """Return the label set, which gives the labels of the document their meaning."""
        return load_reading("links") if self.how_read is None else self.how_read.reading

    def _resolved(self) -> Body:
        if callable(self.body):
            object.__setattr__(self, "body", self.body())
        assert isinstance(self.body, Body)  # noqa: S101 - narrows the type only
        return self.body

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Return the events and times, in the order of the file."""
        return self._resolved().entities

    @property
    def times(self) -> tuple[Entity, ...]:
        """Return the time expressions. Readers that were asked for values provide them without resolving the body."""
        if self.known_times is not None:
            return self.known_times
        return tuple(each for each in self.entities if each.kind is Kind.TIME or each.is_dct or each.value is not None)

    @property
    def text(self) -> str | None:
        """Return the text, if the format has it."""
        return self._resolved().text

    @property
    def extras(self) -> Extras | None:
        """Return the keys that have no meaning here, if the format has any."""
        body = self._resolved()
        if callable(body.extras):
            body = body._replace(extras=body.extras())
            object.__setattr__(self, "body", body)
        assert not callable(body.extras)  # noqa: S101 - narrows the type only
        return body.extras

    @property
    def dropped(self) -> tuple[Remark, ...]:
        """Return the remarks about links that were skipped."""
        return tuple(remark for remark in self.remarks if remark.action is Action.DROPPED)

    @property
    def skipped_links(self) -> dict[str, int]:
        """Return how many links the reader could not use, by code; ``dropped`` has the place and the text of each."""
        return skipped_links(self.remarks)

    @property
    def is_unchecked(self) -> bool:
        """Return whether the document has links and none of them could be used."""
        return not self.links and any(remark.action is Action.DROPPED for remark in self.remarks)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file, or one document of a file, that could not be read, and why."""

    id: str  # its name
    path: str  # the file
    error: InputError  # why
    is_answer: bool = False  # of a model

    def as_answer(self, reading: Reading) -> Document:
        """Return it as an answer of a model without links.

        Args:
            reading: The label set of the answer.

        Returns:
            A document that says why it has no link.
        """
        remark = Remark("unreadable", str(self.error), action=Action.DROPPED)
        return Document(self.id, remarks=(remark,), path=self.path, how_read=HowRead(ANSWERS, reading))


class PlainTimes(NamedTuple):
    """The time expressions of a plain graph, without their words, and the meaning of its labels."""

    entities: Mapping[Hashable, Entity]  # by the names that the columns of the graph use
    reading: Reading


class PlainGraph(NamedTuple):
    """The links of an ordinary document as columns: enough to see that it is consistent, and made much faster.

    ``labels`` counts the labels of the links, ``complete`` reads the document, for everything else.
    """

    id: str
    path: str
    entities: int  # how many there are
    sources: Sequence[Hashable]  # names of entities, in whatever form
    relations: Sequence[Relation]
    targets: Sequence[Hashable]
    remarks: tuple[Remark, ...]
    format: str
    labels: Callable[[], Mapping[str, int]]
    complete: Callable[[], Document | Unreadable]
    times: PlainTimes | None = None  # None: values of time expressions were not asked for
