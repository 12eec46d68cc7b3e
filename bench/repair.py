"""How much faster the optimal repair is than asking CP-SAT directly for the most links that can be kept.

Documents are made up: entities on a hidden time line, links between near neighbours, some of them replaced by wrong
ones. Both get the same documents in the same process. The direct model is solved with presolve on and off and at each
level of linear relaxation, and its best time counts; a setting is stopped once it is slower than the best before it.
The optimum of every document is compared.
"""

from __future__ import annotations

from itertools import product
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

from ortools.sat.python import cp_model

from bench.harness import Row
from temporacle.model import Link
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.reasoner.repair import repair
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 60.0  # seconds for one setting of the direct model
LINKS, ERRORS, DOCUMENTS = 500, 20, 5


def document(links: int, errors: int, seed: int) -> Network:
    rng = Random(seed)
    entities = links // 2
    starts = [2 * position + rng.randint(0, 8) for position in range(entities)]
    times = [(start, start + rng.randint(1, 12)) for start in starts]
    stated = []
    for number in range(links):
        source = rng.randrange(entities)
        target = min(max(source + rng.choice((-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6)), 0), entities - 1)
        target = target if target != source else (source + 1) % entities
        atom = atom_holding(times[source], times[target])
        stated.append(Link(f"l{number}", f"e{source}", Relation.of(atom), f"e{target}"))
    for number in rng.sample(range(links), errors):
        wrong = rng.choice([atom for atom in ATOMS if atom not in stated[number].relation.atoms])
        stated[number] = stated[number]._replace(relation=Relation.of(wrong))
    return Network(stated)


def direct(network: Network, *, presolve: bool, linearization: int, limit: float) -> tuple[float, int | None]:
    """Seconds, and the number of links to drop; None if that is not proven within the limit."""
    start = perf_counter()
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
        if len(pieces) > 1:
            model.add_bool_or([literal.negated(), *chosen])
        for piece_literal, piece in zip(chosen, pieces, strict=True):
            for x, y, strict in hull_edges(piece):
                model.add(ends[x] + int(strict) <= ends[y]).only_enforce_if(piece_literal)
    model.maximize(sum(kept))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = linearization
    solver.parameters.cp_model_presolve = presolve
    solver.parameters.max_time_in_seconds = limit
    status = solver.solve(model)
    dropped = len(kept) - round(solver.objective_value) if status == cp_model.OPTIMAL else None
    return perf_counter() - start, dropped


def rows() -> Iterator[Row]:
    """Total time over several documents; the optimum of each is compared on the way."""
    repair(document(50, 3, 0), Budget())  # pays for imports
    ours = theirs = 0.0
    singles = []
    for seed in range(DOCUMENTS):
        network = document(LINKS, ERRORS, seed)
        start = perf_counter()
        dropped = len(repair(network, Budget()).dropped)
        seconds = perf_counter() - start
        best: tuple[float, int | None] = (LIMIT, None)
        for level, presolve in product((2, 1, 0), (False, True)):
            found = direct(network, presolve=presolve, linearization=level, limit=best[0])
            best = min(best, found, key=lambda one: (one[1] is None, one[0]))
        if best[1] not in (None, dropped):
            raise SystemExit(f"document {seed}: {dropped} links dropped, CP-SAT {best[1]}")
        singles.append(best[0] / seconds)
        ours, theirs = ours + seconds, theirs + best[0]
    yield Row(
        "direct CP-SAT maximisation, best of six settings",
        f"repair of {LINKS} links with {ERRORS} errors",
        theirs / ours,
        20,
        at_least=True,
        note=f"{DOCUMENTS} documents, {min(singles):.0f} to {max(singles):.0f}",
    )
