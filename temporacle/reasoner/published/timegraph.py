"""Timegraph: closure by chains of time points (Miller & Schubert 1990; UzZaman & Allen 2011).

Each interval is two points, and each link a few orderings ``<`` and ``<=`` of points; ``=`` is two of them. Points go
on chains (``chains.py``). Two points of one chain are compared by pseudo-time; points of different chains by a search
over the cross links, at most linear in their number, so that a question is cheap where chains are long and few.

Exact for convex links, which single relations are: a convex relation *is* a conjunction of such orderings, an ordering
is entailed just if there is a path (a path with a strict step for ``<``), and an atom is possible just if each of its
four endpoint orderings is. Other links are refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.reasoner.algebra import (
    ANY,
    CROSS_PAIRS,
    EQ,
    GT,
    LT,
    RelationClass,
    Signs,
    classify,
    converse,
    mask_of,
    signs_of,
)
from temporacle.reasoner.network import Budget, Network, PairTable, blank_table, require_memory
from temporacle.reasoner.points.graph import strong_components
from temporacle.relation import NOTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.model import Link

_MIRRORED = {LT: GT, LT | EQ: GT | EQ, EQ: EQ, ANY: ANY}


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair, by one search from every point: O(n (n + links)) in total.

    >>> table = closure(Network.of([("a", "m", "b"), ("b", "m", "c")]), Budget())
    >>> table.relation("a", "c")
    Relation('b')
    """
    graph = Timegraph(network, budget)
    if not graph.consistent:
        return None
    signs = graph.all_signs(budget)
    node = graph.node
    rows = blank_table(network)
    for i in range(len(rows)):
        budget.check()
        from_start, from_end = signs[node[2 * i]], signs[node[2 * i + 1]]
        for j in range(i + 1, len(rows)):
            start, end = node[2 * j], node[2 * j + 1]
            rows[i][j] = mask_of((from_start[start], from_start[end], from_end[start], from_end[end]))
            rows[j][i] = converse(rows[i][j])
    return PairTable(network.entities, rows)


class Timegraph:
    """The points of a network on chains.

    ``consistent``: can the links all be true? ``points``: how many different points are left after merging equal ones;
    ``chains`` and ``cross_links``: how many of them there are, which is what construction and search time depend on.

    >>> graph = Timegraph(Network.of([("a", "b", "b"), ("b", "m", "c")]), Budget())
    >>> graph.relation("c", "a"), graph.points, graph.chains, graph.cross_links
    (Relation('bi'), 5, 1, 0)
    """

    __slots__ = ("_chains", "_network", "chains", "consistent", "cross_links", "node", "points")

    def __init__(self, network: Network, budget: Budget) -> None:
        edges = list(_orderings(network))
        budget.check()
        size = 2 * len(network.entities)
        merged = merge_equal(size, edges)
        budget.check()
        self.consistent = merged is not None
        self.node: list[int] = merged or []  # of each point: 2i for the start of entity i, 2i + 1 for its end
        self.points = max(self.node, default=-1) + 1
        self._network = network
        on_nodes = (ChainEdge(self.node[left], self.node[right], strict) for left, right, strict in edges)
        self._chains = Chains(self.points, on_nodes if self.consistent else ())
        self.chains = len(self._chains.members)
        self.cross_links = self._chains.cross_links

    def relation(self, source: str, target: str) -> Relation:
        """Return the strongest relation entailed between two entities.

        It has no atoms if the links are inconsistent.
        """
        i, j = self._network.number(source), self._network.number(target)
        if not self.consistent:
            return NOTHING
        points = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1)
        start_start, start_end, end_start, end_end = (
            self._sign(self.node[points[left]], self.node[points[right]]) for left, right in CROSS_PAIRS
        )
        return Relation(mask_of((start_start, start_end, end_start, end_end)))

    def _sign(self, left: int, right: int) -> int:
        """Return the possible orders of two nodes. An ordering can only go from the lower node to the higher."""
        if left == right:
            return EQ
        if left > right:
            return _MIRRORED[self._sign(right, left)]
        chains = self._chains
        chain = chains.chain[right]
        if chains.chain[left] == chain and chains.stratum[left] < chains.stratum[right]:
            return LT
        reach = chains.reach(left, right)
        return LT if reach.strict.get(chain, right + 1) <= right else LT | EQ if chain in reach.weak else ANY

    def all_signs(self, budget: Budget) -> list[bytearray]:
        """Return for all nodes at once what ``_sign`` returns for two."""
        size = self.points
        require_memory(size * size, f"a table of all pairs of {size} points")
        signs = [bytearray(size) for _ in range(size)]
        for left in range(size):
            budget.check()
            reach = self._chains.reach(left)
            signs[left][left] = EQ
            for right in range(left + 1, size):
                chain = self._chains.chain[right]
                if reach.strict.get(chain, size) <= right:
                    sign = LT
                elif reach.weak.get(chain, size) <= right:
                    sign = LT | EQ
                else:
                    sign = ANY
                signs[left][right] = sign
                signs[right][left] = _MIRRORED[sign]
        return signs


