"""Naive twins of decoding for labels that compare start points (MATRES): everything is stated at once.

For each two entities and each direction one Boolean "starts at or before"; one of the two directions holds, and any
three entities are transitive. Each label of each pair is one Boolean that enforces its comparison. The model is given
to CP-SAT, and to HiGHS as a mixed integer program.
"""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scored import UNIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.scored import Objective, ScoredDocument


class Row(NamedTuple):
    """Bounds on a sum of variables."""

    lower: int
    terms: dict[int, int]
    upper: int


class Model(NamedTuple):
    """A problem over Booleans: rows to meet, and what each variable is worth."""

    size: int
    rows: list[Row]
    worth: dict[int, int]


def stated(document: ScoredDocument, objective: Objective) -> Model:
    names = sorted({end for pair in document.pairs for end in (pair.source, pair.target)})
    order = {pair: number for number, pair in enumerate(permutations(range(len(names)), 2))}
    place = {name: number for number, name in enumerate(names)}
    rows = [Row(1, {order[i, j]: 1, order[j, i]: 1}, 2) for i, j in combinations(range(len(names)), 2)]
    rows += [
        Row(-1, {order[i, j]: 1, order[j, k]: 1, order[i, k]: -1}, 1) for i, j, k in permutations(range(len(names)), 3)
    ]
    size = len(order)
    worth = {}
    for pair in document.pairs:
        i, j = place[pair.source], place[pair.target]
        rows.append(Row(1, {size + number: 1 for number in range(len(pair.labels))}, 1))
        for label in pair.labels:
            rows += _enforced(label.label, size, order[i, j], order[j, i])
            worth[size] = objective.worth(label.score)
            size += 1
    return Model(size, rows, worth)


def _enforced(label: str, taken: int, forward: int, backward: int) -> Iterator[Row]:
    if label == "BEFORE":
        yield Row(0, {taken: 1, backward: 1}, 1)
    elif label == "AFTER":
        yield Row(0, {taken: 1, forward: 1}, 1)
    elif label == "EQUAL":
        yield Row(-1, {taken: 1, forward: -1}, 0)
        yield Row(-1, {taken: 1, backward: -1}, 0)


def best_by_cpsat(
    document: ScoredDocument, objective: Objective, *, presolve: bool = True, limit: float | None = None
) -> float | None:
    """The optimum; None if it is not proven within the limit."""
    from ortools.sat.python import cp_model

    given = stated(document, objective)
    model = cp_model.CpModel()
    variables = [model.new_bool_var("") for _ in range(given.size)]
    for lower, terms, upper in given.rows:
        model.add_linear_constraint(sum(factor * variables[column] for column, factor in terms.items()), lower, upper)
    model.maximize(sum(worth // 1000 * variables[column] for column, worth in given.worth.items()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = presolve
    if limit is not None:
        solver.parameters.max_time_in_seconds = limit
    if solver.solve(model) != cp_model.OPTIMAL:
        return None
    taken = (column for column in given.worth if solver.boolean_value(variables[column]))
    return sum(given.worth[column] for column in taken) / UNIT


def best_by_highs(document: ScoredDocument, objective: Objective, *, limit: float | None = None) -> float | None:
    """The optimum; None if it is not proven within the limit."""
    import numpy as np
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    given = stated(document, objective)
    entries = [
        (number, column, factor) for number, row in enumerate(given.rows) for column, factor in row.terms.items()
    ]
    at, columns, factors = zip(*entries, strict=True)
    matrix = coo_array((factors, (at, columns)), shape=(len(given.rows), given.size)).tocsr()
    costs = np.zeros(given.size)
    for column, worth in given.worth.items():
        costs[column] = -worth / UNIT
    options: dict[str, float] = {"mip_rel_gap": 0.0}
    if limit is not None:
        options["time_limit"] = limit
    found = milp(
        costs,
        constraints=LinearConstraint(matrix, [row.lower for row in given.rows], [row.upper for row in given.rows]),
        integrality=np.ones(given.size),
        bounds=Bounds(0, 1),
        options=options,
    )
    return -float(found.fun) if found.status == 0 else None
