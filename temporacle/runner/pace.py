"""The size of chunks, by what their work has cost so far.

A chunk should cost far more than sending it (some tenths of a millisecond), and far less than the whole run, or the
processes would not end together. The end of the items is not known before it is reached, so a chunk is a small part of
the work that is done.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")
Other = TypeVar("Other")

_SHORTEST, _LONGEST = 0.008, 0.05  # seconds for a chunk
_PART = 1 / 32  # a chunk, of the work that is done
_MEMORY = 1.0  # seconds of work: what was measured before counts less and less
_LARGEST_CHUNK = 200  # items
_ENOUGH_BYTES = 1 << 20
_GROWTH = 8  # as long as nothing is measured, a chunk is at most an eighth of what went before it


class Pace(Generic[Item]):
    """How many seconds items cost, by their number and their bytes."""

    def __init__(self, size: Callable[[Item], int]) -> None:
        self._size = size
        self._done = self._seconds = 0.0  # of all work, and of what is remembered
        self._items = self._bytes = 0.0
        self._measurements = 0
        self._lock = threading.Lock()

    def measured(self, items: Sequence[Item], seconds: float) -> None:
        """Take note of what some items have cost. Any thread may call it."""
        size = sum(map(self._size, items))
        with self._lock:
            self._measurements += 1
            if self._measurements == 2:  # the first one has loaded what all items need
                self._seconds = self._items = self._bytes = 0.0
            self._done += seconds
            fades = min(1.0, _MEMORY / (self._seconds + seconds or 1.0))
            self._seconds = (self._seconds + seconds) * fades
            self._items = (self._items + len(items)) * fades
            self._bytes = (self._bytes + size) * fades

    def seconds(self, items: int, size: int) -> float | None:
        """Return what some items of so many bytes will cost; None if nothing is measured.

        Bytes alone would say little: some of the smallest documents are the hardest.
        """
        if not self._items:
            return None
        by_number = items / self._items
        return self._seconds * ((by_number + size / self._bytes) / 2 if self._bytes else by_number)

    def seconds_of(self, items: Sequence[Item]) -> float:
        """Return what some items will cost; 0 if nothing is measured."""
        return self.seconds(len(items), sum(map(self._size, items))) or 0.0

    def chunks(self, items: Iterable[Item]) -> Iterator[Sequence[Item]]:
        """Yield items in chunks."""
        return self.chunks_by(items, self._size)

    def chunks_by(self, items: Iterable[Other], size: Callable[[Other], int]) -> Iterator[Sequence[Other]]:
        """Yield things that stand for items of some size in chunks.

        Single items come first, so that a few hard ones are spread evenly, then more and more at once.
        """
        chunk: list[Other] = []
        carried = sent = 0
        for item in items:
            chunk.append(item)
            carried += size(item)
            if self._is_enough(len(chunk), carried, sent):
                yield tuple(chunk)
                sent += len(chunk)
                chunk, carried = [], 0
        if chunk:
            yield tuple(chunk)

    def _is_enough(self, items: int, size: int, sent: int) -> bool:
        if items >= _LARGEST_CHUNK or size >= _ENOUGH_BYTES:
            return True
        expected = self.seconds(items, size)
        if expected is None:
            return items >= 1 + sent // _GROWTH
        return expected >= min(max(self._done * _PART, _SHORTEST), _LONGEST)
