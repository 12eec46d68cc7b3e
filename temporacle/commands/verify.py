"""``temporacle verify``: check certificates again, without the reasoner."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable
from temporacle.commands.running import JobsOption  # noqa: TC001 - Typer looks at it

if TYPE_CHECKING:
    from temporacle.tasks.verify import CertificateCheck


def verify(
    certificates: Annotated[
        list[str], typer.Argument(metavar="CERTIFICATE...", help="Certificates, or folders with certificates.")
    ],
    *,
    document: Annotated[
        list[str] | None,
        typer.Option(
            "--document",
            metavar="PATH",
            help="File or folder that the certificates were made from; repeatable (for scores: gold, then system).",
        ),
    ] = None,
    reread: Annotated[
        bool,
        typer.Option("--reread/--no-reread", help="With --document: also read the file again and compare its links."),
    ] = True,
    page: Annotated[
        str | None,
        typer.Option("--page", metavar="FILE", help="Also write a page on which a browser checks the certificates."),
    ] = None,
    jobs: JobsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
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
    from temporacle.commands.progress import Bar, total_size
    from temporacle.commands.running import telling_of_interrupts
    from temporacle.errors import UsageError
    from temporacle.runner import Plan
    from temporacle.tasks.verify import each_check

    if not document and not reread:
        raise UsageError("--no-reread works only with --document, the file or folder that is compared")

    if page is not None:
        from temporacle.tasks.page_certificates import write_certificates_page

        write_certificates_page(certificates, page)
    found: set[bool | None] = set()
    with telling_of_interrupts(), Bar(lambda: total_size(certificates), "certificates") as bar:
        checks = each_check(
            certificates, document=document or None, reread=reread, plan=Plan(jobs), progress=bar.advance
        )
        for check in checks:
            _print(check, output, first=not found)
            found.add(check.valid)
    if False in found:
        raise typer.Exit(ExitCode.NO)
    if not found:
        complain(f"no certificates (*.json) in {', '.join(certificates)}: check --certificates DIR writes some")
    if True not in found:
        raise typer.Exit(ExitCode.USAGE)
    raise typer.Exit(ExitCode.UNDECIDED if None in found else ExitCode.YES)


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
