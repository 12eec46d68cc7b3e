"""Certificates of every claim hold; after any change they are rejected, or say something that is still true."""

import json
from pathlib import Path
from random import Random

import pytest

from temporacle.checker import Rejected, verify
from temporacle.model import Link
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.relation import ATOMS, Relation
from temporacle.results import Verdict

ABOUT = {
    "id": "d1",
    "path": "d1.tsv",
    "sha256": "0" * 64,
    "format": "tsv",
    "reading": "links",
    "during": "simultaneous",
    "encoding": None,
}
CONSISTENT = [("a", "BEFORE", "b"), ("b", "INCLUDES", "c"), ("c", "b|m", "d"), ("a", "b|bi", "d")]
CONVEX_CONFLICT = [*CONSISTENT, ("d", "BEFORE", "a"), ("d", "SIMULTANEOUS", "e")]
TRAP = [("0", "s|f", "1"), ("0", "m|s", "2"), ("0", "m|s", "3"), ("1", "o", "2"), ("1", "o", "3"), ("2", "f|fi", "3")]
SAMPLES = {
    "consistent": (CONSISTENT, None),
    "inconsistent": (CONVEX_CONFLICT, None),
    "inconsistent by cases": (TRAP, None),
    "entailed": (CONSISTENT, ("a", "b", "c")),
    "refuted": (CONSISTENT, ("c", "b|m", "a")),
    "open": (CONSISTENT, ("b", "b", "d")),
    "entailed by cases": (TRAP[:-1], ("2", "s|si|=", "3")),
}


def sample(name):
    links, query = SAMPLES[name]
    return to_json(Oracle(links).certificate(query), ABOUT)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_hold(name):
    certificate = sample(name)
    assert certificate["claim"] == name.split()[0]
    assert verify(json.dumps(certificate)) == certificate


def still_true(certificate):
    """The claim, judged by the oracle from the links of the certificate alone."""
    links = [
        Link(link["id"], link["source"], Relation.of(*link["relation"]), link["target"])
        for link in certificate["links"]
    ]
    oracle = Oracle(Network(links, certificate.get("witness", ())))
    claim = certificate["claim"]
    if claim in ("consistent", "inconsistent"):
        return oracle.is_consistent() == (claim == "consistent")
    query = certificate["query"]
    if not oracle.is_consistent():
        return False
    verdict = oracle.entails(query["source"], Relation.of(*query["relation"]), query["target"])
    return verdict is Verdict(claim)


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def mutated(certificate, rng):
    """A copy with one place changed, removed, doubled, or exchanged with another."""
    copy = json.loads(json.dumps(certificate))
    path = rng.choice([path for path in places(copy) if path])
    parent, key = at(copy, path[:-1]), path[-1]
    old = parent[key]
    other = at(copy, rng.choice([path for path in places(copy) if path]))
    choice = rng.randrange(7)
    if choice == 0:
        del parent[key]
    elif choice == 1:
        parent[key] = json.loads(json.dumps(other))
    elif choice == 2 and isinstance(parent, list):
        parent.insert(key, json.loads(json.dumps(old)))
    elif choice == 3 and isinstance(parent, list):
        rng.shuffle(parent)
    elif choice == 4 and isinstance(old, int):
        parent[key] = old + rng.choice([-2, -1, 1, 2, 10**6])
    elif choice == 5 and isinstance(old, str):
        parent[key] = rng.choice([*ATOMS, "<", "<=", "a", "b.start", "a.end", "consistent", "inconsistent", "open"])
    else:
        parent[key] = rng.choice([None, True, 0, -1, 1, "x", [], {}, [0], ["b"], {"x": [0, 1]}, ATOMS[:3]])
    return copy


