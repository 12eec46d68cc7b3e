"""What ``check`` tells people and programs: lines as the checks come, a table and a sum at the end."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

import typer

from temporacle.checks import FRAME_COLUMNS, REPAIR_MISSING
from temporacle.commands.answers import print_table
from temporacle.commands.common import Output, complain, print_json, printable
from temporacle.commands.conflict_lines import lines_about
from temporacle.commands.remarks import remarks
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict, Unrepairable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.checks import Check
    from temporacle.commands.check_summary import Summary
    from temporacle.model import Link

_COLUMNS_FOR_PROGRAMS = (
    *("document", "path", "entities", "links", "verdict", "decided_by", "conflict", "repair", "certificate"),
    *("error", "seconds"),
)
_MOST_IDS = 12  # links in a cell of the table


class CheckPrinter:
    """Prints checks as they come and counts them."""

    def __init__(self, output: Output, summary: Summary, *, show_all: bool) -> None:
        self._output = output
        self._show_all = show_all
        self._summary = summary
        self._rows: list[list[str]] = []  # of the table
        if output is Output.CSV:
            _print_csv(_COLUMNS_FOR_PROGRAMS)

    def add(self, check: Check) -> None:
        """Report one document."""
        self._summary.add(check)
        if self._output is Output.JSON:
            print_json({**check.to_dict(), "warnings": self._wanted(check)})
            return
        for remark in check.remarks:
            remarks().show(check.path or check.document, remark)
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
        remarks().finish()
        for line in self._summary.lines():
            if self._output is Output.TABLE:
                sys.stdout.write(line + "\n")
            elif not remarks().quiet:
                complain(line)

    def _wanted(self, check: Check) -> list[dict[str, Any]]:
        """The remarks of a document that are to be shown, as JSON."""
        return [{**remark.to_dict(), "path": check.path} for remark in check.remarks if remarks().wants(remark)]


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


def _explain(check: Check) -> None:
    """A document that is not consistent, in words."""
    colour = typer.colors.RED if check.verdict is DocumentVerdict.INCONSISTENT else typer.colors.YELLOW
    place = "" if check.path is None else f" ({check.path})"
    typer.secho(printable(f"{check.document}{place}: {check.verdict.value}"), fg=colour, bold=True)
    for line in lines_about(check):
        typer.echo(printable(f"  {line}"))
