"""Offsets that count UTF-16 code units, as Java does, made into characters (code points)."""

from __future__ import annotations

import re
from bisect import bisect_left

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Utf16:
    """The way from UTF-16 offsets of a text to characters. Most texts have nothing to convert.

    >>> offsets = Utf16("a\U0001f6a2b")
    >>> [offsets.character(unit) for unit in (0, 1, 2, 3, 4, 5)]
    [0, 1, None, 2, 3, None]
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        # The UTF-16 offset of the second half of each character that has two.
        self._halves = [place.start() + number + 1 for number, place in enumerate(_ASTRAL.finditer(text))]

    def character(self, unit: int) -> int | None:
        """Return the character at an offset; None inside a character or outside the text."""
        before = bisect_left(self._halves, unit)
        if before < len(self._halves) and self._halves[before] == unit:
            return None
        place = unit - before
        return place if 0 <= place <= self._length else None

    def is_split(self, unit: int) -> bool:
        """Return whether an offset lies between the two halves of a character."""
        before = bisect_left(self._halves, unit)
        return before < len(self._halves) and self._halves[before] == unit
