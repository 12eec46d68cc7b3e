r"""The lines of a brat ``.ann`` file, each with its place in the text.

    T1  EVENT 10 14         left            a span: type, offsets (several parts joined by ;), text
    E1  Motion:T1 Theme:T9                  an event: type and trigger, arguments
    R1  BEFORE Arg1:E1 Arg2:T2              a relation
    A1  Certainty R1 low                    an attribute (M: its old name)
    #1  AnnotatorNotes R1   re-read this    a note
    *   Equiv T3 T4                         an equivalence
    N1  Reference T9 Wikidata:Q1    crew    a normalization

Id, body and text are separated by tabs. Lines end with LF or CRLF and nothing else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPAN = re.compile(r"(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)")
_EVENT = re.compile(r"(\S+?):(\S+)((?: [^\s:]+:\S+)*) *")
_RELATION = re.compile(r"(\S+)((?: [^\s:]+:\S+)*) *")
_ATTRIBUTE = re.compile(r"(\S+) (\S+)(?: (.+?))? *")
_NOTE = re.compile(r"(\S+) (\S+) *")
_EQUIVALENCE = re.compile(r"(\S+)((?: \S+)+) *")
_FIRST_LINE = re.compile(
    r"\ufeff?(?:T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*(?:\t|$)"
    r"|R\d+\t\S+ [^\s:]+:\S+ [^\s:]+:\S+\s*$"
    r"|E\d+\t[^\s:]+:T\d+(?:\s|$))"
)
_FORMS = {"T": _SPAN, "E": _EVENT, "R": _RELATION, "A": _ATTRIBUTE, "M": _ATTRIBUTE, "N": _ATTRIBUTE, "*": _EQUIVALENCE}


class Line(NamedTuple):
    """One line. ``parts`` is what its form has: see above; None if it has none of the forms."""

    number: int
    start: int
    end: int  # without the line end
    next_start: int
    id: str
    parts: re.Match[str] | None
    body_start: int
    tail: str | None  # behind the second tab

    @property
    def kind(self) -> str:
        return self.id[:1]

    def place(self, group: int) -> tuple[int, int]:
        """Return the position of a part in the text."""
        assert self.parts is not None  # noqa: S101 - narrows the type only
        start, end = self.parts.span(group)
        return self.body_start + start, self.body_start + end

    def part(self, group: int) -> str:
        assert self.parts is not None  # noqa: S101
        return self.parts[group] or ""

    def arguments(self) -> list[tuple[str, str]]:
        """Return the arguments of a relation or an event, by name, in order."""
        written = self.part(2 if self.kind == "R" else 3).split()
        return [(name, value) for name, _, value in (each.partition(":") for each in written)]

    def target(self) -> str | None:
        """Return the id that an attribute, a note or a normalization is about."""
        return self.part(2) if self.kind in "AMN#" and self.parts is not None else None


def lines(text: str) -> Iterator[Line]:
    """Yield the lines that are not blank."""
    start, number = 0, 0
    while start < len(text):
        feed = text.find("\n", start)
        next_start = len(text) if feed < 0 else feed + 1
        end = len(text) if feed < 0 else feed
        if end > start and feed >= 0 and text[end - 1] == "\r":
            end -= 1
        number += 1
        if text[start:end].strip():
            yield _line(text, number, start, end, next_start)
        start = next_start


def _line(text: str, number: int, start: int, end: int, next_start: int) -> Line:
    name, tab, rest = text[start:end].partition("\t")
    body, tail_tab, tail = rest.partition("\t")
    kind = name[:1]
    parts = None
    if tab and kind == "#":
        parts = _NOTE.fullmatch(body) if len(name) > 1 else None
    elif tab and (name == "*" or (kind in _FORMS and kind != "*" and len(name) > 1 and " " not in name)):
        parts = _FORMS[kind].fullmatch(body)
    return Line(number, start, end, next_start, name, parts, start + len(name) + 1, tail if tail_tab else None)


def is_first_line(line: str, path: str) -> bool:
    r"""Return whether a file that begins with this line is in brat's format.

    >>> is_first_line("T1\tEVENT 10 14\tleft", "x"), is_first_line("T1\te7\tBEFORE", "x")
    (True, False)
    """
    return path.endswith((".ann", ".ann.gz")) or _FIRST_LINE.match(line) is not None
