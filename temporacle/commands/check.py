"""``temporacle check``: which documents contradict themselves, where, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    During,
    DuringOption,
    EncodingOption,
    FormatOption,
    Output,
    OutputOption,
    Paths,
    ReadingOption,
    documents,
    reading_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Document, Unreadable
    from temporacle.reasoner.check import CheckOptions
    from temporacle.results import CheckResult


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
    format_name: FormatOption = None,
    reading: ReadingOption = None,
    during: DuringOption = During.SIMULTANEOUS,
    encoding: EncodingOption = None,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Certify that documents are consistent, or show for each which links cannot all be true.

    Exit code 0: all are consistent. 1: one is not. 3: one could not be read or decided, and none is known to be
    inconsistent. 2: nothing could be read.

    Examples:
      temporacle check gold/

      temporacle check gold/ --repair --relabel --protect SIMULTANEOUS

      temporacle check gold/ --certificates certificates/ --output json
    """
    from temporacle.commands.check_report import CheckReport
    from temporacle.reasoner.check import CheckOptions

    options = reading_options(format_name, reading, during, encoding)
    asked = CheckOptions(
        explain=explain,
        conflicts=all_conflicts,
        repair=repair or relabel or write is not None,
        relabel=relabel,
        protect=tuple(name for entry in protect or () for name in entry.split(",")),
        certificate=certificates is not None,
        budget=budget,
        reading=reading,
        during=during.value,
    )
    report = CheckReport(output, asked, options, certificates=certificates, repaired=write, show_all=show_all)
    for document, result in results(paths, options, asked):
        report.add(document, result)
    report.finish()
    raise typer.Exit(report.exit_code())


def results(
    paths: Sequence[str], options: Options, asked: CheckOptions
) -> Iterator[tuple[Document | Unreadable, CheckResult]]:
    """Every document with its result, one after the other."""
    from temporacle.commands.progress import counted
    from temporacle.reasoner.check import check_document

    for document in counted(documents(paths, options)):
        yield document, check_document(document, asked)
