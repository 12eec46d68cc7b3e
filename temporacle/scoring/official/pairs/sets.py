"""``tieval``: links as sets. Its macro recall is computed with false positives, as its macro precision is: a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.official.pairs import OriginalStopsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.scoring.pairs.examples import Examples


class SetCounts(NamedTuple):
    """The links of a document that both sides have, and those of each side."""

    right: int
    gold: int
    system: int


def set_counts(found: Examples) -> SetCounts:
    """Return the scores from the examples of a document (``Pairing.SETS``)."""
    right = sum(number for (key, given), number in found.confusion.items() if key == given)
    system = found.confusion.total() - found.missing
    return SetCounts(right, found.gold, system)


def tieval_scores(documents: Sequence[SetCounts]) -> dict[str, dict[str, float]]:
    """Return micro and macro scores, as the program computes them."""
    if not documents:
        raise OriginalStopsError("there is no document")
    if any(not each.gold or not each.system for each in documents):
        raise OriginalStopsError("a document has no links on one side")
    right, gold, system = (sum(column) for column in zip(*documents, strict=True))
    size = len(documents)
    precision = sum(each.right / each.system for each in documents) / size
    return {
        "micro": _figures(right / gold, right / system, right / gold),
        "macro": _figures(sum(each.right / each.gold for each in documents) / size, precision, precision),
    }


def _figures(accuracy: float, precision: float, recall: float) -> dict[str, float]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": f1}
