"""The minimal graph of a document: labelled transitive reduction of its closed endpoint graph.

After Tannier and Muller (2011), Algorithm 2:

    1  label every pair of endpoints ``<``, ``<=``, ``=`` or nothing, as the closure entails
    2  merge endpoints that are ``=`` into nodes; ``<`` and ``<=`` are the edges of a graph without cycles
    3  drop an edge (x, z) if for some node y the labels of (x, y) and (y, z) compose to the label of (x, z):
       ``<`` if either is ``<``, else ``<=``
    4  an edge is *trivial* if its nodes hold the two endpoints of one entity

*Major* edges are the other edges of the reduction, *minor* ones the other edges of the closure. Labels are compared
in step 3, so x <= y, y <= z, x < z loses nothing. Nodes and edges of the reduction say all that the closure says,
except where a disjunction leaves two endpoints ``!=``: that is not an edge, and ``different`` counts such pairs.

Nodes are numbered in time order, so all edges lead to higher numbers, and a node's edges are searched nearest first: an
edge that is already implied can imply nothing new. O(E N / 64) for E edges in the reduction of N nodes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.reasoner.algebra import ALL, DIFFERENT, EQ, GT, LT, signs_of
from temporacle.reasoner.algebra import bits as positions
from temporacle.reasoner.network import Budget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.reasoner.network import PairTable

_BLOCK = 256  # rows of a matrix that are worked on at a time


class NodeEdge(NamedTuple):
    """``source < target`` or ``source <= target`` between nodes, by number."""

    source: int
    label: str
    target: int


class ReducedGraph:
    """What minimal graphs have in common, however they were found."""

    __slots__ = ()

    entities: tuple[str, ...]
    node_of: Mapping[str, int]

    def trivial_pairs(self) -> set[tuple[int, int]]:
        """Return the nodes of start and end of every entity."""
        return {(self.node_of[f"{name}.start"], self.node_of[f"{name}.end"]) for name in self.entities}

    def minor_rows(self) -> Iterator[tuple[int, list[int], int]]:
        """Yield each node with minor edges: its number, their targets, and as a bit set the targets with ``<=``."""
        raise NotImplementedError

    def minor(self) -> Iterator[NodeEdge]:
        """Yield non-trivial edges of the closure that the reduction leaves out; there can be quadratically many."""
        for source, targets, weak in self.minor_rows():
            for target in targets:
                yield NodeEdge(source, "<=" if weak and weak >> target & 1 else "<", target)


def named_nodes(entities: Sequence[str], numbers: Sequence[int]) -> tuple[dict[str, int], tuple[tuple[str, ...], ...]]:
    """Return the node of each endpoint by name, and the endpoints of each node. ``numbers``: the node of each point."""
    node_of = dict(zip((f"{name}.{end}" for name in entities for end in ("start", "end")), numbers, strict=True))
    members: list[list[str]] = [[] for _ in range(1 + max(numbers, default=-1))]
    for name, node in node_of.items():
        members[node].append(name)
    return node_of, tuple(map(tuple, members))


@dataclass(frozen=True, slots=True)
class Reduction(ReducedGraph):
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
        """Return the relation of two nodes in the closure: ``<``, ``<=``, ``=``, or its converse; None if nothing is
        known.
        """
        if source == target:
            return "="
        if source > target:
            label = self.label(target, source)
            return None if label is None else label.replace("<", ">")
        if not self.reach[source] >> target & 1:
            return None
        return "<" if self.strict[source] >> target & 1 else "<="

    def edges(self) -> Iterator[NodeEdge]:
        """Yield all edges of the closure."""
        for source, reached in enumerate(self.reach):
            strictly = self.strict[source]
            for target in positions(reached):
                yield NodeEdge(source, "<" if strictly >> target & 1 else "<=", target)

    def count_edges(self) -> int:
        """Return the number of edges of the closure."""
        return sum(reached.bit_count() for reached in self.reach)

    def ask(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Do nothing: all labels are known. A graph without a closure has to be asked first (``large_reduction``)."""

    def minor_rows(self) -> Iterator[tuple[int, list[int], int]]:
        import numpy as np

        width = (len(self.nodes) + 7) // 8
        for source, bits in enumerate(self.minor_bits()):
            if bits:
                packed = np.frombuffer(bits.to_bytes(width, "little"), dtype=np.uint8)
                targets: list[int] = np.flatnonzero(np.unpackbits(packed, bitorder="little")).tolist()
                yield source, targets, bits & ~self.strict[source]

    def minor_bits(self) -> Iterator[int]:
        """Return the targets of the minor edges of each node as a bit set."""
        others = [0] * len(self.nodes)  # edges that are not minor
        for source, _, target in self.major:
            others[source] |= 1 << target
        for source, target in self.trivial_pairs():
            others[source] |= 1 << target
        return (reached & ~others[source] for source, reached in enumerate(self.reach))

    def count_minor(self) -> int:
        """Return the number of minor edges without listing them."""
        return sum(bits.bit_count() for bits in self.minor_bits())


