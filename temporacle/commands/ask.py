"""``temporacle ask``: answer questions about the order of events."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.calendars import CalendarOption, HemisphereOption, ZoneOption, calendar_from
from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    OutputOption,
    complain,
    print_json,
    with_flags,
)
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.tasks.ask import Answers


class Handling(StrEnum):
    """The treatment of a document that contradicts itself."""

    REFUSE = "refuse"
    SET_ASIDE = "set-aside"


@reads_documents()
def ask(
    path: Annotated[str, typer.Argument(metavar="DOCUMENT", help="A document, or a folder of documents.")],
    questions: Annotated[
        str,
        typer.Argument(metavar="QUESTIONS", help="A question file of QA-TempEval, its folder, or 'IS e1 BEFORE e2'."),
    ],
    *,
    contradictions: Annotated[
        Handling,
        typer.Option(help="A document that contradicts itself: refuse to answer, or set later links aside."),
    ] = Handling.REFUSE,
    certificates: Annotated[
        str | None, typer.Option("--certificates", metavar="DIR", help="Write a proof of each answer.")
    ] = None,
    calendar: CalendarOption = None,
    hemisphere: HemisphereOption = None,
    zone: ZoneOption = None,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Answer questions about the order of events: yes, no or open.

    A question is "IS x RELATION y". The answer is yes if this follows from the links, no if they refute it, and open
    if neither is so. If the questions state their answers, the score of QA-TempEval follows. One question has the exit
    codes of entails: 0 for yes, 1 for no and open. Several: 0, or 3 if one could not be read or decided.

    For example:

      temporacle ask ferry.tml 'IS ei1 BEFORE ei3'

      temporacle ask system/ question-set.txt

      temporacle ask system/ question-set.txt --calendar --output json
    """
    from temporacle.commands.answers import Trouble
    from temporacle.results import Verdict
    from temporacle.tasks.ask import ask as answered
    from temporacle.tasks.ask import is_one_question

    trouble = Trouble()
    if output is Output.CSV:
        raise UsageError("ask has --output table and json only")
    found = answered(
        path,
        questions,
        contradictions=contradictions.value,
        budget=budget,
        calendar=calendar_from(calendar, hemisphere, zone),
        certificates=certificates,
        report=trouble,
        **as_keywords(options),
    )
    if output is Output.JSON:
        for each in found:
            print_json(each.to_dict())
        if found.score is not None:
            print_json(found.score.to_dict())
    else:
        _show(found)
    is_no = is_one_question(questions) and found[0].verdict in {Verdict.REFUTED, Verdict.OPEN}
    code = ExitCode.YES if found.complete and not trouble.heard else ExitCode.UNDECIDED
    raise typer.Exit(ExitCode.NO if is_no else code)


def _show(found: Answers) -> None:
    from temporacle.commands.answers import print_table
    from temporacle.results import Verdict

    rows = []
    for each in found:
        if each.reason:
            complain(f"line {each.question.line}: {each.asked}: {with_flags(each.reason)}")
        because = " ".join(fact.id for fact in each.because)
        answer = "open" if each.verdict is Verdict.OPEN else each.answer
        rows.append([each.document or "", each.asked, answer, each.gold or "", because])
    stated = any(each.gold for each in found)
    columns = ("document", "question", "answer", "gold", "because")
    kept = [number for number, name in enumerate(columns) if name != "gold" or stated]
    print_table([columns[number] for number in kept], [[row[number] for number in kept] for row in rows])
    if found.score is not None:
        typer.echo(found.score.printed())
