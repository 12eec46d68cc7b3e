"""Many questions about paths in one large graph of points, in memory that is linear in the graph.

A closure answers every question, but has a row of bits for each point, which is quadratic. Where the questions are
known before, less is enough:

    rank     Points that must be equal share a rank, and no edge leads to a lower one. So a path stays between the
             ranks of its ends.
    equal    Points of one rank that single links make equal: a forest knows since when (``equalpoints``).
    search   Forwards from the source and backwards from the target, for a few edges. This decides nearly all questions
             about usual documents.
    sweep    The questions that are left, some thousand at a time. Each question is a bit that moves along the edges,
             rank by rank.

Edges have an *age*, and a question may be limited to edges below an age. So links that are judged one after the other,
each by those before it, can all be judged at once.

Cost: O(1) for a question that the search decides. The sweep takes O(edges / 64) for each question, so that time is
quadratic at worst, and O(points * batch / 8) bytes at a time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from temporacle.reasoner.equalpoints import EqualPoints
from temporacle.reasoner.pointgraph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget

    Numbers = NDArray[np.int64]

SEARCHED = 96  # edges that a search looks at in each direction; measured: more do not decide many more questions
BATCH = 2048  # questions of a sweep
_NO_BITS: dict[int, int] = {}


class Question(NamedTuple):
    """Whether a path leads from one point to another, with a strict edge if ``strict``, over edges below an age.

    ``indirect``: the edges from the one to the other do not count. For graphs without cycles only.
    """

    source: int
    target: int
    strict: bool
    before: int
    indirect: bool = False


class PointEdges(NamedTuple):
    """Edges between points as columns. Entity i has the points 2i and 2i + 1 and an edge of age -1 between them."""

    sources: Numbers
    targets: Numbers
    strict: Numbers  # 0 or 1
    ages: Numbers

    @classmethod
    def of(cls, entities: int, constraints: Sequence[tuple[int, int, int]]) -> PointEdges:
        """Return the edges of links, whose ages are their places. Links of an entity with itself have none."""
        starts = 2 * np.arange(entities, dtype=np.int64)
        columns = [(starts, starts + 1, np.ones_like(starts), np.full_like(starts, -1))]
        links = np.array(constraints, dtype=np.int64).reshape(-1, 3)
        for mask in np.unique(links[:, 1]).tolist():
            ages = np.flatnonzero((links[:, 1] == mask) & (links[:, 0] != links[:, 2]))
            points = [2 * links[ages, 2 * (corner // 2)] + corner % 2 for corner in range(4)]
            for x, y, strict in hull_edges(mask):
                columns.append((points[x], points[y], np.full_like(ages, strict), ages))
        return cls(*(np.concatenate(column) for column in zip(*columns, strict=True)))


class PathQuestions:
    """Answers questions about paths. ``ranks`` has one number for each point, as described above.

    >>> edges = PointEdges.of(3, [(0, 1, 1), (1, 1, 2)])  # entity 0 before 1 before 2
    >>> paths = PathQuestions(edges, [0, 1, 2, 3, 4, 5])
    >>> paths.answers([Question(0, 5, True, 2), Question(0, 5, True, 1), Question(5, 0, False, 2)])
    [True, False, False]
    """

    def __init__(self, edges: PointEdges, ranks: Sequence[int], budget: Budget | None = None) -> None:
        self.ranks = list(ranks)
        self._budget = budget
        self._after = _Direction.of(edges.sources, edges.targets, edges, self.ranks)
        self._before = _Direction.of(edges.targets, edges.sources, edges, [-rank for rank in self.ranks])
        self._by_rank: tuple[list[int], list[int]] | None = None
        self._equal, self._mixed = self._equalities(edges)

    def _equalities(self, edges: PointEdges) -> tuple[EqualPoints, set[int]]:
        """Return the points that single links make equal, and the ranks whose points are equal for other reasons."""
        ranks = np.array(self.ranks, dtype=np.int64)
        inside = np.flatnonzero(ranks[edges.sources] == ranks[edges.targets])
        inside = inside[np.argsort(edges.ages[inside], kind="stable")]
        triples = list(
            zip(*(column[inside].tolist() for column in (edges.sources, edges.targets, edges.ages)), strict=True)
        )
        known = set(triples)
        both = [(source, target, age) for source, target, age in triples if (target, source, age) in known]
        mixed = {self.ranks[source] for source, target, age in triples if (target, source, age) not in known}
        return EqualPoints(len(self.ranks), both), mixed

    def answers(self, questions: Sequence[Question]) -> list[bool]:
        """Return the answer to each question."""
        return self.all_of([question] for question in questions)

    def all_of(self, groups: Iterable[Iterable[Question]]) -> list[bool]:
        """Return for each group of questions whether the answer to all of them is yes."""
        found: list[bool] = []
        left: list[tuple[Question, int]] = []  # with the number of the group
        for number, group in enumerate(groups):
            if self._budget is not None and not number & 0xFF:
                self._budget.check()
            waiting = []
            for question in group:
                answer = self._searched(question)
                if answer is None:
                    waiting.append((question, number))
                elif not answer:
                    found.append(False)
                    break
            else:
                found.append(True)
                left += waiting
        for number, answer in self._swept(left):
            found[number] = found[number] and answer
        return found

    def _searched(self, question: Question) -> bool | None:
        """Return the answer; None if the search ended before it was found."""
        source, target, strict, before, indirect = question
        if source == target:
            return not strict
        if self.ranks[source] > self.ranks[target] - strict:
            return False
        if self.ranks[source] == self.ranks[target]:
            since = self._equal.since(source, target)
            if since is not None and since < before:
                return True
            if self.ranks[source] not in self._mixed:
                return False
        reached = self._after.search(question)
        if isinstance(reached, bool):
            return reached
        back = self._before.search(Question(target, source, strict, before, indirect), reached)
        return back if isinstance(back, bool) else None

    # --- the sweep --------------------------------------------------------------------------------------------------

    def _swept(self, questions: list[tuple[Question, int]]) -> Iterator[tuple[int, bool]]:
        """Yield the answers to questions, each with the number that came with it."""
        # An edge lets the questions pass that ask about its age: with this order, they are the lowest bits.
        questions.sort(key=lambda each: (-each[0].before, self.ranks[each[0].source]))
        for first in range(0, len(questions), BATCH):
            batch = questions[first : first + BATCH]
            answers = self._sweep([question for question, _ in batch])
            yield from zip(map(itemgetter(1), batch), answers, strict=True)

    def _sweep(self, batch: Sequence[Question]) -> list[bool]:
        points, places = self._points_by_rank()
        ranks, (starts, codes, ages, _) = self.ranks, self._after
        youngest, oldest = batch[0].before, batch[-1].before
        limits = [-question.before for question in batch]
        reached: dict[int, int] = {}  # by point, the questions that reach it
        surely: dict[int, int] = {}  # and those that do so by a path with a strict edge
        asked: dict[int, list[int]] = {}
        direct: dict[int, dict[int, int]] = {}  # the questions that may not go from a point to another at once
        for number, question in enumerate(batch):
            if question.indirect:
                barred = direct.setdefault(question.source, {})
                barred[question.target] = barred.get(question.target, 0) | 1 << number
            reached[question.source] = reached.get(question.source, 0) | 1 << number
            asked.setdefault(question.target, []).append(number)
        found = [False] * len(batch)
        open_bits = (1 << len(batch)) - 1
        first, last = (pick(ranks[each[end]] for each in batch) for pick, end in ((min, 0), (max, 1)))
        for rank in range(first, last + 1):
            members = points[places[rank] : places[rank + 1]]
            waiting = [point for point in members if point in reached]
            if not rank & 0xFFF and self._budget is not None:
                self._budget.check()
            while waiting:  # equal points lead to each other: until nothing changes
                point = waiting.pop()
                all_bits, strict_bits = reached[point] & open_bits, surely.get(point, 0) & open_bits
                if not all_bits:
                    continue
                barred = direct.get(point, _NO_BITS)
                for place in range(starts[point], starts[point + 1]):
                    age = ages[place]
                    if age >= youngest:
                        break
                    code = codes[place]
                    other = code >> 1
                    sent, strictly = all_bits, all_bits if code & 1 else strict_bits
                    if age >= oldest:
                        passing = (1 << bisect_left(limits, -age)) - 1
                        sent &= passing
                        strictly &= passing
                    if other in barred:
                        sent &= ~barred[other]
                        strictly &= ~barred[other]
                    old = reached.get(other, 0), surely.get(other, 0)
                    new = old[0] | sent, old[1] | strictly
                    if new != old:
                        reached[other], surely[other] = new
                        if ranks[other] == rank:
                            waiting.append(other)
            for point in members:
                all_bits, strict_bits = reached.pop(point, 0), surely.pop(point, 0)
                for number in asked.get(point, ()):
                    bits = strict_bits if batch[number].strict else all_bits
                    found[number] = bool(bits >> number & 1)
                    open_bits &= ~(1 << number)
        return found

    def _points_by_rank(self) -> tuple[list[int], list[int]]:
        """Return the points in the order of their ranks, and where each rank begins there."""
        if self._by_rank is None:
            ranks = np.array(self.ranks, dtype=np.int64)
            counts = np.bincount(ranks) if len(ranks) else np.zeros(0, dtype=np.int64)
            self._by_rank = np.argsort(ranks, kind="stable").tolist(), [0, *np.cumsum(counts).tolist()]
        return self._by_rank


class _Direction(NamedTuple):
    """The edges from each point, the oldest first. A neighbour y is stored as 2y, or 2y + 1 if the edge is strict."""

    starts: array[int]  # arrays take a quarter of the memory of lists
    codes: array[int]
    ages: array[int]
    ranks: list[int]

    @classmethod
    def of(cls, own: Numbers, others: Numbers, edges: PointEdges, ranks: list[int]) -> _Direction:
        order = np.lexsort((edges.ages, own))
        starts = np.searchsorted(own[order], np.arange(len(ranks) + 1))
        codes = 2 * others[order] + edges.strict[order]
        return cls(_as_array(starts), _as_array(codes), _as_array(edges.ages[order]), ranks)

    def search(self, question: Question, others: set[int] | None = None) -> bool | set[int]:
        """Return whether there is a path, or what was reached before the search gave up.

        What is reached is a set of 2y, and 2y + 1 by a strict path. ``others``: what the search from the target
        reached.
        """
        source, target, strict, before, indirect = question
        starts, codes, ages, ranks = self
        limit = ranks[target]
        left = SEARCHED
        met = others or ()
        seen = {2 * source}
        waiting = [2 * source]
        cut = False
        while waiting:
            state = waiting.pop()
            point, surely = state >> 1, state & 1
            first, last = starts[point], starts[point + 1]
            if last - first > left:
                cut, last = True, first + left
            left -= last - first
            for place in range(first, last):
                if ages[place] >= before:
                    break
                code = codes[place] | surely
                if code in seen or code | 1 in seen:
                    continue
                other = code >> 1
                if ranks[other] > limit:
                    continue
                if other == target:
                    if indirect and point == source:
                        continue
                    if code & 1 or not strict:
                        return True
                if code | 1 in met or (code ^ (code & 1) in met and (code & 1 or not strict)):
                    return True
                seen.add(code)
                waiting.append(code)
        return seen if cut else False


def _as_array(numbers: Numbers) -> array[int]:
    """Return the same numbers where reading one of them is quick."""
    return array("q", numbers.astype(np.int64).tobytes())
