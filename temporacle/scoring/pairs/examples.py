"""From links to examples: the gold label and the predicted label of a pair.

    ROWS    every gold link is an example, also if it repeats, contradicts or reverses an earlier one. The prediction is
            the system's last label for the same pair in the same direction; else the converse of its last label for the
            other direction; else the pair is missing
    CELLS   every ordered pair is an example, with the last label of each side; directions are kept apart
    SETS    the links of a side are a set, each taken in the alphabetical order of its ends; a pair may have two labels

Missing pairs are predicted as the policy says. Answers that gold does not ask for are extra: a convention counts them
as examples with gold label NONE, or ignores them. Linear in the number of links.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.pairs.labels import NONE, VAGUE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.scoring.pairs.labels import LabelSet


class Missing(StrEnum):
    """The prediction for a gold pair that the system does not link."""

    VAGUE = "vague"  # the label VAGUE
    SKIP = "skip"  # nothing: the pair is left out
    BEFORE = "before"  # the label BEFORE


class Pairing(StrEnum):
    """The unit that counts as one example."""

    ROWS = "rows"
    CELLS = "cells"
    SETS = "sets"


class Row(NamedTuple):
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
    gold: Sequence[Row], system: Sequence[Row], labels: LabelSet, pairing: Pairing, missing: Missing | None
) -> Examples:
    """Return the examples of one document.

    If ``missing`` is None, missing and extra pairs count with the label NONE.
    """
    if pairing is Pairing.ROWS:
        return _by_rows(gold, system, labels, missing)
    return _by_cells(gold, system) if pairing is Pairing.CELLS else _by_sets(gold, system, labels)


def _by_rows(gold: Sequence[Row], system: Sequence[Row], labels: LabelSet, missing: Missing | None) -> Examples:
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


def _by_cells(gold: Sequence[Row], system: Sequence[Row]) -> Examples:
    key, answer = ({(row.source, row.target): row.label for row in side} for side in (gold, system))
    confusion = Counter((key.get(pair, NONE), answer.get(pair, NONE)) for pair in {**key, **answer})
    return Examples(
        confusion,
        gold=len(key),
        missing=sum(pair not in answer for pair in key),
        extra=sum(pair not in key for pair in answer),
        repeated=len(gold) - len(key),
    )


def _by_sets(gold: Sequence[Row], system: Sequence[Row], labels: LabelSet) -> Examples:
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


def _in_order(row: Row, labels: LabelSet) -> Row:
    return row if row.source <= row.target else Row(row.target, labels.converse(row.label), row.source)
