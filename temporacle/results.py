"""What the reasoner answers. Core values only: no paths, no printing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn, TypeAlias

from temporacle.model import Link  # noqa: TC001 - part of the public signature

Witness: TypeAlias = Mapping[str, tuple[int, int]]
"""Integer times (start, end) for every entity: one way the document can be true."""


class Verdict(Enum):
    """The four answers to "does the document say that ...?". Never a bool: UNKNOWN is not "no".

    >>> bool(Verdict.OPEN)
    Traceback (most recent call last):
        ...
    TypeError: a Verdict has four values; compare it with one of them
    """

    ENTAILED = "entailed"  # true in every model
    REFUTED = "refuted"  # true in no model
    OPEN = "open"  # true in some models, false in others
    UNKNOWN = "undecided"  # the budget ran out

    def __bool__(self) -> NoReturn:
        raise TypeError("a Verdict has four values; compare it with one of them")


@dataclass(frozen=True, slots=True)
class Consistent:
    """The links can all be true together, for instance as in the witness."""

    witness: Witness
    decided_by: str = "graph"


@dataclass(frozen=True, slots=True)
class Inconsistent:
    """The links cannot all be true: ``conflict`` is a set of links that already cannot, each of them needed."""

    conflict: tuple[Link, ...]
    decided_by: str = "graph"


@dataclass(frozen=True, slots=True)
class Undecided:
    """Nobody knows: the reason says which limit was reached."""

    reason: str


Consistency: TypeAlias = Consistent | Inconsistent | Undecided
