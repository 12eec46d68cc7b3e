"""The changes to make in a document."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from temporacle.errors import InternalError, UsageError
from temporacle.io.formats import looks_like_xml
from temporacle.model import Body
from temporacle.printing import first_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document, Entity, Link

T = TypeVar("T")
NOTE = "temporacle: "
"""How notes of this program begin: the next run replaces these, and leaves those of other people alone."""
_BETWEEN = " | "


class NoPlaceForNotesError(UsageError):
    """The format has nowhere to put a note at a link."""


class NewLink(NamedTuple):
    """A link to add. Its id is a wish: where it is taken, or where links have no ids, the file gets another.

    >>> NewLink(*("left", "BEFORE", "docked")).said
    'left BEFORE docked'
    """

    source: str
    label: str
    target: str
    id: str = ""  # empty: the next one in the pattern of the file
    comment: str | None = None

    @property
    def said(self) -> str:
        """Return the statement of the link."""
        return f"{self.source} {self.label} {self.target}"


@dataclass(frozen=True, slots=True)
class Edits:
    """Changes of one document's links, by their ids, and links to add."""

    drop: frozenset[str] = frozenset()
    relabel: Mapping[str, str] = field(default_factory=dict)
    comment: Mapping[str, str] = field(default_factory=dict)  # a note at a link
    renew: bool = False  # take out the notes that this program left before
    add: tuple[NewLink, ...] = ()
    values: Mapping[str, str | None] = field(default_factory=dict)  # new calendar values by id; None: it goes

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", frozenset(self.drop))
        stripped = (NewLink(*each)._replace(label=each[1].strip()) for each in self.add)
        object.__setattr__(self, "add", tuple(stripped))
        if both := sorted(self.drop & (self.relabel.keys() | self.comment.keys())):
            raise UsageError(f"{', '.join(both)}: a link cannot be dropped and also relabelled or commented")

    def __bool__(self) -> bool:
        return bool(self.drop or self.relabel or self.comment or self.renew or self.add or self.values)

    @property
    def has_notes(self) -> bool:
        """Return whether there are notes to write."""
        return bool(self.comment) or any(each.comment for each in self.add)

    @property
    def links(self) -> frozenset[str]:
        """Return the ids of all links of the document that an edit concerns."""
        return self.drop | self.relabel.keys() | self.comment.keys()

    def replaces(self, link: str) -> bool:
        """Return whether an earlier note of Temporacle at a link is removed: with the link, or for a new note."""
        return self.renew or link in self.drop or self.comment.get(link, "").startswith(NOTE)

    def require(self, known: Iterable[str], document: str) -> None:
        """Raise UsageError if an id is not among the known ones."""
        names = list(known)
        if unknown := sorted(self.links - set(names)):
            missing = first_of(map(shown, unknown))
            raise UsageError(f"document {shown(document)} has no link {missing}; its links: {first_of(names)}")


_POINTS = (".beginPoint", ".endPoint")  # after the id of a time


def values_in(time: Entity) -> dict[str, str | None]:
    """Return what a time says about the calendar by ids: its value ("t3"), and the times that it names
    ("t3.beginPoint").
    """
    names = (time.id, *(f"{time.id}{point}" for point in _POINTS))
    return dict(zip(names, (time.value, time.begin_point, time.end_point), strict=True))


def changed_values(before: Document, after: Document) -> dict[str, str | None]:
    """Return the values of the second document that the first has not."""
    if before.body is after.body:
        return {}
    old = {name: value for time in reversed(before.times) for name, value in values_in(time).items()}
    new = {name: value for time in reversed(after.times) for name, value in values_in(time).items()}
    return {name: new[name] for name, value in old.items() if name in new and new[name] != value}


def with_values(document: Document, values: Mapping[str, str | None]) -> Document:
    """Return a document whose times have other values."""
    if not values:
        return document
    times = None if document.known_times is None else tuple(_with_values(each, values) for each in document.known_times)
    return replace(document, body=partial(_body_with_values, document, values), known_times=times)


