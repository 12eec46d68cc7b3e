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
        int, typer.Option("--all-conflicts", min=1, metavar="N", help="Up to N conflicts that share no link.")
    ] = 1,
    repair: Annotated[bool, typer.Option("--repair", help="Find the lightest links to drop.")] = False,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="For each dropped link, the labels that would be consistent.")
    ] = False,
    protect: Annotated[
        list[str] | None,
        typer.Option("--protect", metavar="ID|LABEL", help="Never drop this link, or links of this label; repeatable."),
    ] = None,
    certificates: Annotated[
        str | None, typer.Option("--certificates", metavar="DIR", help="Write a certificate for each document.")
    ] = None,
    write: Annotated[
        str | None, typer.Option("--write", metavar="DIR", help="Write the documents that were repaired.")
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="List consistent documents in the table, too.")] = False,
    options: Options,
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

      temporacle check gold/ --certificates certificates/ --output json

      temporacle check million.jsonl.gz --jobs 8 --resume done.jsonl --output json
    """
    from functools import partial

    from temporacle.commands.check_report import CheckReport
    from temporacle.commands.check_rows import outcome
    from temporacle.commands.provenance import require_recordable
    from temporacle.commands.running import journal_of_rows, plan_of, results, telling_of_interrupts
    from temporacle.errors import UsageError
    from temporacle.reasoner.check import CheckOptions

    mends = repair or relabel or write is not None
    if protect and not mends:
        raise UsageError("--protect belongs to a repair: add --repair, --relabel or --write")
    if all_conflicts > 1 and not explain:
        raise UsageError("--all-conflicts asks for conflicts, --no-explain for none: choose one of them")
    if certificates is not None:
        require_recordable(options)
    asked = CheckOptions(
        explain=explain,
        conflicts=all_conflicts,
        repair=mends,
        relabel=relabel,
        protect=tuple(name for entry in protect or () for name in entry.split(",")),
        certificate=certificates is not None,
        budget=budget,
    )
    plan = plan_of(jobs, backend, scheduler)
    journal = None
    if resume is not None:
        journal = journal_of_rows(resume, ("check", paths, options, asked, certificates, write))
    report = CheckReport(output, options, certificates=certificates, repaired=write, show_all=show_all)
    question = partial(outcome, asked=asked, writes_files=certificates is not None or write is not None)
    try:
        with telling_of_interrupts(journal):
            for found in results(paths, options, question, plan, settle=report.settle, journal=journal):
                report.add(found)
        if not report.total:
            complain(f"no document under {', '.join(paths)}")
    finally:  # what is done is told also when somebody interrupts the rest
        report.finish()
    raise typer.Exit(report.exit_code())
