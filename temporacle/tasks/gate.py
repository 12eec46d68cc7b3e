"""Findings for a gate: verdicts and remarks of ``check`` in one form, each recognised again after an edit.

A *finding* is a contradiction, a document that could not be read or decided, or a remark. Its fingerprint is made from
what it is about (rule, document, labels and entities), not from where it stands: moving lines, or renumbering links,
does not make it a new one. Two findings may have the same fingerprint; then their number counts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.checks import INCOMPLETE, OUT_OF_TIME, KnownDocument
from temporacle.errors import UsageError, spelled
from temporacle.results import DocumentVerdict
from temporacle.rules import UNCHECKED, UNDECIDED, UNREADABLE, RuleKind, Trouble, allowed_codes
from temporacle.wording import Names, conflict_words, needs_removed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
        return self.kind in {RuleKind.ERROR, RuleKind.SKIPPED} or self.code in INCOMPLETE


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
    needs = [needs_removed(check.to_drop)] if words is not None and check.to_drop else []
    words = words or conflict_words(links, (), check.excerpts, Names(check.excerpts))
    message = "\n".join([words.headline, *words.facts, *needs])
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


_VERSION = 2
_KEY = "temporacle-baseline"


class Known(NamedTuple):
    """A finding of an earlier run."""

    fingerprint: str
    code: str
    document: str
    message: str
    links: tuple[str, ...] = ()  # what the links of a conflict say, sorted

    @classmethod
    def of(cls, finding: CheckFinding) -> Known:
        """Return what is kept of a finding: its message in one line, without line numbers."""
        said = "; ".join(fact.said for fact in finding.links)
        message = said or finding.message.partition("\n")[0]
        return cls(finding.fingerprint, finding.code, finding.document, message, finding.sayings)

    @property
    def mark(self) -> str | tuple[str, ...]:
        """Return what a finding is recognised by: what the links of a conflict say, or the fingerprint."""
        return (self.document, *self.links) if self.links else self.fingerprint


class Baseline:
    """Findings of an earlier run, each with the number of times that it is known."""

    def __init__(self, known: Iterable[tuple[Known, int]] = (), links: Mapping[str, list[str]] | None = None) -> None:
        self.links = links  # of documents with conflicts; None: they are not known
        self._entries: dict[str | tuple[str, ...], Known] = {}
        self._left: Counter[str | tuple[str, ...]] = Counter()  # known and not met in this run
        self._seen: set[str] = set()  # documents of this run
        for entry, count in known:
            self._entries[entry.mark] = entry
            self._left[entry.mark] += count

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Return the baseline in a file. Raise UsageError if there is none."""
        import json

        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123
                table = json.load(file)
            if table[_KEY] not in range(1, _VERSION + 1):
                raise UsageError(f"{path}: a baseline of version {table[_KEY]!r:.40}, and version {_VERSION} is needed")
            return cls(map(_entry, table["findings"]), _links(table) if table[_KEY] == _VERSION else None)
        except OSError as error:
            cure = f"write one with {spelled('write_baseline')}"
            raise UsageError(f"{path}: cannot be opened: {error.strerror or error}; {cure}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UsageError(f"{path}: not a baseline; write one with {spelled('write_baseline')}") from None

    def documents(self) -> dict[str, KnownDocument]:
        """Return the documents that had conflicts."""
        conflicts: dict[str, dict[tuple[str, ...], int]] = {}
        for mark, entry in self._entries.items():
            if entry.links:
                conflicts.setdefault(entry.document, {})[entry.links] = self._left[mark]
        links = self.links
        return {
            name: KnownDocument(None if links is None else Counter(links.get(name, ())), known)
            for name, known in conflicts.items()
        }

    def meets(self, document: str) -> None:
        """Note that a document was judged in this run."""
        self._seen.add(document)

    def takes(self, entry: Known) -> bool:
        """Return whether a finding is known. Each known finding passes as often as it was found before."""
        if not self._left[entry.mark]:
            return False
        self._left[entry.mark] -= 1
        return True

    def fixed(self) -> Iterator[tuple[Known, int]]:
        """Yield known findings of documents of this run that are gone."""
        return ((entry, count) for entry, count in self._unmet() if entry.document in self._seen)

    def elsewhere(self) -> Iterator[tuple[Known, int]]:
        """Yield known findings of documents that are not part of this run, or could not be judged."""
        return ((entry, count) for entry, count in self._unmet() if entry.document not in self._seen)

    def links_elsewhere(self) -> dict[str, list[str]]:
        """Return the links of documents that are not part of this run."""
        return {name: links for name, links in (self.links or {}).items() if name not in self._seen}

    def _unmet(self) -> Iterator[tuple[Known, int]]:
        for mark, entry in self._entries.items():
            if self._left[mark]:
                yield entry, self._left[mark]


class BaselineJudgement(NamedTuple):
    """A finding, and why it may pass."""

    finding: CheckFinding
    known: bool = False  # the baseline has it
    accepted: bool = False  # links may be dropped for this reason
    listed: bool = True  # it is among what a check shows without a baseline

    @property
    def fails(self) -> bool:
        """Return whether the finding keeps ``check`` from exit code 0."""
        return self.finding.fails and not (self.known or self.accepted)


class Gate:
    """Compares the findings of a run with a baseline, and collects them for another one."""

    def __init__(self, baseline: str | None = None, write: str | None = None, accept: Iterable[str] = ()) -> None:
        self.accepted = allowed_codes(accept)
        self._baseline = None if baseline is None else Baseline.read(baseline)
        self._write = write
        self._found: list[tuple[Known, int]] = []
        self._links: dict[str, list[str]] = {}  # of documents with conflicts
        self.known = self.new = 0

    @property
    def compares(self) -> bool:
        """Return whether there is a baseline."""
        return self._baseline is not None

    @property
    def is_old(self) -> bool:
        """Return whether the baseline lacks the links of documents: conflicts of added links may pass."""
        return self._baseline is not None and self._baseline.links is None

    @property
    def documents(self) -> dict[str, KnownDocument] | None:
        """Return what a check must know to compare documents; None if nothing is compared or written."""
        if self._baseline is not None:
            return self._baseline.documents()
        return None if self._write is None else {}

    def judged(self, check: Check) -> list[BaselineJudgement]:
        """Return the findings of a document."""
        is_whole = not any(remark.code == OUT_OF_TIME for remark in check.remarks)
        if self._baseline is not None and is_whole and check.verdict in _JUDGED:
            self._baseline.meets(check.document)
        if check.is_plain:
            return []
        found = [
            BaselineJudgement(each, known=self._knows(each), accepted=each.code in self.accepted)
            for each in findings_of(check)
        ]
        if check.compared is not None:
            found = [*self._beside(check, found), *found]
            self._links[check.document] = list(check.compared.said)
        known = sum(each.known for each in found)
        self.known += known
        self.new += len(found) - known
        if self._write is not None:
            self._found += [(Known.of(each.finding), 1) for each in found]
        return found

    def _knows(self, finding: CheckFinding) -> bool:
        return self._baseline is not None and self._baseline.takes(Known.of(finding))

    def _beside(self, check: Check, listed: Iterable[BaselineJudgement]) -> Iterator[BaselineJudgement]:
        """Yield conflicts that the list does not show: known ones that are still there, and those of added links."""
        if check.compared is None:
            return
        listed = list(listed)
        told = Counter(each.finding.sayings for each in listed if each.finding.links)
        new = {each.finding.sayings for each in listed if not each.known}
        for facts, times in check.compared.still:
            finding = conflict_finding(check, facts)
            for _ in range(times - told[finding.sayings]):
                if self._knows(finding):
                    yield BaselineJudgement(finding, known=True, listed=False)
        for facts in check.compared.added:
            finding = conflict_finding(check, facts)
            if finding.sayings not in new:
                yield BaselineJudgement(finding, listed=False)

    def fixed(self) -> list[tuple[Known, int]]:
        """Return known findings that are gone."""
        return [] if self._baseline is None else list(self._baseline.fixed())

    def write(self) -> int | None:
        """Write the new baseline, if one was asked for; findings of documents that were not checked stay in it."""
        if self._write is None:
            return None
        elsewhere = () if self._baseline is None else self._baseline.elsewhere()
        links = {} if self._baseline is None else self._baseline.links_elsewhere()
        return write_baseline(self._write, [*elsewhere, *self._found], links | self._links)


_JUDGED = {DocumentVerdict.CONSISTENT, DocumentVerdict.INCONSISTENT}


def _entry(row: dict[str, Any]) -> tuple[Known, int]:
    fingerprint, code, document, message = texts = [row[name] for name in Known._fields[:4]]
    count = row["count"]
    links = row.get("links")
    if links is None:  # of version 1, which has them in the message
        links = message.split("; ") if code == INCONSISTENT and _is_conflict(message) else []
    if not all(type(text) is str for text in (*texts, *links)) or type(count) is not int or count < 1:
        raise ValueError
    return Known(fingerprint, code, document, message, tuple(sorted(links))), count


def _is_conflict(message: str) -> bool:
    """Return whether a message of version 1 tells links, and not that they are not known."""
    return not message.endswith(".")


def _links(table: dict[str, Any]) -> dict[str, list[str]]:
    links: dict[str, list[str]] = table["links"]
    if not all(type(text) is str for said in links.values() for text in said):
        raise ValueError
    return links


def write_baseline(path: str, known: Iterable[tuple[Known, int]], links: Mapping[str, list[str]]) -> int:
    """Write findings to a file, with the links of documents that have conflicts. Returns the number of findings."""
    import json

    from temporacle.io.files import atomic

    counts: Counter[str | tuple[str, ...]] = Counter()
    entries: dict[str | tuple[str, ...], Known] = {}
    for entry, count in known:
        entries.setdefault(entry.mark, entry)
        counts[entry.mark] += count
    rows = []
    for entry in sorted(entries.values(), key=lambda entry: (entry.document, entry.code, entry.fingerprint)):
        row = {**entry._asdict(), "count": counts[entry.mark]}
        if not entry.links:
            del row["links"]
        rows.append(json.dumps(row, ensure_ascii=True))
    said = [f"{json.dumps(name)}: {json.dumps(sorted(links[name]))}" for name in sorted(links)]
    with atomic(path) as file:
        file.write(f'{{"{_KEY}": {_VERSION}, "links": {{\n{_lines(said)}}}, "findings": [\n{_lines(rows)}]}}\n')
    return counts.total()


def _lines(rows: list[str]) -> str:
    return ",\n".join(rows) + "\n" if rows else ""
