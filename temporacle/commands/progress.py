"""A line on standard error that counts documents: only on a terminal, and only once the work has taken a second."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")
_PATIENCE = 1.0
_INTERVAL = 0.2


def counted(items: Iterable[Item], what: str = "documents") -> Iterator[Item]:
    """The same items; how many there were is shown while they are worked on."""
    if not sys.stderr.isatty():
        yield from items
        return
    started = monotonic()
    due = started + _PATIENCE
    shown = False
    try:
        for count, item in enumerate(items, 1):
            yield item
            now = monotonic()
            if now >= due:
                sys.stderr.write(f"\r{count} {what}, {now - started:.0f} s ")
                sys.stderr.flush()
                due = now + _INTERVAL
                shown = True
    finally:
        if shown:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()
