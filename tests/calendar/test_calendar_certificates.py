"""Certificates with values: the checker accepts what the reference proves, and nothing that is false."""

import json
import shutil
import subprocess
import sys
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from calendar_documents import random_document, random_options, random_text
from certificate_maker import Maker, constraints, truth
from naive_calendar import ATOMS, POLICIES, is_consistent, is_dct, mod_of, point_edges, read_time, value_edges
from naive_values import Span

from temporacle.checker import Rejected, trusted, verify

calendar_rules = import_module("temporacle.checker.calendar")


def makers(seed, count, **shape):
    rng = Random(seed)
    for _ in range(count):
        document, options = random_document(rng, **shape), random_options(rng)
        yield rng, Maker(document, rng.choice(POLICIES), **options)


def accepted(certificate):
    return verify(json.dumps(certificate))


def asked(rng, maker):
    """A certificate about a random query, if the document is consistent and has two entities."""
    source, target = rng.sample(maker.calendar.entities, 2)
    return maker.answer(source, tuple(rng.sample(ATOMS, rng.randint(1, 8))), target)


@pytest.mark.parametrize("seed", [10, pytest.param(11, marks=pytest.mark.slow)])
def test_what_the_reference_proves_is_accepted(seed):
    claims = []
    for rng, maker in makers(seed, 1500 if seed == 11 else 150):
        certificate = maker.verdict()
        claims.append(accepted(certificate)["claim"])
        assert truth(certificate, trusted(certificate))
        if claims[-1] == "consistent":
            certificate = asked(rng, maker)
            claims.append(accepted(certificate)["claim"])
            assert truth(certificate, trusted(certificate))
    assert set(claims) == {"consistent", "inconsistent", "entailed", "refuted", "open"}


