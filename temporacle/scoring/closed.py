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

from array import array
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.algebra import ALL, compose
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.points.searched_rows import RelatedRows
from temporacle.results import NOTHING, MatchCounts, PairRow
from temporacle.scoring.metric import Judgement, Metric, PairOptions
from temporacle.scoring.side import Side
from temporacle.scoring.tally import UNKNOWN, LabelNames, PairKinds, pair_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from temporacle.model import Document

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


def compare(
    documents: tuple[Document, Document], tables: tuple[PairTable, PairTable], options: PairOptions
) -> Judgement:
    """Return the scores of two tables (gold, system) of the two documents."""
    kinds = PairKinds(documents) if options.details else None
    cases = count_cases(*tables, kinds)
    total = MatchCounts()
    names = LabelNames(documents)
    by_kind: dict[str, MatchCounts] = {}
    by_label: dict[str, MatchCounts] = {}
    for case, number in cases.items():
        credit = case.counts(relaxed=options.relaxed) * number
        total += credit
        if options.details and credit.system_total:
            given = MatchCounts(credit.precision_matched, credit.system_total)
            _add(by_kind, case.kind, given)
            _add(by_label, names.of(case.answer), given)
        if options.details and credit.gold_total:
            asked = MatchCounts(0, 0, credit.recall_matched, credit.gold_total)
            _add(by_kind, case.kind, asked)
            _add(by_label, names.of(case.key), asked)
    rows = tuple(_rows(*tables, names, relaxed=options.relaxed)) if options.rows else ()
    if not options.details:
        return Judgement(total, rows=rows)
    breakdown = {name: dict(sorted(table.items())) for name, table in (("kind", by_kind), ("label", by_label))}
    return Judgement(total, breakdown, _confusion(cases, names), rows=rows)


def _add(table: dict[str, MatchCounts], group: str, counts: MatchCounts) -> None:
    table[group] = table.get(group, MatchCounts()) + counts


def _rows(key: PairTable, answer: PairTable, names: LabelNames, *, relaxed: bool) -> Iterator[PairRow]:
    """Yield every pair that a side relates."""
    for source, target, case in each_related(key, answer, None):
        credit = case.counts(relaxed=relaxed)
        if credit.system_total or credit.gold_total:
            gold, system = (None if mask == ALL else names.of(mask) for mask in (case.key, case.answer))
            in_gold = credit.precision_matched == 1 if credit.system_total else None
            in_system = credit.recall_matched == 1 if credit.gold_total else None
            yield PairRow(source, target, gold, system, in_gold, in_system)


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
    return Counter(case for _, _, case in each_related(key, answer, kinds))


def each_related(key: PairTable, answer: PairTable, kinds: PairKinds | None) -> Iterator[tuple[str, str, PairCase]]:
    """Yield each pair that a side relates, and its case."""
    names = _all_names(key, answer)
    gold, system = _Related(key, names), _Related(answer, names)
    for place, name in enumerate(names):
        keys, answers = gold.after(place), system.after(place)
        for other in keys.keys() | answers.keys():
            in_gold = place in gold.own and other in gold.own
            in_system = place in system.own and other in system.own
            kind = "other" if kinds is None else kinds.of(name, names[other])
            case = PairCase(keys.get(other, ALL), answers.get(other, ALL), in_gold, in_system, kind)
            yield name, names[other], case


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


# ----------------------------------------------------------------------------------------------------
# Scores on the closed interval graph (Setzer et al. 2003; Tannier & Muller 2011, section 2.3).
#
# Both graphs are closed exactly, also where they are not convex, and compared pair by pair as above.
# Links that contradict others are treated as in temporal awareness before closing. Every related pair weighs the same,
# however easily it follows from others; ``core`` and ``reduction`` answer that objection.
#
# O(n^2) in the number of entities, in time and in memory; in large and sparse documents, time is linear in the number
# of related pairs, and memory in the number of links.


def judge_closure(gold: Document, system: Document, options: PairOptions) -> Judgement:
    """Return closure scores of one pair of documents.

    >>> from temporacle.model import Document
    >>> key, answer = (Document("d", [("a", label, "b")]) for label in ("b", "b|o"))
    >>> counts = judge_closure(key, answer, PairOptions(relaxed=True)).counts
    >>> str(counts.precision(0)), str(counts.recall(0))
    ('1', '1/2')
    """
    budget = Budget.of_document(options.budget)
    key, answer = (Side(side, budget, options.contradictions, engine=options.engine.value) for side in (gold, system))
    return compare((gold, system), (key.closed(), answer.closed()), options)


CLOSURE = Metric(
    "closure",
    "pairs of the closed interval graphs (Setzer et al. 2003)",
    judge_closure,
    PairOptions,
    MatchCounts,
    groups=frozenset({"label", "kind"}),
)

# ----------------------------------------------------------------------------------------------------
# Scores on core relations (Tannier & Muller 2011, section 2.5).
#
# In the closed graph, R(A, B) is *core* iff the intersection of all R(A, C) o R(C, B) over the other entities C is not
# R(A, B) itself: removing it would lose information. Core relations are unique, but may say less than the whole graph.
# Both graphs are closed exactly and cut down to their core; pairs that are not core count as not related. Then they are
# compared as in ``closure``.
#
# The sum of the squares of how many others each entity is related to, as array look-ups: at most n^3 for n entities,
# one second for some 600 that are all related. Memory is O(n^2), or linear in the number of related pairs in large and
# sparse documents.


def judge_core(gold: Document, system: Document, options: PairOptions) -> Judgement:
    """Return core scores of one pair of documents."""
    budget = Budget.of_document(options.budget)
    key, answer = (Side(side, budget, options.contradictions, engine=options.engine.value) for side in (gold, system))
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
    """The core of a table of which only related pairs are known. These are kept, in six bytes each."""

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


CORE = Metric(
    "core",
    "core relations of the closed graphs (Tannier & Muller 2011)",
    judge_core,
    PairOptions,
    MatchCounts,
    groups=frozenset({"label", "kind"}),
)
