"""The proof that a closure is right and complete: the claim ``closure`` of a certificate.

For every pair of entities, each atom of the strongest relation has a model, and each other atom has a reason why it is
impossible. Both are shared: models show atoms of all pairs at once (``ModelPool``), reasons are trees of paths between
endpoints (``ReasonBook``).

Links connect entities to *parts*. Between two parts everything is possible: the times of one part can be moved and
stretched without the other, until any atom holds. So only pairs within a part are listed.

Convex links need paths only. Otherwise some relations are *derived* first, each with a proof by cases or clauses: those
of pairs with a disjunctive link, which then serve as facts for all further proofs, and then those of other pairs where
paths do not exclude enough.
"""

from __future__ import annotations

from heapq import heappop, heappush
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, RelationClass, atoms_in, classify, converse, subrelations_of_class
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network
from temporacle.reasoner.points.graph import Closure, Contradiction, edges_between, model_of
from temporacle.reasoner.points.growing import IncrementalClosure
from temporacle.reasoner.points.hulls import graph_of, is_convex
from temporacle.reasoner.proofs.certificate import certify_conflict, refutation_to_json
from temporacle.relation import ATOMS, Relation, atom_holding
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.reasoner.network import Budget, PairTable

    Constraint = tuple[int, int, int]  # source, mask, target

_MOST_PAIRS = 1_000_000  # in parts: a certificate of some hundred megabytes


def certify_closure(judged: Judged) -> Certificate:
    """Return a certificate of the strongest relation of every pair, or of the contradiction if there is one."""
    table = judged.table()
    if table is None:
        return certify_conflict(judged)
    return certify_table(judged.network, table, judged.budget)


def certify_table(network: Network, table: PairTable, budget: Budget) -> Certificate:
    """Return a certificate that a table has the strongest relation of every pair of a consistent network."""
    return Certificate("closure", network.links, form=prove_closure(network, table, budget))


