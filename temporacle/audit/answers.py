"""The possible answers of an implementation under audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Closed:
    """A closure. Pairs left out are claimed to be unrelated; several claims on a pair hold together.

    Of claims in files, some may be unreadable. What is missing on such a pair is not held against the implementation.
    """

    claims: Graph
    unread: frozenset[tuple[str, str]] = frozenset()  # pairs with a claim that could not be read
    torn: bool = False  # claims on other pairs could not be read either: nothing counts as missing
    labels: frozenset[str] = field(default=frozenset(), compare=False)  # names of relations that are not atoms


@dataclass(frozen=True, slots=True)
class SaidInconsistent:
    """The links cannot all be true, it says."""


class Failure(StrEnum):
    """The ways in which an implementation can fail to answer."""

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
    """The implementation says itself that it does not handle such graphs (NotImplementedError): not a fault."""

    reason: str


ClosureAnswer: TypeAlias = Closed | SaidInconsistent | Failed | Declined


class AuditSubject(Protocol):
    """An implementation under audit."""

    @property
    def name(self) -> str: ...

    def ask(self, *graphs: Graph) -> tuple[ClosureAnswer, ...]:
        """Start afresh, then answer the graphs one after the other in that state; one answer for each."""
        ...


# ----------------------------------------------------------------------------------------------------
# Graphs as an implementation under audit gets them: links of source, relation and target.

Triple: TypeAlias = tuple[str, Relation, str]
Graph: TypeAlias = tuple[Triple, ...]


class Vocabulary(StrEnum):
    """The relations that links of generated graphs may have."""

    ATOMIC = "atomic"
    CONVEX = "convex"
    ANY = "any"


def entities_of(graph: Graph) -> tuple[str, ...]:
    """Return every entity in order of first mention."""
    return tuple(dict.fromkeys(end for source, _, target in graph for end in (source, target)))


def with_names(graph: Graph, names: Mapping[str, str]) -> Graph:
    """Return the graph with other names for those entities that are given one."""
    return tuple((names.get(source, source), relation, names.get(target, target)) for source, relation, target in graph)


def plain(graph: Graph) -> list[list[str]]:
    """Return links as lists of strings, for JSON.

    >>> plain((("a", Relation("b|m"), "c"),))
    [['a', 'b|m', 'c']]
    """
    return [[source, str(relation), target] for source, relation, target in graph]


# ----------------------------------------------------------------------------------------------------
# The possible faults of an answer.


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
