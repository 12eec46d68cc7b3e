"""Links that follow from all others, against brute force on tiny networks."""

from __future__ import annotations

from collections import Counter
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
def test_what_is_kept_answers_without_a_solver(monkeypatch):
    """Models that break a link, and links from which one follows, decide the same question at once."""
    network = next(
        network
        for network, _ in consistent(Random("kept"), 60)
        if len(set(truth_about(network))) == 2 and len(network.links) > 4
    )
    finder = RedundancyFinder()
    expected = finder.find(network, Budget())
    monkeypatch.setattr(editor._ConstraintSolver, "core", None)
    assert finder.find(network, Budget()) == expected
    assert all(len(models) <= editor._COUNTERMODELS for models in finder._countermodels.values())


def test_a_reason_needs_all_its_links_beside_the_link():
    finder = RedundancyFinder()
    link, other = (0, 3, 1), (0, 1, 1)
    finder._reasons[link] = Counter([other])
    assert finder._has_reason(link, Counter([link, other]))
    assert not finder._has_reason(link, Counter([link]))
    assert not finder._has_reason(other, Counter([link, other]))
    finder._reasons[link] = Counter([link])  # it follows if it is said twice
    assert finder._has_reason(link, Counter([link, link]))
    assert not finder._has_reason(link, Counter([link]))


def test_the_oldest_certificate_is_forgotten(monkeypatch):
    monkeypatch.setattr(editor, "_MOST_KEPT", 2)
    kept = {}
    for number in (1, 2, 1, 3):
        editor._keep(kept, (0, number, 1), number)
    assert list(kept.values()) == [1, 3]


@needs_solver
def test_time_is_looked_at_for_each_link():
    either = Relation("b|bi")
    links = [Link(f"l{number}", f"e{number}", either, f"e{number + 1}") for number in range(3)]
    network = Network(links, [f"e{number}" for number in range(4)])
    with pytest.raises(BudgetExceeded):
        RedundancyFinder().find(network, Budget(-1))
    finder = RedundancyFinder()
    with pytest.raises(BudgetExceeded):
        finder._solver.core(editor._Asked(network, Budget(-1)), 0)
    assert finder._solver._links is None, "a solver that stopped halfway is not used again"


def either_way(*pairs):
    """A link "before or after" for each of these pairs of entities."""
    links = [Link(f"l{place}", f"e{pair[0]}", EITHER, f"e{pair[1]}") for place, pair in enumerate(pairs)]
    return Network(links, [f"e{number}" for number in range(1 + max(max(pair) for pair in pairs))])


APART = np.arange(8)  # four entities one after the other


@needs_solver
@pytest.mark.parametrize("few", [0, 99])
def test_links_said_twice_follow_from_each_other(few, monkeypatch):
    network = either_way((0, 1), (1, 2), (2, 3), (0, 1), (2, 3))
    assert RedundancyFinder().find(network, Budget()) == [True, False, True, True, True]


@needs_solver
def test_a_model_that_once_broke_a_link_does_not_decide_for_ever():
    """First the link is alone; then it is said twice, and no model breaks one of the two alone."""
    finder = RedundancyFinder()
    assert finder.find(either_way((0, 1)), Budget()) == [False]
    assert finder.find(either_way((0, 1), (0, 1)), Budget()) == [True, True]
    assert finder.find(either_way((0, 1)), Budget()) == [False]


@needs_solver
def test_a_reason_has_only_links_that_are_needed():
    finder = RedundancyFinder()
    finder.find(either_way((0, 1), (0, 1), (1, 2), (2, 3)), Budget())
    constraint = (0, int(EITHER), 1)
    assert finder._reasons == {constraint: Counter([constraint])}
