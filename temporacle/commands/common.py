"""Shared by all commands: options, exit codes, and how answers reach people and programs."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.old_names import new_option
from temporacle.overview import ExitCode as ExitCode  # noqa: PLC0414 - commands take it from here
from temporacle.printing import printable as printable  # noqa: PLC0414 - commands take it from here

if TYPE_CHECKING:
    from collections.abc import Iterator


FORMS = {"table", "json", "csv", "markdown", "latex", "html", "github", "sarif", "junit"}
"""What ``--output`` can be, in one command or another."""


class TextOutput(StrEnum):
    """For people, for programs."""

    TABLE = "table"
    JSON = "json"


class Output(StrEnum):
    """For people, for programs, for spreadsheets."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


OutputOption = Annotated[
    Output, typer.Option("--output", help="table for people, json for programs, csv for spreadsheets.")
]


# --- printing ------------------------------------------------------------------------------------------------------


CONFIG: dict[str, str] = {}  # the digest of the project file of this run, for every object in JSON


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object on one line of standard output."""
    sys.stdout.write(json_text({**value, **CONFIG}) + "\n")


def json_text(value: dict[str, Any]) -> str:
    r"""Return an object as one line of JSON, in UTF-8.

    >>> json_text({"path": "caf" + chr(0xE9)}), json_text({"path": "caf" + chr(0xDCE9)})  # a byte that is no UTF-8
    ('{"path": "café"}', '{"path": "caf\\udce9"}')
    """
    import json

    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text


@contextmanager
def printing_to(path: str) -> Iterator[None]:
    """Print to a file, which appears when all is written. An exit code is an end like any other."""
    from contextlib import redirect_stdout

    from temporacle.io.files import atomic

    leaving: typer.Exit | None = None
    with atomic(path) as file, redirect_stdout(file):
        try:
            yield
        except typer.Exit as error:
            leaving = error
        sys.stdout.flush()
    if leaving is not None:
        raise leaving


def complain(message: str) -> None:
    """Print a line on standard error."""
    sys.stderr.write(printable(message) + "\n")


def as_option(name: str, value: object = None) -> str:
    """Return how the command line spells an option.

    >>> as_option("in_place"), as_option("metric", "pairs"), as_option("calendar", "whole")
    ('--in-place', '--metric pairs', '--calendar=whole')
    """
    import shlex  # only some errors need it

    option = new_option(name)
    sign = "=" if name == "calendar" else " "  # its value may be left out
    return option if value is None else f"{option}{sign}{shlex.quote(str(value))}"


_ARGUMENT = re.compile(r'\b([a-z_]+)="([^"]*)"')
_SWITCH = re.compile(r"\b([a-z][a-z_]*)=(True|False)\b")
# Names of options that cannot be taken for anything else in a message.
_SNAKE_CASE = re.compile(
    r"(?<![\w./'-])(?:in_place|dry_run|all_conflicts|keep_unknown|write_baseline|ordering_only|gold_ids|run_date)\b"
)


def with_flags(message: str) -> str:
    """Return a message of the library with its arguments written as command-line options.

    >>> with_flags('choose align="spans" or leave out reading="my own.toml"')
    "choose --align spans or leave out --labels 'my own.toml'"
    >>> with_flags("in_place needs repair=True; all_conflicts and explain=False cannot be combined")
    '--in-place needs --repair; --all-conflicts and --no-explain cannot be combined'
    """
    import shlex  # only some errors need it

    message = _ARGUMENT.sub(lambda found: f"{new_option(found[1])} {shlex.quote(found[2])}", message)
    message = _SWITCH.sub(lambda found: f"--{'no-' * (found[2] == 'False')}{found[1].replace('_', '-')}", message)
    return _SNAKE_CASE.sub(lambda found: f"--{found[0].replace('_', '-')}", message)
