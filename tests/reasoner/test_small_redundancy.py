"""Links that follow from all others, against brute force on tiny networks."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from naive import brute_force
from tiny_networks import needs_solver, searched, tiny

from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner import editor
from temporacle.reasoner.editor import RedundancyFinder
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import Relation

EITHER = Relation("b|bi")


def truth_about(network):
    """Which links follow from all others, by brute force."""
    triples = [(link.source, link.relation, link.target) for link in network.links]
    found = []
    for number, (source, relation, target) in enumerate(triples):
        others = brute_force([*triples[:number], *triples[number + 1 :]], network.entities)
        found.append(others is not None and not others[source, target] & ~relation)
    return found


def consistent(rng, count):
    while count:
        network, truth = tiny(rng, rng.choice((3, 4)))
        times = None if truth is None or not network.links else searched(network).find()
        if times is not None:
            count -= 1
            yield network, np.array(times)


@needs_solver
@pytest.mark.parametrize("seed", range(5))
def test_links_that_follow_by_brute_force(seed):
    finder = RedundancyFinder()
    for network, _ in consistent(Random(f"follow {seed}"), 3):
        expected = truth_about(network)
        assert finder.find(network, Budget()) == expected
        assert finder.find(network, Budget()) == expected  # by what was kept
        fewer = Network(network.links[1:], network.entities)
        assert finder.find(fewer, Budget()) == truth_about(fewer)
        assert finder.find(fewer, Budget()) == truth_about(fewer)


@needs_solver
def test_kept_models_answer_without_a_solver(monkeypatch):
    """Models that break one link alone decide again that it does not follow."""
    network, links = next(
        (network, found)
        for network, _ in consistent(Random("kept"), 60)
        if not any(found := truth_about(network)) and len(network.links) > 1
    )
    finder = RedundancyFinder()
    assert finder.find(network, Budget()) == links
    monkeypatch.setattr(editor, "_with_opposites", None)
    assert finder.find(network, Budget()) == links


@needs_solver
def test_time_is_looked_at_for_each_link():
    either = Relation("b|bi")
    links = [Link(f"l{number}", f"e{number}", either, f"e{number + 1}") for number in range(3)]
    network = Network(links, [f"e{number}" for number in range(4)])
    with pytest.raises(BudgetExceeded):
        RedundancyFinder().find(network, Budget(-1))


def either_way(*pairs):
    """A link "before or after" for each of these pairs of entities."""
    links = [Link(f"l{place}", f"e{pair[0]}", EITHER, f"e{pair[1]}") for place, pair in enumerate(pairs)]
    return Network(links, [f"e{number}" for number in range(1 + max(max(pair) for pair in pairs))])


@needs_solver
def test_links_said_twice_follow_from_each_other():
    network = either_way((0, 1), (1, 2), (2, 3), (0, 1), (2, 3))
    assert RedundancyFinder().find(network, Budget()) == [True, False, True, True, True]


@needs_solver
def test_a_model_that_once_broke_a_link_does_not_decide_for_ever():
    """First the link is alone; then it is said twice, and no model breaks one of the two alone."""
    finder = RedundancyFinder()
    assert finder.find(either_way((0, 1)), Budget()) == [False]
    assert finder.find(either_way((0, 1), (0, 1)), Budget()) == [True, True]
    assert finder.find(either_way((0, 1)), Budget()) == [False]
