"""Prints the page of commands: ``python -m bench.reference > docs/commands.md``. A test compares it with the page."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import typer

from temporacle.cli import application
from temporacle.commands.common import ExitCode
from temporacle.declared import GROUPS
from temporacle.overview import COMMAND_GROUPS, COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COMMON = 5  # commands with the same option and the same help, from which on the option is listed once

START = """# Commands

This page lists every command, argument and option. It is made from the help texts:
`temporacle COMMAND --help` prints the same, and `temporacle --help` lists the commands.
Options of a metric are printed by `temporacle score --metric pairs --help`.
Options that many commands share are [at the end](#common-options), and so are the [exit codes](#exit-codes).
`--debug` shows the traceback of an error, with every command.
"""
Record = tuple[str, str]


def page() -> str:
    """Return the page."""
    return "\n".join(_lines()).rstrip() + "\n"


def _lines() -> Iterator[str]:
    commands = {name: typer.main.get_command(application([name])).commands[name] for name in COMMANDS}  # type: ignore[attr-defined]
    sections = {name: _sections(command) for name, command in commands.items()}
    seen = Counter((title, each) for found in sections.values() for title in found for each in found[title])
    common = [key for key, count in seen.items() if count >= COMMON and key[0] in GROUPS]
    yield START
    for group, names in COMMAND_GROUPS.items():
        yield f"## {group}\n"
        for name in names:
            yield f"### {name}\n"
            yield from _description(commands[name].help or "")
            for title, records in sections[name].items():
                own = [each for each in records if (title, each) not in common]
                if own:
                    yield from _table(title or "Options", own)
            shared = [_option(each[0]) for title in sections[name] for each in sections[name][title]
                      if (title, each) in common]  # fmt: skip
            if shared:
                yield f"[Common options](#common-options): {', '.join(shared)}.\n"
    yield "## Common options\n"
    for title in GROUPS:
        records = [each for heading, each in common if heading == title]
        if records:
            yield from _table(title or "Others", records)
    yield "## Exit codes\n"
    yield from _table(
        "exit code", [(str(int(code)), f"{code.meaning}: {code.examples}") for code in ExitCode], "meaning"
    )


def _sections(command: Any) -> dict[str, list[Record]]:
    """Return the arguments and options of a command by heading."""
    found: dict[str, list[Record]] = command.sections(typer.Context(command))
    return {title: records for title, records in found.items() if records}


def _description(text: str) -> Iterator[str]:
    """Return the paragraphs of a help text; its examples become a block of commands."""
    words, _, examples = text.partition("\n\nFor example:\n")
    for paragraph in words.split("\n\n"):
        yield f"{' '.join(paragraph.split())}\n"
    lines = [line.strip() for line in examples.splitlines() if line.strip()]
    if lines:
        yield "\n".join(["```bash", *lines, "```\n"])


def _table(title: str, records: Iterable[Record], words: str = "") -> Iterator[str]:
    """Return a table of two columns."""
    yield f"| {title} | {words} |\n|---|---|"
    for name, text in records:
        shown = name if name.isdigit() else f"<code>{_cell(name)}</code>" if "|" in name else f"`{name}`"
        yield f"| {shown} | {_cell(' '.join(text.split()))} |"
    yield ""


def _cell(text: str) -> str:
    """Return a text as part of a table: all programs that show Markdown understand these signs in the same way."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;")


def _option(name: str) -> str:
    """Return the long name of an option, as code."""
    return f"`{max(re.findall(r'--?[a-z][a-z-]*', name), key=len)}`"


if __name__ == "__main__":
    print(page(), end="")
