"""The label sets of pairwise scores: their labels in the order of the programs, other spellings, and converses.

Blanks around a label and its case do not matter. Other labels raise an error when a document is scored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from temporacle.readings import Reading, canonical
from temporacle.relation import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    "V": VAGUE,
    NONE: VAGUE,
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
