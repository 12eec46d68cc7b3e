"""Certificates of optimal repairs: accepted, optimal by brute force, and no accepted forgery is false."""

import json
from copy import deepcopy
from fractions import Fraction
from itertools import chain, combinations
from random import Random

import pytest
from naive import KINDS, brute_force, random_network

import temporacle as tp
from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.cli import run
from temporacle.model import Link
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs import cheapest
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.results import Unrepairable

ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}
NAMES = "abcd"
WEIGHTS = (1, 1, 1, 2, 0.5, 0.1, 0, 3.75)


def certified(links, protect=()):
    found = Oracle(links).repair_certificate(protect=protect)
    return found if isinstance(found, Unrepairable) else to_json(found, ABOUT)


def weighted_links(rng, kind, density=1.0):
    triples = random_network(rng, NAMES, kind, density)
    return [Link(f"l{k}", *triple, str(triple[1]), weight=rng.choice(WEIGHTS)) for k, triple in enumerate(triples)]


def lightest(links, protected):
    """The naive twin: the least weight of a set of links without which the others have a model; None if none helps."""
    weights = [Fraction(str(link.weight)) for link in links]
    free = [number for number in range(len(links)) if number not in protected]
    subsets = chain.from_iterable(combinations(free, size) for size in range(len(free) + 1))
    possible = (
        sum(weights[number] for number in dropped)
        for dropped in sorted(subsets, key=lambda dropped: sum(weights[number] for number in dropped))
        if brute_force(
            [(link.source, link.relation, link.target) for n, link in enumerate(links) if n not in dropped], NAMES
        )
        is not None
    )
    return next(possible, None)


@pytest.mark.parametrize("kind", KINDS)
def test_against_all_sets_of_links(kind):
    rng = Random(f"repair {kind}")
    repaired = unrepairable = 0
    for number in range(40):
        links = weighted_links(rng, kind)
        protected = rng.sample(range(len(links)), rng.choice((0, 0, 2, 4)) if len(links) > 3 else 0)
        record = certified(links, [links[place].id for place in protected])
        truth = lightest(links, protected)
        if isinstance(record, Unrepairable):
            assert truth is None, number
            unrepairable += 1
            continue
        assert Fraction(verify(json.dumps(record))["weight"]) == truth, number
        assert record["protected"] == sorted(protected)
        assert record["version"] == 3
        repaired += bool(record["dropped"])
    assert repaired > 3
    assert unrepairable or kind != "atomic"


def is_true(record):
    """Whether the claim of a certificate is true, by brute force on its own links."""
    links = [
        Link(str(place), each["source"], tp.Relation("|".join(each["relation"]) or 0), each["target"], weight=1)
        for place, each in enumerate(record["links"])
    ]
    weights = [Fraction(weight) for weight in record["weights"]]
    stated = Fraction(record["weight"])
    names = sorted({end for link in links for end in (link.source, link.target)})
    free = [number for number in range(len(links)) if number not in record["protected"]]
    if set(record["dropped"]) & set(record["protected"]) or sum(weights[n] for n in record["dropped"]) != stated:
        return False
    for size in range(len(free) + 1):
        for dropped in combinations(free, size):
            kept = [(link.source, link.relation, link.target) for n, link in enumerate(links) if n not in dropped]
            lighter = sum(weights[number] for number in dropped) < stated
            if (lighter or sorted(dropped) == sorted(record["dropped"])) and (
                brute_force(kept, names) is not None
            ) == lighter:
                return False
    return True


