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
from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum
from itertools import count, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import BudgetExceeded, InputError
from temporacle.scoring.metric import option
from temporacle.scoring.official.registry import (
    Explain,
    Layout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    nothing_found,
)
from temporacle.scoring.official.tempeval3 import LinkPair, graph_signature
from temporacle.scoring.official.tempeval3.scores import (
    DEFAULT,
    ZERO_DIVISION,
    OfficialCounts,
    percent,
    score_pair,
    text,
)
from temporacle.scoring.official.tempeval3.tlinks import Triple, numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.scoring.official.tempeval3 import FilePair

_SHELL_SIGNS = re.compile(r"[ \t\n&;|<>()$`\\\"']")
_NOTHING_CONVERTED = "IOError: no links to score"
_REPEATED_REPEAT = re.compile(r"[*+?}]\+")  # an error in the regular expressions of Python 2, not in today's


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
    files: Iterable[FilePair], *, ordering_only: bool = False, seconds: float | None = None
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
    file: FilePair, previous: OfficialCounts | None, *, ordering_only: bool, seconds: float | None
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


# ----------------------------------------------------------------------------------------------------
# From two timelines to two lists of links, as the SemEval-2015 task 4 scorer makes them.
#
# A timeline is a text: a line with the entity's name, then rows ``position TAB anchor TAB mention TAB mention ...``.
# Every mention is an event. The links are: each event SIMULTANEOUS with its anchor (left out when only the ordering is
# scored), then each event BEFORE or SIMULTANEOUS with its neighbour in the list.
#
# Events and anchors get numbers; those of the system depend on gold. What identifies an event is its mention text.

_DIGITS = re.compile(rb"([0-9]+)")
_POSITION = re.compile(rb"\s*+([+-]?)\s*+([0-9]++)\s*+")

_Event: TypeAlias = tuple[int, int, int]  # number, rank, number of the anchor


class OfficialItem(NamedTuple):
    """One mention."""

    rank: int  # orders as the position does
    anchor: bytes
    mention: bytes


class TimelineLinks(NamedTuple):
    """The links of both sides."""

    gold: tuple[Triple, ...]
    system: tuple[Triple, ...]


def timeline_links(gold: bytes, system: bytes, *, ordering_only: bool = False) -> TimelineLinks:
    r"""Return the links of both sides. Raise InputError if a position is not a number.

    >>> links = timeline_links(b"rain", b"rain\n1\t2001\t4-1-fell")
    >>> str(links.system[0])
    'ei1 SIMULTANEOUS t1'
    """
    gold_items, system_items = read_timeline(gold), read_timeline(system)
    anchors = _Anchors(item.anchor for item in gold_items)
    gold_events = [(number, item.rank, anchors.number(item.anchor)) for number, item in enumerate(gold_items, start=1)]
    system_events = list(_system_events(gold_items, system_items, anchors))
    return TimelineLinks(
        tuple(_links(gold_events, ordering_only=ordering_only)),
        tuple(_links(system_events, ordering_only=ordering_only)),
    )


def read_timeline(content: bytes) -> list[OfficialItem]:
    """Return the mentions of all rows that count: sorted rows, at least three columns, position not 0."""
    lines = [line.rstrip() for line in content.split(b"\n")[1:]]
    items: list[OfficialItem] = []
    for line in sorted(filter(None, lines), key=natural_key):
        position, *rest = line.split(b"\t")
        if len(rest) < 2:
            continue
        anchor, *mentions = rest
        rank = _rank(position)
        if rank:
            items.extend(OfficialItem(rank, anchor, mention) for mention in mentions)
    return items


def natural_key(line: bytes) -> list[bytes | int]:
    r"""Return text and numbers in turn as a sort key, so that 9 comes before 10.

    >>> sorted([b"2\t2001-10", b"2\t2001", b"2\tXXXX", b"2\t2001-9"], key=natural_key)
    [b'2\t2001', b'2\t2001-9', b'2\t2001-10', b'2\tXXXX']
    """
    return [_ordinal(part) if index % 2 else part for index, part in enumerate(_DIGITS.split(line))]


def _ordinal(digits: bytes) -> int:
    """Return a number for sorting digits by their value.

    Reading them as hexadecimal gives the same order without a limit on the length.
    """
    return int(digits, 16)


