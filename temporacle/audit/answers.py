"""The possible answers of an implementation under audit."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from temporacle.audit.graphs import Graph


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
