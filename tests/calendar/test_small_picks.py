"""Whether facts fit together, disjunctions and different points included, against definitions on tiny documents."""

from collections import Counter
from itertools import product
from random import Random

import naive_calendar as naive
import pytest
from calendar_documents import random_document
from small_problems import ANY, documents, name_of, problem_of

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import convex_pieces
from temporacle.reasoner.clock import picks
from temporacle.reasoner.clock.picks import Core, Model, is_settled_model, judge
from temporacle.reasoner.clock.weights import WeightedEdge
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, Relation


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kinds", [("pointisable",), ("pointisable", "any"), ANY], ids="-".join)
def test_verdicts_models_and_cores(kinds, seed):
    rng = Random(f"verdicts {seed} {kinds}")
    for _ in range(4):
        record = random_document(rng, entities=rng.choice((2, 3)), kinds=kinds)
        reference, problem = naive.calendar_of(record, "within"), problem_of(record)
        start = rng.choice((None, [rng.randint(-9, 9) for _ in range(problem.points)]))
        verdict = judge(problem, problem.every, Budget(), start=start)
        assert isinstance(verdict, Model) is naive.is_consistent(reference), record
        if isinstance(verdict, Core):
            assert verdict.facts == sorted(set(verdict.facts))
            assert not naive.is_consistent(reference, [name_of(problem, each) for each in verdict.facts]), record
            continue
        assert set(verdict.picked) == set(problem.choices(problem.every))
        edges = [edge for each in problem.graph(problem.every) for edge in each]
        edges += [edge for link, mask in verdict.picked.items() for edge in problem.link_edges(link, mask)]
        assert all(verdict.times[edge.right] - verdict.times[edge.left] <= edge.weight for edge in edges), record


