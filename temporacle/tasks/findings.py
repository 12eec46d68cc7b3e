"""Findings for a gate: verdicts and remarks of ``check`` in one form, each recognised again after an edit.

A *finding* is a contradiction, a document that could not be read or decided, or a remark. Its fingerprint is made from
what it is about (rule, document, labels and entities), not from where it stands: moving lines, or renumbering links,
does not make it a new one. Two findings may have the same fingerprint; then their number counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.checks import INCOMPLETE
from temporacle.results import DocumentVerdict
from temporacle.rules import RuleKind
from temporacle.trouble import UNCHECKED, UNDECIDED, UNREADABLE, Trouble
from temporacle.wording import Names, conflict_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.checks import Check
    from temporacle.model import Remark
    from temporacle.results import Fact
    from temporacle.wording import ConflictWords

INCONSISTENT = "inconsistent"
_PLACES = re.compile(r" \(line \d+\)|(?<=\blink )\d+|(?<=\bline)\d+\b|(?<=[@:])\d+\b")
_NAMED_BY_PLACE = re.compile(r"(line|#)?\d+|.*[:@]\d+")  # ids that readers make of lines and positions
_WHERE = {"id", "line", "relation", "source_text", "target_text", "text"}  # what an edit elsewhere can change


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that a gate may fail for."""

    code: str
    kind: RuleKind
    document: str
    path: str | None
    line: int | None
    message: str
    about: str  # what the fingerprint is made from, together with code and document
    links: tuple[Fact, ...] = ()  # of a conflict, values among them

    @property
    def sayings(self) -> tuple[str, ...]:
        """Return what the links of a conflict say, in a fixed order."""
        return tuple(sorted(fact.said for fact in self.links))

    @property
    def fingerprint(self) -> str:
        """Return a value that stays the same for the same finding in a later version of the file."""
        from hashlib import sha256

        return sha256(_json([self.code, self.document, self.about]).encode()).hexdigest()[:20]

    @property
    def fails(self) -> bool:
        """Return whether the finding keeps ``check`` from exit code 0."""
        return self.kind in {RuleKind.ERROR, RuleKind.DROPPED} or self.code in INCOMPLETE


_ERRORS = {DocumentVerdict.UNREADABLE: UNREADABLE, DocumentVerdict.UNCHECKED: UNCHECKED}


def findings_of(check: Check) -> Iterator[CheckFinding]:
    """Yield the findings about a document: contradictions first, then remarks."""
    if check.verdict is DocumentVerdict.INCONSISTENT:
        yield from _contradictions(check)
    elif check.verdict is not DocumentVerdict.CONSISTENT:
        yield _of_error(check, _ERRORS.get(check.verdict, UNDECIDED))
    for remark in check.remarks:
        yield _of_remark(check, remark)


def _contradictions(check: Check) -> Iterator[CheckFinding]:
    for links, words in zip(check.conflicts, check.in_words(), strict=False):
        yield conflict_finding(check, links, words)
    if not check.conflicts:
        message = "The links of this document contradict each other."
        yield CheckFinding(INCONSISTENT, RuleKind.ERROR, check.document, check.path, None, message, "")


def conflict_finding(check: Check, links: Sequence[Fact], words: ConflictWords | None = None) -> CheckFinding:
    """Return the finding of a conflict, of the list or not."""
    words = words or conflict_words(links, (), check.excerpts, Names(check.excerpts))
    message = "\n".join([words.headline, *words.facts])
    line = next((link.line for link in links if link.line is not None), None)
    about = _json(sorted(_json(_content(link)) for link in links))
    return CheckFinding(INCONSISTENT, RuleKind.ERROR, check.document, check.path, line, message, about, tuple(links))


def _content(link: Fact) -> dict[str, Any]:
    return {name: value for name, value in link.to_dict().items() if name not in _WHERE}


def _of_error(check: Check, code: str) -> CheckFinding:
    place = re.match(re.escape(check.path or "") + r":(\d+)(:\d+)*: ", check.error or "")
    message = (check.error or "")[place.end() if place else 0 :]
    line = int(place[1]) if place else None
    about = "" if code == UNDECIDED else message.partition("; ")[0]  # neither time limits nor advice matter
    return CheckFinding(code, RuleKind.ERROR, check.document, check.path, line, message, about)


def _of_remark(check: Check, remark: Remark) -> CheckFinding:
    element = remark.element or ""
    said = remark.message.partition("; ")[0]  # what follows is advice, which may change with a version
    about = f"{'' if _NAMED_BY_PLACE.fullmatch(element) else element} {_PLACES.sub('', said)}"
    kind = Trouble(check.path, remark).kind
    return CheckFinding(remark.code, kind, check.document, check.path, remark.line, remark.sentence(), about)


def _json(value: object) -> str:
    import json  # most documents have no conflict

    return json.dumps(value, sort_keys=True)
