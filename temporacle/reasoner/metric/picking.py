"""The next pick of pieces for many disjunctions, by CP-SAT (``choices``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import InternalError
from temporacle.reasoner.cpsolver import load_solver, run_solver

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from temporacle.reasoner.network import Budget


def pick_pieces(
    sizes: Mapping[int, int], clauses: Sequence[Mapping[int, Collection[int]]], budget: Budget
) -> dict[int, int] | None:
    """Return one piece for each link, so that no clause has all its links in its pieces; None if this is impossible."""
    model = load_solver().CpModel()
    chosen = {(link, piece): model.new_bool_var() for link, size in sizes.items() for piece in range(size)}
    for link, size in sizes.items():
        model.add_exactly_one(chosen[link, piece] for piece in range(size))
    for clause in clauses:
        model.add_bool_or(
            chosen[link, piece] for link, bad in clause.items() for piece in range(sizes[link]) if piece not in bad
        )
    solver, feasible = run_solver(model, budget, presolve=False)
    if not feasible:
        return None
    picked = {link: piece for (link, piece), variable in chosen.items() if solver.boolean_value(variable)}
    if any(all(picked[link] in bad for link, bad in clause.items()) for clause in clauses):
        raise InternalError("CP-SAT returned pieces that a clause excludes")
    return picked
