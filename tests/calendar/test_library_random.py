"""The library against the reference on random documents: verdicts, conflicts, relations, bounds, dates, repairs."""

import json
from itertools import combinations
from random import Random

import naive_calendar as naive
import pytest
from calendar_documents import CLOSE_DATES, HULLS, random_document, random_options, random_relation
from library import options_of, oracle_of, read

import temporacle as tp
from temporacle.checker import verify

SHAPES = [
    {"kinds": ("atom", "convex")},
    {"kinds": ("pointisable", "atom")},
    {"kinds": ("any", "atom")},
    {"entities": 3, "kinds": ("any",)},
]


def samples(seed, quick, slow):
    """Seeds of quick and slow shares of a comparison, each with its number of documents."""
    return pytest.mark.parametrize(
        ("seed", "count"), [(seed, quick), pytest.param(seed + 1, slow, marks=pytest.mark.slow)]
    )


def documents(seed, count):
    rng = Random(seed)
    for number in range(count):
        record, options = random_document(rng, **SHAPES[number % len(SHAPES)]), random_options(rng)
        yield rng, record, options, rng.choice(naive.POLICIES)


@samples(40, 200, 3000)
def test_verdicts_and_conflicts(seed, count):
    met = {True: 0, False: 0}
    for _, record, options, policy in documents(seed, count):
        reference = naive.calendar_of(record, policy, **options)
        consistent = naive.is_consistent(reference)
        met[consistent] += 1
        answer = oracle_of(record, policy, **options).consistency()
        assert isinstance(answer, tp.Consistent if consistent else tp.Inconsistent), (record, policy, options)
        check = tp.check(read(record), calendar=policy, explain=False, **options_of(**options))[0]
        assert check.verdict == ("consistent" if consistent else "inconsistent"), (record, policy, options)
        if not consistent:
            conflict = [fact.id for fact in answer.conflict]
            assert not naive.is_consistent(reference, conflict), (record, policy, options)
            for dropped in conflict:
                rest = [name for name in conflict if name != dropped]
                assert naive.is_consistent(reference, rest), (record, policy, options, "not minimal")
    assert min(met.values()) > count / 10


@samples(42, 60, 700)
def test_conflicts_of_small_documents_are_smallest(seed, count):
    for _, record, options, policy in documents(seed, count):
        reference = naive.calendar_of(record, policy, **options)
        smallest = naive.smallest_conflicts(reference)
        if smallest:
            conflict = oracle_of(record, policy, **options).consistency().conflict
            assert frozenset(fact.id for fact in conflict) in smallest, (record, policy, options)


@samples(44, 60, 700)
def test_strongest_relations_and_closures(seed, count):
    for _, record, options, policy in documents(seed, count):
        reference = naive.calendar_of(record, policy, **options)
        if not naive.is_consistent(reference):
            continue
        oracle = oracle_of(record, policy, **options)
        expected = {pair: naive.strongest(reference, *pair) for pair in combinations(reference.entities, 2)}
        assert {pair: list(oracle.strongest(*pair).atoms) for pair in expected} == expected, (record, policy, options)
        (closure,) = tp.closure(read(record), calendar=policy, **options_of(**options))
        for row in closure.to_dict():
            pair = row["source"], row["target"]
            if pair in expected:
                assert row["relation"] == expected[pair]


@samples(46, 100, 1500)
def test_bounds(seed, count):
    compared = 0
    for _, record, options, policy in documents(seed, count):
        reference = naive.calendar_of(record, policy, **options)
        if naive.is_consistent(reference):
            oracle = oracle_of(record, policy, **options)
            for entity in reference.entities:
                expected = naive.bounds(reference, entity)
                found = oracle.bounds(entity)
                for end, limits in (("start", found.start), ("end", found.end)):
                    for which, limit in (("earliest", limits.earliest), ("latest", limits.latest)):
                        wanted = expected[end][which]
                        assert (limit and tuple(limit)) == (wanted and tuple(wanted)), (record, policy, options, entity)
                        compared += limit is not None
                assert found.clock == {"@": "local", "@Z": "UTC"}[reference.origin]
    assert compared > count


