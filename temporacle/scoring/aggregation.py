"""From judgements of documents to one score: counts first, ratios last."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from temporacle.results import Counts, Score, harmonic_mean
from temporacle.scoring.options import Average

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.results import Skipped, Unmatched
    from temporacle.scoring.options import Judgement


def document_score(
    judgement: Judgement,
    *,
    metric: str,
    signature: str,
    empty: int,
    document: str,
    unmatched: Unmatched | None = None,
    warnings: Sequence[str] = (),
) -> Score:
    """The score of one document."""
    precision, recall = judgement.counts.precision(empty), judgement.counts.recall(empty)
    return Score(
        metric=metric,
        counts=judgement.counts,
        precision=precision,
        recall=recall,
        f1=harmonic_mean(precision, recall),
        signature=signature,
        document=document,
        breakdown=judgement.breakdown,
        confusion=judgement.confusion,
        unmatched=unmatched,
        warnings=(*warnings, *judgement.warnings),
    )


def total_score(
    documents: Sequence[Score],
    zero: Counts,
    *,
    metric: str,
    signature: str,
    empty: int,
    average: Average,
    skipped: Sequence[Skipped] = (),
    warnings: Sequence[str] = (),
) -> Score:
    """The score of many. Micro: counts add up, then divide. Macro: P, R and F1 of documents are averaged."""
    counts = sum((score.counts for score in documents), zero)
    confusion: Counter[tuple[str, str]] = Counter()
    for score in documents:
        confusion.update(score.confusion)
    if average is Average.MACRO and documents:
        precision, recall, f1 = (
            sum((getattr(score, name) for score in documents), Fraction(0)) / len(documents)
            for name in ("precision", "recall", "f1")
        )
    else:
        precision, recall = counts.precision(empty), counts.recall(empty)
        f1 = harmonic_mean(precision, recall)
    return Score(
        metric=metric,
        counts=counts,
        precision=precision,
        recall=recall,
        f1=f1,
        signature=signature,
        documents=tuple(documents),
        skipped=tuple(skipped),
        breakdown=_added([score.breakdown for score in documents]),
        confusion=confusion,
        warnings=tuple(warnings),
    )


def _added(parts: Sequence[Mapping[str, Mapping[str, Counts]]]) -> dict[str, dict[str, Counts]]:
    """Counts by group, over all documents."""
    total: dict[str, dict[str, Counts]] = {}
    for part in parts:
        for name, groups in part.items():
            table = total.setdefault(name, {})
            for group, counts in groups.items():
                table[group] = table[group] + counts if group in table else counts
    return {name: dict(sorted(table.items())) for name, table in total.items()}
