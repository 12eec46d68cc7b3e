"""``temporacle diff``: two versions of a corpus, their links and their meaning."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from temporacle.commands.common import BudgetOption, ExitCode, complain, print_json
from temporacle.commands.reading import Options, as_keywords, reads_documents


class DiffOutput(StrEnum):
    """For people, for programs."""

    TABLE = "table"
    JSON = "json"


class DiffAlign(StrEnum):
    """The way to match entities of both versions."""

    IDS = "ids"
    SPANS = "spans"


@reads_documents()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A file or folder: the version before.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A file or folder: the version after.")],
    *,
    align: Annotated[
        DiffAlign | None,
        typer.Option(
            "--align",
            help="How entities are matched. Default: by ids, unless these stand for other places of the text.",
        ),
    ] = None,
    why: Annotated[bool, typer.Option("--why/--no-why", help="Find the links behind each change of a pair.")] = True,
    pairs: Annotated[
        int,
        typer.Option("--pairs", min=0, help="Changed pairs that the table shows for each document. JSON has all."),
    ] = 20,
    options: Options,
    budget: BudgetOption = None,
    output: Annotated[
        DiffOutput, typer.Option("--output", help="table for people, json: one line for each document.")
    ] = DiffOutput.TABLE,
) -> None:
    """Compare two versions of a corpus: which links differ, and what that changes in meaning.

    Links are matched by what they say; their ids do not matter. A relabelled link states another relation about the
    same two entities, a reworded one the same relation in other words. Then come the verdicts that changed, and the
    pairs of entities whose strongest relation changed, with the changed links behind that. An inconsistent version has
    no closure. The exit code is 0 if both versions mean the same, 1 if not.

    For example:

      temporacle diff gold-1.0/ gold-1.1/

      temporacle diff before.tml after.tml --output json

      temporacle diff gold/ repaired/ --pairs 5
    """
    from temporacle.commands.answers import print_table
    from temporacle.commands.remarks import remarks
    from temporacle.commands.watching import Watcher
    from temporacle.tasks.diff import COLUMNS, DiffTotals, each_diff

    totals = DiffTotals()
    troubled = False
    rows: list[list[str]] = []
    watcher = Watcher()
    chosen = None if align is None else align.value
    found = each_diff(
        old,
        new,
        align=chosen,
        why=why,
        budget=budget,
        observer=watcher,
        most_explained=pairs if output is DiffOutput.TABLE else None,
        **as_keywords(options),
    )
    for each in found:
        for path, remark in each.troubles:
            remarks().show(path, remark)
        for remark in each.warnings:
            remarks().show(None, remark)
        if each.reason is not None and each.status != "unreadable":
            complain(f"{each.document}: {each.reason}")
        troubled = troubled or bool(each.troubles) or each.same_meaning is None
        totals.add(each)
        if output is DiffOutput.JSON:
            print_json(each.to_dict())
        else:
            rows += [list(row.values()) for row in each.rows(pairs)]
    if output is DiffOutput.TABLE:
        if rows:
            print_table(COLUMNS, rows)
        typer.echo(f"{totals}")
    statuses = set(totals.statuses)
    if statuses & {"different", "added", "removed"}:
        raise typer.Exit(ExitCode.NO)
    if statuses == {"unreadable"}:
        raise typer.Exit(ExitCode.USAGE)
    raise typer.Exit(ExitCode.UNDECIDED if troubled else ExitCode.YES)
