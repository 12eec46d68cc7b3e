"""Ids for new links, in the pattern of the ids that a file has."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})")


def next_id(ids: Iterable[str], taken: Iterable[str] = (), *, usual: str = "l") -> str:
    """Return a free id: the usual beginning of the ids, and one more than the highest number behind it.

    ``taken``: further ids that are not free. ``usual``: the beginning if no id has a number.

    >>> next_id(["l1", "l42", "x"]), next_id(["tl-07", "tl-09"]), next_id([]), next_id(["l1"], taken=["l2"])
    ('l43', 'tl-10', 'l1', 'l3')
    """
    return FreeIds(ids, taken, usual=usual).give()


class FreeIds:
    """Gives ids to the new links of a file, no id twice."""

    def __init__(self, ids: Iterable[str], taken: Iterable[str] = (), *, usual: str = "l") -> None:
        known = list(ids)
        self._taken = {*known, *taken}
        parts = [match.groups() for match in map(_NUMBERED.fullmatch, known) if match is not None]
        count = Counter(beginning for beginning, _ in parts)
        self._beginning = count.most_common(1)[0][0] if count else usual  # of equally many the first in the file
        numbers = [number for beginning, number in parts if beginning == self._beginning]
        self._number = max(map(int, numbers), default=0)
        is_padded = any(number.startswith("0") and len(number) > 1 for number in numbers)
        self._width = len(numbers[-1]) if is_padded else 1

    def give(self, wish: str = "", *, allowed: re.Pattern[str] | None = None) -> str:
        """Return the wanted id if it is free and of the allowed form, otherwise the next free one."""
        found = wish if allowed is None or allowed.fullmatch(wish) else ""
        while not found or found in self._taken:
            self._number += 1
            found = f"{self._beginning}{self._number:0{self._width}}"
        self._taken.add(found)
        return found
