"""Why something follows: the links behind it, against all subsets and by their definition."""

from itertools import combinations
from random import Random

import pytest

import temporacle as tp
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.conflicts.reasons import follows_from, links_behind
from temporacle.reasoner.network import Budget

CONVEX = [mask for mask in range(1, 1 << 13) if classify(mask) is RelationClass.CONVEX]


def random_document(rng, masks):
    names = [f"e{number}" for number in range(rng.randint(3, 6))]
    links = [(*rng.sample(names, 2), tp.Relation(rng.choice(masks))) for _ in range(rng.randint(2, 8))]
    return tp.Document("d", [(source, relation, target) for source, target, relation in links])


def questions(rng, masks, cases):
    """Consistent documents with a relation that follows for some pair."""
    while cases:
        document = random_document(rng, masks)
        oracle = tp.Oracle(document)
        if isinstance(oracle.consistency(explain=False), tp.Inconsistent):
            continue
        source, target = rng.sample(oracle.entities, 2)
        weaker = rng.choice([0, 0, rng.randrange(1 << 13)])
        yield oracle, source, tp.Relation(oracle.strongest(source, target) | weaker), target
        cases -= 1


def says(links, source, relation, target):
    return follows_from(links, source, relation, target, Budget())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_smallest_in_number_where_links_are_convex(seed):
    """Against all subsets of the links, from the smallest on."""
    sizes = set()
    for oracle, source, relation, target in questions(Random(f"convex {seed}"), CONVEX, 120):
        found = oracle.why(source, relation, target)
        links = oracle.document.links
        least = next(
            size
            for size in range(len(links) + 1)
            if any(says(some, source, relation, target) for some in combinations(links, size))
        )
        assert len(found) == least
        assert says(found, source, relation, target)
        sizes.add(least)
    assert sizes >= {0, 1, 2, 3}


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_every_link_is_needed_where_links_are_of_any_kind(seed):
    for oracle, source, relation, target in questions(Random(f"any {seed}"), range(1, 1 << 13), 40):
        found = oracle.why(source, relation, target)
        assert says(found, source, relation, target)
        for left_out in range(len(found)):
            assert not says(found[:left_out] + found[left_out + 1 :], source, relation, target)


def test_what_refutes_a_relation_entails_its_complement():
    for oracle, source, relation, target in questions(Random("refuted"), CONVEX, 60):
        assert oracle.why(source, ~relation, target) == oracle.why(source, relation, target)


def test_open_relations_have_no_reason():
    oracle = tp.Oracle([("a", "b|m", "b"), ("c", "b", "d")])
    assert oracle.why("a", "b", "b") is None
    assert oracle.why("a", "b", "d") is None


def test_what_holds_of_itself_needs_no_link():
    oracle = tp.Oracle([("a", "b|m", "b"), ("b", "b|bi", "c")])
    assert oracle.why("a", "=", "a") == ()
    assert oracle.why("a", "BEFORE", "a") == ()
    assert oracle.why("a", ~tp.Relation(""), "c") == ()


def test_a_path_that_serves_twice_wins_over_two_short_ones():
    """``during`` needs an order of the starts and one of the ends: two links each on their own, three for both."""
    starts_first, ends_first = "b|m|o|fi|di", "b|m|o|s|d"
    apart = [("z", starts_first, "p"), ("p", starts_first, "x"), ("x", ends_first, "q"), ("q", ends_first, "z")]
    together = [("x", "d", "m"), ("m", "d", "n"), ("n", "d", "z")]
    assert [link.id for link in tp.Oracle([*apart, *together]).why("x", "d", "z")] == ["l5", "l6", "l7"]
    assert [link.id for link in tp.Oracle(apart).why("x", "d", "z")] == ["l1", "l2", "l3", "l4"]


@pytest.mark.parametrize(("label", "size"), [("SIMULTANEOUS", 300), ("INCLUDES", 300), ("BEFORE", 300)])
def test_a_long_chain_is_its_own_reason(label, size):
    links = [(f"e{k}", label, f"e{k + 1}") for k in range(size)]
    assert len(tp.Oracle(links).why("e0", label, f"e{size}")) == size


def test_the_budget_counts():
    network = tp.Oracle([("a", "b", "b"), ("b", "b", "c")]).network
    with pytest.raises(tp.BudgetExceeded):
        links_behind(network, "a", tp.Relation("b"), "c", Budget(-1))
