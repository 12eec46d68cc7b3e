"""Certificates of closures: what they say equals the truth by brute force, and nothing else is accepted."""

import json
from itertools import permutations
from random import Random

import pytest
from forging import forged
from naive import KINDS, atom_between, brute_force, network_of, random_network

from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Document
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network, PairTable
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs import certificate as certificates
from temporacle.reasoner.proofs import closure
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.reasoner.proofs.closure import ReasonBook, certify_closure, certify_table
from temporacle.relation import ATOMS, Relation

ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}
NAMES = ("a", "b", "c", "d")
# Without the last link of TRAP, what it says is impossible: that needs a proof by cases.
DISJUNCTIVE = [("a", "s|f", "b"), ("a", "m|s", "c"), ("a", "m|s", "d"), ("b", "o", "c"), ("b", "o", "d")]


def certificate_of(network):
    return to_json(certify_closure(Judged(network, Budget())), ABOUT)


def listed(certificate):
    """What a certificate says about every ordered pair of different entities."""
    found = dict.fromkeys(permutations(certificate["entities"], 2), Relation.of(*ATOMS))
    for part in certificate["parts"]:
        for source, atoms, target, *_ in part["pairs"]:
            found[source, target] = Relation.of(*atoms)
            found[target, source] = found[source, target].converse()
    return found


def truth_of(certificate):
    """The truth about the certificate's own links; None if they contradict each other."""
    links = [(each["source"], Relation.of(*each["relation"]), each["target"]) for each in certificate["links"]]
    return brute_force(links, certificate["entities"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.slow)])
def test_what_is_accepted_equals_brute_force(kind, count):
    rng = Random(f"closure {kind} {count}")
    claims = {"closure": 0, "inconsistent": 0}
    derived = 0
    for _ in range(count):
        names = NAMES[: rng.randint(1, 4)]
        triples = random_network(rng, names, kind, rng.choice((0.4, 0.7, 1.0)))
        if rng.random() < 0.1:
            triples.append((names[0], Relation.of("=", "b"), names[0]))
        certificate = certificate_of(network_of(triples, names))
        assert verify(json.dumps(certificate)) == certificate
        claims[certificate["claim"]] += 1
        truth = brute_force(triples, names)
        if certificate["claim"] == "inconsistent":
            assert truth is None
        else:
            assert listed(certificate) == truth, triples
            derived += len(certificate["derived"])
    assert all(claims.values())
    assert kind in {"atomic", "convex"} or derived


def test_proofs_by_clauses_serve_as_well(monkeypatch):
    monkeypatch.setattr(certificates, "_FEW_BRANCHINGS", 0)
    monkeypatch.setattr("temporacle.reasoner.conflicts.conflicts._MANY_DISJUNCTIONS", 0)
    rng = Random("clauses")
    forms = set()
    for _ in range(60):
        triples = random_network(rng, NAMES, "arbitrary", 1.0)
        certificate = certificate_of(network_of(triples, NAMES))
        if certificate["claim"] == "closure":
            assert listed(verify(json.dumps(certificate))) == brute_force(triples, NAMES)
            forms |= {type(entry[4]) for entry in certificate["derived"]}
    assert dict in forms


def test_longer_chains_share_their_paths():
    """Sixty entities one after the other: 1770 pairs, and hardly more paths than points."""
    network = Network.of([(f"e{i}", "BEFORE", f"e{i + 1}") for i in range(59)])
    certificate = verify(json.dumps(certificate_of(network)))
    (part,) = certificate["parts"]
    assert {tuple(relation) for _, relation, *_ in part["pairs"]} == {("b",)}
    assert len(part["models"]) == 1
    assert len(certificate["paths"]) <= 2 * len(part["pairs"])


def test_entities_without_links_are_parts_of_their_own():
    document = Document("d", [("a", "BEFORE", "b")], entity_ids=("x", "y"))
    certificate = certificate_of(Network.of(document))
    assert [part["entities"] for part in certificate["parts"]] == [["a", "b"], ["x"], ["y"]]
    assert len(listed(verify(json.dumps(certificate)))) == 12
    nothing = certificate_of(Network(()))
    assert verify(json.dumps(nothing))["parts"] == []


# --- what a certificate refers to -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_small_networks_by_brute_force(seed):
    rng = Random(f"small closures {seed}")
    for _ in range(5):
        triples = random_network(rng, NAMES[:3], "arbitrary", 1.0)
        truth = brute_force(triples, NAMES[:3])
        certificate = verify(json.dumps(certificate_of(network_of(triples, NAMES[:3]))))
        assert (certificate["claim"] == "inconsistent") is (truth is None)
        assert truth is None or listed(certificate) == truth


def reasons_of(certificate):
    return {(pair[0], pair[2]): pair[3] for part in certificate["parts"] for pair in part["pairs"]}


