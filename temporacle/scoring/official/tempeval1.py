"""The scores of the TempEval-1 (SemEval-2007 task 15) link scorer, strict and relaxed.

Response links are looked up among the key links of the same file, pair by pair; no inference.

    precision = correct / common        common: response links whose pair the key has, in either direction
    recall    = correct / key links     so response links on other pairs cost nothing

Strict: a link with the key's label is worth 1. Relaxed: one with a related label is worth a part. In folders the counts
of all files with a response are summed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.scoring.metric import option
from temporacle.scoring.official.registry import (
    AddedUp,
    Explain,
    Layout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
)
from temporacle.scoring.official.tempeval3 import graph_signature
from temporacle.scoring.tempeval1 import LABELS, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TAG = re.compile(rb"<TLINK[^>\n]+>")
_PIECES = tuple(
    re.compile(pattern)
    for pattern in (
        rb'eventID="([tei]+[0-9]+)"',
        rb'relatedTo[A-Za-z0-9_]+="([tei]+[0-9]+)"',
        rb'relType="([A-Z_-]+)"',
    )
)
_Link: TypeAlias = tuple[bytes, bytes, bytes]  # first argument, second argument, label

_INVERSE = {
    b"BEFORE": b"AFTER",
    b"AFTER": b"BEFORE",
    b"BEFORE-OR-OVERLAP": b"OVERLAP-OR-AFTER",
    b"OVERLAP-OR-AFTER": b"BEFORE-OR-OVERLAP",
    b"OVERLAP": b"OVERLAP",
    b"VAGUE": b"VAGUE",
}
_RELATED = {
    frozenset({key.encode(), label.encode()}): float(weight)
    for key, row in zip(LABELS, WEIGHTS, strict=True)
    for label, weight in zip(LABELS, row, strict=True)
}


class Mode(Enum):
    """The way to rate a label other than the key's."""

    STRICT = "strict"
    RELAXED = "relaxed"


class Release(Enum):
    """Two versions of the program were published."""

    EVALUATION = "evaluation"  # the one that scored the participants
    TRAINING = "training"  # with the training and test data: cuts relaxed sums of files in a folder to whole numbers


@dataclass(frozen=True, slots=True)
class TempEval1Counts(AddedUp):
    """The counts that are summed over files."""

    reference: int = 0
    candidate: int = 0
    common: int = 0
    correct: float = 0
    incorrect: int = 0  # common links worth nothing

    @property
    def precision(self) -> float | None:
        """Return the precision; None without common links."""
        return self.correct / self.common if self.common else None

    @property
    def recall(self) -> float | None:
        """Return the recall; None without key links."""
        return self.correct / self.reference if self.reference else None

    @property
    def f_measure(self) -> float | None:
        """Return the F-measure; None unless precision or recall is more than 0."""
        precision, recall = self.precision or 0, self.recall or 0
        return 2 * precision * recall / (precision + recall) if precision + recall else None


@dataclass(frozen=True, slots=True)
class TempEval1Score:
    """Counts of every file in order, and what the program reports for them."""

    mode: Mode
    release: Release
    files: tuple[TempEval1Counts, ...]
    total: TempEval1Counts
    stops: str | None = None  # the error with which the original program ends on this input

    def printed(self, response: str, key: str) -> bytes:
        """Return the program's standard output, with the names as they were typed."""
        total = self.total
        older = self.release is Release.TRAINING
        correct = f"{total.correct:.2f}" if older and self.mode is Mode.RELAXED else f"{total.correct:.15g}"
        lines = [
            *([""] if older else []),
            f"{'>> ' if older else ''}CANDIDATE FILE: {response}",
            f"{'>> ' if older else ''}REFERENCE FILE: {key}",
            "",
            f"  REFERENCE LINKS  {total.reference:5d}",
            f"  CANDIDATE LINKS  {total.candidate:5d}",
            f"  COMMON LINKS     {total.common:5d}",
            f"  CORRECT LINKS    {correct:>5}",
            f"  INCORRECT LINKS  {total.incorrect:5d}",
            "",
            f"  PRECISION  =  {shown(total.precision)}",
            f"  RECALL     =  {shown(total.recall)}",
            f"  F-MEASURE  =  {shown(total.f_measure)}",
            "",
        ]
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def shown(value: float | None) -> str:
    """Return three decimals; zero and undefined look the same.

    >>> shown(2 / 3), shown(0.0)
    ('0.667', ' N/A')
    """
    return f"{value:.3f}" if value else " N/A"


