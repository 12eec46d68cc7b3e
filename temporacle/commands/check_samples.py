"""Print the result of ``temporacle check --answers``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from temporacle.commands.answers import print_table
from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.commands.watching import Watcher
from temporacle.errors import UsageError
from temporacle.figures import digits

if TYPE_CHECKING:
    from temporacle.commands.options import Run
    from temporacle.model import Remark


class _AnswersWatcher(Watcher):
    """Remembers whether something could not be used."""

    incomplete = False

    def unusable(self, path: str | None, remark: Remark) -> None:
        self.incomplete = True
        super().unusable(path, remark)


def print_samples(run: Run, output: str) -> ExitCode:
    """Compare the answers about each document, and print a table or JSON."""
    from temporacle.tasks.samples import COLUMNS

    if output not in {"table", "json"}:
        raise UsageError("--answers has --output table and json only")
    watcher = run.watcher = _AnswersWatcher(*run.paths)
    found = list(run)
    for each in found:
        if output == "json":
            print_json(each.to_dict())
        else:
            for number, sentence in enumerate(each.feedback, 1):
                if sentence:
                    complain(f"{each.document}, answer {number}: {sentence}")
    if output == "table":
        rows = [[_shown(cell) for cell in each.row().values()] for each in found]
        print_table(COLUMNS, rows)
        total = sum(len(each.verdicts) for each in found)
        consistent = sum(each.consistent for each in found)
        documents = "1 document" if len(found) == 1 else f"{len(found)} documents"
        typer.echo(f"{total} answers about {documents}: {consistent} consistent")
    verdicts = {verdict for each in found for verdict in each.verdicts}
    if "inconsistent" in verdicts:
        return ExitCode.NO
    return ExitCode.UNDECIDED if watcher.incomplete or verdicts - {"consistent"} else ExitCode.YES


def _shown(cell: object) -> str:
    return "none" if cell is None else digits(cell) if isinstance(cell, float) else str(cell)
