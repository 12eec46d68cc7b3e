"""Prints the answers of a job for all documents as rows: as they come (JSON, CSV), or in tables of many rows."""

from __future__ import annotations

import csv
import os
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any, Literal

from temporacle.commands.common import ExitCode, Output, complain, print_json, printable
from temporacle.commands.remarks import remarks
from temporacle.io.source import STANDARD_INPUT
from temporacle.model import Remark
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict
from temporacle.trouble import UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.tasks.answers import DocumentAnswer

__all__ = ["MANY_ROWS", "AnswerPrinter", "print_table"]
MANY_ROWS = 2000  # rows in a table; the next rows get a table of their own, so that a large corpus needs little memory


class AnswerPrinter:
    """Prints rows, and remembers what the exit code needs."""

    def __init__(self, output: Output, columns: Sequence[str], *, what: str | None = None) -> None:
        self._what = what  # only a consistent document has it; None: every document has its row
        self.output = output
        self.columns = columns
        self.read = 0
        self.said_no = False
        self.trouble = 0  # documents that could not be read whole, or decided
        self._rows: list[list[str]] = []
        self._header_due = output is Output.CSV

    def heard(self, answer: DocumentAnswer) -> bool:
        """Record an answer and report what could not be read. Return whether the document was readable."""
        for remark in answer.dropped:
            remarks().show(answer.path, remark)
        if answer.verdict is DocumentVerdict.UNREADABLE:
            remarks().show(answer.path, Remark(UNREADABLE, answer.reason or "", element=answer.document))
        elif self._what is not None and answer.verdict is DocumentVerdict.INCONSISTENT:
            see = (
                ""
                if answer.path is None or answer.path == STANDARD_INPUT
                else f" See: temporacle check {shlex.quote(answer.path)}"
            )
            complain(f"{answer.document}: inconsistent, so it has no {self._what}.{see}")
        self.trouble += bool(answer.dropped) or answer.verdict not in {
            DocumentVerdict.CONSISTENT,
            DocumentVerdict.INCONSISTENT,
        }
        self.said_no = self.said_no or answer.verdict is DocumentVerdict.INCONSISTENT
        self.read += answer.verdict is not DocumentVerdict.UNREADABLE
        return answer.verdict is not DocumentVerdict.UNREADABLE

    def print_rows(self, rows: Iterable[dict[str, Any]]) -> None:
        """Print the rows of an answer. A row with a verdict shows it in the second column."""
        for row in rows:
            if "listed" in row:
                self.trouble += 1
                complain(f"{row['document']}: undecided: the time limit ran out after {row['listed']} rows")
            if self.output is Output.JSON:
                print_json(row)
                continue
            if row.get("verdict") == DocumentVerdict.INCONSISTENT.value:
                continue  # ``heard`` has said it
            if "skipped_links" in row and "verdict" not in row:
                continue  # each skipped link has been shown as a remark
            values = row if "verdict" not in row else {**row, self.columns[1]: row["verdict"]}
            cells = [_cell(values.get(column, "")) for column in self.columns]
            if self.output is Output.TABLE:
                self._rows.append(cells)
                if len(self._rows) >= MANY_ROWS:
                    self._print_table()
            else:
                self.print_header()
                csv.writer(sys.stdout, lineterminator="\n").writerow([spreadsheet_cell(cell) for cell in cells])

    def _print_table(self) -> None:
        """Print the rows so far, and forget them."""
        if self._rows:
            print_table(self.columns, self._rows)
            self._rows.clear()

    def print_header(self) -> None:
        """Print the names of the columns, once and for CSV only."""
        if self._header_due:
            csv.writer(sys.stdout, lineterminator="\n").writerow(self.columns)
            self._header_due = False

    def finish(self, paths: Sequence[str]) -> ExitCode:
        """Print the table. Return NO if there is one, then UNDECIDED; wrong usage if nothing was readable."""
        if not self.read and not self.trouble:
            complain(f"no document under {', '.join(paths)}")
        self._print_table()
        if self.read:
            self.print_header()
        if self.said_no:
            return ExitCode.NO
        if not self.read:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES


_NUMBER = re.compile(r"(-?[0-9]+(\.[0-9]+)?)?( \[[-0-9., ]+\])?")  # perhaps with its interval


def _cell(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


_GAP = 2  # columns between two cells
_WIDEST = 10_000  # characters of a line in a file
_NARROWEST = 12  # characters a column of text is folded to before a table is divided


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table for people. Text from documents is neither markup nor terminal commands. Numbers are never cut.

    Where a terminal is too narrow, text is folded; where that is not enough, further columns follow below, each time
    with the first column.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    names = [printable(column) for column in columns]  # may be labels from documents
    is_number = [all(_NUMBER.fullmatch(row[place]) for row in cells) for place in range(len(names))]
    lines = None if _may_be_terminal() else plain_lines(names, cells, is_number)
    if lines is None:
        _print_richly(names, cells, is_number)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines))


def _may_be_terminal() -> bool:
    """Return whether Rich might take the output for a terminal."""
    return sys.stdout.isatty() or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


def plain_lines(names: Sequence[str], rows: Sequence[Sequence[str]], is_number: Sequence[bool]) -> Iterator[str] | None:
    """Return the lines of a table for a file, as Rich would print them; None if only Rich can tell.

    Rich is made for terminals. It takes a twentieth of a millisecond for each cell, at the end of a run.
    """
    columns = [[name, *(row[place] for row in rows)] for place, name in enumerate(names)]
    if not all(cell.isascii() and cell.strip() == cell for column in columns for cell in column):
        return None
    widths = [max(map(len, column)) for column in columns]
    if not all(widths) or sum(widths) + _GAP * len(widths) > _WIDEST:
        return None
    parts = [f"{{:{'>' if fixed else '<'}{width}}}" for fixed, width in zip(is_number, widths, strict=True)]
    line = (" " * _GAP).join(parts).format
    return (line(*row) for row in (names, *rows))


def _print_richly(names: Sequence[str], cells: Sequence[Sequence[str]], is_number: Sequence[bool]) -> None:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDEST
    widths = [max(map(cell_len, (names[place], *(row[place] for row in cells)))) for place in range(len(names))]
    least = [width if fixed else min(width, _NARROWEST) for width, fixed in zip(widths, is_number, strict=True)]
    for number, places in enumerate(divided(least, console.width)):
        table = Table(box=None, header_style="bold", pad_edge=False)
        for place in places:
            justify: Literal["left", "right"] = "right" if is_number[place] else "left"
            table.add_column(Text(names[place]), justify=justify, no_wrap=is_number[place], overflow="fold")
        for row in cells:
            table.add_row(*(Text(row[place]) for place in places))
        if number:
            console.print()
        console.print(table)


def divided(least: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each part of a table: as many as fit, and the first column in every part.

    >>> divided([8, 6, 6, 6], 80), divided([8, 6, 6, 6], 24)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 3]])
    """
    parts = [[0]]
    used = least[0]
    for place in range(1, len(least)):
        if used + _GAP + least[place] > width and len(parts[-1]) > 1:
            parts.append([0])
            used = least[0]
        parts[-1].append(place)
        used += _GAP + least[place]
    return parts
