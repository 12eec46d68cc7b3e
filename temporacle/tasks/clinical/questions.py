"""QA-TempEval: questions and answers about the documents of a system."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.corpus.inputs import documents
from temporacle.errors import BudgetExceeded
from temporacle.model import Document, Remark, Unreadable
from temporacle.readings import canonical
from temporacle.scoring.official.printout import Printout
from temporacle.scoring.official.qa_tempeval import (
    ANSWERS,
    LINK_LABELS,
    RELATIONS,
    UNKNOWN,
    BadLine,
    Question,
    counted,
    official_part,
)
from temporacle.tasks.clinical.run import ProgramRun

if TYPE_CHECKING:
    from temporacle.scoring.official.programs import QaTempevalChoices
    from temporacle.scoring.official.qa_tempeval import QuestionCounts
    from temporacle.tasks.clinical.run import Row


def run(gold: str, system: str, choices: QaTempevalChoices, notes: list[str]) -> ProgramRun:
    """Score answers to questions. The program's graph is not emulated: the answers are exact, its rules are its own."""
    from temporacle.tasks.ask import SET_ASIDE, AnsweredQuestion, ask_lines, questions_in

    def report(said: Remark | Unreadable | Document) -> None:
        if not isinstance(said, Document):
            notes.append(said.message if isinstance(said, Remark) else str(said.error))

    lines = questions_in(gold)
    known_labels = [_with_known_labels(each, notes) for each in documents(system, report=report)]
    exact = ask_lines(known_labels, lines, contradictions=SET_ASIDE, budget=choices.budget, report=report)
    undecided = [each for each in exact if each.answer == "undecided"]
    if undecided:
        raise BudgetExceeded(undecided[0].reason)
    read = official_part(lines)

    def printed(each: AnsweredQuestion) -> str:
        known = isinstance(each.question, Question) and each.question.relation in RELATIONS
        if each.unlinked is not None:
            return f"{UNKNOWN} (entity {each.unlinked} not found)"
        return each.answer if known and each.answer in ANSWERS.values() else UNKNOWN

    by_line = {each.question.line: each for each in exact}
    pairs = [None if isinstance(each, BadLine) else (each.answer, printed(by_line[each.line])) for each in read]
    text = "".join(
        f"{each.written}|predicted={pair[1]}\n" for each, pair in zip(read, pairs, strict=True) if pair is not None
    )
    rows = tuple(each.to_dict() for each in exact)
    found, right = counted(pairs), exact.score or counted(())
    notes += [f"{gold}:{each.line}: {each.reason}" for each in lines if isinstance(each, BadLine)]
    return ProgramRun(
        f"{text}{found.printed()}\n".encode(),
        Printout("", rows, _figures(found)),
        (),
        rows,
        _figures(right),
        ("questions about DURING, DURING_INV and OVERLAP are never answered", "reading ends at the first bad line"),
    )


def _with_known_labels(document: Document | Unreadable, notes: list[str]) -> Document | Unreadable:
    """Return the document without links whose labels the program does not know."""
    if isinstance(document, Unreadable):
        return document
    links = tuple(link for link in document.links if canonical(link.label) in LINK_LABELS)
    if left := len(document.links) - len(links):
        notes.append(f"{document.id}: {left} links have labels that the program does not know; they are left out")
    return replace(document, links=links)


def _figures(counts: QuestionCounts) -> Row:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**ratios, "counts": counts._asdict()}
