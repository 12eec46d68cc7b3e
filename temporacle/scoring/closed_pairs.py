"""Comparing two closed graphs pair by pair: what ``closure`` and ``core`` share.

For a pair, S is the system's relation and K the key's, both sets of atoms; a pair that a side does not relate has all
thirteen.

    strict     a pair counts 1 if S = K, else 0
    relaxed    precision credit |S n K| / |K|, recall credit |S n K| / |S|

(this way round: the vaguer but correct answer ``before or overlaps`` to ``before`` has precision 1 and recall 1/2, see
Tannier & Muller 2011, section 2.3). Precision averages over the pairs that the system relates, recall over those that
the key relates. An entity that a side does not mention is related to nothing there: whether a format lists entities
that have no links makes no difference.

Pairs are compared some rows at a time: equal cases are counted by array, then each different case is judged once. In
large and sparse documents, where little follows for most entities, only related pairs are looked at, entity by entity,
and no table is made.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.searchedrows import RelatedRows
from temporacle.results import MatchCounts
from temporacle.scoring.details import NOTHING, UNKNOWN, LabelNames, PairKinds, pair_kind
from temporacle.scoring.metric import Judgement

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.model import Document
    from temporacle.reasoner.network import PairTable
    from temporacle.scoring.options import PairOptions

_KINDS = ("event-event", "event-time", "event-DCT", "time-time", "other")
_CELLS_AT_A_TIME = 1 << 18  # of a table


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
    """Return how often each case occurs among the pairs that a side relates."""
    if isinstance(key.rows, RelatedRows) or isinstance(answer.rows, RelatedRows):
        return count_related(key, answer, kinds)
    return count_by_arrays(key, answer, kinds)


def count_related(key: PairTable, answer: PairTable, kinds: PairKinds | None) -> Counter[PairCase]:
    """Count the cases entity by entity. The memory is that of two rows."""
    names = _all_names(key, answer)
    gold, system = _Related(key, names), _Related(answer, names)
    cases: Counter[PairCase] = Counter()
    for place, name in enumerate(names):
        keys, answers = gold.after(place), system.after(place)
        for other in keys.keys() | answers.keys():
            in_gold = place in gold.own and other in gold.own
            in_system = place in system.own and other in system.own
            kind = "other" if kinds is None else kinds.of(name, names[other])
            cases[PairCase(keys.get(other, ALL), answers.get(other, ALL), in_gold, in_system, kind)] += 1
    return cases


class _Related:
    """The related pairs of a table, with entities numbered as in both tables together."""

    def __init__(self, table: PairTable, names: Sequence[str]) -> None:
        number = {name: place for place, name in enumerate(names)}
        self._rows = table.rows
        self._numbers = [number[name] for name in table.entities]
        self.own = {number: place for place, number in enumerate(self._numbers)}  # places in the table

    def after(self, number: int) -> dict[int, int]:
        """Return the relations of an entity to those with higher numbers."""
        if number not in self.own:
            return {}
        numbers = self._numbers
        found = _related(self._rows, self.own[number])
        return {numbers[place]: mask for place, mask in found.items() if numbers[place] > number and mask != ALL}


def _related(rows: Sequence[Sequence[int]], place: int) -> dict[int, int]:
    if isinstance(rows, RelatedRows):
        return rows.related(place)
    import numpy as np

    row = np.asarray(rows[place])
    found = np.flatnonzero(row != ALL)
    return dict(zip(found.tolist(), row[found].tolist(), strict=True))


def count_by_arrays(key: PairTable, answer: PairTable, kinds: PairKinds | None) -> Counter[PairCase]:
    """Count the cases in two tables, some rows at a time."""
    import numpy as np

    names = _all_names(key, answer)
    sides = [(np.asarray(table.rows), _places(table, names)) for table in (key, answer)]
    found: Counter[int] = Counter()
    step = max(1, _CELLS_AT_A_TIME // max(1, len(names)))
    for first in range(0, len(names) - 1, step):
        own = np.arange(first, min(first + step, len(names)))
        codes = _kind_codes(names, own, kinds)
        for rows, places in sides:
            codes = (codes << 14) | _codes_of_rows(rows, places, own)
        upper = own[:, None] < np.arange(len(names))
        values, numbers = np.unique(codes[upper], return_counts=True)
        found.update(dict(zip(values.tolist(), numbers.tolist(), strict=True)))
    cases = {
        PairCase(code >> 14 & ALL, code & ALL, bool(code >> 27 & 1), bool(code >> 13 & 1), _KINDS[code >> 28]): number
        for code, number in found.items()
    }
    return Counter({case: number for case, number in cases.items() if case.key != ALL or case.answer != ALL})


def _all_names(key: PairTable, answer: PairTable) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*key.entities, *answer.entities)))


def _places(table: PairTable, names: Sequence[str]) -> NDArray[np.intp]:
    """Return the place of each entity in a table; -1 if it is not there."""
    import numpy as np

    position = {name: place for place, name in enumerate(table.entities)}
    return np.array([position.get(name, -1) for name in names], dtype=np.intp)


def _codes_of_rows(rows: NDArray[np.int64], places: NDArray[np.intp], own: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the relations of some entities to all, with a higher bit if the table has both entities."""
    import numpy as np

    codes = np.full((len(own), len(places)), ALL, dtype=np.int64)
    there, here = np.flatnonzero(places >= 0), np.flatnonzero(places[own] >= 0)
    if len(here):
        codes[np.ix_(here, there)] = rows[np.ix_(places[own][here], places[there])].astype(np.int64) | 1 << 13
    return codes


def _kind_codes(names: Sequence[str], own: NDArray[np.intp], kinds: PairKinds | None) -> NDArray[np.int64]:
    import numpy as np

    if kinds is None:
        return np.full((len(own), len(names)), _KINDS.index("other"), dtype=np.int64)
    found, numbers = np.unique([kinds.kind(name) for name in names], return_inverse=True)
    table = np.array([[_KINDS.index(pair_kind(a, b)) for b in found.tolist()] for a in found.tolist()], dtype=np.int64)
    return table[np.ix_(numbers[own], numbers)]