@pytest.mark.parametrize("name", SAMPLES)
def test_mutations(name):
    """1,000 changes over all claims. None may crash the checker, or make it accept what is false."""
    rng = Random(name)
    certificate = sample(name)
    outcomes = {"rejected": 0, "accepted": 0}
    for _ in range(1000 // len(SAMPLES) + 1):
        changed = mutated(certificate, rng)
        try:
            verify(json.dumps(changed))
        except Rejected:
            outcomes["rejected"] += 1
            continue
        outcomes["accepted"] += 1
        assert still_true(changed), changed
    assert outcomes["rejected"] > outcomes["accepted"]


def test_what_counts_is_rejected():
    """Changes that make a claim unfounded, one by one."""

    def rejected(name, change):
        certificate = sample(name)
        change(certificate)
        with pytest.raises(Rejected) as reason:
            verify(json.dumps(certificate))
        return str(reason.value)

    assert "does not hold" in rejected("consistent", lambda c: c["witness"].update(a=[100, 101]))
    assert "no times" in rejected("consistent", lambda c: c["witness"].pop("a"))
    assert "start before" in rejected("consistent", lambda c: c["witness"].update(a=[1, 1]))
    assert "labels mean" in rejected("consistent", lambda c: c["links"][0].update(relation=["b", "m"]))
    assert "labels mean" in rejected("consistent", lambda c: c["readings"].pop())
    assert "differ in length" in rejected("inconsistent", lambda c: c["needed"].pop())
    assert "not in the conflict" in rejected("inconsistent", lambda c: (c["conflict"].pop(), c["needed"].pop()))
    assert "needed for link" in rejected("inconsistent", lambda c: (c["conflict"].append(5), c["needed"].append({})))
    assert "not strict" in rejected("inconsistent", lambda c: c["proof"][0]["cycle"].clear())
    assert "is not continued" in rejected("inconsistent", lambda c: c["proof"][0]["cycle"].pop())
    assert "leaves out a case" in rejected("inconsistent by cases", lambda c: c["proof"][0]["cases"].pop())
    assert "not used" in rejected("inconsistent", lambda c: c["proof"].append(c["proof"][0]))
    assert "wrong step" in rejected("inconsistent by cases", lambda c: c["proof"][0]["cases"][0].__setitem__(1, 0))
    assert "not in the document" in rejected("open", lambda c: c["query"].update(source="zz"))
    assert "unknown claim" in rejected("open", lambda c: c.update(claim="certain"))
    assert "version" in rejected("open", lambda c: c.update(version=2))
    assert "version" in rejected("open", lambda c: c.update(version=True))
    assert "instead of" in rejected("open", lambda c: c.update(extra=1))


def test_weakened_steps_are_rejected():
    """Every edge of every proof, made strict where it was not, or put on another link."""
    for name in ("inconsistent by cases", "entailed by cases"):
        for step, edge in [
            (step, edge)
            for step, content in enumerate(sample(name)["proof"])
            for edge in range(len(content.get("cycle", ())))
        ]:
            certificate = sample(name)
            changed = certificate["proof"][step]["cycle"][edge]
            if changed[1] == "<=":
                changed[1] = "<"
            else:
                changed[3] = None if changed[3] is not None else 0
            with pytest.raises(Rejected, match=r"does not follow|is not based on a link"):
                verify(json.dumps(certificate))


def test_a_label_with_two_meanings():
    """Possible in Python, where a link's relation is given beside its label: both meanings are recorded."""
    links = [Link("1", "a", Relation.of("b"), "b", "X"), Link("2", "b", Relation.of("m"), "c", "X")]
    certificate = to_json(Oracle(links).certificate(), ABOUT)
    assert certificate["readings"] == [["X", ["b"]], ["X", ["m"]]]
    assert verify(json.dumps(certificate))


def test_inconsistent_documents_entail_nothing():
    assert Oracle([("a", "b", "b"), ("b", "b", "a")]).certificate(("a", "b", "b")).claim == "inconsistent"


def test_random_queries():
    rng = Random(77)
    seen = set()
    for _ in range(60):
        names = [f"e{k}" for k in range(5)]
        links = [(*rng.sample(names, 2), Relation(rng.randrange(1, 1 << 13))) for _ in range(rng.randint(2, 7))]
        oracle = Oracle([(source, relation, target) for source, target, relation in links])
        source, target = rng.sample(list(oracle.network.entities), 2)
        relation = Relation(rng.randrange(1 << 13))
        certificate = oracle.certificate((source, relation, target))
        form = to_json(certificate, ABOUT)
        assert verify(json.dumps(form))
        assert still_true(form)
        seen.add(certificate.claim)
    assert seen >= {"open", "entailed", "refuted"} or len(seen) >= 2


def test_the_worked_example_of_the_documentation():
    """Every step quoted on the page is a step of the real proof, at the place where it is said to be."""
    text = Path(__file__).parents[2].joinpath("docs", "what-certificates-prove.md").read_text("utf-8")
    quoted = [json.loads(line) for line in text.splitlines() if line.startswith(('    {"split"', '    {"cycle"'))]
    proof = sample("inconsistent by cases")["proof"]
    assert quoted == [proof[0], proof[1], proof[4]]
