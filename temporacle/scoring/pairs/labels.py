"""The label sets of pairwise scores: their labels in the order of the programs, other spellings, and converses.

Blanks around a label and its case do not matter. Other labels raise an error when a document is scored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.readings import BY_NAME, Reading, canonical
from temporacle.relation import EVERYTHING
from temporacle.results import NO_LINK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VAGUE = "VAGUE"
NONE = NO_LINK  # no link: a pair that one side does not have, where missing and extra pairs count


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
    return Reading(BY_NAME, labels)


# ----------------------------------------------------------------------------------------------------
# From links to examples: the gold label and the predicted label of a pair.
#
#     ROWS    every gold link is an example, also if it repeats, contradicts or reverses an earlier one. The prediction
#             is the system's label for the same pair; one of the other direction is turned round
#     CELLS   every ordered pair is an example; directions are kept apart
#     SETS    the links of a side are a set, each taken in the alphabetical order of its ends; a pair may have two
#             labels
#
# A pair that the system answers with two different labels is wrong, whatever the order of its rows. The programs take
# its last row instead, and prefer gold's direction (``as_program``). Missing pairs are predicted as the policy says.
# Answers that gold does not ask for are extra: a convention counts them as examples with gold label NONE, or ignores
# them. Linear in the number of links.


class Missing(StrEnum):
    """The prediction for a gold pair that the system does not link."""

    VAGUE = "vague"  # the label VAGUE
    SKIP = "skip"  # nothing: the pair is left out
    BEFORE = "before"  # the label BEFORE


def unanswered_words(asked: int, answered: int, missing: str) -> str:
    """Return a sentence about missing pairs; empty if all pairs are answered.

    >>> unanswered_words(837, 10, "vague")
    '10 of 837 pairs that gold asks about are answered; the other 827 count as VAGUE'
    """
    if answered == asked:
        return ""
    s, are = ("", "are") if asked - answered > 1 else ("s", "is")
    policy = {"skip": f"{are} left out", "none": f"count{s} as wrong"}.get(missing, f"count{s} as {missing.upper()}")
    return f"{answered} of {asked} pairs that gold asks about are answered; the other {asked - answered} {policy}"


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


class Example(NamedTuple):
    """A pair with its gold label and the label that counts as predicted; NONE where one side has no link."""

    source: str
    target: str
    gold: str
    system: str
    given: tuple[str, ...] = ()  # the labels that the system gives to the pair


class Examples(NamedTuple):
    """The examples of one document, counted by their two labels, and what a person should know about them."""

    confusion: Counter[tuple[str, str]]
    gold: int = 0  # links that gold asks for, repetitions included
    missing: int = 0  # of these, links without an answer of the system
    reversed: int = 0  # of these, links that the system answers in the other direction
    extra: int = 0  # pairs that the system answers and gold does not ask for
    repeated: int = 0  # gold links about a pair that an earlier one is about
    asked: int = 0  # pairs that gold asks for
    answered: int = 0  # of these, pairs that the system answers
    answered_twice: int = 0  # of these, pairs that it answers more than once
    every: tuple[Example, ...] = ()

    @property
    def contradictory(self) -> list[Example]:
        """Return the examples whose pair the system answers with two different labels."""
        return [each for each in self.every if len(each.given) > 1]


class _Given(NamedTuple):
    """The answers of a system by pair, in the order of their rows."""

    rows: dict[tuple[str, str], list[str]]

    @classmethod
    def of(cls, system: Sequence[ExampleRow]) -> _Given:
        found: dict[tuple[str, str], list[str]] = {}
        for row in system:
            found.setdefault((row.source, row.target), []).append(row.label)
        return cls(found)

    def labels(self, source: str, target: str, labels: LabelSet) -> tuple[str, ...]:
        """Return the different labels of a pair, as seen from the source, in the order of the label set."""
        own = self.rows.get((source, target), ())
        other = self.rows.get((target, source), ()) if source != target else ()
        different = {*own, *map(labels.converse, other)}
        return tuple(label for label in labels.labels if label in different)

    def is_twice(self, source: str, target: str, labels: LabelSet) -> bool:
        """Return whether a pair has two rows in one direction, or two different labels."""
        sizes = (len(self.rows.get(pair, ())) for pair in ((source, target), (target, source)))
        return max(sizes) > 1 or len(self.labels(source, target, labels)) > 1

    def last(self, source: str, target: str, labels: LabelSet) -> str | None:
        """Return the label that programs take: the last one of this direction, else of the other one turned round."""
        if own := self.rows.get((source, target)):
            return own[-1]
        other = self.rows.get((target, source))
        return labels.converse(other[-1]) if other else None


def _wrong_or_only(given: Sequence[str], gold: str) -> str:
    """Return the only label; of several, the first that is not gold's, because two different answers are wrong."""
    return given[0] if len(given) == 1 else next(label for label in given if label != gold)


