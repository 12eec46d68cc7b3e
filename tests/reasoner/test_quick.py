"""The quick yes says nothing that the oracle does not say, and says it for ordinary documents."""

from random import Random

import pytest
from naive import KINDS, network_of, random_network, relations_of

from temporacle.model import Link
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.sorting import surely_consistent
from temporacle.relation import Relation


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("density", [0.15, 0.4])
def test_yes_is_always_right(kind, density):
    rng = Random(f"{kind}{density}")
    entities = [f"e{k}" for k in range(8)]
    answers = set()
    for _ in range(150):
        network = network_of(random_network(rng, entities, kind, density), entities)
        answer = surely_consistent(network.links)
        answers.add(answer)
        oracle = Oracle(network)
        if answer:
            assert oracle.is_consistent()
        if oracle.is_convex and kind == "atomic":  # nothing but equalities and strict order: the answer is exact
            assert answer == oracle.is_consistent()
    assert False in answers
    assert True in answers or kind not in ("atomic", "convex")


def test_yes_is_right_about_links_of_an_entity_to_itself():
    answers = set()
    for relation in relations_of("convex"):
        network = network_of([("a", relation, "a"), ("a", Relation.of("b"), "b")])
        answer = surely_consistent(network.links)
        answers.add(answer)
        assert Oracle(network).is_consistent() or not answer
    assert answers == {True, False}


def test_cases():
    def quick(*links):
        return surely_consistent(Network.of(links).links)

    assert quick()
    assert quick(("a", "=", "b"), ("b", "=", "c"), ("c", "=", "a"))
    assert quick(("a", "b|m|o|fi|di|s|=|si|d|f|oi|mi|bi", "b"))
    assert not quick(("a", "=", "b"), ("a", "m", "b"))
    assert not quick(("a", "b", "b"), ("b", "b", "a"))
    assert not quick(("a", "b", "a"))
    assert quick(("a", "b|bi", "b"), ("b", "m|mi", "c"))  # whatever the links of an entity without others say
    triangle = [("a", "b|bi", "b"), ("b", "b", "c"), ("c", "bi", "a")]
    assert not quick(*triangle)  # true, but not convex: the oracle must say so
    assert quick(*triangle[1:], ("c", "b|bi", "d"))


def test_an_impossible_link_of_an_entity_without_others_counts():
    assert not surely_consistent([Link("l1", "a", Relation(0), "b")])
