"""``temporacle explain``: what a remark means and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import print_json
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.rules import Rule


class ExplainOutput(StrEnum):
    """For people, for programs, for pages."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


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

    Messages carry their code in brackets, as in warning[self-link]. Without a code, all rules are listed.

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
        typer.echo("\n".join(_page(chosen)))
    elif codes:
        typer.echo("\n\n".join("\n".join(_explained(rule)) for rule in chosen))
    else:
        typer.echo("\n".join(_listed(chosen)))


def _show_labels(name: str, output: ExplainOutput) -> None:
    """Print the labels of a label set, with the atoms that each stands for."""
    from temporacle.commands.answers import print_table
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


def _page(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield the content of ``docs/rules.md``."""
    yield """# Rules

Temporacle marks each message with a code, as in `warning[self-link]`. This page explains all codes.
`temporacle explain CODE` prints the same text on a terminal.

- `error`: a document is inconsistent, undecided or unreadable, or an official scorer cannot use it.
- `dropped`: Temporacle left something out, usually a link. The exit code is 3, unless a document is inconsistent.
- `warning`: Temporacle accepted something odd, and says how. The exit code does not change.
- `note`: something about the run as a whole, such as skipped files."""
    for family, members in groupby(rules, key=lambda rule: rule.family):
        yield f"\n## {family}"
        for rule in members:
            yield f"\n### {rule.code}\n\n`{rule.kind}[{rule.code}]`: {rule.summary}\n\n{rule.meaning}"
            yield f"\n**What to do:** {rule.cure}"
            if rule.example is not None:
                yield f"\nExample (`{rule.file}`):\n\n```text\n{rule.example.rstrip(chr(10))}\n```"
