"""Print the result of ``temporacle score --official``: the original program's own lines, or JSON."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from temporacle.audit.official import DifferenceCause, ExactJudgement, LinkQuestion
from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.commands.watching import Watcher
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.figures import digits
from temporacle.printing import printable
from temporacle.tasks.official import official_score

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.commands.score_tables import ScoreOutput
    from temporacle.scoring.official.pairs.rules import ProgramFault
    from temporacle.scoring.official.tempeval3.scores import OfficialCounts
    from temporacle.tasks.official import OfficialScore
    from temporacle.tasks.official_differences import Differences, ExplainedDocument, LinkDifference

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


def print_official(
    gold: str,
    system: str,
    *,
    output: ScoreOutput,
    scorer: Callable[..., OfficialScore] = official_score,
    **options: Any,
) -> ExitCode:
    """Score as the program of the shared task does, and print what it prints."""
    if output.value not in {"json", "table"}:
        raise UsageError(
            "--official prints what the original program prints, or JSON (--output json), but not csv or latex"
        )
    try:
        score = scorer(gold, system, **options)
    except BudgetExceeded as limit:
        complain(f"undecided: {limit}; allow more time with --time-limit")
        return ExitCode.UNDECIDED
    _complain(score)
    if output.value == "json":
        _print_rows(score)
    else:
        _print_text(score)
        complain(score.signature)
    if score.stops is not None:
        complain(f"note: the original program would crash on this input with {score.stops}")
    return ExitCode.YES if score.complete else ExitCode.UNDECIDED


def _complain(score: OfficialScore) -> None:
    watcher = Watcher()
    for path, remark in score.dropped:
        watcher.unusable(path, remark)
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
    for row in score.rows():
        print_json(row)
    print_json(score.to_dict())


def _print_text(score: OfficialScore) -> None:
    if not score.undecided:
        sys.stdout.flush()
        sys.stdout.buffer.write(score.text)
        sys.stdout.buffer.flush()
    if score.differences is not None:
        for document in score.differences.documents:
            _print_differences(document)
        _print_summary(score.differences)
    if score.faults is not None:
        print_faults(score.faults)


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
    from temporacle.commands.answers import print_table

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


def print_faults(faults: Sequence[ProgramFault]) -> None:
    """Print the measures that a program gets wrong, and why."""
    from temporacle.commands.answers import print_table

    if not faults:
        sys.stdout.write("No fault of the program changed a number.\n")
        return
    rows = [
        [fault.measure, "none" if fault.official is None else digits(fault.official), digits(fault.exact), fault.cause]
        for fault in faults
    ]
    print_table(("measure", "official", "exact", "cause"), rows)
