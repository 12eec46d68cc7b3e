"""QA-TempEval (SemEval-2015 task 5): questions about the order of events, and how answers to them are scored.

A question is a line ``number|file|IS x RELATION y|text|answer``. The answer is yes, no or unknown.

    correct = answers equal to gold's        answered = questions whose answer is not a wrong "unknown"
    prec = correct / answered                rec = correct / questions
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.relation import Relation
from temporacle.results import Verdict
from temporacle.scoring import clinical
from temporacle.scoring.official.registry import (
    Layout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    harmonic_mean,
    ratio,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FILE = "question-set.txt"
YES, NO, UNKNOWN = "yes", "no", "unknown"
_FIELDS = 5
# Labels of links that the program knows, but for DURING and DURING_INV; it leaves out all others.
_TIMEML = ("BEFORE", "AFTER", "IBEFORE", "IAFTER", "INCLUDES", "IS_INCLUDED", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY")
_LABELS = (*_TIMEML, "SIMULTANEOUS", "IDENTITY")
LINK_LABELS = frozenset({*_LABELS, "DURING", "DURING_INV"})
# What can be asked.
RELATIONS = {label.lower(): clinical.RELATIONS[label] for label in _LABELS}
RELATIONS |= {"overlaps": Relation.of("o"), "overlapped_by": Relation.of("oi")}
ANSWERS = {Verdict.ENTAILED: YES, Verdict.REFUTED: NO, Verdict.OPEN: UNKNOWN}


class OrderQuestion(NamedTuple):
    """One line of a question file."""

    line: int
    written: str  # the line itself
    number: str
    file: str
    source: str
    relation: str
    target: str
    text: str
    answer: str  # gold's, as it is written

    @property
    def asked(self) -> str:
        """Return the question in words."""
        return f"IS {self.source} {self.relation.upper()} {self.target}"


class BadLine(NamedTuple):
    """A line that is not a question."""

    line: int
    written: str
    reason: str


def read_questions(text: str) -> list[OrderQuestion | BadLine]:
    """Return the lines of a question file that are not blank.

    >>> read_questions("1|ferry.tml|IS ei1 BEFORE ei2|Did it leave first?|yes")[0].relation
    'before'
    """
    lines = text.removeprefix("\ufeff").split("\n")
    return [_question(number, line.removesuffix("\r")) for number, line in enumerate(lines, 1) if line.strip()]


def _question(number: int, line: str) -> OrderQuestion | BadLine:
    fields = line.split("|")
    if len(fields) != _FIELDS:
        return BadLine(number, line, f"{len(fields)} fields where 5 are expected: number|file|question|text|answer")
    words = fields[2].lower().split()
    if len(words) != 4 or words[0] != "is":
        return BadLine(number, line, f"{fields[2]!r} is not of the form IS x RELATION y")
    return OrderQuestion(number, line, fields[0], fields[1], words[1], words[2], words[3], fields[3], fields[4].strip())


class QuestionCounts(NamedTuple):
    """Counts of a run."""

    questions: int
    answered: int
    correct: int
    incorrect: int

    @property
    def precision(self) -> float:
        return ratio(self.correct, self.answered)

    @property
    def recall(self) -> float:
        return ratio(self.correct, self.questions)

    @property
    def f1(self) -> float:
        return harmonic_mean(self.precision, self.recall)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the total."""
        ratios = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return {"total": True, **ratios, "counts": self._asdict()}

    def printed(self) -> str:
        """Return the last line that the program prints."""
        coverage = ratio(self.correct + self.incorrect, self.questions)
        return (
            f"questions={self.questions} answered={self.answered} correct={self.correct} incorrect={self.incorrect}"
            f" coverage={coverage:.2f} prec={self.precision:.2f} rec={self.recall:.2f} f1={self.f1:.2f}"
        )


def official_part(lines: Sequence[OrderQuestion | BadLine]) -> list[OrderQuestion | BadLine]:
    """Return what the program reads: up to the first line that is not a question, that line included."""
    for position, each in enumerate(lines):
        if isinstance(each, BadLine):
            return list(lines[: position + 1])
    return list(lines)


def counted(answers: Iterable[tuple[str, str] | None]) -> QuestionCounts:
    """Count pairs of gold's answer and the one given; None for a line that is not a question, which counts as answered.

    >>> counted([("yes", "yes"), ("no", "unknown (entity e4 not found)"), None])
    QuestionCounts(questions=3, answered=2, correct=1, incorrect=0)
    """
    questions = correct = unknown = incorrect = 0
    for pair in answers:
        questions += 1
        if pair is None:
            continue
        gold, (first, *_) = pair[0], pair[1].split(" ")
        if first == gold:
            correct += 1
        elif first == UNKNOWN:
            unknown += 1
        else:
            incorrect += 1
    return QuestionCounts(questions, questions - unknown, correct, incorrect)


# ----------------------------------------------------------------------------------------------------
# The program. Its graph is not emulated: the answers are exact, its rules are its own.


@dataclass(frozen=True, slots=True)
class QaTempevalChoices(ProgramOptions):
    """QA-TempEval has no options."""


class GivenAnswer(NamedTuple):
    """The exact answer to a question: yes, no, unknown, or another word; and the entity that has no link, if any."""

    question: OrderQuestion | BadLine
    answer: str
    unlinked: str | None
    row: Mapping[str, Any]


class AnsweredQuestions(NamedTuple):
    """Every line of the questions, the exact answers, and their counts."""

    lines: Sequence[OrderQuestion | BadLine]
    answers: Sequence[GivenAnswer]
    counts: QuestionCounts | None


_CAUSES = ("questions about DURING, DURING_INV and OVERLAP are never answered", "reading ends at the first bad line")


def _run(read: AnsweredQuestions, choices: QaTempevalChoices, request: ProgramRequest) -> ProgramRun:
    from temporacle.scoring.official.pairs.schemes import differing_figures  # loads the scores of pairs

    part = official_part(read.lines)
    by_line = {each.question.line: each for each in read.answers}
    pairs = [None if isinstance(each, BadLine) else (each.answer, _printed(by_line[each.line])) for each in part]
    text = "".join(
        f"{each.written}|predicted={pair[1]}\n" for each, pair in zip(part, pairs, strict=True) if pair is not None
    )
    rows = [dict(each.row) for each in read.answers]
    found = counted(pairs)
    bad = [each for each in read.lines if isinstance(each, BadLine)]
    request.notes.extend(f"{request.gold}:{each.line}: {each.reason}" for each in bad)
    total, exact = (_figures(each) for each in (found, read.counts or counted(())))
    return ProgramRun(
        f"{text}{found.printed()}\n".encode(),
        rows,
        total,
        {"official": "yes", **choices.signature(), "complete": "no"},
        faults=tuple(differing_figures(total, exact, _CAUSES)),
        exact=rows,
        exact_total=exact,
    )


def _printed(each: GivenAnswer) -> str:
    if each.unlinked is not None:
        return f"{UNKNOWN} (entity {each.unlinked} not found)"
    known = isinstance(each.question, OrderQuestion) and each.question.relation in RELATIONS
    return each.answer if known and each.answer in ANSWERS.values() else UNKNOWN


def _figures(counts: QuestionCounts) -> dict[str, Any]:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**ratios, "counts": counts._asdict()}


PROGRAM = Program(
    "qa-tempeval",
    "QA-TempEval (SemEval-2015 task 5): questions about the order of events",
    QaTempevalChoices,
    Layout.QUESTIONS,
    _run,
    exact={},
)
