"""The scores of the SemEval-2015 task 4 timeline scorer: a line for each file, and a micro line.

Each pair of timelines becomes two lists of links (``timeline_links``), which the TempEval-3 relation scorer scores. The
micro line adds up the counts; its F1 comes from the *rounded* precision and recall.

If the program prints a number for broken input, the number is repeated. If it crashes, a score is defined:

    no answer file                        not scored, and not in any sum
    a position that is not a number       the previous file's result again, under this name; none before: the original
                                          stops, here the file is left out
    a name with blanks or shell signs     the same; none before: the original stops, here the file is scored
    an invalid regular expression as name left out without a message
    a sum of 0 links                      the original stops, here the ratio is 0
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InputError
from temporacle.scoring.official.awareness import DEFAULT, ZERO_DIVISION, OfficialCounts, score_pair
from temporacle.scoring.official.numbers import percent, text
from temporacle.scoring.official.timeline_links import TimelineLinks, timeline_links

if TYPE_CHECKING:
    from collections.abc import Iterable

_SHELL_SIGNS = re.compile(r"[ \t\n&;|<>()$`\\\"']")
_NOTHING_CONVERTED = "IOError: no links to score"
_REPEATED_REPEAT = re.compile(r"[*+?}]\+")  # an error in the regular expressions of Python 2, not in today's


class TimelineFile(NamedTuple):
    """The contents of one file of the gold folder, and of its answer if there is one."""

    name: str
    gold: bytes
    system: bytes | None


class FileOutcome(Enum):
    """The outcome for one file."""

    SCORED = "scored"
    NO_ANSWER = "no answer file"
    REPEATED = "the result of the file before, counted again"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class FileScore:
    """The line of one file. ``counts`` is None if nothing was counted."""

    name: str
    outcome: FileOutcome
    counts: OfficialCounts | None = None
    links: TimelineLinks | None = None
    reason: str | None = None  # why the file was not scored itself
    stops: str | None = None  # the error with which the original program ends here


@dataclass(frozen=True, slots=True)
class TimelineScore:
    """Scores of all files in their order."""

    files: tuple[FileScore, ...]
    total: OfficialCounts

    @property
    def precision(self) -> float:
        """Return the micro precision in percent, as printed."""
        return percent(self.total.precision)

    @property
    def recall(self) -> float:
        return percent(self.total.recall)

    @property
    def f1(self) -> float:
        """Return F1 computed from the rounded precision and recall. The result is not rounded."""
        precision, recall = self.precision, self.recall
        return 2.0 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def stops(self) -> str | None:
        """Return the error with which the original program ends on this input."""
        early = next((file.stops for file in self.files if file.stops), None)
        return early or (None if self.total.system_total and self.total.gold_total else ZERO_DIVISION)

    def printed(self, system_folder: str = "system") -> bytes:
        """Return the program's standard output, with ``system_folder`` as it was typed."""
        lines = [line for file in self.files for line in _lines(file, system_folder)]
        precision, recall = self.precision, self.recall
        f1 = text(self.f1) if precision + recall else "0"
        lines.append(f"\tMICRO-FSCORE\t{f1}\tMICRO-PRECISION\t{text(precision)}\tMICRO-RECALL\t{text(recall)}")
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _lines(file: FileScore, system_folder: str) -> Iterable[str]:
    if file.outcome is FileOutcome.NO_ANSWER:
        yield f"No answer file found {system_folder}/{file.name}"
        yield "Skipping the evaluation of it. Fscore set at 0"
    elif file.counts is not None:
        f1, precision, recall = file.counts.digits()
        yield f"{file.name}\tFSCORE\t{f1}\tPRECISION\t{precision}\tRECALL\t{recall}"


def score_timelines(
    files: Iterable[TimelineFile], *, ordering_only: bool = False, seconds: float | None = None
) -> TimelineScore:
    """Score files in the order in which the gold folder lists them; ``seconds`` is the budget per file."""
    scores: list[FileScore] = []
    previous: OfficialCounts | None = None
    for file in files:
        try:
            score = _score_file(file, previous, ordering_only=ordering_only, seconds=seconds)
        except BudgetExceeded as limit:
            raise BudgetExceeded(f"{file.name}: {limit}") from limit
        if not scores and not file.gold and score.stops is None:
            score = FileScore(score.name, score.outcome, score.counts, score.links, stops="NameError: empty gold file")
        scores.append(score)
        previous = score.counts or previous
    return TimelineScore(tuple(scores), sum((score.counts for score in scores if score.counts), OfficialCounts()))


def _score_file(
    file: TimelineFile, previous: OfficialCounts | None, *, ordering_only: bool, seconds: float | None
) -> FileScore:
    if file.system is None:
        return FileScore(file.name, FileOutcome.NO_ANSWER)
    shell_name = bool(_SHELL_SIGNS.search(file.name))
    if shell_name and previous:
        return FileScore(file.name, FileOutcome.REPEATED, previous, reason="the file name has a meaning for the shell")
    try:
        links = timeline_links(file.gold, file.system, ordering_only=ordering_only)
    except InputError as error:
        if previous:
            return FileScore(file.name, FileOutcome.REPEATED, previous, reason=str(error))
        return FileScore(file.name, FileOutcome.LEFT_OUT, reason=str(error), stops=_NOTHING_CONVERTED)
    if not shell_name and not _is_pattern(file.name):
        return FileScore(
            file.name, FileOutcome.LEFT_OUT, links=links, reason="the file name is not a regular expression"
        )
    score = score_pair(links.gold, links.system, DEFAULT, seconds=seconds)
    return FileScore(
        file.name, FileOutcome.SCORED, score.counts, links, stops=_NOTHING_CONVERTED if shell_name else None
    )


def _is_pattern(name: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(name)
    except re.error:
        return False
    return not _REPEATED_REPEAT.search(name)