def _orderings(network: Network) -> Iterator[ChainEdge]:
    """Yield all orders between the points 2i and 2i + 1, the start and the end of entity i."""
    for entity in range(len(network.entities)):
        yield ChainEdge(2 * entity, 2 * entity + 1, strict=True)
    for link, (source, mask, target) in zip(network.links, network.constraints, strict=True):
        if classify(mask) is not RelationClass.CONVEX:
            raise _not_convex(link)
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        for left, right, strict in _orderings_of(mask):
            yield ChainEdge(points[left], points[right], strict)


@cache
def _orderings_of(mask: int) -> tuple[ChainEdge, ...]:
    """Return the orderings of x.start, x.end, y.start, y.end (0 to 3) that make up a convex relation.

    Those that follow from the others are left out: ``x b y`` is only x.end < y.start. Fewer edges, longer chains.
    """
    signs = list(signs_of(mask))
    for pair in range(len(CROSS_PAIRS)):
        without: Signs = tuple(ANY if pair == k else sign for k, sign in enumerate(signs))  # type: ignore[assignment]
        if mask_of(without) == mask:
            signs[pair] = ANY
    edges = []
    for (left, right), sign in zip(CROSS_PAIRS, signs, strict=True):
        if not sign & GT:
            edges.append(ChainEdge(left, right, strict=not sign & EQ))
        if not sign & LT:
            edges.append(ChainEdge(right, left, strict=not sign & EQ))
    return tuple(edges)


def _not_convex(link: Link) -> UsageError:
    return UsageError(
        f"link {link.id} ({link.source} {link.relation} {link.target}) is not convex, and a timegraph "
        "holds only orderings of endpoints: use the engine exact or cpsat, enumeration for a few entities, "
        "or propagation, which is not complete"
    )


# ----------------------------------------------------------------------------------------------------
# Points in time laid on chains: the ordering structure of a timegraph (Miller & Schubert 1990).
#
# Points that must be equal become one *node*. Nodes are numbered so that every edge goes to a higher number, and are
# laid on *chains*: paths of edges that cover each node once. A node's number serves as its pseudo-time, for on one
# chain a smaller number means not later. A *stratum* counts the strict edges along the chain before the node: two nodes
# of one chain in different strata are strictly ordered, which takes two look-ups.
#
# What the chains do not say is in *cross links*: the edges between chains, and the few strict ones on a chain whose
# ends lie in one stratum. Each node points to the next cross link at or after it on its chain. A search enters a chain
# at a node and follows the cross links from there on, each at most once for ``<=`` and once for ``<``: it is linear in
# their number.

_NOWHERE = -1


class ChainEdge(NamedTuple):
    """``left < right`` if strict, ``left <= right`` otherwise."""

    left: int
    right: int
    strict: bool


class Reach(NamedTuple):
    """From one node: for each chain the first node that is not earlier, and the first that is strictly later."""

    weak: dict[int, int]
    strict: dict[int, int]


def merge_equal(size: int, edges: Sequence[ChainEdge]) -> list[int] | None:
    """Return the node of each point, numbered so that edges go to higher nodes; None if a point would be before itself.

    >>> merge_equal(3, [ChainEdge(0, 1, False), ChainEdge(1, 0, False), ChainEdge(2, 0, True)])
    [1, 1, 0]
    """
    successors: list[list[int]] = [[] for _ in range(size)]
    for left, right, _ in edges:
        successors[left].append(2 * right)
    components = strong_components(successors)  # edges never go to a higher number
    last = max(components, default=0)
    node = [last - component for component in components]
    if any(strict and node[left] == node[right] for left, right, strict in edges):
        return None
    return node


