"""The quick verdict on links and values is that of the reference and of the oracle, wherever there is one."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import naive_calendar as naive
import pytest
from calendar_documents import LENGTHS, random_document
from library import read

from temporacle.calendar.facts import marks_writing
from temporacle.calendar.policy import Calendar, Policy
from temporacle.calendar.said import Constraint, reader_of_times
from temporacle.model import PlainGraph, PlainTimes
from temporacle.reasoner.check import CheckOptions, check_document, check_graph
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.reasoner.clock.quick import quick_verdict
from temporacle.relation import Relation, atom_holding

CONVEX = ("atom", "convex")


def columns(document):
    return [[link[place] for link in document.links] for place in (1, 2, 3)]


def without_anchors(record):
    """The record without the attributes that are left to the oracle."""
    entities = [
        {key: value for key, value in entity.items() if key not in ("beginPoint", "endPoint")}
        for entity in record["entities"]
    ]
    return {**record, "entities": entities}


def verdict_of(document, calendar):
    read_time = reader_of_times(calendar)
    said = {time.id: read_time(time.value, time.type, time.mod, marks_writing(time)) for time in document.times}
    return quick_verdict(*columns(document), {name: each.constraints for name, each in said.items() if each[0]})


def compare(seed, count, kinds=CONVEX, entities=(2, 3, 4, 6)):
    rng = Random(f"quick {seed} {kinds}")
    met = Counter()
    for _ in range(count):
        record = without_anchors(random_document(rng, entities=rng.choice(entities), kinds=kinds))
        policy = rng.choice(naive.POLICIES)
        found = verdict_of(read(record), Calendar(Policy(policy)))
        expected = naive.is_consistent(naive.calendar_of(record, policy))
        assert found in (None, expected), (record, policy)
        has_length = any(entity.get("value") in LENGTHS for entity in record["entities"])
        met[found, has_length] += 1
    for has_length in (True, False):
        assert all(met[found, has_length] > count / 200 for found in (True, False, None)), met


@pytest.mark.parametrize("kinds", [CONVEX, ("atom", "any")])
def test_the_verdict_is_that_of_the_reference(kinds):
    compare(1, 1500, kinds)


@pytest.mark.slow
def test_the_verdict_is_that_of_the_reference_on_many_documents():
    compare(2, 12_000)


def random_lengths(rng, size):
    """Links that hold between invented intervals, so that they fit together, with lengths and dates near the truth."""
    places = {f"x{number}": sorted(rng.sample(range(40), 2)) for number in range(size)}
    names = list(places)
    links = []
    for _ in range(rng.randint(size, 2 * size)):
        one, other = rng.sample(names, 2)
        links.append((one, Relation(atom_holding(places[one], places[other])), other))
    values = {}
    for name in names:
        start, end = (place + rng.choice((0, 0, 0, -2, -1, 1, 2)) for place in places[name])
        bounds = (
            Constraint("start", "end", abs(end - start) + rng.randint(0, 2) + 1, rng.random() < 0.5),
            Constraint("end", "start", min(0, start - end + rng.randint(0, 2)), rng.random() < 0.5),
            Constraint("start", "@", -start),
            Constraint("@", "end", end),
            Constraint("end", "@", -end),
            Constraint("@", "start", start),
        )
        chosen = tuple(bound for bound in bounds if rng.random() < 0.35)
        if chosen:
            values[name] = chosen
    return links, values


def longest_paths(links, values):
    """Whether no cycle of differences is negative, by relaxing every edge as often as there are points."""
    edges = []
    for source, relation, target in links:
        points = ((source, 0), (source, 1), (target, 0), (target, 1))
        signs = [naive.SIGNS[atom] for atom in relation.atoms]
        for number, (x, y) in enumerate(((0, 2), (0, 3), (1, 2), (1, 3))):
            allowed = {sign[number] for sign in signs}
            if 1 not in allowed:  # x <= y, or x < y
                edges.append((points[y], points[x], 0 if 0 in allowed else -1))
            if -1 not in allowed:
                edges.append((points[x], points[y], 0 if 0 in allowed else -1))
    entities = {name for source, _, target in links for name in (source, target)} | set(values)
    edges += [((name, 1), (name, 0), -1) for name in entities]
    for name, constraints in values.items():
        point = {"start": (name, 0), "end": (name, 1), "@": "@"}
        edges += [
            (point[left], point[right], seconds * naive.STRICT - strict) for left, right, seconds, strict in constraints
        ]
    times = dict.fromkeys({point for edge in edges for point in edge[:2]}, 0)
    for _ in range(len(times) + 1):
        before = dict(times)
        for left, right, weight in edges:
            times[right] = min(times[right], times[left] + weight)
        if times == before:
            return True
    return False


def compare_lengths(seed, count):
    rng = Random(seed)
    met = Counter()
    for _ in range(count):
        links, values = random_lengths(rng, rng.choice((2, 3, 4, 5, 8, 12)))
        found = quick_verdict(*map(list, zip(*links, strict=True)), values)
        if found is not None:
            assert found is longest_paths(links, values), (links, values)
        met[found] += 1
    assert all(met[found] > count / 10 for found in (True, False)), met


def test_lengths_that_lead_back_and_forth():
    compare_lengths(5, 1200)


@pytest.mark.slow
def test_many_lengths_that_lead_back_and_forth():
    compare_lengths(6, 15_000)


def test_lengths_are_passed_on_from_one_to_the_next():
    """A chain whose last end is known, each at most two seconds long: as many rounds as lengths."""
    names = [f"x{place}" for place in range(30)]
    links = [(one, Relation("m"), other) for one, other in pairwise(names)]
    values = {name: (Constraint("start", "end", 2),) for name in names}
    values[names[-1]] += (Constraint("end", "@", -100),)
    for latest, expected in ((40, True), (39, False)):
        limited = {**values, "x0": (*values["x0"], Constraint("@", "start", latest))}
        assert quick_verdict(*map(list, zip(*links, strict=True)), limited) is expected
        assert longest_paths(links, limited) is expected


def test_a_cycle_of_lengths_that_no_date_bounds():
    day, week = (Constraint("start", "end", 1), Constraint("end", "start", -1)), (Constraint("end", "start", -7),)
    assert quick_verdict(["a"], [Relation("di")], ["b"], {"a": day, "b": week}) is False
    assert quick_verdict(["a"], [Relation("d")], ["b"], {"a": day, "b": week}) is True


def graph_of(document, times):
    sources, relations, targets = columns(document)
    return PlainGraph(
        document.id, document.path, len(document.entity_ids), sources, relations, targets, document.remarks,
        document.format, dict, lambda: pytest.fail("the graph is enough"), times,
    )  # fmt: skip


def test_a_check_of_a_graph_is_that_of_its_document():
    """Also what is said besides the verdict: what decided, remarks, and the number of values."""
    rng = Random(8)
    met = Counter()
    for _ in range(1500):
        record = random_document(rng, kinds=CONVEX)
        document = replace(read(record), path="random.tml")
        asked = CheckOptions(calendar=Calendar(rng.choice(list(Policy))), explain=False)
        times = PlainTimes({time.id: time for time in document.times}, document.reading)
        found = check_graph(graph_of(document, times), asked)
        met[found and found.decided_by] += 1
        if found is not None:
            assert found == check_document(document, asked), record
            assert found.decided_by == CalendarOracle(document, asked.calendar).decided_by
        assert check_graph(graph_of(document, None), asked) is None
        explained = check_graph(graph_of(document, times), replace(asked, explain=True))
        assert (explained is None) == (found is None or found.verdict.value == "inconsistent")
    assert all(met[decided_by] > 100 for decided_by in ("graph", "weights", None)), met
