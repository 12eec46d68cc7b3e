"""Conflicts among links and values, and the cycles behind them, against their definitions on tiny documents."""

from itertools import combinations, pairwise
from random import Random

import naive_calendar as naive
import pytest
from library import read
from small_problems import ANY, CONVEX, documents, name_of, problem_of

from temporacle.calendar.policy import Calendar, Policy
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.clock import conflicts
from temporacle.reasoner.clock.check import CalendarInquiry
from temporacle.reasoner.clock.conflicts import conflict_among, holds, satisfied, shortest_cycle
from temporacle.reasoner.clock.picks import Core, Model, judge
from temporacle.reasoner.clock.weights import Solution, WeightedEdge, potentials
from temporacle.reasoner.network import Budget, NotMinimal


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_conflicts_are_smallest_among_the_facts_asked_about(kinds, seed):
    rng = Random(f"asked {seed}")
    for reference, problem, case in documents(f"conflicts {seed}", 2, kinds, consistent=False):
        some = sorted(rng.sample(problem.every, rng.randint(1, problem.droppable)))
        for asked in (list(problem.every), some):
            names = {number: name_of(problem, number) for number in asked}
            found = conflict_among(problem, asked, Budget())
            if naive.is_consistent(reference, names.values()):
                assert found is None, case
                continue
            assert found is not None, case
            assert set(found) <= set(asked)
            assert not naive.is_consistent(reference, [names[number] for number in found]), case
            smaller = combinations(names.values(), len(found) - 1)
            assert all(naive.is_consistent(reference, each) for each in smaller), case


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_conflicts_are_minimal_where_the_smallest_is_not_looked_for(kinds, seed, monkeypatch):
    monkeypatch.setattr(conflicts, Random(seed).choice(("_FEW_SUSPECTS", "_MANY_FACTS", "_MOST_ROUNDS")), 0)
    for reference, problem, case in documents(f"minimal {seed}", 2, kinds, consistent=False):
        found = conflicts._Search(problem, Budget(), ()).conflict(problem.every)
        names = [name_of(problem, number) for number in found]
        assert not naive.is_consistent(reference, names), case
        assert all(naive.is_consistent(reference, set(names) - {name}) for name in names), case


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_whatever_is_in_a_conflict_is_a_suspect(kinds, seed):
    for reference, problem, case in documents(f"suspects {seed}", 3, kinds, consistent=False):
        found = {name_of(problem, number) for number in problem.suspects(problem.every)}
        assert all(conflict <= found for conflict in naive.smallest_conflicts(reference)), case


def is_date(problem, number):
    """Whether a fact is a link, or says something about the clock of the document alone."""
    if problem.relation(number) is not None:
        return True
    origins = [{edge.left, edge.right} & {problem.local, problem.utc} for edge in problem.edges_of[number]]
    clock = problem.local if len(problem.origins) > 1 else problem.clock
    return all(each == {clock} for each in origins)


def fits(problem, facts):
    return isinstance(judge(problem, facts, Budget()), Model)


