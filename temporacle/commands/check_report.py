"""Print the results of ``check``: lines for each check, then a table and a summary."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any

import typer

from temporacle.checks import FRAME_COLUMNS
from temporacle.commands.answers import print_table
from temporacle.commands.common import Output, complain, print_json, printable
from temporacle.commands.conflict_lines import lines_about
from temporacle.commands.remarks import remarks
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict, RepairStatus
from temporacle.rules import RuleKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.checks import Check
    from temporacle.commands.common import ExitCode
    from temporacle.results import Fact
    from temporacle.tasks.baseline import BaselineJudgement, Known

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
        self._rows: list[list[str]] = []  # of the table
        if output is Output.CSV:
            _print_csv(_COLUMNS_FOR_PROGRAMS)

    def add(self, check: Check, findings: Sequence[BaselineJudgement]) -> None:
        """Report one document. What the baseline knows is in JSON and CSV only."""
        if self._output is Output.JSON:
            print_json({**check.to_dict(), "warnings": _wanted(check), **_known(findings)})
            return
        known = [each.known for each in findings[len(findings) - len(check.remarks) :]]  # remarks come last
        for remark, is_known in zip(check.remarks, known, strict=True):
            if not is_known:
                remarks().show(check.path or check.document, remark)
        if self._output is Output.CSV:
            _print_csv(map(spreadsheet_cell, _cells(check)))
            return
        is_new = check.verdict is not DocumentVerdict.CONSISTENT and any(
            not each.known for each in findings if each.finding.kind is RuleKind.ERROR
        )
        if is_new:
            _explain(check)
            for each in findings:
                if not each.listed and not each.known:
                    for number, line in enumerate(each.finding.message.split("\n")):
                        typer.echo(printable(f"    {line}" if number else f"  Since the baseline: {line}"))
        if self._show_all or is_new:
            cells = check.frame_row() | {"repair": ["none"] if _has_no_repair(check) else _ids(check.to_drop)}
            self._rows.append([_brief(cell) if isinstance(cell, list) else str(cell) for cell in cells.values()])

    def finish(self, fixed: Sequence[tuple[Known, int]], _code: ExitCode) -> None:
        """Print the table, and the known findings that are gone."""
        if self._rows:
            skipped = FRAME_COLUMNS.index("skipped_links")
            nothing = all(row[skipped] == "0" for row in self._rows)
            places = [place for place in range(len(FRAME_COLUMNS)) if place != skipped or not nothing]
            print_table(
                [FRAME_COLUMNS[each] for each in places], [[row[each] for each in places] for row in self._rows]
            )
        for entry, count in fixed:
            line = f"fixed[{entry.code}]: {entry.document}: {entry.message}{f' ({count} times)' if count > 1 else ''}"
            if self._output is Output.TABLE:
                typer.echo(printable(line))
            elif not remarks().quiet:
                complain(line)


def _wanted(check: Check) -> list[dict[str, Any]]:
    """Return the remarks of a document that are to be shown, as JSON."""
    return [{**remark.to_dict(), "path": check.path} for remark in check.remarks if remarks().wants(remark)]


def _known(findings: Sequence[BaselineJudgement]) -> dict[str, Any]:
    """Return how many findings of a document pass because the baseline has them."""
    known = sum(each.known for each in findings)
    return {"known_findings": known} if known else {}


def _print_csv(cells: Iterable[str]) -> None:
    csv.writer(sys.stdout, lineterminator="\n").writerow(cells)


def _cells(check: Check) -> Iterator[str]:
    cells = {**check.to_dict(), "conflict": " ".join(_ids(check.conflict)), "repair": " ".join(_ids(check.to_drop))}
    return ("" if cells[column] is None else str(cells[column]) for column in _COLUMNS_FOR_PROGRAMS)


def _ids(links: Iterable[Fact]) -> list[str]:
    return [link.id for link in links]


def _brief(ids: list[str]) -> str:
    """Return ids for a cell of the table, shortened: a conflict may have thousands."""
    more = len(ids) - _MOST_IDS
    return " ".join(ids) if more <= 1 else f"{' '.join(ids[:_MOST_IDS])} and {more} more"


def _has_no_repair(check: Check) -> bool:
    return check.repair_status in {RepairStatus.IMPOSSIBLE, RepairStatus.UNDECIDED}


def _explain(check: Check) -> None:
    """Print the explanation of a document that is not consistent."""
    colour = typer.colors.RED if check.verdict is DocumentVerdict.INCONSISTENT else typer.colors.YELLOW
    place = "" if check.path is None else f" ({check.path})"
    typer.secho(printable(f"{check.document}{place}: {check.verdict.value}"), fg=colour, bold=True)
    for line in lines_about(check):
        typer.echo(printable(f"  {line}"))
