"""The naive twins of the optimal repair: a program that knows nothing of links is asked for the most that can be kept.

CP-SAT gets endpoints as whole numbers. RC2, python-sat's optimiser, gets all clauses of the encoding at once.
"""

from __future__ import annotations

from multiprocessing import get_context
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from ortools.sat.python import cp_model

from temporacle.reasoner.algebra import ALL, converse, convex_pieces
from temporacle.reasoner.disjunctions.completion import Triangles, complete
from temporacle.reasoner.disjunctions.encoding import LOCAL, implicate_clauses, implicates, open_rows, row_clauses
from temporacle.reasoner.points.graph import hull_edges

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection

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
        if presolve and limit is None:  # it gives up now and then, and finds it with the other setting
            return fewest_to_drop(network, presolve=False, linearization=linearization)
        return None
    return len(kept) - round(solver.objective_value)


def least_weight_by_rc2(network: Network, weights: Mapping[int, int], limit: float) -> tuple[int, float] | None:
    """Return the least weight of links that must go, and the processor time; None if not known within the limit.

    RC2 runs in a process of its own, since it cannot be interrupted. No link may be one of an entity to itself.
    """
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_rc2, args=(network, dict(weights), there))
    process.start()
    there.close()
    found: tuple[int, float] | None = here.recv() if here.poll(limit) else None
    process.kill()
    process.join()
    return found


def _rc2(network: Network, weights: Mapping[int, int], answer: Connection) -> None:
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    start = process_time()
    size = len(network.entities)
    completion = complete(size, ((source, target) for source, _, target in network.constraints))
    triangles = Triangles(completion)
    place = {int(entity): number for number, entity in enumerate(completion.order)}
    bases = LOCAL * np.arange(triangles.pairs, dtype=np.int32)
    anything = np.full(triangles.pairs, ALL, np.uint16)
    formula = WCNF()
    every = np.arange(len(triangles.sides[0]))
    for part in (
        *implicate_clauses(bases, anything),
        *row_clauses(triangles, bases, every, open_rows(anything, triangles)),
    ):
        formula.extend(part)
    for number, (source, mask, target) in enumerate(network.constraints):
        first, second = place[source], place[target]
        base = LOCAL * int(triangles.number[min(first, second), max(first, second)])
        selector = LOCAL * triangles.pairs + 1 + number
        for clause in implicates(mask if first < second else converse(mask)):
            formula.append([-selector, *(each + base if each > 0 else each - base for each in clause)])
        formula.append([selector], weight=weights[number])
    with RC2(formula) as solver:
        solver.compute()
        answer.send((solver.cost, process_time() - start))