@pytest.mark.parametrize("seed", range(30))
def test_conflicts_of_dates_are_smallest_however_many_facts_there_are(seed, monkeypatch):
    """Without lengths, and without the values of one of two clocks. Otherwise they have no more facts than a cycle."""
    monkeypatch.setattr(conflicts, "_FEW_SUSPECTS", 0)
    for _, problem, case in documents(f"dates {seed}", 3, CONVEX, consistent=False, entities=(5, 6)):
        if any(link.source == link.target for link in problem.document_links):
            continue
        for asked in (problem.every, problem.every[:-1]):
            found = conflict_among(problem, asked, Budget())
            dates = [number for number in asked if is_date(problem, number)]
            if found is None:
                assert fits(problem, asked), case
            elif not fits(problem, dates):
                assert all(fits(problem, each) for each in combinations(dates, len(found) - 1)), case
                assert not fits(problem, found), case
            elif asked is problem.every:
                assert len(found) <= fewest_edges(problem), case


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_sets_of_facts_grow_until_nothing_fits(kinds, seed):
    rng = Random(f"grown {seed}")
    for reference, problem, case in documents(f"grown {seed}", 2, kinds, consistent=False):
        some = [rng.choice(problem.every)]
        model = judge(problem, some, Budget())
        if isinstance(model, Model):
            grown = conflicts._Search(problem, Budget(), ())._grown(some, problem.every, model)
            names = {name_of(problem, number) for number in grown}
            assert set(some) <= grown
            assert naive.is_consistent(reference, names), case
            for number in set(problem.every) - grown:
                assert not naive.is_consistent(reference, {*names, name_of(problem, number)}), case


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kinds", [CONVEX, ANY], ids="-".join)
def test_what_could_be_dropped_instead(kinds, seed):
    """Each fact of the same weight without which the kept facts and the dropped one fit."""
    for reference, _, case in documents(f"instead {seed}", 2, kinds, consistent=False):
        record, policy = case
        inquiry = CalendarInquiry(read(record), Calendar(Policy(policy)), Budget())
        repaired = inquiry.repair(())
        names = [name_of(inquiry.problem, number) for number in inquiry.problem.every]
        named = {id(fact): name for fact, name in zip(inquiry.facts, names, strict=True)}
        gone = [named[id(fact)] for fact in repaired.dropped]
        for fact, instead in zip(repaired.dropped, repaired.alternatives, strict=True):
            kept = [name for name in names if name not in gone or name == named[id(fact)]]
            fitting = [
                named[id(other)]
                for other in inquiry.facts
                if named[id(other)] not in gone
                and other.weight == fact.weight
                and naive.is_consistent(reference, [name for name in kept if name != named[id(other)]])
            ]
            assert [named[id(other)] for other in instead] == fitting[:10], case


@pytest.mark.parametrize("seed", range(6))
def test_times_are_moved_from_the_edges_that_do_not_hold(seed):
    """The same times as from all points, and a negative cycle in the same cases."""
    for _, problem, case in documents(f"moved {seed}", 4, CONVEX, consistent=False):
        inside: list[int] = []
        times = [0] * problem.points
        times = potentials(problem.graph(inside), Budget(), times).times
        for number in problem.every:
            edges = problem.graph([*inside, number])
            moved = {edge.left for edge in problem.edges_of[number]}
            every, some = (potentials(edges, Budget(), times, each) for each in (None, moved))
            assert type(every) is type(some), case
            if isinstance(some, Solution):
                assert every == some, case
                inside.append(number)
                times = some.times
            else:
                assert sum(edge.weight for edge in some.edges) < 0


def test_facts_off_every_cycle_are_no_suspects():
    record = {
        "document": "d",
        "entities": [{"id": name} for name in ("a", "b", "c", "d")],
        "links": [
            {"id": "l1", "source": "a", "relation": "b", "target": "b"},
            {"id": "l2", "source": "b", "relation": "b", "target": "a"},
            {"id": "l3", "source": "c", "relation": "b", "target": "d"},
            {"id": "l4", "source": "b", "relation": "b|bi", "target": "c"},
        ],
    }
    problem = problem_of(record)
    assert problem.suspects(problem.every) == [0, 1, 3]  # l4 alone has a cycle: one way or the other
    assert problem.suspects([2]) == []


@pytest.mark.parametrize("seed", range(4))
def test_conflicts_with_edges_that_hold_besides(seed):
    """An edge that the facts exclude makes a conflict of some of them, each of them needed."""
    rng = Random(f"extra {seed}")
    for _, problem, case in documents(f"extra {seed}", 4, ANY, consistent=True):
        x, y = rng.sample(range(problem.local), 2)
        edge = WeightedEdge(x, y, -rng.randint(1, 3), None)
        found = conflict_among(problem, problem.every, Budget(), [edge])
        fits = isinstance(judge(problem, problem.every, Budget(), [edge]), Model)
        assert (found is None) is fits, case
        for number in found or ():
            others = [other for other in found if other != number]
            assert isinstance(judge(problem, others, Budget(), [edge]), Model), case
        assert found is None or isinstance(judge(problem, found, Budget(), [edge]), Core)


