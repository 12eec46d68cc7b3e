"""``temporacle explain``, ``formats``, ``init`` and ``docs``: messages, formats, a corpus, the documentation."""

from __future__ import annotations

import os
from enum import StrEnum
from importlib.metadata import metadata
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import Output, OutputOption, complain, print_json
from temporacle.commands.options import writes_output
from temporacle.errors import UsageError, unknown
from temporacle.io.formats import REGISTRY, plugin_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.io.formats import Format
    from temporacle.rules import Rule


class ExplainOutput(StrEnum):
    """For people, for programs, for pages."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


@writes_output
def explain(
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="[CODE]...", help="Codes of messages; none: all of them.")
    ] = None,
    *,
    labels: Annotated[
        str | None,
        typer.Option("--labels", metavar="NAME|FILE", help="List the labels of this label set, and what they mean."),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option("--schema", metavar="NAME", help="Print the JSON Schema of a command's lines, or of a file."),
    ] = None,
    output: Annotated[
        ExplainOutput, typer.Option("--output", help="table for people, json for programs, markdown for a page.")
    ] = ExplainOutput.TABLE,
) -> None:
    """Explain a message: what it means, an example, and what to do about it.

    Messages carry their code in brackets, as in warning[self-link]. Without a code, all of them are listed.

    For example:

      temporacle explain self-link

      temporacle explain

      temporacle explain --output json

      temporacle explain --labels thyme

      temporacle explain --schema check
    """
    if schema is not None:
        if codes or labels is not None:
            raise UsageError(option="schema", reason="leave out the codes and labels")
        from temporacle.rules import schema_text

        typer.echo(schema_text(schema), nl=False)
        return
    if labels is not None:
        if codes:
            raise UsageError(option="labels", reason="leave out the codes")
        _show_labels(labels, output)
        return
    from temporacle.rules import rule_named, rules

    chosen = [rule_named(code) for code in codes or ()] or list(rules().values())
    if output is ExplainOutput.JSON:
        for rule in chosen:
            print_json(rule.to_dict())
    elif output is ExplainOutput.MARKDOWN:
        typer.echo("\n".join(map(page_of_message, chosen) if codes else list_of_messages(chosen)))
    elif codes:
        typer.echo("\n\n".join("\n".join(_explained(rule)) for rule in chosen))
    else:
        typer.echo("\n".join(_listed(chosen)))


def _show_labels(name: str, output: ExplainOutput) -> None:
    """Print the labels of a label set, with the atoms that each stands for."""
    from temporacle.commands.terminal import print_table
    from temporacle.readings import load_reading
    from temporacle.relation import ATOMS, Relation

    known = load_reading(name)
    atoms = {**known.labels, **({atom: Relation.of(atom) for atom in ATOMS} if known.atoms else {})}
    rows = [(label, "anything" if each.is_universal else str(each)) for label, each in atoms.items()]
    if output is ExplainOutput.JSON:
        for label, each in atoms.items():
            print_json({"labels": known.name, "label": label, "relation": list(each.atoms)})
    elif output is ExplainOutput.MARKDOWN:
        cells = [(f"`{label}`", f"`{meaning}`".replace("|", "\\|")) for label, meaning in rows]
        for label, meaning in (("label", "relation"), ("---", "---"), *cells):
            typer.echo(f"| {label} | {meaning} |")
    else:
        print_table(("label", "relation"), rows)


def _listed(rules: list[Rule]) -> Iterator[str]:
    """Yield one line for each rule."""
    widest = max(len(rule.code) for rule in rules)
    for number, (family, members) in enumerate(groupby(rules, key=lambda rule: rule.family)):
        yield f"{'' if not number else chr(10)}{family}"
        for rule in members:
            yield f"  {rule.code:<{widest}}  {rule.kind:<7}  {rule.summary}"


def _explained(rule: Rule) -> Iterator[str]:
    """Yield the description of a rule for a terminal."""
    yield f"{rule.kind}[{rule.code}]: {rule.summary}"
    yield f"\n{rule.meaning}"
    yield f"\nWhat to do: {rule.cure}"
    if rule.example is not None:
        yield f"\nExample ({rule.file}):\n"
        yield from (f"    {line}".rstrip() for line in rule.example.rstrip("\n").splitlines())


def list_of_messages(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield the content of ``docs/rules.md``."""
    yield """# Messages

Each message has a code, as in `warning[self-link]`. `temporacle explain CODE` says what it means, with an example,
and what to do.

- `error`: a document is inconsistent, undecided or unreadable, or an official scorer cannot use it.
- `skipped`: Temporacle left something out, usually a link. The exit code is 3, unless a document is inconsistent.
- `warning`: Temporacle took something odd, and says how. The exit code does not change.
- `note`: something about the run as a whole, such as skipped files."""
    for family, members in groupby(rules, key=lambda rule: rule.family):
        yield f"\n## {family}\n\n| code | level | what happened |\n|---|---|---|"
        yield from (f"| `{rule.code}` | {rule.kind} | {rule.summary} |" for rule in members)


