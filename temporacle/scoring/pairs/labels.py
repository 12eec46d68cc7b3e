"""The label sets of pairwise scores: their labels in the order of the programs, other spellings, and converses.

Blanks around a label and its case do not matter. Other labels raise an error when a document is scored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.readings import Reading, canonical
from temporacle.relation import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VAGUE = "VAGUE"
NONE = "NONE"  # no link: a pair that one side does not have, where missing and extra pairs count


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Labels in order, and what else stands for them.

    >>> MATRES.label(" simultaneous "), MATRES.label("INCLUDES"), TBDENSE.converse("INCLUDES")
    ('EQUAL', None, 'IS_INCLUDED')
    """

    name: str
    labels: tuple[str, ...]
    other_names: Mapping[str, str] = field(default_factory=dict)
    _converses: Mapping[str, str] = field(default_factory=dict)

    def label(self, written: str) -> str | None:
        """Return the label that a spelling stands for; None if this set does not have it."""
        name = written.strip().upper()
        found = self.other_names.get(name, name)
        return found if found in self.labels else None

    def converse(self, label: str) -> str:
        """Return the label of the pair in the other direction."""
        return self._converses.get(label, label)

    def names(self) -> list[str]:
        """Return every spelling."""
        return [*self.labels, *self.other_names]


def _both_ways(**pairs: str) -> dict[str, str]:
    return {**pairs, **{other: one for one, other in pairs.items()}}


