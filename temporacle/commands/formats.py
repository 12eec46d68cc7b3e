"""``temporacle formats``: what can be read, written and changed, with an example of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import Output, OutputOption, print_json
from temporacle.errors import UsageError
from temporacle.io.formats import REGISTRY, plugin_formats

if TYPE_CHECKING:
    from temporacle.io.formats import Format


def formats(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[FORMAT]...", help="Formats to show with an example; none: all.")
    ] = None,
    *,
    output: OutputOption = Output.TABLE,
) -> None:
    """List the formats: what is read, written and changed in place, with an example of each.

    A format is recognised by its content. `read` formats can be given to every command, `written` ones are made by
    convert, and `changed` ones keep every other byte in apply and in check --write, --annotate and --in-place.

    For example:

      temporacle formats

      temporacle formats brat xmi

      temporacle formats --output json
    """
    from temporacle.io.formats import example_of

    known = {**REGISTRY, **{entry.name: entry for entry in plugin_formats()}}
    for name in names or ():
        if name not in known:
            raise UsageError(f"unknown format {name!r}: choose {', '.join(known)}")
    chosen = [known[name] for name in names or known]
    rows = [_row(entry) for entry in chosen]
    if output is Output.JSON:
        for row in rows:
            print_json({**row, "example": example_of(row["format"])})
        return
    if output is Output.CSV:
        _print_csv(rows)
        return
    if not names:
        _print_table(rows)
        typer.echo("\nShow one with an example: temporacle formats NAME")
        return
    for number, row in enumerate(rows):
        uses = ", ".join(use for use in ("read", "written", "changed") if row[use])
        typer.echo(f"{chr(10) if number else ''}{row['format']}: {row['about']}")
        typer.echo(f"  {uses}; files {', '.join(row['suffixes']) or 'of any name'}")
        typer.echo("".join(f"\n    {line}".rstrip(" ") for line in example_of(row["format"]).splitlines()))


def _row(entry: Format) -> dict[str, Any]:
    return {
        "format": entry.name,
        "about": entry.about,
        "read": entry.location is not None,
        "written": entry.writer is not None,
        "changed": entry.editor is not None,
        "suffixes": list(entry.suffixes),
        "reading": entry.reading,
    }


def _marks(row: dict[str, Any]) -> list[str]:
    return ["yes" if row[use] else "" for use in ("read", "written", "changed")]


def _print_table(rows: list[dict[str, Any]]) -> None:
    from temporacle.commands.answers import print_table

    columns = ("format", "read", "written", "changed", "what it is")
    print_table(columns, [[row["format"], *_marks(row), row["about"]] for row in rows])


def _print_csv(rows: list[dict[str, Any]]) -> None:
    import csv
    import sys

    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("format", "read", "written", "changed", "suffixes", "about"))
    table.writerows([row["format"], *_marks(row), " ".join(row["suffixes"]), row["about"]] for row in rows)
