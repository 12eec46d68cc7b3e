"""Tables, proofs and the twin with CP-SAT for dates and lengths, against their definitions on tiny documents."""

from itertools import product
from random import Random

import naive_calendar as naive
import pytest
from naive import TRAP, hard_network
from small_problems import ANY, CONVEX, documents, problem_of

from temporacle.calendar.policy import Calendar, Policy
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner import network
from temporacle.reasoner.algebra import ALL, convex_pieces
from temporacle.reasoner.clock import proofs, table
from temporacle.reasoner.clock.picks import Core, judge
from temporacle.reasoner.clock.problem import CalendarProblem
from temporacle.reasoner.clock.proofs import MetricCycle, certify_conflict, refute
from temporacle.reasoner.clock.table import Convex, MetricTable
from temporacle.reasoner.disjunctions.cases import listed
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.proofs.certificate import confirmed
from temporacle.reasoner.reference import cpsat
from temporacle.reasoner.reference.cpsat import scaled_closure
from temporacle.relation import Relation

# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arrays_from", [0, 99])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", [CONVEX, ("pointisable",), ANY], ids="-".join)
def test_tables_have_the_atoms_that_fit(kinds, seed, arrays_from, monkeypatch):
    monkeypatch.setattr(table, "_NUMPY_PAYS_FROM", arrays_from)
    rng = Random(f"tables {seed}")
    for reference, problem, case in documents(f"tables {seed}", 2, kinds, consistent=True):
        names = problem.network.entities
        pairs = [*product(range(len(names)), repeat=2)]
        expected = {
            (x, y): int(Relation.of(*naive.strongest(reference, names[x], names[y])))
            if x != y
            else int(Relation.of("="))
            for x, y in pairs
        }
        model = judge(problem, problem.every, Budget())
        rows = MetricTable(problem, problem.every, model, Budget()).table()
        assert {(x, y): rows[x][y] for x, y in pairs} == expected, case
        single = MetricTable(problem, problem.every, model, Budget())
        assert {pair: single.relation(*pair) for pair in pairs} == expected, case
        asked = MetricTable(problem, problem.every, model, Budget())
        for pair in pairs:
            within = rng.randint(1, ALL)
            found = asked.possible(*pair, within)
            assert not found & ~(expected[pair] & within), case
            assert bool(found) is bool(expected[pair] & within), case


@pytest.mark.parametrize("seed", range(4))
def test_settled_facts_leave_the_atoms_asked_about(seed):
    for _, problem, _ in documents(f"among {seed}", 2, CONVEX, consistent=True):
        convex = Convex(problem, problem.every, judge(problem, problem.every, Budget()), Budget())
        rows = convex.rows_by_pairs()
        for (x, row), y in product(enumerate(rows), range(len(rows))):
            assert convex.relation(x, y) == row[y]
            for among in (0, 0x155, ALL):
                assert convex.relation(x, y, among) == row[y] & among


def test_points_that_differ_exclude_atoms():
    """A and b start together or not; a link says that their ends differ, and another that their starts do."""
    record = {
        "document": "d",
        "entities": [{"id": "a"}, {"id": "b"}, {"id": "t", "kind": "time", "type": "DURATION", "value": "P1D"}],
        "links": [
            {"id": "l1", "source": "a", "relation": "b|m|o|di|si|s|d|oi|mi|bi", "target": "b"},
            {"id": "l2", "source": "a", "relation": "b|m|o|fi|di|d|f|oi|mi|bi", "target": "b"},
        ],
    }
    problem = problem_of(record)
    assert len(problem.differences(problem.every)) == 2
    model = judge(problem, problem.every, Budget())
    possible = Relation.of("b", "m", "o", "di", "d", "oi", "mi", "bi")
    convex = Convex(problem, problem.every, model, Budget())
    assert Relation(convex.relation(0, 1)) == possible
    assert Relation(convex.relation(1, 0)) == possible.converse()
    assert Relation(convex.rows()[0][1]) == possible
    assert Relation(convex.relation(0, 2)) == Relation(ALL)