def _body_with_values(document: Document, values: Mapping[str, str | None]) -> Body:
    return Body(tuple(_with_values(each, values) for each in document.entities), document.text, document.extras)


def _with_values(entity: Entity, values: Mapping[str, str | None]) -> Entity:
    value, begins, ends = (values.get(name, before) for name, before in values_in(entity).items())
    return entity._replace(value=value, begin_point=begins, end_point=ends)


def time_and_attribute(name: str) -> tuple[str, str]:
    """Return the time and the attribute that the id of a value stands for.

    >>> time_and_attribute("t3"), time_and_attribute("t5.beginPoint")
    (('t3', 'value'), ('t5', 'beginPoint'))
    """
    time, _, attribute = name.rpartition(".")
    return (time, attribute) if name.endswith(_POINTS) else (name, "value")


def in_step(links: Sequence[Link], stated: Iterable[T], says: Callable[[T, Link], bool]) -> dict[str, T]:
    """Return, for each link id, the statement in the file that the link was made from.

    Both come in the order of the file. Statements that no link was made of are passed over: whether a statement can be
    read depends on what it says alone, so of two that say the same, both were read or neither.
    """
    found: dict[str, T] = {}
    remaining = iter(links)
    link = next(remaining, None)
    for each in stated:
        if link is not None and says(each, link):
            found[link.id] = each
            link = next(remaining, None)
    return found


def is_named(link: Link, name: str) -> bool:
    """Return whether a link has a name, perhaps with an ending that distinguishes it from others of that name."""
    return link.id == name or link.id.startswith((f"{name}@", f"{name}#"))


def plain_note(text: str) -> str:
    """Return a note on one line, as tools show it."""
    return " ".join(text.split()).replace(_BETWEEN, " / ")


def joined_notes(before: str | None, links: Collection[str], edits: Edits, added: Iterable[NewLink] = ()) -> str | None:
    """Return the text of a field with the notes of some links after the edits; None if nothing is left.

    What other people wrote there stays. Several notes are joined by `` | ``.
    ``added``: new links whose notes belong there, too.
    """
    kept = [each for each in (before.split(_BETWEEN) if before else ()) if not _goes(each, links, edits)]
    new = [plain_note(note) for link, note in edits.comment.items() if link in links]
    new += [plain_note(each.comment) for each in added if each.comment]
    return _BETWEEN.join((*kept, *new)) or None


def _goes(note: str, links: Collection[str], edits: Edits) -> bool:
    """Return whether a note written by Temporacle is replaced or removed with its link.

    Its first word is the link's id.
    """
    if not note.startswith(NOTE):
        return False
    return edits.renew or any(note.startswith(f"{NOTE}{link} ") and edits.replaces(link) for link in links)


# ----------------------------------------------------------------------------------------------------
# Ids for new links, in the pattern of the ids that a file has.

_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})")


def next_id(ids: Iterable[str], taken: Iterable[str] = (), *, usual: str = "l") -> str:
    """Return a free id: the usual beginning of the ids, and one more than the highest number behind it.

    ``taken``: further ids that are not free. ``usual``: the beginning if no id has a number.

    >>> next_id(["l1", "l42", "x"]), next_id(["tl-07", "tl-09"]), next_id([]), next_id(["l1"], taken=["l2"])
    ('l43', 'tl-10', 'l1', 'l3')
    """
    return FreeIds(ids, taken, usual=usual).give()


