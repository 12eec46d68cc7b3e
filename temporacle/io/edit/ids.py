"""Ids for new links, in the pattern of the ids that a file has."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})")


def next_id(ids: Iterable[str], taken: Collection[str] = (), *, usual: str = "l") -> str:
    """Return a free id: the usual beginning of the ids, and one more than the highest number behind it.

    ``taken``: further ids that are not free. ``usual``: the beginning if no id has a number.

    >>> next_id(["l1", "l42", "x"]), next_id(["tl-07", "tl-09"]), next_id([]), next_id(["l1"], taken=["l2"])
    ('l43', 'tl-10', 'l1', 'l3')
    """
    numbers: dict[str, list[str]] = {}
    count: Counter[str] = Counter()
    for match in filter(None, map(_NUMBERED.fullmatch, ids)):
        numbers.setdefault(match[1], []).append(match[2])
        count[match[1]] += 1
    beginning = count.most_common(1)[0][0] if count else usual  # of equally many the first in the file
    known = numbers.get(beginning, [])
    number = max(map(int, known), default=0) + 1
    width = len(known[-1]) if known and any(each.startswith("0") and len(each) > 1 for each in known) else 1
    while (found := f"{beginning}{number:0{width}}") in taken:
        number += 1
    return found


class FreeIds:
    """Gives ids to the new links of a file, no id twice."""

    def __init__(self, ids: Iterable[str], taken: Iterable[str] = (), *, usual: str = "l") -> None:
        self._ids = list(ids)
        self._taken = {*self._ids, *taken}
        self._usual = usual

    def give(self, wish: str = "", *, allowed: re.Pattern[str] | None = None) -> str:
        """Return the wanted id if it is free and of the allowed form, otherwise the next free one."""
        is_usable = wish and wish not in self._taken and (allowed is None or allowed.fullmatch(wish))
        found = wish if is_usable else next_id(self._ids, self._taken, usual=self._usual)
        self._ids.append(found)
        self._taken.add(found)
        return found