def equal_though_different(*relations):
    """Links between a and b; the first one says that the ends differ."""
    links = [
        {"id": f"l{place}", "source": "a", "relation": relation, "target": "b"}
        for place, relation in enumerate(("b|m|o|di|si|s|d|oi|mi|bi", *relations))
    ]
    return problem_of({"document": "d", "entities": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": links})


def test_points_that_must_be_equal_do_not_differ():
    problem = equal_though_different("fi|=|f", "b|m|o|s|d|fi|=|f")
    verdict = judge(problem, problem.every, Budget())
    assert isinstance(verdict, Core)
    assert verdict.facts[0] == 0
    assert isinstance(judge(problem, verdict.facts, Budget()), Core)
    assert isinstance(judge(problem, [0, 2], Budget()), Model)


def test_ends_that_two_links_make_equal():
    """Neither of the two links says that the ends are equal; both together do."""
    problem = equal_though_different("b|m|o|s|d|fi|=|f", "fi|=|f|di|si|oi|mi|bi")
    assert judge(problem, problem.every, Budget()) == Core([0, 1, 2])
    for left_out in range(3):
        assert isinstance(judge(problem, [each for each in range(3) if each != left_out], Budget()), Model)


ENDS_DIFFER = "b|m|o|di|si|s|d|oi|mi|bi"
ENDS_EQUAL = "fi|=|f"


def linked(*links, values=()):
    """Links such as ("a", "b|m", "b"), and entities with values."""
    names = dict.fromkeys(end for source, _, target in links for end in (source, target))
    valued = dict(values)
    entities = [{"id": name, **({"kind": "time", "value": valued[name]} if name in valued else {})} for name in names]
    listed = [
        {"id": f"l{place}", "source": source, "relation": relation, "target": target}
        for place, (source, relation, target) in enumerate(links)
    ]
    return problem_of({"document": "d", "entities": entities, "links": listed})


def test_a_pick_that_makes_points_equal_is_given_up():
    """The first piece makes the ends equal, which differ; the second one fits."""
    problem = linked(("a", ENDS_DIFFER, "b"), ("a", "fi|bi", "b"))
    assert problem.choices(problem.every) == [1]
    assert judge(problem, problem.every, Budget()).picked == {1: int(Relation.of("bi"))}


def test_no_pick_may_make_points_equal():
    """One piece makes the ends of a and b equal by way of c, the other one contradicts the last link."""
    problem = linked(("a", ENDS_DIFFER, "b"), ("a", "fi|bi", "c"), ("c", ENDS_EQUAL, "b"), ("a", "b|m|o|fi|di", "c"))
    assert judge(problem, problem.every, Budget()) == Core([0, 1, 2, 3])
    for left_out in range(4):
        assert isinstance(judge(problem, [each for each in range(4) if each != left_out], Budget()), Model)


def test_the_blame_is_on_what_makes_points_equal():
    """There is a shorter way from end to end, by a length of at most a day; it makes nothing equal."""
    problem = linked(
        *(("a", ENDS_DIFFER, "t"), ("a", "o|fi|di|s|=|si|d|f|oi|mi|bi", "t")),
        *(("a", ENDS_EQUAL, "c"), ("c", ENDS_EQUAL, "d"), ("d", ENDS_EQUAL, "t")),
        values={"t": "P1D"},
    )
    assert judge(problem, problem.every, Budget()) == Core([0, 2, 3, 4])


def test_time_is_looked_at():
    _, problem, _ = next(documents("time", 1, ("any",), consistent=True))
    with pytest.raises(BudgetExceeded):
        judge(problem, problem.every, Budget(-1))


def fits_by_pieces(problem, facts, *further):
    """Whether facts, and further edges, fit together, by trying all pieces of all disjunctions."""
    links = problem.choices(facts)
    for picked in product(*(convex_pieces(problem.relation(link)[1]) for link in links)):
        pieces = [edge for link, mask in zip(links, picked, strict=True) for edge in problem.link_edges(link, mask)]
        if is_settled_model(problem, facts, (*further, *pieces), Budget(), [0] * problem.points):
            return True
    return False


def random_problem(rng):
    """Few entities with many disjunctions among them, some days and some lengths."""
    names = [f"x{place}" for place in range(rng.choice((3, 4, 5)))]
    links = []
    for _ in range(rng.randint(3, 9)):
        source, target = rng.sample(names, 2)
        links.append((source, "|".join(rng.sample(ATOMS, rng.choice((1, 2, 2, 3, 4, 8)))), target))
    values = {name: rng.choice(("1998-02-06", "1998-02-07", "1998-02", "P1D", "P3D")) for name in names[::2]}
    return linked(*links, values=values)


@pytest.mark.parametrize("seed", range(8))
def test_the_search_finds_what_trying_all_pieces_finds(seed):
    rng = Random(f"pieces {seed}")
    met = Counter()
    for _ in range(40):
        problem = random_problem(rng)
        if len(problem.choices(problem.every)) < 2:
            continue
        verdict = judge(problem, problem.every, Budget())
        met[isinstance(verdict, Model)] += 1
        assert isinstance(verdict, Model) is fits_by_pieces(problem, problem.every), problem.facts
        if isinstance(verdict, Core):
            assert not fits_by_pieces(problem, verdict.facts), problem.facts
    assert min(met[True], met[False]) > 3, met


@pytest.mark.parametrize("seed", range(4))
def test_the_search_under_further_edges(seed):
    """As questions ask: what holds besides may lie between entities with a disjunction."""
    rng = Random(f"further {seed}")
    met = Counter()
    for _ in range(30):
        problem = random_problem(rng)
        one, other = rng.sample(range(problem.local), 2)
        edge = WeightedEdge(one, other, rng.choice((0, -1)), None)
        found = isinstance(judge(problem, problem.every, Budget(), (edge,)), Model)
        met[found] += 1
        assert found is fits_by_pieces(problem, problem.every, edge), (problem.facts, edge)
    assert min(met[True], met[False]) > 3, met


def test_without_the_solver_nothing_is_decided(monkeypatch):
    problem = linked(("a", "b|bi", "b"), ("a", "b|bi", "b"))
    monkeypatch.setattr(picks, "is_available", lambda: False)
    with pytest.raises(BudgetExceeded, match="python-sat"):
        judge(problem, problem.every, Budget())


@pytest.mark.parametrize("values", [[False] * 16, [True, False] * 8])
def test_values_that_break_a_link_are_noticed(values, monkeypatch):
    """No atom has all Booleans false; before, which has every other one true, is not allowed."""
    problem = linked(("a", "m|bi", "b"), ("b", "m|bi", "c"))
    monkeypatch.setattr(picks.Cdcl, "values", lambda _self, variables: values[:variables])
    with pytest.raises(InternalError, match="break a link"):
        judge(problem, problem.every, Budget())