def numbers_in(value, path=()):
    """Where the whole numbers, truth values and texts of a certificate stand."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from numbers_in(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from numbers_in(each, (*path, place))
    else:
        yield path, value


def forged(rng, certificate):
    """The certificate with one or two things changed."""
    twin = deepcopy(certificate)
    for _ in range(rng.choice((1, 1, 1, 2))):
        kind = rng.random()
        if kind < 0.15:
            twin["calendar"]["policy"] = rng.choice(POLICIES)
        elif kind < 0.2:
            twin["calendar"]["zone"] = rng.choice((None, "+00:00", "+05:30", "-11:00"))
        elif kind < 0.3 and len(twin["values"]) > 1:
            one, other = rng.sample(twin["values"], 2)
            one["constraints"], other["constraints"] = other["constraints"], one["constraints"]
        elif kind < 0.4 and twin.get("proof"):
            cycles = [step["cycle"] for step in twin["proof"] if step.get("cycle")]
            if any(cycles):
                cycle = rng.choice(cycles)
                place = rng.randrange(len(cycle))
                cycle[place : place + 1] = rng.choice(([], [cycle[place]] * 2))
        else:
            places = [entry for entry in numbers_in(twin) if entry[0][0] not in ("format", "document", "version")]
            path, value = rng.choice(places)
            holder = twin
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = changed(rng, value, [other for _, other in places])
    return twin


def changed(rng, value, others):
    same = [other for other in others if type(other) is type(value) and other != value]
    if type(value) is bool:
        return not value
    if type(value) is int:
        return rng.choice([value + 1, value - 1, -value, value + 86_400, 10**16, value + 0.0, *same[:20]])
    return rng.choice(same) if same else value


@pytest.mark.parametrize("seed", [13, pytest.param(14, marks=pytest.mark.slow)])
def test_forgeries_are_rejected_or_true_all_the_same(seed):
    counts = {True: 0, False: 0}
    for rng, maker in makers(seed, 500 if seed == 14 else 60):
        certificates = [maker.verdict()]
        if certificates[0]["claim"] == "consistent":
            certificates.append(asked(rng, maker))
        for certificate in certificates:
            for _ in range(20):
                forgery = forged(rng, certificate)
                if forgery == certificate:
                    continue
                try:
                    accepted(forgery)
                except Rejected:
                    counts[False] += 1
                else:
                    counts[True] += 1
                    assert truth(forgery, trusted(forgery)), json.dumps(forgery)
    assert counts[False] > 5 * counts[True] > 0


SIMPLE = {
    "document": "d",
    "entities": [
        {"id": "t1", "kind": "time", "type": "DATE", "value": "1998-02-09"},
        {"id": "t2", "kind": "time", "type": "DATE", "value": "1998-02-06"},
    ],
    "links": [{"id": "l1", "source": "t1", "relation": "b", "target": "t2"}],
}


def simple(policy="within"):
    return Maker(SIMPLE, policy).verdict()


def test_the_simple_one_holds_under_every_policy():
    for policy in POLICIES:
        assert accepted(simple(policy))["claim"] == "inconsistent"
    assert trusted(simple()) == []


def touched(change):
    certificate = simple()
    change(certificate)
    return certificate


def cycle(certificate):
    return certificate["proof"][0]["cycle"]


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c["values"][0]["constraints"][0].__setitem__(2, c["values"][0]["constraints"][0][2] + 1),
        lambda c: c["values"][0].__setitem__("constraints", c["values"][1]["constraints"]),
        lambda c: c["values"][0]["constraints"].pop(),
        lambda c: c["values"][0]["constraints"].append(["t1.start", "@", 5, False]),
        lambda c: c["values"][0].__setitem__("value", "1998-02-08"),
        lambda c: c["values"][0].__setitem__("value", "1999-02-30"),
        lambda c: c["values"][0].__setitem__("value", "PRESENT_REF"),
        lambda c: c["values"][0].__setitem__("value", "9" * 1_000_000),
        lambda c: c["values"][0].__setitem__("value", "P" + "9" * 1_000_000 + "D"),
        lambda c: c["values"][0].__setitem__("mod", "APPROX"),
        lambda c: c["values"][0].__setitem__("mod", "BEFORE"),
        lambda c: c["values"][0].__setitem__("type", "SET"),
        lambda c: c["values"][0].__setitem__("fact", "t9"),
        lambda c: c["values"][0].__setitem__("fact", None),
        lambda c: c["values"].append(c["values"][0]),
        lambda c: c["calendar"].__setitem__("policy", "exact"),
        lambda c: c["calendar"].__setitem__("policy", "strict"),
        lambda c: c["calendar"].__setitem__("zone", "+99:00"),
        lambda c: c["calendar"].__setitem__("hemisphere", None),
        lambda c: c["calendar"].__setitem__("leap", True),
        lambda c: c.__setitem__("unit", 0),
        lambda c: c.__setitem__("unit", 1.0),
        lambda c: c.__setitem__("version", 1),
        lambda c: c.pop("unit"),
        lambda c: c.__setitem__("conflict", c["conflict"][:-1]),
        lambda c: c.__setitem__("conflict", [*c["conflict"], ["value", 7]]),
        lambda c: c.__setitem__("conflict", [*c["conflict"], ["link", 0]]),
        lambda c: cycle(c)[0].__setitem__(2, cycle(c)[0][2] - 1),
        lambda c: cycle(c)[0].__setitem__(2, float(cycle(c)[0][2])),
        lambda c: cycle(c)[0].__setitem__(2, -(10**16)),
        lambda c: cycle(c)[0].__setitem__(4, None),
        lambda c: cycle(c)[0].__setitem__(4, ["choice", 1]),
        lambda c: cycle(c).pop(),
        lambda c: cycle(c).reverse(),
    ],
)
def test_what_does_not_add_up_is_refused(change):
    with pytest.raises(Rejected):
        accepted(touched(change))


def test_a_circle_of_zero_needs_a_strict_edge():
    document = {
        "document": "d",
        "entities": [
            {"id": "t1", "kind": "time", "value": "1998-02-06"},
            {"id": "t2", "kind": "time", "value": "1998-02-07"},
        ],
        "links": [{"id": "l1", "source": "t1", "relation": "b", "target": "t2"}],
    }
    certificate = Maker(document, "exact").verdict()
    assert accepted(certificate)["claim"] == "inconsistent"
    assert sum(edge[2] for edge in cycle(certificate)) == 0
    for edge in cycle(certificate):
        edge[3] = False
    with pytest.raises(Rejected, match="possible"):
        accepted(certificate)


DATE = "1998-02-09"
MIDNIGHT = 886_982_400  # of that date


def about_a_date(claim, relation):
    """t1 = 1998-02-06 is before 1998-02-09, which is not an entity of the document."""
    document = {"document": "d", "entities": [{"id": "t1", "kind": "time", "value": "1998-02-06"}], "links": []}
    certificate = Maker(document, "within").common(claim)
    unit = certificate["unit"]
    whole = [[f"{DATE}.start", "@", -MIDNIGHT, False], ["@", f"{DATE}.end", MIDNIGHT + 86_400, False]]
    whole += [["@", f"{DATE}.start", MIDNIGHT, False], [f"{DATE}.end", "@", -MIDNIGHT - 86_400, False]]
    record = {
        "fact": None,
        "entity": DATE,
        "value": DATE,
        "type": None,
        "mod": None,
        "dct": False,
        "constraints": whole,
    }
    certificate["values"].append(record)
    edges = [["@", "t1.end", 886_809_600, False, ["value", 0]], ["t1.end", f"{DATE}.start", 0, False, "query"]]
    return certificate | {
        "query": {"source": "t1", "relation": relation, "target": DATE},
        "witness": {
            "t1": [886_723_200 * unit, 886_723_200 * unit + 1],
            DATE: [MIDNIGHT * unit, (MIDNIGHT + 86_400) * unit],
        },
        "conflict": [["value", 0], "query"],
        "proof": [{"cycle": [*edges, [f"{DATE}.start", "@", -MIDNIGHT, False, ["value", 1]]]}],
    }


def test_a_query_may_be_about_a_date():
    not_before = [atom for atom in ATOMS if atom != "b"]
    for claim, relation in (("entailed", ["b"]), ("refuted", not_before), ("refuted", ["m"])):
        certificate = about_a_date(claim, relation)
        assert accepted(certificate)["claim"] == claim
        assert truth(certificate, [])
        certificate["witness"][DATE][1] += 1
        with pytest.raises(Rejected):
            accepted(certificate)
    for claim, relation in (("entailed", ["m"]), ("refuted", ["b"]), ("refuted", ["b", "m"])):
        with pytest.raises(Rejected):
            accepted(about_a_date(claim, relation))


@pytest.mark.parametrize("seed", [20, pytest.param(21, marks=pytest.mark.slow)])
def test_the_checker_reads_values_as_the_reference_does(seed):
    """Where it has rules, it works out the same constraints; a value that says nothing never has any."""
    rng = Random(seed)
    worked_out = 0
    for _ in range(100_000 if seed == 21 else 6000):
        entity = {"id": "t1", "kind": rng.choice(("time", "time", "dct")), "value": random_text(rng)}
        entity["type"] = rng.choice((None, None, "DATE", "TIME", "DURATION", "SET"))
        entity["mod"] = rng.choice((None, None, "START", "APPROX", "BEFORE", "AFTER", "LESS_THAN", "MORE_THAN", "x"))
        policy, fact = rng.choice(POLICIES), rng.choice(("t1", "t1", "t1", "t1.beginPoint"))
        reading, _ = read_time(entity, "unknown")
        expected = value_edges("t1", reading, mod_of(entity), policy, is_dct=is_dct(entity))
        if fact != "t1":
            has_unit = isinstance(reading, Span) and mod_of(entity) in {"", "START"}
            expected = point_edges(("t1", 0), reading) if has_unit else []
        record = entity | {"entity": "t1", "fact": fact, "dct": is_dct(entity)}
        try:
            found = calendar_rules.constraints_of(record, policy)
        except Rejected:
            found = []
        if found is not None:
            assert sorted(map(list, found)) == sorted(constraints(expected)), record
            worked_out += bool(found)
    assert worked_out > 200


def test_common_patterns_are_worked_out():
    values = (
        "1998",
        "1998-02",
        "1998-02-06",
        "1998-W06",
        "1998-W06-5",
        "1998-W06-WE",
        "1998-Q1",
        "1998-H2",
        "199",
        "19",
    )
    values += ("1998-02-06T10", "1998-02-06T10:30", "1998-02-06T10:30:15", "1998-02-06T24:00", "1998-02-06T10:30:15.5")
    values += (
        "1998-02-06T10Z",
        "1998-02-06T10:30+02:00",
        "P1D",
        "P9M",
        "P1Y6M",
        "PT3H",
        "P1.5Y",
        "P1Q",
        "P1DE",
        "P1C",
        "P1L",
    )
    for value in values:
        record = {"value": value, "type": None, "mod": None, "entity": "t1", "fact": "t1", "dct": False}
        assert calendar_rules.constraints_of(record, "exact"), value


@pytest.mark.parametrize("query", [[], "x", None, 1, {}])
def test_a_query_that_is_not_one(query):
    with pytest.raises(Rejected):
        accepted(about_a_date("entailed", ["b"]) | {"query": query})


def test_numbers_with_many_digits_are_no_length():
    record = {"value": f"P1.{'0' * 5000}Y", "type": None, "mod": None, "entity": "t1", "fact": "t1", "dct": False}
    with pytest.raises(Rejected, match="constrains nothing"):
        calendar_rules.constraints_of(record, "exact")


def test_values_without_rules_are_named_as_trusted(tmp_path):
    document = deepcopy(SIMPLE)
    document["entities"][1]["value"] = "1997-SU"
    certificate = Maker(document, "within").verdict()
    assert trusted(accepted(certificate)) == ["t2"]
    path = tmp_path / "c.json"
    path.write_text(json.dumps(certificate))
    shutil.copytree(Path(calendar_rules.__file__).parent, tmp_path / "checker")
    command = [sys.executable, "-I", str(tmp_path / "checker"), str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, "trusting the values of t2" in ran.stdout) == (0, True), ran


def test_the_offset_of_utc_is_found_by_the_checker():
    document = {
        "document": "d",
        "entities": [
            {"id": "t1", "kind": "time", "value": "1998-02-06T10:00Z"},
            {"id": "t2", "kind": "time", "value": "1998-02-06T23:00"},
        ],
        "links": [{"id": "l1", "source": "t1", "relation": "=", "target": "t2"}],
    }
    certificate = Maker(document, "within").verdict()
    assert accepted(certificate)["claim"] == "consistent"
    assert is_consistent(Maker(document, "within", zone=13 * 3600).calendar)
    certificate["calendar"]["zone"] = "+12:00"
    with pytest.raises(Rejected, match="zone"):
        accepted(certificate)
    assert Maker(document, "within", zone=12 * 3600).verdict()["claim"] == "inconsistent"


def test_a_certificate_belongs_to_the_values_of_its_file(tmp_path):
    """The records must be those that are read from the file, under the recorded policy."""
    from temporacle.checker import digest
    from temporacle.tasks.verify import verify as verify_file

    document = deepcopy(SIMPLE)
    document["entities"][0]["beginPoint"] = "t2"
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(document))
    certificate = Maker(document, "within").verdict()
    certificate["document"] |= {"id": "d", "path": str(path), "sha256": digest(str(path)), "format": "jsonl"}
    certificate["links"][0]["line"] = 1

    def reason(forgery):
        (check,) = verify_file(forgery, document=path)
        return check.reason

    assert reason(certificate) is None
    other = Maker(
        {**document, "entities": [document["entities"][0] | {"value": "1998-02-08"}, document["entities"][1]]}, "within"
    )
    forgery = certificate | {key: other.verdict()[key] for key in ("values", "conflict", "needed", "proof")}
    assert "the value of 't1' is another one" in reason(forgery)
    forgery = deepcopy(certificate)
    assert forgery["values"].pop()["fact"] == "t2"
    assert reason(forgery) is not None
    (check,) = verify_file(certificate)
    assert (check.to_dict()["calendar"], check.to_dict()["trusted"]) == ("within", [])
    assert "calendar within" in check.sentence()