@pytest.mark.parametrize("seed", range(3))
def test_a_fact_holds_by_definition(seed):
    for _, problem, _ in documents(f"holds {seed}", 3, ANY, consistent=True):
        model = judge(problem, problem.every, Budget())
        settled = [
            number for number in problem.every if number not in {each[2] for each in problem.differences([number])}
        ]
        assert set(settled) <= set(satisfied(problem, problem.every, model.times))
        moved = [time + problem.unit * 10**9 * (point % 3) for point, time in enumerate(model.times)]
        for number in problem.every:
            link = problem.relation(number)
            if link is None:
                edges = problem.edges_of[number]
                assert holds(problem, number, moved) is all(
                    moved[edge.right] <= moved[edge.left] + edge.weight for edge in edges
                )


def test_time_that_ends_during_the_search_for_a_smaller_conflict(monkeypatch):
    def too_late(*_args, **_options):
        raise BudgetExceeded("over")

    monkeypatch.setattr(conflicts, "minimum_hitting_set", too_late)
    for _, problem, _ in documents("over", 5, ("any",), consistent=False):
        found = conflict_among(problem, problem.every, Budget())
        assert not fits(problem, found)
        assert all(fits(problem, set(found) - {number}) for number in found)


def test_the_smallest_conflict_is_looked_for_among_few_facts(monkeypatch):
    asked = []
    honest = conflicts.minimum_hitting_set
    monkeypatch.setattr(
        conflicts, "minimum_hitting_set", lambda *each, **options: asked.append(each) or honest(*each, **options)
    )
    problem = next(
        problem
        for _, problem, _ in documents("few", 50, ("any",), consistent=False)
        if len(problem.suspects(problem.every)) < problem.droppable
        and len(conflict_among(problem, problem.every, Budget())) > 1
    )
    few = len(problem.suspects(problem.every))
    for name, limit in (("_FEW_SUSPECTS", few), ("_MANY_FACTS", problem.droppable)):
        for most, is_asked in ((limit, True), (limit - 1, False)):
            asked.clear()
            with monkeypatch.context() as patch:
                patch.setattr(conflicts, name, most)
                conflict_among(problem, problem.every, Budget())
            assert bool(asked) is is_asked, (name, most)


def test_facts_that_fit_and_contradict_each_other_are_noticed(monkeypatch):
    _, problem, _ = next(documents("noticed", 1, ("any",), consistent=False))
    monkeypatch.setattr(conflicts._Search, "_grown", lambda _self, _chosen, every, _model: set(every))
    with pytest.raises(InternalError, match="are consistent"):
        conflict_among(problem, problem.every, Budget())


@pytest.mark.parametrize("judgements", range(2))
def test_a_conflict_that_was_not_made_minimal_in_time_is_a_conflict(judgements, monkeypatch):
    reference, problem, case = next(documents("in time", 1, ("any",), consistent=False))
    search = conflicts._Search(problem, Budget(), ())
    honest = search._judge
    left = [None] * judgements

    def judged(facts):
        if not left:
            raise BudgetExceeded("no time is left")
        left.pop()
        return honest(facts)

    monkeypatch.setattr(search, "_judge", judged)
    with pytest.raises(NotMinimal, match="no time is left") as limit:
        search.shrink(problem.every)
    assert not naive.is_consistent(reference, [name_of(problem, number) for number in limit.value.numbers]), case
    assert judgements or list(limit.value.numbers) == list(problem.every)


