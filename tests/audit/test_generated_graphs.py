"""Generated graphs: whose turn it is, what each family looks like, and that published seeds still mean the same."""

from __future__ import annotations

from collections import Counter
from functools import cache
from hashlib import sha256
from itertools import combinations

import pytest

from temporacle.audit.answers import Vocabulary, entities_of, plain
from temporacle.audit.generate import CasePlan, Family, MediumPlan, _convex_relations
from temporacle.reasoner.algebra import convex_hull
from temporacle.relation import ATOMS, EQUAL, Relation

TURNS = ["planted", "random", "cycle", "chain", "separate", "self-link", "duplicate"]
RISING = {"b", "m", "o", "di", "fi"}  # the source starts first


@cache
def cases(vocabulary=Vocabulary.ATOMIC, entities=6, large=30, seed=1):
    return list(CasePlan(700, seed, vocabulary, entities, large))


def of(family, **options):
    found = [case.links for case in cases(**options) if case.family == family]
    assert len(found) > 50 or family == "large"
    return found


def pairs_of(links):
    return [frozenset((source, target)) for source, _, target in links]


def turned(link):
    source, relation, target = link
    return target, relation.converse(), source


def parts_of(links):
    """The connected parts of a graph, as sets of entities."""
    parts = [{name} for name in entities_of(links)]
    for source, _, target in links:
        joined = [part for part in parts if source in part or target in part]
        parts = [part for part in parts if part not in joined] + [set().union(*joined)]
    return parts


# Audits are published with their seeds (docs/audits): whoever repeats one must get the same graphs. If a change of the
# generator is meant, the published audits must say so.
@pytest.mark.parametrize(
    ("vocabulary", "digest"),
    [("atomic", "0283d42debe1e034"), ("convex", "931c26998edf452a"), ("any", "66934f147ed9255d")],
)
def test_a_published_seed_gives_the_published_graphs(vocabulary, digest):
    plan = CasePlan(400, 1, Vocabulary(vocabulary))
    found = [(case.number, case.family, plain(case.links)) for case in plan]
    assert sha256(repr(found).encode()).hexdigest()[:16] == digest


# --- turns -----------------------------------------------------------------------------------------------------------


def test_every_second_case_is_a_composition_until_all_were_tried():
    families = [case.family for case in cases()]
    assert set(families[0:337:2]) == {"composition"}
    assert "composition" not in families[1::2] + families[337:]
    tried = compositions(seed=1)
    assert len(set(tried)) == len(tried) == len(ATOMS) ** 2
    assert all(len(entities_of(tuple(links))) == 3 for links in tried)


def test_another_seed_tries_the_compositions_in_another_order():
    first, other = compositions(seed=1), compositions(seed=2)
    assert first != other
    assert set(first) == set(other)


def compositions(seed):
    """What the first cases ask, whatever the order and direction of the links."""
    asked = [case.links for case in cases(seed=seed)[0:337:2]]
    return [frozenset({*links, *map(turned, links)}) for links in asked]


def test_two_entities_are_too_few_for_a_composition():
    assert "composition" not in {case.family for case in cases(entities=2)}
    assert "composition" in {case.family for case in cases(entities=3)}


def test_the_second_case_is_empty_and_every_fiftieth_large():
    assert [case.number for case in cases() if case.family == "empty"] == [2]
    assert [case.number for case in cases() if case.family == "large"] == list(range(50, 701, 50))
    assert "large" not in {case.family for case in cases(large=0)}


@pytest.mark.parametrize(("vocabulary", "turns"), [("atomic", TURNS), ("convex", TURNS), ("any", [*TURNS, "dense"])])
def test_the_other_families_take_turns(vocabulary, turns):
    families = [case.family for case in cases(vocabulary=Vocabulary(vocabulary), large=0)]
    for several in (families[3:337:2], families[338:]):
        for place in range(len(several) - len(turns)):
            assert set(several[place : place + len(turns)]) == set(turns)
    assert {family.value for family in Family} == {*TURNS, "empty", "composition", "dense", "large"}


def test_dense_graphs_take_their_turn_if_any_relation_may_be_used():
    """One turn only, so that it is quick."""
    turn = [CasePlan(1, 0, Vocabulary.ANY, large=0).case(number) for number in range(340, 348)]
    assert {case.family for case in turn} == {*TURNS, "dense"}
    (dense,) = [case.links for case in turn if case.family == "dense"]
    assert set(pairs_of(dense)) == {frozenset(pair) for pair in combinations(entities_of(dense), 2)}
    assert len(dense) == 15


# --- families --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_sizes_vary_up_to_the_plan(vocabulary):
    for family in ("planted", "chain", "random", "separate", "self-link", "duplicate"):
        sizes = {len(entities_of(links)) for links in of(family, vocabulary=vocabulary)}
        assert sizes == set(range(2, 7)), family
    assert {len(entities_of(links)) for links in of("cycle", vocabulary=vocabulary)} == set(range(2, 8))  # one beside
    assert {len(entities_of(links)) for links in of("large", vocabulary=vocabulary)} == {30}


def test_a_chain_goes_from_one_entity_to_the_next_and_a_planted_graph_has_more():
    for links in of("chain"):
        degrees = Counter(end for pair in pairs_of(links) for end in pair)
        assert len(links) == len(entities_of(links)) - 1
        assert sorted(degrees.values())[:2] == [1, 1]
        assert set(degrees.values()) <= {1, 2}
    more = {len(links) - len(entities_of(links)) + 1 for links in of("planted")}
    assert more == set(range(7))
    assert all(source != target for links in of("planted") for source, _, target in links)


