"""``temporacle check``: which documents contradict themselves, where, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    Output,
    OutputOption,
    Paths,
    complain,
    note,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import (
    Backend,
    BackendOption,
    JobsOption,
    ResumeOption,
    SchedulerOption,
)


@reads_documents()
def check(
    paths: Paths,
    *,
    explain: Annotated[
        bool, typer.Option("--explain/--no-explain", help="Find the links that contradict each other.")
    ] = True,
    all_conflicts: Annotated[
        int, typer.Option("--all-conflicts", min=1, metavar="N", help="Find up to N conflicts that share no link.")
    ] = 1,
    repair: Annotated[
        bool, typer.Option("--repair", help="Find the smallest set of links to remove (by weight).")
    ] = False,
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
        str | None, typer.Option("--certificates", metavar="DIR", help="Write a certificate for each document.")
    ] = None,
    write: Annotated[
        str | None,
        typer.Option("--write", metavar="DIR", help="Write repaired files: without the links that a repair removes."),
    ] = None,
    annotate: Annotated[
        str | None,
        typer.Option("--annotate", metavar="DIR", help="Write files with a note at each link of a conflict."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Repair the files themselves; let --write and --annotate replace them.")
    ] = False,
    merge: Annotated[
        bool, typer.Option("--merge", help="Join documents of the same name, such as the tasks of TempEval-1.")
    ] = False,
    show_all: Annotated[bool, typer.Option("--all", help="Also list consistent documents in the table.")] = False,
    options: Options,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="CODE",
            help="Links dropped for this reason do not change the exit code; repeatable, or a,b,c.",
        ),
    ] = None,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Certify that documents are consistent, or show for each which links cannot all be true.

    Exit code 0: all are consistent. 1: one is not. 3: one could not be read or decided, and none is known to be
    inconsistent. 2: nothing could be read.

    For example:

      temporacle check gold/

      temporacle check gold/ --repair --relabel --protect SIMULTANEOUS

      temporacle check gold/ --write repaired/ --annotate for-annotators/

      temporacle check gold/ --certificates certificates/ --output json

      temporacle check million.jsonl.gz --jobs 8 --resume done.journal --output json
    """
    from contextlib import closing

    from temporacle.commands.check_report import CheckPrinter
    from temporacle.commands.check_summary import Summary
    from temporacle.commands.progress import Bar
    from temporacle.commands.running import plan_of, telling_of_interrupts
    from temporacle.tasks.check import checks

    with telling_of_interrupts(resume=resume), Bar.over(*paths) as bar:
        found = checks(
            paths,
            options,
            explain=explain,
            all_conflicts=all_conflicts,
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
            report=note,
            progress=bar.advance if bar.wanted else None,  # the sizes of files are asked for only where they are shown
        )
        summary = Summary(accept or ())
        printer = CheckPrinter(output, summary, show_all=show_all)
        try:
            with closing(found):
                for each in found:
                    printer.add(each)
            if not summary.total:
                complain(f"no document under {', '.join(paths)}")
        finally:  # what is done is printed also when the rest is interrupted
            printer.finish()
    raise typer.Exit(summary.exit_code())
