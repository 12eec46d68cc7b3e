"""The naive twin of the optimal repair: CP-SAT is asked for the most links that can be kept, and nothing else."""

from ortools.sat.python import cp_model

from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.pointgraph import hull_edges


def direct_maximum(network):
    """The most links that can be kept, straight from CP-SAT: no cycles, no hitting sets."""
    model = cp_model.CpModel()
    points = [model.new_int_var(0, 2 * len(network.entities), "") for _ in range(2 * len(network.entities))]
    for start in range(0, len(points), 2):
        model.add(points[start] + 1 <= points[start + 1])
    kept = []
    for source, mask, target in network.constraints:
        literal = model.new_bool_var("")
        kept.append(literal)
        ends = [points[2 * entity + end] for entity in (source, target) for end in (0, 1)]
        pieces = convex_pieces(mask)
        chosen = [model.new_bool_var("") for _ in pieces]
        model.add_bool_or([literal.negated(), *chosen])
        for piece_literal, piece in zip(chosen, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add(ends[x] + int(strict) <= ends[y]).only_enforce_if(piece_literal)
    model.maximize(sum(kept))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    assert solver.solve(model) == cp_model.OPTIMAL
    return round(solver.objective_value)
