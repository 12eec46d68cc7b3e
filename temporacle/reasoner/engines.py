"""The engines that can close a network, by name. A new engine is one file and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.reasoner.network import Budget, Network, PairTable


@dataclass(frozen=True, slots=True)
class Engine:
    """The location of an engine, and its guarantees."""

    name: str
    location: str  # "module:function"
    complete: bool  # finds every entailed relation and every inconsistency
    note: str

    def closure(self, network: Network, budget: Budget) -> PairTable | None:
        """Return the table of pairs; None if the engine finds the network inconsistent."""
        module, function = self.location.split(":")
        table: PairTable | None = getattr(import_module(module), function)(network, budget)
        return table


_HERE = "temporacle.reasoner"
ENGINES = {
    engine.name: engine
    for engine in (
        Engine("exact", f"{_HERE}.oracle:closure", complete=True, note="endpoint graph first, then cases or search"),
        Engine("cpsat", f"{_HERE}.fullmodel:closure", complete=True, note="CP-SAT alone: slow, the reference"),
        Engine("enumeration", f"{_HERE}.enumeration:closure", complete=True, note="every scenario; up to 6 entities"),
        Engine(
            "propagation", f"{_HERE}.propagation:closure", complete=False, note="Allen's path consistency: sound only"
        ),
        Engine(
            "path-consistency",
            f"{_HERE}.pathconsistency:closure",
            complete=False,
            note="the same by sweeps over all triangles: sound only",
        ),
        Engine("ord-horn", f"{_HERE}.ordhorn:closure", complete=True, note="backtracking over ORD-Horn relations"),
        Engine(
            "timegraph", f"{_HERE}.timegraph:closure", complete=True, note="chains with pseudo-times; convex links only"
        ),
    )
}


def engine_named(name: str) -> Engine:
    """Return the engine of that name. Raise UsageError with the known names if there is none."""
    try:
        return ENGINES[name]
    except KeyError:
        raise UsageError(f"unknown engine {name!r}: choose {', '.join(ENGINES)}") from None