def score_file(
    response: bytes, key: bytes, mode: Mode = Mode.STRICT, release: Release = Release.EVALUATION
) -> TempEval1Score:
    """Score one file.

    >>> key = b'<TLINK eventID="e1" relatedToTime="t1" relType="BEFORE"/>'
    >>> score_file(key.replace(b"BEFORE", b"VAGUE"), key, Mode.RELAXED).total.precision
    0.33
    """
    counts = count_links(response, key, mode)
    return TempEval1Score(mode, release, (counts,), counts)


def score_folder(
    files: Iterable[tuple[bytes, bytes | None]], mode: Mode = Mode.STRICT, release: Release = Release.EVALUATION
) -> TempEval1Score:
    """Score (response, key) for each file of the response folder, in its order.

    The program adds up what it printed for each file, so sums are cut to the digits printed. A missing key file (None),
    where the original stops, counts as a file without links.
    """
    counts: list[TempEval1Counts] = []
    stops = None
    for response, key in files:
        counts.append(count_links(response, key or b"", mode))
        if key is None:
            stops = "ERROR: cannot open the key file"
    total = sum((_as_printed(file, release) for file in counts), TempEval1Counts())
    return TempEval1Score(mode, release, tuple(counts), total, stops)


def _as_printed(counts: TempEval1Counts, release: Release) -> TempEval1Counts:
    correct = int(f"{counts.correct:.2f}"[:-3]) if release is Release.TRAINING else float(f"{counts.correct:.15g}")
    return TempEval1Counts(counts.reference, counts.candidate, counts.common, correct, counts.incorrect)


def count_links(response: bytes, key: bytes, mode: Mode) -> TempEval1Counts:
    """Return the counts of one file.

    If the key repeats a pair, its last label is used; the response is judged link by link.
    """
    key_links, response_links = list(read_tempeval1(key)), list(read_tempeval1(response))
    labels = {link[:2]: link[2] for link in key_links if link is not None}
    common = incorrect = 0
    correct = 0.0
    for link in response_links:
        if link is None:
            continue
        first, second, label = link
        if (first, second) in labels:
            credit = _credit(labels[first, second], label, mode)
        elif (second, first) in labels:
            credit = _credit(labels[second, first], _INVERSE.get(label), mode)
        else:
            continue
        common += 1
        correct += credit
        incorrect += not credit
    return TempEval1Counts(len(key_links), len(response_links), common, correct, incorrect)


def _credit(key: bytes, response: bytes | None, mode: Mode) -> float:
    if response is None:
        return 0
    if key == response:
        return 1
    return _RELATED.get(frozenset({key, response}), 0) if mode is Mode.RELAXED else 0


def read_tempeval1(content: bytes) -> Iterator[_Link | None]:
    """Yield the first tag of every line; None for a tag without the three parts, which still counts as a link."""
    for line in content.split(b"\n"):
        tag = _TAG.search(line)
        if tag:
            found = [pattern.search(tag[0]) for pattern in _PIECES]
            pieces = [piece[1] for piece in found if piece]
            yield (pieces[0], pieces[1], pieces[2]) if len(pieces) == 3 else None


# ----------------------------------------------------------------------------------------------------
# The program over two files or folders.


class AnsweredPair(NamedTuple):
    """The contents of a response file, and of the key file of that name if there is one."""

    name: str
    response: bytes
    key: bytes | None


@dataclass(frozen=True, slots=True)
class TempEval1Choices(ProgramOptions):
    """Options of the TempEval-1 scorer."""

    relaxed: bool = option(default=False, about="Give partial credit for labels that overlap.")


def _run(read: tuple[Sequence[AnsweredPair], bool], choices: TempEval1Choices, request: ProgramRequest) -> ProgramRun:
    mode = Mode.RELAXED if choices.relaxed else Mode.STRICT
    pairs, folder = read
    contents = [(pair.response, pair.key) for pair in pairs]
    found = score_folder(contents, mode) if folder else score_file(contents[0][0], contents[0][1] or b"", mode)
    request.notes.extend(
        f"{pair.name}: no key file of this name; its links count as candidate links only"
        for pair in pairs
        if pair.key is None
    )
    rows = [{"document": pair.name, **_figures(counts)} for pair, counts in zip(pairs, found.files, strict=True)]
    text = found.printed(request.system, request.gold)
    signed = graph_signature(engine="none", scheme=mode.name.lower())
    return ProgramRun(text, rows, _figures(found.total), signed, stops=found.stops)


def _figures(counts: TempEval1Counts) -> dict[str, Any]:
    derived = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f_measure}
    return {**derived, "counts": counts.counts()}


PROGRAM = Program(
    "tempeval1",
    "TempEval-1 (SemEval-2007 task 15): links, without inference",
    TempEval1Choices,
    Layout.RESPONSES,
    _run,
    Explain.NOTHING,
)
