"""The last lines of ``check``: how many documents of each verdict, what was dropped, and the reason for the exit code.

A remark that is hidden (``--ignore``, ``--quiet``) still counts here. Only ``--accept CODE`` and a baseline take a
dropped link out of the exit code, and the summary says so.
"""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING

from temporacle.checks import INCOMPLETE, summary
from temporacle.commands.common import ExitCode
from temporacle.errors import UsageError
from temporacle.model import Action
from temporacle.results import DocumentVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check


class Summary:
    """Counts checks."""

    def __init__(self, accept: Iterable[str] = ()) -> None:
        from temporacle.rules import RuleKind, codes_in, rules

        self._accepted = codes_in(accept)
        for code in sorted(self._accepted):
            if rules()[code].kind is not RuleKind.DROPPED:
                raise UsageError(f"{code} cannot be accepted: only dropped links can; see temporacle explain {code}")
        self._started = perf_counter()
        self._verdicts: Counter[DocumentVerdict] = Counter()
        self._links = 0  # that were kept
        self._dropped: Counter[str] = Counter()  # links, by code
        self._with_dropped = 0  # documents
        self._incomplete: Counter[str] = Counter()  # documents without all that was asked for, by code

    def add(self, check: Check) -> None:
        """Count a document."""
        self._verdicts[check.verdict] += 1
        self._links += check.links
        if check.remarks:
            dropped = Counter(remark.code for remark in check.remarks if remark.action is Action.DROPPED)
            self._dropped += dropped
            self._with_dropped += bool(dropped)
            self._incomplete.update({remark.code for remark in check.remarks} & INCOMPLETE)

    @property
    def total(self) -> int:
        """How many documents there were."""
        return self._verdicts.total()

    def exit_code(self) -> ExitCode:
        """NO wins; then whatever is not known; nothing readable at all is wrong usage."""
        if self._verdicts[DocumentVerdict.INCONSISTENT]:
            return ExitCode.NO
        if self._verdicts[DocumentVerdict.UNREADABLE] == self.total:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if any(self._open_questions()) else ExitCode.YES

    def lines(self) -> Iterator[str]:
        """The summary for people."""
        dropped = f"; {self._dropped_links()}" if self._dropped else ""
        yield f"{summary(self._verdicts)}{dropped}; {perf_counter() - self._started:.2f} s"
        readable = self.total - self._verdicts[DocumentVerdict.UNREADABLE]
        if readable and not self._links:
            why = "all of them were dropped" if self._dropped else "the documents have none"
            yield f"No link was checked: {why}."
        code = self.exit_code()
        if code is ExitCode.UNDECIDED:
            yield f"Exit code 3: {'; '.join(self._open_questions())}."
        elif code is ExitCode.USAGE and self.total:
            yield "Exit code 2: no document could be read."

    def _dropped_links(self) -> str:
        codes = ", ".join(f"{code} {count}" for code, count in self._dropped.most_common())
        place = f"in {_counted(self._with_dropped, 'document')}"
        accepted = sum(count for code, count in self._dropped.items() if code in self._accepted)
        return f"{_counted(self._dropped.total(), 'link')} dropped {place} ({codes})" + (
            f", {accepted} of them accepted" if accepted else ""
        )

    def _open_questions(self) -> Iterator[str]:
        """Why the answer is not a plain yes."""
        if count := self._verdicts[DocumentVerdict.UNREADABLE]:
            yield f"{_counted(count, 'document')} could not be read"
        if count := self._verdicts[DocumentVerdict.UNDECIDED]:
            yield f"{_counted(count, 'document')} could not be decided within the time limit"
        if count := sum(count for code, count in self._dropped.items() if code not in self._accepted):
            was = "link was" if count == 1 else "links were"
            yield f"{count} {was} dropped, so the verdicts hold for the remaining links only"
        for code, count in self._incomplete.items():
            has = "lacks" if count == 1 else "lack"
            yield f"{_counted(count, 'document')} {has} part of what was asked for ({code})"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
