"""Paths that enter no chain twice: the fast search against the definition."""

import random

import pytest
from official_runs import score_links
from official_twin import reaches as by_definition

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.scoring.official.tempeval3.state import ChainPlace, Way, reaches
from temporacle.scoring.official.tempeval3.tlinks import Triple


def random_graph(rng):
    """Chains full of edges back and forth, so that many walks return to a chain at an earlier point."""
    chains, stamps = rng.randint(2, 6), rng.randint(1, 5)
    exits = {chain: [] for chain in range(chains)}
    for _ in range(rng.randint(1, 12)):
        source, target = rng.sample(range(chains), 2)
        exits[source].append((rng.randrange(stamps), (target, rng.randrange(stamps))))
    return exits, [(chain, stamp) for chain in range(chains) for stamp in range(stamps)]


def as_ways(exits):
    return [sorted(Way(-stamp, *target) for stamp, target in exits[chain]) for chain in sorted(exits)]


def free_walk(exits, p, q):
    """The same question if chains may be entered again."""
    seen, pending = {p}, [p]
    while pending:
        chain, stamp = pending.pop()
        if chain == q[0]:
            if stamp <= q[1]:
                return True
            continue
        for leave, target in exits[chain]:
            if leave >= stamp and target not in seen:
                seen.add(target)
                pending.append(target)
    return False


def test_same_as_definition():
    rng = random.Random(5)
    answers, loops = [], 0
    for _ in range(3000):
        exits, places = random_graph(rng)
        ways = as_ways(exits)
        for _ in range(10):
            p, q = rng.choice(places), rng.choice(places)
            answer = reaches(ways, ChainPlace(*p), ChainPlace(*q), Budget())
            assert answer == by_definition(exits, p, q), (exits, p, q)
            answers.append(answer)
            loops += p[0] != q[0] and answer != free_walk(exits, p, q)
    assert 0.2 < sum(answers) / len(answers) < 0.8
    assert loops > 50  # the branching was needed


@pytest.mark.parametrize("before", [0, 1, 2])
@pytest.mark.parametrize("path", [True, False])
def test_a_long_path_beside_a_short_loop(before, path):
    """The loop 0 -> 1 -> 2 -> 1 -> 9 is met first; the path from 0 over 3 to 8 counts. Both may begin further on."""
    exits = {chain: [] for chain in range(10 + before)}
    start = 0
    for extra in range(10, 10 + before):
        exits[start].append((7, (extra, 0)))
        start = extra
    exits[start] += [(7, (1, 5)), (7, (3, 0))]
    exits[1] += [(6, (2, 0)), (2, (9, 0))]
    exits[2].append((3, (1, 0)))
    for chain in range(3, 8 if path else 7):
        exits[chain].append((1, (chain + 1, 0)))
    exits[8].append((1, (9, 0)))
    assert by_definition(exits, (0, 0), (9, 0)) is path
    assert free_walk(exits, (0, 0), (9, 0))
    assert reaches(as_ways(exits), ChainPlace(0, 0), ChainPlace(9, 0), Budget()) is path
    with pytest.raises(BudgetExceeded):
        reaches(as_ways(exits), ChainPlace(0, 0), ChainPlace(9, 0), Budget(-1))


def layered(width, layers):
    """Each event before every event of the next layer: exponentially many paths."""
    return [
        Triple(b"ei%d" % (layer * width + i), b"ei%d" % (layer * width + width + j), b"BEFORE")
        for layer in range(layers)
        for i in range(width)
        for j in range(width)
    ]


def test_many_paths_are_no_trouble():
    links = layered(5, 30)
    backwards = [Triple(target, source, b"BEFORE") for source, target, _ in links[:50]]
    counts = score_links([(links, backwards)]).total
    assert (counts.gold_total, counts.precision_matched, counts.recall_matched) == (750, 0, 0)


def test_budget():
    with pytest.raises(BudgetExceeded):
        score_links([(layered(4, 8), layered(4, 8))], seconds=-1)
