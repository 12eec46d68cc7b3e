"""Weighted graphs, models and the oracle of links and values, against their definitions on tiny cases."""

from itertools import pairwise, product
from random import Random

import naive_calendar as naive
import pytest
from library import read
from small_problems import ANY, CONVEX, documents, problem_of

from temporacle.calendar.policy import Calendar, Policy
from temporacle.errors import BudgetExceeded, InternalError, UsageError
from temporacle.reasoner.clock import conflicts as models
from temporacle.reasoner.clock import weights
from temporacle.reasoner.clock.conflicts import witness_of
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.picks import judge
from temporacle.reasoner.clock.weights import (
    Distances,
    Solution,
    WeightedEdge,
    outgoing,
    potentials,
    reversed_edges,
    rigid_parts,
)
from temporacle.reasoner.network import Budget
from temporacle.relation import Relation, atom_holding
from temporacle.results import Consistent, Inconsistent, Undecided, Verdict

# --- weighted graphs --------------------------------------------------------------------------------------------------


def random_edges(rng, size):
    return [
        WeightedEdge(rng.randrange(size), rng.randrange(size), rng.randint(-4, 9), number)
        for number in range(rng.randint(0, 3 * size))
    ]


def all_distances(size, edges):
    """Floyd and Warshall; None if there is a negative cycle."""
    far = 10**6
    rows = [[0 if x == y else far for y in range(size)] for x in range(size)]
    for left, right, weight, _ in edges:
        rows[left][right] = min(rows[left][right], weight)
    for middle, x, y in product(range(size), repeat=3):
        rows[x][y] = min(rows[x][y], rows[x][middle] + rows[middle][y])
    return (
        None
        if any(rows[x][x] < 0 for x in range(size))
        else [[d if d < far // 2 else None for d in row] for row in rows]
    )


@pytest.mark.parametrize("few", [0, 200])
@pytest.mark.parametrize("seed", range(8))
def test_a_solution_or_a_negative_cycle(seed, few, monkeypatch):
    monkeypatch.setattr(weights, "_FEW", few)
    rng = Random(f"potentials {seed}")
    for _ in range(15):
        size = rng.randint(1, 6)
        edges = random_edges(rng, size)
        start = rng.choice((None, [rng.randint(-9, 9) for _ in range(size)]))
        found = potentials(outgoing(size, edges), Budget(), start)
        assert isinstance(found, Solution) is (all_distances(size, edges) is not None)
        if isinstance(found, Solution):
            assert all(found.times[right] - found.times[left] <= weight for left, right, weight, _ in edges)
        else:
            cycle = found.edges
            assert all(before.right == after.left for before, after in pairwise([*cycle, cycle[0]]))
            assert sum(edge.weight for edge in cycle) < 0
            assert len({edge.left for edge in cycle}) == len(cycle)
            assert found.facts == [edge.fact for edge in cycle]


def test_points_are_visited_in_the_order_of_their_edges(monkeypatch):
    """Along edges that do not limit times: each before those that it leads to."""
    monkeypatch.setattr(weights, "_FEW", 0)
    edges = [WeightedEdge(2, 0, 0, None), WeightedEdge(0, 1, -1, None), WeightedEdge(1, 2, 5, None)]
    assert list(weights._in_order(outgoing(3, edges))) == [2, 0, 1]


def test_a_long_search_for_a_cycle_stays_within_time():
    ring = [WeightedEdge(number, (number + 1) % 5, -1, number) for number in range(5)]
    with pytest.raises(BudgetExceeded):
        potentials(outgoing(5, ring), Budget(-1))
    with pytest.raises(BudgetExceeded):
        Distances(outgoing(5, []), [0] * 5, Budget(-1)).row(0)


@pytest.mark.parametrize("seed", range(8))
def test_distances_paths_and_rigid_parts(seed):
    rng = Random(f"distances {seed}")
    for _ in range(15):
        size = rng.randint(1, 6)
        edges = random_edges(rng, size)
        expected = all_distances(size, edges)
        if expected is None:
            continue
        graph = outgoing(size, edges)
        times = potentials(graph, Budget()).times
        distances = Distances(graph, times, Budget())
        turned = Distances(reversed_edges(graph), [-time for time in times], Budget())
        parts = rigid_parts(graph, times)
        for x, y in product(range(size), repeat=2):
            assert distances.row(x).get(y) == turned.row(y).get(x) == expected[x][y]
            back = expected[y][x]
            is_rigid = expected[x][y] is not None and back is not None and expected[x][y] + back == 0
            assert (parts[x] == parts[y]) is is_rigid
            if expected[x][y] is not None:
                path = distances.path(x, y)
                assert sum(edge.weight for edge in path) == expected[x][y]
                assert [x, *(edge.right for edge in path)] == [*(edge.left for edge in path), y]


# --- models -----------------------------------------------------------------------------------------------------------


def holds_by_definition(problem, witness):
    """Whether links and values are true of a witness, all on one clock."""
    for link in problem.document_links:
        if atom_holding(witness[link.source], witness[link.target]) not in link.relation.atoms:
            return False
    times = [time for name in problem.network.entities for time in witness[name]]
    times += [0, 0]
    edges = [edge for each in problem.edges_of[len(problem.document_links) :] for edge in each]
    return all(times[edge.right] - times[edge.left] <= edge.weight for edge in edges)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kinds", [("pointisable",), ANY], ids="-".join)
def test_witnesses_make_every_fact_true(kinds, seed):
    for _, problem, case in documents(f"witness {seed}", 3, kinds, consistent=True):
        model = judge(problem, problem.every, Budget())
        witness = witness_of(problem, problem.every, model, Budget())
        assert list(witness) == list(problem.network.entities)
        assert all(start < end for start, end in witness.values())
        if len(problem.origins) < 2:
            assert holds_by_definition(problem, witness), case


def chain_of_differences():
    """Ends that must differ, and that a first model may make equal."""
    different = "b|m|o|di|si|s|d|oi|mi|bi"  # the ends of both differ
    names = ["a", "b", "c", "d"]
    links = [
        {"id": f"l{number}", "source": source, "relation": different, "target": target}
        for number, (source, target) in enumerate((x, y) for x in names for y in names if x < y)
    ]
    return problem_of({"document": "d", "entities": [{"id": name} for name in names], "links": links})


def test_points_that_differ_get_different_times():
    problem = chain_of_differences()
    for times in ([0, 5] * 4, [0, 5, 0, 5, 0, 7, 0, 7], [0, 3, 0, 5, 0, 4, 0, 5]):
        model = judge(problem, problem.every, Budget())._replace(times=[*times, 0, 0])
        witness = witness_of(problem, problem.every, model, Budget())
        assert len({end for _, end in witness.values()}) == 4


@pytest.mark.parametrize(
    ("times", "facts"), [([0, 1, 0, 1], [0]), ([0, 1, 5, 4], [0]), ([2, 1, 3, 4], []), ([0, 1, 3, 3], [])]
)
def test_a_model_that_breaks_a_fact_is_noticed(times, facts, monkeypatch):
    """Also one without any fact that starts after its end."""
    link = {"id": "l", "source": "a", "relation": "b", "target": "b"}
    problem = problem_of({"document": "d", "entities": [{"id": "a"}, {"id": "b"}], "links": [link]})
    model = judge(problem, facts, Budget())
    witness_of(problem, facts, model, Budget())
    monkeypatch.setattr(models, "_separated", lambda *_: [*times, 0, 0])
    with pytest.raises(InternalError, match="breaks the facts"):
        witness_of(problem, facts, model, Budget())


# --- the oracle -------------------------------------------------------------------------------------------------------


def oracle_about(links, *values, policy=Policy.WITHIN, budget=None):
    """Links such as "a b|m b", and values of t1, t2, ..."""
    times = [{"id": f"t{place}", "kind": "time", "value": value} for place, value in enumerate(values, 1)]
    listed = [
        {"id": f"l{place}", "source": source, "relation": relation, "target": target}
        for place, (source, relation, target) in enumerate(map(str.split, links))
    ]
    record = {"document": "d", "entities": [*times, {"id": "a"}, {"id": "b"}], "links": listed}
    return CalendarOracle(read(record), Calendar(policy), budget=budget)


@pytest.mark.parametrize(
    ("links", "values", "decided_by"),
    [
        (["t1 b t2"], ["1997", "1999"], "graph"),
        (["t1 b|bi t2"], ["1997", "1999"], "cases"),
        (["t1 b t2"], ["P1D", "1999"], "weights"),
    ],
)
def test_what_decides(links, values, decided_by):
    for later in (links, [*links, "t2 b t1"]):
        oracle = oracle_about(later, *values)
        answer = oracle.consistency()
        assert type(answer) is (Consistent if later is links else Inconsistent)
        assert oracle.decided_by == answer.decided_by
        assert oracle.decided_by in {decided_by, "graph"}
        assert oracle.is_consistent() is isinstance(answer, Consistent)


def test_without_explanation_there_is_a_verdict_alone():
    oracle = oracle_about(["a b b", "b b a"], "P1D")
    assert oracle.consistency(explain=False) == Inconsistent((), "weights", True)
    assert [fact.id for fact in oracle.consistency().conflict] == ["l0", "l1"]


def test_what_a_contradictory_document_does_not_have():
    oracle = oracle_about(["a b b", "b b a"], "P1D")
    with pytest.raises(UsageError, match="no witness"):
        oracle.witness()
    with pytest.raises(UsageError, match="no bounds"):
        oracle.bounds("a")
    assert oracle.minimal_network() is None
    assert oracle.strongest("a", "b") == Relation(0)
    assert oracle.entails("a", "b", "b") is Verdict.REFUTED
    assert oracle.countermodel("a", Relation.of("m"), "b") is None
    with pytest.raises(InternalError, match="although the facts are consistent"):
        oracle_about(["a b b"], "P1D").conflict()


def test_no_time_is_no_verdict():
    oracle = oracle_about(["a b|bi b", "b m|o t1"], "P1D", budget=-1)
    assert isinstance(oracle.consistency(), Undecided)
    assert oracle.entails("a", "b", "b") is Verdict.UNKNOWN


def test_facts_behind_a_relation_and_a_limit():
    oracle = oracle_about(["a d t1", "t1 b t2", "t2 b b"], "1997", "P1D")
    assert [fact.id for fact in oracle.facts_behind("a", Relation.of("b"), "b")] == ["l0", "l1", "l2"]
    with pytest.raises(InternalError, match="does not"):
        oracle.facts_behind("a", Relation.of("m"), "b")
    assert [fact.id for fact in oracle.facts_behind_limit("a", "start", latest=False)] == ["l0", "t1"]
    assert [fact.id for fact in oracle.facts_behind_limit("a", "end", latest=True)] == ["l0", "t1"]
    assert oracle.facts_behind_limit("b", "end", latest=True) == ()
    assert oracle.facts_behind_limit("b", "start", latest=True) == ()
    assert [fact.id for fact in oracle.facts_behind_limit("b", "start", latest=False)] == ["l1", "l2", "t1"]


def test_a_start_and_an_end_have_limits_of_their_own():
    """An event that begins before t1 and ends within it: only its end cannot be earlier than t1."""
    oracle = oracle_about(["a o t1"], "1997", "P1D")
    assert [fact.id for fact in oracle.facts_behind_limit("a", "end", latest=False)] == ["l0", "t1"]
    assert oracle.facts_behind_limit("a", "start", latest=False) == ()
    assert holds_by_definition(oracle.problem, oracle.witness())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_answers_about_pairs(kinds, seed):
    rng = Random(f"pairs {seed}")
    for reference, problem, (record, policy) in documents(f"pairs {seed}", 2, kinds, consistent=True):
        oracle = CalendarOracle(read(record), Calendar(Policy(policy)))
        source, target = rng.sample(problem.network.entities, 2)
        strongest = Relation.of(*naive.strongest(reference, source, target))
        assert oracle.strongest(source, target) == strongest
        assert oracle.minimal_network().relation(source, target) == strongest
        asked = Relation(rng.randrange(1, 1 << 13))
        verdict = oracle.entails(source, asked, target)
        counter = oracle.countermodel(source, asked, target)
        if strongest <= asked:
            assert (verdict, counter) == (Verdict.ENTAILED, None)
        else:
            assert verdict is (Verdict.OPEN if strongest & asked else Verdict.REFUTED)
            assert atom_holding(counter[source], counter[target]) not in asked.atoms