_BEFORE_AFTER = _both_ways(BEFORE="AFTER")
_INCLUSION = _both_ways(BEFORE="AFTER", INCLUDES="IS_INCLUDED")
_SPELLINGS = {
    **dict.fromkeys(("SIMULTANEOUS", "IDENTITY", "S"), "EQUAL"),
    "B": "BEFORE",
    "A": "AFTER",
    "I": "INCLUDES",
    "II": "IS_INCLUDED",
    **dict.fromkeys(("V", NONE, "UNCERTAIN"), VAGUE),
}
MATRES = LabelSet("matres", ("BEFORE", "AFTER", "EQUAL", VAGUE), _SPELLINGS, _BEFORE_AFTER)
TBDENSE = LabelSet("tbdense", ("BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED", "EQUAL", VAGUE), _SPELLINGS, _INCLUSION)
MAVEN = LabelSet("maven-ere", ("BEFORE", "OVERLAP", "CONTAINS", "SIMULTANEOUS", "ENDS-ON", "BEGINS-ON"))
NARRATIVETIME = LabelSet(
    "narrativetime",
    ("BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "OVERLAP", VAGUE),
    _converses=_INCLUSION,
)
TIEVAL = LabelSet(
    "tieval",
    (
        *("BEFORE", "AFTER", "IBEFORE", "IAFTER", "INCLUDES", "IS_INCLUDED", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY"),
        *("SIMULTANEOUS", "OVERLAP", "OVERLAPPED", "BEFORE-OR-OVERLAP", "OVERLAP-OR-AFTER", VAGUE),
    ),
    {
        **dict.fromkeys(("S", "IDENTITY", "EQUAL", "DURING", "DURING_INV"), "SIMULTANEOUS"),
        **dict.fromkeys(("V", NONE, "UNKNOWN"), VAGUE),
        "B": "BEFORE",
        "A": "AFTER",
        "I": "INCLUDES",
        "II": "IS_INCLUDED",
        "CONTAINS": "INCLUDES",
        "OVERLAPS": "OVERLAP",
        "BEGINS-ON": "BEGINS",
        "ENDS-ON": "ENDS",
        "STARTED_BY": "BEGUN_BY",
        "OVERLAP_BEFORE": "BEFORE-OR-OVERLAP",
        "OVERLAP_AFTER": "OVERLAP-OR-AFTER",
    },
    {
        **_both_ways(IBEFORE="IAFTER", BEGINS="BEGUN_BY", ENDS="ENDED_BY", OVERLAP="OVERLAPPED"),
        **_INCLUSION,
        "BEFORE-OR-OVERLAP": "OVERLAP-OR-AFTER",
        "OVERLAP-OR-AFTER": "BEFORE-OR-OVERLAP",
    },
)
LABEL_SETS = {each.name: each for each in (MATRES, TBDENSE, MAVEN, TIEVAL, NARRATIVETIME)}


def vocabulary(like: Reading | None = None) -> Reading:
    """Return a reading that knows every spelling of every label set.

    Pairwise scores go by names. Where ``like``, the reading of gold, knows a name, it has the meaning that it has
    there, and so have the other spellings of the same label; otherwise it means nothing in particular.
    """
    labels = dict(like.labels) if like is not None else {}
    for label_set in LABEL_SETS.values():
        for name in label_set.names():
            labels.setdefault(canonical(name), EVERYTHING)
        for label in label_set.labels:
            spellings = [canonical(name) for name in label_set.names() if label_set.label(name) == label]
            known = [like.labels[name] for name in spellings if like is not None and name in like.labels]
            for name in spellings if known else ():
                if like is not None and name not in like.labels:
                    labels[name] = known[0]
    return Reading("pairs", labels)


# ----------------------------------------------------------------------------------------------------
# From links to examples: the gold label and the predicted label of a pair.
#
#     ROWS    every gold link is an example, also if it repeats, contradicts or reverses an earlier one. The prediction
#             is the system's last label for the same pair in the same direction; else the converse of its last label
#             for the other direction; else the pair is missing
#     CELLS   every ordered pair is an example, with the last label of each side; directions are kept apart
#     SETS    the links of a side are a set, each taken in the alphabetical order of its ends; a pair may have two
#             labels
#
# Missing pairs are predicted as the policy says. Answers that gold does not ask for are extra: a convention counts them
# as examples with gold label NONE, or ignores them. Linear in the number of links.


class Missing(StrEnum):
    """The prediction for a gold pair that the system does not link."""

    VAGUE = "vague"  # the label VAGUE
    SKIP = "skip"  # nothing: the pair is left out
    BEFORE = "before"  # the label BEFORE


class ExamplePairing(StrEnum):
    """The unit that counts as one example."""

    ROWS = "rows"
    CELLS = "cells"
    SETS = "sets"


class ExampleRow(NamedTuple):
    """A link with a label of the label set."""

    source: str
    label: str
    target: str


class Examples(NamedTuple):
    """The examples of one document, counted by their two labels, and what a person should know about them."""

    confusion: Counter[tuple[str, str]]
    gold: int = 0  # pairs that gold asks for, repetitions included
    missing: int = 0  # of these, pairs without a link of the system
    reversed: int = 0  # of these, pairs that the system answers in the other direction
    extra: int = 0  # pairs that the system answers and gold does not ask for
    repeated: int = 0  # gold links about a pair that an earlier one is about


def examples(
    gold: Sequence[ExampleRow],
    system: Sequence[ExampleRow],
    labels: LabelSet,
    pairing: ExamplePairing,
    missing: Missing | None,
) -> Examples:
    """Return the examples of one document.

    If ``missing`` is None, missing and extra pairs count with the label NONE.
    """
    if pairing is ExamplePairing.ROWS:
        return _by_rows(gold, system, labels, missing)
    return _by_cells(gold, system) if pairing is ExamplePairing.CELLS else _by_sets(gold, system, labels)


def _by_rows(
    gold: Sequence[ExampleRow], system: Sequence[ExampleRow], labels: LabelSet, missing: Missing | None
) -> Examples:
    answers = {(row.source, row.target): row.label for row in system}
    confusion: Counter[tuple[str, str]] = Counter()
    asked: Counter[frozenset[str]] = Counter()
    lacking = turned = 0
    for row in gold:
        asked[frozenset((row.source, row.target))] += 1
        given = answers.get((row.source, row.target))
        if given is None and (other := answers.get((row.target, row.source))) is not None:
            given = labels.converse(other)
            turned += 1
        if given is None:
            lacking += 1
            if missing is Missing.SKIP:
                continue
            given = {None: NONE, Missing.VAGUE: VAGUE, Missing.BEFORE: "BEFORE"}[missing]
        confusion[row.label, given] += 1
    extra: dict[frozenset[str], str] = {}
    for (source, target), label in answers.items():  # in the order of first mention, with the last label
        pair = frozenset((source, target))
        if pair not in asked:
            extra.setdefault(pair, label)
    if missing is None:
        confusion.update((NONE, label) for label in extra.values())
    return Examples(confusion, len(gold), lacking, turned, len(extra), len(gold) - len(asked))


def _by_cells(gold: Sequence[ExampleRow], system: Sequence[ExampleRow]) -> Examples:
    key, answer = ({(row.source, row.target): row.label for row in side} for side in (gold, system))
    confusion = Counter((key.get(pair, NONE), answer.get(pair, NONE)) for pair in {**key, **answer})
    return Examples(
        confusion,
        gold=len(key),
        missing=sum(pair not in answer for pair in key),
        extra=sum(pair not in key for pair in answer),
        repeated=len(gold) - len(key),
    )


def _by_sets(gold: Sequence[ExampleRow], system: Sequence[ExampleRow], labels: LabelSet) -> Examples:
    """Return the examples of label sets.

    Labels that both sides give to a pair are right. The others are paired in order.
    """
    key, answer = ({_in_order(row, labels) for row in side} for side in (gold, system))
    confusion: Counter[tuple[str, str]] = Counter((row.label, row.label) for row in key & answer)
    wrong = {pair: ([], []) for pair in sorted({(row.source, row.target) for row in key ^ answer})}  # type: dict[tuple[str, str], tuple[list[str], list[str]]]
    for side, only in enumerate((key - answer, answer - key)):
        for row in sorted(only):
            wrong[row.source, row.target][side].append(row.label)
    lacking = extra = 0
    for asked, given in wrong.values():
        lacking += max(len(asked) - len(given), 0)
        extra += max(len(given) - len(asked), 0)
        size = max(len(asked), len(given))
        pairs = zip([*asked, *[NONE] * (size - len(asked))], [*given, *[NONE] * (size - len(given))], strict=True)
        confusion.update(pairs)
    return Examples(confusion, len(key), lacking, 0, extra, len(gold) - len(key))


def _in_order(row: ExampleRow, labels: LabelSet) -> ExampleRow:
    return row if row.source <= row.target else ExampleRow(row.target, labels.converse(row.label), row.source)
