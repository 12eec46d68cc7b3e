"""``temporacle fix``: automatic changes of annotation files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from temporacle.commands.common import Output, OutputOption, complain, printable
from temporacle.commands.options import Run, runs

if TYPE_CHECKING:
    from temporacle.tasks.fix import Fix


@runs("fix", prints=False)
def fix(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Change files so that their documents are consistent: remove the links of the smallest repair.

    Say where to write: -o OUT or --in-place. No other byte of a file changes, and a file without changes is not
    written. A repair does not know which link is wrong: read the conflicts (temporacle check) first.

    For example:

      temporacle fix gold/ --dry-run

      temporacle fix gold/ -o fixed/

      temporacle fix story.tml --relabel --protect SIMULTANEOUS --in-place

      temporacle fix gold/ --annotate -o for-annotators/
    """
    from temporacle.commands.answers import AnswerPrinter
    from temporacle.tasks.fix import Fix, summary

    printer = AnswerPrinter(output, Fix.columns)
    found: list[Fix] = []
    for answer in run:
        found.append(answer)
        printer.heard(answer)
        if answer.reason and answer.verdict.value != "unreadable":
            complain(f"{answer.document}: not changed: {answer.reason}")
            printer.trouble += 1
        if answer.diff and output is Output.TABLE:
            for line in answer.diff.splitlines():
                sys.stdout.write("\t".join(map(printable, line.split("\t"))) + "\n")
        elif output is Output.JSON:
            printer.print_rows(answer.rows())
        elif answer.diff is None:
            printer.print_rows(answer.found())
    printer.said_no = any(each.is_left or (run["dry_run"] and each.is_changed) for each in found)
    code = printer.finish(run.paths)
    if output is Output.TABLE and printer.read:
        typer.echo(summary(found))
    return code
