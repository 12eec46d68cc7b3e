"""Models: times at which facts hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import ATOM_OF, order
from .form import Rejected

if TYPE_CHECKING:
    from .clock import Clock
    from .facts import Fact


def check_model(model: dict[str, list[int]], facts: list[Fact], name: str, clock: Clock | None) -> None:
    """Check that every entity starts before it ends, and that every fact holds at these times."""
    for entity, times in model.items():
        if not times[0] < times[1]:
            raise Rejected(f"{name}: {entity!r} does not start before it ends")
    if clock is not None:
        clock.check_times(model, [edge for fact in facts if isinstance(fact, list) for edge in fact], name)
    for source, relation, target in (fact for fact in facts if not isinstance(fact, list)):
        if source not in model or target not in model:
            raise Rejected(f"{name}: no times for {source!r} or {target!r}")
        if ATOM_OF[order(model[source], model[target])] not in relation:
            raise Rejected(f"{name}: {source!r} {'|'.join(sorted(relation))} {target!r} does not hold")