@pytest.mark.parametrize("link", [("a", "b|bi", "b"), ("b", "b|bi", "a"), ("a", "b|m|o|oi", "b")])
def test_a_disjunctive_link_is_a_reason_by_itself(link):
    """It is named once, however often it or something weaker is said, and nothing is derived."""
    weaker = [(link[0], "b|m|o|d|oi|bi", link[2]), (link[0], "=|b|m|o|oi|bi", link[2])]
    for statements in ([link], [link, *weaker], [("x", "=|b", "x"), link], [("x", "b", "a"), link]):
        network = Network.of(statements)
        certificate = certificate_of(network)
        verify(json.dumps(certificate))
        assert certificate["derived"] == []
        reasons = next(each for pair, each in reasons_of(certificate).items() if set(pair) == {"a", "b"})
        assert [reason for reason in reasons if reason < 0] == [-1 - statements.index(link)]


def test_convex_links_need_paths_only():
    certificate = certificate_of(Network.of([("a", "b|m", "b"), ("b", "b|m|o", "c"), ("a", "=", "a")]))
    assert certificate["derived"] == []
    assert all(reason >= 0 for reasons in reasons_of(certificate).values() for reason in reasons)


def test_two_links_exclude_together_what_neither_does_alone():
    certificate = certificate_of(Network.of([("a", "b|d|bi", "b"), ("b", "b|o|bi", "a")]))
    verify(json.dumps(certificate))
    assert certificate["derived"] == []
    assert reasons_of(certificate) == {("a", "b"): [-1, -2]}


def test_what_is_derived_takes_the_place_of_the_link():
    """By cases, a is after b. From then on this is a fact, and link 0 is not used any more."""
    certificate = certificate_of(Network.of([("a", "d|bi", "b"), ("a", "s|f", "c"), ("b", "m|s", "c")]))
    verify(json.dumps(certificate))
    assert [(entry[:3], entry[3]) for entry in certificate["derived"]] == [
        (["a", ["bi"], "b"], [0, 1, 2, "query"]),
        (["a", ["f"], "c"], [1, 2, 3, "query"]),
    ]
    assert {3, 4} <= {edge[3] for edge in certificate["edges"]}
    assert all(reason >= 0 or reason == -3 for reasons in reasons_of(certificate).values() for reason in reasons)


def test_a_derived_relation_is_part_of_paths():
    """Only the link from a to b is narrowed by the others, whichever of them comes first."""
    links = [("a", "b|d", "b"), ("a", "m|mi", "c"), ("b", "b|bi", "c")]
    for order in permutations(range(3)):
        certificate = certificate_of(Network.of([links[number] for number in order]))
        verify(json.dumps(certificate))
        ((source, atoms, target, conflict, _),) = certificate["derived"]
        assert {(source, *atoms, target)} <= {("a", "b", "b"), ("b", "bi", "a")}
        assert conflict == [0, 1, 2, "query"]
        assert ["a.end", "<", "b.start", 3] in certificate["edges"]


def test_a_pair_without_a_link_is_derived_last():
    certificate = certificate_of(Network.of([("a", "b|bi", "b"), ("b", "=", "c")]))
    verify(json.dumps(certificate))
    ((_, atoms, _, conflict, _),) = certificate["derived"]
    assert atoms == ["b", "bi"]
    assert conflict == [0, 1, "query"]
    assert reasons_of(certificate)["a", "c"] == [-3]


# --- forgeries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["convex", "arbitrary"])
@pytest.mark.parametrize("count", [400, pytest.param(3000, marks=pytest.mark.slow)])
def test_changed_certificates_are_rejected_or_still_true(kind, count):
    rng = Random(f"forged closures {kind}")
    genuine = []
    while len(genuine) < 6:
        certificate = certificate_of(network_of(random_network(rng, NAMES, kind, 0.8), NAMES))
        if certificate["claim"] == "closure":
            genuine.append(certificate)
    accepted = 0
    for _ in range(count):
        texts = (*NAMES, "a.start", "b.end", "c.start", "query")
        changed = forged(rng.choice(genuine), rng, texts)
        try:
            found = verify(json.dumps(changed))
        except Rejected:
            continue
        accepted += 1
        if found["claim"] == "closure":
            assert listed(found) == truth_of(found), changed
    assert accepted


