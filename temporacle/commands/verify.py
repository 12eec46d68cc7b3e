"""``temporacle verify``: check certificates again, without the reasoner."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def verify(
    certificates: Annotated[
        list[str], typer.Argument(metavar="CERTIFICATE...", help="Certificates, or folders of them.")
    ],
    *,
    document: Annotated[
        str | None, typer.Option("--document", metavar="PATH", help="The file they must have been made from.")
    ] = None,
    reread: Annotated[
        bool,
        typer.Option("--reread/--no-reread", help="With --document: also read the file again and compare its links."),
    ] = True,
    output: OutputOption = Output.TABLE,
) -> None:
    """Re-check certificates with a small checker that shares no code with the reasoner.

    Exit code 0: all hold. 1: one does not. 3: one could not be opened, the others hold. 2: none could be opened.

    For example:

      temporacle verify certificates/

      temporacle verify certificates/d1.json --document gold/d1.tml
    """
    rejected = unreadable = total = 0
    for path in _files(certificates):
        total += 1
        row = _checked(path, document, reread=reread)
        unreadable += row["valid"] is None
        rejected += row["valid"] is False
        _print(row, output, first=total == 1)
    if rejected:
        raise typer.Exit(ExitCode.NO)
    if unreadable == total:
        raise typer.Exit(ExitCode.USAGE)
    raise typer.Exit(ExitCode.UNDECIDED if unreadable else ExitCode.YES)


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if Path(path).is_dir():
            yield from sorted(str(file) for file in Path(path).rglob("*.json"))
        else:
            yield path


def _checked(path: str, document: str | None, *, reread: bool) -> dict[str, Any]:
    """The verdict on one certificate; ``valid`` is None if it could not be opened."""
    from temporacle.errors import UsageError
    from temporacle.tasks.provenance import difference
    from temporacle.verify import Rejected
    from temporacle.verify import verify as verify_certificate

    row: dict[str, Any] = {"certificate": path, "valid": None, "claim": None, "document": None, "reason": None}
    if document is not None and not Path(document).exists():
        raise UsageError(f"{document} does not exist")
    try:
        certificate = verify_certificate(Path(path).read_bytes(), document)
        if document is not None and reread and (reason := difference(certificate, document)) is not None:
            raise Rejected(reason)  # noqa: TRY301 - one verdict, one place
    except Rejected as error:
        return {**row, "valid": False, "reason": str(error)}
    except MemoryError:
        return {**row, "valid": False, "reason": "it is too large to be checked"}
    except OSError as error:
        return {**row, "reason": f"cannot be opened: {error.strerror or error}"}
    return {**row, "valid": True, "claim": certificate["claim"], "document": certificate["document"]["id"]}


def _print(row: dict[str, Any], output: Output, *, first: bool) -> None:
    if output is Output.JSON:
        print_json(row)
    elif output is Output.CSV:
        import csv
        import sys

        from temporacle.io.write_csv import harmless

        writer = csv.writer(sys.stdout, lineterminator="\n")
        if first:
            writer.writerow(row)
        writer.writerow(["" if value is None else harmless(str(value)) for value in row.values()])
    elif row["valid"]:
        typer.echo(printable(f"{row['certificate']}: valid: {row['document']} is {row['claim']}"))
    elif row["valid"] is None:
        complain(f"{row['certificate']}: {row['reason']}")
    else:
        typer.secho(printable(f"{row['certificate']}: rejected: {row['reason']}"), fg=typer.colors.RED)
