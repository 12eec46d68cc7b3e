"""Scores on core relations (Tannier & Muller 2011, section 2.5).

In the closed graph, R(A, B) is *core* iff the intersection of all R(A, C) o R(C, B) over the other entities C is not
R(A, B) itself: removing it would lose information. Core relations are unique, but may say less than the whole graph.
Both graphs are closed exactly and cut down to their core; pairs that are not core count as not related. Then they are
compared as in ``closure``.

The sum of the squares of how many others each entity is related to, as array look-ups: at most n^3 for n entities, one
second for some 600 that are all related.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, compose
from temporacle.reasoner.network import Budget, PairTable
from temporacle.results import MatchCounts
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.closed_pairs import compare
from temporacle.scoring.metric import Judgement, Metric
from temporacle.scoring.options import PairOptions

if TYPE_CHECKING:
    from temporacle.model import Document


def judge(gold: Document, system: Document, options: PairOptions) -> Judgement:
    """Return core scores of one pair of documents."""
    budget = Budget(options.budget)
    key, answer = (Annotation(side, budget, options.contradictions) for side in (gold, system))
    return compare((gold, system), (core_of(key.closed(), budget), core_of(answer.closed(), budget)), options)


def core_of(table: PairTable, budget: Budget) -> PairTable:
    """Return a closed table in which every relation that is not core is replaced by the universal one.

    >>> from temporacle.reasoner.oracle import Oracle
    >>> table = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).minimal_network()
    >>> list(core_of(table, Budget()).pairs())
    [('a', Relation('b'), 'b'), ('b', Relation('b'), 'c')]
    """
    import numpy as np

    if not table.entities:
        return table
    rows = np.asarray(table.rows)
    masks = np.flatnonzero(np.bincount(rows.ravel(), minlength=ALL + 1))
    code = np.zeros(ALL + 1, dtype=np.intp)
    code[masks] = np.arange(len(masks))
    composed = np.array([[compose(int(r), int(s)) for s in masks] for r in masks])
    core = np.full_like(rows, ALL)
    for source, own in enumerate(rows):
        budget.check()
        core[source, source] = own[source]
        related = np.flatnonzero(own != ALL)  # nothing is derived by way of others
        related = related[related != source]
        between = rows[np.ix_(related, related)]
        derivations = composed[code[own[related]][:, None], code[between]]  # by C, B
        np.fill_diagonal(derivations, ALL)  # C = B derives nothing
        derived = np.bitwise_and.reduce(derivations, axis=0, initial=ALL)
        core[source, related] = np.where(derived != own[related], own[related], ALL)
    return PairTable(table.entities, core)  # type: ignore[arg-type]


METRIC = Metric(
    "core",
    "core relations of the closed graphs (Tannier & Muller 2011)",
    judge,
    PairOptions,
    MatchCounts,
    groups=frozenset({"label", "kind"}),
)
