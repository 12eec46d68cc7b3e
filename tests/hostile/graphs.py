"""Networks made to be hard: random disjunctions at the phase transition, and shapes that break careless algorithms."""

from __future__ import annotations

from random import Random

from temporacle.model import Link
from temporacle.relation import ATOMS, Relation

BEFORE = Relation.of("b")
EQUAL = Relation.of("=")


def phase_transition(entities: int, degree: float, atoms: float, seed: int) -> list[tuple[str, Relation, str]]:
    """A(n, d, s): each pair is linked with probability d / (n - 1), by a relation of s atoms on average."""
    rng = Random(f"{entities} {degree} {atoms} {seed}")
    triples = []
    for i in range(entities):
        for j in range(i + 1, entities):
            if rng.random() < degree / (entities - 1):
                mask = 0
                while not mask:
                    mask = sum(1 << atom for atom in range(len(ATOMS)) if rng.random() < atoms / len(ATOMS))
                triples.append((f"x{i}", Relation(mask), f"x{j}"))
    return triples


def chain(length: int) -> list[Link]:
    """x0 before x1 before x2 ..."""
    return [Link(f"l{i}", f"x{i}", BEFORE, f"x{i + 1}") for i in range(length)]


def ring(length: int) -> list[Link]:
    """A chain that bites its tail."""
    return [*chain(length - 1), Link("back", f"x{length - 1}", BEFORE, "x0")]


def hub(spokes: int) -> list[Link]:
    """One entity before all others."""
    return [Link(f"l{i}", "hub", BEFORE, f"x{i}") for i in range(spokes)]


def clique(size: int) -> list[Link]:
    """Everything equal to everything."""
    return [Link(f"l{i}-{j}", f"x{i}", EQUAL, f"x{j}") for i in range(size) for j in range(i)]