@samples(48, 80, 800)
def test_questions_about_dates(seed, count):
    """A date is an interval of its own, whole under every policy."""
    for rng, record, options, policy in documents(seed, count):
        value = rng.choice((*CLOSE_DATES, *HULLS))
        atoms = random_relation(rng, rng.choice(("atom", "convex", "any"))).split("|")
        name = rng.choice([entity["id"] for entity in record["entities"]])
        reference = naive.calendar_of(record, policy, **options)
        if not naive.is_consistent(reference):
            continue
        dated = naive.calendar_of(record, policy, **options, dates=(value,))
        others = [atom for atom in naive.ATOMS if atom not in atoms]
        possible = [
            bool(each) and naive.is_consistent(dated, extra=(naive.link_fact("?", name, tuple(each), value),))
            for each in (atoms, others)
        ]
        expected = {(True, True): "open", (True, False): "entailed", (False, True): "refuted"}[tuple(possible)]
        oracle = oracle_of(record, policy, **options)
        assert oracle.entails(name, "|".join(atoms), tp.date(value)).value == expected, (record, policy, options)


@samples(50, 60, 500)
def test_repairs_are_lightest(seed, count):
    for rng, record, options, policy in documents(seed, count):
        reference = naive.calendar_of(record, policy, **options)
        if naive.is_consistent(reference):
            continue
        protected = rng.choice(("", "values", "links"))
        kept = {"": (), "values": reference.values, "links": reference.links}[protected]
        candidates = [name for name in reference.facts if name not in kept]
        expected = fewest_drops(reference, candidates)
        check = tp.check(
            read(record),
            repair=True,
            calendar=policy,
            protect=[protected] if protected else (),
            **options_of(**options),
        )[0]
        if expected is None:
            assert type(check.repair).__name__ == "Unrepairable"
        else:
            dropped = [fact.id for fact in check.repair.dropped]
            assert len(dropped) == expected, (record, policy, options, protected)
            assert set(dropped) <= set(candidates)
            assert naive.is_consistent(reference, [name for name in reference.facts if name not in dropped])


def fewest_drops(reference, candidates):
    for size in range(len(candidates) + 1):
        for dropped in combinations(candidates, size):
            if naive.is_consistent(reference, [name for name in reference.facts if name not in dropped]):
                return size
    return None


@samples(52, 120, 1200)
def test_certificates_hold(seed, count):
    for rng, record, options, policy in documents(seed, count):
        oracle = oracle_of(record, policy, **options)
        consistent = naive.is_consistent(naive.calendar_of(record, policy, **options))
        certificate = verify(json.dumps(oracle.certificate().to_dict()))
        assert certificate["claim"] == ("consistent" if consistent else "inconsistent"), (record, policy, options)
        if consistent and len(record["entities"]) > 1:
            source, target = rng.sample([entity["id"] for entity in record["entities"]], 2)
            query = (source, random_relation(rng, "any"), target)
            certificate = verify(json.dumps(oracle.certificate(query).to_dict()))
            assert certificate["claim"] == oracle.entails(*query).value


def test_remarks_of_check_are_those_of_the_reference():
    for _, record, options, policy in documents(54, 150):
        check = tp.check(read(record), calendar=policy, **options_of(**options))[0]
        found = sorted((r.element, r.code) for r in check.remarks if r.code.startswith(("value-", "mod-")))
        assert found == sorted(naive.calendar_of(record, policy, **options).remarks.items())


def test_a_document_without_values_is_answered_as_without_a_calendar():
    rng = Random(55)
    for _ in range(150):
        record = random_document(rng)
        for entity in record["entities"]:
            for name in ("value", "beginPoint", "endPoint"):
                entity.pop(name, None)
        document = read(record)
        plain, dated = tp.check(document)[0], tp.check(document, calendar=True)[0]
        assert plain.verdict == dated.verdict
