"""Since when two points are equal: a forest of points that links make equal one after the other.

Two trees become one when a link makes points of them equal; the smaller one is hung into the larger one, with the age
of the link. Paths stay shorter than log2(n), because nothing is ever rearranged, and ages grow towards the root. So
two points are equal since the largest age on the path between them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class EqualPoints:
    """Points, and the ages from which on they are equal. Pairs must come in the order of their ages.

    >>> equal = EqualPoints(4, [(0, 1, 3), (2, 1, 5)])
    >>> equal.since(0, 2), equal.since(0, 1), equal.since(0, 3)
    (5, 3, None)
    """

    def __init__(self, size: int, pairs: Iterable[tuple[int, int, int]]) -> None:
        self._parent = list(range(size))
        self._since: dict[int, int] = {}  # the age at which a root got a parent
        sizes: dict[int, int] = {}
        for left, right, age in pairs:
            x, y = self._root(left), self._root(right)
            if x == y:
                continue
            if sizes.get(x, 1) < sizes.get(y, 1):
                x, y = y, x
            sizes[x] = sizes.get(x, 1) + sizes.get(y, 1)
            self._parent[y] = x
            self._since[y] = age

    def since(self, left: int, right: int) -> int | None:
        """Return the age of the link that makes two points equal; None if none does. Ages are not negative."""
        since, parent = self._since, self._parent
        age = -1
        while left != right:
            # The point whose edge is older is not above the other one.
            if since.get(left, _NEVER) > since.get(right, _NEVER):
                left, right = right, left
            if left not in since:
                return None
            age = since[left]
            left = parent[left]
        return age

    def _root(self, point: int) -> int:
        while self._parent[point] != point:
            point = self._parent[point]
        return point


_NEVER = 1 << 62
