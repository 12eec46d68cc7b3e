"""The engine ``ord-horn``: backtracking over ORD-Horn relations, the classical exact algorithm.

Path consistency decides networks of the 868 ORD-Horn relations (Nebel and Buerckert 1995). Any relation is a union of
few of them. So:

    narrow all relations by path consistency; empty: no
    all links ORD-Horn: path consistency of these links alone decides
    otherwise split a link that is not into ORD-Horn pieces, and try each

Exponential at worst, and without anything learnt from failure; the engine is here because it shares nothing with the
search but path consistency. It closes a network by one question for each atom that no scenario has shown. A scenario
picks the atoms with most freedom in a path-consistent ORD-Horn network (Ligozat 1996), and counts only if it proves to
be one.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from temporacle.reasoner.algebra import ALL, RelationClass, atoms_in, classify, dimension
from temporacle.reasoner.disjunctions.completion import make_path_consistent
from temporacle.reasoner.network import PairTable
from temporacle.reasoner.points.graph import Contradiction, PointGraph
from temporacle.reasoner.published.path_consistency import all_pairs, table_of

if TYPE_CHECKING:
    from temporacle.reasoner.disjunctions.completion import Masks, Numbers, Triangles
    from temporacle.reasoner.network import Budget, Network


def closure(network: Network, budget: Budget) -> PairTable | None:
    """Return the strongest relation of every pair; None if the links cannot all be true.

    >>> from temporacle.reasoner.network import Budget, Network
    >>> closure(Network.of([("a", "b|bi", "b"), ("b", "b", "c"), ("c", "m", "a")]), Budget()).relation("a", "b")
    Relation('bi')
    """
    labels, triangles = all_pairs(network)
    if labels is None:
        return None
    search = Backtracking(labels, triangles, budget)
    if search.solve(labels) is None:
        return None
    return PairTable(network.entities, table_of(search.minimal(), triangles))  # type: ignore[arg-type]  # only indexed


def is_consistent(network: Network, budget: Budget) -> bool:
    """Return whether the links can all be true."""
    labels, triangles = all_pairs(network)
    return labels is not None and Backtracking(labels, triangles, budget).solve(labels) is not None


class Backtracking:
    """Questions about a network with relations for all pairs, each answered by a search of its own."""

    def __init__(self, labels: Masks, triangles: Triangles, budget: Budget) -> None:
        self._stated = labels
        self._triangles = triangles
        self._budget = budget
        self._links: Numbers = np.flatnonzero(labels != ALL).astype(np.int32)
        self._seen = np.zeros(triangles.pairs, np.uint16)  # atoms that scenarios have shown

    def solve(self, labels: Masks, asked: int | None = None) -> Masks | None:
        """Return path-consistent ORD-Horn relations inside the given ones; None if none of them are consistent.

        ``asked`` is a pair whose relation is a single atom, with or without a link.
        """
        waiting = [labels.copy()]
        while waiting:
            self._budget.check()
            case = waiting.pop()
            if not make_path_consistent(case, self._triangles, self._budget):
                continue
            masks = case[self._links].tolist()
            open_links = [(mask.bit_count(), place) for place, mask in enumerate(masks) if not is_ord_horn(mask)]
            if not open_links:
                found = self._decided(case, asked)
                if found is not None:
                    return found
                continue
            _, place = min(open_links)
            for piece in reversed(ord_horn_pieces(masks[place])):
                part = case.copy()
                part[self._links[place]] = piece
                waiting.append(part)
        return None

    def _decided(self, case: Masks, asked: int | None) -> Masks | None:
        """Return the relations after path consistency of the links alone.

        Other pairs may have relations that are not ORD-Horn.
        """
        alone = np.full(self._triangles.pairs, ALL, np.uint16)
        alone[self._links] = case[self._links]
        if asked is not None:
            alone[asked] = case[asked]
        if not make_path_consistent(alone, self._triangles, self._budget):
            return None
        self._note(alone)
        return alone

    def _note(self, labels: Masks) -> None:
        """Remember the atoms of a scenario inside these relations."""
        atoms = [max(atoms_in(mask), key=lambda atom: (dimension(atom), -atom)) for mask in labels.tolist()]
        graph = PointGraph(len(self._triangles.number))
        firsts, seconds = self._triangles.first.tolist(), self._triangles.second.tolist()
        for first, atom, second in zip(firsts, atoms, seconds, strict=True):
            graph.add(first, 1 << atom, second)
        try:
            graph.condense()
        except Contradiction:
            return
        self._seen |= np.left_shift(np.uint16(1), np.array(atoms, np.uint16))

    def minimal(self) -> Masks:
        """Return the strongest relation of every pair of a consistent network."""
        upper = self._stated.copy()
        make_path_consistent(upper, self._triangles, self._budget)
        for pair in range(self._triangles.pairs):
            for atom in atoms_in(int(upper[pair])):
                if self._seen[pair] >> atom & 1:
                    continue
                question = upper.copy()
                question[pair] = 1 << atom
                if self.solve(question, pair) is None:
                    upper[pair] &= ~np.uint16(1 << atom)
                else:
                    self._seen[pair] |= np.uint16(1 << atom)
        return upper


def is_ord_horn(mask: int) -> bool:
    """Return whether path consistency decides networks of such relations."""
    return classify(mask) is not RelationClass.GENERAL


@cache
def _ord_horn_relations() -> tuple[int, ...]:
    """Return all 867 non-empty ORD-Horn relations, large ones first."""
    return tuple(sorted(filter(is_ord_horn, range(1, ALL + 1)), key=lambda mask: (-mask.bit_count(), mask)))


@cache
def ord_horn_pieces(mask: int) -> tuple[int, ...]:
    """Return few ORD-Horn relations whose union is the given one. Each step takes the largest around the first atom
    that is not covered.

    >>> from temporacle.relation import Relation
    >>> [str(Relation(piece)) for piece in ord_horn_pieces(Relation.of("b", "m", "o", "mi", "bi"))]
    ['b|m|o', 'mi|bi']
    """
    pieces = []
    left = mask
    while left:
        lowest = left & -left
        piece = next(relation for relation in _ord_horn_relations() if relation & lowest and not relation & ~mask)
        pieces.append(piece)
        left &= ~piece
    return tuple(pieces)