def prove_closure(network: Network, table: PairTable, budget: Budget) -> dict[str, Any]:
    """Return the fields of a certificate that are about the closure of a consistent network.

    ``table``: the strongest relation of each pair. Raise InternalError if it is not, BudgetExceeded if the proof is too
    large.
    """
    parts = parts_of(network)
    pairs = sum(len(part) * (len(part) - 1) // 2 for part in parts)
    if pairs > _MOST_PAIRS:
        raise BudgetExceeded(f"a certificate would list {pairs:,} pairs; at most {_MOST_PAIRS:,} are written")
    grounds = ReasonBook(network, budget)
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
        self, whole: Network, part: list[int], rows: Sequence[Sequence[int]], grounds: ReasonBook, budget: Budget
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


# ----------------------------------------------------------------------------------------------------
# Reasons why atoms are impossible for pairs of entities, shared between pairs: what a certificate can show.
#
#     path      endpoints p <= ... <= q: each edge follows from one fact. Most pairs need no more
#     fact      a link, or a derived relation, between the two entities
#     derived   a relation with a proof that the facts before it contradict its negation; it is a fact for what
#     follows
#
# Paths from one endpoint form a tree, so that each path is an earlier one and one edge more. Links have *ranks*: a tree
# leads to every endpoint by links of the lowest possible rank, and with few edges among these. So the same tree serves
# questions about what follows from the first links of a document, for any number of links.
#
# Cost: one search of the graph for each endpoint from which a path is asked for; it ends when all of them are found.

_HOPS = 1 << 32  # more than a path has edges


class PointPath(NamedTuple):
    """A question for a path between two points, by facts of a rank below ``before``."""

    from_point: int
    to_point: int
    strict: bool
    before: int


class Derived(NamedTuple):
    """A relation that follows from facts."""

    link: Link
    conflict: list[int | str]
    proof: Any


Reason = PointPath | int  # a path, or the number of a fact


class ReasonBook:
    """The facts of one graph, and the reasons that were asked for.

    A fact is a link of the network, by its position, or a derived relation; these are numbered after the links.
    """

    def __init__(self, network: Network, budget: Budget, usable: Iterable[int] | None = None) -> None:
        """``usable``: positions of the links that are facts, which are their ranks. None: all links, of one rank."""
        self._network = network
        self._budget = budget
        self._derived: list[Derived] = []
        self._wanted: dict[int, dict[PointPath, int]] = {}  # by the first point, with the number of the path once known
        self._edges: dict[tuple[int, int, bool, int | None], int] = {}
        self._paths: list[tuple[int | None, int]] = []
        # To each point the edges from it: point, strict, rank, fact.
        self._successors: list[list[tuple[int, bool, int, int | None]]] = [[] for _ in range(2 * len(network.entities))]
        for start in range(0, len(self._successors), 2):
            self._successors[start].append((start + 1, True, -1, None))
        for position in range(len(network.links)) if usable is None else usable:
            self._add_edges(*network.constraints[position], 0 if usable is None else position, position)

    def _add_edges(self, source: int, mask: int, target: int, rank: int, fact: int) -> None:
        if source == target:
            return
        for x, y, strict in edges_between(source, mask, target):
            self._successors[x].append((y, strict, rank, fact))

    # --- reasons ------------------------------------------------------------------------------------------------------

    def paths_for(self, source: int, hull: int, target: int, before: int | None = None) -> list[Reason]:
        """Return the paths that exclude every atom outside of a convex relation, which must follow from the hulls."""
        limit = len(self._network.links) if before is None else before
        found: list[Reason] = []
        for x, y, strict in edges_between(source, hull, target) if source != target else ():
            path = PointPath(x, y, strict, limit)
            self._wanted.setdefault(path.from_point, {})[path] = -1
            found.append(path)
        return found

    def derive(
        self, source: str, excluded: int, target: str, premises: Sequence[tuple[int, Link]], *, joins: bool = False
    ) -> int:
        """Return the number of a new fact: the pair has none of the excluded atoms.

        ``premises``: numbers of facts, and what they say. ``joins``: its hull can be part of paths.
        """
        query = premises[0][1]._replace(id="query", source=source, relation=Relation(excluded), target=target, label="")
        network = Network([*(link for _, link in premises), query])
        numbers = [number for number, _ in premises]
        conflict, proof = refutation_to_json(network, self._budget, [*numbers, "query"])
        number = len(self._network.links) + len(self._derived)
        link = query._replace(relation=Relation(ALL & ~excluded))
        self._derived.append(Derived(link, conflict, proof))
        if joins:
            index = self._network.index
            self._add_edges(index[source], int(link.relation), index[target], 0, number)
        return number

    # --- the record ---------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Find all paths that were asked for and have not been found yet."""
        for start, wanted in self._wanted.items():
            self._budget.check()
            self._search(start, wanted)

    def numbered(self, reasons: Iterable[Reason]) -> list[int]:
        """Return reasons as a certificate names them: the number of a path, or -1 - the number of a fact."""
        return [
            -1 - reason if isinstance(reason, int) else self._wanted[reason.from_point][reason] for reason in reasons
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of a certificate."""
        return {
            "derived": [
                [each.link.source, list(each.link.relation.atoms), each.link.target, each.conflict, each.proof]
                for each in self._derived
            ],
            "edges": [
                [self._name(x), "<" if strict else "<=", self._name(y), fact] for x, y, strict, fact in self._edges
            ],
            "paths": [list(path) for path in self._paths],
        }

    def _name(self, point: int) -> str:
        return f"{self._network.entities[point >> 1]}.{'end' if point & 1 else 'start'}"

    def _search(self, start: int, wanted: dict[PointPath, int]) -> None:
        """Find the paths from one point. A state is a point, and whether a strict edge led there."""
        ends: dict[int, list[PointPath]] = {}  # by state; not asking for a strict path, either state will do
        for path in wanted:
            for strict in (True,) if path.strict else (False, True):
                ends.setdefault(2 * path.to_point + strict, []).append(path)
        missing = sum(number < 0 for number in wanted.values())
        best = {2 * start: 0}
        came: dict[int, tuple[int, tuple[int, int, bool, int | None]]] = {}
        numbers: dict[int, int] = {}
        heap = [(0, 2 * start)]
        while heap and missing:
            cost, state = heappop(heap)
            if cost > best[state]:
                continue
            for path in ends.get(state, ()):
                if wanted[path] < 0 and cost // _HOPS <= path.before:
                    wanted[path] = self._number(state, 2 * start, came, numbers)
                    missing -= 1
            point, strictly = state >> 1, bool(state & 1)
            for following, strict, rank, fact in self._successors[point]:
                reached = 2 * following + (strictly or strict)
                new = max(cost // _HOPS, rank + 1) * _HOPS + cost % _HOPS + 1
                if reached not in best or new < best[reached]:
                    best[reached] = new
                    came[reached] = (state, (point, following, strict, fact))
                    heappush(heap, (new, reached))
        if missing:
            raise InternalError("a relation follows from no path of endpoints")

    def _number(
        self,
        state: int,
        root: int,
        came: dict[int, tuple[int, tuple[int, int, bool, int | None]]],
        numbers: dict[int, int],
    ) -> int:
        """Return the number of the path to a settled state, after those that it extends."""
        way = []
        while state != root and state not in numbers:
            way.append(state)
            state = came[state][0]
        for reached in reversed(way):
            before, edge = came[reached]
            self._paths.append((numbers.get(before), self._edges.setdefault(edge, len(self._edges))))
            numbers[reached] = len(self._paths) - 1
        return numbers[way[0]] if way else numbers[state]


# ----------------------------------------------------------------------------------------------------
# Few models that together show all atoms of a minimal network to be possible.
#
# Each model gives one atom to every pair. A model is made to show as many new atoms as can be: starting from the links,
# it takes one atom after the other that no model has shown yet, and that is still possible together with those taken
# before. The closure that grows with them (``points.growing``) decides that exactly, since everything in it is convex.
#
# Links that are not convex are first narrowed to a *case*: convex relations inside the links, around one model in which
# an atom that is still missing holds. What is possible in a case is possible.

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
            self._cover_once(network.constraints, [])
        if self._missing:
            raise InternalError("an atom of the closure has no model")

    def _case(self, first: int, atom: int, second: int) -> list[Constraint]:
        """Return convex relations inside the links that allow an atom of a pair."""
        names = self._network.entities
        link = self._network.links[0]._replace(
            source=names[first], relation=Relation(1 << atom), target=names[second], id="asked", label=""
        )
        world = Judged(Network((*self._network.links, link), names), self._budget)
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
        open_pairs = [pair for pair, atoms in self._missing.items() if atoms & int(table[pair[0]][pair[1]])]
        while open_pairs:
            self._budget.check()
            self._random.shuffle(open_pairs)
            self._cover_once(constraints, open_pairs)
            open_pairs = [pair for pair in open_pairs if self._missing.get(pair, 0) & int(table[pair[0]][pair[1]])]

    def _cover_once(self, constraints: Sequence[Constraint], pairs: Sequence[tuple[int, int]]) -> None:
        """Add one model, with a missing atom for as many of the pairs as possible."""
        closure = IncrementalClosure(len(self._network.entities))
        for constraint in constraints:
            closure.add(*constraint)
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

    from temporacle.reasoner.points.times import atoms_between

    points = np.asarray(times, dtype=np.int64)
    starts, ends = points[0::2], points[1::2]
    found: list[list[int]] = atoms_between((starts[:, None], ends[:, None]), (starts, ends)).tolist()
    return found