def page_of_message(rule: Rule) -> str:
    """Return all about one code, as a page."""
    text = f"# {rule.code}\n\n`{rule.kind}[{rule.code}]`: {rule.summary}\n\n{rule.meaning}"
    text += f"\n\n**What to do:** {rule.cure}\n"
    if rule.example is not None:
        text += f"\n## Example\n\n`{rule.file}`:\n\n```text\n{rule.example.rstrip()}\n```\n"
    return text


@writes_output
def formats(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[FORMAT]...", help="Formats to show with an example; none: all.")
    ] = None,
    *,
    output: OutputOption = Output.TABLE,
) -> None:
    """List the formats: what is read, written and changed in place, with an example of each.

    A format is recognised by its content. `read` formats can be given to every command, `written` ones are made by
    convert, and `changed` ones keep every other byte in apply and fix.

    For example:

      temporacle formats

      temporacle formats brat xmi

      temporacle formats --output json
    """
    from temporacle.io.formats import example_of

    known = {**REGISTRY, **{entry.name: entry for entry in plugin_formats()}}
    for name in names or ():
        if name not in known:
            raise unknown("format", name, known)
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
    from temporacle.commands.terminal import print_table

    columns = ("format", "read", "written", "changed", "what it is")
    print_table(columns, [[row["format"], *_marks(row), row["about"]] for row in rows])


def _print_csv(rows: list[dict[str, Any]]) -> None:
    import csv
    import sys

    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(("format", "read", "written", "changed", "suffixes", "about"))
    table.writerows([row["format"], *_marks(row), " ".join(row["suffixes"]), row["about"]] for row in rows)


def init(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="The folder of the corpus.")] = ".",
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the file, and write nothing.")] = False,
) -> None:
    """Write a project file, temporacle.toml, from what a folder holds. It never replaces a file.

    For example:

      temporacle init

      temporacle init corpus/ --dry-run
    """
    from temporacle.io.files import atomic
    from temporacle.io.listing import proposed
    from temporacle.io.project import NAME

    if not os.path.isdir(folder):  # noqa: PTH112
        raise UsageError(f"no such folder: {folder}")
    path = os.path.join(folder, NAME)  # noqa: PTH118
    text = proposed(folder)
    if dry_run:
        typer.echo(text, nl=False)
        return
    if os.path.lexists(path):
        raise UsageError(f"{path} exists, and init never replaces a file: edit it, or remove it first")
    with atomic(path) as file:
        file.write(text)
    complain(f"wrote {path}")


_PACKAGE = Path(__file__).resolve().parents[1]
_PLACES = (_PACKAGE / "data" / "site", _PACKAGE.parent / "build" / "site")  # of a release; of ``make docs``


def docs(
    page: Annotated[str, typer.Argument(metavar="[PAGE]", help="Such as tutorial, or messages/self-link.")] = "index",
    *,
    show: Annotated[
        bool, typer.Option("--open/--print", help="Open the page in the browser, or print where it is.")
    ] = True,
) -> None:
    """Open the documentation that is on this machine, or print its address.

    A clone has it after "make docs".

    For example:

      temporacle docs

      temporacle docs exit-codes --print
    """
    site = next((place for place in _PLACES if (place / "index.html").is_file()), None)
    if site is None:
        addresses = dict(each.split(", ", 1) for each in metadata("temporacle").get_all("Project-URL") or ())
        typer.echo(f"{addresses['Documentation']}/{page}.html")
        return
    file = site / f"{page}.html"
    if not file.resolve().is_relative_to(site) or not file.is_file():
        raise UsageError(f"the documentation has no page {page!r}; the first page, index, lists all of them")
    typer.echo(file.as_uri())
    if show:
        import webbrowser

        webbrowser.open(file.as_uri())