def put(*path, value):
    """A change of one place."""

    def change(certificate):
        *way, last = path
        for key in way:
            certificate = certificate[key]
        certificate[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: c["parts"][0]["pairs"].pop(), "does not list all pairs"),
        (lambda c: c["parts"][0]["pairs"].reverse(), "not the next pair"),
        (lambda c: c["parts"].append({"entities": [], "models": [[]], "pairs": []}), None),
        (lambda c: c["parts"].append({"entities": ["a"], "models": [[0, 1]], "pairs": []}), "each once"),
        (lambda c: c["parts"].append({"entities": ["z"], "models": [[0, 1]], "pairs": []}), "not all entities"),
        (lambda c: c["entities"].append("z"), "not all entities"),
        (lambda c: c["entities"].append("a"), "twice"),
        (put("entities", 0, value=7), "not texts"),
        (put("parts", 0, "models", value=[]), "a pair: not one model"),
        (put("parts", 0, "models", 0, 0, value=0.5), "a bad model"),
        (put("parts", 0, "models", 0, 0, value=10**19), "a bad model"),
        (put("parts", 0, "models", 0, 1, value=-5), "not after its start"),
        (put("parts", 0, "models", 0, value=[0, 1] * 4), "breaks a link"),
        (put("parts", 0, "pairs", 0, 4, 0, value=99), "not one model"),
        (put("parts", 0, "pairs", 0, 4, value=[]), "not one model"),
        (put("parts", 0, "pairs", 0, 3, value=[]), "not excluded"),
        (put("parts", 0, "pairs", 0, 3, value=[10**6]), "bad reason"),
        (put("parts", 0, "pairs", 0, 3, value=[-(10**6)]), "bad reason"),
        (put("parts", 0, "pairs", 0, 1, value=["m", "b"]), "atoms in their order"),
        (put("derived", 0, 3, value=[]), "not in the conflict"),
        (put("derived", 0, 3, value=[99]), "bad conflict"),
        (put("derived", 0, 4, value=[]), "empty"),
        (put("derived", 0, 1, value=[]), "derived 0|does not"),
        (put("edges", 0, 1, value=">"), "bad edge"),
        (put("edges", 0, 3, value=99), "bad edge"),
        (put("edges", 0, 3, value=None), "not based on a link|does not begin"),
        (put("paths", 0, 0, value=0), "bad path"),
        (put("paths", 0, 1, value=99), "bad path"),
        (put("version", value=2), "does not exist in version 2"),
        (put("calendar", value=None), "has .* instead of|not an object"),
    ],
)
def test_forgeries_are_rejected(change, reason):
    certificate = certificate_of(Network.of(DISJUNCTIVE))
    change(certificate)
    if reason is None:
        assert verify(json.dumps(certificate))
        return
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(certificate))


def test_a_link_between_two_parts_is_noticed():
    certificate = certificate_of(Network.of([("a", "b", "b"), ("c", "b", "d")]))
    more = certificate["links"][0] | {"source": "a", "target": "c"}
    certificate["links"].append(more)
    with pytest.raises(Rejected, match="link 2 connects two parts"):
        verify(json.dumps(certificate))
    more["target"] = "z"
    with pytest.raises(Rejected, match="an entity that is not listed"):
        verify(json.dumps(certificate))


# --- tables that are not the closure ---------------------------------------------------------------------------------


@pytest.mark.parametrize("statements", [DISJUNCTIVE, [("a", "b|m", "b"), ("b", "b|m", "c")]])
def test_a_wrong_table_gets_no_certificate(statements):
    network = Network.of(statements)
    exact = Oracle(network).minimal_network()
    rng = Random(0)
    for _ in range(40):
        rows = [[int(mask) for mask in row] for row in exact.rows]
        i, j = sorted(rng.sample(range(len(rows)), 2))
        rows[i][j] ^= 1 << rng.randrange(len(ATOMS))
        rows[j][i] = int(Relation(rows[i][j]).converse())
        with pytest.raises((InternalError, Rejected)):
            verify(json.dumps(to_json(certify_table(network, PairTable(exact.entities, rows), Budget()), ABOUT)))


def test_budget_and_size_are_limits(monkeypatch):
    network = Network.of(DISJUNCTIVE)
    table = Oracle(network).minimal_network()
    with pytest.raises(BudgetExceeded):
        certify_table(network, table, Budget(-1))
    monkeypatch.setattr(closure, "_MOST_PAIRS", 5)
    with pytest.raises(BudgetExceeded, match="6 pairs"):
        certify_table(network, table, Budget())


# --- ranks -----------------------------------------------------------------------------------------------------------


def test_paths_use_links_of_the_lowest_rank():
    """That a is before c follows from links 0 and 1; the direct link 2 comes later."""
    network = Network.of([("a", "b", "b"), ("b", "b", "c"), ("a", "b", "c")])
    grounds = ReasonBook(network, Budget(), usable=[0, 1, 2])
    reasons = grounds.paths_for(0, 1, 2, before=2)
    grounds.settle()
    record = grounds.to_json()
    assert grounds.numbered(reasons) == [len(record["paths"]) - 1]
    assert {edge[3] for edge in record["edges"]} == {0, 1, None}
    late = ReasonBook(network, Budget(), usable=[0, 2])
    late.paths_for(0, 1, 2, before=2)
    with pytest.raises(InternalError, match="no path"):
        late.settle()


def test_atoms_by_arrays_equal_their_definition():
    from temporacle.reasoner.proofs.closure import _atoms_in

    rng = Random("arrays")
    for _ in range(50):
        intervals = [sorted(rng.sample(range(8), 2)) for _ in range(6)]
        found = _atoms_in([time for interval in intervals for time in interval])
        assert [[Relation(mask).atoms for mask in row] for row in found] == [
            [(atom_between(x, y),) for y in intervals] for x in intervals
        ]
