"""Questions about the order of events, answered by the exact reasoner: ``tp.ask`` and ``temporacle ask``."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Unpack

from temporacle.corpus.observer import SILENT
from temporacle.corpus.options import DatedOptions, Going
from temporacle.declared import About, require_choice, whole_task
from temporacle.errors import BudgetExceeded, InputError, LabelError, UsageError, listed, spelled
from temporacle.frames import html_table, to_frame
from temporacle.io.files import safe_name
from temporacle.io.source import Source
from temporacle.model import Remark, skipped_words
from temporacle.passages import no_entity
from temporacle.reasoner.network import Budget
from temporacle.results import DocumentVerdict, HasWarnings, InOrder, Verdict
from temporacle.rules import UNREADABLE as UNREADABLE_CODE
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
from temporacle.tasks.answers import DocumentAnswer, answers, asked
from temporacle.tasks.oracle import DocumentCertificate, Oracle

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs
    from temporacle.corpus.observer import Observer
    from temporacle.model import Document
    from temporacle.relation import Relation
    from temporacle.results import Fact
    from temporacle.runner.journal import Journal

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
    **shared: Unpack[DatedOptions],
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
    journal = going.journal(observer, "ask", lines, contradictions, bool(certificates))
    is_one = is_one_question(questions)
    return ask_lines(
        source,
        lines,
        going,
        contradictions=contradictions,
        certificates=certificates,
        strict=is_one,
        observer=observer,
        journal=journal,
    )


def is_one_question(questions: str | Sequence[str]) -> bool:
    """Return whether a text is one question, not the path of a file or folder of them."""
    return isinstance(questions, str) and not os.path.exists(questions) and _is_question(questions)  # noqa: PTH110


def _is_question(text: str) -> bool:
    return text.strip().upper().startswith("IS ")


@dataclass(frozen=True, slots=True, repr=False)
class _Asked(DocumentAnswer):
    """The answers about one document, by the place of their question; what a single question is refused with."""

    answered: tuple[tuple[int, AnsweredQuestion], ...] = ()
    refused: str | None = None
    proofs: tuple[tuple[str, DocumentCertificate], ...] = field(default=(), compare=False)


def ask_lines(
    source: Inputs,
    lines: Sequence[OrderQuestion | BadLine],
    going: Going,
    *,
    contradictions: str = REFUSE,
    certificates: str | None = None,
    strict: bool = False,
    observer: Observer = SILENT,
    journal: Journal | None = None,
) -> Answers:
    """Answer questions that have been read, about documents. ``strict``: refuse a question that has a fault."""
    by_document: dict[str, list[tuple[int, OrderQuestion]]] = {}
    for place, line in enumerate(lines):
        if isinstance(line, OrderQuestion):
            by_document.setdefault(Source(line.file).name if line.file else "", []).append((place, line))
        elif strict:
            raise UsageError(line.reason)
    ask_one = partial(
        _answered,
        asked_for=by_document,
        contradictions=contradictions,
        calendar=going.calendar,
        proves=certificates is not None,
    )
    known: dict[str, _Asked] = {}
    for each in answers(source, asked(ask_one, _Asked, going.limit), going, observer, journal):
        for remark in each.dropped:
            observer.unusable(each.path, remark)
        if each.verdict is DocumentVerdict.UNREADABLE:
            observer.unusable(each.path, Remark(UNREADABLE_CODE, each.reason or "", element=each.document))
        known.setdefault(each.document, each)
    readable = [each for each in known.values() if each.verdict is not DocumentVerdict.UNREADABLE]
    if known and not readable:
        raise UsageError(f"there is no readable document to ask about ({next(iter(known.values())).reason})")
    unnamed: set[int] = set()  # questions that do not say which of several documents they are about
    if "" in by_document and len(known) != 1:
        unnamed.update(place for place, _ in by_document[""])
        if strict:
            several = f"there are several: {listed(list(known))}" if known else "there is none"
            raise UsageError(f"the question is about one document, and {several}")
    found: dict[int, AnsweredQuestion] = {}
    for each in readable:
        if strict and each.refused is not None:
            raise UsageError(each.refused)
        for name, proof in each.proofs:
            proof.write(Path(certificates or "", f"{name}.json"))
        found.update((place, answer) for place, answer in each.answered if place not in unnamed)
    for place, line in enumerate(lines):
        if place not in found:
            found[place] = _unanswered(line, known)
    dropped = (remark for each in known.values() for remark in each.dropped)
    return Answers(tuple(found[place] for place in range(len(lines))), tuple(dropped))


def _unanswered(line: OrderQuestion | BadLine, known: Mapping[str, _Asked]) -> AnsweredQuestion:
    """Return why a question has no answer."""
    if isinstance(line, BadLine):
        return AnsweredQuestion(line, UNREADABLE, reason=line.reason)
    name = Source(line.file).name if line.file else next(iter(known)) if len(known) == 1 else ""
    document = known.get(name)
    if document is None:
        return AnsweredQuestion(line, UNREADABLE, reason=f"there is no document {line.file!r}")
    if document.verdict is DocumentVerdict.UNREADABLE:
        return AnsweredQuestion(line, UNREADABLE, name, reason=document.reason or "")
    return AnsweredQuestion(line, UNDECIDED, name, reason=document.reason or "", verdict=Verdict.UNDECIDED)


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


def _answered(
    document: Document,
    budget: Budget,
    *,
    asked_for: Mapping[str, Sequence[tuple[int, OrderQuestion]]],
    contradictions: str,
    calendar: Calendar | None,
    proves: bool,
) -> _Asked:
    """Answer the questions about a document."""
    # Also of a document without usable links: about its entities nothing follows.
    verdict = DocumentVerdict.UNCHECKED if document.is_unchecked else DocumentVerdict.CONSISTENT
    found = _Asked(document.id, verdict, document.path, dropped=document.dropped)
    questions = [*asked_for.get(document.id, ()), *asked_for.get("", ())]
    if not questions:
        return found
    if contradictions == SET_ASIDE:
        document = without_contradictions(document, budget.remaining())
    oracle = Oracle(document, time_limit=budget.remaining(), calendar=calendar)
    ids = {each.lower(): each for each in reversed(oracle.entities)}
    linked = {end for link in oracle.document.links for end in (link.source, link.target)}
    answered: list[tuple[int, AnsweredQuestion]] = []
    proofs: list[tuple[str, DocumentCertificate]] = []
    refused: str | None = None
    for place, question in questions:
        ends = [ids.get(each) or ids.get(_instance(each)) for each in (question.source, question.target)]
        names = dict(zip((question.source, question.target), ends, strict=False))
        unlinked = next((name for name, end in names.items() if end not in linked), None)
        missing = next((name for name, end in names.items() if end is None), None)
        reply = partial(AnsweredQuestion, question, document=document.id)
        if missing is not None:
            refused = refused or str(no_entity(oracle.document, missing))
            answered.append((place, reply(UNKNOWN, reason=f"entity {missing} not found", unlinked=unlinked)))
            continue
        try:
            budget.check()
            answer, proof = _decided(question, oracle, ends, reply, proves=proves)
        except LabelError as error:
            refused = refused or f"{question.asked}: {error}"
            answer, proof = reply(UNREADABLE, reason=str(error)), None
        except BudgetExceeded as limit:
            answer, proof = reply(UNDECIDED, reason=str(limit), verdict=Verdict.UNDECIDED), None
        answered.append((place, replace(answer, unlinked=unlinked) if answer.answer in ANSWERS.values() else answer))
        if proof is not None:
            proofs.append((safe_name(f"{document.id}-{question.number}"), proof))
    return replace(found, answered=tuple(answered), refused=refused, proofs=tuple(proofs))


def _decided(
    question: OrderQuestion,
    oracle: Oracle,
    ends: Sequence[Any],
    reply: Callable[..., AnsweredQuestion],
    *,
    proves: bool,
) -> tuple[AnsweredQuestion, DocumentCertificate | None]:
    """Return the answer about two entities, and its proof if one is wanted."""
    relation = _relation(question.relation, oracle)
    verdict = oracle.entails(ends[0], relation, ends[1])
    if verdict is Verdict.INCONSISTENT:
        reason = f"the document contradicts itself; {spelled('contradictions', SET_ASIDE)} leaves out later links"
        return reply(INCONSISTENT, reason=reason, verdict=verdict), None
    if verdict is Verdict.UNDECIDED:
        return reply(UNDECIDED, reason="the time limit ran out", verdict=verdict), None
    because = oracle.why(ends[0], relation, ends[1]) or ()
    proof = oracle.certificate((ends[0], relation, ends[1])) if proves else None
    return reply(ANSWERS[verdict], because=tuple(because), verdict=verdict), proof


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
