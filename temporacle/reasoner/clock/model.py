"""Models with all facts true: integer times in parts of a second, checked before they are handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.clock.conflicts import holds
from temporacle.reasoner.clock.weights import Solution, WeightedEdge, potentials

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.reasoner.clock.choices import Model
    from temporacle.reasoner.clock.problem import Problem
    from temporacle.reasoner.network import Budget
    from temporacle.results import Witness


def witness_of(problem: Problem, facts: Sequence[int], model: Model, budget: Budget) -> Witness:
    """Return times of all entities, in 1/unit of a second from the origin, at which every fact holds."""
    times = _separated(problem, facts, model, budget)
    broken = next((number for number in problem.with_assumed(facts) if not holds(problem, number, times)), None)
    if broken is None:
        broken = next((edge.left for edge in problem.background if not _is_kept(edge, times)), None)
    if broken is not None:
        raise InternalError("a computed witness breaks the facts of the document; please report this document")
    origin = times[problem.clock]
    return {
        name: (times[2 * number] - origin, times[2 * number + 1] - origin)
        for number, name in enumerate(problem.network.entities)
    }


def _is_kept(edge: WeightedEdge, times: Sequence[int]) -> bool:
    return times[edge.right] - times[edge.left] <= edge.weight


def _separated(problem: Problem, facts: Sequence[int], model: Model, budget: Budget) -> Sequence[int]:
    """Return times that also satisfy ``!=``.

    Two points that happen to be equal are put in order, either way that fits; two that differ keep their order. What
    was not bound to be equal before is not bound to be so afterwards: the models left are open among all models.
    """
    times = model.times
    edges = [edge for link, mask in model.picked.items() for edge in problem.link_edges(link, mask)]
    for x, y, _ in problem.differences(facts):
        if times[x] != times[y]:
            edges.append(WeightedEdge(y, x, -1, None) if times[x] < times[y] else WeightedEdge(x, y, -1, None))
            continue
        for before, after in ((x, y), (y, x)):
            order = WeightedEdge(after, before, -1, None)
            found = potentials(problem.graph(facts, (*edges, order)), budget, times)
            if isinstance(found, Solution):
                times = found.times
                edges.append(order)
                break
    return times
