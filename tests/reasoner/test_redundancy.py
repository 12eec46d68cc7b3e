"""Links that follow from all the others, compared with the definition; and the parts that find them."""

from random import Random

import numpy as np
import pytest
from naive import relations_of
from shares import few

from temporacle.model import Link
from temporacle.reasoner import editor
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.conflicts.reasons import PairReasons, follows_from
from temporacle.reasoner.disjunctions.cores import SelectedLinks
from temporacle.reasoner.editor import RedundancyFinder
from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget, Network, TooLarge
from temporacle.reasoner.points.paths import find_needed
from temporacle.reasoner.points.times import LinkArrays
from temporacle.relation import ATOMS, Relation, atom_holding


def planted(rng, kind, entities, count):
    """Links that are true of hidden times, and the times."""
    times = [tuple(sorted(rng.sample(range(7), 2))) for _ in range(entities)]
    links = []
    for number in range(count):
        source, target = rng.sample(range(entities), 2)
        atom = atom_holding(times[source], times[target])
        relation = rng.choice([each for each in relations_of(kind) if atom in each])
        links.append(Link(f"l{number}", f"e{source}", relation, f"e{target}"))
    return links, times


def network_of(links, entities):
    return Network(links, [f"e{number}" for number in range(entities)])


def definition(network):
    return [
        follows_from(
            (*network.links[:number], *network.links[number + 1 :]), link.source, link.relation, link.target, Budget()
        )
        for number, link in enumerate(network.links)
    ]


@pytest.mark.parametrize("kind", ["atomic", "convex"])
def test_convex_links_without_needed_edges_are_redundant(kind):
    rng = Random(kind)
    redundant = 0
    for _ in range(250):
        entities = rng.randint(2, 6)
        network = network_of(planted(rng, kind, entities, rng.randint(1, 9))[0], entities)
        found = [not needed for needed in find_needed(entities, network.constraints).links]
        assert found == definition(network), network.links
        redundant += sum(found)
    assert redundant > 200


def test_long_chains_of_equal_entities_need_every_link_but_not_a_second_way_round():
    size = 60
    chain = [Link(f"l{n}", f"e{n}", Relation("="), f"e{n + 1}") for n in range(size)]
    network = network_of(chain, size + 1)
    assert all(find_needed(size + 1, network.constraints).links)
    ring = network_of([*chain, Link("back", f"e{size}", Relation("="), "e0")], size + 1)
    assert not any(find_needed(size + 1, ring.constraints).links)


def edited(rng, finder, kind="arbitrary", steps=10):
    """Compare a finder with the definition while links come and go."""
    entities = rng.randint(2, 6)
    source, _ = planted(rng, kind, entities, steps)
    links = []
    for link in source:
        links.append(link)
        if rng.random() < 0.4:
            links.pop(rng.randrange(len(links)))
        network = network_of(links, entities)
        assert finder.find(network, Budget()) == definition(network), links


@pytest.mark.parametrize("seed", few(range(12), 3))
def test_what_a_finder_keeps_never_changes_an_answer(seed):
    rng = Random(f"finder {seed}")
    finder = RedundancyFinder()
    for _ in range(3):  # the same numbers of entities and other links: what was kept may be of use or not
        edited(rng, finder)


def test_self_links_universal_links_and_links_said_twice_follow():
    either = Relation("b|bi")
    links = [
        Link("l1", "e0", either, "e1"),
        Link("l2", "e0", either, "e1"),
        Link("l3", "e1", Relation("=|b"), "e1"),
        Link("l4", "e0", ~Relation(0), "e2"),
        Link("l5", "e1", either, "e2"),
    ]
    network = network_of(links, 3)
    found = RedundancyFinder().find(network, Budget())
    assert found == definition(network) == [True, True, True, True, False]


def test_without_a_solver_oracles_decide(monkeypatch):
    monkeypatch.setattr(editor, "is_available", lambda: False)
    edited(Random("no solver"), RedundancyFinder())