class Chains:
    """Nodes on chains, and the cross links between them."""

    __slots__ = ("_exits", "_next_exit", "_next_stratum", "chain", "cross_links", "members", "stratum")

    def __init__(self, size: int, edges: Iterable[ChainEdge]) -> None:
        successors: list[dict[int, bool]] = [{} for _ in range(size)]
        for left, right, strict in edges:
            if left != right:
                successors[left][right] = strict or successors[left].get(right, False)
        self.members = _cover(successors)
        self.chain = [0] * size
        self.stratum = [0] * size
        self._next_stratum = [_NOWHERE] * size
        for number, members in enumerate(self.members):
            self._lay(number, members, successors)
        self.cross_links = 0
        self._exits: list[list[ChainEdge]] = [[] for _ in self.members]
        self._next_exit = [0] * size
        for number, members in enumerate(self.members):
            exits = self._exits[number]
            for node in members:
                self._next_exit[node] = len(exits)
                exits.extend(
                    ChainEdge(node, successor, strict)
                    for successor, strict in successors[node].items()
                    if not self._on_chain(node, successor, strict=strict)
                )
            self.cross_links += len(exits)

    def _lay(self, number: int, members: Sequence[int], successors: Sequence[dict[int, bool]]) -> None:
        stratum = 0
        for position, node in enumerate(members):
            stratum += position > 0 and successors[members[position - 1]][node]
            self.chain[node] = number
            self.stratum[node] = stratum
        following = _NOWHERE  # the first node of the stratum after the current one
        for position in range(len(members) - 2, -1, -1):
            node, after = members[position : position + 2]
            if self.stratum[node] < self.stratum[after]:
                following = after
            self._next_stratum[node] = following

    def _on_chain(self, left: int, right: int, *, strict: bool) -> bool:
        """Return whether the chain itself implies the edge."""
        return self.chain[left] == self.chain[right] and (not strict or self.stratum[left] < self.stratum[right])

    def reach(self, source: int, goal: int | None = None) -> Reach:
        """Return the nodes after a given one. With a goal (a higher node), search only as far as needed to place it."""
        end = len(self.chain)
        horizon = end if goal is None else goal
        goal_chain = _NOWHERE if goal is None else self.chain[goal]
        reach = Reach({}, {})
        waiting = [(source, False)]
        while waiting:
            node, strict = waiting.pop()
            chain = self.chain[node]
            followed = reach.strict.get(chain, end)  # cross links from here on have been followed
            if not strict:
                followed = min(followed, reach.weak.get(chain, end))
            if node >= followed:
                continue
            (reach.strict if strict else reach.weak)[chain] = node
            if strict and chain == goal_chain:
                break  # it cannot be past the horizon, and nothing stronger can be found
            if not strict and _NOWHERE < self._next_stratum[node] <= horizon:
                waiting.append((self._next_stratum[node], True))
            exits = self._exits[chain]
            for index in range(self._next_exit[node], len(exits)):
                left, right, strict_link = exits[index]
                if left >= followed or left > horizon:
                    break
                if right <= horizon:
                    waiting.append((right, strict or strict_link))
        return reach


def _cover(successors: Sequence[dict[int, bool]]) -> list[list[int]]:
    """Return chains that cover all nodes, and few of them.

    Nodes come in their order. Each is put behind a predecessor that still ends a chain, the one that fewest other nodes
    could be put behind; if there is none, it begins a chain. This is linear in the edges. It does not promise the least
    number of chains, which would take a matching.
    """
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, after in enumerate(successors):
        for successor in after:
            predecessors[successor].append(node)
    chances = [len(after) for after in successors]  # successors that are still to come
    ending: dict[int, list[int]] = {}  # the chain that ends in a node
    chains: list[list[int]] = []
    for node, before in enumerate(predecessors):
        end = min(
            (other for other in before if other in ending), key=lambda other: (chances[other], -other), default=None
        )
        for predecessor in before:
            chances[predecessor] -= 1
        if end is None:
            chain: list[int] = []
            chains.append(chain)
        else:
            chain = ending.pop(end)
        chain.append(node)
        ending[node] = chain
    return chains