def reduction_of(table: PairTable, budget: Budget | None = None) -> Reduction:
    """Return the minimal graph of a closed document. Raise BudgetExceeded if the time runs out.

    >>> from temporacle.reasoner.oracle import Oracle
    >>> oracle = Oracle([("a", "MEETS", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")])
    >>> reduced = reduction_of(oracle.minimal_network())
    >>> reduced.nodes
    (('a.start',), ('a.end', 'b.start'), ('b.end',), ('c.start',), ('c.end',))
    >>> reduced.major
    (NodeEdge(source=2, label='<', target=3),)
    """
    import numpy as np

    allowed = budget or Budget()
    masks = np.asarray(table.rows)
    rows = _point_rows(masks, allowed)
    first_of = [(row.equal & -row.equal).bit_length() - 1 for row in rows]
    # x <= y and not y <= x: x reaches strictly more points than y, so this is an order in time.
    order = sorted(
        (point for point, first in enumerate(first_of) if point == first),
        key=lambda point: (-rows[point].reach.bit_count(), point),
    )
    number = {point: position for position, point in enumerate(order)}
    node_of_point = [number[first] for first in first_of]
    node_of, nodes = named_nodes(table.entities, node_of_point)
    reach = _renumbered((rows[point].reach & ~rows[point].equal for point in order), order, len(rows), allowed)
    strict = _renumbered((rows[point].strict for point in order), order, len(rows), allowed)
    trivial = set(zip(node_of_point[0::2], node_of_point[1::2], strict=True))
    kept = [edge for node in range(len(order)) for edge in _kept_edges(node, reach, strict, allowed)]
    return Reduction(
        nodes=nodes,
        node_of=node_of,
        reach=reach,
        strict=strict,
        major=tuple(edge for edge in kept if (edge.source, edge.target) not in trivial),
        trivial=tuple(edge for edge in kept if (edge.source, edge.target) in trivial),
        entities=table.entities,
        different=_differences(masks, allowed),
    )


def _kept_edges(node: int, reach: Sequence[int], strict: Sequence[int], budget: Budget) -> Iterator[NodeEdge]:
    """Yield the edges of a node that no other node implies, nearest first."""
    surely, left = strict[node], reach[node]
    implied = 0  # edges found to be compositions, with their own label
    while left:
        budget.check()
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
def _bit_tables() -> NDArray[np.bool_]:
    """Return bits of a target's start and end, by end of the source, by reach, strict and equal, and by mask."""
    import numpy as np

    signs = np.array([signs_of(mask) for mask in range(ALL + 1)]).reshape(ALL + 1, 2, 2).transpose(1, 0, 2)
    return np.stack([signs & GT == 0, signs == LT, signs == EQ], axis=1)


def _point_rows(table: NDArray[Any], budget: Budget) -> list[_PointRow]:
    """Return what the table says about every endpoint."""
    rows: list[_PointRow] = []
    for masks in _blocks(table, budget):
        of_starts, of_ends = (
            map(_PointRow, *(_bit_sets(bits[masks].reshape(len(masks), -1)) for bits in tables))
            for tables in _bit_tables()
        )
        for start, end in zip(of_starts, of_ends, strict=True):
            rows += (start, end)
    return rows


def _renumbered(rows: Iterable[int], order: Sequence[int], size: int, budget: Budget) -> tuple[int, ...]:
    """Return bit sets of points as bit sets of nodes."""
    import numpy as np

    width = (size + 7) // 8
    packed = np.frombuffer(b"".join(row.to_bytes(width, "little") for row in rows), dtype=np.uint8)
    columns = np.array(order)
    return tuple(
        number
        for block in _blocks(packed.reshape(-1, width) if size else packed, budget)
        for number in _bit_sets(np.unpackbits(block, axis=1, bitorder="little")[:, columns])
    )


def _blocks(rows: NDArray[Any], budget: Budget) -> Iterator[NDArray[Any]]:
    """Yield some rows at a time, because a matrix of single bits takes eight times the memory of the sets."""
    for start in range(0, len(rows), _BLOCK):
        budget.check()
        yield rows[start : start + _BLOCK]


def _bit_sets(matrix: NDArray[Any]) -> Iterator[int]:
    """Yield the rows of a matrix of bits as numbers, the first column as the lowest bit."""
    import numpy as np

    for row in np.packbits(matrix, axis=1, bitorder="little"):
        yield int.from_bytes(row.tobytes(), "little")


def _differences(table: NDArray[Any], budget: Budget) -> int:
    """Return the number of pairs of endpoints with ``!=``.

    The table has each pair twice; an entity and itself have none.
    """
    import numpy as np

    masks: Counter[int] = Counter()
    for block in _blocks(table, budget):
        counts = np.bincount(block.ravel())
        masks.update({int(mask): int(counts[mask]) for mask in np.flatnonzero(counts)})
    return sum(signs_of(mask).count(DIFFERENT) * count for mask, count in masks.items()) // 2
