"""Points in time laid on chains: the ordering structure of a timegraph (Miller & Schubert 1990).

Points that must be equal become one *node*. Nodes are numbered so that every edge goes to a higher number, and are laid
on *chains*: paths of edges that cover each node once. A node's number serves as its pseudo-time, for on one chain a
smaller number means not later. A *stratum* counts the strict edges along the chain before the node: two nodes of one
chain in different strata are strictly ordered, which takes two look-ups.

What the chains do not say is in *cross links*: the edges between chains, and the few strict ones on a chain whose ends
lie in one stratum. Each node points to the next cross link at or after it on its chain. A search enters a chain at a
node and follows the cross links from there on, each at most once for ``<=`` and once for ``<``: it is linear in their
number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NOWHERE = -1


class Edge(NamedTuple):
    """``left < right`` if strict, ``left <= right`` otherwise."""

    left: int
    right: int
    strict: bool


class Reach(NamedTuple):
    """From one node: for each chain the first node that is not earlier, and the first that is strictly later."""

    weak: dict[int, int]
    strict: dict[int, int]


def merge_equal(size: int, edges: Sequence[Edge]) -> list[int] | None:
    """Return the node of each point, numbered so that edges go to higher nodes; None if a point would be before itself.

    >>> merge_equal(3, [Edge(0, 1, False), Edge(1, 0, False), Edge(2, 0, True)])
    [1, 1, 0]
    """
    successors: list[list[int]] = [[] for _ in range(size)]
    for left, right, _ in edges:
        successors[left].append(right)
    node = _components(successors)
    if any(strict and node[left] == node[right] for left, right, strict in edges):
        return None
    return node


def _components(successors: Sequence[Sequence[int]]) -> list[int]:
    """Return strongly connected components in topological order (Tarjan's algorithm with a stack of its own)."""
    size = len(successors)
    found = [_NOWHERE] * size  # order of discovery
    lowest = [0] * size
    component = [_NOWHERE] * size
    open_points: list[int] = []
    discovered = closed = 0
    for root in range(size):
        path = [(root, iter((root,)))]
        while path:
            point, rest = path[-1]
            for successor in rest:
                if found[successor] == _NOWHERE:
                    found[successor] = lowest[successor] = discovered
                    discovered += 1
                    open_points.append(successor)
                    path.append((successor, iter(successors[successor])))
                    break
                if component[successor] == _NOWHERE:
                    lowest[point] = min(lowest[point], found[successor])
            else:
                path.pop()
                if not path:
                    continue
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[point])
                if lowest[point] == found[point]:
                    while component[point] == _NOWHERE:
                        component[open_points.pop()] = closed
                    closed += 1
    return [closed - 1 - number for number in component]


class Chains:
    """Nodes on chains, and the cross links between them."""

    __slots__ = ("_exits", "_next_exit", "_next_stratum", "chain", "cross_links", "members", "stratum")

    def __init__(self, size: int, edges: Iterable[Edge]) -> None:
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
        self._exits: list[list[Edge]] = [[] for _ in self.members]
        self._next_exit = [0] * size
        for number, members in enumerate(self.members):
            exits = self._exits[number]
            for node in members:
                self._next_exit[node] = len(exits)
                exits.extend(
                    Edge(node, successor, strict)
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
