"""How much faster the optimal repair is than asking CP-SAT directly for the most links that can be kept.

Documents are made up: entities on a hidden time line, links between near neighbours, some of them replaced by wrong
ones. Both get the same documents in the same process. The direct model is solved with presolve on and off and at each
level of linear relaxation, and its best time counts; a setting is stopped once it is slower than the best before it.
The optimum of every document is compared.

Then networks of disjunctions, against RC2 of python-sat, which gets all clauses at once. A(n, d): n entities, each pair
linked with probability d / (n - 1), each atom in a label with probability a half. P(n, links, errors, p): hidden times;
a label has the true atom and each other one with probability p; erroneous labels lack the true one. Processor time; the
weight of every repair is compared where both know it.
"""

from __future__ import annotations

from itertools import product
from random import Random
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from bench.direct_repair import fewest_to_drop, least_weight_by_rc2
from bench.harness import Row
from temporacle.errors import BudgetExceeded
from temporacle.experiments.graphs import hard_network
from temporacle.model import Link
from temporacle.reasoner.conflicts.repair import repair, whole_weights
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import ATOMS, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 60.0  # seconds for one setting of the direct model
LINKS, ERRORS, DOCUMENTS = 500, 20, 5
HARD = (
    *((12, 11, 1), (12, 11, 2), (15, 11, 3), (20, 11, 4), (20, 11, 5), (20, 10, 6), (25, 10, 7), (30, 9.5, 8)),
    *((30, 11, 11), (40, 11, 13), (50, 11, 15)),
)  # entities, degree, seed
PLANTED = (
    *((20, 150, 5, 0.3, 21), (20, 190, 10, 0.3, 22), (30, 300, 10, 0.3, 23), (40, 400, 15, 0.3, 24)),
    *((60, 500, 15, 0.3, 25), (40, 400, 8, 0.5, 26), (60, 500, 10, 0.5, 27), (40, 300, 15, 0.1, 28)),
)
WEIGHTED = (1, 2, 3, 4, 5, 23, 24)  # seeds of networks that are also repaired with weights from 1 to 1000
RING = 10_000


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


def hard(entities: int, degree: float, seed: int) -> Network:
    return Network.of(hard_network(Random(seed), "A", entities, degree, "hard"))


def planted(entities: int, links: int, errors: int, chance: float, seed: int) -> Network:
    rng = Random(seed)
    times = [(min(ends), max(ends)) for ends in (rng.sample(range(4 * entities), 2) for _ in range(entities))]
    pairs = rng.sample([(i, j) for i in range(entities) for j in range(i + 1, entities)], links)
    wrong = set(rng.sample(range(links), errors))
    stated = []
    for number, (i, j) in enumerate(pairs):
        true = atom_holding(times[i], times[j])
        atoms: set[str] = set()
        while not atoms:
            atoms = {atom for atom in ATOMS if rng.random() < chance}
            atoms = atoms - {true} if number in wrong else atoms | {true}
        stated.append(Link(f"l{number}", f"e{i}", Relation.of(*atoms), f"e{j}"))
    return Network(stated)


def weighted(network: Network) -> Network:
    rng = Random(1)
    return Network([link._replace(weight=rng.randint(1, 1000)) for link in network.links], network.entities)


def rows() -> Iterator[Row]:
    yield from convex_documents()
    yield long_ring()
    cases = [(f"A{case[:-1]} seed {case[-1]}", case[-1], hard(*case)) for case in HARD]
    cases += [(f"P{case[:-1]} seed {case[-1]}", case[-1], planted(*case)) for case in PLANTED]
    cases += [(f"{name}, weights", 0, weighted(network)) for name, seed, network in cases if seed in WEIGHTED]
    repair(hard(12, 11, 0), Budget())  # pays for imports
    for name, _, network in cases:
        yield against_rc2(name, network)


def against_rc2(name: str, network: Network) -> Row:
    start = process_time()
    try:
        ours = repair(network, Budget(LIMIT)).weight
    except BudgetExceeded:
        ours = None
    seconds = process_time() - start
    weights, _ = whole_weights(network.links)
    found = least_weight_by_rc2(network, weights, LIMIT)
    if found is not None and ours not in (None, found[0]):
        raise SystemExit(f"{name}: a repair of weight {ours}, RC2 {found[0]}")
    theirs = LIMIT if found is None else found[1]
    note = f"weight {ours}, {seconds:.2f} s; RC2 " + ("unfinished" if found is None else f"{theirs:.2f} s")
    return Row("repair", f"RC2, {name}, {len(network.links)} links", seconds / theirs, 1, note=note)


def long_ring() -> Row:
    network = Network.of([(f"e{k}", "BEFORE", f"e{(k + 1) % RING}") for k in range(RING)])
    start = process_time()
    dropped = repair(network, Budget()).dropped
    seconds = process_time() - start
    if [link.id for link in dropped] != ["l1"]:
        raise SystemExit(f"the repair of a ring drops {dropped}")
    return Row(f"repair of a ring of {RING} links", "1 s", seconds, 1, note=f"{seconds:.2f} s")


def convex_documents() -> Iterator[Row]:
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
