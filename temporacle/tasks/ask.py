"""Questions about the order of events, answered by the exact reasoner: ``tp.ask`` and ``temporacle ask``."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

from temporacle.corpus.inputs import documents
from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import FileOptions, Going
from temporacle.declared import About, require_choice, whole_task
from temporacle.errors import BudgetExceeded, InputError, LabelError, UsageError
from temporacle.frames import html_table, to_frame
from temporacle.io.files import safe_name
from temporacle.io.source import Source
from temporacle.model import Document, Unreadable, skipped_words
from temporacle.passages import no_entity
from temporacle.reasoner.network import Budget
from temporacle.results import HasWarnings, InOrder, Verdict
from temporacle.rules import trouble_with
from temporacle.scoring.official.qa_tempeval import (
    ANSWERS,
    FILE,
    RELATIONS,
    UNKNOWN,
    BadLine,
    OrderQuestion,
    QuestionCounts,
    counted,
    read_questions,
)
from temporacle.scoring.side import Side
from temporacle.tasks.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.model import Remark
    from temporacle.relation import Relation
    from temporacle.results import Fact

COLUMNS = ("number", "document", "question", "answer", "gold")
INCONSISTENT, UNDECIDED, UNREADABLE = "inconsistent", "undecided", "unreadable"
SET_ASIDE, REFUSE = "set-aside", "refuse"
_SHOWN = 6  # answers in a repr


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and its answer: yes, no or unknown; or inconsistent, undecided, unreadable with the reason."""

    question: OrderQuestion | BadLine
    answer: str
    document: str | None = None
    because: tuple[Fact, ...] = ()
    reason: str = ""  # why there is no better answer
    unlinked: str | None = None  # the first entity of the question that occurs in no link
    verdict: Verdict | None = None  # None: the question could not be read, or the document lacks an entity of it

    @property
    def asked(self) -> str:
        """Return the question in words."""
        if isinstance(self.question, BadLine):
            return self.question.written
        return self.question.asked

    @property
    def gold(self) -> str | None:
        """Return the answer that is stated with the question; None if there is none."""
        return (self.question.answer or None) if isinstance(self.question, OrderQuestion) else None

    def to_dict(self) -> dict[str, Any]:
        """Return the object that ``--output json`` prints."""
        return {
            "number": self.question.number if isinstance(self.question, OrderQuestion) else None,
            "document": self.document,
            "question": self.asked,
            "answer": self.answer,
            "verdict": None if self.verdict is None else self.verdict.value,
            "gold": self.gold,
            "correct": None if self.gold is None else self.gold == self.answer,
            "because": [fact.to_dict() for fact in self.because],
            "reason": self.reason or None,
            "line": self.question.line,
        }


@dataclass(frozen=True, slots=True, repr=False)
class Answers(InOrder[AnsweredQuestion], HasWarnings):
    """All answers, and their score where the questions come with answers."""

    holds: ClassVar[str] = "answers"

    answers: tuple[AnsweredQuestion, ...]
    warnings: tuple[Remark, ...] = ()  # links of the documents that could not be used

    def __repr__(self) -> str:
        more = ", ..." if len(self) > _SHOWN else ""
        noun = "question" if len(self) == 1 else "questions"
        shown = ", ".join(each.answer for each in self.answers[:_SHOWN])
        return f"Answers({len(self)} {noun}: {shown}{more}{skipped_words(self.skipped_links)})"

    def _repr_html_(self) -> str:
        rows = [[each.to_dict()[column] for column in COLUMNS] for each in self.answers]
        return html_table(COLUMNS, rows, repr(self))

    @property
    def score(self) -> QuestionCounts | None:
        """Return the counts as the task counts them; None if no question states its answer."""
        stated = [each for each in self.answers if each.gold is not None]
        if not stated:
            return None
        return counted(
            (each.gold or "", each.answer if each.answer in ANSWERS.values() else UNKNOWN) for each in stated
        )

    @property
    def complete(self) -> bool:
        """Return whether every question got yes, no or unknown."""
        return all(each.answer in ANSWERS.values() for each in self.answers)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints: the answers, and the total if the questions state their answers."""
        counts = self.score
        answers = [each.to_dict() for each in self.answers]
        total = None if counts is None else counts.to_dict()
        return {"answers": answers, "total": total, "skipped_links": self.skipped_links}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per question."""
        rows = [{column: each.to_dict()[column] for column in COLUMNS} for each in self.answers]
        return to_frame(rows, COLUMNS)


