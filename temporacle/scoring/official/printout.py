"""The output of an emulated program: its standard output, and the error it stops with."""

from __future__ import annotations

from typing import Any, NamedTuple


class Stop(Exception):  # noqa: N818 - the end of a program, not an error of ours
    """The original ends here with an error. ``name`` is the type of its exception."""

    def __init__(self, name: str, reason: str = "") -> None:
        super().__init__(name, reason)
        self.name = name
        self.reason = reason


class Printout(NamedTuple):
    """The text that a program prints, the same as rows and a total, and the error it stops with."""

    text: str
    rows: tuple[dict[str, Any], ...] = ()
    total: dict[str, Any] = {}  # noqa: RUF012 - never changed
    stops: str | None = None
    reason: str = ""  # what the original stumbles over, in our words
