"""Print the result of ``temporacle check --samples``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from temporacle.commands.answers import print_table
from temporacle.commands.common import ExitCode, complain, complain_about, note, print_json
from temporacle.commands.reading import as_keywords
from temporacle.errors import UsageError
from temporacle.figures import digits
from temporacle.model import Remark

if TYPE_CHECKING:
    from temporacle.io.source import Options
    from temporacle.model import Document, Unreadable


def print_samples(paths: list[str], options: Options, output: str, budget: float | None) -> ExitCode:
    """Compare the answers about each document, and print a table or JSON."""
    from temporacle.tasks.samples import COLUMNS
    from temporacle.tasks.samples import samples as compared

    if output not in {"table", "json"}:
        raise UsageError("--samples has --output table and json only")
    incomplete = False

    def report(said: Remark | Unreadable | Document) -> None:
        nonlocal incomplete
        if isinstance(said, Remark):
            note(said)
        else:
            complain_about(said)
            incomplete |= bool(getattr(said, "dropped", True))

    found = compared(paths, budget=budget, report=report, **as_keywords(options))
    for each in found.documents:
        if output == "json":
            print_json(each.to_dict())
        else:
            for number, sentence in enumerate(each.feedback, 1):
                if sentence:
                    complain(f"{each.document}, answer {number}: {sentence}")
    if output == "table":
        rows = [[_shown(cell) for cell in each.row().values()] for each in found.documents]
        print_table(COLUMNS, rows)
        total = sum(len(each.verdicts) for each in found.documents)
        consistent = sum(each.consistent for each in found.documents)
        documents = "1 document" if len(found.documents) == 1 else f"{len(found.documents)} documents"
        typer.echo(f"{total} answers about {documents}: {consistent} consistent")
    verdicts = {verdict for each in found.documents for verdict in each.verdicts}
    if "inconsistent" in verdicts:
        return ExitCode.NO
    return ExitCode.UNDECIDED if incomplete or verdicts - {"consistent"} else ExitCode.YES


def _shown(cell: object) -> str:
    return "none" if cell is None else digits(cell) if isinstance(cell, float) else str(cell)
