"""Scores on closed graphs and on core relations: the example of the paper, and twins by brute force."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from naive import KINDS, brute_force, network_of, random_network
from scoring.sides import counts, document

from temporacle.reasoner.algebra import ALL, compose
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EVERYTHING, Relation
from temporacle.results import MatchCounts
from temporacle.scoring.closed import core_of, judge_closure
from temporacle.scoring.metric import PairOptions

CHAIN = [("A", "b", "B"), ("B", "b", "C"), ("C", "b", "D")]


def ratios(found):
    return str(found.precision(0)), str(found.recall(0))


def test_the_vaguer_but_correct_answer_of_the_paper():
    assert ratios(counts("closure", [("i", "b", "j")], [("i", "b|o", "j")], relaxed=True)) == ("1", "1/2")
    assert ratios(counts("closure", [("i", "b", "j")], [("i", "bi", "j")], relaxed=True)) == ("0", "0")
    assert ratios(counts("closure", [("i", "b", "j")], [("i", "b|o", "j")])) == ("0", "0")


def test_every_implied_pair_counts_in_the_closed_graph():
    """Figure 5: two links of a chain of three give two of six pairs."""
    assert ratios(counts("closure", CHAIN, [CHAIN[0], CHAIN[2]])) == ("1", "1/3")
    assert ratios(counts("closure", CHAIN, CHAIN[:2])) == ("1", "1/2")


def test_core_relations_leave_out_what_follows_and_miss_what_the_key_does_not_hold_as_core():
    assert ratios(counts("core", CHAIN, [*CHAIN, ("A", "b", "D")])) == ("1", "1")
    assert ratios(counts("core", CHAIN, [CHAIN[0], ("B", "b", "D")])) == ("1/2", "1/3")


@pytest.mark.parametrize("entity", ["c", "x"])  # one that the key relates to others, one that it does not mention
def test_a_pair_the_other_side_does_not_relate_is_universal_there(entity):
    gold = [("a", "b", "b"), ("c", "b", "d")]
    found = counts("closure", gold, [("a", "b", entity)], relaxed=True)
    assert (found.precision_matched, found.system_total) == (Fraction(1, 13), 1)
    assert (found.recall_matched, found.gold_total) == (2 * Fraction(1, 13), 2)


def test_disjunctive_graphs_are_scored_by_their_minimal_network():
    """Path consistency does not find that a must be before d here; complete inference does."""
    gold = [("a", "b|bi", "b"), ("b", "b", "c"), ("a", "b", "c"), ("a", "b|m", "b")]
    found = counts("closure", gold, [("a", "b", "b"), ("b", "b", "c")])
    assert found.recall_matched == found.gold_total == 3


def test_details_tell_pairs_by_kind_and_labels_in_a_table():
    judgement = judge_closure(document([("a", "b", "b")]), document([("a", "bi", "b")]), PairOptions(details=True))
    assert judgement.confusion == {("b", "bi"): 1}
    assert judgement.breakdown["kind"]["other"] == MatchCounts(0, 1, 0, 1)


# --- twins -----------------------------------------------------------------------------------------------------------


def consistent_pair(seed, kind):
    rng = Random(seed)
    entities = ["a", "b", "c", "d"][: rng.choice((2, 3, 4, 4))]
    sides = []
    while len(sides) < 2:
        links = random_network(rng, entities, kind, density=rng.choice((0.4, 0.7, 1.0)))
        if brute_force(links, entities) is not None:
            sides.append(links)
    return sides


def closed_by_force(links):
    entities = sorted({end for source, _, target in links for end in (source, target)})
    return entities, brute_force(links, entities) if entities else {}


def core_by_force(entities, table):
    core = {}
    for source, target in table:
        derived = ALL
        for other in entities:
            if other not in (source, target):
                derived &= compose(int(table[source, other]), int(table[other, target]))
        core[source, target] = table[source, target] if derived != table[source, target] else EVERYTHING
    return core


def twin(gold, system, *, core, relaxed):
    (key_names, key), (answer_names, answer) = closed_by_force(gold), closed_by_force(system)
    if core:
        key, answer = core_by_force(key_names, key), core_by_force(answer_names, answer)
    total = MatchCounts()
    for pair in combinations(sorted({*key_names, *answer_names}), 2):
        K, S = key.get(pair, EVERYTHING), answer.get(pair, EVERYTHING)
        common = len(set(K.atoms) & set(S.atoms))
        precise = Fraction(common, len(K.atoms)) if relaxed else Fraction(int(K == S))
        complete = Fraction(common, len(S.atoms)) if relaxed else Fraction(int(K == S))
        answered, asked = S != EVERYTHING, K != EVERYTHING
        total += MatchCounts(precise * answered, int(answered), complete * asked, int(asked))
    return total


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("metric", ["closure", "core"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(15))
def test_counts_are_those_of_the_brute_force_twin(metric, kind, seed, relaxed):
    gold, system = consistent_pair(f"{metric}-{kind}-{seed}-{relaxed}", kind)
    expected = twin(gold, system, core=metric == "core", relaxed=relaxed)
    assert counts(metric, gold, system, relaxed=relaxed) == expected


@pytest.mark.parametrize("seed", range(20))
def test_core_by_arrays_is_core_by_definition(seed):
    rng = Random(seed)
    entities = [f"e{k}" for k in range(9)]
    while True:
        oracle = Oracle(network_of(random_network(rng, entities, "convex", density=0.25)))
        if oracle.is_consistent():
            break
    table = oracle.minimal_network()
    found = core_of(table, Budget())
    rows = [[Relation(int(mask)) for mask in row] for row in table.rows]
    for i, j in combinations(range(len(rows)), 2):
        derived = ALL
        for k in set(range(len(rows))) - {i, j}:
            derived &= compose(int(rows[i][k]), int(rows[k][j]))
        expected = rows[i][j] if derived != rows[i][j] else EVERYTHING
        assert Relation(int(found.rows[i][j])) == expected


def test_the_core_of_nothing_is_nothing():
    assert core_of(PairTable((), []), Budget()).entities == ()
