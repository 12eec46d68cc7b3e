"""``temporacle official``: the lines of the original program, or the same as values."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.audit.official import DifferenceCause, ExactJudgement, LinkQuestion
from temporacle.commands.common import ExitCode, TextOutput, complain, print_json
from temporacle.commands.options import GIVEN, Run, runs
from temporacle.commands.score_tables import ScoreOutput
from temporacle.commands.terminal import Watcher, print_table, remarks
from temporacle.declared import OUTPUT
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.frames import digits
from temporacle.printing import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.audit.official import Differences, ExplainedDocument, LinkDifference
    from temporacle.scoring.official.pairs.schemes import ProgramFault
    from temporacle.scoring.official.tempeval3.scores import OfficialCounts
    from temporacle.tasks.official import OfficialScore

_ANSWERED = ("number", "document", "question", "answer", "gold")
_ASKED = {LinkQuestion.REDUCTION: "the {} links before it", LinkQuestion.MATCH: "the {} links"}
_JUDGEMENTS = {
    ExactJudgement.STATED: "{} state it",
    ExactJudgement.ENTAILED: "it follows from {}",
    ExactJudgement.REFUTED: "it contradicts {}",
    ExactJudgement.OPEN: "it neither follows from {} nor contradicts them",
    ExactJudgement.UNDECIDED: "the time limit ran out",
    ExactJudgement.COUNTED_TWICE: "it contradicts {}, but is counted twice",
    ExactJudgement.NO_MEANING: "its label allows every relation",
}


def _print_list(context: typer.Context, value: bool) -> None:  # noqa: FBT001 - Typer calls it
    if not value:
        return
    from temporacle.scoring.official.registry import every_program

    is_json = "json" in " ".join(context.meta[GIVEN])
    rows = []
    for program in every_program():
        options = [f"--{each.name.replace('_', '-')}" for each in program.options.declared()]
        if is_json:
            what = {"program": program.name, "files": program.files.value, "about": program.about}
            print_json({**what, "options": options})
        rows.append((program.name, program.files.value, program.about, " ".join(options)))
    if not is_json:
        print_table(("program", "files", "about", "options"), rows)
    raise typer.Exit


@runs("official")
def official(
    run: Run,
    *,
    list_programs: Annotated[  # noqa: ARG001 - its callback prints
        bool,
        typer.Option("--list", callback=_print_list, is_eager=True, help="Print the programs and stop."),
    ] = False,
    output: Annotated[
        TextOutput,
        typer.Option(
            "--output", help="table: what the program prints. json: the same as values.", rich_help_panel=OUTPUT
        ),
    ] = TextOutput.TABLE,
) -> int:
    """Print what the program of a shared task or paper prints, byte for byte, including its bugs.

    For example:

      temporacle official --list

      temporacle official awareness gold/ system/ --align tempeval3

      temporacle official matres gold.tsv system.tsv --explain-difference

      temporacle official anafora gold/ system/ --include TLINK:Type --output json
    """
    systems = run["system"]
    score = _found(run.changed(system=systems[0] if len(systems) == 1 else systems))
    if score is None:
        return ExitCode.UNDECIDED
    if output is TextOutput.JSON:
        _print_rows(score)
    else:
        _print_text(score)
        complain(score.signature)
    if score.stops is not None:
        complain(f"note: the original program would crash on this input with {score.stops}")
    return ExitCode.YES if score.completes(remarks().allowed) else ExitCode.UNDECIDED


def _found(run: Run) -> OfficialScore | None:
    """Return the score, after what there is to say about it; None if the time limit ran out."""
    try:
        score: OfficialScore = run.whole()
    except BudgetExceeded as limit:
        complain(f"undecided: {limit}; allow more time with --time-limit")
        return None
    _complain(score)
    return score


def print_exact(run: Run, *, output: ScoreOutput, counts: bool) -> ExitCode:
    """Score the files of a program exactly, and print the result."""
    if output not in {ScoreOutput.TABLE, ScoreOutput.JSON}:
        raise UsageError("the exact score of a program has --output table and json only")
    score = _found(run)
    if score is None:
        return ExitCode.UNDECIDED
    if output is ScoreOutput.JSON:
        _print_rows(score)
    else:
        _print_exact_tables(score, list(score.total["counts"]) if counts else [])
        complain(score.signature)
    return ExitCode.YES if score.completes(remarks().allowed) else ExitCode.UNDECIDED


def _print_exact_tables(score: OfficialScore, names: Sequence[str]) -> None:
    questions = [row for row in score.documents if "question" in row]  # of QA-TempEval, which scores no documents
    if questions:
        print_table(_ANSWERED, [[str(row[name] or "") for name in _ANSWERED] for row in questions])
    rows = [
        [
            str(row.get("document", "TOTAL")),
            *("none" if row[name] is None else digits(row[name]) for name in ("precision", "recall", "f1")),
            *(str(row.get("counts", {}).get(name, "")) for name in names),
        ]
        for row in (*(() if questions else score.documents), score.total)
    ]
    print_table(("document", "P", "R", "F1", *names), rows)


def _complain(score: OfficialScore) -> None:
    watcher = Watcher()
    for _, path, remark in score.dropped:
        watcher.unusable(path, remark)
    for remark in score.warnings:
        watcher.warning(remark)
    for note in score.notes:
        complain(note)
    for name, reason in score.unread:
        complain(f"skipped {name}: {reason}")
    for name, reason in score.undecided:
        complain(f"undecided: {name}: {reason}; allow more time with --time-limit")
    for each in () if score.differences is None else score.differences.documents:
        if each.reason is not None:
            complain(f"undecided: {each.name}: differences {each.reason}; allow more time with --time-limit")


def _print_rows(score: OfficialScore) -> None:
    for document in () if score.differences is None else score.differences.documents:
        for difference in document.differences:
            print_json({"document": document.name, **difference.to_dict()})
    for fault in (score.faults or ()) if score.convention else ():
        print_json(fault.to_dict())
    for row in score.rows():
        print_json(row)
    print_json(score.to_dict())


def _print_text(score: OfficialScore) -> None:
    if not score.undecided:
        sys.stdout.flush()
        sys.stdout.buffer.write(score.text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    if score.differences is not None:
        for document in score.differences.documents:
            _print_differences(document)
        _print_summary(score.differences)
    if score.faults is not None:
        _print_faults(score.faults)


def _print_differences(document: ExplainedDocument) -> None:
    count = len(document.differences)
    if count:
        typer.secho(printable(f"{document.name}: {count} difference{'s' * (count > 1)}"), bold=True)
    for difference in document.differences:
        for line in _lines(difference):
            typer.echo(printable(f"  {line}"))


def _lines(found: LinkDifference) -> Iterator[str]:
    """Describe a difference and its evidence."""
    difference, why, link = found.difference, found.evidence, found.link
    line = "" if link.line is None else f" (line {link.line})"
    links = _ASKED[difference.question].format(difference.asked)
    yield f"{difference.side} {link.id}{line}: {link.source} {link.label} {link.target}"
    yield f"  official scorer: {_JUDGEMENTS[difference.official].format(links)}"
    yield f"  exact reasoner: {_JUDGEMENTS[difference.exact].format(links)}"
    yield f"  cause: {difference.cause.value}"
    if why.model is not None:
        # Of the two entities; JSON has them all.
        times = [(name, why.model[name]) for name in dict.fromkeys((link.source, link.target))]
        example = ", ".join(f"{name} = [{start}, {end}]" for name, (start, end) in times)
        hold = f"all {len(difference.premises)} links hold and " if difference.premises else ""
        yield f"  for example, with {example} {hold}this link {'holds' if why.holds else 'does not hold'}"
    elif why.premises:
        names = ", ".join(f"{each.id} {each.source} {each.label} {each.target}" for each in why.premises)
        same = difference.exact is ExactJudgement.STATED
        yield f"  {'the same link' if same else 'this is decided by'}: {names}"
    yield from (f"    {sentence}" for sentence in why.sentences)


def _print_summary(found: Differences) -> None:
    causes = Counter((difference.cause, difference.side) for difference in found.causes)
    rows = [
        [cause.value, *(str(causes[cause, side]) for side in ("gold", "system"))]
        for cause in DifferenceCause
        if causes[cause, "gold"] or causes[cause, "system"]
    ]
    if rows:
        print_table(("cause", "gold links", "system links"), rows)
    elif found.complete:
        typer.echo("The official scorer and the exact reasoner agree about every link.")
    if found.exact is not None:
        rows = [_score_row("official", found.official), _score_row("exact", found.exact)]
        print_table(("verdicts", "F1", "P", "R", "precision counts", "recall counts"), rows)
    else:
        typer.echo("There is no exact score, because the time limit ran out.")


def _score_row(name: str, counts: OfficialCounts) -> list[str]:
    precision = f"{counts.precision_matched}/{counts.system_total}"
    return [name, *counts.digits(), precision, f"{counts.recall_matched}/{counts.gold_total}"]


def _print_faults(faults: Sequence[ProgramFault]) -> None:
    """Print the measures that a program gets wrong, and why."""
    if not faults:
        sys.stdout.write("No fault of the program changed a number.\n")
        return
    rows = [
        [fault.measure, "none" if fault.official is None else digits(fault.official), digits(fault.exact), fault.cause]
        for fault in faults
    ]
    print_table(("measure", "official", "exact", "cause"), rows)
