"""Runs a question over documents and prints its answers as rows, whatever happens to single documents."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from temporacle.commands.common import ExitCode, Output, complain, complain_about, documents, print_json, printable
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Unreadable
from temporacle.printing import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.reasoner.network import Budget

    Question = Callable[[Document, Budget], Iterator[dict[str, Any]]]

__all__ = ["Answers", "print_table"]


class Answers:
    """Rows of one command, printed as they come (JSON, CSV) or as one table at the end."""

    def __init__(self, output: Output, columns: Sequence[str]) -> None:
        self.output = output
        self.columns = columns
        self.read = 0
        self.said_no = False
        self.trouble = 0  # documents that could not be read whole, or decided
        self._rows: list[list[str]] = []
        self._header_due = output is Output.CSV

    def over(
        self,
        paths: Sequence[str],
        options: Options,
        question: Question,
        budget: float | None,
        no: Callable[[dict[str, Any]], bool] = lambda row: row.get("verdict") == "inconsistent",
    ) -> None:
        """Ask every document. One that cannot be read or decided is reported; the others go on."""
        from temporacle.reasoner.network import Budget

        for document in documents(paths, options):
            self.trouble += complain_about(document)
            if isinstance(document, Unreadable):
                continue
            self.read += 1
            try:
                for row in question(document, Budget(budget)):
                    self.said_no = self.said_no or no(row)
                    self._print(row)
            except BudgetExceeded as limit:
                self.trouble += 1
                self._print({"document": document.id, "verdict": "undecided", "reason": str(limit)})
            except InternalError as error:
                self.trouble += 1
                complain(f"{document.path or document.id}: internal error: {error}")
        if not self.read and not self.trouble:
            complain(f"no document under {', '.join(paths)}")
        self._finish()

    def exit_code(self) -> ExitCode:
        """NO wins; then trouble; nothing readable at all is wrong usage."""
        if self.said_no:
            return ExitCode.NO
        if not self.read:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES

    def _print(self, row: dict[str, Any]) -> None:
        if self.output is Output.JSON:
            print_json(row)
            return
        values = row if "verdict" not in row else {**row, self.columns[1]: row["verdict"]}
        cells = [_cell(values.get(column, "")) for column in self.columns]
        if self.output is Output.TABLE:
            self._rows.append(cells)
            return
        self._write([spreadsheet_cell(cell) for cell in cells])

    def _write(self, *rows: Sequence[str]) -> None:
        """Rows of CSV, after the names of the columns."""
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        if self._header_due:
            writer.writerow(self.columns)
            self._header_due = False
        writer.writerows(rows)

    def _finish(self) -> None:
        if self.output is Output.TABLE and self._rows:
            print_table(self.columns, self._rows)
        if self.output is Output.CSV and self.read:
            self._write()


_NUMBER = re.compile(r"(-?[0-9]+(\.[0-9]+)?)?")


def _cell(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table for people; text from documents is neither markup nor terminal commands. Numbers are never cut."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for place, column in enumerate(columns):  # may be labels from documents
        is_number = all(_NUMBER.fullmatch(row[place]) for row in rows)
        table.add_column(Text(printable(column)), justify="right" if is_number else "left", no_wrap=is_number)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = 10_000
    console.print(table)
