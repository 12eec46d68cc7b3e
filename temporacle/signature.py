"""Signatures: one line that names everything that can change a score.

Two runs with the same signature on the same data print the same digits.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from temporacle import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping


def signature(subject: str, choices: Mapping[str, str]) -> str:
    """Return ``subject|choice:value|...`` with the versions of the program and of its solver.

    >>> signature("awareness", {"average": "micro", "empty": "0"}).split("|version:")[0]
    'awareness|average:micro|empty:0'
    """
    parts = [subject, *(f"{name}:{value}" for name, value in choices.items())]
    return "|".join((*parts, f"version:{__version__}", f"ortools:{_solver_version()}"))


@cache
def _solver_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ortools")
    except PackageNotFoundError:
        return "none"
