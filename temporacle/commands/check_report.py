"""What ``check`` tells people and programs: lines as the checks come, a table and a sum at the end."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from time import perf_counter
from typing import TYPE_CHECKING

import typer

from temporacle.checks import FRAME_COLUMNS, REPAIR_MISSING, summary
from temporacle.commands.answers import print_table
from temporacle.commands.common import ExitCode, Output, complain, print_json, printable
from temporacle.commands.conflict_lines import lines_about
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check
    from temporacle.model import Link, Remark

_COLUMNS_FOR_PROGRAMS = (
    *("document", "path", "entities", "links", "verdict", "decided_by", "conflict", "repair", "certificate"),
    *("error", "seconds"),
)
_MOST_IDS = 12  # links in a cell of the table


class CheckPrinter:
    """Prints checks as they come and counts them."""

    def __init__(self, output: Output, *, show_all: bool) -> None:
        self._output = output
        self._show_all = show_all
        self._verdicts: Counter[DocumentVerdict] = Counter()
        self._incomplete = 0  # documents that were not read whole, or not answered whole
        self._rows: list[list[str]] = []  # of the table
        self._started = perf_counter()
        if output is Output.CSV:
            _print_csv(_COLUMNS_FOR_PROGRAMS)

    def add(self, check: Check) -> None:
        """Report one document."""
        self._verdicts[check.verdict] += 1
        self._incomplete += not check.is_complete
        if self._output is Output.JSON:
            print_json(check.to_dict())
            return
        for remark in check.remarks:
            complain(_located(check, remark))
        if self._output is Output.CSV:
            _print_csv(map(spreadsheet_cell, _cells(check)))
            return
        consistent = check.verdict is DocumentVerdict.CONSISTENT
        if not consistent:
            _explain(check)
        if self._show_all or not consistent:
            cells = check.frame_row() | {"repair": ["none"] if _has_no_repair(check) else _ids(check.to_drop)}
            self._rows.append([_brief(cell) if isinstance(cell, list) else str(cell) for cell in cells.values()])

    def finish(self) -> None:
        """The table, and one line that sums up."""
        if self._rows:
            print_table(FRAME_COLUMNS, self._rows)
        line = f"{summary(self._verdicts)}; {perf_counter() - self._started:.2f} s"
        if self._output is Output.TABLE:
            sys.stdout.write(line + "\n")
        else:
            complain(line)

    @property
    def total(self) -> int:
        """How many documents there were."""
        return self._verdicts.total()

    def exit_code(self) -> ExitCode:
        """NO wins; then whatever is not known; nothing readable at all is wrong usage."""
        if self._verdicts[DocumentVerdict.INCONSISTENT]:
            return ExitCode.NO
        unreadable = self._verdicts[DocumentVerdict.UNREADABLE]
        if unreadable == self.total:
            return ExitCode.USAGE
        trouble = unreadable + self._verdicts[DocumentVerdict.UNDECIDED]
        return ExitCode.UNDECIDED if trouble or self._incomplete else ExitCode.YES


def _print_csv(cells: Iterable[str]) -> None:
    csv.writer(sys.stdout, lineterminator="\n").writerow(cells)


def _cells(check: Check) -> Iterator[str]:
    cells = {**check.to_dict(), "conflict": " ".join(_ids(check.conflict)), "repair": " ".join(_ids(check.to_drop))}
    return ("" if cells[column] is None else str(cells[column]) for column in _COLUMNS_FOR_PROGRAMS)


def _ids(links: Iterable[Link]) -> list[str]:
    return [link.id for link in links]


def _brief(ids: list[str]) -> str:
    """Ids in a cell of the table; a conflict may hold thousands."""
    more = len(ids) - _MOST_IDS
    return " ".join(ids) if more <= 1 else f"{' '.join(ids[:_MOST_IDS])} and {more} more"


def _has_no_repair(check: Check) -> bool:
    return isinstance(check.repair, Unrepairable) or any(remark.code == REPAIR_MISSING for remark in check.remarks)


def _located(check: Check, remark: Remark) -> str:
    """What was odd about a document, and where."""
    where = ":".join(str(part) for part in (check.path or check.document, remark.line) if part is not None)
    element = f"{remark.element}: " if remark.element else ""
    return f"{where}: {remark.action.value}: {element}{remark.message}"


def _explain(check: Check) -> None:
    """A document that is not consistent, in words."""
    colour = typer.colors.RED if check.verdict is DocumentVerdict.INCONSISTENT else typer.colors.YELLOW
    place = "" if check.path is None else f" ({check.path})"
    typer.secho(printable(f"{check.document}{place}: {check.verdict.value}"), fg=colour, bold=True)
    for line in lines_about(check):
        typer.echo(printable(f"  {line}"))
