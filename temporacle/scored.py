"""Documents whose pairs have scores instead of labels, and what a score counts.

A *scored pair* is a pair of entities with the labels that it may get and a score for each. An *objective* says what a
score adds to the value of a labelling:

    logprob   ln(max(score, 0.000001)): the sum is the logarithm of a product of probabilities
    prob      the score itself, which must not be negative
    weight    the score itself, which may be any number

Values are whole numbers of 10^-12 (``UNIT``). A score is rounded to that once, and from then on every sum and every
comparison is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from enum import StrEnum
from math import isfinite, log
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError, LabelError
from temporacle.model import Link, Remark

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.model import Entity
    from temporacle.readings import Reading
    from temporacle.relation import Relation

UNIT = 10**12  # values are whole numbers of one of so many parts
SMALLEST = 1e-6  # a probability below it counts as this much, so that no label is ruled out by its score
_EXACT = Context(prec=400)


class Objective(StrEnum):
    """The way a score adds to the value of a labelling."""

    LOGPROB = "logprob"
    PROB = "prob"
    WEIGHT = "weight"

    def worth(self, score: float) -> int:
        """Return the value of a score in units. Raise ValueError for a score that the objective does not know.

        >>> Objective.LOGPROB.worth(0.5), Objective.PROB.worth(0.875172), Objective.WEIGHT.worth(-2)
        (-693147180560, 875172000000, -2000000000000)
        >>> Objective.LOGPROB.worth(0) == Objective.LOGPROB.worth(1e-6)
        True
        """
        if not isfinite(score):
            raise ValueError(f"a score must be a finite number, and one is {score}")
        if self is not Objective.WEIGHT and score < 0:
            raise ValueError(f"a score must not be negative, and one is {score}")
        if self is Objective.LOGPROB:
            return round(log(max(score, SMALLEST)) * UNIT)
        return int(Decimal(repr(score)).scaleb(12, _EXACT).to_integral_value())


def as_number(units: int) -> float:
    """Return a value, or a difference of values, for people and programs."""
    return units / UNIT


class ScoredLabel(NamedTuple):
    """A label that a pair may get."""

    label: str
    relation: Relation
    score: float


class ScoredPair(NamedTuple):
    """Two entities and the labels that they may get, in the order given. No other label is allowed."""

    id: str
    source: str
    target: str
    labels: tuple[ScoredLabel, ...]
    line: int | None = None

    def link(self, chosen: ScoredLabel) -> Link:
        """Return the pair with one of its labels."""
        return Link(self.id, self.source, chosen.relation, self.target, chosen.label, self.line)


@dataclass(frozen=True, slots=True, repr=False)
class ScoredDocument:
    """One document: scored pairs, and links that hold whatever the scores say (*hard* links)."""

    id: str
    pairs: tuple[ScoredPair, ...]
    reading: Reading
    links: tuple[Link, ...] = ()
    path: str | None = None
    format: str = "scores"
    remarks: tuple[Remark, ...] = ()
    entities: tuple[Entity, ...] = field(default=(), compare=False)
    text: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"ScoredDocument({self.id!r}, {len(self.pairs)} pairs)"


def scored_pair(
    name: str, ends: tuple[str, str], scores: Mapping[str, Any], reading: Reading, place: Place
) -> ScoredPair:
    """Return a checked pair. A score of None means that the pair may not get this label.

    InputError, with file and line, for a score that is not a number, a label that the reading does not know, and a pair
    without labels.
    """
    labels = []
    for label, score in scores.items():
        if score is None:
            continue
        if not isinstance(label, str):
            raise place.label_error(f"a label is {label!r:.40}, not text", name)
        if isinstance(score, bool) or not isinstance(score, Real):
            raise place.error(f"the score of {label} is {score!r:.40}, not a number", element=name)
        number = int(score) if isinstance(score, Integral) else float(score)  # of numpy, for instance
        if not isfinite(number):
            raise place.error(
                f"the score of {label} is {number}",
                element=name,
                cure="give a finite number, or leave the label out if the pair may not get it",
            )
        try:
            labels.append(ScoredLabel(label, reading.relation(label), number))
        except InputError as error:
            raise place.label_error(error.reason, name, error.cure) from None
    if not labels:
        raise place.error(
            f"the pair {ends[0]}, {ends[1]} has no score", element=name, cure="give at least one label with its score"
        )
    return ScoredPair(name, *ends, tuple(labels), place.line)


class Place(NamedTuple):
    """The place of something, for messages."""

    path: str | None
    line: int | None = None

    def error(self, reason: str, *, element: str | None = None, cure: str | None = None) -> InputError:
        """Return an error about this place."""
        return InputError(reason, path=self.path, line=self.line, element=element, cure=cure)

    def label_error(self, reason: str, element: str | None, cure: str | None = None) -> LabelError:
        """Return an error about a label at this place."""
        return LabelError(reason, path=self.path, line=self.line, element=element, cure=cure)
