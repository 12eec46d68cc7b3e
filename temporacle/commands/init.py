"""``temporacle init``: a project file for a corpus."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from temporacle.commands.common import complain
from temporacle.errors import UsageError


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
    from temporacle.io import project
    from temporacle.io.files import atomic

    if not os.path.isdir(folder):  # noqa: PTH112
        raise UsageError(f"no such folder: {folder}")
    path = os.path.join(folder, project.NAME)  # noqa: PTH118
    text = project.proposed(folder)
    if dry_run:
        typer.echo(text, nl=False)
        return
    if os.path.lexists(path):
        raise UsageError(f"{path} exists, and init never replaces a file: edit it, or remove it first")
    with atomic(path) as file:
        file.write(text)
    complain(f"wrote {path}")