def test_a_cycle_is_a_ring_of_rising_links_perhaps_with_something_beside():
    beside = 0
    for links in of("cycle"):
        degrees = Counter(end for pair in pairs_of(links) for end in pair)
        outside = {name for name, degree in degrees.items() if degree == 1}
        ring = [link for link in links if not outside & {link[0], link[2]}]
        assert len(ring) == len(entities_of(ring))
        name, first = ring[0][0], ring[0]
        forward = [link if set(link[1].atoms) <= RISING else turned(link) for link in ring]
        after = {source: target for source, _, target in forward}
        assert len(after) == len(ring), first
        for _ in ring:
            name = after[name]
        assert name == ring[0][0]
        beside += len(links) - len(ring)
        assert len(links) - len(ring) == len(outside) <= 1
    assert 10 < beside < len(of("cycle")) - 10


def test_separate_parts_have_nothing_to_do_with_each_other():
    numbers = Counter(len(parts_of(links)) for links in of("separate"))
    assert set(numbers) == {1, 2}  # an entity that would be alone has no link, and is not part of the graph
    assert numbers[2] > 10


def test_one_entity_is_linked_to_itself_truly_or_falsely():
    said = Counter()
    for links in of("self-link"):
        (own,) = [relation for source, relation, target in links if source == target]
        said[own == EQUAL] += 1
        assert len(links) > 1
    assert min(said[True], said[False]) > 15


def test_duplicates_are_repeated_reversed_or_contradicted():
    seen = Counter()
    for links in of("duplicate"):
        masks = {}
        for link in links:
            source, relation, target = link if link[0] < link[2] else turned(link)
            masks.setdefault((source, target), []).append(relation)
        said_again = [each for each in masks.values() if len(each) > 1]
        assert said_again
        seen["contradicted" if any(len(set(each)) > 1 for each in said_again) else "repeated"] += 1
        seen["reversed"] += any(link in links for link in map(turned, links))
        seen["same"] += len(set(links)) < len(links)
    assert min(seen[kind] for kind in ("contradicted", "repeated", "reversed", "same")) > 5


def test_a_dense_graph_has_a_disjunction_on_every_pair():
    for links in of("dense", vocabulary=Vocabulary.ANY):
        assert set(pairs_of(links)) == {frozenset(pair) for pair in combinations(entities_of(links), 2)}
        assert len(links) == 15
    relations = [relation for links in of("dense", vocabulary=Vocabulary.ANY) for _, relation, _ in links]
    assert sum(len(relation.atoms) > 1 for relation in relations) > 0.8 * len(relations)


def test_a_large_graph_has_mostly_atoms():
    relations = [relation for links in of("large", vocabulary=Vocabulary.ANY) for _, relation, _ in links]
    atoms = sum(len(relation.atoms) == 1 for relation in relations)
    assert 0.8 * len(relations) < atoms < len(relations)


def test_links_come_in_either_direction_and_entities_under_any_name():
    links = [link for each in of("chain") for link in each]
    forward = sum(source < target for source, _, target in links)
    assert 0.35 < forward / len(links) < 0.65
    assert len({name for source, _, target in links for name in (source, target)}) > 25
    assert {atom for _, relation, _ in links for atom in relation.atoms} == set(ATOMS)


def test_a_convex_vocabulary_is_every_convex_relation_that_says_something():
    """There are 82 convex relations; one of them allows everything."""
    assert len(_convex_relations()) == 81
    assert all(Relation(convex_hull(relation)) == relation for relation in _convex_relations())


def test_random_relations_are_drawn_from_the_whole_vocabulary():
    relations = {relation for links in of("random", vocabulary=Vocabulary.ANY) for _, relation, _ in links}
    assert {len(relation.atoms) for relation in relations} == {1, 2, 3, 4, 6}
    convex = {relation for links in of("random", vocabulary=Vocabulary.CONVEX) for _, relation, _ in links}
    assert max(len(relation.atoms) for relation in convex) > 6
    assert {relation for links in of("random") for _, relation, _ in links} == {Relation(atom) for atom in ATOMS}
    assert {len(links) for links in of("random")} >= {1, 3, 6, 10, 15}  # up to every pair


# --- without large graphs, and medium ones ---------------------------------------------------------------------------


@pytest.mark.parametrize("entities", [2, 3, 6])
def test_without_large_graphs_no_graph_has_more_entities_than_the_plan(entities):
    for vocabulary in Vocabulary:
        sizes = {len(entities_of(case.links)) for case in CasePlan(400, 1, vocabulary, entities, large=0)}
        assert max(sizes) == entities


def test_medium_graphs_take_turns_and_have_8_to_30_entities():
    found = list(MediumPlan(60, seed=1))
    assert [case.family for case in found[:4]] == ["disjunctions", "doubtful", "document", "disjunctions"]
    assert found == list(MediumPlan(60, seed=1))
    assert found[0] != MediumPlan(60, seed=2).case(1)
    sizes = {len(entities_of(case.links)) for case in found}
    assert min(sizes) == 8
    assert max(sizes) > 25
    assert max(sizes) <= 30
