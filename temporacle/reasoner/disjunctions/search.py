"""Exact search on networks of disjunctions: path consistency, then an incremental CDCL solver.

    1  the graph of related entities is completed to a chordal one                          completion
    2  path consistency on its triangles narrows relations, and refutes many networks       completion
    3  every pair gets its eight Booleans and the prime implicates of its relation          encoding
    4  transitivity of tight triangles at once; of the others only where a solution breaks it
    5  a solution whose order of endpoints has no contradiction is a model

Questions are assumptions on the same solver, which keeps what it has learnt. Pairs and entities can be added later. A
refused question narrows the relation of its pair for good.

*Tight* triangles are those whose three relations have few atoms together: their rows decide most. All rows at once
would be a million clauses for a hundred entities; none at once would take ten times the conflicts.

Reference: Bryant and Velev (2002), "Boolean satisfiability with transitivity constraints" (transitivity on a chordal
graph, and only where it is needed).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.disjunctions.completion import Triangles, complete, make_path_consistent
from temporacle.reasoner.disjunctions.encoding import (
    LOCAL,
    NO_ATOM,
    RowWriter,
    atoms_of,
    codes_of,
    implicate_clauses,
    implicates,
    open_rows,
    shifted,
)
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.points.graph import Contradiction, PointGraph, model_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from temporacle.reasoner.disjunctions.completion import Masks, Numbers
    from temporacle.reasoner.network import Budget

    Pair = tuple[int, int]

MOST_TRIANGLES = 2_000_000  # about 60 bytes each beside the solver's own memory
# Atoms in the three relations of a triangle whose rows are written at once, and once a question proves to be hard.
TIGHT, _TIGHT_IF_HARD = 25, 34


class Search:
    """Entities 0 .. size - 1 with relations between some pairs: models, and what is possible for a pair.

    >>> from temporacle.reasoner.network import Budget
    >>> search = Search(3, {(0, 1): 1, (1, 2): 1, (0, 2): 1 | 1 << 12}, Budget())   # before, before, before or after
    >>> search.find()
    [0, 1, 2, 3, 4, 5]
    >>> search.find((0, 1 << 12, 2)) is None
    True
    """

    def __init__(
        self, size: int, relations: Mapping[Pair, int], budget: Budget, *, expects_hard_questions: bool = False
    ) -> None:
        self._budget = budget
        self._expects_hard_questions = expects_hard_questions
        self._size = 0
        self._order: list[int] | None = None  # in which entities are taken away by the completion
        self._relations: dict[Pair, int] = {}  # as given, from the smaller number to the larger
        self._narrowed: dict[Pair, tuple[int, int]] = {}  # by places: base, and mask at the last extension
        self._variables = 0
        self._solver = Cdcl(budget)
        self._inconsistent = False
        self.propagation_refutes = False
        self.extend(size, relations)

    def extend(self, size: int, relations: Mapping[Pair, int]) -> None:
        """Add entities or pairs. The relations stated for them must follow from what they stand for."""
        for (x, y), mask in relations.items():
            pair, stated = ((x, y), mask) if x < y else ((y, x), converse(mask))
            self._relations[pair] = self._relations.get(pair, ALL) & stated
        order = None
        if self._order is not None:
            order = [*range(self._size, size), *self._order]
        self._size = size
        completion = complete(size, self._relations, order)
        if completion.count_triangles() > MOST_TRIANGLES:
            raise TooLarge(
                f"not decided: the search would need {completion.count_triangles():,} triangles of entities, "
                f"more than the {MOST_TRIANGLES:,} that fit its memory"
            )
        self._order = completion.order
        self._places = np.empty(size, np.int32)
        self._places[self._order] = np.arange(size)
        self._triangles = Triangles(completion)
        self._label_pairs()
        if self.propagation_refutes:
            return
        if not make_path_consistent(self._labels, self._triangles, self._budget):
            self.propagation_refutes = True
            return
        self._write_clauses()

    def _label_pairs(self) -> None:
        """Set the relations and bases of all pairs: those known before, and new ones."""
        triangles = self._triangles
        self._labels: Masks = np.full(triangles.pairs, ALL, np.uint16)
        self._bases: Numbers = np.full(triangles.pairs, -1, np.int32)
        given = []
        for (x, y), mask in self._relations.items():
            first, second = int(self._places[x]), int(self._places[y])
            if first > second:
                number = triangles.number[second, first]
                self._labels[number] = converse(mask)
            else:
                number = triangles.number[first, second]
                self._labels[number] = mask
            if mask != ALL:
                given.append(number)
        self._given: Numbers = np.array(given, np.int32)
        for (x, y), (base, mask) in self._narrowed.items():
            number = self._number(x, y)
            self._bases[number] = base
            self._labels[number] &= mask
        self._new = np.flatnonzero(self._bases < 0)
        self._bases[self._new] = self._variables + LOCAL * np.arange(len(self._new))
        self._variables += LOCAL * len(self._new)

    def _number(self, x: int, y: int) -> int:
        """Return the relation of two entities, in either order."""
        first, second = int(self._places[x]), int(self._places[y])
        return int(self._triangles.number[min(first, second), max(first, second)])

    def _write_clauses(self) -> None:
        """Write the relations of new pairs, and the rows of tight triangles that have one."""
        triangles, labels, bases = self._triangles, self._labels, self._bases
        entities = np.asarray(self._order, np.int32)
        firsts, seconds = entities[triangles.first].tolist(), entities[triangles.second].tolist()
        for x, y, base, mask in zip(firsts, seconds, bases.tolist(), labels.tolist(), strict=True):
            self._narrowed[x, y] = (base, mask)
        self._solver.add_many(implicate_clauses(bases[self._new], labels[self._new]))
        is_new = np.zeros(triangles.pairs, bool)
        is_new[self._new] = True
        ij, jk, ik = triangles.sides
        sizes = np.bitwise_count(labels)
        self._atoms = sizes[ij] + sizes[jk] + sizes[ik]  # of each triangle
        self._open_rows = open_rows(labels, triangles)
        self._rows = RowWriter(self._solver, triangles, bases)
        self._rows.write((self._atoms <= TIGHT) & (is_new[ij] | is_new[jk] | is_new[ik]), self._open_rows)
        self._hard = self._expects_hard_questions

    def _solve(self, assumptions: Sequence[int]) -> bool:
        """Ask the solver; a question that proves to be hard gets more rows."""
        if not self._hard:
            answer = self._solver.solve_at_once(assumptions)
            if answer is not None:
                return answer
            self._rows.write((self._atoms > TIGHT) & (self._atoms <= _TIGHT_IF_HARD), self._open_rows)
            self._hard = True
        return self._solver.solve(assumptions)

    # --- questions --------------------------------------------------------------------------------------------------

    def find(self, question: tuple[int, int, int] | None = None) -> list[int] | None:
        """Return times of all endpoints in a model in which ``question`` (source, mask, target) holds; None if there is
        none.

        Raises BudgetExceeded when that is not known in time.
        """
        if self._is_refuted():
            return None
        assumptions: list[int] = []
        number = -1
        asked = ALL
        if question is not None:
            source, mask, target = question
            if (min(source, target), max(source, target)) not in self._relations:
                self.extend(self._size, {(source, target): ALL})
                if self._is_refuted():
                    return None
            number = self._number(source, target)
            asked = mask if self._places[source] < self._places[target] else converse(mask)
            asked &= int(self._labels[number])
            if not asked:
                return None
            assumptions = [self._assumption(number, asked)]
        while self._solve(assumptions):
            codes = codes_of(np.array(self._solver.values(self._variables), bool), self._bases)
            times = self._order_of(codes, self._given if question is None else np.append(self._given, number))
            if times is not None:
                return times
            self._rows.write_broken(codes)
        if question is None:
            self._inconsistent = True
        else:
            self._narrow(number, ALL & ~asked)
        return None

    def bound(self, source: int, target: int) -> int:
        """Return the atoms of a pair of the completion that are not known to be impossible."""
        mask = int(self._labels[self._number(source, target)])
        return mask if self._places[source] < self._places[target] else converse(mask)

    def _is_refuted(self) -> bool:
        return self.propagation_refutes or self._inconsistent

    def _assumption(self, number: int, mask: int) -> int:
        """Return a literal that means: the relation of this pair is within the mask."""
        stands = self._variables + 1
        self._variables += 1
        base = int(self._bases[number])
        self._solver.add([-stands, *shifted(clause, base)] for clause in implicates(mask))
        return stands

    def _narrow(self, number: int, mask: int) -> None:
        """Exclude permanently what was refused."""
        self._labels[number] &= mask
        mask = int(self._labels[number])
        base = int(self._bases[number])
        self._solver.add(shifted(clause, base) for clause in implicates(mask))
        order = self._order or []
        triangles = self._triangles
        self._narrowed[order[triangles.first[number]], order[triangles.second[number]]] = (base, mask)

    def _order_of(self, codes: NDArray[np.uint8], given: Numbers) -> list[int] | None:
        """Return times at which these pairs have their atoms; None if that is a contradiction."""
        order = self._order or []
        triangles = self._triangles
        atoms = atoms_of(codes[given])
        if (atoms == NO_ATOM).any():
            raise InternalError("the solver returned values that are not an atom")
        graph = PointGraph(self._size)
        entities = np.asarray(order, np.int32)
        firsts, seconds = entities[triangles.first[given]].tolist(), entities[triangles.second[given]].tolist()
        graph.add_all(zip(firsts, [1 << atom for atom in atoms.tolist()], seconds, strict=True))
        try:
            return model_of(graph.condense())
        except Contradiction:
            return None

    def close(self) -> None:
        """Give the solver's memory back."""
        self._solver.close()
