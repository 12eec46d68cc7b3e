"""``temporacle verify``: check certificates again, without the reasoner."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable
from temporacle.commands.options import Run, runs

if TYPE_CHECKING:
    from temporacle.tasks.verify import CertificateCheck


@runs("verify", reads=False, writes=["page"])
def verify(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Re-check certificates with a small checker that shares no code with the reasoner.

    With --document each certificate must belong to its file: same bytes, same links. If a folder of certificates is
    given, too, every document must have a certificate.

    Exit code 0: all hold. 1: one does not, or a document has none. 3: something could not be opened, the others hold.
    2: nothing could be opened.

    For example:

      temporacle verify certificates/

      temporacle verify certificates/d1.json --document gold/d1.tml

      temporacle verify certificates/ --document gold/ --jobs 8

      temporacle verify scores/ --document gold/ --document system/

      temporacle verify certificates/ --page certificates.html
    """
    found: set[bool | None] = set()
    for check in run:
        _print(check, output, first=not found)
        found.add(check.valid)
    if False in found:
        return ExitCode.NO
    if not found:
        complain(f"no certificates (*.json) in {', '.join(run.paths)}: check --certificates DIR writes some")
    if True not in found:
        return ExitCode.USAGE
    return ExitCode.UNDECIDED if None in found else ExitCode.YES


def _print(check: CertificateCheck, output: Output, *, first: bool) -> None:
    if output is Output.JSON:
        print_json(check.to_dict())
    elif output is Output.CSV:
        from temporacle.printing import spreadsheet_cell
        from temporacle.tasks.verify import COLUMNS

        row = {name: getattr(check, name) for name in COLUMNS}
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if first:
            writer.writerow(row)
        writer.writerow(["" if value is None else spreadsheet_cell(str(value)) for value in row.values()])
    elif check.valid is None:
        complain(check.sentence())
    elif check.valid:
        typer.echo(printable(check.sentence()))
    else:
        typer.secho(printable(check.sentence()), fg=typer.colors.RED)
