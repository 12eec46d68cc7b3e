"""The links of one document with entities numbered, and the table of what holds between all pairs.

These two are the whole contract between engines: an engine is a function

    closure(network, budget) -> PairTable | None        None: the links cannot all be true

that raises BudgetExceeded rather than guess. ``engines.py`` lists them.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import chain, count
from operator import attrgetter
from time import monotonic
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.model import Document, Link, Statement, as_link
from temporacle.printing import first_of
from temporacle.reasoner.algebra import ALL, ANY, DIFFERENT, EQ, GT, LT, converse, signs_of
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.results import Fact

_source, _relation, _target = attrgetter("source"), attrgetter("relation"), attrgetter("target")


_BEGAN: ContextVar[tuple[float, float | None]] = ContextVar("_BEGAN")  # and when the time for the document ends


@contextmanager
def document_time(seconds: float | None = None, took: float = 0.0) -> Iterator[None]:
    """Count what is done inside as work on one document, reading it included: all of it together gets the time.

    ``took``: seconds that are gone. See ``Budget.of_document``, and ``reading_ends``.
    """
    began = monotonic() - took
    before = _BEGAN.set((began, None if seconds is None else began + seconds))
    try:
        yield
    finally:
        _BEGAN.reset(before)


def reading_ends() -> float | None:
    """Return the moment at which a document must have been read; None if there is none."""
    return _BEGAN.get((0.0, None))[1]


class Budget:
    """Time allowed for one document. ``Budget(None)`` never runs out."""

    __slots__ = ("_deadline", "seconds")
    _deadline: float | None

    def __init__(self, seconds: float | None = None) -> None:
        self.seconds = seconds  # how many there are; None: no limit
        self.restart()

    @classmethod
    def of_document(cls, seconds: float | None) -> Budget:
        """Return what is left of the time for the document that is being worked on: reading it counts as well.

        Args:
            seconds: The time for the whole document; None: no limit.

        Returns:
            What is left.
        """
        found = cls(seconds)
        if seconds is not None:
            found._deadline = _BEGAN.get((monotonic(), None))[0] + seconds
        return found

    def __reduce__(self) -> tuple[type[Budget], tuple[float | None]]:
        return Budget, (self.seconds,)  # another machine has another clock: the time begins there

    def restart(self) -> None:
        """Allow the same time again, for the next question."""
        self._deadline = None if self.seconds is None else monotonic() + self.seconds

    def remaining(self) -> float | None:
        """Return the seconds left; None if unlimited."""
        return None if self._deadline is None else self._deadline - monotonic()

    def __getstate__(self) -> tuple[float | None, float | None]:
        return self.seconds, self.remaining()

    def __setstate__(self, state: tuple[float | None, float | None]) -> None:
        """Allow what was left: another process, or a later run, has a clock of its own."""
        self.seconds, left = state
        self._deadline = None if left is None else monotonic() + left

    @contextmanager
    def at_most(self, seconds: float | None) -> Iterator[None]:
        """Allow a part of the work so many seconds, and no more than are left.

        Args:
            seconds: The time for this part; None: all that is left.
        """
        if seconds is None:
            yield
            return
        whole = self.seconds, self._deadline
        left = self.remaining()
        if left is None or left > seconds:
            self.seconds, self._deadline = seconds, monotonic() + seconds
        try:
            yield
        finally:
            self.seconds, self._deadline = whole

    def check(self) -> None:
        """Raise BudgetExceeded once the time is over."""
        if self._deadline is not None and monotonic() > self._deadline:
            raise BudgetExceeded(f"not decided within {self.seconds:g} s")


class NotMinimal(BudgetExceeded):
    """Time ran out while a conflict was made smaller. The links found so far do contradict each other."""

    def __init__(self, reason: str, facts: Sequence[Fact], numbers: Sequence[int]) -> None:
        super().__init__(reason)
        self.numbers = tuple(numbers)
        self.facts: tuple[Fact, ...] = tuple(facts[number] for number in numbers)


class TooLarge(BudgetExceeded):
    """Not decided, because one way to decide would take too much memory: another may be tried."""


_MOST_MEMORY = 4 << 30  # bytes for one table: fits into the memory of an ordinary machine


def require_memory(size: int, what: str) -> None:
    """Raise BudgetExceeded before a table of so many bytes is made that the machine might stop instead of answering."""
    if size > _MOST_MEMORY:
        raise BudgetExceeded(f"{what} would take {size / (1 << 30):.1f} GiB of memory, more than the 4 GiB allowed")


class Network:
    """Entities numbered 0, 1, ... in order of mention; links as (source, mask, target) triples.

    Parallel to ``links``: ``constraints[k]`` says what ``links[k]`` says. Endpoint numbers are 2i and 2i + 1.
    """

    __slots__ = ("constraints", "entities", "index", "links")

    def __init__(self, links: Iterable[Link], entities: Iterable[str] = ()) -> None:
        self.links: tuple[Link, ...] = tuple(links)
        # Whole columns: a loop over the links would take as long as judging most of them.
        sources, targets = list(map(_source, self.links)), list(map(_target, self.links))
        names = dict.fromkeys(chain(entities, chain.from_iterable(zip(sources, targets, strict=True))))
        self.entities: tuple[str, ...] = tuple(names)
        self.index: dict[str, int] = dict(zip(names, count()))
        number = self.index.__getitem__
        masks = map(int, map(_relation, self.links))
        self.constraints: list[tuple[int, int, int]] = list(
            zip(map(number, sources), masks, map(number, targets), strict=True)
        )

    @classmethod
    def of(cls, source: Network | Document | Iterable[Statement]) -> Network:
        """Return a network from a document, or from links in any form. Entities of a document count even without links.

        >>> Network.of([("a", "BEFORE", "b")]).constraints
        [(0, 1, 1)]
        """
        if isinstance(source, Network):
            return source
        if isinstance(source, Document):
            return cls(source.links, _mention_order(source))
        return cls(as_link(statement, position) for position, statement in enumerate(source, 1))

    def number(self, entity: str) -> int:
        """Return the number of an entity. Raise UsageError if the document does not have it."""
        try:
            return self.index[entity]
        except KeyError:
            raise UsageError(f"unknown entity {entity!r}: {_some(self.entities)}") from None


def _mention_order(document: Document) -> Iterator[str]:
    """Yield first the entities in links, in order of first mention there, and then the unlinked ones."""
    for link in document.links:
        yield link.source
        yield link.target
    yield from document.entity_ids


def in_order(links: Iterable[Link]) -> list[Link]:
    """Return links in the order of their lines, then of their ids, with l2 before l10. Those without a line are last.

    This is the order by which conflicts and repairs are chosen, however the links are listed.
    """
    return sorted(links, key=lambda link: place_of(link.line, link.id))


def place_of(line: int | None, name: str) -> tuple[bool, int, list[tuple[int, str]]]:
    """Return what a link or value on a line, of an id, is sorted by."""
    parts = re.findall(r"\d+|\D+", name)
    numbers = [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
    return line is None, line or 0, numbers


def _some(names: Sequence[str]) -> str:
    if not names:
        return "the document has no entities"
    return f"known are {first_of(names, 8)}"


def count_entities(document: Document) -> int:
    """Return the number of entities: those declared, and those that only links mention."""
    known = set(document.entity_ids)
    known.update(map(_source, document.links))
    known.update(map(_target, document.links))
    return len(known)


@dataclass(frozen=True, slots=True)
class PairTable:
    """A relation for every ordered pair of entities: ``rows[i][j]`` is a mask.

    What the masks are is the engine's promise: the strongest entailed relation for complete engines, some entailed
    relation for sound ones. ``rows`` may be lists or a numpy array: it is only ever indexed.
    """

    entities: tuple[str, ...]
    rows: Sequence[Sequence[int]]
    _index: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {name: number for number, name in enumerate(self.entities)})

    def __reduce__(self) -> tuple[type[PairTable], tuple[tuple[str, ...], Any]]:
        """Return plain rows for another process or a checkpoint, unless they are found when they are asked for."""
        rows: Any = self.rows
        if isinstance(rows, list):
            rows = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
        return PairTable, (self.entities, rows.tolist() if hasattr(rows, "tolist") else rows)

    def relation(self, source: str, target: str) -> Relation:
        """Return what is known about a pair."""
        return Relation(int(self.rows[self._index[source]][self._index[target]]))

    def pairs(self, *, universal: bool = False) -> Iterator[tuple[str, Relation, str]]:
        """Yield each unordered pair once, in order of mention; pairs about which nothing is known only on request."""
        names = self.entities
        for i, source in enumerate(names):
            row = self.rows[i]
            for j in range(i + 1, len(names)) if universal else _known(row, i + 1):
                yield source, Relation(int(row[j])), names[j]


def _known(row: Sequence[int], first: int) -> Sequence[int]:
    """Return the places from ``first`` on at which a row says something. Of a large table they are few."""
    if isinstance(row, list):
        return [place for place in range(first, len(row)) if row[place] != ALL]
    import numpy as np

    found: list[int] = (np.flatnonzero(np.asarray(row)[first:] != ALL) + first).tolist()
    return found


def blank_table(network: Network) -> list[list[int]]:
    """Return rows in which everything is possible, and each entity equals itself."""
    size = len(network.entities)
    require_memory(8 * size * size, f"a table of all pairs of {size} entities")
    rows = [[ALL] * size for _ in range(size)]
    for i in range(size):
        rows[i][i] = int(EQUAL)
    return rows


def intersect_links(network: Network) -> list[list[int]]:
    """Return rows with all links on a pair, of either direction, intersected. Self-links are on the diagonal."""
    rows = blank_table(network)
    for source, mask, target in network.constraints:
        rows[source][target] &= mask
        rows[target][source] &= converse(mask)
    return rows


# ----------------------------------------------------------------------------------------------------
# The labels between endpoints that follow from a table of pairs.

LABELS = {LT: "<", LT | EQ: "<=", EQ: "=", GT | EQ: ">=", GT: ">", DIFFERENT: "!=", ANY: "?"}


def point_labels(table: PairTable, *, universal: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield the label of each pair of endpoints once: those of one entity, then across entities in order of mention.

    The projection of the strongest relation is the strongest label: each atom that is possible shows its signs.
    Pairs about which nothing is known have the label ``?`` and are left out unless asked for.
    """
    names = table.entities
    for i, source in enumerate(names):
        yield f"{source}.start", "<", f"{source}.end"
        row = table.rows[i]
        for j in range(i + 1, len(names)):
            signs = iter(signs_of(int(row[j])))
            for left in ("start", "end"):
                for right in ("start", "end"):
                    label = next(signs)
                    if universal or label != ANY:
                        yield f"{source}.{left}", LABELS[label], f"{names[j]}.{right}"
