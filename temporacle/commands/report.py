"""``temporacle report``: pages to look at."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    During,
    DuringOption,
    EncodingOption,
    ExitCode,
    FormatOption,
    Paths,
    ReadingOption,
    complain,
    reading_options,
)


class Layout(StrEnum):
    """Where the details of documents stand."""

    AUTO = "auto"
    SINGLE = "single"
    LINKED = "linked"


def report(
    paths: Paths,
    *,
    target: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = "report.html",
    layout: Annotated[
        Layout,
        typer.Option(help="Details on one page (single), on pages beside it (linked), or as many as fit (auto)."),
    ] = Layout.AUTO,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes to use.")] = 1,
    format_name: FormatOption = None,
    reading: ReadingOption = None,
    during: DuringOption = During.SIMULTANEOUS,
    encoding: EncodingOption = None,
    budget: BudgetOption = 60,
) -> None:
    """Write a page."""
    from temporacle.io.report.values import Verdict
    from temporacle.reports.corpus import write_corpus_report

    options = reading_options(format_name, reading, during, encoding)
    linked = None if layout is Layout.AUTO else layout is Layout.LINKED
    pages = write_corpus_report(paths, options, target, linked=linked, budget=budget, jobs=jobs)
    verdicts = [row.verdict for row in pages.rows]
    unreadable = verdicts.count(Verdict.UNREADABLE)
    if unreadable == len(verdicts):
        complain("nothing readable under these paths")
    typer.echo(f"{len(verdicts)} documents: {pages.target}")
    raise typer.Exit(ExitCode.YES)
