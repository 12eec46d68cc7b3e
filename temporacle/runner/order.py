"""Work under way in several places, taken back in the order in which it was given out; how many places there are."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Piece = TypeVar("Piece")
Ticket = TypeVar("Ticket")
Outcome = TypeVar("Outcome")


def number_of_cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    pieces: Iterator[Piece],
    submit: Callable[[Piece], Ticket],
    settle: Callable[[Piece, Ticket], Outcome],
    width: Callable[[], int],
) -> Iterator[Outcome]:
    """What ``settle`` makes of every piece, in order, while at most ``width()`` pieces are under way.

    >>> list(in_order(iter("abc"), str.upper, lambda piece, ticket: piece + ticket, lambda: 2))
    ['aA', 'bB', 'cC']
    """
    under_way: deque[tuple[Piece, Ticket]] = deque()
    more = True
    while more or under_way:
        while more and len(under_way) < width():
            for piece in pieces:
                under_way.append((piece, submit(piece)))
                break
            else:
                more = False
        if under_way:
            yield settle(*under_way.popleft())
