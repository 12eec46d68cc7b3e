"""Transitive-reduction recall and precision (Tannier & Muller 2011).

Both graphs are closed on endpoints and reduced (``reasoner.reduction``): equal points are merged into nodes, *major*
edges are the non-trivial edges of the reduction, *minor* edges the other non-trivial edges of the closure.

    node value = number of points - number of nodes            value v = node value + number of major edges
    splits  = over nodes of the key:    (parts the answer cuts it into) - 1
    merges  = over nodes of the answer: (parts the key cuts it into) - 1
    misses  = major edges of the key not found in the answer's closure
    errors  = major edges of the answer not found in the key's closure
    R_major = (v(K) - misses - splits) / v(K)
    r_minor = minor edges of the key found among the answer's major edges / minor edges of the key
    TR = R_major + r_minor / v(K)          TP = (v(G) - merges - errors) / v(G)

*Found*: the label, exactly, holds for at least one pair of points taken from the two nodes. *Relaxed*: found is worth
1/2 where the labels differ but can both be true (``<=`` against ``<``, ``=`` or ``>=``), the best pair counting; and a
split or merge costs 1/2 instead of 1 where the other side says ``<=`` or ``>=`` between two parts, which are joined at
least cost. Minor recall is always strict.

An entity that only one side mentions is there on the other side too, unrelated to anything. The order of links changes
nothing unless links contradict each other. If a disjunction leaves two points ``!=``, there is no edge, and a warning
says that the metric ignores this information.

Large documents without disjunctions are compared without their closures (``points.large_reduction``), in memory that is
linear in the links. Only counting the minor edges takes O(n^2 / 64) steps at worst.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, TypeAlias, Union

from temporacle.model import Remark
from temporacle.reasoner.network import Budget
from temporacle.reasoner.points.minimal_graph import Reduction, reduction_of
from temporacle.results import Counts, Exact, ratio
from temporacle.scoring.metric import Judgement, Metric, PairOptions
from temporacle.scoring.side import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.model import Document
    from temporacle.reasoner.points.large_reduction import SparseReduction
    from temporacle.reasoner.points.minimal_graph import NodeEdge

Graph: TypeAlias = Union[Reduction, "SparseReduction"]

_HALF = Fraction(1, 2)
# Labels that differ, but have an order of the two points in common (table 3 of the paper).
_COMPATIBLE = {frozenset(pair) for pair in (("<=", "<"), ("<=", "="), ("<=", ">="), (">=", ">"), (">=", "="))}


@dataclass(frozen=True, slots=True)
class ReductionCounts(Counts):
    """The terms of the definition."""

    v_key: int = 0
    v_answer: int = 0
    v_correct: Exact = 0
    misses: Exact = 0
    errors: Exact = 0
    splits: Exact = 0
    merges: Exact = 0
    minor_found: int = 0
    minor_total: int = 0

    _FIGURED = (
        ("v_correct", "v_answer"),
        ("v_key", "misses", "splits", "minor_found", "minor_total"),
    )

    def major_recall(self, empty: int) -> Fraction:
        return ratio(self.v_key - self.misses - self.splits, self.v_key, empty)

    def minor_recall(self) -> Fraction:
        """Return the minor recall; 0 if there are no minor edges, because then nothing can be added to major recall."""
        return ratio(self.minor_found, self.minor_total, 0)

    def gold_size(self) -> int:
        return self.v_key

    def system_size(self) -> int:
        return self.v_answer

    def recall(self, empty: int) -> Fraction:
        return self.major_recall(empty) + ratio(self.minor_recall(), self.v_key, 0)

    def precision(self, empty: int) -> Fraction:
        return ratio(self.v_correct, self.v_answer, empty)

    def derived(self, empty: int) -> dict[str, Fraction]:
        return {"major_recall": self.major_recall(empty), "minor_recall": self.minor_recall()}


def judge(gold: Document, system: Document, options: PairOptions) -> Judgement:
    """Return reduction scores of one pair of documents."""
    budget = Budget.of_document(options.budget)
    key, answer = (Side(side, budget, options.contradictions, engine=options.engine.value) for side in (gold, system))
    reductions = [_reduced(own, other.network.entities, budget) for own, other in ((key, answer), (answer, key))]
    warnings = tuple(
        Remark("endpoints-differ", f"{side}: {_only_differ(reduction.different)}; this metric ignores them")
        for side, reduction in zip(("gold", "system"), reductions, strict=True)
        if reduction.different
    )
    return Judgement(compare(*reductions, relaxed=options.relaxed), warnings=warnings)


def _reduced(side: Side, others: Iterable[str], budget: Budget) -> Graph:
    """Return the minimal graph of one side, over its own entities and those of the other side."""
    if side.is_large:
        from temporacle.reasoner.points.large_reduction import SparseReduction

        return SparseReduction(side.kept_network(others), budget)
    return reduction_of(side.closed(others))


def _only_differ(count: int) -> str:
    pairs = "1 pair of endpoints is" if count == 1 else f"{count} pairs of endpoints are"
    return f"{pairs} only known to differ"


def compare(key: Graph, answer: Graph, *, relaxed: bool = False) -> ReductionCounts:
    """Return the counts of two reductions over the same endpoints."""
    for own, other in ((key, answer), (answer, key)):
        own.ask(_asked(own, other, relaxed=relaxed))
    v_key, v_answer = value(key), value(answer)
    misses, errors = not_found(key, answer, relaxed=relaxed), not_found(answer, key, relaxed=relaxed)
    splits, merges = cuts(key, answer, relaxed=relaxed), cuts(answer, key, relaxed=relaxed)
    minor_total = key.count_edges() - len(key.trivial_pairs()) - len(key.major)
    return ReductionCounts(
        v_key=v_key,
        v_answer=v_answer,
        v_correct=v_answer - merges - errors,
        misses=misses,
        errors=errors,
        splits=splits,
        merges=merges,
        minor_found=len(set(minor_found(key, answer))),
        minor_total=minor_total,
    )


def _asked(own: Graph, other: Graph, *, relaxed: bool) -> Iterator[tuple[int, int]]:
    """Yield the pairs of nodes of one side whose labels the comparison with the other side needs."""
    for edge in other.major:
        yield from product(
            {own.node_of[point] for point in other.nodes[edge.source]},
            {own.node_of[point] for point in other.nodes[edge.target]},
        )
    if relaxed:
        for node in other.nodes:
            yield from combinations({own.node_of[point] for point in node}, 2)


def value(graph: Graph) -> int:
    """Return the equalities and major edges."""
    return 2 * len(graph.entities) - len(graph.nodes) + len(graph.major)


def not_found(own: Graph, other: Graph, *, relaxed: bool) -> Fraction:
    """Return major edges of one side that the closure of the other does not have."""
    return sum((1 - _credit(own, other, edge, relaxed=relaxed) for edge in own.major), Fraction(0))


def _credit(own: Graph, other: Graph, edge: NodeEdge, *, relaxed: bool) -> Fraction:
    """Return the value of finding an edge. The best pair of points counts."""
    sources = {other.node_of[point] for point in own.nodes[edge.source]}
    targets = {other.node_of[point] for point in own.nodes[edge.target]}
    labels = {other.label(source, target) for source in sources for target in targets}
    if edge.label in labels:
        return Fraction(1)
    return _HALF if relaxed and any(frozenset((edge.label, label)) in _COMPATIBLE for label in labels) else Fraction(0)


def minor_found(key: Graph, answer: Graph) -> Iterator[tuple[int, int]]:
    """Yield minor edges of the key, as pairs of nodes, that are major edges of the answer with the same label."""
    major = {(edge.source, edge.target) for edge in key.major}
    excluded = major | key.trivial_pairs()
    for edge in answer.major:
        for x in answer.nodes[edge.source]:
            for y in answer.nodes[edge.target]:
                source, target = key.node_of[x], key.node_of[y]
                if (source, target) not in excluded and source != target and key.label(source, target) == edge.label:
                    yield source, target


def cuts(own: Graph, other: Graph, *, relaxed: bool) -> Fraction:
    """Return the cost of building the nodes of one side from the parts into which the other side cuts them."""
    cost = Fraction(0)
    for node in own.nodes:
        parts = sorted({other.node_of[point] for point in node})
        cost += len(parts) - 1
        if relaxed and len(parts) > 1:
            cost -= _HALF * (len(parts) - _clusters(parts, other))
    return cost


def _clusters(parts: list[int], graph: Graph) -> int:
    """Return the number of groups after joining all parts that may be equal (``<=``), which are cheap to join."""
    group = {part: part for part in parts}

    def head(part: int) -> int:
        while group[part] != part:
            part = group[part]
        return part

    for position, first in enumerate(parts):
        for second in parts[position + 1 :]:
            if graph.label(first, second) in {"<=", ">="}:
                group[head(first)] = head(second)
    return len({head(part) for part in parts})


METRIC = Metric(
    "reduction",
    "transitive reduction of the endpoint graphs (Tannier & Muller 2011)",
    judge,
    PairOptions,
    ReductionCounts,
)