# --- cycles -----------------------------------------------------------------------------------------------------------


def fewest_edges(problem):
    """The fewest edges of facts on a negative cycle: least weights of walks, by their number of such edges."""
    edges = [edge for each in problem.graph(problem.every) for edge in each]
    points = range(problem.points)
    free = [[0 if x == y else None for y in points] for x in points]

    def relaxed(rows, chosen, base):
        new = [list(row) for row in rows]
        for edge in chosen:
            for x in points:
                if base[x][edge.left] is not None:
                    weight = base[x][edge.left] + edge.weight
                    if new[x][edge.right] is None or weight < new[x][edge.right]:
                        new[x][edge.right] = weight
        return new

    def with_free_steps(rows):
        while (new := relaxed(rows, [edge for edge in edges if edge.fact is None], rows)) != rows:
            rows = new
        return rows

    rows = with_free_steps(free)
    for count in range(1, 12):
        rows = with_free_steps(relaxed(rows, [edge for edge in edges if edge.fact is not None], rows))
        if any(rows[x][x] < 0 for x in points):
            return count
    raise AssertionError("no short cycle")


@pytest.mark.parametrize("seed", range(12))
def test_cycles_have_the_fewest_edges(seed):
    for reference, problem, case in documents(f"fewest {seed}", 2, CONVEX, consistent=False):
        if any(link.source == link.target for link in problem.document_links):
            continue
        found = shortest_cycle(problem, Budget())
        assert found is not None, case
        assert len(found) == len(set(found)) <= fewest_edges(problem), case
        assert not naive.is_consistent(reference, [name_of(problem, number) for number in found]), case


LATER_BEFORE_EARLIER = {
    "document": "d",
    "entities": [{"id": "t1", "kind": "time", "value": "1998"}, {"id": "t2", "kind": "time", "value": "1997"}],
    "links": [{"id": "l", "source": "t1", "relation": "b", "target": "t2"}],
}
WITH_A_CYCLE_OF_LINKS = LATER_BEFORE_EARLIER | {
    "links": [*LATER_BEFORE_EARLIER["links"], {"id": "m", "source": "t2", "relation": "b", "target": "t1"}]
}


def test_a_conflict_of_dates_may_be_shorter_than_a_cycle_of_links():
    ends = ["t1", "e1", "e2", "e3", "t1"]
    ring = [
        {"id": f"m{place}", "source": source, "relation": "b", "target": target}
        for place, (source, target) in enumerate(pairwise(ends))
    ]
    entities = [*LATER_BEFORE_EARLIER["entities"], *({"id": name} for name in ends[1:-1])]
    problem = problem_of({"document": "d", "entities": entities, "links": [*ring, *LATER_BEFORE_EARLIER["links"]]})
    assert len(problem.document_links) == 5
    assert sorted(name_of(problem, number) for number in shortest_cycle(problem, Budget())) == ["l", "t1", "t2"]


@pytest.mark.parametrize("most", [0, 1])
def test_long_searches_for_a_cycle_end(most, monkeypatch):
    """A cycle of links alone is known before the search."""
    problem, with_links = problem_of(LATER_BEFORE_EARLIER), problem_of(WITH_A_CYCLE_OF_LINKS)
    assert sorted(shortest_cycle(problem, Budget())) == [0, 1, 2]
    assert sorted(shortest_cycle(with_links, Budget())) == [0, 1]
    monkeypatch.setattr(conflicts, "_MOST_STEPS", most)
    assert shortest_cycle(problem, Budget()) is None
    assert sorted(shortest_cycle(with_links, Budget())) == [0, 1]


def test_the_search_for_a_cycle_stays_within_time(monkeypatch):
    monkeypatch.setattr(conflicts, "shortest_strict_cycle", lambda *_: None)
    with pytest.raises(BudgetExceeded):
        shortest_cycle(problem_of(LATER_BEFORE_EARLIER), Budget(-1))
