"""Comparing two closed graphs pair by pair: what ``closure`` and ``core`` share.

For a pair, S is the system's relation and K the key's, both sets of atoms; a pair that a side does not relate has all
thirteen.

    strict     a pair counts 1 if S = K, else 0
    relaxed    precision credit |S n K| / |K|, recall credit |S n K| / |S|

(this way round: the vaguer but correct answer ``before or overlaps`` to ``before`` has precision 1 and recall 1/2, see
Tannier & Muller 2011, section 2.3). Precision averages over the pairs that the system relates, recall over those that
the key relates. An entity that a side does not mention is related to nothing there: whether a format lists entities
that have no links makes no difference.

All pairs are compared at once: equal cases are counted by array, then each different case is judged once.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ALL
from temporacle.results import MatchCounts
from temporacle.scoring.details import NOTHING, UNKNOWN, LabelNames, PairKinds
from temporacle.scoring.metric import Judgement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.model import Document
    from temporacle.reasoner.network import PairTable
    from temporacle.scoring.options import PairOptions

_KINDS = ("event-event", "event-time", "event-DCT", "time-time", "other")


class PairCase(NamedTuple):
    """The relations of a pair on both sides. ``in_gold`` and ``in_system``: whether a side mentions both entities."""

    key: int
    answer: int
    in_gold: bool
    in_system: bool
    kind: str

    def counts(self, *, relaxed: bool) -> MatchCounts:
        """Return the credit of one such pair."""
        common = Fraction((self.key & self.answer).bit_count())
        same = Fraction(int(self.key == self.answer))
        precise = common / self.key.bit_count() if relaxed else same
        complete = common / self.answer.bit_count() if relaxed else same
        answered, asked = self.answer != ALL, self.key != ALL
        return MatchCounts(
            precise if answered else Fraction(0),
            int(answered),
            complete if asked else Fraction(0),
            int(asked),
        )

    def times(self, number: int, *, relaxed: bool) -> MatchCounts:
        """Return the credit of many such pairs."""
        one = self.counts(relaxed=relaxed)
        return MatchCounts(
            one.precision_matched * number,
            one.system_total * number,
            one.recall_matched * number,
            one.gold_total * number,
        )


def compare(
    documents: tuple[Document, Document], tables: tuple[PairTable, PairTable], options: PairOptions
) -> Judgement:
    """Return the scores of two tables (gold, system) of the two documents."""
    kinds = PairKinds(documents) if options.details else None
    cases = count_cases(*tables, kinds)
    total = MatchCounts()
    by_kind: dict[str, MatchCounts] = {}
    for case, number in cases.items():
        credit = case.times(number, relaxed=options.relaxed)
        total += credit
        if credit.system_total or credit.gold_total:
            by_kind[case.kind] = by_kind.get(case.kind, MatchCounts()) + credit
    if not options.details:
        return Judgement(total)
    return Judgement(total, {"kind": dict(sorted(by_kind.items()))}, _confusion(cases, LabelNames(documents)))


def _confusion(cases: Counter[PairCase], names: LabelNames) -> Counter[tuple[str, str]]:
    table: Counter[tuple[str, str]] = Counter()
    for case, number in cases.items():
        key = names.of(case.key) if case.in_gold else UNKNOWN
        answer = names.of(case.answer) if case.in_system else UNKNOWN
        if {key, answer} - {NOTHING, UNKNOWN}:
            table[key, answer] += number
    return table


def count_cases(key: PairTable, answer: PairTable, kinds: PairKinds | None) -> Counter[PairCase]:
    """Return how often each case occurs among all pairs of the entities of either side."""
    import numpy as np

    names = tuple(dict.fromkeys((*key.entities, *answer.entities)))
    if len(names) < 2:
        return Counter()
    upper = np.triu_indices(len(names), k=1)
    codes = _kind_codes(names, kinds)[upper].astype(np.int64)
    for table in (key, answer):
        relations, mentioned = _spread(table, names)
        codes = (codes << 14) | (mentioned[upper].astype(np.int64) << 13) | relations[upper]
    values, numbers = np.unique(codes, return_counts=True)
    return Counter(
        {
            PairCase(
                code >> 14 & ALL, code & ALL, bool(code >> 27 & 1), bool(code >> 13 & 1), _KINDS[code >> 28]
            ): number
            for code, number in zip(values.tolist(), numbers.tolist(), strict=True)
        }
    )


def _spread(table: PairTable, names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return a table over more entities, and which of its pairs the original mentions."""
    import numpy as np

    position = {name: k for k, name in enumerate(table.entities)}
    present = np.array([name in position for name in names])
    own = np.array([position[name] for name in names if name in position], dtype=np.intp)
    relations = np.full((len(names), len(names)), ALL, dtype=np.int64)
    if len(own):
        places = np.flatnonzero(present)
        relations[np.ix_(places, places)] = np.asarray(table.rows)[np.ix_(own, own)]
    return relations, present[:, None] & present[None, :]


def _kind_codes(names: Sequence[str], kinds: PairKinds | None) -> NDArray[np.int64]:
    import numpy as np

    if kinds is None:
        return np.full((len(names), len(names)), _KINDS.index("other"), dtype=np.int64)
    return np.array([[_KINDS.index(kinds.of(a, b)) for b in names] for a in names], dtype=np.int64)