class FreeIds:
    """Gives ids to the new links of a file, no id twice."""

    def __init__(self, ids: Iterable[str], taken: Iterable[str] = (), *, usual: str = "l") -> None:
        known = list(ids)
        self._taken = {*known, *taken}
        parts = [match.groups() for match in map(_NUMBERED.fullmatch, known) if match is not None]
        count = Counter(beginning for beginning, _ in parts)
        self._beginning = count.most_common(1)[0][0] if count else usual  # of equally many the first in the file
        numbers = [number for beginning, number in parts if beginning == self._beginning]
        self._number = max(map(int, numbers), default=0)
        is_padded = any(number.startswith("0") and len(number) > 1 for number in numbers)
        self._width = len(numbers[-1]) if is_padded else 1

    def give(self, wish: str = "", *, allowed: re.Pattern[str] | None = None) -> str:
        """Return the wanted id if it is free and of the allowed form, otherwise the next free one."""
        found = wish if allowed is None or allowed.fullmatch(wish) else ""
        while not found or found in self._taken:
            self._number += 1
            found = f"{self._beginning}{self._number:0{self._width}}"
        self._taken.add(found)
        return found


# ----------------------------------------------------------------------------------------------------
# The text of a file with a way back to its bytes, so that a change touches the bytes of what changes and no others.
#
# Editors look for places in the decoded text and say what to replace there (``Splice``). The new file is put together
# from the bytes of the old one: a byte order mark, line ends and the encoding stay as they are.

# The longer marks come first: that of UTF-32 begins with that of UTF-16.
_MARKS = {
    b"\xef\xbb\xbf": None,
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_WITHOUT_MARK = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}  # how XML in UTF-16 begins
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")


class Splice(NamedTuple):
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str = ""


class EditableText:
    """The text of a source, and its bytes with other text in some places."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._mark, self.encoding = _encoding(source)
        self._is_xml = looks_like_xml(source.data)
        # Lines that could not be read may hold bytes that are not text. They stay as they are.
        self._errors = "strict" if self.encoding.lower().startswith(("utf-16", "utf-32")) else "surrogateescape"
        try:
            self.text = source.data[len(self._mark) :].decode(self.encoding, self._errors)
        except UnicodeError as error:
            raise source.error(f"cannot be changed: it is not text in {self.encoding}: {error}") from None

    def spliced(self, splices: Iterable[Splice]) -> bytes:
        """Return the bytes of the file after all replacements. A replacement inside a larger removal has no effect."""
        before, after = [self._mark], [self._mark]
        position = 0
        for splice in _in_order(splices):
            kept = self._original(position, splice.start)
            before += (kept, self._original(splice.start, splice.end))
            after += (kept, self._encoded(splice.new))
            position = splice.end
        rest = self._original(position, len(self.text))
        if b"".join((*before, rest)) != self._source.data:  # an encoding with several spellings of one text
            raise self._source.error(
                f"cannot be changed in place: its bytes are not the only way to write it in {self.encoding}",
                cure="save it as UTF-8 first",
            )
        return b"".join((*after, rest))

    def _original(self, start: int, end: int) -> bytes:
        return self.text[start:end].encode(self.encoding, self._errors)

    def _encoded(self, new: str) -> bytes:
        try:
            return new.encode(self.encoding, "xmlcharrefreplace" if self._is_xml else "strict")
        except UnicodeEncodeError as error:
            character = shown(new[error.start])
            raise UsageError(f"{self._source.path}: {character} cannot be written in {self.encoding}") from None


def _encoding(source: Source) -> tuple[bytes, str]:
    """Return the byte order mark, if there is one, and the encoding in which the file was read."""
    data, chosen = source.data, source.options.encoding
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return mark, name or chosen or "utf-8"
    if chosen is not None:
        return b"", chosen
    if (wide := _WITHOUT_MARK.get(data[:2])) is not None:
        return b"", wide
    declared = _DECLARED.match(data)
    return b"", declared[1].decode() if declared else "utf-8"


def _in_order(splices: Iterable[Splice]) -> Iterator[Splice]:
    """Yield the splices in order, without those inside a removal. Raise an error if two overlap in another way."""
    end = 0
    for splice in sorted(splices, key=lambda each: (each.start, each.end > each.start, -each.end)):  # insertions first
        if splice.start >= end:
            yield splice
            end = splice.end
        elif splice.end > end:
            raise InternalError(f"two changes overlap at {splice.start}: nothing was written")
