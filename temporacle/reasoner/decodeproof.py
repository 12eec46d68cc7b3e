"""The proof that a labelling is optimal, in pieces that can be checked by others.

    consistent     a certificate of the labels and the hard links: a witness
    conflicts      for each conflict that the bound rests on, a certificate that its links contradict each other. A link
                   says that its pair has one of the blocked labels
    statement      the pairs with the values of their labels, and which labels each conflict blocks

The statement is a small problem by itself: give every pair one label, so that for each conflict at least one pair has a
label that is not blocked. No solution of it is worth more than the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.reasoner.certificates import certify
from temporacle.reasoner.network import Network
from temporacle.results import Certificate
from temporacle.scored import UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Link
    from temporacle.reasoner.decode import Decoded
    from temporacle.reasoner.decodeproblem import Conflict
    from temporacle.reasoner.network import Budget

FORMAT = "temporacle-optimum"
VERSION = 1


class OptimumProof(NamedTuple):
    """The proof that a labelling is consistent and that no labelling is worth more than the bound."""

    consistent: Certificate
    conflicts: tuple[Certificate, ...]


def conflict_links(conflict: Conflict, decoded: Decoded, hard: Sequence[Link]) -> list[Link]:
    """Return the links that contradict each other: hard ones, and "one of the blocked labels" for each pair."""
    widened = [decoded.pairs[pair].any_of(bits) for pair, bits in conflict.blocked.items()]
    return [*(hard[number] for number in conflict.hard), *widened]


def prove(decoded: Decoded, hard: Sequence[Link], budget: Budget) -> OptimumProof:
    """Return the certificates of a labelling. Raise BudgetExceeded if one is not found in time."""
    labels = Network([*hard, *decoded.links()])
    conflicts = [certify(Network(conflict_links(conflict, decoded, hard)), budget) for conflict in decoded.conflicts]
    return OptimumProof(Certificate("consistent", labels.links, witness=decoded.witness), tuple(conflicts))


def statement(decoded: Decoded, document: str, objective: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the statement as JSON values; ``names`` are the files of the conflicts' certificates."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "document": document,
        "objective": objective,
        "unit": f"1/{UNIT}",
        "value": decoded.value,
        "bound": decoded.bound,
        "pairs": [
            {
                "id": pair.pair.id,
                "source": pair.pair.source,
                "target": pair.pair.target,
                "values": [
                    [label.label, pair.best - cost] for label, cost in zip(pair.labels, pair.costs, strict=True)
                ],
                "chosen": pair.labels[decoded.ranks[number]].label,
            }
            for number, pair in enumerate(decoded.pairs)
        ],
        "conflicts": [
            {
                "certificate": name,
                "blocked": [
                    [pair, [label.label for rank, label in enumerate(decoded.pairs[pair].labels) if bits >> rank & 1]]
                    for pair, bits in conflict.blocked.items()
                ],
            }
            for name, conflict in zip(names, decoded.conflicts, strict=True)
        ],
    }
