"""Known findings, kept in a file: a gate lets them pass, fails for new ones, and reports those that are gone.

    {"temporacle-baseline": 1,
     "findings": [{"fingerprint": "5f0c...", "code": "inconsistent", "document": "d1", "message": "...", "count": 1}]}

The file is written in a fixed order, one finding a line, so that its differences can be read in a review.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.rules import RuleKind, codes_in, rules
from temporacle.tasks.findings import findings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check
    from temporacle.tasks.findings import CheckFinding

_VERSION = 1
_KEY = "temporacle-baseline"


class Known(NamedTuple):
    """A finding of an earlier run."""

    fingerprint: str
    code: str
    document: str
    message: str

    @classmethod
    def of(cls, finding: CheckFinding) -> Known:
        """Return what is kept of a finding: its message in one line, without line numbers."""
        message = finding.message.partition("\n")[0] if not finding.links else _conflict_text(finding)
        return cls(finding.fingerprint, finding.code, finding.document, message)


def _conflict_text(finding: CheckFinding) -> str:
    return "; ".join(fact.said for fact in finding.links)


class Baseline:
    """Findings by fingerprint, each with the number of times that it is known."""

    def __init__(self, known: Iterable[tuple[Known, int]] = ()) -> None:
        self._entries: dict[str, Known] = {}
        self._left: Counter[str] = Counter()  # known and not met in this run
        self._seen: set[str] = set()  # documents of this run
        for entry, count in known:
            self._entries[entry.fingerprint] = entry
            self._left[entry.fingerprint] += count

    @classmethod
    def read(cls, path: str) -> Baseline:
        """Return the baseline in a file. Raise UsageError if there is none."""
        import json

        try:
            with open(path, encoding="utf-8") as file:  # noqa: PTH123
                table = json.load(file)
            if table[_KEY] != _VERSION:
                raise UsageError(f"{path}: a baseline of version {table[_KEY]!r:.40}, and version {_VERSION} is needed")
            return cls(_entry(row) for row in table["findings"])
        except OSError as error:
            cure = "write one with --write-baseline"
            raise UsageError(f"{path}: cannot be opened: {error.strerror or error}; {cure}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(f"{path}: not a baseline; write one with --write-baseline") from None

    def meets(self, document: str) -> None:
        """Note that a document was read in this run."""
        self._seen.add(document)

    def knows(self, finding: CheckFinding) -> bool:
        """Return whether a finding is known. Each known finding passes as often as it was found before."""
        mark = finding.fingerprint
        if not self._left[mark]:
            return False
        self._left[mark] -= 1
        return True

    def fixed(self) -> Iterator[tuple[Known, int]]:
        """Yield known findings of documents of this run that were not found again."""
        for mark, entry in self._entries.items():
            if self._left[mark] and entry.document in self._seen:
                yield entry, self._left[mark]

    def elsewhere(self) -> Iterator[tuple[Known, int]]:
        """Yield known findings of documents that are not part of this run."""
        for mark, entry in self._entries.items():
            if self._left[mark] and entry.document not in self._seen:
                yield entry, self._left[mark]


class BaselineJudgement(NamedTuple):
    """A finding, and why it may pass."""

    finding: CheckFinding
    known: bool = False  # the baseline has it
    accepted: bool = False  # links may be dropped for this reason

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
        self.known = self.new = 0

    @property
    def compares(self) -> bool:
        """Return whether there is a baseline."""
        return self._baseline is not None

    def judged(self, check: Check) -> list[BaselineJudgement]:
        """Return the findings of a document."""
        if self._baseline is not None:
            self._baseline.meets(check.document)
        if check.is_plain:
            return []
        found = [
            BaselineJudgement(
                each, self._baseline is not None and self._baseline.knows(each), each.code in self.accepted
            )
            for each in findings_of(check)
        ]
        known = sum(each.known for each in found)
        self.known += known
        self.new += len(found) - known
        if self._write is not None:
            self._found += [(Known.of(each.finding), 1) for each in found]
        return found

    def fixed(self) -> list[tuple[Known, int]]:
        """Return known findings that are gone."""
        return [] if self._baseline is None else list(self._baseline.fixed())

    def write(self) -> int | None:
        """Write the new baseline, if one was asked for; findings of documents that were not checked stay in it."""
        if self._write is None:
            return None
        elsewhere = () if self._baseline is None else self._baseline.elsewhere()
        return write_baseline(self._write, [*elsewhere, *self._found])


def _entry(row: dict[str, Any]) -> tuple[Known, int]:
    texts = [row[name] for name in Known._fields]
    count = row["count"]
    if not all(type(text) is str for text in texts) or type(count) is not int or count < 1:
        raise ValueError
    return Known(*texts), count


def write_baseline(path: str, known: Iterable[tuple[Known, int]]) -> int:
    """Write findings to a file. Returns their number."""
    import json

    from temporacle.io.files import atomic

    counts: Counter[str] = Counter()
    entries: dict[str, Known] = {}
    for entry, count in known:
        entries.setdefault(entry.fingerprint, entry)
        counts[entry.fingerprint] += count
    rows = [
        json.dumps({**entry._asdict(), "count": counts[entry.fingerprint]}, ensure_ascii=True)
        for entry in sorted(entries.values(), key=lambda entry: (entry.document, entry.code, entry.fingerprint))
    ]
    body = ",\n".join(rows)
    with atomic(path) as file:
        file.write(f'{{"{_KEY}": {_VERSION}, "findings": [\n{body}\n]}}\n')
    return counts.total()
