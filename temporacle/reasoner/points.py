"""The labels between endpoints that follow from a table of pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ANY, DIFFERENT, EQ, GT, LT, signs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.network import PairTable

LABELS = {LT: "<", LT | EQ: "<=", EQ: "=", GT | EQ: ">=", GT: ">", DIFFERENT: "!=", ANY: "?"}


def point_labels(table: PairTable, *, universal: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield the label of each pair of endpoints once: those of one entity, then across entities in order of mention.

    The projection of the strongest relation is the strongest label: each atom that is possible shows its signs.
    Pairs about which nothing is known have the label ``?`` and are left out unless asked for.
    """
    names = table.entities
    for i, source in enumerate(names):
        yield f"{source}.start", "<", f"{source}.end"
        row = table.rows[i]
        for j in range(i + 1, len(names)):
            signs = iter(signs_of(int(row[j])))
            for left in ("start", "end"):
                for right in ("start", "end"):
                    label = next(signs)
                    if universal or label != ANY:
                        yield f"{source}.{left}", LABELS[label], f"{names[j]}.{right}"
