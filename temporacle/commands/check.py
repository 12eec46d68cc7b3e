"""``temporacle check``: which documents contradict themselves, where, and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.calendars import CalendarOption, HemisphereOption, ZoneOption, calendar_from
from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    Paths,
    complain,
    note,
    printable,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import (
    Backend,
    BackendOption,
    JobsOption,
    ResumeOption,
    SchedulerOption,
)
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.commands.check_gate import GatePrinter
    from temporacle.commands.check_report import CheckPrinter
    from temporacle.model import Remark


class CheckOutput(StrEnum):
    """For people, for programs, for spreadsheets, for services."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"


@reads_documents(writes=["write_baseline"])
def check(
    paths: Paths,
    *,
    explain: Annotated[
        bool,
        typer.Option("--explain/--no-explain", help="Find the links that contradict each other; or the verdict only."),
    ] = True,
    all_conflicts: Annotated[
        str | None,
        typer.Option(
            "--all-conflicts", metavar="N|all", help="Also list N minimal conflicts, or all; they may share links."
        ),
    ] = None,
    repair: Annotated[
        bool | None,
        typer.Option(
            "--repair/--no-repair",
            help="Find the smallest set of links to remove (by weight), however long it takes; or do not look for one."
            " Neither: within a tenth of --time-limit, at least 1 s; 10 s without one.",
            show_default=False,
        ),
    ] = None,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="For each removed link, list the labels that would be consistent.")
    ] = False,
    protect: Annotated[
        list[str] | None,
        typer.Option(
            "--protect", metavar="ID|LABEL", help="Never remove this link, or links with this label; repeatable."
        ),
    ] = None,
    certificates: Annotated[
        str | None,
        typer.Option(
            "--certificates",
            metavar="DIR",
            help="Write a certificate for each document; with --repair also one that its repair is optimal.",
        ),
    ] = None,
    write: Annotated[
        str | None,
        typer.Option("--write", metavar="DIR", hidden=True),  # now fix -o
    ] = None,
    annotate: Annotated[
        str | None,
        typer.Option("--annotate", metavar="DIR", hidden=True),  # now fix --annotate
    ] = None,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", hidden=True),  # now fix --in-place
    ] = False,
    merge: Annotated[
        bool, typer.Option("--merge", help="Join documents of the same name, such as the tasks of TempEval-1.")
    ] = False,
    samples: Annotated[
        bool,
        typer.Option("--samples", help="Documents of one name are several answers: consistency, agreement, consensus."),
    ] = False,
    from_hook: Annotated[bool, typer.Option("--from-hook", hidden=True)] = False,  # a program has named the files
    show_all: Annotated[bool, typer.Option("--all", help="Also list consistent documents in the table.")] = False,
    calendar: CalendarOption = None,
    hemisphere: HemisphereOption = None,
    zone: ZoneOption = None,
    options: Options,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--allow",
            metavar="CODE",
            help="Links dropped for this reason do not change the exit code; repeatable, or a,b,c.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="FILE", help="Let findings in this file pass; fail for new ones only."),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option("--write-baseline", metavar="FILE", help="Write all findings to a file for --baseline."),
    ] = None,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    output: Annotated[
        CheckOutput,
        typer.Option(
            "--output",
            help="table for people, json for programs, csv for rows; for services: github, sarif, junit.",
        ),
    ] = CheckOutput.TABLE,
) -> None:
    """Certify that documents are consistent, or show for each which links cannot all be true.

    Exit code 0: all are consistent. 1: one is not. 3: one could not be read or decided, and none is known to be
    inconsistent. 2: nothing could be read.

    For example:

      temporacle check gold/

      temporacle check gold/ --repair --relabel --protect SIMULTANEOUS

      temporacle check gold/ --calendar --protect values --repair

      temporacle check gold/ --certificates certificates/ --output json

      temporacle check million.jsonl.gz --jobs 8 --resume done.journal --output json

      temporacle check gold/ --baseline known.json --output github
    """
    if samples:
        from temporacle.commands.check_samples import print_samples

        refused = {
            "--repair": repair,
            "--relabel": relabel,
            "--certificates": certificates,
            "--write": write,
            "--annotate": annotate,
            "--in-place": in_place,
            "--merge": merge,
            "--calendar": calendar,
            "--baseline": baseline,
            "--write-baseline": write_baseline,
            "--resume": resume,
        }
        if given := [flag for flag, value in refused.items() if value]:
            raise UsageError(f"--samples cannot be combined with {', '.join(given)}")
        raise typer.Exit(print_samples(paths, options, output.value, budget))

    import os
    from contextlib import closing

    from temporacle.commands.check_summary import Summary
    from temporacle.commands.progress import Bar
    from temporacle.commands.remarks import remarks
    from temporacle.commands.running import plan_of, telling_of_interrupts
    from temporacle.tasks.baseline import Gate
    from temporacle.tasks.check import UNMATCHED, checks

    if missing := [path for path in paths if path != "-" and not os.path.lexists(path)]:
        raise UsageError(f"no such file or folder: {', '.join(missing)}")
    if from_hook:
        from temporacle.io.listing import annotations_among

        paths = annotations_among(paths, options, note)
        if not paths:
            raise typer.Exit(ExitCode.YES)
    gate = Gate(baseline, write_baseline, accept or ())
    with telling_of_interrupts(resume=resume), Bar.over(*paths) as bar:
        unmatched: list[Remark] = []

        def hear(remark: Remark) -> None:
            if remark.code == UNMATCHED:  # names that protect nothing are known at the end
                unmatched.append(remark._replace(element=None, message=f"--{remark.element} {remark.message}"))
            note(unmatched[-1] if remark.code == UNMATCHED else remark)

        found = checks(
            paths,
            options,
            explain=explain,
            all_conflicts=int(all_conflicts) if all_conflicts and all_conflicts.isdecimal() else all_conflicts,
            repair=repair,
            relabel=relabel,
            protect=protect or (),
            certificates=certificates,
            write=write,
            annotate=annotate,
            in_place=in_place,
            merge=merge,
            budget=budget,
            plan=plan_of(jobs, backend, scheduler),
            resume=resume,
            calendar=calendar_from(calendar, hemisphere, zone),
            known=gate.documents,
            report=hear,
            progress=bar.advance if bar.wanted else None,  # the sizes of files are asked for only where they are shown
        )
        summary = Summary(gate.accepted)
        printer = _printer(output, show_all=show_all, compares=gate.compares)
        try:
            with closing(found):
                for each in found:
                    findings = gate.judged(each)
                    summary.add(each, findings)
                    printer.add(each, findings)
            if not summary.total:
                complain(f"no document under {', '.join(paths)}")
        finally:  # what is done is printed also when the rest is interrupted
            remarks().finish()
            printer.finish(gate.fixed(), summary.exit_code())
            for line in summary.lines():
                _conclude(output, line)
        code = summary.exit_code()
        if unmatched and code is ExitCode.YES:
            code = ExitCode.UNDECIDED
        if gate.compares:
            _conclude(output, f"Baseline: {gate.known} known, {gate.new} new, {len(gate.fixed())} fixed.")
        if gate.is_old:
            _conclude(output, f"{baseline} is of an older version: write it again with --write-baseline.")
        if (written := gate.write()) is not None:
            _conclude(output, f"{written} findings written to {write_baseline}")
            code = code if gate.compares or code == ExitCode.USAGE else ExitCode.YES  # they are known from now on
    raise typer.Exit(code)


def _printer(output: CheckOutput, *, show_all: bool, compares: bool) -> CheckPrinter | GatePrinter:
    if output.value in {each.value for each in Output}:
        from temporacle.commands.check_report import CheckPrinter

        return CheckPrinter(Output(output.value), show_all=show_all)
    from temporacle.commands.check_gate import GithubPrinter, JunitPrinter, SarifPrinter

    if output is CheckOutput.SARIF:
        return SarifPrinter(compares=compares)
    return GithubPrinter() if output is CheckOutput.GITHUB else JunitPrinter()


def _conclude(output: CheckOutput, line: str) -> None:
    """Print a line of the summary: on standard output for people, on standard error if the output is for programs."""
    from temporacle.commands.remarks import remarks

    if output is CheckOutput.TABLE:
        typer.echo(printable(line))
    elif not remarks().quiet:
        complain(line)
