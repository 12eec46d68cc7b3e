"""The engines, by name. A new engine is one file and one line here.

Every engine closes networks. Some decide everything: verdicts with a witness, entailment, closure, and from verdicts a
minimal conflict. ``engine="cpsat"`` in Python names one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError, listed
from temporacle.reasoner.judged import Judged

if TYPE_CHECKING:
    from temporacle.reasoner.judged import Decider
    from temporacle.reasoner.network import Budget, Network, PairTable

LARGEST_ENUMERATED = 6  # entities
_HERE = "temporacle.reasoner"
_TOO_LARGE = "enumeration lists every scenario"


class TooLargeForEngine(UsageError):  # noqa: N818 - it is a condition, not a mistake
    """There are more entities than the chosen engine takes."""


@dataclass(frozen=True, slots=True)
class Engine:
    """The location of an engine, and its guarantees."""

    name: str
    location: str  # "module:function", below temporacle.reasoner: what closes a network, or what decides about it
    complete: bool  # finds every entailed relation and every inconsistency
    note: str
    decides: bool = False  # the function returns what answers all questions, not only the closure

    def decider(self, network: Network, budget: Budget) -> Decider | None:
        """Return what answers all questions about a network; None if it is found to be inconsistent at once."""
        if not self.decides:
            raise UsageError(f"the engine {self.name} only closes networks: choose {listed(DECIDING)}")
        found: Decider | None = self._function()(network, budget)
        return found

    def closure(self, network: Network, budget: Budget) -> PairTable | None:
        """Return the table of pairs; None if the engine finds the network inconsistent."""
        if self.decides:
            return Judged(network, budget, self).table()
        table: PairTable | None = self._function()(network, budget)
        return table

    def _function(self) -> Any:
        module, function = self.location.split(":")
        return getattr(import_module(f"{_HERE}.{module}"), function)


def _by_name(*engines: Engine) -> dict[str, Engine]:
    return {engine.name: engine for engine in engines}


ENGINES = _by_name(
    Engine("exact", "judged:closure", complete=True, note="endpoint graph first, then cases or search"),
    Engine("cpsat", "reference.cpsat:decider", complete=True, note="CP-SAT alone: slow, the reference", decides=True),
    Engine(
        "enumeration",
        "reference.enumeration:decider",
        complete=True,
        note="every scenario; up to 6 entities",
        decides=True,
    ),
    Engine("propagation", "published.propagation:closure", complete=False, note="Allen's path consistency: sound only"),
    Engine(
        "path-consistency",
        "published.path_consistency:closure",
        complete=False,
        note="the same by sweeps over all triangles: sound only",
    ),
    Engine("ord-horn", "published.ord_horn:closure", complete=True, note="backtracking over ORD-Horn relations"),
    Engine(
        "timegraph", "published.timegraph:closure", complete=True, note="chains with pseudo-times; convex links only"
    ),
)
DECIDING = ("exact", *(engine.name for engine in ENGINES.values() if engine.decides))
"""The engines that answer every question."""

LANES = _by_name(
    Engine("graph", "reference.lanes:graph", complete=True, note="the endpoint graph, closed", decides=True),
    Engine("large", "reference.lanes:large", complete=True, note="the graph of large documents", decides=True),
    Engine("splitting", "reference.lanes:splitting", complete=True, note="large documents, by cases", decides=True),
    Engine("cdcl", "reference.lanes:cdcl", complete=True, note="the incremental solver, on all links", decides=True),
)
"""The parts of the engine exact, each made to answer alone."""


def engine_named(name: str) -> Engine:
    """Return the engine of that name. Raise UsageError with the known names if there is none."""
    try:
        return ENGINES[name]
    except KeyError:
        raise UsageError(option="engine", value=name, allowed=ENGINES) from None


def deciding_engine(name: str) -> Engine | None:
    """Return the engine that is to decide everything; None for exact, which is built in.

    Raise UsageError if the engine answers only some questions, or is unknown.
    """
    if name not in DECIDING:
        raise UsageError(option="engine", value=name, allowed=DECIDING)
    return None if name == "exact" else ENGINES[name]


def require_exact(name: str, what: str) -> None:
    """Raise UsageError if another engine than exact is to do what only exact does."""
    if name != "exact":
        raise UsageError(f"the engine {name} has no {what}: leave out the engine, or choose exact")


def require_size(name: str, entities: int) -> None:
    """Raise TooLargeForEngine if the engine is the enumeration, and there are more entities than it takes."""
    if name == "enumeration" and entities > LARGEST_ENUMERATED:
        raise TooLargeForEngine(
            f"{_TOO_LARGE} and goes up to {LARGEST_ENUMERATED} entities, but there are {entities}: "
            "use the engine exact or cpsat"
        )


def refusal_of(reason: str | None) -> str | None:
    """Return why a document is too large for the chosen engine; None if the reason is another one."""
    words = (reason or "").removeprefix("undecided: ")
    return words if words.startswith(_TOO_LARGE) else None