def examples(
    gold: Sequence[ExampleRow],
    system: Sequence[ExampleRow],
    labels: LabelSet,
    pairing: ExamplePairing,
    missing: Missing | None,
    *,
    as_program: bool = False,
) -> Examples:
    """Return the examples of one document.

    If ``missing`` is None, missing and extra pairs count with the label NONE. ``as_program``: a pair that is answered
    twice has the label of its last row.
    """
    if pairing is ExamplePairing.ROWS:
        return _by_rows(gold, system, labels, missing, as_program=as_program)
    if pairing is ExamplePairing.CELLS:
        return _by_cells(gold, system, labels, as_program=as_program)
    return _by_sets(gold, system, labels)


def _by_rows(
    gold: Sequence[ExampleRow],
    system: Sequence[ExampleRow],
    labels: LabelSet,
    missing: Missing | None,
    *,
    as_program: bool,
) -> Examples:
    answers = _Given.of(system)
    found: list[Example] = []
    asked: dict[frozenset[str], bool] = {}  # whether it is answered
    twice: set[frozenset[str]] = set()
    lacking = turned = 0
    for row in gold:
        given = answers.labels(row.source, row.target, labels)
        pair = frozenset((row.source, row.target))
        asked[pair] = bool(given)
        if answers.is_twice(row.source, row.target, labels):
            twice.add(pair)
        turned += bool(given) and (row.source, row.target) not in answers.rows
        if not given:
            lacking += 1
            if missing is Missing.SKIP:
                continue
            predicted = {None: NONE, Missing.VAGUE: VAGUE, Missing.BEFORE: "BEFORE"}[missing]
        else:
            last = answers.last(row.source, row.target, labels) if as_program else None
            predicted = last or _wrong_or_only(given, row.label)
        found.append(Example(row.source, row.target, row.label, predicted, given))
    extra: dict[frozenset[str], Example] = {}
    for source, target in answers.rows:  # in the order of first mention
        pair = frozenset((source, target))
        if pair not in asked and pair not in extra:
            given = answers.labels(source, target, labels)
            label = (answers.last(source, target, labels) if as_program else None) or given[0]
            extra[pair] = Example(source, target, NONE, label, given)
    if missing is None:
        found += extra.values()
    return Examples(
        Counter((each.gold, each.system) for each in found),
        len(gold),
        lacking,
        turned,
        len(extra),
        len(gold) - len(asked),
        len(asked),
        sum(asked.values()),
        len(twice),
        tuple(found),
    )


def _by_cells(
    gold: Sequence[ExampleRow], system: Sequence[ExampleRow], labels: LabelSet, *, as_program: bool
) -> Examples:
    key = {(row.source, row.target): row.label for row in gold}
    answers = _Given.of(system).rows
    found = []
    for pair in {**key, **answers}:
        own = answers.get(pair, [])
        given = tuple(label for label in labels.labels if label in own)
        asked = key.get(pair, NONE)
        predicted = NONE if not own else own[-1] if as_program else _wrong_or_only(given, asked)
        found.append(Example(*pair, asked, predicted, given))
    answered = [pair for pair in key if pair in answers]
    return Examples(
        Counter((each.gold, each.system) for each in found),
        gold=len(key),
        missing=len(key) - len(answered),
        extra=sum(pair not in key for pair in answers),
        repeated=len(gold) - len(key),
        asked=len(key),
        answered=len(answered),
        answered_twice=sum(len(answers[pair]) > 1 for pair in answered),
        every=tuple(found),
    )


def _by_sets(gold: Sequence[ExampleRow], system: Sequence[ExampleRow], labels: LabelSet) -> Examples:
    """Return the examples of label sets.

    Labels that both sides give to a pair are right. The others are paired in order.
    """
    key, answer = ({in_order(row, labels) for row in side} for side in (gold, system))
    sides: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for side, rows in enumerate((key, answer)):
        for row in sorted(rows):
            sides.setdefault((row.source, row.target), ([], []))[side].append(row.label)
    found: list[Example] = []
    lacking = extra = 0
    for (source, target), (asked, given) in sorted(sides.items()):
        both = [label for label in asked if label in given]
        left, right = ([label for label in side if label not in both] for side in (asked, given))
        lacking += max(len(left) - len(right), 0)
        extra += max(len(right) - len(left), 0)
        size = max(len(left), len(right))
        pairs = zip([*left, *[NONE] * (size - len(left))], [*right, *[NONE] * (size - len(right))], strict=True)
        labelled = [*((label, label) for label in both), *pairs]
        found += [Example(source, target, *pair, tuple(given)) for pair in labelled]
    answered = [given for asked, given in sides.values() if asked and given]
    return Examples(
        Counter((each.gold, each.system) for each in found),
        len(key),
        lacking,
        0,
        extra,
        len(gold) - len(key),
        sum(bool(asked) for asked, _ in sides.values()),
        len(answered),
        sum(len(given) > 1 for given in answered),
        tuple(found),
    )


def in_order(row: ExampleRow, labels: LabelSet) -> ExampleRow:
    """Return a link in the alphabetical order of its ends."""
    return row if row.source <= row.target else ExampleRow(row.target, labels.converse(row.label), row.source)
