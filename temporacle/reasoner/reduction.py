"""The minimal graph of a document: labelled transitive reduction of its closed endpoint graph.

After Tannier and Muller (2011), Algorithm 2:

    1  label every pair of endpoints ``<``, ``<=``, ``=`` or nothing, as the closure entails
    2  merge endpoints that are ``=`` into nodes; ``<`` and ``<=`` are the edges of a graph without cycles
    3  drop an edge (x, z) if for some node y the labels of (x, y) and (y, z) compose to the label of (x, z):
       ``<`` if either is ``<``, else ``<=``
    4  an edge is *trivial* if its nodes hold the two endpoints of one entity

*Major* edges are the other edges of the reduction, *minor* ones the other edges of the closure. Labels are compared
in step 3, so x <= y, y <= z, x < z loses nothing. Nodes and edges of the reduction say all that the closure says,
except where a disjunction leaves two endpoints ``!=``: that is no edge, and ``different`` counts such pairs.

Nodes are numbered in time order, so all edges lead to higher numbers, and a node's edges are searched nearest first: an
edge that is already implied can imply nothing new. O(E N / 64) for E edges in the reduction of N nodes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ALL, DIFFERENT, EQ, GT, LT, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.reasoner.network import PairTable


class NodeEdge(NamedTuple):
    """``source < target`` or ``source <= target`` between nodes, by number."""

    source: int
    label: str
    target: int


@dataclass(frozen=True, slots=True)
class Reduction:
    """The minimal graph: ``nodes`` with ``major`` and ``trivial`` edges; ``minor`` lists what they imply."""

    nodes: tuple[tuple[str, ...], ...]  # endpoints such as "e1.start", in order of mention
    node_of: Mapping[str, int]
    reach: tuple[int, ...]  # per node, the other nodes that are not earlier, as a bit set
    strict: tuple[int, ...]  # per node, the nodes that are later
    major: tuple[NodeEdge, ...]
    trivial: tuple[NodeEdge, ...]  # those of the reduction
    entities: tuple[str, ...]
    different: int  # pairs of endpoints known to differ and no more

    def label(self, source: int, target: int) -> str | None:
        """What the closure says between two nodes: ``<``, ``<=``, ``=``, or the same turned round; None: nothing."""
        if source == target:
            return "="
        if source > target:
            label = self.label(target, source)
            return None if label is None else label.replace("<", ">")
        if not self.reach[source] >> target & 1:
            return None
        return "<" if self.strict[source] >> target & 1 else "<="

    def edges(self) -> Iterator[NodeEdge]:
        """All edges of the closure."""
        for source, (reached, strictly) in enumerate(zip(self.reach, self.strict, strict=True)):
            for target in _members(reached):
                yield NodeEdge(source, "<" if strictly >> target & 1 else "<=", target)

    def trivial_pairs(self) -> set[tuple[int, int]]:
        """The nodes of start and end of every entity."""
        return {(self.node_of[f"{name}.start"], self.node_of[f"{name}.end"]) for name in self.entities}

    def minor(self) -> Iterator[NodeEdge]:
        """Non-trivial edges of the closure that the reduction leaves out; there can be quadratically many."""
        kept = set(self.major)
        trivial = self.trivial_pairs()
        for edge in self.edges():
            if edge not in kept and (edge.source, edge.target) not in trivial:
                yield edge


def reduction_of(table: PairTable) -> Reduction:
    """The minimal graph of a closed document.

    >>> from temporacle.reasoner.oracle import Oracle
    >>> oracle = Oracle([("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")])
    >>> reduced = reduction_of(oracle.minimal_network())
    >>> reduced.nodes
    (('a.start',), ('a.end', 'b.start'), ('b.end',), ('c.start',), ('c.end',))
    >>> reduced.major
    (NodeEdge(source=2, label='<', target=3),)
    """
    rows = _point_rows(table)
    names = tuple(f"{name}.{end}" for name in table.entities for end in ("start", "end"))
    first_of = [(row.equal & -row.equal).bit_length() - 1 for row in rows]
    # x <= y and not y <= x: x reaches strictly more points than y, so this is an order in time.
    order = sorted(
        (point for point, first in enumerate(first_of) if point == first),
        key=lambda point: (-rows[point].reach.bit_count(), point),
    )
    number = {point: position for position, point in enumerate(order)}
    node_of_point = [number[first] for first in first_of]
    members: list[list[str]] = [[] for _ in order]
    for name, node in zip(names, node_of_point, strict=True):
        members[node].append(name)
    reach = _renumbered((rows[point].reach & ~rows[point].equal for point in order), order, len(names))
    strict = _renumbered((rows[point].strict for point in order), order, len(names))
    trivial = set(zip(node_of_point[0::2], node_of_point[1::2], strict=True))
    kept = [edge for node in range(len(order)) for edge in _kept_edges(node, reach, strict)]
    return Reduction(
        nodes=tuple(map(tuple, members)),
        node_of=dict(zip(names, node_of_point, strict=True)),
        reach=reach,
        strict=strict,
        major=tuple(edge for edge in kept if (edge.source, edge.target) not in trivial),
        trivial=tuple(edge for edge in kept if (edge.source, edge.target) in trivial),
        entities=table.entities,
        different=_differences(table),
    )


def _kept_edges(node: int, reach: Sequence[int], strict: Sequence[int]) -> Iterator[NodeEdge]:
    """The edges of a node that no other node implies, nearest first."""
    surely, left = strict[node], reach[node]
    implied = 0  # edges found to be compositions, with their own label
    while left:
        other = (left & -left).bit_length() - 1
        strictly = surely >> other & 1
        yield NodeEdge(node, "<" if strictly else "<=", other)
        # Through ``other``: a strict edge if one of the two is strict; a weak edge can only be made of weak ones.
        implied |= surely & (reach[other] if strictly else strict[other]) | reach[other] & ~surely
        left &= ~(implied | 1 << other)


class _PointRow(NamedTuple):
    """The endpoints that are not earlier than one, later, and equal to it, as bit sets."""

    reach: int
    strict: int
    equal: int


@cache
def _bit_texts() -> tuple[tuple[tuple[str, ...], ...], ...]:
    """For start and end of a source and for reach, strict, equal: the two bits of a target's end and start, by mask."""
    tests = (lambda sign: not sign & GT, lambda sign: sign == LT, lambda sign: sign == EQ)
    masks = [signs_of(mask) for mask in range(ALL + 1)]
    return tuple(
        tuple(tuple("01"[test(signs[end + 1])] + "01"[test(signs[end])] for signs in masks) for test in tests)
        for end in (0, 2)
    )


def _point_rows(table: PairTable) -> list[_PointRow]:
    """What the table says about every endpoint. Text is the fastest way from many bits to an int."""
    rows: list[_PointRow] = []
    for row in table.rows:
        masks = [int(mask) for mask in reversed(row)]
        rows += [
            _PointRow(*(int("".join(map(text.__getitem__, masks)), 2) for text in texts)) for texts in _bit_texts()
        ]
    return rows


def _renumbered(rows: Iterator[int], order: Sequence[int], size: int) -> tuple[int, ...]:
    """Bit sets of points as bit sets of nodes."""
    if len(order) < 2:
        return tuple(0 for _ in rows)
    pick = itemgetter(*(size - 1 - point for point in reversed(order)))  # texts have the highest bit first
    return tuple(int("".join(pick(format(row, f"0{size}b"))), 2) for row in rows)


def _differences(table: PairTable) -> int:
    """How many pairs of endpoints are ``!=``."""
    masks: Counter[int] = Counter()
    for i, row in enumerate(table.rows):
        masks.update(int(mask) for mask in row[i + 1 :])
    return sum(signs_of(mask).count(DIFFERENT) * count for mask, count in masks.items())


def _members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
