"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from temporacle.commands.common import BudgetOption  # noqa: TC001 - Typer looks at it
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption
from temporacle.commands.score_rows import ScoreOutput


@reads_documents()
def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File or folder of the gold standard.")],
    systems: Annotated[
        list[str], typer.Argument(metavar="SYSTEM...", help="Files or folders to score; several are ranked.")
    ],
    *,
    metric: Annotated[
        str, typer.Option(help="awareness, closure, core, reduction, tempeval1 or timeline.")
    ] = "awareness",
    relaxed: Annotated[bool, typer.Option("--relaxed", help="Partial credit, where the metric has it.")] = False,
    average: Annotated[str, typer.Option(help="micro: counts add up. macro: mean of documents.")] = "micro",
    align: Annotated[
        str, typer.Option(help="Entities are the same by ids, by spans, or (official only) as tempeval3 normalises.")
    ] = "ids",
    contradictions: Annotated[
        str, typer.Option(help="Contradictory links: set-aside in order, repair (order does not matter), or refuse.")
    ] = "set-aside",
    empty: Annotated[int, typer.Option(min=0, max=1, help="The value of 0/0.")] = 0,
    vague: Annotated[str, typer.Option(help="Links that constrain nothing: ignore or count.")] = "ignore",
    ordering_only: Annotated[bool, typer.Option("--ordering-only", help="Timelines without time anchors.")] = False,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Also by label (with a confusion table), kind of pair, or task.")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="SYSTEM2", help="Bootstrap intervals and p-values against this system.")
    ] = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Two annotators: the scores both ways, and kappa.")
    ] = False,
    samples: Annotated[int, typer.Option(min=1, help="Samples for --compare.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed for --compare.")] = 0,
    official: Annotated[
        bool, typer.Option("--official", help="The digits of the shared task's own program, faults included.")
    ] = False,
    method: Annotated[str, typer.Option(help="With --official: default, acl11 or implicit_in_recall.")] = "default",
    explain_difference: Annotated[
        bool,
        typer.Option("--explain-difference", help="With --official: each link it judges wrongly, and the exact score."),
    ] = False,
    options: Options,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    output: Annotated[
        ScoreOutput, typer.Option("--output", help="table, json, csv, markdown or latex.")
    ] = ScoreOutput.TABLE,
) -> None:
    """Score SYSTEM against GOLD with complete inference; every score carries its signature.

    For example:

      temporacle score gold/ system/

      temporacle score gold/ run1/ run2/ run3/ --align spans --metric reduction

      temporacle score gold/ run1/ --compare run2/ --output json

      temporacle score annotator1/ annotator2/ --agreement

      temporacle score gold/ system/ --official --align tempeval3

      temporacle score gold.jsonl.gz run1.jsonl.gz --jobs 8 --resume done.jsonl --output json
    """
    from temporacle.commands.running import plan_of, telling_of_interrupts
    from temporacle.commands.score_run import Run, journal_of_findings
    from temporacle.corpus import Request, chosen
    from temporacle.errors import UsageError
    from temporacle.runner.place import Place
    from temporacle.scoring.options import Align, Average, Contradictions, ScoringOptions, Vague

    groups = by or []
    if unknown := set(groups) - {"label", "kind", "task"}:
        raise UsageError(f"unknown group {', '.join(sorted(unknown))}: choose label, kind or task")
    if len(systems) > 1 and (compare or agreement or official):
        raise UsageError("--compare, --agreement and --official take one SYSTEM")
    plan = plan_of(jobs, backend, scheduler)
    if official:
        from temporacle.commands.score_official import official_score

        if resume is not None:
            raise UsageError("--resume keeps exact scores: official digits are worked out anew")
        with telling_of_interrupts(), Place(plan) as place:
            code = official_score(
                gold,
                systems[0],
                metric=metric,
                method=method,
                align=chosen(Align, align),
                relaxed=relaxed,
                ordering_only=ordering_only,
                explain_difference=explain_difference,
                budget=budget,
                output=output,
                place=place,
            )
        raise typer.Exit(code)
    if method != "default" or explain_difference:
        raise UsageError("--method and --explain-difference belong to the official digits: add --official")
    request = Request(
        metric=metric,
        options=ScoringOptions(
            relaxed=relaxed,
            contradictions=chosen(Contradictions, contradictions),
            vague=chosen(Vague, vague),
            ordering_only=ordering_only,
            budget=budget,
            details=bool(groups),
        ),
        average=chosen(Average, average),
        align=chosen(Align, align),
        empty=empty,
        during=options.during,
        reading=options.reading,
    )
    if metric == "timeline" and options.format is None:
        options = dataclasses.replace(options, format="timeline")
    journal = None
    if resume is not None:
        journal = journal_of_findings(resume, request, (gold, systems, options, compare, agreement))
    with telling_of_interrupts(journal), Place(plan) as place:
        run = Run(gold, options, request, place, output=output, groups=groups, journal=journal)
        if agreement:
            run.agree(systems[0])
        elif compare is not None:
            run.compare(systems[0], compare, samples, seed)
        elif len(systems) > 1:
            run.rank(systems)
        else:
            run.score(systems[0])
    raise typer.Exit(run.exit_code())