@whole_task
def ask(
    source: Annotated[Inputs, About("A document, or a folder of documents.", value="DOCUMENT", path="read")],
    questions: Annotated[
        str | Sequence[str],
        About("A question file of QA-TempEval, its folder, or 'IS e1 BEFORE e2'.", value="QUESTIONS"),
    ],
    *,
    contradictions: Annotated[
        str,
        About(
            "A document that contradicts itself: refuse to answer, or leave out each link that contradicts those"
            " before it.",
            choices=(REFUSE, SET_ASIDE),
        ),
    ] = REFUSE,
    certificates: Annotated[str | None, About("Write a proof of each answer.", value="DIR", path="folder")] = None,
    observer: Observer = SILENT,
    **shared: Unpack[FileOptions],
) -> Answers:
    """Answer questions about documents: yes (it follows), no (it is refuted) or unknown (neither).

    Questions such as ``"IS e1 BEFORE e2"``, one or a list of them, are about the only document of the source. A final
    question mark is allowed.

    Args:
        observer: Gets what could not be used.

    Returns:
        A sequence with one answer for each question, with its reasons.

    Raises:
        UsageError: A single question names an entity that the document lacks, or an option does not fit.
        InputError: A single source cannot be read.

    Examples:
        >>> found = ask([("e1", "BEFORE", "e2"), ("e2", "BEFORE", "e3")], ["IS e1 BEFORE e3", "IS e3 BEFORE e1"])
        >>> [each.answer for each in found]
        ['yes', 'no']
    """
    require_choice("contradictions", contradictions, (REFUSE, SET_ASIDE))
    going = Going.over(source, shared)
    lines = questions_in(questions)
    known = []
    for each in documents(source, going.options, report=observer.corpus_remark):
        for trouble in trouble_with(each):
            observer.unusable(*trouble)
        known.append(each)
    is_one = is_one_question(questions)
    return ask_lines(known, lines, going, contradictions=contradictions, certificates=certificates, strict=is_one)


def is_one_question(questions: str | Sequence[str]) -> bool:
    """Return whether a text is one question, not the path of a file or folder of them."""
    return isinstance(questions, str) and not os.path.exists(questions) and _is_question(questions)  # noqa: PTH110


def _is_question(text: str) -> bool:
    return text.strip().upper().startswith("IS ")


def ask_lines(
    found: Iterable[Document | Unreadable],
    lines: Sequence[OrderQuestion | BadLine],
    going: Going,
    *,
    contradictions: str = REFUSE,
    certificates: str | None = None,
    strict: bool = False,
) -> Answers:
    """Answer questions that have been read, about documents. ``strict``: refuse a question that has a fault."""
    known: dict[str, Document | Unreadable] = {}
    for each in found:
        known.setdefault(each.id, each)
    unread = [each for each in known.values() if isinstance(each, Unreadable)]
    if unread and len(unread) == len(known):
        raise UsageError(f"there is no readable document to ask about ({unread[0].error})")
    answerer = _Answerer(known, contradictions, going.limit, going.calendar, certificates, strict=strict)
    dropped = (remark for each in known.values() if isinstance(each, Document) for remark in each.dropped)
    return Answers(tuple(map(answerer.answer, lines)), tuple(dropped))


def questions_in(questions: str | Sequence[str]) -> list[OrderQuestion | BadLine]:
    """Return the questions of a file or folder, or those given as texts."""
    if not isinstance(questions, str):
        return [_spoken(number, text) for number, text in enumerate(questions, 1)]
    path = Path(questions, FILE) if os.path.isdir(questions) else Path(questions)  # noqa: PTH112
    if not path.is_file():
        if _is_question(questions):
            return [_spoken(1, questions)]
        raise UsageError(f"{path}: no such question file. To ask one question, write it as 'IS e1 BEFORE e2'")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", path=str(path)) from error
    found = read_questions(text)
    if not found:
        raise InputError("holds no question", path=str(path))
    return found


def _spoken(number: int, text: str) -> OrderQuestion | BadLine:
    (found,) = read_questions(f"{number}||{text.rstrip().removesuffix('?')}||") or [
        BadLine(number, text, "the question is empty")
    ]
    return found._replace(line=number)


