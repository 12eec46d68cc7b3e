"""The naive twin of the optimal repair: CP-SAT is asked for the most links that can be kept, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ortools.sat.python import cp_model

from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.pointgraph import hull_edges

if TYPE_CHECKING:
    from temporacle.reasoner.network import Network


def fewest_to_drop(
    network: Network, *, presolve: bool = True, linearization: int = 2, limit: float | None = None
) -> int | None:
    """How many links must go, straight from CP-SAT: no cycles, no hitting sets. None if not proven within the limit."""
    model = cp_model.CpModel()
    size = 2 * len(network.entities)
    points = [model.new_int_var(0, size - 1, "") for _ in range(size)]
    for first in range(0, size, 2):
        model.add(points[first] + 1 <= points[first + 1])
    kept = []
    for source, mask, target in network.constraints:
        literal = model.new_bool_var("")
        kept.append(literal)
        ends = [points[2 * entity + end] for entity in (source, target) for end in (0, 1)]
        pieces = convex_pieces(mask)
        chosen = [literal] if len(pieces) == 1 else [model.new_bool_var("") for _ in pieces]
        if len(pieces) != 1:
            model.add_bool_or([literal.negated(), *chosen])
        for piece_literal, piece in zip(chosen, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add(ends[x] + int(strict) <= ends[y]).only_enforce_if(piece_literal)
    model.maximize(sum(kept))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = linearization
    solver.parameters.cp_model_presolve = presolve
    if limit is not None:
        solver.parameters.max_time_in_seconds = limit
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    return len(kept) - round(solver.objective_value)
