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

from bench.direct_repair import fewest_to_drop
from bench.harness import Row
from temporacle.model import Link
from temporacle.reasoner.network import Budget, Network
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
            start = perf_counter()
            found = fewest_to_drop(network, presolve=presolve, linearization=level, limit=best[0])
            best = min(best, (perf_counter() - start, found), key=lambda one: (one[1] is None, one[0]))
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
