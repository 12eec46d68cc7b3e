"""Every question answered by a model: all that an engine needs to have is a way to find one.

What a model shows is possible. What no model shows, although one was searched for, is not. So a function that finds a
model of the links, and of one more link if asked to, decides consistency, entailment and the strongest relation of
every pair. Each model is checked against all links by the definition of the atoms before anything is read from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from temporacle.errors import InternalError
from temporacle.reasoner.network import PairTable, require_memory
from temporacle.relation import EQUAL, EVERYTHING, Relation, atom_holding

if TYPE_CHECKING:
    from temporacle.reasoner.network import Network

    Constraint: TypeAlias = tuple[int, int, int]  # source, mask, target

Find: TypeAlias = Callable[["Constraint | None"], "Sequence[int] | None"]
"""Returns integer times of all endpoints at which the links and the given one are true; None if there are none."""


class ByModels:
    """Exact answers about a network, from the models that ``find`` finds."""

    def __init__(self, network: Network, find: Find) -> None:
        self._network = network
        self._find = find
        self._models: list[list[int]] = []

    def model(self) -> list[int] | None:
        """Return integer times for all endpoints; None if the links cannot all be true."""
        return self._models[0] if self._models or self._search(None) else None

    def possible(self, source: int, target: int, within: int) -> int:
        """Return the atoms of ``within`` that are known to be possible. Search for a model first if none is known."""
        if source == target:
            return within & EQUAL if self.model() is not None else 0
        found = within & self._seen(source, target)
        if not found and within and self._search((source, within, target)):
            found = within & self._seen(source, target)
        return int(found)

    def relation(self, source: int, target: int) -> int:
        """Return all atoms that are possible for a pair."""
        if source == target:
            return self.possible(source, target, int(EQUAL))
        known = self._seen(source, target)
        while more := self.possible(source, target, int(EVERYTHING) & ~known):
            known |= more
        return known

    def table(self) -> list[list[int]]:
        """Return the strongest relation of every pair."""
        size = len(self._network.entities)
        require_memory(8 * size * size, f"a table of all pairs of {size} entities")
        rows = [[int(EQUAL)] * size for _ in range(size)]
        for source, target in combinations(range(size), 2):
            mask = self.relation(source, target)
            rows[source][target], rows[target][source] = mask, int(Relation(mask).converse())
        return rows

    def closure(self) -> PairTable | None:
        """Return the relations of all pairs with the names of the entities; None if the links cannot all be true."""
        return None if self.model() is None else PairTable(self._network.entities, self.table())

    def _search(self, question: Constraint | None) -> bool:
        """Look for a model in which the question holds; keep it."""
        times = self._find(question)
        if times is None:
            return False
        asked = () if question is None else (question,)
        if not is_model(times, [*self._network.constraints, *asked], len(self._network.entities)):
            raise InternalError("an engine returned times at which the links do not hold")
        self._models.append(list(times))
        return True

    def _seen(self, source: int, target: int) -> int:
        seen = 0
        for times in self._models:
            seen |= atom_at(times, source, target)
        return seen


def is_model(times: Sequence[int], constraints: Sequence[Constraint], size: int) -> bool:
    """Return whether all entities have a start before their end, and every link holds at these times."""
    return all(times[2 * entity] < times[2 * entity + 1] for entity in range(size)) and all(
        atom_at(times, source, target) & mask for source, mask, target in constraints
    )


def atom_at(times: Sequence[int], source: int, target: int) -> int:
    """Return the atom that holds between two entities, as a mask."""
    x, y, z, u = times[2 * source], times[2 * source + 1], times[2 * target], times[2 * target + 1]
    return _atom(x, y, z, u) if x < y and z < u else 0


@cache
def _bits() -> dict[str, int]:
    return {atom: int(Relation.of(atom)) for atom in EVERYTHING.atoms}


def _atom(x: int, y: int, z: int, u: int) -> int:
    return _bits()[atom_holding((x, y), (z, u))]
