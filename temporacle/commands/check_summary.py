"""The last lines of ``check``: how many documents of each verdict, what was dropped, and the reason for the exit code.

A remark that is hidden (``--ignore``, ``--quiet``) still counts here. Only ``--allow CODE`` and a baseline take a
finding out of the exit code, and the summary says so.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING

from temporacle.checks import INCOMPLETE, summary
from temporacle.commands.common import ExitCode
from temporacle.model import Action, counted
from temporacle.results import DocumentVerdict
from temporacle.tasks.findings import INCONSISTENT
from temporacle.trouble import UNCHECKED, UNDECIDED, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check
    from temporacle.tasks.baseline import BaselineJudgement


class Summary:
    """Counts checks."""

    def __init__(self, accepted: frozenset[str] = frozenset()) -> None:
        self._accepted = accepted  # codes of links that may be dropped
        self._started = perf_counter()
        self._verdicts: Counter[DocumentVerdict] = Counter()
        self._links = 0  # that were kept
        self._dropped: Counter[str] = Counter()  # links, by code
        self._with_dropped = 0  # documents
        self._failing: Counter[str] = Counter()  # findings that decide about the exit code, by code

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:
        """Count a document."""
        self._verdicts[check.verdict] += 1
        self._links += check.links
        if check.remarks:
            dropped = Counter(remark.code for remark in check.remarks if remark.action is Action.DROPPED)
            self._dropped += dropped
            self._with_dropped += bool(dropped)
        self._failing.update(each.finding.code for each in findings if each.fails)

    @property
    def total(self) -> int:
        """Return how many documents there were."""
        return self._verdicts.total()

    def exit_code(self) -> ExitCode:
        """Return NO if there is one, then UNDECIDED; wrong usage if nothing was readable."""
        if self._failing[INCONSISTENT]:
            return ExitCode.NO
        if self._verdicts[DocumentVerdict.UNREADABLE] == self.total:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self._failing.total() else ExitCode.YES

    def lines(self) -> Iterator[str]:
        """Yield the lines of the summary for people."""
        dropped = f"; {self._dropped_links()}" if self._dropped else ""
        yield f"{summary(self._verdicts)}{dropped}; {perf_counter() - self._started:.2f} s"
        readable = self.total - self._verdicts[DocumentVerdict.UNREADABLE]
        if readable and not self._links:
            why = "all of them were dropped" if self._dropped else "the documents have none"
            yield f"No link was checked: {why}."
        code = self.exit_code()
        if code is ExitCode.UNDECIDED:
            yield f"Exit code 3: {'; '.join(self._reasons())}."
        elif code is ExitCode.USAGE and self.total:
            yield "Exit code 2: no document could be read."

    def _dropped_links(self) -> str:
        codes = ", ".join(f"{code} {count}" for code, count in self._dropped.most_common())
        place = f"in {counted(self._with_dropped, 'document')}"
        accepted = sum(count for code, count in self._dropped.items() if code in self._accepted)
        return f"{counted(self._dropped.total(), 'link')} dropped {place} ({codes})" + (
            f", {accepted} of them accepted" if accepted else ""
        )

    def _reasons(self) -> Iterator[str]:
        """Yield the reasons why the answer is not a plain yes."""
        if count := self._failing[UNREADABLE]:
            yield f"{counted(count, 'document')} could not be read"
        if count := self._failing[UNDECIDED]:
            yield f"{counted(count, 'document')} could not be decided within the time limit"
        if count := self._failing[UNCHECKED]:
            yield f"{counted(count, 'document')} could not be checked, because all links were skipped"
        errors = {UNREADABLE, UNDECIDED, UNCHECKED}
        others = {code: count for code, count in self._failing.items() if code not in errors}
        if count := sum(count for code, count in others.items() if code not in INCOMPLETE):
            was = "link was" if count == 1 else "links were"
            yield f"{count} {was} dropped, so the verdicts hold for the remaining links only"
        for code in sorted(INCOMPLETE & others.keys()):
            lacks = "lacks" if others[code] == 1 else "lack"
            yield f"{counted(others[code], 'document')} {lacks} part of what was asked for ({code})"