def mutated(rng, record):
    """A certificate with one or two parts replaced by something of the same kind."""
    forged = deepcopy(record)
    for _ in range(rng.randint(1, 2)):
        waiting = [
            forged[name] for name in ("weights", "protected", "dropped", "witness", "conflicts", "parts", "links")
        ]
        holders = [(forged, "weight"), (forged, "dropped"), (forged, "protected")]
        for value in waiting:  # grows while it is read
            keys = range(len(value)) if isinstance(value, list) else list(value)
            for key in keys:
                holders.append((value, key))
                if isinstance(value[key], list | dict):
                    waiting.append(value[key])
        holder, key = rng.choice(holders)
        old = holder[key]
        if isinstance(old, bool) or old is None:
            continue
        if isinstance(old, int):
            holder[key] = old + rng.choice((-1, 1))
        elif isinstance(old, str):
            try:
                holder[key] = str(Fraction(old) + rng.choice((-1, 1, Fraction(1, 2))))
            except ValueError:
                holder[key] = rng.choice(("keep", "drop", "a", "b.end", "<", "<="))
        elif isinstance(old, list):
            if old and rng.random() < 0.7:
                del old[rng.randrange(len(old))]
            else:
                old.append(rng.randrange(4))
    return forged


@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_forgeries_are_rejected_or_true(count):
    rng = Random(f"forged repairs {count}")
    rejected = accepted = 0
    for _ in range(count):
        links = weighted_links(rng, rng.choice(KINDS), 0.8)
        record = certified(links[:6])
        for _ in range(25):
            forged = mutated(rng, record)
            try:
                verify(json.dumps(forged))
            except Rejected:
                rejected += 1
                continue
            if (
                len({each[end] for each in forged["links"] for end in ("source", "target")}) <= 4
            ):  # else too many models
                assert is_true(forged), json.dumps(forged)
                accepted += 1
    assert rejected > 10 * count
    assert accepted > count


RING = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a"), ("c", "BEFORE", "b")]


def test_a_bound_that_is_too_high_is_rejected():
    record = tp.Oracle(RING).repair_certificate().to_dict()
    assert (record["dropped"], record["weight"]) == ([1], "1")
    forged = deepcopy(record)
    forged["dropped"] = [0, 1]  # the witness still holds
    forged["weight"] = "2"
    with pytest.raises(Rejected, match="may weigh"):
        verify(json.dumps(forged))


def test_a_consistent_document_needs_no_repair():
    record = tp.Oracle([("a", "BEFORE", "b")]).repair_certificate().to_dict()
    assert (record["dropped"], record["weight"], record["parts"], record["conflicts"]) == ([], "0", [], [])
    assert tp.verify(record).valid is True


def test_protected_links_that_contradict_each_other():
    with pytest.raises(tp.ContradictionError):
        tp.Oracle(RING).repair_certificate(protect=["l1", "l2", "l3"])


def test_values_may_be_dropped(tmp_path):
    document = {
        "document": "d",
        "entities": [
            {"id": "t1", "kind": "time", "value": "1998-02-06"},
            {"id": "t2", "kind": "time", "value": "1998-02-09"},
        ],
        "links": [
            {"id": "l1", "source": "t2", "relation": "BEFORE", "target": "e"},
            {"id": "l2", "source": "e", "relation": "BEFORE", "target": "t1"},
            {"id": "l3", "source": "t2", "relation": "BEFORE", "target": "t1"},
        ],
    }
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps(document))
    oracle = tp.Oracle(path, calendar="within")
    record = oracle.repair_certificate(protect="links").to_dict()
    assert record["dropped"] in ([["value", 0]], [["value", 1]])
    assert tp.verify(record, document=path).valid is True
    assert oracle.repair().weight == 1
    free = oracle.repair_certificate().to_dict()
    assert free["weight"] == "1"
    assert tp.verify(free, document=path).valid is True
    forged = deepcopy(record)
    forged["dropped"] = []
    forged["weight"] = "0"
    assert tp.verify(forged).valid is False


