"""What could not be used of a document: a file that cannot be read, links that were left out, a missing verdict."""

from __future__ import annotations

from typing import Any, NamedTuple

from temporacle.model import Action, Document, Remark, Unreadable

UNREADABLE = "unreadable"
UNDECIDED = "undecided"


class Trouble(NamedTuple):
    """A remark about something that could not be used, and the file it is about.

    >>> str(Trouble("d.tsv", Remark("unknown-label", "unknown label 'X'", 2, "l7", Action.DROPPED)))
    "d.tsv:2: dropped l7: unknown label 'X'"
    >>> str(Trouble(None, Remark("undecided", "the time limit of 1 s ran out", element="d1")))
    'd1: undecided: the time limit of 1 s ran out'
    """

    path: str | None
    remark: Remark

    def __str__(self) -> str:
        """A sentence for people."""
        code, message, line, element, action = self.remark
        if code == UNREADABLE:
            return f"unreadable: {message}"  # which says where
        where = ":".join(str(part) for part in (self.path or element, line) if part is not None)
        what = f"dropped {element or 'link'}" if action is Action.DROPPED else code
        return f"{where}: {what}: {message}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        code, message, line, element, action = self.remark
        return {
            "code": code,
            "message": message,
            "path": self.path,
            "line": line,
            "element": element,
            "action": action.value,
        }


def trouble_with(found: Document | Unreadable) -> tuple[Trouble, ...]:
    """Why a file could not be read, or which links of a document were left out."""
    if isinstance(found, Unreadable):
        return (Trouble(found.path, Remark(UNREADABLE, str(found.error), element=found.id)),)
    return tuple(Trouble(found.path, remark) for remark in found.dropped)
