"""Known findings, kept in a file: a gate lets them pass, fails for new ones, and reports those that are gone.

    {"temporacle-baseline": 2,
     "links": {"d1": ["left BEFORE docked", "docked BEFORE left"]},
     "findings": [{"fingerprint": "5f0c...", "code": "inconsistent", "document": "d1", "message": "...", "count": 1,
                   "links": ["docked BEFORE left", "left BEFORE docked"]}]}

The file is written in a fixed order, one finding a line, so that its differences can be read in a review. Links are
told by what they say and the document they are in, not by their number.

``links`` has all links and values of the documents with conflicts. So a later run knows which links were added: one
that takes part in a contradiction makes a new conflict, whatever the list of conflicts shows. A known conflict is fixed
once its links are not all there, or no longer contradict each other. Files of version 1 have no ``links``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.checks import OUT_OF_TIME, KnownDocument
from temporacle.errors import UsageError
from temporacle.results import DocumentVerdict
from temporacle.rules import RuleKind, codes_in, rules
from temporacle.tasks.findings import INCONSISTENT, conflict_finding, findings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.checks import Check
    from temporacle.tasks.findings import CheckFinding

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
            cure = "write one with --write-baseline"
            raise UsageError(f"{path}: cannot be opened: {error.strerror or error}; {cure}") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UsageError(f"{path}: not a baseline; write one with --write-baseline") from None

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
        self.accepted = codes_in(accept)
        for code in sorted(self.accepted):
            if rules()[code].kind is not RuleKind.DROPPED:
                raise UsageError(f"{code} cannot be accepted: only dropped links can; see temporacle explain {code}")
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
