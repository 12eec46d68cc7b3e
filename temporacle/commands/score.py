"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from temporacle.commands.common import BudgetOption, ExitCode
from temporacle.commands.metric_options import of_metrics, of_programs, takes_options_of
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption
from temporacle.commands.score_tables import ScoreOutput, require_names
from temporacle.errors import UsageError
from temporacle.scoring.metric import METRICS
from temporacle.scoring.official.registry import WITH_EXACT_SCORE
from temporacle.scoring.options import Align, Average

_RESAMPLES, _SEED = 9_999, 0


class Group(StrEnum):
    """By what scores can be told apart."""

    LABEL = "label"
    KIND = "kind"
    TASK = "task"


@reads_documents(writes=["certificate", "pairs"])
@takes_options_of(of_metrics() | of_programs(WITH_EXACT_SCORE))
def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File or folder of the gold standard.")],
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM...", help="Files or folders to score; several are ranked.")
    ] = None,
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{', '.join((*METRICS, *WITH_EXACT_SCORE))}; repeatable. Default: awareness."
            " For the options of one: --metric pairs --help."
        ),
    ] = None,
    chosen: dict[str, Any],
    average: Annotated[
        Average, typer.Option(help="micro: add up counts, then divide. macro: mean of the documents.")
    ] = Average.MICRO,
    align: Annotated[
        Align,
        typer.Option(help="How to match entities: by ids or by text spans."),
    ] = Align.IDS,
    empty: Annotated[int, typer.Option(min=0, max=1, help="Value of 0/0.")] = 0,
    by: Annotated[
        list[Group] | None,
        typer.Option("--by", help="Also show scores by label (with a confusion table), kind of pair, or task."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name of each system, in order; repeatable."),
    ] = None,
    id_map: Annotated[
        str | None,
        typer.Option(
            "--id-map",
            metavar="FILE",
            help="Rename documents and entities of SYSTEM: CSV with document, id, gold_document, gold_id.",
        ),
    ] = None,
    gold_columns: Annotated[
        str | None,
        typer.Option("--gold-columns", metavar="ROLE=HEADER,...", help="Columns of GOLD, such as relation=gold."),
    ] = None,
    system_columns: Annotated[
        str | None,
        typer.Option("--system-columns", metavar="ROLE=HEADER,...", help="Columns of SYSTEM, such as relation=pred."),
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="CODE", help="Do not warn of this: same-input; repeatable.")
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Also show the counts in tables.")] = False,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="Write a row for each pair that counts, as CSV, TSV or JSON Lines by suffix.",
        ),
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="SYSTEM2", help="Compare with this system: confidence intervals and p-values.")
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="NAME=PATH", help="A run (seed) of a system; repeatable."),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="NAME", help="Compare all others with this system.")
    ] = None,
    resamples: Annotated[
        int,
        typer.Option("--resamples", "--samples", min=1, help="Number of random swaps, if over 20 documents differ."),
    ] = _RESAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random swaps.")] = _SEED,
    certificate: Annotated[
        str | None,
        typer.Option(
            "--certificate", metavar="FILE", help="Write a proof of the score of the only document (awareness)."
        ),
    ] = None,
    certificates: Annotated[
        str | None,
        typer.Option("--certificates", metavar="DIR", help="Write proofs of all documents and of the total."),
    ] = None,
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
    """Score SYSTEM against GOLD with complete inference; every score carries its signature.

    For example:

      temporacle score gold/ system/

      temporacle score gold/ system/ --metric awareness --metric reduction

      temporacle score gold/ run1/ run2/ --name ours --name baseline --metric awareness --metric reduction

      temporacle score gold/ run1/ --compare run2/ --output json

      temporacle score gold/ --run ours=a.jsonl --run ours=b.jsonl --run base=c.jsonl --baseline base

      temporacle score gold/ system/ --certificates certificates/

      temporacle score gold.jsonl.gz run1.jsonl.gz --jobs 8 --resume done.journal --output json
    """
    from contextlib import ExitStack, closing
    from dataclasses import replace

    from temporacle.commands.running import journal_for, plan_of, telling_of_interrupts

    metrics = metric or ["awareness"]
    groups = [group.value for group in by or ()]
    systems = systems or []
    runs = _runs(run or [], systems)
    if not systems and not runs:
        raise UsageError("Missing argument 'SYSTEM...'")
    if runs and (compare or name):
        raise UsageError("--run cannot be combined with --compare and --name")
    ranks = len(systems) > 1 or bool(runs) or compare is not None
    if len(systems) > 1 and compare:
        raise UsageError("--compare works with one SYSTEM only")
    if pairs is not None and (ranks or len(metrics) > 1 or len(chosen.get("convention", ())) > 1):
        raise UsageError("--pairs works with one SYSTEM, one metric and one convention")
    if id_map is not None and ranks:
        raise UsageError("--id-map works with one SYSTEM only")
    if not ranks and (resamples, seed) != (_RESAMPLES, _SEED):
        raise UsageError("--resamples and --seed work only with --compare or several systems")
    if baseline is not None and (compare or not ranks):
        raise UsageError("--baseline works only with several systems; --compare names its own")
    if compare and (len(metrics) > 1 or len(chosen.get("convention", ())) > 1):
        raise UsageError("--compare works with one metric and one convention only")
    require_names(name, len(systems) + (compare is not None))
    if len(set(systems)) < len(systems):
        raise UsageError("a system is named twice")
    if groups and output is not ScoreOutput.JSON and ranks:
        raise UsageError(
            "tables by label, kind or task work with one SYSTEM only; score one at a time, or use --output json"
        )
    certifies = certificate is not None or certificates is not None
    if certifies and (ranks or resume is not None):
        raise UsageError("--certificate and --certificates work with one SYSTEM, and without --resume")
    plan = plan_of(jobs, backend, scheduler)
    if program := next((each for each in metrics if each in WITH_EXACT_SCORE), None):
        from temporacle.commands.official import print_exact

        if len(metrics) > 1 or ranks:
            raise UsageError(f"metric {program} is about files of its own: score one SYSTEM with this metric alone")
        unused = {
            "--resume": resume is not None,
            "--average": average is not Average.MICRO,
            "--align": align is not Align.IDS,
            "--empty": empty != 0,
            "--by": bool(groups),
            "--id-map": id_map is not None,
            "--name": bool(name),
            "--certificate": certifies,
            "--pairs": pairs is not None,
            "options about reading": options != type(options)(),
        }
        if given := [flag for flag, is_given in unused.items() if is_given]:
            raise UsageError(f"metric {program} has no such option: leave out {', '.join(given)}")
        with telling_of_interrupts():
            code = print_exact(
                program, gold, systems[0], output=output, counts=counts, budget=budget, plan=plan, **chosen
            )
        raise typer.Exit(code)
    _refuse_groups(metrics, groups)

    from temporacle.commands.score_print import Printer
    from temporacle.corpus.inputs import require_columns
    from temporacle.corpus.pairing import read_id_map
    from temporacle.tasks.compare import require_baseline
    from temporacle.tasks.score_certificates import certified
    from temporacle.tasks.score_request import reading_for, request_for

    request = request_for(
        metrics,
        chosen,
        align=align.value,
        empty=empty,
        details=bool(groups) or pairs is not None,
        budget=budget,
        rows=pairs is not None,
    )
    compared = {called: [path] for called, path in zip(name or systems, systems, strict=False)} | runs
    if ranks and compare is None:
        require_baseline(baseline, compared)
    paths = [path for each in compared.values() for path in each]
    others = [*paths, *([] if compare is None else [compare])]
    if gold_columns is None and system_columns is None:
        require_columns(options, gold, *others)
    else:
        for columns, side in ((gold_columns, [gold]), (system_columns, others)):
            require_columns(options if columns is None else replace(options, columns=columns), *side)
        options = options if gold_columns is None else replace(options, columns=gold_columns)
    mapped = None if id_map is None else read_id_map(id_map)
    request, proofs = certified(request, options, certificates, certificate, id_map=mapped is not None)
    with telling_of_interrupts(resume), ExitStack() as stack:
        journal = None
        if resume is not None:
            asked = (
                "score",
                request,
                average,
                options,
                system_columns,
                compare,
                None if mapped is None else mapped.mark,
            )
            journal = stack.enter_context(closing(journal_for(resume, asked)))
        printer = Printer(
            gold,
            reading_for(request, options),
            request,
            average=average.value,
            plan=plan,
            journal=journal,
            output=output,
            groups=groups,
            counts=counts,
            names=name or (),
            id_map=mapped,
            certificates=proofs,
            pairs=pairs,
            system_columns=system_columns,
            allow=allow or (),
        )
        if compare is not None:
            printer.comparison(systems[0], compare, resamples, seed)
        elif ranks:
            printer.ranking(compared, baseline=baseline, resamples=resamples, seed=seed)
        else:
            printer.score(systems[0])
    raise typer.Exit(ExitCode.UNDECIDED if printer.trouble else ExitCode.YES)


def _runs(given: list[str], systems: list[str]) -> dict[str, list[str]]:
    """Return the paths of ``--run NAME=PATH`` by name."""
    found: dict[str, list[str]] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UsageError(f"--run is {each!r}; write it as NAME=PATH, such as ours=seed1.jsonl")
        found.setdefault(name, []).append(path)
    for name, paths in found.items():
        if len(set(paths)) < len(paths):
            raise UsageError(f"--run gives {name} the same file twice")
        if name in systems:
            raise UsageError(f"{name} is a SYSTEM and the name of runs; give the runs another name")
    return found


def _refuse_groups(metrics: list[str], groups: list[str]) -> None:
    """Refuse a table that a metric does not have, instead of leaving it out."""
    from temporacle.scoring.metric import metric_named

    for name in metrics:
        known = metric_named(name).groups
        if missing := sorted(set(groups) - known):
            choice = f"choose {' or '.join(sorted(known))}" if known else "it has one score only"
            raise UsageError(f"metric {name} has no scores by {' or '.join(missing)}: {choice}")
