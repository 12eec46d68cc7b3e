"""Scores on the closed interval graph (Setzer et al. 2003; Tannier & Muller 2011, section 2.3).

Both graphs are closed exactly, also where they are not convex, and compared pair by pair as ``closed_pairs`` says.
Links that contradict others are treated as in temporal awareness before closing. Every related pair weighs the same,
however easily it follows from others; ``core`` and ``reduction`` answer that objection.

O(n^2) in the number of entities, in time and in memory; in large and sparse documents, time is linear in the number of
related pairs, and memory in the number of links.

>>> from temporacle.model import Document
>>> key, answer = (Document("d", [("a", label, "b")]) for label in ("b", "b|o"))
>>> counts = judge(key, answer, PairOptions(relaxed=True)).counts
>>> str(counts.precision(0)), str(counts.recall(0))
('1', '1/2')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.network import Budget
from temporacle.results import MatchCounts
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.closed_pairs import compare
from temporacle.scoring.metric import Judgement, Metric
from temporacle.scoring.options import PairOptions

if TYPE_CHECKING:
    from temporacle.model import Document


def judge(gold: Document, system: Document, options: PairOptions) -> Judgement:
    """Return closure scores of one pair of documents."""
    budget = Budget(options.budget)
    key, answer = (Annotation(side, budget, options.contradictions) for side in (gold, system))
    return compare((gold, system), (key.closed(), answer.closed()), options)


METRIC = Metric(
    "closure",
    "pairs of the closed interval graphs (Setzer et al. 2003)",
    judge,
    PairOptions,
    MatchCounts,
    groups=frozenset({"label", "kind"}),
)