def test_where_the_solver_would_be_too_large_oracles_decide(monkeypatch):
    def too_large(*_args):
        raise TooLarge("too many triangles")

    monkeypatch.setattr("temporacle.reasoner.disjunctions.cores.SelectedLinks", too_large)
    edited(Random("too large"), RedundancyFinder())


def test_models_are_forgotten_when_there_are_many(monkeypatch):
    monkeypatch.setattr(editor, "_MOST_KEPT", 1)
    edited(Random("few kept"), RedundancyFinder())


def test_a_core_that_proves_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(SelectedLinks, "core", lambda *_args: [])
    links = [Link("l1", "e0", Relation("b|bi"), "e1"), Link("l2", "e1", Relation("b|bi"), "e2")]
    with pytest.raises(editor.InternalError):
        RedundancyFinder().find(network_of(links, 3), Budget())


def test_links_that_hold_are_found_for_all_at_once():
    rng = Random("holding")
    for _ in range(50):
        entities = rng.randint(1, 6)
        times = [tuple(sorted(rng.sample(range(7), 2))) for _ in range(entities)]
        names = [f"e{number}" for number in range(entities)]
        links = [
            Link(f"l{k}", rng.choice(names), Relation.of(*rng.sample(ATOMS, rng.randint(0, 9))), rng.choice(names))
            for k in range(rng.randint(0, 12))
        ]
        network = Network(links, names)
        witness = dict(zip(names, times, strict=True))
        expected = [number for number, link in enumerate(links) if not holds_in(witness, link)]
        arrays = LinkArrays(network.constraints)
        assert arrays.broken(np.array([time for pair in times for time in pair])).tolist() == expected


def test_links_added_to_a_solver_count_like_those_it_was_made_with():
    rng = Random("added")
    for _ in range(12):
        entities = rng.randint(3, 5)
        links, _ = planted(rng, "arbitrary", entities, 8)
        links = [link._replace(relation=Relation.of(*rng.sample(ATOMS, rng.randint(1, 4)))) for link in links]
        constraints = network_of(links, entities).constraints
        whole = SelectedLinks(entities, constraints, Budget())
        anywhere = [(source, ALL, target) for source, _, target in constraints[4:]]  # brings the entities together
        grown = SelectedLinks(entities, [*constraints[:4], *anywhere], Budget())
        numbers = [*range(4), *(grown.add(constraint) for constraint in constraints[4:])]
        assert (whole.core(range(len(constraints))) is None) == (grown.core(numbers) is None)


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_reasons_have_no_link_too_many(kind):
    from temporacle.reasoner.oracle import Oracle

    rng = Random(f"short {kind}")
    seen = 0
    for _ in range(15 if kind == "arbitrary" else 60):
        entities = rng.randint(3, 6)
        network = network_of(planted(rng, kind, entities, rng.randint(3, 9))[0], entities)
        source, target = (f"e{number}" for number in rng.sample(range(entities), 2))
        strongest = Oracle(network).strongest(source, target)
        reasons = PairReasons(network, source, target, Budget())
        found = reasons.behind(strongest)
        assert follows_from(found, source, strongest, target, Budget())
        for left_out in range(len(found)):
            fewer = (*found[:left_out], *found[left_out + 1 :])
            assert not follows_from(fewer, source, strongest, target, Budget())
        seen += bool(found)
    assert seen > 5


def test_a_model_that_breaks_other_links_is_noticed(monkeypatch):
    def wrong(solver, *_args):
        solver.times = np.array([0, 1, 0, 1, 0, 1])  # breaks both links

    monkeypatch.setattr(SelectedLinks, "core", wrong)
    links = [Link("l1", "e0", Relation("b|bi"), "e1"), Link("l2", "e1", Relation("b|bi"), "e2")]
    with pytest.raises(editor.InternalError):
        RedundancyFinder().find(network_of(links, 3), Budget())
