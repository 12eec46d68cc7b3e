"""Few models that together show all atoms of a minimal network to be possible.

Each model gives one atom to every pair. A model is made to show as many new atoms as can be: starting from the links,
it takes one atom after the other that no model has shown yet, and that is still possible together with those taken
before. The closure that grows with them (``incremental``) decides that exactly, since everything in it is convex.

Links that are not convex are first narrowed to a *case*: convex relations inside the links, around one model in which
an atom that is still missing holds. What is possible in a case is possible.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import atoms_in, subrelations_of_class
from temporacle.reasoner.incremental import IncrementalClosure
from temporacle.reasoner.network import Network
from temporacle.reasoner.pointgraph import model_of
from temporacle.reasoner.tighten import graph_of, is_convex
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget

    Constraint = tuple[int, int, int]  # source, mask, target

_POSITION = {atom: position for position, atom in enumerate(ATOMS)}


class ModelPool:
    """Models of the links of a network whose strongest relations are known, and which model shows which atom."""

    def __init__(self, network: Network, table: Sequence[Sequence[int]], budget: Budget) -> None:
        """``table``: the strongest relation of each pair of the network's entities."""
        self.models: list[list[int]] = []  # the times of all points
        self.shown: dict[tuple[int, int], dict[int, int]] = {}  # by pair (first < second): the model of each atom
        self._network = network
        self._budget = budget
        self._random = Random(0)
        size = len(network.entities)
        self._missing = {
            (first, second): int(table[first][second]) for first in range(size) for second in range(first + 1, size)
        }
        if 0 in self._missing.values():
            raise InternalError("a closure leaves no atom for a pair")
        self._fill()

    def _fill(self) -> None:
        network = self._network
        if is_convex(network.constraints):
            self._cover(network.constraints)
        else:
            while self._missing:
                (first, second), atoms = next(iter(self._missing.items()))
                self._cover(self._case(first, atoms_in(atoms)[0], second))
        if not self.models:  # a single entity
            self._cover_once(network.constraints, IncrementalClosure(len(network.entities)), [])
        if self._missing:
            raise InternalError("an atom of the closure has no model")

    def _case(self, first: int, atom: int, second: int) -> list[Constraint]:
        """Return convex relations inside the links that allow an atom of a pair."""
        from temporacle.reasoner.oracle import Oracle

        names = self._network.entities
        link = self._network.links[0]._replace(
            source=names[first], relation=Relation(1 << atom), target=names[second], id="asked", label=""
        )
        world = Oracle(Network((*self._network.links, link), names), budget=self._budget)
        if not world.is_consistent():
            raise InternalError("an atom of the closure is not possible")
        model = world.witness()
        found = []
        for source, mask, target in self._network.constraints:
            modelled = _POSITION[atom_holding(model[names[source]], model[names[target]])]
            found.append((source, subrelations_of_class(mask, modelled, pointisable=False)[0], target))
        return found

    def _cover(self, constraints: Sequence[Constraint]) -> None:
        """Add models of convex relations until all atoms that are possible with them have been shown."""
        size = len(self._network.entities)
        table = graph_of(size, constraints).close(self._budget).table()
        start = IncrementalClosure(size)
        for constraint in constraints:
            start.add(*constraint)
        open_pairs = [pair for pair, atoms in self._missing.items() if atoms & int(table[pair[0]][pair[1]])]
        while open_pairs:
            self._budget.check()
            self._random.shuffle(open_pairs)
            self._cover_once(constraints, start.copy(), open_pairs)
            open_pairs = [pair for pair in open_pairs if self._missing.get(pair, 0) & int(table[pair[0]][pair[1]])]

    def _cover_once(
        self, constraints: Sequence[Constraint], closure: IncrementalClosure, pairs: Sequence[tuple[int, int]]
    ) -> None:
        """Add one model, with a missing atom for as many of the pairs as possible. The closure is that of the links."""
        taken: list[Constraint] = []
        for first, second in pairs:
            atoms = closure.relation(first, second) & self._missing[first, second]
            if atoms:
                atom = 1 << self._random.choice(atoms_in(atoms))
                closure.add(first, atom, second)
                taken.append((first, atom, second))
        times = model_of(graph_of(len(self._network.entities), [*constraints, *taken]).condense())
        self._record(times)

    def _record(self, times: list[int]) -> None:
        """Take a model in, with all atoms that it is the first to show."""
        number = len(self.models)
        self.models.append(times)
        holding = _atoms_in(times)
        for pair, atoms in list(self._missing.items()):
            atom = holding[pair[0]][pair[1]]
            if atoms & atom:
                self.shown.setdefault(pair, {})[atoms_in(atom)[0]] = number
                left = atoms & ~atom
                if left:
                    self._missing[pair] = left
                else:
                    del self._missing[pair]


def _atoms_in(times: Sequence[int]) -> list[list[int]]:
    """Return the atom that holds between every two entities, as masks."""
    import numpy as np

    from temporacle.reasoner.holding import atoms_between

    points = np.asarray(times, dtype=np.int64)
    starts, ends = points[0::2], points[1::2]
    found: list[list[int]] = atoms_between((starts[:, None], ends[:, None]), (starts, ends)).tolist()
    return found
