"""The changes to make in a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from temporacle.errors import UsageError
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from temporacle.model import Link

T = TypeVar("T")
NOTE = "temporacle: "
"""How notes of this program begin: the next run replaces these, and leaves those of other people alone."""
_BETWEEN = " | "
_LISTED = 10


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", frozenset(self.drop))
        stripped = (NewLink(*each)._replace(label=each[1].strip()) for each in self.add)
        object.__setattr__(self, "add", tuple(stripped))
        if both := sorted(self.drop & (self.relabel.keys() | self.comment.keys())):
            raise UsageError(f"{', '.join(both)}: a link cannot be dropped and also relabelled or commented")

    def __bool__(self) -> bool:
        return bool(self.drop or self.relabel or self.comment or self.renew or self.add)

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
            listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "") or "none"
            missing = ", ".join(map(shown, unknown[:_LISTED]))
            raise UsageError(f"document {shown(document)} has no link {missing}; its links: {listed}")


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
