"""Helpers of the reasoner's tests: random networks, and the truth about small ones by brute force.

The truth uses nothing of the library except its names for sets of atoms: no composition table, no endpoint graph, no
solver. All scenarios (weak orders of the endpoints) of up to four intervals are listed once; for each pair and atom a
bitset says in which of them the atom holds. The models of a network are then the AND over its links of the OR over
their atoms.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, RelationClass, classify
from temporacle.reasoner.network import Network
from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

Triple = tuple[str, Relation, str]
Scenario = tuple[tuple[int, int], ...]  # (start, end) of each interval; the times used are 0, 1, 2, ... without gaps

_CLASSES = list(RelationClass)
_CLASS_OF_KIND = {
    "convex": RelationClass.CONVEX,
    "pointisable": RelationClass.POINTISABLE,
    "ord-horn": RelationClass.ORD_HORN,
}
# Path-consistent, no label empty, and yet inconsistent: four entities are the fewest possible.
TRAP = [
    ("0", "s|f", "1"),
    ("0", "m|s", "2"),
    ("0", "m|s", "3"),
    ("1", "o", "2"),
    ("1", "o", "3"),
    ("2", "f|fi", "3"),
]
KINDS = ("atomic", *_CLASS_OF_KIND, "arbitrary")


@cache
def relations_of(kind: str) -> tuple[Relation, ...]:
    """All non-empty relations of a kind; each kind contains those before it."""
    if kind == "atomic":
        return tuple(Relation.of(atom) for atom in ATOMS)
    if kind == "arbitrary":
        return tuple(map(Relation, range(1, ALL + 1)))
    highest = _CLASSES.index(_CLASS_OF_KIND[kind])
    return tuple(Relation(mask) for mask in range(1, ALL + 1) if _CLASSES.index(classify(mask)) <= highest)


@cache
def _relations_by_size(kind: str) -> tuple[tuple[Relation, ...], ...]:
    by_size: dict[int, list[Relation]] = {}
    for relation in relations_of(kind):
        by_size.setdefault(relation.bit_count(), []).append(relation)
    return tuple(tuple(relations) for _, relations in sorted(by_size.items()))


def random_relation(rng: Random, kind: str) -> Relation:
    """First a number of atoms, then a relation with so many: small relations, which clash most, come up often."""
    by_size = _relations_by_size(kind)
    return rng.choice(by_size[min(rng.randrange(len(by_size)) for _ in range(2))])


def random_network(rng: Random, entities: Sequence[str], kind: str, density: float) -> list[Triple]:
    """Each pair is linked with probability ``density``, in a random direction, one time in ten by two links.

    The order of the links is random as well. There are no self-links.
    """
    triples = []
    for i, first in enumerate(entities):
        for second in entities[i + 1 :]:
            if rng.random() >= density:
                continue
            for _ in range(2 if rng.random() < 0.1 else 1):
                source, target = (first, second) if rng.random() < 0.5 else (second, first)
                triples.append((source, random_relation(rng, kind), target))
    rng.shuffle(triples)
    return triples


def network_of(triples: Sequence[Triple], entities: Sequence[str] = ()) -> Network:
    """The library's form of a network."""
    links = (Link(f"l{k}", *triple, label=str(triple[1])) for k, triple in enumerate(triples, 1))
    return Network(links, entities)


def all_scenarios(size: int) -> Iterator[Scenario]:
    """Every arrangement of that many intervals, each once: put one interval after the other into the order."""
    if size == 0:
        yield ()
        return
    for scenario in all_scenarios(size - 1):
        ranks = len({time for interval in scenario for time in interval})
        # Old times become odd, so that the even places are the gaps before, between and after them.
        spread = [(2 * start + 1, 2 * end + 1) for start, end in scenario]
        for start in range(2 * ranks + 1):
            for end in range(start, 2 * ranks + 1):
                if start < end:
                    yield _ranked([*spread, (start, end)])
                elif start % 2 == 0:  # both endpoints are new and stand in the same gap
                    widened = [tuple(time + (time > start) for time in interval) for interval in spread]
                    yield _ranked([*widened, (start, start + 1)])


def _ranked(intervals: Sequence[tuple[int, int]]) -> Scenario:
    rank = {time: k for k, time in enumerate(sorted({time for interval in intervals for time in interval}))}
    return tuple((rank[start], rank[end]) for start, end in intervals)


def atom_between(x: tuple[int, int], y: tuple[int, int]) -> str:
    """The atom that holds between two intervals, by the words of its definition."""
    if x[1] < y[0]:
        return "b"
    if x[1] == y[0]:
        return "m"
    if y[1] < x[0]:
        return "bi"
    if y[1] == x[0]:
        return "mi"
    if x[0] == y[0]:
        return "=" if x[1] == y[1] else "s" if x[1] < y[1] else "si"
    if x[1] == y[1]:
        return "f" if x[0] > y[0] else "fi"
    if x[0] < y[0]:
        return "o" if x[1] < y[1] else "di"
    return "d" if x[1] < y[1] else "oi"


@cache
def scenario_bitsets(size: int) -> tuple[int, dict[tuple[int, int], dict[str, int]]]:
    """The set of all scenarios, and for each ordered pair (also of one with itself) and atom where it holds."""
    if size > 4:
        raise ValueError(f"{size} entities: brute force goes up to 4")
    holds = {(i, j): dict.fromkeys(ATOMS, 0) for i in range(size) for j in range(size)}
    count = 0
    members: dict[tuple[int, int, str], list[int]] = {}
    for scenario in all_scenarios(size):
        for i, j in holds:
            members.setdefault((i, j, atom_between(scenario[i], scenario[j])), []).append(count)
        count += 1
    for (i, j, atom), numbers in members.items():
        bits = bytearray(count // 8 + 1)
        for number in numbers:
            bits[number // 8] |= 1 << number % 8
        holds[i, j][atom] = int.from_bytes(bits, "little")
    return (1 << count) - 1, holds


def brute_force(triples: Sequence[Triple], entities: Sequence[str]) -> dict[tuple[str, str], Relation] | None:
    """The strongest relation of every ordered pair of different entities; None if the links cannot all be true."""
    number = {name: k for k, name in enumerate(entities)}
    models, holds = scenario_bitsets(len(entities))
    for source, relation, target in triples:
        by_atom = holds[number[source], number[target]]
        allowed = 0
        for atom in relation.atoms:
            allowed |= by_atom[atom]
        models &= allowed
    if not models:
        return None
    return {
        (source, target): Relation.of(*(atom for atom, where in holds[i, j].items() if where & models))
        for source, i in number.items()
        for target, j in number.items()
        if i != j
    }


def hard_network(rng: Random, size: int, degree: float, atoms: float = 6.5, *, hard: bool = False) -> Network:
    """A(n, d, l), or H(n, d, l) without ORD-Horn labels: the networks of the literature on hard instances."""
    links = [
        Link(f"l{i}.{j}", f"e{i}", _hard_label(rng, atoms, hard=hard), f"e{j}")
        for i, j in combinations(range(size), 2)
        if rng.random() < degree / (size - 1)
    ]
    return Network(links, [f"e{k}" for k in range(size)])


def _hard_label(rng: Random, atoms: float, *, hard: bool) -> Relation:
    while True:
        mask = sum(1 << position for position in range(len(ATOMS)) if rng.random() < atoms / len(ATOMS))
        if mask and (not hard or classify(mask) is RelationClass.GENERAL):
            return Relation(mask)