def _rank(field: bytes) -> int:
    found = _POSITION.fullmatch(field)
    if found is None:
        raise InputError(
            f"position {field.decode('utf-8', 'replace')!r} is not a whole number",
            cure="write the place in the timeline as digits, 0 for events without a place",
        )
    return -_ordinal(found[2]) if found[1] == b"-" else _ordinal(found[2])


class _Anchors:
    """Numbers of anchors by first use. The number after gold's last one stays unused: a fault of the program."""

    def __init__(self, gold: Iterable[bytes]) -> None:
        self._numbers = {anchor: number for number, anchor in enumerate(dict.fromkeys(gold))}
        self._fresh = count(len(self._numbers) + 1)

    def number(self, anchor: bytes) -> int:
        if anchor not in self._numbers:
            self._numbers[anchor] = next(self._fresh)
        return self._numbers[anchor]


def _system_events(gold: list[OfficialItem], system: list[OfficialItem], anchors: _Anchors) -> Iterator[_Event]:
    """Yield the system's events under gold's numbers if the mention is known, otherwise under new ones.

    The k-th use (from 0) of a mention that gold has n times, first as number f, takes gold's first number from f + k on
    that has the mention. So where gold repeats a mention apart, one number may be hit twice; position and anchor belong
    to the number, and the last hit decides them for all.
    """
    places: dict[bytes, list[int]] = {}
    for number, item in enumerate(gold, start=1):
        places.setdefault(item.mention, []).append(number)
    fresh = count(len(gold) + 1)
    uses: dict[bytes, int] = {}
    numbers: list[int] = []
    details: dict[int, tuple[int, int]] = {}
    for item in system:
        known, use = places.get(item.mention, []), uses.get(item.mention, 0)
        uses[item.mention] = use + 1
        number = known[bisect_left(known, known[0] + use)] if use < len(known) else next(fresh)
        numbers.append(number)
        details[number] = item.rank, anchors.number(item.anchor)
    for number in numbers:
        yield number, *details[number]


def _links(events: list[_Event], *, ordering_only: bool) -> Iterator[Triple]:
    if not ordering_only:
        for number, _, anchor in events:
            yield Triple(b"ei%d" % number, b"t%d" % anchor, b"SIMULTANEOUS")
    for (number, rank, _), (next_number, next_rank, _) in pairwise(events):
        label = b"BEFORE" if rank < next_rank else b"SIMULTANEOUS"
        yield Triple(b"ei%d" % number, b"ei%d" % next_number, label)


# ----------------------------------------------------------------------------------------------------
# The program over two folders.


@dataclass(frozen=True, slots=True)
class TimelineChoices(ProgramOptions):
    """Options of the timeline scorer."""

    ordering_only: bool = option(default=False, about="Score the order of events only, without their dates.")


def _run(read: tuple[Sequence[FilePair], str | None], choices: TimelineChoices, request: ProgramRequest) -> ProgramRun:
    pairs, stops = read
    found = score_timelines(pairs, ordering_only=choices.ordering_only, seconds=request.budget)
    request.notes.extend(
        f"{file.name}: {file.outcome.value}: {file.reason}" for file in found.files if file.reason is not None
    )
    rows = [
        {
            "document": file.name,
            "outcome": file.outcome.value,
            **(nothing_found() if file.counts is None else file.counts.to_dict()),
        }
        for file in found.files
    ]
    total = {
        "precision": found.precision / 100,
        "recall": found.recall / 100,
        "f1": found.f1 / 100,
        "counts": found.total.to_dict()["counts"],
    }
    compared = [
        LinkPair(file.name, numbered(file.links.gold), numbered(file.links.system))
        for file in found.files
        if file.outcome is FileOutcome.SCORED and file.links is not None
    ]
    signed = graph_signature(anchors="no" if choices.ordering_only else "yes")
    stops = stops or found.stops
    return ProgramRun(found.printed(request.system), rows, total, signed, stops=stops, compared=compared)


PROGRAM = Program(
    "timeline",
    "SemEval-2015 task 4: timelines of entities",
    TimelineChoices,
    Layout.TIMELINES,
    _run,
    Explain.LINKS,
)
