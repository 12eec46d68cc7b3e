"""Random networks of disjunctions, as the literature on hard instances draws them (Nebel 1997).

A(n, d, l)   n entities; each pair is linked with probability d / (n - 1); each of the 13 atoms is in a label with
             probability l / 13. Empty labels are drawn again
H(n, d, l)   the same, but labels of the ORD-Horn class are drawn again too
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from temporacle.model import Document, Link
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.relation import ATOMS, Relation

if TYPE_CHECKING:
    from random import Random

FAMILIES = {"A": 6.5, "H": 4.0}  # atoms in a label, on average


def hard_network(random: Random, family: str, size: int, degree: float, name: str) -> Document:
    """Return a network of a family, with entities 0 .. size - 1."""
    links = [
        Link(f"{i}-{j}", str(i), _label(random, family), str(j))
        for i, j in combinations(range(size), 2)
        if random.random() < degree / (size - 1)
    ]
    return Document(name, tuple(links), tuple(map(str, range(size))))


def _label(random: Random, family: str) -> Relation:
    chance = FAMILIES[family] / len(ATOMS)
    while True:
        relation = Relation.of(*(atom for atom in ATOMS if random.random() < chance))
        if relation and (family != "H" or classify(relation) is RelationClass.GENERAL):
            return relation
