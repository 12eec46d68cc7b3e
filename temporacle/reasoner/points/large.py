"""The links of a large document without disjunctions, judged one after the other, without a closure.

What ``growing`` answers question by question, this answers for many questions at once (``linkgraph``). First the links
that contradict earlier ones are found (``growing``). Each of the others is entailed or open. A link that is entailed
adds nothing, so a link is entailed by the *kept* links before it just if all links before it that are not refused
entail it. That is a question about paths, which does not depend on any other answer (``PathQuestions``).

A convex relation is entailed if each of its edges is: ``x <= y`` by a path, ``x < y`` by a path with a strict edge.

Memory is linear in the links; time is linear in them as long as short searches decide.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from contextlib import suppress
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ANY, CROSS_PAIRS, EQ, GT, LT, RelationClass, classify, mask_of
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.points.graph import edges_between, hull_edges, model_of
from temporacle.reasoner.points.growing import refused_links
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.points.searched_rows import SearchedRows, is_sparse
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.points.graph import Closure, PointGraph

    Constraint = tuple[int, int, int]  # source, mask, target
    Numbers = NDArray[np.int64]
    Numbered = tuple[int, tuple[int, int, int]]  # the number of a link, and its source, mask and target


MANY_QUESTIONS = 1_000  # about single pairs; closing costs about as much as so many searches


class LargeGraph:
    """Some links of a large document, and exact answers about them, without a closure. All links must be convex.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> network = Network.of([("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c"), ("c", "BEFORE", "a")])
    >>> graph = LargeGraph(network, Budget())
    >>> [verdict.value for verdict in graph.walk([0, 1, 2, 3])]
    ['open', 'open', 'entailed', 'refuted']
    >>> graph.entails_each([(0, 1, 2), (2, 1, 1)])
    [True, False]
    """

    def __init__(self, network: Network, budget: Budget) -> None:
        self.network, self.budget = network, budget
        self._inside: list[Constraint] = []
        self._paths: PathQuestions | None = None
        self._closure: Closure | None = None
        self._asked = 0

    @classmethod
    def of_all(cls, network: Network, budget: Budget) -> Self:
        """Return the graph with all links inside. Raise Contradiction if they contradict each other."""
        graph = cls(network, budget)
        graph._inside = network.constraints
        graph._paths = graph._find_paths()
        return graph

    def walk(self, positions: Sequence[int]) -> list[Verdict]:
        """Put links in, in this order, unless they contradict those before them.

        Return the verdict of the links before it about each. Links can be put in once.
        """
        constraints = self.network.constraints
        refused = refused_links(constraints, positions, self.budget)
        self._inside = [constraints[position] for position in positions if position not in refused]
        entailed = iter(self._all_of(self._inside, range(len(self._inside))))
        return [
            Verdict.REFUTED if position in refused else Verdict.ENTAILED if next(entailed) else Verdict.OPEN
            for position in positions
        ]

    def entails_each(self, constraints: Sequence[Constraint]) -> list[bool]:
        """Return which of these the links inside entail."""
        everything = len(self._inside)
        plain = [classify(mask) is RelationClass.CONVEX for _, mask, _ in constraints]
        by_edges = [each for each, is_plain in zip(constraints, plain, strict=True) if is_plain]
        others = [each for each, is_plain in zip(constraints, plain, strict=True) if not is_plain]
        answers = iter(self._all_of(by_edges, [everything] * len(by_edges)))
        strongest = iter(self.strongest_each([(source, target) for source, _, target in others]))
        return [
            next(answers) if is_plain else not next(strongest) & ~mask
            for (_, mask, _), is_plain in zip(constraints, plain, strict=True)
        ]

    def strongest_each(self, pairs: Sequence[tuple[int, int]], *, searched: int | None = None) -> list[int]:
        """Return the strongest relation that follows for each pair of entities. ``searched``: see ``PathQuestions``."""
        questions = [
            PathQuestion(*ends, strict, len(self._inside))
            for source, target in pairs
            for ends in self._in_order(source, target)
            for strict in (False, True)
        ]
        answers = iter(self.paths.answers(questions, searched))
        found = []
        for source, target in pairs:
            signs = []
            for (x, y), (first, _) in zip(_points(source, target), self._in_order(source, target), strict=True):
                is_ordered, is_strict = next(answers), next(answers)
                if self.paths.ranks[x] == self.paths.ranks[y]:
                    signs.append(EQ)
                elif is_ordered:
                    signs.append((LT if x == first else GT) | (0 if is_strict else EQ))
                else:
                    signs.append(ANY)
            found.append(mask_of((signs[0], signs[1], signs[2], signs[3])))
        return found

    @property
    def paths(self) -> PathQuestions:
        """Return the paths of all links that are inside."""
        if self._paths is None:
            self._paths = self._find_paths()
        return self._paths

    def _find_paths(self) -> PathQuestions:
        ranks = model_of(self._graph().condense())
        return PathQuestions(PointEdges.of(len(self.network.entities), self._inside), ranks, self.budget)

    def _graph(self) -> PointGraph:
        self.budget.check()
        return graph_of(len(self.network.entities), self._inside)

    # --- one question at a time: what ``judged.Decider`` asks for -----------------------------------------------------

    def model(self) -> list[int]:
        """Return integer times for all points."""
        return self.paths.ranks

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that can hold between two entities."""
        return self.relation(source, target) & within

    def relation(self, source: int, target: int) -> int:
        """Return the strongest relation of a pair. After many questions the graph is closed, if it is not too large."""
        self.budget.check()
        self._asked += 1
        if self._asked == MANY_QUESTIONS and self._closure is None:
            with suppress(BudgetExceeded):  # too large; if the time is over, the search says so
                self._closure = self._graph().close(self.budget)
        if self._closure is not None:
            return self._closure.relation(source, target)
        return self.strongest_each([(source, target)], searched=2 * len(self.paths.ranks) + 4 * len(self._inside))[0]

    def table(self) -> Sequence[Sequence[int]]:
        """Return the strongest relation of every pair, row by row if the graph is sparse.

        Raise BudgetExceeded if it is dense and too large to be closed.
        """
        if self._closure is None:
            graph = self._graph()
            if is_sparse(graph):
                return SearchedRows(graph, graph.condense(), self.budget)
            self._closure = graph.close(self.budget)
        return self._closure.table()

    def some_rows(self) -> Sequence[Sequence[int]]:
        """Return the table to be listed as far as the time goes: row by row if half of the time is not enough for all.

        A row takes a hundredth of the time of the whole table, or less, so the first rows are there at once.
        """
        left = self.budget.remaining()
        try:
            with self.budget.at_most(None if left is None else left / 2):
                return self.table()
        except TooLarge:
            raise
        except BudgetExceeded:
            graph = self._graph()
            return SearchedRows(graph, graph.condense(), self.budget)

    def _all_of(self, constraints: Sequence[Constraint], ages: Sequence[int]) -> list[bool]:
        """Return which convex relations are entailed by the links below an age."""
        asked = zip(constraints, ages, strict=True)
        return self.paths.all_of(_edge_questions(constraint, age) for constraint, age in asked)

    def _in_order(self, source: int, target: int) -> Iterator[tuple[int, int]]:
        """Yield the four pairs of their points, the point that may be earlier first."""
        ranks = self.paths.ranks
        for x, y in _points(source, target):
            yield (x, y) if ranks[x] <= ranks[y] else (y, x)


