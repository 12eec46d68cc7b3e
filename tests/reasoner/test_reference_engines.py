"""The engines that decide everything alone: verdict, witness, entailment, closure and conflict, each as exact says."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, TRAP, brute_force, network_of, random_network

from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.reasoner import algebra
from temporacle.reasoner.algebra import ALL, convex_hull, point_hull
from temporacle.reasoner.conflicts.conflicts import conflict_of
from temporacle.reasoner.judged import Judged, holds_in
from temporacle.reasoner.network import Budget, Network, NotMinimal
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.reference import cpsat, enumeration
from temporacle.reasoner.reference.engines import DECIDING, ENGINES, LANES, deciding_engine
from temporacle.reasoner.reference.models import ByModels
from temporacle.relation import ATOMS, EQUAL, EXAMPLES, Relation, atom_holding, endpoint_signs
from temporacle.results import Consistent, Inconsistent, Undecided, Verdict

ALONE = [name for name in DECIDING if name != "exact"]
NAMES = "abcd"


def test_engines_that_decide_everything():
    assert DECIDING == ("exact", "cpsat", "enumeration")
    assert all(engine.decides for engine in LANES.values())
    assert deciding_engine("exact") is None


@pytest.mark.parametrize("name", ["propagation", "timegraph", "graph", "nonsense"])
def test_other_engines_answer_only_some_questions(name):
    with pytest.raises(UsageError, match=f"engine='{name}': choose exact, cpsat or enumeration"):
        Oracle([("a", "b", "b")], engine=name)


@pytest.mark.parametrize("name", [name for name, engine in ENGINES.items() if not engine.decides])
def test_an_engine_that_closes_has_no_decider(name):
    with pytest.raises(UsageError, match="choose exact, cpsat or enumeration"):
        ENGINES[name].decider(Network.of([("a", "b", "b")]), Budget())


# --- the same answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ALONE)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_by_brute_force(engine, kind):
    rng = Random(f"alone {engine} {kind}")
    seen = set()
    for _ in range(20):
        triples = random_network(rng, NAMES, kind, rng.choice((0.4, 0.6, 1.0)))
        truth = brute_force(triples, NAMES)
        oracle = Oracle(network_of(triples, NAMES), engine=engine)
        answer = oracle.consistency()
        assert answer.decided_by == engine
        seen.add(type(answer))
        if truth is None:
            assert isinstance(answer, Inconsistent)
            assert oracle.minimal_network() is None
            conflict = answer.conflict
            assert answer.minimal
            assert not Oracle(conflict).is_consistent()
            assert all(Oracle([each for each in conflict if each is not link]).is_consistent() for link in conflict)
            continue
        assert isinstance(answer, Consistent)
        assert all(holds_in(answer.witness, link) for link in oracle.network.links)
        table = oracle.minimal_network()
        for (first, second), relation in truth.items():
            assert table.relation(first, second) == relation == oracle.strongest(first, second)
        first, second = rng.sample(NAMES, 2)
        asked = Relation(rng.randrange(1, ALL))
        possible, impossible = truth[first, second] & asked, truth[first, second] & ~asked
        expected = Verdict.REFUTED if not possible else Verdict.OPEN if impossible else Verdict.ENTAILED
        assert oracle.entails(first, asked, second) is expected
        other = oracle.countermodel(first, asked, second)
        assert (other is None) is (expected is Verdict.ENTAILED)
        if other is not None:
            assert atom_holding(other[first], other[second]) not in asked.atoms
    assert seen == {Consistent, Inconsistent}


@pytest.mark.parametrize("engine", ALONE)
@pytest.mark.parametrize(
    ("link", "consistent"),
    [
        (("a", "=", "a"), True),
        (("a", "=|b|d", "a"), True),
        (("a", "b|m", "a"), False),
        (("a", "d", "a"), False),
        (("a", Relation(0), "b"), False),
        (("a", "b|bi", "b"), True),
    ],
)
def test_self_links_and_empty_relations(engine, link, consistent):
    judged = Judged(Network.of([("a", "b|m|o", "c"), link]), Budget(), deciding_engine(engine))
    assert judged.is_consistent() is consistent
    if not consistent:
        assert conflict_of(judged) == (1,)


@pytest.mark.parametrize("engine", ALONE)
def test_no_links_and_no_entities(engine):
    assert Oracle(Network([]), engine=engine).witness() == {}
    lonely = Oracle(Network([], ["a", "b"]), engine=engine)
    assert lonely.strongest("a", "b") == Relation(ALL)
    assert lonely.strongest("a", "a") == EQUAL
    assert lonely.entails("a", "b", "a") is Verdict.REFUTED


@pytest.mark.parametrize("engine", ALONE)
def test_questions_about_an_inconsistent_network(engine):
    decider = ENGINES[engine].decider(Network.of([*TRAP, ("x", "b", "y")]), Budget())
    assert decider.possible(4, 5, ALL) == 0  # consistent for itself, but nothing is possible
    assert decider.possible(0, 0, ALL) == decider.possible(0, 1, ALL) == decider.relation(0, 1) == 0
    assert decider.model() is None


@pytest.mark.parametrize("engine", ALONE)
def test_parts_that_no_link_connects(engine):
    oracle = Oracle([("a", "m", "b"), ("c", "m", "d")], engine=engine)
    assert oracle.strongest("a", "d") == Relation(ALL)
    assert oracle.strongest("c", "d") == Relation("m")
    assert oracle.entails("b", "bi", "c") is Verdict.OPEN


@pytest.mark.parametrize("engine", ALONE)
def test_repairs_and_certificates_are_refused(engine):
    oracle = Oracle([("a", "b", "b"), ("b", "b", "a")], engine=engine)
    for ask in (oracle.repair, oracle.certificate, oracle.repair_certificate):
        with pytest.raises(UsageError, match=f"the engine {engine} has no .*choose exact"):
            ask()


@pytest.mark.parametrize("engine", ALONE)
def test_no_time_no_answer(engine):
    oracle = Oracle(TRAP, engine=engine, budget=Budget(-1))
    assert isinstance(oracle.consistency(), Undecided)
    assert oracle.entails("0", "b", "1") is Verdict.UNKNOWN
    with pytest.raises(BudgetExceeded):
        oracle.minimal_network()


# --- conflicts from verdicts alone -----------------------------------------------------------------------------------


def test_a_conflict_takes_few_questions(monkeypatch):
    ring = [(f"x{k}", "b", f"x{k + 1}") for k in range(100)]
    network = Network.of([*ring, ("x60", "b", "x58")])
    asked = []
    honest = cpsat.decider
    monkeypatch.setattr(cpsat, "decider", lambda *arguments: asked.append(1) or honest(*arguments))
    assert conflict_of(Judged(network, Budget(), ENGINES["cpsat"])) == (58, 59, 100)
    assert len(asked) < 35


def test_the_time_may_end_before_a_conflict_is_minimal():
    class Tired(Budget):
        def check(self):
            raise BudgetExceeded("enough")

    judged = Judged(Network.of(TRAP), Tired(), ENGINES["enumeration"])
    with pytest.raises(NotMinimal) as unfinished:
        conflict_of(judged)
    assert len(unfinished.value.facts) == len(TRAP)


# --- CP-SAT shares nothing -------------------------------------------------------------------------------------------


def test_the_model_states_each_relation_exactly():
    """All relations: the inequalities and the excluded atoms leave the atoms of the relation, and no other."""
    signs = [endpoint_signs(x, y) for x, y in EXAMPLES.values()]
    for mask in range(ALL + 1):
        common, excluded = cpsat._stated(mask)
        fits = [atom for atom in signs if all(s in each for s, each in zip(atom, common, strict=True))]
        assert {*fits} - {*excluded} == {atom for place, atom in enumerate(signs) if mask >> place & 1}
        assert all({-1, 1} - each or 0 in each for each in common)  # each an inequality, or nothing


def test_only_relations_that_are_not_convex_need_clauses():
    for mask in range(1, ALL + 1):
        assert bool(cpsat._stated(mask)[1]) is (convex_hull(mask) != mask)
    assert any(convex_hull(mask) != mask == point_hull(mask) for mask in range(1, ALL))


def test_a_fault_of_the_algebra_is_not_shared(monkeypatch):
    network = Network.of([("a", "b|bi", "b"), ("b", "b", "c"), ("c", "m", "a")])
    expected = [cpsat.closure(network, Budget()).rows, enumeration.closure(network, Budget()).rows]
    for name in ("classify", "signs_of", "convex_pieces", "convex_hull", "mask_of", "compose", "converse"):
        monkeypatch.setattr(algebra, name, None)
    monkeypatch.setattr("temporacle.reasoner.points.graph.hull_edges", None)
    monkeypatch.setattr("temporacle.reasoner.points.graph.strong_components", None)
    assert [cpsat.closure(network, Budget()).rows, enumeration.closure(network, Budget()).rows] == expected


def test_triangles_follow_from_the_integers(monkeypatch):
    """They make dense networks faster, and change no verdict."""
    rng = Random("triangles")
    verdicts = set()
    for _ in range(25):
        names = [f"x{k}" for k in range(rng.randint(4, 9))]
        triples = [
            (x, Relation.of(*rng.sample(ATOMS, rng.randint(1, 7))), y)
            for x, y in combinations(names, 2)
            if rng.random() < 0.7
        ]
        network = network_of(triples, names)
        with_them = cpsat.decider(network, Budget()).model() is not None
        with monkeypatch.context() as patch:
            patch.setattr(cpsat._Orders, "_add_triangles", lambda _self: None)
            assert (cpsat.decider(network, Budget()).model() is not None) is with_them
        verdicts.add(with_them)
    assert verdicts == {True, False}


@pytest.mark.parametrize("times", [[0, 0, 1, 2], [0, 1, 1, 2], [3, 4, 0, 1]])
def test_times_at_which_the_links_do_not_hold_are_found_out(times):
    with pytest.raises(InternalError, match="the links do not hold"):
        ByModels(Network.of([("a", "b", "b")]), lambda _question: times).model()


def test_times_at_which_the_question_does_not_hold_are_found_out():
    decider = ByModels(Network.of([("a", "b|m", "b")]), lambda _question: [0, 1, 2, 3])
    assert decider.possible(0, 1, 1) == 1
    with pytest.raises(InternalError, match="the links do not hold"):
        decider.possible(0, 1, 2)
