"""Shared by all commands: options, exit codes, and how answers reach people and programs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

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


MOVED: dict[str, Any] = {}  # old options of this run whose work another task does now


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