@pytest.mark.parametrize("entities", [2, 3])
def test_arrays_are_used_where_they_pay(entities, monkeypatch):
    record = {"document": "d", "entities": [{"id": f"e{number}"} for number in range(entities)], "links": []}
    problem = problem_of(record | {"entities": [*record["entities"], {"id": "t", "kind": "time", "value": "P1D"}]})
    convex = Convex(problem, problem.every, judge(problem, problem.every, Budget()), Budget())
    expected = convex.rows_by_pairs()
    monkeypatch.setattr(table, "_NUMPY_PAYS_FROM", 4)
    size = len(problem.network.entities)
    asked = []
    honest = table.table_by_arrays
    monkeypatch.setattr(table, "table_by_arrays", lambda *each: asked.append(each) or honest(*each))
    assert convex.rows() == expected
    assert len(asked) == (size >= 4)
    monkeypatch.setattr(table, "table_by_arrays", lambda *_: None)  # too large for arrays
    assert convex.rows() == expected


def test_the_memory_of_a_table_is_limited(monkeypatch):
    _, problem, _ = next(documents("memory", 1, CONVEX, consistent=True, entities=(3,)))
    convex = Convex(problem, problem.every, judge(problem, problem.every, Budget()), Budget())
    monkeypatch.setattr(network, "_MOST_MEMORY", 8 * 9)
    convex.rows()
    scaled_closure(problem, Budget())
    monkeypatch.setattr(network, "_MOST_MEMORY", 8 * 9 - 1)
    with pytest.raises(BudgetExceeded, match="all pairs of 3 entities"):
        convex.rows()
    with pytest.raises(BudgetExceeded, match="all pairs of 3 entities"):
        scaled_closure(problem, Budget())


def test_tables_stay_within_time(monkeypatch):
    _, problem, _ = next(documents("table time", 1, CONVEX, consistent=True))
    model = judge(problem, problem.every, Budget())
    convex = Convex(problem, problem.every, model, Budget(-1))
    monkeypatch.setattr(Convex, "relation", lambda *_: 1)
    with pytest.raises(BudgetExceeded):
        convex.rows_by_pairs()


# --- the twin with CP-SAT ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("consistent", [True, False])
def test_the_solver_finds_the_same_table(seed, consistent):
    for reference, problem, case in documents(f"scaled {seed}", 1, ANY, consistent=consistent, entities=(2,)):
        found = scaled_closure(problem, Budget())
        assert (found is not None) is consistent, case
        if found is not None:
            names = problem.network.entities
            assert found.entities == names
            for x, y in product(range(len(names)), repeat=2):
                expected = naive.strongest(reference, names[x], names[y]) if x != y else ["="]
                assert list(Relation(found.rows[x][y]).atoms) == expected, case


def test_lengths_in_the_table_of_the_solver():
    """Of one day and three days, equal starts and equal ends are possible, but not both."""
    record = {
        "document": "d",
        "entities": [
            {"id": "t1", "kind": "time", "type": "DURATION", "value": "P1D"},
            {"id": "t2", "kind": "time", "type": "DURATION", "value": "P3D"},
        ],
        "links": [{"id": "l", "source": "t1", "relation": "s|=|f|o", "target": "t2"}],
    }
    problem = problem_of(record, "exact")
    rows = scaled_closure(problem, Budget()).rows
    assert [Relation(mask) for mask in rows[0]] == [Relation.of("="), Relation.of("s", "f", "o")]
    assert Relation(rows[1][0]) == Relation.of("si", "fi", "oi")


def test_values_that_are_too_far_apart_for_the_solver(monkeypatch):
    _, problem, _ = next(documents("far", 1, CONVEX, consistent=True))
    reach = cpsat.ScaledModel(problem, Budget()).reach
    monkeypatch.setattr(cpsat, "_LARGEST", reach)
    cpsat.ScaledModel(problem, Budget())
    monkeypatch.setattr(cpsat, "_LARGEST", reach - 1)
    with pytest.raises(BudgetExceeded, match="too far apart"):
        scaled_closure(problem, Budget())


# --- proofs -----------------------------------------------------------------------------------------------------------


