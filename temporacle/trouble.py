"""Remarks as people read them: ``x.tml:101: warning[self-link]: l54 links e3 to itself and has no effect``.

The form is the same in every command: place, kind and code (see ``rules``), sentence.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from temporacle.model import Action, Document, Remark, Unreadable
from temporacle.rules import RuleKind, rule_of

UNREADABLE = "unreadable"
UNDECIDED = "undecided"
UNCHECKED = "unchecked"
_ERRORS = {UNREADABLE, UNDECIDED, UNCHECKED}


class Trouble(NamedTuple):
    """A remark, and the file that it is about.

    >>> str(Trouble("d.tsv", Remark("unknown-label", "unknown label 'X'", 2, "l7", Action.DROPPED)))
    "d.tsv:2: dropped[unknown-label]: l7: unknown label 'X'"
    >>> str(Trouble(None, Remark("undecided", "the time limit of 1 s ran out", element="d1")))
    'd1: error[undecided]: the time limit of 1 s ran out'
    >>> str(Trouble("d.tsv", Remark("unreadable", "d.tsv:2: 5 columns where 3 are expected")))
    'd.tsv:2: error[unreadable]: 5 columns where 3 are expected'
    """

    path: str | None
    remark: Remark

    @property
    def kind(self) -> RuleKind:
        """Return the effect of the remark on the result."""
        if self.remark.code in _ERRORS:
            return RuleKind.ERROR
        if self.remark.action is Action.DROPPED:
            return RuleKind.DROPPED
        rule = rule_of(self.remark.code)
        return RuleKind.WARNING if rule is None or rule.kind is RuleKind.DROPPED else rule.kind

    def __str__(self) -> str:
        """Return a line for people."""
        place, sentence = self._parts()
        return f"{place + ': ' if place else ''}{self.kind}[{self.remark.code}]: {sentence}"

    def _parts(self) -> tuple[str, str]:
        """Return the place, and the message about it."""
        remark = self.remark
        if self.path is None or remark.code in _ERRORS:  # about a document as a whole
            place, sentence = self.path or remark.element or "", remark.message
            if place and (named := re.match(re.escape(place) + r"(:\d+)*(?=: )", sentence)):
                place, sentence = named[0], sentence[named.end() + 2 :]  # the message of an InputError has its place
        else:
            place, sentence = self.path, remark.sentence()
        return (place if remark.line is None else f"{place}:{remark.line}" if place else ""), sentence

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**self.remark.to_dict(), "path": self.path}


def trouble_with(found: Document | Unreadable) -> tuple[Trouble, ...]:
    """Return the reason why a file could not be read, or the links of a document that were left out."""
    if isinstance(found, Unreadable):
        return (Trouble(found.path, Remark(UNREADABLE, str(found.error), element=found.id)),)
    return tuple(Trouble(found.path, remark) for remark in found.dropped)
