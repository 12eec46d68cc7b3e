"""Two corpora side by side: documents of one name are brought together while both are being read.

    for pair in (join := Join(gold, system)).pairs(): ...     in the order of gold
    join.left                                                 what has no partner, once all pairs are out

Of both sides only names are looked at here; contents are read by whoever gets the pair. The side is read on that is
less far ahead of the latest pair, so two corpora in the same order, with gaps on either side, wait for each other: what
is kept are the names met, the documents that have no partner yet, and a window of pairs. The further the orders differ,
the more documents wait, up to a whole side.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.pairing import bare_name, pair_up, twice
from temporacle.model import Unreadable
from temporacle.runner.names import Named, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from temporacle.model import Document, Remark

    Found = Document | Unreadable

WINDOW = 500  # pairs that wait for an earlier gold document to find its partner


class Pair(NamedTuple):
    """Two documents of one name; None: there is no such document."""

    gold: Named | None
    system: Named | None

    @property
    def name(self) -> str:
        either = self.gold or self.system
        return "" if either is None else either.name

    @property
    def size(self) -> int:
        return sum(side.size for side in self if side is not None)

    @property
    def carried(self) -> int:
        return sum(side.carried for side in self if side is not None)

    def load(self) -> None:
        """Read the files, so that they travel with the pair."""
        for side in self:
            if side is not None:
                side.load()


class Join:
    """Brings two streams of names together. ``folders``: two single documents are no pair, unless by name."""

    def __init__(self, gold: Iterable[Named], system: Iterable[Named], *, folders: bool = True) -> None:
        self._warnings: list[Remark] = []
        self._gold = _Stream("gold", gold, self._warnings.append)
        self._system = _Stream("system", system, self._warnings.append)
        self._folders = folders
        self._alone: list[Remark] = []  # about what is left

    def pairs(self) -> Iterator[Pair]:
        """Every pair, in the order of gold; but no more than a window of them wait for a partner that is late."""
        ready: list[tuple[int, Pair]] = []
        for found in self._as_they_meet():
            heappush(ready, found)
            while ready and (len(ready) > WINDOW or ready[0][0] < self._gold.first_waiting):
                yield heappop(ready)[1]
        for _, pair in sorted([*ready, *self._among_those_left()], key=_position):
            yield pair

    def _as_they_meet(self) -> Iterator[tuple[int, Pair]]:
        """Pairs with the place of their gold document."""
        gold, system = self._gold, self._system
        while not (gold.ended and system.ended):
            gold_is_next = system.ended or (not gold.ended and gold.ahead <= system.ahead)
            behind, other = (gold, system) if gold_is_next else (system, gold)
            found = behind.next()
            if found is None:
                continue
            position, one = found
            partner = other.waiting.pop(one.name, None)
            if partner is None:
                behind.waiting[one.name] = found
                continue
            behind.latest, other.latest = position, partner[0]
            yield gold.latest, Pair(one, partner[1]) if behind is gold else Pair(partner[1], one)

    def _among_those_left(self) -> list[tuple[int, Pair]]:
        """Documents that are a pair for other reasons than their names. All that is left has to be read for this."""
        golds, systems = self._gold.opened(), self._system.opened()
        is_one_each = len(self._gold.met) == len(self._system.met) == 1
        found = pair_up(golds, systems, folders=self._folders or not is_one_each)
        self._alone = [remark for remark in found.warnings if remark.code.startswith("unpaired")]
        self._warnings += [remark for remark in found.warnings if not remark.code.startswith("unpaired")]
        places = {id(document): place for document, place in zip(golds, self._gold.places(), strict=True)}
        pairs = [
            (places[id(gold)], Pair(named(gold, bare_name), named(system, bare_name))) for gold, system in found.pairs
        ]
        self._gold.keep(found.gold_only)
        self._system.keep(found.system_only)
        return pairs

    def reveal(self, surprises: Iterable[tuple[Pair, Iterable[Found], Iterable[Found]]]) -> list[Pair]:
        """Reading pairs brought other documents to light than their names promised: the pairs among these."""
        for pair, golds, systems in surprises:
            for side, was, documents in ((self._gold, pair.gold, golds), (self._system, pair.system, systems)):
                if was is not None:
                    side.replace(was, documents)
        return [pair for _, pair in sorted(self._among_those_left(), key=_position)]

    @property
    def left(self) -> tuple[list[Named], list[Named]]:
        """What is left on either side, in order."""
        gold, system = ([one for _, one in side.waiting.values()] for side in (self._gold, self._system))
        return gold, system

    @property
    def unreadable(self) -> list[Unreadable]:
        """What is neither in a pair nor left, for its name was met before, and could not have been used anyway."""
        return self._gold.unreadable + self._system.unreadable

    @property
    def warnings(self) -> list[Remark]:
        """What a person should know, once all pairs are out."""
        return self._warnings + self._alone


def _position(found: tuple[int, Pair]) -> int:
    return found[0]


class _Stream:
    """One side: what was met, and what waits for its partner."""

    def __init__(self, name: str, documents: Iterable[Named], warn: Callable[[Remark], None]) -> None:
        self.name = name
        self.met: dict[str, str] = {}  # name -> path
        self.waiting: dict[str, tuple[int, Named]] = {}  # by name: place and document, in order
        self.latest = -1  # the place of the document that found its partner last
        self.ended = False
        self.unreadable: list[Unreadable] = []  # under names that were met before
        self._documents = iter(documents)
        self._warn = warn
        self._read = 0

    @property
    def ahead(self) -> int:
        """How far this side is read beyond the latest pair."""
        return self._read - self.latest - 1

    @property
    def first_waiting(self) -> int:
        return next((position for position, _ in self.waiting.values()), self._read)

    def next(self) -> tuple[int, Named] | None:
        """The next document and its place; None if there is none, or its name was met before."""
        for document in self._documents:
            self._read += 1
            return (self._read - 1, document) if self._is_new(document) else None
        self.ended = True
        return None

    def opened(self) -> list[Found]:
        """Read what waits."""
        for position, was in list(self.waiting.values()):
            self.replace(was, was.documents(), position)
        self.waiting = dict(sorted(self.waiting.items(), key=lambda entry: entry[1][0]))
        return [document for _, one in self.waiting.values() for document in one.documents()]

    def places(self) -> list[int]:
        return [position for position, _ in self.waiting.values()]

    def keep(self, documents: Iterable[Found]) -> None:
        """Only these wait on."""
        names = {bare_name(document.id) for document in documents}
        self.waiting = {name: found for name, found in self.waiting.items() if name in names}

    def replace(self, was: Named, documents: Iterable[Found], position: int | None = None) -> None:
        """Something that was met turns out to be other documents. Without a position they wait behind all others."""
        del self.met[was.name]
        self.waiting.pop(was.name, None)
        for document in (named(each, bare_name) for each in documents):
            if self._is_new(document):
                self.waiting[document.name] = self._read if position is None else position, document

    def _is_new(self, document: Named) -> bool:
        if document.name not in self.met:
            self.met[document.name] = document.path
            return True
        self._warn(twice(self.name, document.name, self.met[document.name]))
        if isinstance(document.content, Unreadable):
            self.unreadable.append(document.content)
        return False
