"""The library against the reference on a few small documents at a time: quick, and the first to fail."""

from random import Random

import naive_calendar as naive
import pytest
from calendar_documents import random_document, random_options
from library import options_of, oracle_of, read

import temporacle as tp
from temporacle.calendar.policy import Calendar
from temporacle.reasoner.clock.conflicts import shortest_cycle
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.network import Budget


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("kinds", [("atom", "convex"), ("any", "pointisable")], ids="-".join)
def test_verdicts_conflicts_and_relations(kinds, seed):
    rng = Random(f"small {kinds} {seed}")
    for _ in range(2):
        record, options = random_document(rng, entities=rng.choice((2, 3, 3)), kinds=kinds), random_options(rng)
        policy = rng.choice(naive.POLICIES)
        reference = naive.calendar_of(record, policy, **options)
        oracle = oracle_of(record, policy, **options)
        answer = oracle.consistency()
        if naive.is_consistent(reference):
            assert isinstance(answer, tp.Consistent), (record, policy, options)
            source, target = list(reference.entities)[:2]
            expected = naive.strongest(reference, source, target)
            assert list(oracle.strongest(source, target).atoms) == expected, (record, policy, options)
        else:
            assert isinstance(answer, tp.Inconsistent), (record, policy, options)
            found = frozenset(fact.id for fact in answer.conflict)
            assert found in naive.smallest_conflicts(reference), (record, policy, options)


@pytest.mark.parametrize("seed", range(12))
def test_explanations_name_what_contradicts(seed):
    """Every fact of a conflict has its words, and the last sentence is the contradiction."""
    rng = Random(f"explanations {seed}")
    while True:
        record = random_document(rng, entities=3, kinds=("atom",))
        found = tp.check(read(record), calendar="within", **options_of())[0]
        if found.verdict == "inconsistent":
            break
    assert found.conflicts
    for conflict, chain in zip((found.conflict, *found.conflicts), (found.chain, *found.chains), strict=True):
        told = "\n".join(chain)
        assert all(fact.id in told or fact.source in told for fact in conflict)


@pytest.mark.parametrize("seed", range(12))
def test_shortest_cycles_are_smallest_conflicts(seed):
    rng = Random(f"cycles {seed}")
    met = 0
    while met < 2:
        record = random_document(rng, entities=3, kinds=("atom", "convex"))
        reference = naive.calendar_of(record, "within")
        smallest = naive.smallest_conflicts(reference)
        if smallest and not any(link["source"] == link["target"] for link in record["links"]):
            met += 1
            problem = CalendarOracle(read(record), Calendar()).problem
            cycle = shortest_cycle(problem, Budget())
            assert cycle is not None
            names = {problem.facts[number].id for number in cycle}
            assert not naive.is_consistent(reference, names)
