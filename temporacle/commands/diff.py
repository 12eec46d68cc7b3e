"""``temporacle diff``: two versions of a corpus, their links and their meaning."""

from __future__ import annotations

from typing import Annotated

import typer

from temporacle.commands.common import ExitCode, TextOutput, complain, print_json
from temporacle.commands.options import Run, runs


@runs("diff")
def diff(
    run: Run,
    *,
    pairs: Annotated[
        int,
        typer.Option("--pairs", min=0, help="Changed pairs that the table shows for each document. JSON has all."),
    ] = 20,
    output: Annotated[
        TextOutput, typer.Option("--output", help="table for people, json: one line for each document.")
    ] = TextOutput.TABLE,
) -> int:
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
    from temporacle.commands.terminal import print_table, remarks
    from temporacle.results import DocumentVerdict
    from temporacle.tasks.diff import COLUMNS, DiffTotals

    totals = DiffTotals()
    troubled = False
    rows: list[list[str]] = []
    found = run.changed(most_explained=pairs if output is TextOutput.TABLE else None)
    for each in found:
        for path, remark in each.troubles:
            remarks().show(path, remark)
        for remark in each.doubts:
            remarks().show(None, remark)
        if each.reason is not None and each.status != "unreadable":
            complain(f"{each.document}: {each.reason}")
        troubled = troubled or any(remarks().matters(one) for _, one in each.troubles) or each.same_meaning is None
        troubled = troubled or DocumentVerdict.UNCHECKED in {each.old_verdict, each.new_verdict}
        totals.add(each)
        if output is TextOutput.JSON:
            print_json(each.to_dict())
        else:
            rows += [list(row.values()) for row in each.rows(pairs)]
    if output is TextOutput.TABLE:
        if rows:
            print_table(COLUMNS, rows)
        typer.echo(f"{totals}")
    statuses = set(totals.statuses)
    if statuses & {"different", "added", "removed"}:
        return ExitCode.NO
    if statuses == {"unreadable"}:
        return ExitCode.USAGE
    return ExitCode.UNDECIDED if troubled else ExitCode.YES
