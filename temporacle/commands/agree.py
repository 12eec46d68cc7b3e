"""``temporacle agree``: two or more annotators of the same documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import BudgetOption, ExitCode, complain, print_json, with_flags
from temporacle.commands.metric_options import of_metrics, takes_options_of
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption
from temporacle.commands.score_tables import (
    ScoreOutput,
    ScoreTable,
    print_grid,
    print_signature,
    require_names,
    short_names,
)
from temporacle.commands.watching import Watcher
from temporacle.errors import UsageError
from temporacle.figures import digits
from temporacle.scoring.metric import METRICS, metric_named
from temporacle.scoring.options import Align, Average
from temporacle.tasks.agreement import AgreementRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.scoring.agreement import Coefficients
    from temporacle.tasks.agreement import Agreement
    from temporacle.tasks.score_pair import Request


@reads_documents()
@takes_options_of(of_metrics())
def agree(
    annotators: Annotated[
        list[str], typer.Argument(metavar="A B ...", help="Files or folders, one for each annotator: two or more.")
    ],
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help=f"By which every two annotators are scored: {', '.join(METRICS)}. Default: awareness."
            " For the options of one: --metric pairs --help."
        ),
    ] = None,
    chosen: dict[str, Any],
    average: Annotated[
        Average, typer.Option(help="micro: add up counts, then divide. macro: mean of the documents.")
    ] = Average.MICRO,
    align: Annotated[Align, typer.Option(help="How to match entities: by ids or by text spans.")] = Align.IDS,
    empty: Annotated[int, typer.Option(min=0, max=1, help="Value of 0/0.")] = 0,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name of each annotator in tables and JSON, in order; repeatable."),
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Also show the counts in tables.")] = False,
    options: Options,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    output: Annotated[
        ScoreOutput, typer.Option("--output", help="table, json, csv, markdown, latex or html.")
    ] = ScoreOutput.TABLE,
) -> None:
    """Show how far two or more annotators agree: scores in both directions, kappa and alpha.

    For example:

      temporacle agree annotator1/ annotator2/

      temporacle agree a.jsonl b.jsonl c.jsonl --name Ann --name Bo --name Cy --output json
    """
    from contextlib import ExitStack, closing

    from temporacle.commands.running import journal_for, plan_of, telling_of_interrupts
    from temporacle.corpus.inputs import require_columns
    from temporacle.tasks.score_request import request_for

    if len(annotators) == 1:
        raise UsageError("agreement needs two or more annotators: temporacle agree A B")
    require_names(name, len(annotators), "annotators")
    if len(metric or ()) > 1:
        raise UsageError("agreement is computed by one metric at a time")
    plan = plan_of(jobs, backend, scheduler)
    request = request_for(
        metric or ["awareness"], chosen, align=align.value, empty=empty, budget=budget, both_ways=True
    )
    require_columns(options, *annotators)
    with telling_of_interrupts(resume), ExitStack() as stack:
        journal = None
        if resume is not None:
            journal = stack.enter_context(closing(journal_for(resume, ("score", request, average, options))))
        code = _print_agreement(
            annotators,
            name or (),
            options,
            request,
            average=average.value,
            plan=plan,
            journal=journal,
            output=output,
            counts=counts,
        )
    raise typer.Exit(code)


def _print_agreement(
    annotators: Sequence[str],
    names: Sequence[str],
    reading: Options,
    request: Request,
    *,
    average: str,
    plan: Plan,
    journal: Journal | None,
    output: ScoreOutput,
    counts: bool,
) -> ExitCode:
    """Score every two annotators, and print how far all of them agree."""
    observer = Watcher(annotators[0])
    called = names or annotators
    run = AgreementRun(called, annotators, reading, request, plan, average=average, observer=observer, journal=journal)
    with observer.over(*annotators[1:]):
        run.score()
        found = run.result()
    for each in dict.fromkeys((*(skip for two in found.between for skip in two.forward.skipped), *found.skipped)):
        complain(f"skipped {each.document}: {with_flags(each.reason)}")
    if not any(two.forward.scored for two in found.between):
        complain("No document could be scored, so there is no total. See the errors above.")
    if output is ScoreOutput.JSON:
        for document in found.between[0].forward.documents:
            print_json(document.to_dict())
        print_json(found.to_dict())
    else:
        kinds = [metric_named(request.metrics[0][0]).counts]
        table = ScoreTable(output, kinds, counts=counts or output is ScoreOutput.CSV)
        _print_tables(found, list(names) or short_names(annotators), table, output)
    return ExitCode.UNDECIDED if run.trouble else ExitCode.YES


def _print_tables(found: Agreement, shown: Sequence[str], table: ScoreTable, output: ScoreOutput) -> None:
    called = dict(zip(found.annotators, shown, strict=True))
    rows = [
        table.row(score, called[key], called[answer])
        for two in found.between
        for (key, answer), score in ((two.names, two.forward), (two.names[::-1], two.backward))
    ]
    print_grid(output, table.columns("key", "answer"), rows)
    measured = [("as stated", found.stated), ("after closure", found.closed)]
    rows = [[name, *_cells(each)] for name, each in measured if each is not None]
    title = "agreement about pairs"
    print_grid(output, ["links", "pairs", "by all", "Cohen", "Fleiss", "Krippendorff"], rows, title=title)
    if len(found.between) > 1:
        rows = [
            [called[two.names[0]], called[two.names[1]], str(kappa.pairs), digits(kappa.observed), digits(kappa.kappa)]
            for two, kappa in zip(found.between, found.stated.kappas, strict=True)
        ]
        title = "every two annotators, links as stated"
        print_grid(output, ["annotator", "other", "pairs", "observed", "Cohen"], rows, title=title)
    print_signature(output, found.between[0].forward.signature)


def _cells(found: Coefficients) -> list[str]:
    figures = [digits(value) for value in (found.kappa, found.fleiss, found.krippendorff)]
    return [str(found.pairs), str(found.by_all), *figures]
