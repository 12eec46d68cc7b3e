"""The proof that a closure is right and complete: the claim ``closure`` of a certificate.

For every pair of entities, each atom of the strongest relation has a model, and each other atom has a reason why it is
impossible. Both are shared: models show atoms of all pairs at once (``modelpool``), reasons are trees of paths between
endpoints (``grounds``).

Links connect entities to *parts*. Between two parts everything is possible: the times of one part can be moved and
stretched without the other, until any atom holds. So only pairs within a part are listed.

Convex links need paths only. Otherwise some relations are *derived* first, each with a proof by cases or clauses: those
of pairs with a disjunctive link, which then serve as facts for all further proofs, and then those of other pairs where
paths do not exclude enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, RelationClass, atoms_in, classify, converse
from temporacle.reasoner.grounds import Grounds, Reason
from temporacle.reasoner.modelpool import ModelPool
from temporacle.reasoner.network import Network
from temporacle.reasoner.pointgraph import Closure, Contradiction
from temporacle.reasoner.tighten import graph_of
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.network import Budget, PairTable

_MOST_PAIRS = 1_000_000  # in parts: a certificate of some hundred megabytes


def prove_closure(network: Network, table: PairTable, budget: Budget) -> dict[str, Any]:
    """Return the fields of a certificate that are about the closure of a consistent network.

    ``table``: the strongest relation of each pair. Raise InternalError if it is not, BudgetExceeded if the proof is too
    large.
    """
    parts = parts_of(network)
    pairs = sum(len(part) * (len(part) - 1) // 2 for part in parts)
    if pairs > _MOST_PAIRS:
        raise BudgetExceeded(f"a certificate would list {pairs:,} pairs; at most {_MOST_PAIRS:,} are written")
    grounds = Grounds(network, budget)
    proofs = [_PartProof(network, part, table.rows, grounds, budget) for part in parts]
    grounds.settle()
    return {
        "entities": list(network.entities),
        **grounds.to_json(),
        "parts": [proof.to_json() for proof in proofs],
    }


def parts_of(network: Network) -> list[list[int]]:
    """Return the entities that links connect, directly or not, in order of their first members."""
    leader = list(range(len(network.entities)))

    def find(entity: int) -> int:
        while leader[entity] != entity:
            leader[entity] = leader[leader[entity]]
            entity = leader[entity]
        return entity

    for source, _, target in network.constraints:
        first, second = find(source), find(target)
        leader[max(first, second)] = min(first, second)
    parts: dict[int, list[int]] = {}
    for entity in range(len(leader)):
        parts.setdefault(find(entity), []).append(entity)
    return list(parts.values())


class _PartProof:
    """The models and reasons for the pairs of one part."""

    def __init__(
        self, whole: Network, part: list[int], rows: Sequence[Sequence[int]], grounds: Grounds, budget: Budget
    ) -> None:
        self._part, self._rows, self._grounds, self._budget = part, rows, grounds, budget
        self._names = [whole.entities[entity] for entity in part]
        inside = set(part)
        positions = [position for position, link in enumerate(whole.constraints) if link[0] in inside]
        self._network = Network((whole.links[position] for position in positions), self._names)
        self._facts: list[tuple[int, Link]] = [(position, whole.links[position]) for position in positions]
        own_rows = [[int(row[second]) for second in part] for row in (rows[first] for first in part)]
        self._pool = ModelPool(self._network, own_rows, budget)
        self._between: dict[tuple[int, int], list[tuple[int, int]]] = {}  # by pair, disjunctive facts and what they say
        for (position, _), (source, mask, target) in zip(self._facts, self._network.constraints, strict=True):
            if source != target and classify(mask) is not RelationClass.CONVEX:
                first, second, seen = (source, target, mask) if source < target else (target, source, converse(mask))
                self._between.setdefault((first, second), []).append((position, seen))
        closure = self._closure()
        if self._between:
            closure = self._narrowed(closure, own_rows)
        self._reasons = [
            self._reasons_for(first, own_rows[first][second], second, closure)
            for first in range(len(part))
            for second in range(first + 1, len(part))
        ]

    def _closure(self) -> Closure:
        """Return what follows from the hulls of all facts."""
        number = {name: place for place, name in enumerate(self._names)}
        facts = [(number[link.source], int(link.relation), number[link.target]) for _, link in self._facts]
        try:
            return graph_of(len(self._names), facts).close(self._budget)
        except Contradiction:
            raise InternalError("derived relations contradict the links") from None

    def _narrowed(self, closure: Closure, rows: Sequence[Sequence[int]]) -> Closure:
        """Derive the strongest relation of pairs with a disjunctive link, and let it take the place of that link."""
        narrowed = False
        for (first, second), facts in self._between.items():
            exact, bound = rows[first][second], closure.relation(first, second)
            for _, mask in facts:
                bound &= mask
            if bound == exact:
                continue
            names = self._names[first], self._names[second]
            number = self._grounds.derive(names[0], ALL & ~exact, names[1], self._facts, joins=True)
            replaced = {position for position, _ in facts}
            self._facts = [fact for fact in self._facts if fact[0] not in replaced]
            self._facts.append((number, Link("derived", names[0], Relation(exact), names[1])))
            facts[:] = [(number, exact)]
            narrowed = True
        return self._closure() if narrowed else closure

    def _reasons_for(self, first: int, exact: int, second: int, closure: Closure) -> list[Reason]:
        """Return reasons that exclude every atom that is not in the strongest relation of a pair."""
        hull = closure.relation(first, second)
        reasons = self._grounds.paths_for(self._part[first], hull, self._part[second])
        left = hull & ~exact
        for number, mask in self._between.get((first, second), ()):
            if left & ~mask:
                reasons.append(number)
                left &= mask
        if left:
            number = self._grounds.derive(self._names[first], left, self._names[second], self._facts)
            reasons.append(number)
        return reasons

    def to_json(self) -> dict[str, Any]:
        """Return the part of the record, once all paths are known."""
        reasons = iter(self._reasons)
        pairs = []
        for first, source in enumerate(self._names):
            for second in range(first + 1, len(self._names)):
                atoms = atoms_in(int(self._rows[self._part[first]][self._part[second]]))
                shown = self._pool.shown[first, second]
                pairs.append(
                    [
                        source,
                        list(Relation(sum(1 << atom for atom in atoms)).atoms),
                        self._names[second],
                        self._grounds.numbered(next(reasons)),
                        [shown[atom] for atom in atoms],
                    ]
                )
        return {"entities": self._names, "models": self._pool.models, "pairs": pairs}
