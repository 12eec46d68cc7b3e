"""Every exception Temporacle raises on purpose, as one tree.

    TemporacleError
    ├── UsageError            the call cannot be meant: unknown name, wrong option          exit 2
    ├── InputError            a file cannot be used, with file, line and cure               exit 2 or 3
    │   ├── LabelError        a label that the reading does not know
    │   └── AmbiguousFormatError    two formats fit: the user must say which is meant
    ├── ContradictionError    the document contradicts itself, so the question has no answer
    ├── BudgetExceeded        time ran out: the answer is UNDECIDED, never a guess          exit 3
    └── InternalError         a self-check failed (a solver lied): never shown as a verdict exit 3

``InputWarning`` is a warning of Python: rows of the caller's own data were skipped, as ``on_error="skip"`` asks for.

That a document is inconsistent is a result. Only a question that has no answer then (the strongest relations, a model)
raises ContradictionError. Exceptions carry data; ``str()`` is for people.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporacle.results import Fact


class TemporacleError(Exception):
    """Base of all errors raised on purpose."""


class UsageError(TemporacleError):
    """The caller asked for something that does not exist or cannot be combined."""


class InputError(TemporacleError):
    """A file, or one element of it, cannot be used.

    >>> str(InputError("wrong number of columns", path="a.tsv", line=3, cure="use 3 or 4"))
    'a.tsv:3: wrong number of columns; use 3 or 4'
    """

    def __init__(
        self,
        reason: str,
        *,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
        element: str | None = None,
        cure: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path
        self.line = line
        self.column = column
        self.element = element
        self.cure = cure

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        element = f"{self.element}: " if self.element else ""
        cure = f"; {self.cure}" if self.cure else ""
        return f"{place + ': ' if place else ''}{element}{self.reason}{cure}"


class LabelError(InputError):
    """A relation label that cannot be read."""


class AmbiguousFormatError(InputError):
    """A file that could be in more than one format."""


class ContradictionError(TemporacleError):
    """A document contradicts itself. ``conflict`` holds links that cannot all be true, each of them needed.

    ``conflict`` is empty if the time ended before a conflict was found.
    """

    def __init__(self, document: str, conflict: tuple[Fact, ...] = ()) -> None:
        super().__init__(document, conflict)
        self.document = document
        self.conflict = conflict

    def __str__(self) -> str:
        shown = [f"{fact.said} ({fact.id})" for fact in self.conflict[:6]]
        more = f", and {len(self.conflict) - 6} more" if len(self.conflict) > 6 else ""
        what = "links" if all(hasattr(fact, "source") for fact in self.conflict) else "links and values"
        because = f": these {what} cannot all be true: {', '.join(shown)}{more}" if shown else ""
        return f"{self.claim}{because}"

    @property
    def claim(self) -> str:
        """Return what is wrong, without the reason."""
        return f"document {self.document!r} contradicts itself"


class BudgetExceeded(TemporacleError):  # noqa: N818 - it is a condition, not a mistake
    """The time allowed for a document ran out before the question was decided."""


class InternalError(TemporacleError):
    """A self-check failed. No verdict may be drawn from what was computed."""


class InputWarning(UserWarning):
    """Some rows of a list, dict or frame were skipped, because the caller said ``on_error="skip"``."""


def warn_caller(warning: Warning) -> None:
    """Issue a warning at the line of the caller's code that called this package."""
    frame = sys._getframe(1)  # noqa: SLF001 - warnings itself does so
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "temporacle":
        frame = frame.f_back
    told = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(warning, type(warning), frame.f_code.co_filename, frame.f_lineno, registry=told)
