"""What an implementation answers, and what can be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping

Triple: TypeAlias = tuple[str, Relation, str]
Graph: TypeAlias = tuple[Triple, ...]
"""Links as an implementation gets them: source, relation, target."""


# --- answers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Closed:
    """A closure. Pairs left out are claimed to be unrelated; several claims on a pair hold together."""

    claims: Graph


@dataclass(frozen=True, slots=True)
class SaidInconsistent:
    """The links cannot all be true, it says."""


class Failure(StrEnum):
    """How an implementation can fail to answer."""

    EXCEPTION = "exception"
    DIED = "died"
    TIMEOUT = "timeout"
    MALFORMED = "malformed answer"


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer. ``reason`` is one line for people."""

    how: Failure
    reason: str


@dataclass(frozen=True, slots=True)
class Declined:
    """The implementation says itself that it does not handle such graphs (NotImplementedError): no fault."""

    reason: str


Answer: TypeAlias = Closed | SaidInconsistent | Failed | Declined


class Subject(Protocol):
    """An implementation under audit."""

    @property
    def name(self) -> str: ...

    def ask(self, *graphs: Graph) -> tuple[Answer, ...]:
        """Start afresh, then answer the graphs one after the other in that state; one answer for each."""
        ...


# --- faults ----------------------------------------------------------------------------------------------------------


class Kind(StrEnum):
    """The five ways to be wrong."""

    UNSOUND = "unsound"  # a claim does not follow
    INCOMPLETE = "incomplete"  # something follows and is not claimed
    MISSED_INCONSISTENCY = "missed_inconsistency"
    FALSE_INCONSISTENCY = "false_inconsistency"
    CRASH = "crash"  # no answer, or one that cannot be read


class Manner(StrEnum):
    """A closer look at a kind: faults of different manner have different causes."""

    WRONG = "claims what cannot be"
    OVER_CLAIMED = "rules out something possible"
    MISSED_ATOM = "does not find the one relation that a pair has"
    MISSED_DISJUNCTION = "does not narrow down a pair as far as follows"
    EMPTIES = "answers nothing at all, although some links have no part in the contradiction"
    LOSES_LINKS = "loses links that have no part in the contradiction"
    EXPLODES = "claims contradictory relations for a pair that is not in dispute"
    GOES_ON = "answers as if nothing were wrong"
    FALSE_ALARM = "rejects links that can all be true"
    EXCEPTION = "raises an exception"
    DIED = "kills its process"
    TIMEOUT = "does not answer in time"
    MALFORMED = "answers in a form that cannot be read"


class Check(StrEnum):
    """How a fault was noticed: by the exact answer, or because two equivalent questions were answered differently."""

    EXACT = "exact"
    RENAMING = "renaming"
    ORDER = "order"
    REVERSAL = "reversal"
    REDUNDANCY = "redundancy"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with one answer. ``claimed`` is what all claims on the pair say together."""

    kind: Kind
    manner: Manner
    pair: tuple[str, str] | None = None
    claimed: Relation | None = None
    exact: Relation | None = None
    reason: str = ""

    @property
    def sort(self) -> tuple[Kind, Manner]:
        """Faults of the same sort may have the same cause."""
        return self.kind, self.manner


def entities_of(graph: Graph) -> tuple[str, ...]:
    """Every entity in order of first mention."""
    return tuple(dict.fromkeys(end for source, _, target in graph for end in (source, target)))


def with_names(graph: Graph, names: Mapping[str, str]) -> Graph:
    """The graph with other names for those entities that are given one."""
    return tuple((names.get(source, source), relation, names.get(target, target)) for source, relation, target in graph)