def test_files_beside_the_certificates(tmp_path, capsys):
    gold = tmp_path / "gold"
    gold.mkdir()
    (gold / "ring.tsv").write_text("".join(f"{x}\t{label}\t{y}\n" for x, label, y in RING))
    (gold / "good.tsv").write_text("a\tBEFORE\tb\n")
    folder = tmp_path / "certificates"
    command = ["check", str(gold), "--repair", "--certificates", str(folder), "--output", "json"]
    assert run(command) == 1
    rows = {row["document"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert sorted(path.name for path in folder.iterdir()) == ["good.json", "ring.json", "ring.repair.json"]
    assert rows["ring"]["repair_certificate"] == str(folder / "ring.repair.json")
    assert "repair_certificate" not in rows["good"]
    assert run(["verify", str(folder), "--document", str(gold)]) == 0
    shown = capsys.readouterr().out
    assert "the repair of ring is optimal" in shown
    (gold / "ring.tsv").write_text("a\tBEFORE\tb\n")
    assert run(["verify", str(folder), "--document", str(gold)]) == 1


def test_weights_belong_to_the_file(tmp_path):
    path = tmp_path / "d.jsonl"
    links = [
        {"id": f"l{k}", "source": x, "relation": y, "target": z, "weight": 1 + k} for k, (x, y, z) in enumerate(RING)
    ]
    path.write_text(json.dumps({"document": "d", "links": links}))
    record = tp.Oracle(path).repair_certificate().to_dict()
    assert tp.verify(record, document=path).valid is True
    record["weights"] = ["1"] * 4
    record["weight"] = str(len(record["dropped"]))
    (check,) = tp.verify(record, document=path)
    assert check.valid is False


def test_time_that_runs_out_leaves_a_lower_bound(monkeypatch):
    """Two rings that share a link: the simple bound is 1, and the repair weighs 2 or more."""
    from temporacle.errors import BudgetExceeded
    from temporacle.reasoner.check import CheckOptions, check_document

    def late(*_arguments):
        raise BudgetExceeded("no time")

    monkeypatch.setattr(cheapest, "prove_bound", late)
    triangle = [("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("a", "AFTER", "b"), ("a", "MEETS", "b")]
    found = check_document(tp.Oracle(triangle).document, CheckOptions(repair=True, certificate=True))
    assert found.certificate is not None
    record = verify(json.dumps(to_json(found.repair_certificate, ABOUT)))
    assert (record["version"], record["weight"]) == (3, "2")  # it is reached all the same
    assert not found.remarks
    ring = [("a", "BEFORE", "b"), ("a", "MEETS", "b"), ("a", "OVERLAPS", "b"), ("a", "EQUAL", "b")]
    found = check_document(tp.Oracle(ring).document, CheckOptions(repair=True, certificate=True))
    record = verify(json.dumps(to_json(found.repair_certificate, ABOUT)))
    assert (record["version"], record["weight"], record["bound"]) == (4, "3", "2")
    assert [remark.code for remark in found.remarks] == ["repair-unproven"]
    assert "at least 2" in found.remarks[0].message
    assert is_true(record | {"weight": "2", "dropped": record["dropped"][:2]}) is False
    (check,) = tp.verify(record)
    assert "weighs 3, and every repair at least 2" in check.sentence()
    assert check.to_dict()["bound"] == "2"


def test_a_repair_that_turns_out_not_to_be_optimal_is_withdrawn(monkeypatch):
    """A solver that lies about hitting sets: neither its repair nor a certificate of it is given."""
    from temporacle.reasoner.check import CheckOptions, check_document
    from temporacle.reasoner.conflicts import repair as module

    honest = module.minimum_hitting_set
    monkeypatch.setattr(
        module,
        "minimum_hitting_set",
        lambda sets, *rest, **more: sorted({*honest(sets, *rest, **more), *map(max, sets)}),
    )
    links = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a"), ("a", "BEFORE", "c")]
    found = check_document(tp.Oracle(links).document, CheckOptions(repair=True, certificate=True))
    assert (found.repair, found.repair_certificate) == (None, None)
    assert [remark.code for remark in found.remarks] == ["repair-missing"]
    assert found.certificate is not None
