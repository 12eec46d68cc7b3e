"""What a run of a program gives, whatever the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from temporacle.scoring.official.printout import Printout
    from temporacle.tasks.official_files import LinkPair

    Row = dict[str, Any]


class ProgramRun(NamedTuple):
    """The output of a program, and the result of an exact scorer for the same input."""

    text: bytes
    printed: Printout
    pairs: Iterable[LinkPair] = ()  # of i2b2, for a comparison link by link
    exact: Sequence[Row] = ()  # of the other programs: documents
    exact_total: Row = {}  # noqa: RUF012 - never changed
    causes: tuple[str, ...] = ()  # why the two may differ on this input
    unread: tuple[tuple[str, str], ...] = ()  # documents that have no exact score, and why


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(path)) from error
