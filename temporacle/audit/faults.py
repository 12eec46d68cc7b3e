"""The possible faults of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporacle.relation import Relation


class FaultKind(StrEnum):
    """The five ways to be wrong."""

    UNSOUND = "unsound"  # a claim does not follow
    INCOMPLETE = "incomplete"  # something follows and is not claimed
    MISSED_INCONSISTENCY = "missed_inconsistency"
    FALSE_INCONSISTENCY = "false_inconsistency"
    CRASH = "crash"  # no answer, or one that cannot be read


class Manner(StrEnum):
    """A closer look at a kind: faults of different manner have different causes."""

    WRONG = "claims something impossible"
    OVER_CLAIMED = "excludes something possible"
    MISSED_ATOM = "does not find the one relation that a pair has"
    MISSED_DISJUNCTION = "does not find the strongest relation of a pair"
    EMPTIES = "returns nothing, although some links are not part of the contradiction"
    LOSES_LINKS = "loses links that are not part of the contradiction"
    EXPLODES = "claims contradictory relations for a pair that is not part of the contradiction"
    GOES_ON = "does not report the contradiction"
    FALSE_ALARM = "rejects links that can all be true"
    EXCEPTION = "raises an exception"
    DIED = "kills its process"
    TIMEOUT = "does not answer in time"
    MALFORMED = "answers in a form that cannot be read"


class NoticedBy(StrEnum):
    """The way a fault was noticed: by the exact answer, or because two equivalent questions got different answers."""

    EXACT = "exact"
    RENAMING = "renaming"
    ORDER = "order"
    REVERSAL = "reversal"
    REDUNDANCY = "redundancy"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one answer. ``claimed`` is what all claims on the pair say together."""

    kind: FaultKind
    manner: Manner
    pair: tuple[str, str] | None = None
    claimed: Relation | None = None
    exact: Relation | None = None
    reason: str = ""

    @property
    def sort(self) -> tuple[FaultKind, Manner]:
        """Return the sort of a fault. Faults of the same sort may have the same cause."""
        return self.kind, self.manner
