"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from temporacle.commands.common import BudgetOption  # noqa: TC001 - Typer looks at it
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption
from temporacle.commands.score_rows import ScoreOutput

_SAMPLES, _SEED = 1000, 0


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
    samples: Annotated[int, typer.Option(min=1, help="Samples for --compare.")] = _SAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="Seed for --compare.")] = _SEED,
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
    if len(systems) > 1 and (compare or agreement or official):
        raise UsageError("--compare, --agreement and --official take one SYSTEM")
    if compare and agreement:
        raise UsageError("--compare and --agreement are two questions: ask one of them")
    if compare is None and (samples, seed) != (_SAMPLES, _SEED):
        raise UsageError("--samples and --seed belong to --compare")
    if groups and output is not ScoreOutput.JSON and (len(systems) > 1 or compare or agreement):
        raise UsageError(
            "tables by label, kind or task are shown for one SYSTEM: take them one by one, or --output json"
        )
    _refuse_groups(metric, groups)
    plan = plan_of(jobs, backend, scheduler)
    if official:
        from temporacle.commands.score_official import official_score

        if resume is not None:
            raise UsageError("--resume keeps exact scores: official digits are worked out anew")
        exact_only = {
            "--average": average != "micro",
            "--contradictions": contradictions != "set-aside",
            "--empty": empty != 0,
            "--vague": vague != "ignore",
            "--by": bool(groups),
            "--compare": compare is not None,
            "--agreement": agreement,
            "options about reading": options != type(options)(),
        }
        if given := [name for name, is_given in exact_only.items() if is_given]:
            raise UsageError(f"the official program has no choice about this: leave out {', '.join(given)}")
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
        reading=options.chosen_reading,
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


def _refuse_groups(metric: str, groups: list[str]) -> None:
    """A table that a metric does not have is refused, not left out."""
    from temporacle.errors import UsageError
    from temporacle.scoring.metrics import metric_named

    if unknown := set(groups) - {"label", "kind", "task"}:
        raise UsageError(f"unknown group {', '.join(sorted(unknown))}: choose label, kind or task")
    known = metric_named(metric).groups
    if missing := sorted(set(groups) - known):
        choice = f"choose {' or '.join(sorted(known))}" if known else "it has one score only"
        raise UsageError(f"metric {metric} has no scores by {' or '.join(missing)}: {choice}")
