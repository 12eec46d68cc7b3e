"""``temporacle ask``: questions about the order of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json
from temporacle.commands.options import Run, runs

if TYPE_CHECKING:
    from temporacle.tasks.ask import Answers


@runs("ask")
def ask(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Answer questions about the order of events: yes, no or open.

    A question is "IS x RELATION y". The answer is yes if this follows from the links, no if they refute it, and open
    if neither is so. If the questions state their answers, the score of QA-TempEval follows. One question has the exit
    codes of entails: 0 for yes, 1 for no and open. Several: 0, or 3 if one could not be read or decided.

    For example:

      temporacle ask ferry.tml 'IS ei1 BEFORE ei3'

      temporacle ask system/ question-set.txt

      temporacle ask system/ question-set.txt --calendar --output json
    """
    from temporacle.results import Verdict
    from temporacle.tasks.ask import is_one_question

    found = run.whole()
    if output is Output.JSON:
        for each in found:
            print_json(each.to_dict())
        if found.score is not None:
            print_json(found.score.to_dict())
        if found.skipped_links:
            print_json({"skipped_links": dict(found.skipped_links)})
    else:
        _show_answers(found, output)
    is_no = is_one_question(run["questions"]) and found[0].verdict in {Verdict.REFUTED, Verdict.OPEN}
    code = ExitCode.YES if found.complete and not run.has_heard_trouble else ExitCode.UNDECIDED
    return ExitCode.NO if is_no else code


def _show_answers(found: Answers, output: Output) -> None:
    from temporacle.commands.score_tables import ScoreOutput, print_grid
    from temporacle.results import Verdict

    rows = []
    for each in found:
        if each.reason:
            complain(f"line {each.question.line}: {each.asked}: {each.reason}")
        because = " ".join(fact.id for fact in each.because)
        answer = "open" if each.verdict is Verdict.OPEN else each.answer
        rows.append([each.document or "", each.asked, answer, each.gold or "", because])
    stated = any(each.gold for each in found)
    columns = ("document", "question", "answer", "gold", "because")
    kept = [number for number, name in enumerate(columns) if name != "gold" or stated]
    print_grid(
        ScoreOutput(output), [columns[number] for number in kept], [[row[number] for number in kept] for row in rows]
    )
    if found.score is not None and output is Output.TABLE:
        typer.echo(found.score.printed())
