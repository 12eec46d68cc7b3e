"""Scores on core relations (Tannier & Muller 2011, section 2.5).

In the closed graph, R(A, B) is *core* iff the intersection of all R(A, C) o R(C, B) over the other entities C is not
R(A, B) itself: removing it would lose information. Core relations are unique, but may say less than the whole graph.
Both graphs are closed exactly and cut down to their core; pairs that are not core count as not related. Then they are
compared as in ``closure``.

The sum of the squares of how many others each entity is related to, as array look-ups: at most n^3 for n entities, one
second for some 600 that are all related. Memory is O(n^2), or linear in the number of related pairs in large and sparse
documents.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ALL, compose
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.searchedrows import RelatedRows
from temporacle.results import MatchCounts
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.closed_pairs import compare
from temporacle.scoring.metric import Judgement, Metric
from temporacle.scoring.options import PairOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    if isinstance(table.rows, RelatedRows):
        return PairTable(table.entities, CoreRows(table.rows, budget))
    rows = np.asarray(table.rows)
    code, composed = _compositions(rows)
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


class CoreRows(RelatedRows):
    """The same for a table of which only related pairs are known. These are kept, in six bytes each."""

    def __init__(self, rows: RelatedRows, budget: Budget) -> None:
        """Find all related pairs. Raise BudgetExceeded if the time runs out."""
        import numpy as np

        others, masks, counts = array("i"), array("H"), []
        for entity in range(len(rows)):
            budget.check()
            found = rows.related(entity)
            others.extend(found)
            masks.extend(found.values())
            counts.append(len(found))
        self._others, self._masks = np.frombuffer(others, np.int32), np.frombuffer(masks, np.uint16)
        self._counts = np.array(counts)
        self._ends = np.cumsum(self._counts)
        self._code, self._composed = _compositions(self._masks)
        self._derived = np.full(len(rows), ALL)  # by way of others; between questions nothing is
        self._budget = budget

    def __len__(self) -> int:
        return len(self._counts)

    def related(self, entity: int) -> dict[int, int]:
        """Return the core relations of an entity, and its own."""
        import numpy as np

        self._budget.check()
        own = slice(self._ends[entity] - self._counts[entity], self._ends[entity])
        others, masks = self._others[own], self._masks[own]
        counts = self._counts[others]
        steps = np.arange(counts.sum())
        steps += np.repeat(self._ends[others] - np.cumsum(counts), counts)  # all rows of the others, one after another
        targets, by_way_of = self._others[steps], np.repeat(others, counts)
        derivations = self._composed[np.repeat(self._code[masks], counts), self._code[self._masks[steps]]]
        derivations[(by_way_of == entity) | (by_way_of == targets)] = ALL
        np.bitwise_and.at(self._derived, targets, derivations)
        is_core = (self._derived[others] != masks) | (others == entity)
        self._derived[targets] = ALL
        return dict(zip(others[is_core].tolist(), masks[is_core].tolist(), strict=True))


def _compositions(masks: NDArray[np.uint16]) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Return a number for each relation that occurs, and the composition of each two of them by their numbers."""
    import numpy as np

    found = np.flatnonzero(np.bincount(masks.ravel(), minlength=ALL + 1))
    code = np.zeros(ALL + 1, dtype=np.intp)
    code[found] = np.arange(len(found))
    return code, np.array([[compose(int(r), int(s)) for s in found] for r in found])


METRIC = Metric(
    "core",
    "core relations of the closed graphs (Tannier & Muller 2011)",
    judge,
    PairOptions,
    MatchCounts,
    groups=frozenset({"label", "kind"}),
)
