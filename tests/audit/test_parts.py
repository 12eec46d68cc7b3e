"""The parts of an audit: generated graphs, shrinking, sameness of graphs, variants."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import naive
import pytest

from temporacle.audit.answers import Closed, FaultKind, Manner, SaidInconsistent, Vocabulary, entities_of, with_names
from temporacle.audit.engines import engine_subject
from temporacle.audit.generate import CasePlan, meaning, other_names, reordered, repeated, reversed_links
from temporacle.audit.judge import _innocent, combined, evidence_for, judge, network_of
from temporacle.audit.live import LiveAudit, occurs_in, renamed, shrink
from temporacle.reasoner.algebra import RelationClass, classify
from temporacle.reasoner.judged import closure, holds_in
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reference.engines import ENGINES
from temporacle.relation import ATOMS, EVERYTHING, Relation, atom_holding

B, M = Relation.of("b"), Relation.of("m")


# --- generated graphs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_the_same_seed_gives_the_same_graphs(vocabulary):
    plan = CasePlan(120, seed=5, vocabulary=vocabulary)
    assert list(plan) == list(CasePlan(120, seed=5, vocabulary=vocabulary))
    assert list(plan) != list(CasePlan(120, seed=6, vocabulary=vocabulary))
    assert plan.case(77) == list(plan)[76]


@pytest.mark.parametrize("vocabulary", Vocabulary)
def test_graphs_keep_to_the_plan(vocabulary):
    for case in CasePlan(200, vocabulary=vocabulary, entities=4, large=12):
        assert len(entities_of(case.links)) <= (12 if case.family == "large" else 5)
        assert bool(case.links) == (case.family != "empty")
        for _, relation, _ in case.links:
            assert relation
            if vocabulary is Vocabulary.ATOMIC:
                assert len(relation.atoms) == 1
            if vocabulary is Vocabulary.CONVEX:
                assert classify(relation) is RelationClass.CONVEX


def test_every_family_and_both_verdicts_occur():
    consistent = Counter()
    for case in CasePlan(400, seed=1):
        consistent[case.family, Oracle(network_of(case.links)).is_consistent()] += 1
    assert {family for family, _ in consistent} == {
        "empty", "composition", "planted", "random", "cycle", "chain", "separate", "self-link", "duplicate", "large",
    }  # fmt: skip
    assert not any(
        consistent[family, False] for family in ("empty", "composition", "planted", "chain", "separate", "large")
    )
    assert not consistent["cycle", True]
    for family in ("random", "self-link", "duplicate"):
        assert consistent[family, True]
        assert consistent[family, False]


def test_every_composition_of_atoms_is_tried():
    tried = set()
    for case in CasePlan(337, large=0):
        if case.family == "composition":
            table = combined(case.links)
            middle = next(name for name in entities_of(case.links) if sum(name in link for link in case.links) == 2)
            ends = [name for name in ("e0", "e2") if name != middle]
            tried.add((table[ends[0], middle], table[middle, ends[1]]))
    assert len(tried) == len(ATOMS) ** 2


# --- the judge against brute force -----------------------------------------------------------------------------------


def test_the_judge_agrees_with_the_definitions_on_corrupted_closures():
    rng = Random(4)
    seen = Counter()
    for _ in range(400):
        names = "abcd"[: rng.randint(2, 4)]
        triples = naive.random_network(rng, names, rng.choice(("atomic", "convex")), 0.6)
        truth = naive.brute_force(triples, names)
        network = naive.network_of(triples, names)
        exact = (
            None
            if truth is None
            else PairTable(tuple(names), [[int(truth.get((x, y), Relation.of("="))) for y in names] for x in names])
        )
        claims = []
        for i, x in enumerate(names):
            for y in names[i + 1 :]:
                relation = EVERYTHING if truth is None else truth[x, y]
                if rng.random() < 0.3:
                    relation = naive.random_relation(rng, "arbitrary") | (relation if rng.random() < 0.5 else 0)
                if not relation.is_universal:
                    claims.append((x, relation, y) if rng.random() < 0.5 else (y, relation.converse(), x))
        judgement = judge(network, Closed(tuple(claims)), exact)
        if truth is None:
            assert [fault.kind for fault in judgement.faults] == [FaultKind.MISSED_INCONSISTENCY]
            assert not judge(network, SaidInconsistent(), exact).faults
            continue
        claimed = combined(tuple(claims))
        found = {fault.pair: fault for fault in judgement.faults}
        for i, x in enumerate(names):
            for y in names[i + 1 :]:
                said = Relation(claimed.get((x, y), EVERYTHING))
                kind = (
                    None if said == truth[x, y] else FaultKind.INCOMPLETE if truth[x, y] <= said else FaultKind.UNSOUND
                )
                assert (found[x, y].kind if (x, y) in found else None) is kind
                if kind is FaultKind.UNSOUND:
                    assert (found[x, y].manner is Manner.WRONG) == (not said & truth[x, y])
                    model = evidence_for(network, found[x, y], Budget()).model
                    assert all(holds_in(model, link) for link in network.links)
                    assert atom_holding(model[x], model[y]) not in said.atoms
                if kind is FaultKind.INCOMPLETE:
                    grounds = evidence_for(network, found[x, y], Budget()).links
                    assert naive.brute_force([link[1:4] for link in grounds], names)[x, y] <= truth[x, y]
                seen[kind] += 1
        assert [fault.kind for fault in judge(network, SaidInconsistent(), exact).faults] == [
            FaultKind.FALSE_INCONSISTENCY
        ]
    assert min(seen[kind] for kind in (None, FaultKind.UNSOUND, FaultKind.INCOMPLETE)) > 50


def test_claims_about_oneself_and_about_strangers():
    network = network_of((("a", B, "b"),))
    exact = closure(network, Budget())
    stated = ("a", B, "b")
    assert not judge(network, Closed((stated, ("a", Relation.of("="), "a"))), exact).faults
    (fault,) = judge(network, Closed((stated, ("a", B, "a"))), exact).faults
    assert (fault.kind, fault.pair) == (FaultKind.UNSOUND, ("a", "a"))
    (fault,) = judge(network, Closed((stated, ("zebra", B, "a"))), exact).faults
    assert (fault.kind, fault.manner, set(fault.pair)) == (FaultKind.UNSOUND, Manner.OVER_CLAIMED, {"a", "zebra"})
    assert evidence_for(network, fault, Budget()).model.keys() == {"a", "b", "zebra"}
    assert not judge(network, Closed((stated, ("zebra", EVERYTHING, "a"))), exact).faults


def test_links_without_a_part_in_any_contradiction():
    """Whatever is called innocent is in no minimal conflict: checked on all subsets of the links."""
    checked = 0
    plan = CasePlan(seed=6, entities=4, large=0)
    for case in map(plan.case, range(340, 640)):  # after the compositions, which are all consistent
        network = network_of(case.links)
        if len(case.links) > 6 or Oracle(network).is_consistent():
            continue
        innocent = Counter(_innocent(network, Budget()))
        for size in range(1, len(network.links) + 1):
            for subset in combinations(network.links, size):
                if Oracle(subset).is_consistent():
                    continue
                if all(Oracle(subset[:k] + subset[k + 1 :]).is_consistent() for k in range(size)):
                    assert not any(innocent[link.source, int(link.relation), link.target] for link in subset)
        checked += len(innocent)
    assert checked > 20


# --- shrinking -------------------------------------------------------------------------------------------------------


def test_shrinking_finds_the_smallest_inconsistent_part():
    for case in CasePlan(150, seed=8, large=25):
        network = network_of(case.links)
        if Oracle(network).is_consistent():
            continue
        small = shrink(case.links, lambda graph: not Oracle(network_of(graph)).is_consistent())
        assert not Oracle(network_of(small)).is_consistent()
        assert len(small) <= 2
        assert len(entities_of(small)) <= 2


def test_shrinking_leaves_no_needless_link_in_a_graph_that_stays_large():
    graph = next(case.links for case in CasePlan(60, large=30) if case.family == "large")

    def shows(candidate):
        return len(entities_of(candidate)) > 16

    small = shrink(graph, shows)
    assert shows(small)
    assert not any(shows(small[:place] + small[place + 1 :]) for place in range(len(small)))


def test_shrinking_asks_no_more_than_it_may():
    asked = []
    graph = next(case.links for case in CasePlan(60) if case.family == "large")
    shrink(graph, lambda candidate: bool(asked.append(candidate)) or len(candidate) > 20, most=30)
    assert len(asked) == 30
    assert len(set(asked)) == 30


def test_graphs_are_the_same_under_other_names_and_directions():
    chain = (("a", B, "b"), ("b", M, "c"))
    assert occurs_in(chain, (("y", M.converse(), "x"), ("q", Relation.of("o"), "x"), ("z", B, "x")))
    assert not occurs_in(chain, (("y", M, "x"), ("q", Relation.of("o"), "x"), ("z", B, "x")))
    assert not occurs_in((("a", B, "a"),), chain)
    assert not occurs_in((("a", B, "b"), ("a", B, "b")), chain)
    assert renamed((("t", B, "s"), ("s", M, "t"))) == (("x", B, "y"), ("y", M, "x"))


# --- variants --------------------------------------------------------------------------------------------------------


def test_variants_say_the_same():
    for case in CasePlan(120, seed=3, vocabulary=Vocabulary.CONVEX, large=0):
        exact = closure(network_of(case.links), Budget())
        said = meaning(SaidInconsistent() if exact is None else Closed(tuple(exact.pairs())))
        names = other_names(case.links)
        back = {new: old for old, new in names.items()}
        variants = [*reordered(case.links), reversed_links(case.links), repeated(case.links)]
        for variant, translation in [*((graph, None) for graph in variants), (with_names(case.links, names), back)]:
            table = closure(network_of(variant), Budget())
            assert meaning(SaidInconsistent() if table is None else Closed(tuple(table.pairs())), translation) == said


def test_new_names_are_in_the_opposite_order_and_easily_mistaken():
    graph = tuple((f"e{number}", B, f"e{number + 1}") for number in range(10, 19))
    names = other_names(graph)
    new = [names[name] for name in sorted(names)]
    assert new == sorted(new, reverse=True)
    assert len(set(new)) == 10 > len({name.lower() for name in new})
    assert any(x != y and y.startswith(x) for x in new for y in new)


# --- our own engines -------------------------------------------------------------------------------------------------


def audited(name, plan, **options):
    return LiveAudit(engine_subject(name, ENGINES[name].closure), **options).run(plan)


def test_propagation_is_sound_and_known_to_be_incomplete():
    report = audited("propagation", CasePlan(500, seed=2, vocabulary=Vocabulary.ANY, entities=4, large=0), vary=False)
    assert report.kinds.keys() <= {FaultKind.INCOMPLETE, FaultKind.MISSED_INCONSISTENCY}
    assert report.kinds[FaultKind.INCOMPLETE]
    assert all(len(entities_of(finding.graph)) == 4 for finding in report.findings)  # it is exact for three


@pytest.mark.parametrize("name", ["cpsat", "enumeration", "timegraph"])
def test_engines_agree_with_the_exact_one(name):
    for vocabulary in Vocabulary:
        report = audited(name, CasePlan(40, seed=9, vocabulary=vocabulary, entities=3, large=0), vary=False)
        assert report.clean, report.findings
        assert report.declined < 40


def test_an_engine_that_fails_is_a_crash():
    def broken(_network, _budget):
        raise RuntimeError("out of order")

    report = LiveAudit(engine_subject("broken", broken)).run(CasePlan(3, large=0))
    assert report.kinds == {FaultKind.CRASH: 3}
    assert [len(finding.graph) for finding in report.findings] == [1, 0]  # links shrink to links
