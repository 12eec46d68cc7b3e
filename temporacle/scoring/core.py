"""Scores on core relations (Tannier & Muller 2011, section 2.5).

In the closed graph, R(A, B) is *core* iff the intersection of all R(A, C) o R(C, B) over the other entities C is not
R(A, B) itself: removing it would lose information. Core relations are unique, but may say less than the whole graph.
Both graphs are closed exactly and cut down to their core; pairs that are not core count as not related. Then they are
compared as in ``closure``.

O(n^3) array look-ups for n entities: one second for some 600.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, compose
from temporacle.reasoner.network import Budget, PairTable
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.pairs import compare

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.scoring.options import Judgement, ScoringOptions


def judge(gold: Document, system: Document, options: ScoringOptions) -> Judgement:
    """Core scores of one pair of documents."""
    budget = Budget(options.budget)
    key, answer = Annotation(gold, options, budget), Annotation(system, options, budget)
    return compare((gold, system), (core_of(key.closed(), budget), core_of(answer.closed(), budget)), options)


def core_of(table: PairTable, budget: Budget) -> PairTable:
    """A closed table with every relation that is not core made universal.

    >>> from temporacle.reasoner.oracle import Oracle
    >>> table = Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).minimal_network()
    >>> list(core_of(table, Budget()).pairs())
    [('a', Relation('b'), 'b'), ('b', Relation('b'), 'c')]
    """
    import numpy as np

    size = len(table.entities)
    rows = np.asarray(table.rows)
    masks, code = np.unique(rows, return_inverse=True)
    code = code.reshape(rows.shape)
    composed = np.array([[compose(int(r), int(s)) for s in masks] for r in masks])
    core = np.full_like(rows, ALL)
    for source in range(size):
        budget.check()
        others = np.flatnonzero(np.arange(size) != source)
        derivations = composed[code[source, others][:, None], code[others]]  # by C, B
        derivations[np.arange(len(others)), others] = ALL  # C = B derives nothing
        derived = np.bitwise_and.reduce(derivations, axis=0)
        own = rows[source]
        core[source] = np.where(derived != own, own, ALL)
        core[source, source] = own[source]
    return PairTable(table.entities, core)  # type: ignore[arg-type]