def refutes(problem, steps, place=0, masks=None):
    """Whether a step of a proof is sound where links have been narrowed to masks."""
    masks = masks or {}
    step = steps[place]
    if isinstance(step, MetricCycle):
        ends = [(edge.left, edge.right) for edge in step.edges]
        is_round = all(before[1] == after[0] for before, after in zip(ends, [*ends[1:], ends[0]], strict=True))
        return (
            is_round
            and sum(edge.weight for edge in step.edges) < 0
            and all(is_said(problem, e, masks) for e in step.edges)
        )
    stated = masks.get(step.link, problem.relation(step.link)[1])
    cases = [int(relation) for relation, _ in step.cases]
    covered = 0
    for mask in cases:
        covered |= mask
    return covered == stated and all(
        refutes(problem, steps, following, masks | {step.link: int(relation)}) for relation, following in step.cases
    )


def is_said(problem, edge, masks):
    if edge.fact is None:
        return edge in problem.background
    if problem.relation(edge.fact) is None:
        return edge in problem.edges_of[edge.fact]
    return edge in problem.link_edges(edge.fact, masks.get(edge.fact, ALL)) or edge in problem.edges_of[edge.fact]


@pytest.mark.parametrize("seed", range(12))
def test_proofs_refute(seed):
    for _, problem, case in documents(f"proofs {seed}", 3, ("any", "any", "atom"), consistent=False):
        steps = refute(problem, problem.every, Budget())
        assert refutes(problem, steps), case
        for step in steps:
            if not isinstance(step, MetricCycle):  # only a link with several pieces is split, into these
                assert len(step.cases) > 1
                assert {int(mask) for mask, _ in step.cases} <= set(convex_pieces(problem.relation(step.link)[1]))


def used_by(steps, place):
    """The facts that a step of a proof and those below it use."""
    step = steps[place]
    if isinstance(step, MetricCycle):
        return {edge.fact for edge in step.edges}
    return set().union(*(used_by(steps, following) for _, following in step.cases))


def contradictory(seed, count):
    """Networks of disjunctions that take splits within splits to refute."""
    yield CalendarProblem(Network.of(TRAP), ())
    rng = Random(seed)
    while count:
        problem = CalendarProblem(hard_network(rng, 4, 3, 4), ())
        if isinstance(judge(problem, problem.every, Budget()), Core):
            count -= 1
            yield problem


@pytest.mark.parametrize("seed", range(6))
def test_proofs_by_splits_within_splits(seed, monkeypatch):
    for problem in contradictory(f"nested {seed}", 2):
        refuter = proofs._Refuter(problem, problem.every, Budget())
        steps = listed(refuter.run(), lambda leaf: MetricCycle(tuple(leaf.edges)))
        assert steps == refute(problem, problem.every, Budget())
        assert refutes(problem, steps)
        splits = [step for step in steps if not isinstance(step, MetricCycle)]
        assert all(step.link in used_by(steps, following) for step in splits for _, following in step.cases)
        with monkeypatch.context() as patch:
            patch.setattr(proofs, "_MOST_CASES", refuter._cases)
            refute(problem, problem.every, Budget())
            patch.setattr(proofs, "_MOST_CASES", refuter._cases - 1)
            with pytest.raises(BudgetExceeded, match="a proof would take more"):
                refute(problem, problem.every, Budget())


@pytest.mark.parametrize("seed", range(6))
def test_certificates_of_conflicts_convince_the_checker(seed):
    for _, problem, (_, policy) in documents(f"certified {seed}", 1, ANY, consistent=False):
        found = confirmed(certify_conflict(problem, Calendar(Policy(policy)), Budget()))
        assert found.claim == "inconsistent"


def test_what_is_no_conflict_has_no_proof():
    _, problem, _ = next(documents("no proof", 1, ANY, consistent=True))
    with pytest.raises(InternalError, match="none"):
        refute(problem, problem.every, Budget())


def test_proofs_have_a_limit(monkeypatch):
    _, problem, _ = next(documents("limit", 1, ("any",), consistent=False))
    monkeypatch.setattr(proofs, "_MOST_CASES", 0)
    with pytest.raises(BudgetExceeded, match="more than 0 cases"):
        refute(problem, problem.every, Budget())
