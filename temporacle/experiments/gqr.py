"""Run GQR, a constraint solver in C++, for comparison. It runs only if the user names it.

The environment variable ``GQR`` is the path of the program, ``GQR_DATA_DIR`` the folder with its calculi, which the
program itself looks up.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.csp_write import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Document

_ANSWER = re.compile(r"#\s*(.*): ([01])")


class Answers(NamedTuple):
    """The verdict on each network (consistent or not, None if it was stopped before), and the processor time."""

    consistent: tuple[bool | None, ...]
    seconds: float


def program() -> str | None:
    """Return the path of GQR that the user gives; None if there is none."""
    return os.environ.get("GQR") or None


def ask(path: str, networks: Sequence[Document], limit: float) -> Answers:
    """Run GQR on networks, with a time limit in seconds, and return its answers."""
    with tempfile.TemporaryDirectory() as folder:
        return ask_about_file(path, _written(Path(folder), networks), len(networks), limit)


def _written(folder: Path, networks: Sequence[Document]) -> Path:
    import dataclasses

    numbered = (dataclasses.replace(network, id=str(number)) for number, network in enumerate(networks))
    file = folder / "networks.csp"
    file.write_text("".join(text(network, lambda _remark: None) for network in numbered))
    return file


def ask_about_file(path: str, file: Path, count: int, limit: float) -> Answers:
    """Return the same for a file whose networks are named by numbers from 0 on."""
    import resource  # not on every system

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(  # noqa: S603 - the program that the user names
            [path, "c", "-C", "allen", str(file)], capture_output=True, text=True, timeout=limit, check=False
        )
        output = done.stdout
        if done.returncode:
            raise UsageError(f"GQR failed: {(done.stderr or output).strip()[:200]} (is GQR_DATA_DIR set?)")
    except OSError as error:
        raise UsageError(f"GQR cannot be run: {error}") from error
    except subprocess.TimeoutExpired as late:
        output = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found: list[bool | None] = [None] * count
    for name, answer in _ANSWER.findall(output):
        if name.isdigit() and int(name) < count:
            found[int(name)] = answer == "1"
    return Answers(tuple(found), after.ru_utime - before.ru_utime)