def _points(source: int, target: int) -> Iterator[tuple[int, int]]:
    points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
    return ((points[x], points[y]) for x, y in CROSS_PAIRS)


def _edge_questions(constraint: Constraint, before: int) -> Iterator[PathQuestion]:
    return (PathQuestion(x, y, strict, before) for x, y, strict in edges_between(*constraint))


# ----------------------------------------------------------------------------------------------------
# Many questions about paths in one large graph of points, in memory that is linear in the graph.
#
# A closure answers every question, but has a row of bits for each point, which is quadratic. Where the questions are
# known before, less is enough:
#
#     rank     Points that must be equal share a rank, and no edge leads to a lower one. So a path stays between the
#              ranks of its ends.
#     equal    Points of one rank that single links make equal: a forest knows since when (``EqualPoints``).
#     search   Forwards from the source and backwards from the target, for a few edges. This decides nearly all
#     questions
#              about usual documents.
#     sweep    The questions that are left, some thousand at a time. Each question is a bit that moves along the
#     edges,
#              rank by rank.
#
# Edges have an *age*, and a question may be limited to edges below an age. So links that are judged one after the
# other, each by those before it, can all be judged at once.
#
# Cost: O(1) for a question that the search decides. The sweep takes O(edges / 64) for each question, so that time is
# quadratic at worst, and O(points * batch / 8) bytes at a time.