class _Answerer:
    """Answers questions; documents are prepared once."""

    def __init__(
        self,
        known: dict[str, Document | Unreadable],
        contradictions: str,
        budget: float | None,
        calendar: Calendar | None,
        certificates: str | None,
        *,
        strict: bool,
    ) -> None:
        self._strict = strict
        self._known = known
        self._contradictions = contradictions
        self._budget = budget
        self._calendar = calendar
        self._certificates = certificates
        self._ready: dict[str, Oracle] = {}

    def answer(self, question: OrderQuestion | BadLine) -> AnsweredQuestion:
        if isinstance(question, BadLine):
            if self._strict:
                raise UsageError(question.reason)
            return AnsweredQuestion(question, UNREADABLE, reason=question.reason)
        name = self._name(question.file)
        document = self._known.get(name or "")
        if name is None or document is None:
            return AnsweredQuestion(question, UNREADABLE, reason=f"there is no document {question.file!r}")
        if isinstance(document, Unreadable):
            return AnsweredQuestion(question, UNREADABLE, name, reason=str(document.error))
        try:
            return self._decided(question, name, document)
        except BudgetExceeded as limit:
            return AnsweredQuestion(question, UNDECIDED, name, reason=str(limit), verdict=Verdict.UNDECIDED)

    def _name(self, file: str) -> str | None:
        if not file and len(self._known) == 1:
            return next(iter(self._known))

        return Source(file).name if file else None

    def _decided(self, question: OrderQuestion, name: str, document: Document) -> AnsweredQuestion:
        oracle = self._oracle(name, document)
        ids = {each.lower(): each for each in reversed(oracle.entities)}
        linked = {end for link in oracle.document.links for end in (link.source, link.target)}
        ends, unlinked = [], None
        for asked in (question.source, question.target):
            found = ids.get(asked) or ids.get(_instance(asked))
            unlinked = unlinked or (asked if found not in linked else None)
            if found is None:
                if self._strict:
                    raise no_entity(oracle.document, asked)
                return AnsweredQuestion(question, UNKNOWN, name, (), f"entity {asked} not found", unlinked)
            ends.append(found)
        try:
            relation = _relation(question.relation, oracle)
        except LabelError as error:
            if self._strict:
                raise UsageError(f"{question.asked}: {error}") from None
            return AnsweredQuestion(question, UNREADABLE, name, reason=str(error))
        verdict = oracle.entails(ends[0], relation, ends[1])
        if verdict is Verdict.INCONSISTENT:
            reason = 'the document contradicts itself; contradictions="set-aside" leaves out later links'
            return AnsweredQuestion(question, INCONSISTENT, name, reason=reason, verdict=verdict)
        if verdict is Verdict.UNDECIDED:
            return AnsweredQuestion(question, UNDECIDED, name, reason="the time limit ran out", verdict=verdict)
        because = oracle.why(ends[0], relation, ends[1]) or ()
        if self._certificates is not None:
            stem = safe_name(f"{name}-{question.number}")
            oracle.certificate((ends[0], relation, ends[1])).write(Path(self._certificates, f"{stem}.json"))
        return AnsweredQuestion(question, ANSWERS[verdict], name, tuple(because), unlinked=unlinked, verdict=verdict)

    def _oracle(self, name: str, document: Document) -> Oracle:
        if name not in self._ready:
            if self._contradictions == SET_ASIDE:
                document = without_contradictions(document, self._budget)
            self._ready[name] = Oracle(document, time_limit=self._budget, calendar=self._calendar)
        return self._ready[name]


def without_contradictions(document: Document, budget: float | None) -> Document:
    """Return the document without each link that contradicts those before it."""
    aside = set(Side(document, Budget(budget)).set_aside)
    return replace(document, links=tuple(link for number, link in enumerate(document.links) if number not in aside))


def _instance(event: str) -> str:
    """Return the usual id of an event's instance: ei1 for e1."""
    return f"ei{event[1:]}" if event.startswith("e") and event[1:].isdigit() else event


def _relation(name: str, oracle: Oracle) -> Relation:
    """Return what a question asks; labels of the task mean single atoms, others what they mean in the document."""
    return RELATIONS[name] if name in RELATIONS else oracle.relation(name.upper())
