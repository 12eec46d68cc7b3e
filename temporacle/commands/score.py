"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from temporacle.commands.common import BudgetOption, ExitCode
from temporacle.commands.metric_options import takes_metric_options
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption
from temporacle.commands.score_tables import ScoreOutput
from temporacle.errors import UsageError
from temporacle.scoring.metric import METRICS
from temporacle.scoring.official.programs import PROGRAMS
from temporacle.scoring.options import Align, Average

_RESAMPLES, _SEED = 9_999, 0
# Options of metrics that official programs have: those of shared tasks, and those of pairwise scores.
_OFFICIAL = ({"relaxed", "ordering_only"}, {"convention", "missing", "label_set"})


class Group(StrEnum):
    """By what scores can be told apart."""

    LABEL = "label"
    KIND = "kind"
    TASK = "task"


@reads_documents(writes=["certificate"])
@takes_metric_options
def score(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File or folder of the gold standard.")],
    systems: Annotated[
        list[str] | None, typer.Argument(metavar="SYSTEM...", help="Files or folders to score; several are ranked.")
    ] = None,
    *,
    metric: Annotated[
        list[str] | None, typer.Option(help=f"{', '.join((*METRICS, *PROGRAMS))}; repeatable. Default: awareness.")
    ] = None,
    chosen: dict[str, Any],
    average: Annotated[
        Average, typer.Option(help="micro: add up counts, then divide. macro: mean of the documents.")
    ] = Average.MICRO,
    align: Annotated[
        Align,
        typer.Option(
            help="How to match entities: by ids, by text spans, or like the TempEval-3 normaliser"
            " (tempeval3, with --official)."
        ),
    ] = Align.IDS,
    empty: Annotated[int, typer.Option(min=0, max=1, help="Value of 0/0.")] = 0,
    by: Annotated[
        list[Group] | None,
        typer.Option("--by", help="Also show scores by label (with a confusion table), kind of pair, or task."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name of each system in tables and JSON, in order; repeatable."),
    ] = None,
    id_map: Annotated[
        str | None,
        typer.Option(
            "--id-map",
            metavar="FILE",
            help="Rename documents and entities of SYSTEM: CSV with document, id, gold_document, gold_id.",
        ),
    ] = None,
    counts: Annotated[bool, typer.Option("--counts", help="Also show the counts in tables.")] = False,
    compare: Annotated[
        str | None, typer.Option(metavar="SYSTEM2", help="Compare with this system: confidence intervals and p-values.")
    ] = None,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="Treat all as annotators: scores in both directions, kappa and alpha.")
    ] = False,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="NAME=PATH", help="A run (seed) of a system; repeat it for each run."),
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
        typer.Option("--certificates", metavar="DIR", help="Write such proofs of all documents and of the total."),
    ] = None,
    official: Annotated[
        bool, typer.Option("--official", help="Print the digits of the shared task's own program, including its bugs.")
    ] = False,
    method: Annotated[str, typer.Option(help="With --official: default, acl11 or implicit_in_recall.")] = "default",
    explain_difference: Annotated[
        bool,
        typer.Option(
            "--explain-difference",
            help="With --official: show each link that the program judges wrongly, and the exact score.",
        ),
    ] = False,
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

      temporacle score annotator1/ annotator2/ annotator3/ --agreement

      temporacle score gold/ system/ --certificates certificates/

      temporacle score gold/ system/ --official --align tempeval3

      temporacle score gold.jsonl.gz run1.jsonl.gz --jobs 8 --resume done.journal --output json
    """
    from contextlib import ExitStack, closing

    from temporacle.commands.running import journal_for, plan_of, telling_of_interrupts

    metrics = metric or ["awareness"]
    groups = [group.value for group in by or ()]
    systems = systems or []
    runs = _runs(run or [], systems)
    if not systems and not runs:
        raise UsageError("Missing argument 'SYSTEM...'")
    if runs and (compare or agreement or official or name):
        raise UsageError("--run cannot be combined with --compare, --agreement, --official and --name")
    ranks = ((len(systems) > 1 or bool(runs)) and not agreement) or compare is not None
    if len(systems) > 1 and (compare or (official and metrics != ["pairs"])):
        raise UsageError("--compare and --official work with one SYSTEM only")
    if id_map is not None and (ranks or agreement):
        raise UsageError("--id-map works with one SYSTEM only")
    if compare and agreement:
        raise UsageError("--compare and --agreement cannot be combined; use one of them")
    if not ranks and (resamples, seed) != (_RESAMPLES, _SEED):
        raise UsageError("--resamples and --seed work only with --compare or several systems")
    if baseline is not None and (compare or not ranks):
        raise UsageError("--baseline works only with several systems; --compare names its own")
    several = len(metrics) > 1 or len(chosen.get("convention", ())) > 1
    if several and (compare or agreement or official):
        raise UsageError("--compare, --agreement and --official work with one metric and one convention only")
    named = len(systems) + (compare is not None or agreement)  # GOLD is an annotator, too
    if name and len(name) != named:
        raise UsageError(f"--name is given {len(name)} times for {named} systems; give one name for each, in order")
    if not (agreement or official) and len(set(systems)) < len(systems):
        raise UsageError("a system is named twice")
    if name and len(set(name)) < len(name):
        raise UsageError("--name gives two systems the same name")
    if groups and output is not ScoreOutput.JSON and (ranks or agreement):
        raise UsageError(
            "tables by label, kind or task work with one SYSTEM only; score one at a time, or use --output json"
        )
    certifies = certificate is not None or certificates is not None
    if certifies and (ranks or agreement or official or resume is not None):
        raise UsageError(
            "--certificate and --certificates work with one SYSTEM, and without --agreement, --official and --resume"
        )
    program = next((each for each in metrics if each in PROGRAMS), None)
    if program is None:
        _refuse_groups(metrics, groups)
    elif len(metrics) > 1:
        raise UsageError(f"metric {program} is a program of its own: score with one metric at a time")
    plan = plan_of(jobs, backend, scheduler)
    if official or program:
        exact_only = {
            "--resume": resume is not None,
            "--average": average is not Average.MICRO,
            "--empty": empty != 0,
            "--by": bool(groups),
            "--id-map": id_map is not None,
            "--compare": compare is not None,
            "--run": bool(runs),
            "--agreement": agreement,
            "--align": program is not None and align is not Align.IDS,
            "--method": program is not None and method != "default",
            "--explain-difference": explain_difference and not official,
            "--name": bool(name),
            "--counts": counts and official,
            "--certificate": certifies,
            "options about reading": options != type(options)(),
        }
        if program is None:
            known = _OFFICIAL[metrics[0] == "pairs"]
            exact_only |= {"--" + each.replace("_", "-"): each not in known for each in chosen}
        if given := [flag for flag, is_given in exact_only.items() if is_given]:
            raise UsageError(f"the official program has no such option: leave out {', '.join(given)}")
    if program:
        from temporacle.commands.score_programs import print_program

        if ranks:
            raise UsageError(f"metric {program} takes one SYSTEM only")
        with telling_of_interrupts():
            code = print_program(
                gold,
                systems[0],
                official=official,
                output=output,
                counts=counts,
                metric=program,
                explain_difference=explain_difference,
                budget=budget,
                plan=plan,
                **chosen,
            )
        raise typer.Exit(code)
    if official:
        from temporacle.commands.score_official import print_official

        if metrics == ["pairs"]:
            from temporacle.commands.score_official_pairs import print_official_pairs

            if align is not Align.IDS or method != "default":
                raise UsageError("there are no official digits for metric pairs with --align or --method")
            (convention,) = chosen.pop("convention", ("matres",))
            code = print_official_pairs(
                gold, systems, output=output, explain_difference=explain_difference, convention=convention, **chosen
            )
            raise typer.Exit(code)
        with telling_of_interrupts():
            code = print_official(
                gold,
                systems[0],
                output=output,
                metric=metrics[0],
                method=method,
                align=align.value,
                relaxed=bool(chosen.get("relaxed")),
                ordering_only=bool(chosen.get("ordering_only")),
                explain_difference=explain_difference,
                budget=budget,
                plan=plan,
            )
        raise typer.Exit(code)
    if method != "default" or explain_difference:
        raise UsageError("--method and --explain-difference work only with --official")

    from temporacle.commands.score_print import Printer
    from temporacle.corpus.inputs import require_columns
    from temporacle.corpus.pairing import read_id_map
    from temporacle.tasks.compare import require_baseline
    from temporacle.tasks.score_certificates import certified
    from temporacle.tasks.score_request import reading_for, request_for

    request = request_for(
        metrics, chosen, align=align.value, empty=empty, details=bool(groups), budget=budget, both_ways=agreement
    )
    compared = {called: [path] for called, path in zip(name or systems, systems, strict=False)} | runs
    if ranks and compare is None:
        require_baseline(baseline, compared)
    paths = [path for each in compared.values() for path in each]
    require_columns(options, gold, *paths, *([] if compare is None else [compare]))
    mapped = None if id_map is None else read_id_map(id_map)
    request, proofs = certified(request, options, certificates, certificate, id_map=mapped is not None)
    with telling_of_interrupts(resume), ExitStack() as stack:
        journal = None
        if resume is not None:
            asked = ("score", request, average, options, compare, None if mapped is None else mapped.mark)
            journal = stack.enter_context(closing(journal_for(resume, asked)))
        if agreement:
            from temporacle.commands.score_agreement import print_agreement

            code = print_agreement(
                [gold, *systems],
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