SEARCHED = 96  # edges that a search looks at in each direction; measured: more do not decide many more questions
BATCH = 2048  # questions of a sweep
_NO_BITS: dict[int, int] = {}


class PathQuestion(NamedTuple):
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
    >>> paths.answers([PathQuestion(0, 5, True, 2), PathQuestion(0, 5, True, 1), PathQuestion(5, 0, False, 2)])
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

    def answers(self, questions: Sequence[PathQuestion], searched: int | None = None) -> list[bool]:
        """Return the answer to each question.

        ``searched``: how many edges a search may look at, for few questions that no sweep is to answer.
        """
        return self.all_of(([question] for question in questions), searched)

    def all_of(self, groups: Iterable[Iterable[PathQuestion]], searched: int | None = None) -> list[bool]:
        """Return for each group of questions whether the answer to all of them is yes."""
        most = SEARCHED if searched is None else searched
        found: list[bool] = []
        left: list[tuple[PathQuestion, int]] = []  # with the number of the group
        for number, group in enumerate(groups):
            if self._budget is not None and not number & 0xFF:
                self._budget.check()
            waiting = []
            for question in group:
                answer = self._searched(question, most)
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

    def _searched(self, question: PathQuestion, most: int) -> bool | None:
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
        reached = self._after.search(question, most)
        if isinstance(reached, bool):
            return reached
        back = self._before.search(PathQuestion(target, source, strict, before, indirect), most, reached)
        return back if isinstance(back, bool) else None

    # --- the sweep --------------------------------------------------------------------------------------------------

    def _swept(self, questions: list[tuple[PathQuestion, int]]) -> Iterator[tuple[int, bool]]:
        """Yield the answers to questions, each with the number that came with it."""
        # An edge lets the questions pass that ask about its age: with this order, they are the lowest bits.
        questions.sort(key=lambda each: (-each[0].before, self.ranks[each[0].source]))
        for first in range(0, len(questions), BATCH):
            batch = questions[first : first + BATCH]
            answers = self._sweep([question for question, _ in batch])
            yield from zip(map(itemgetter(1), batch), answers, strict=True)

    def _sweep(self, batch: Sequence[PathQuestion]) -> list[bool]:
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

    def search(self, question: PathQuestion, most: int, others: set[int] | None = None) -> bool | set[int]:
        """Return whether there is a path, or what was reached before the search gave up.

        What is reached is a set of 2y, and 2y + 1 by a strict path. ``others``: what the search from the target
        reached.
        """
        source, target, strict, before, indirect = question
        starts, codes, ages, ranks = self
        limit = ranks[target]
        left = most
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
    """Return numbers in a form in which reading one of them is quick."""
    return array("q", numbers.astype(np.int64).tobytes())


# ----------------------------------------------------------------------------------------------------
# Since when two points are equal: a forest of points that links make equal one after the other.
#
# Two trees become one when a link makes points of them equal; the smaller one is hung into the larger one, with the age
# of the link. Paths stay shorter than log2(n), because nothing is ever rearranged, and ages grow towards the root. So
# two points are equal since the largest age on the path between them.


_NEVER = 1 << 62


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
