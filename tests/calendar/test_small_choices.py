"""Whether facts fit together, disjunctions and different points included, against definitions on tiny documents."""

from itertools import product
from random import Random

import naive_calendar as naive
import pytest
from calendar_documents import random_document
from small_problems import ANY, documents, name_of, problem_of

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import convex_hull
from temporacle.reasoner.metric import choices
from temporacle.reasoner.metric.choices import Core, Model, implies, judge, next_pick
from temporacle.reasoner.network import Budget
from temporacle.reasoner.pointgraph import LocalEdge
from temporacle.relation import ATOMS, Relation, atom_holding

SAMPLES = {atom_holding((a, b), (c, d)): (a, b, c, d) for a, b, c, d in product(range(6), repeat=4) if a < b and c < d}


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


@pytest.mark.parametrize("seed", range(6))
def test_what_a_relation_says_about_two_endpoints(seed):
    """True in the smallest convex relation around it: in each of its atoms."""
    rng = Random(f"implies {seed}")
    for _ in range(30):
        mask = rng.randrange(1, 1 << len(ATOMS))
        samples = [SAMPLES[atom] for atom in Relation(convex_hull(mask)).atoms]
        for x, y, strict in product(range(4), range(4), (False, True)):
            expected = all(times[x] < times[y] if strict else times[x] <= times[y] for times in samples)
            assert implies(mask, LocalEdge(x, y, strict)) is expected


@pytest.mark.parametrize("patience", [0, 3, 20_000])
@pytest.mark.parametrize("seed", range(8))
def test_a_pick_that_no_clause_excludes(seed, patience, monkeypatch):
    monkeypatch.setattr(choices, "_PATIENCE", patience)
    rng = Random(f"pick {seed}")
    for _ in range(2 if patience < 9 else 12):
        sizes = {link: rng.randint(1, 3) for link in rng.sample(range(9), rng.randint(1, 4))}
        clauses = [
            {
                link: frozenset(rng.sample(range(sizes[link]), rng.randint(1, sizes[link])))
                for link in rng.sample(list(sizes), rng.randint(1, min(2, len(sizes))))
            }
            for _ in range(rng.randint(0, 6))
        ]

        def fits(pick, clauses=clauses):
            return not any(all(pick[link] in bad for link, bad in clause.items()) for clause in clauses)

        found = next_pick(sizes, clauses, Budget())
        possible = any(fits(dict(zip(sizes, each, strict=True))) for each in product(*map(range, sizes.values())))
        assert (found is not None) is possible
        if found is not None:
            assert found.keys() == sizes.keys()
            assert fits(found)
    assert next_pick({1: 2}, [{}], Budget()) is None
