"""The decoding problem: pairs that must get one of several labels each, at a cost, so that all labels can be true.

The labels of a pair are ranked: highest value first, and at equal values as they are listed. Rank 0 is the *argmax*.
The *cost* of a rank is what the pair's value loses against rank 0. So the best labelling is the cheapest one.

A *conflict* is a set of ranks on some pairs (``blocked``) such that no labelling is consistent that takes a blocked
rank on all of these pairs. Hard links may be part of the reason.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import InputError, spelled
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.model import Link
    from temporacle.scored import Objective, ScoredLabel, ScoredPair

Blocked: TypeAlias = "Mapping[int, int]"
"""For each pair of a conflict a set of ranks, one bit each."""

Ranks: TypeAlias = "dict[int, int]"
"""A labelling: the rank of every pair."""


UNLABELLED = -1  # the rank of a pair that has no label for the time being


class Conflict(NamedTuple):
    """Ranks that cannot all be taken, and the hard links that are part of the reason."""

    blocked: Blocked
    hard: tuple[int, ...] = ()


class RankedPair(NamedTuple):
    """A pair with its labels by rank."""

    pair: ScoredPair
    labels: tuple[ScoredLabel, ...]
    costs: tuple[int, ...]  # of the ranks, never falling
    best: int  # the value of rank 0

    @classmethod
    def of(cls, pair: ScoredPair, objective: Objective) -> RankedPair:
        """Rank the labels. InputError for a score that the objective does not know."""
        try:
            values = [objective.worth(label.score) for label in pair.labels]
        except ValueError as error:
            cure = (
                f"choose {spelled('objective', 'weight')} for scores that are not probabilities,"
                " or apply softmax if they are logits"
            )
            raise InputError(str(error), line=pair.line, element=pair.id, cure=cure) from None
        order = sorted(range(len(values)), key=lambda place: (-values[place], place))
        best = values[order[0]]
        costs = tuple(best - values[place] for place in order)
        return cls(pair, tuple(pair.labels[place] for place in order), costs, best)

    @property
    def constrains(self) -> bool:
        """Return whether some label constrains the pair."""
        return any(not label.relation.is_universal for label in self.labels)

    def link(self, rank: int) -> Link:
        """Return the pair as a link with the label of that rank."""
        return self.pair.link(self.labels[rank])

    def any_of(self, ranks: int) -> Link:
        """Return the pair as a link whose relation is the union of some ranks (bits)."""
        chosen = [label for rank, label in enumerate(self.labels) if ranks >> rank & 1]
        relation = reduce(Relation.__or__, (label.relation for label in chosen), Relation(0))
        return self.link(0)._replace(relation=relation, label="|".join(label.label for label in chosen))


class Part(NamedTuple):
    """Pairs and hard links that influence each other, by number; no other part has an influence on them."""

    pairs: tuple[int, ...]
    hard: tuple[int, ...]


def all_ranks(pair: RankedPair) -> int:
    """Return every rank of a pair, as bits."""
    return (1 << len(pair.labels)) - 1


def independent_parts(pairs: Sequence[RankedPair], hard: Sequence[Link]) -> list[Part]:
    """Return the pairs in parts that can be decoded independently.

    The parts are the biconnected components of the graph whose nodes are the entities and whose edges are the pairs and
    the hard links. Two of them share at most one entity. If each part has a model, these can be stretched until the
    shared entities coincide, so all parts together have one. In the order of their first pair.
    """
    ends = [(each.pair.source, each.pair.target) if each.constrains else None for each in pairs]
    ends += [None if link.relation.is_universal else (link.source, link.target) for link in hard]
    groups = _biconnected(ends)
    parts = []
    for group in groups:
        members = sorted(group)
        own = tuple(number for number in members if number < len(pairs))
        parts.append(Part(own, tuple(number - len(pairs) for number in members if number >= len(pairs))))
    return sorted(parts, key=lambda part: (part.pairs or (len(pairs),), part.hard))


def _biconnected(ends: Sequence[tuple[str, str] | None]) -> list[list[int]]:
    """Return edges grouped by biconnected component. Loops and edges without ends are alone. There is no recursion."""
    around: dict[str, list[tuple[str, int]]] = {}
    groups: list[list[int]] = []
    for number, pair in enumerate(ends):
        if pair is None or pair[0] == pair[1]:
            groups.append([number])
            continue
        around.setdefault(pair[0], []).append((pair[1], number))
        around.setdefault(pair[1], []).append((pair[0], number))
    found: dict[str, int] = {}  # when a node was first met
    low: dict[str, int] = {}  # the earliest node that its descendants reach
    used: set[int] = set()
    for root, neighbours in around.items():
        if root in found:
            continue
        found[root] = low[root] = len(found)
        path = [(root, iter(neighbours), -1)]  # node, what is left to look at, size of the edge stack when entered
        edges: list[int] = []
        while path:
            node, following, before = path[-1]
            step = next(((other, number) for other, number in following if number not in used), None)
            if step is not None:
                other, number = step
                used.add(number)
                if other not in found:
                    found[other] = low[other] = len(found)
                    path.append((other, iter(around[other]), len(edges)))
                else:
                    low[node] = min(low[node], found[other])
                edges.append(number)
                continue
            path.pop()
            if path:
                parent = path[-1][0]
                low[parent] = min(low[parent], low[node])
                if low[node] >= found[parent]:
                    groups.append(edges[before:])
                    del edges[before:]
    return groups
