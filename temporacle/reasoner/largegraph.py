"""The links of a large document without disjunctions, judged one after the other, without a closure.

What ``growing`` answers question by question, this answers for many questions at once (``linkgraphs``). First the links
that contradict earlier ones are found (``refused``). Each of the others is entailed or open. A link that is entailed
adds nothing, so a link is entailed by the *kept* links before it just if all links before it that are not refused
entail it. That is a question about paths, which does not depend on any other answer (``pathquestions``).

A convex relation is entailed if each of its edges is: ``x <= y`` by a path, ``x < y`` by a path with a strict edge.

Memory is linear in the links; time is linear in them as long as short searches decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ANY, CROSS_PAIRS, EQ, GT, LT, RelationClass, classify, mask_of
from temporacle.reasoner.pathquestions import PathQuestions, PointEdges, Question
from temporacle.reasoner.pointgraph import PointGraph, hull_edges, model_of
from temporacle.reasoner.refused import refused_links
from temporacle.results import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.reasoner.network import Budget, Network

    Constraint = tuple[int, int, int]  # source, mask, target


class LargeGraph:
    """Some links of a document, and exact answers to many questions about them. All links must be convex.

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

    def strongest_each(self, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """Return the strongest relation that follows for each pair of entities."""
        questions = [
            Question(*ends, strict, len(self._inside))
            for source, target in pairs
            for ends in self._in_order(source, target)
            for strict in (False, True)
        ]
        answers = iter(self.paths.answers(questions))
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
            size = len(self.network.entities)
            graph = PointGraph(size)
            graph.add_all(self._inside)
            self._paths = PathQuestions(PointEdges.of(size, self._inside), model_of(graph.condense()), self.budget)
        return self._paths

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


def _edge_questions(constraint: Constraint, before: int) -> Iterator[Question]:
    source, mask, target = constraint
    points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
    for x, y, strict in hull_edges(mask):
        yield Question(points[x], points[y], strict, before)
