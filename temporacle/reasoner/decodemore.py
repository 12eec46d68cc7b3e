"""More about an optimum: the next best labellings, and how sure each label is.

Parts do not influence each other. So the value of a labelling is the sum over the parts, the next best labellings are
put together from the best ones of the parts, and the margin of a pair depends on its own part alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.decodepart import Labelling, PartDecoder
    from temporacle.reasoner.decodeproblem import Ranks


def next_best(decoders: Sequence[PartDecoder], best: Sequence[Labelling], count: int) -> list[tuple[int, Ranks]]:
    """Return the next best labellings after the best one: the additional cost of each, and the ranks of the pairs that
    differ.

    Raises BudgetExceeded if they are not all known in time.
    """
    sums: list[tuple[int, Ranks]] = [(0, {})]
    for decoder, own in zip(decoders, best, strict=True):
        found = decoder.several(count + 1, own)
        steps = [(each.cost - own.cost, _differing(own.ranks, each.ranks)) for each in found]
        together = [(before + more, {**ranks, **others}) for before, ranks in sums for more, others in steps]
        sums = sorted(together, key=lambda each: each[0])[: count + 1]  # stable: equal ones in a fixed order
    return sums[1:]


def part_margins(decoder: PartDecoder, best: Labelling) -> dict[int, int | None]:
    """Return, for each pair of a part, the loss of value if the pair must have another label; None if it can have no
    other.

    Raises BudgetExceeded if they are not all known in time.
    """
    margins: dict[int, int | None] = {}
    for pair in decoder.part.pairs:
        other = decoder.best_with_other(pair, best)
        margins[pair] = None if other is None else other.cost - best.cost
    return margins


def _differing(best: Ranks, other: Ranks) -> Ranks:
    return {pair: rank for pair, rank in other.items() if rank != best[pair]}
