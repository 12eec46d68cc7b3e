"""Clausal proofs: made for hard refutations, accepted by the checker, and only as long as they prove something."""

import json
from itertools import combinations, product
from random import Random

import pytest
from naive import TRAP, all_scenarios, brute_force, hard_network, network_of, random_network

from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.checker.refutations import always_holds, holds_by_link
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.disjunctions import cores
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.reasoner.disjunctions.search import TIGHT
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network, TooLarge
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs import certificate as certificates
from temporacle.reasoner.proofs.certificate import certify, certify_entailment, to_json
from temporacle.reasoner.proofs.clausal import refute_by_clauses
from temporacle.relation import ATOMS, Relation
from temporacle.results import Certificate, ClausalProof

ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}


def refuted_networks(seed, count, size=14):
    rng = Random(seed)
    while count:
        network = hard_network(rng, size, 9.5)
        if not Oracle(network).is_consistent():
            count -= 1
            yield network


@pytest.fixture(scope="module")
def hinted():
    """The JSON of a certificate with a clausal proof, version 3."""
    for network in refuted_networks("certificate", 50):
        found = certify(Judged(network, Budget()))
        if isinstance(found.proof, ClausalProof):
            return json.dumps(to_json(found, ABOUT))
    raise AssertionError("no network needs clauses")


@pytest.fixture(scope="module")
def certificate(hinted):
    """The same without hints, version 2."""
    form = json.loads(hinted)
    form["version"] = 2
    del form["proof"]["hints"]
    return json.dumps(form)


@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_every_refutation_has_a_proof_that_is_accepted(monkeypatch, count):
    kinds = set()
    for number, network in enumerate(refuted_networks(f"proofs {count}", count)):
        monkeypatch.setattr(certificates, "_FEW_BRANCHINGS", number % 3 * 16)
        found = certify(Judged(network, Budget()))
        kinds.add(type(found.proof))
        accepted = verify(json.dumps(to_json(found, ABOUT)))
        assert accepted["version"] == (3 if isinstance(found.proof, ClausalProof) else 1)
        assert accepted["conflict"] == list(found.conflict)
    assert kinds == {tuple, ClausalProof}


def test_entailment_has_clausal_proofs_too(monkeypatch):
    monkeypatch.setattr(certificates, "_FEW_BRANCHINGS", 0)
    rng = Random("entailment")
    claims = {"entailed": 0, "refuted": 0, "open": 0}
    clausal = 0
    while not clausal or not all(claims.values()):
        network = hard_network(rng, 12, 8)
        oracle = Oracle(network)
        if not oracle.is_consistent():
            continue
        for source, target in list(combinations(network.entities, 2))[:12]:
            mask = oracle.strongest(source, target)
            for relation in (mask, ~mask, Relation(mask & -mask)):
                if relation and not relation.is_universal:
                    found = certify_entailment(Judged(network, Budget()), source, relation, target)
                    claims[found.claim] += 1
                    clausal += isinstance(found.proof, ClausalProof)
                    verify(json.dumps(to_json(found, ABOUT)))


def test_consistent_links_have_no_proof():
    assert refute_by_clauses(Network.of(TRAP[:-1]), Budget()) is None
    assert refute_by_clauses(Network([]), Budget()) is None
    with pytest.raises(BudgetExceeded):
        refute_by_clauses(Network.of(TRAP), Budget(-1))


def test_a_small_proof_in_full():
    proof = refute_by_clauses(Network.of(TRAP), Budget())
    assert proof.lemmas[-1] == ()
    assert {link for _, link in proof.clauses} == {None, *range(6)}
    used = {abs(literal) for clause, _ in proof.clauses for literal in clause}
    assert used == set(range(1, len(proof.variables) + 1))


def test_clauses_that_contradict_each_other_at_once():
    """The solver then writes no proof of its own: the empty lemma is all there is to say."""
    network = Network.of([("a", "b|m", "b"), ("b", "b|m", "a")])
    proof = refute_by_clauses(network, Budget())
    assert proof.lemmas[-1] == ()
    certificate = Certificate("inconsistent", network.links, conflict=(0, 1), proof=proof)
    assert verify(json.dumps(to_json(certificate, ABOUT)))["version"] == 3


def accepted(network, proof):
    used = sorted({link for _, link in proof.clauses if link is not None})
    certificate = Certificate("inconsistent", network.links, conflict=tuple(used), proof=proof)
    return verify(json.dumps(to_json(certificate, ABOUT)))["conflict"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("tight", [TIGHT, 0])
def test_small_networks_by_brute_force(monkeypatch, seed, tight):
    """Also if no rule of three entities is written down before it is broken."""
    monkeypatch.setattr(cores, "TIGHT", tight)
    rng = Random(f"small proofs {seed}")
    for _ in range(4):
        triples = random_network(rng, "abc", "arbitrary", 1.0)
        if rng.random() < 0.5:
            triples.insert(0, ("b", Relation.of("=", "b"), "b"))
        network = network_of(triples, "abc")
        proof = refute_by_clauses(network, Budget())
        assert (proof is None) is (brute_force(triples, "abc") is not None)
        if proof is not None:
            blamed = accepted(network, proof)
            assert brute_force([triples[number] for number in blamed], "abc") is None


def test_each_clause_of_a_proof_is_given_once_and_a_rule_for_all_intervals_names_no_link():
    proof = refute_by_clauses(Network.of([*TRAP, *TRAP]), Budget())
    assert len(set(proof.clauses)) == len(proof.clauses)
    universal = {clause for clause, link in proof.clauses if link is None}
    assert not universal & {clause for clause, link in proof.clauses if link is not None}


def test_limits_of_a_proof(monkeypatch):
    network = Network.of(TRAP)
    monkeypatch.setattr(cores, "MOST_TRIANGLES", 4)
    assert refute_by_clauses(network, Budget()) is not None
    monkeypatch.setattr(cores, "MOST_TRIANGLES", 3)
    with pytest.raises(TooLarge, match="4 triangles of entities are too many"):
        refute_by_clauses(network, Budget())


def test_the_solver_is_given_back(monkeypatch):
    closed = []
    monkeypatch.setattr(Cdcl, "close", lambda self, close=Cdcl.close: closed.append(close(self)))
    refute_by_clauses(Network.of(TRAP), Budget())
    refute_by_clauses(Network.of(TRAP[:-1]), Budget())
    assert len(closed) == 2


# --- what the checker believes ------------------------------------------------------------------------------------


def test_clauses_that_always_hold():
    """Against all arrangements of three intervals."""
    scenarios = [dict(zip("abc", scenario, strict=True)) for scenario in all_scenarios(3)]
    points = [(name, end) for name in "abc" for end in ("start", "end")]
    rng = Random("always")
    answers = set()
    for _ in range(400):
        literals = [(*rng.sample(points, 2), rng.random() < 0.6) for _ in range(rng.randint(1, 4))]

        def true(scenario, x, y, positive):
            times = [scenario[name][end == "end"] for name, end in (x, y)]
            return (times[0] <= times[1]) == positive

        truth = all(any(true(scenario, *literal) for literal in literals) for scenario in scenarios)
        assert always_holds(literals) == truth
        answers.add(truth)
    assert answers == {True, False}


def test_every_link_of_the_conflict_is_needed(certificate):
    """With one of them saying nothing the rest has a model: no proof may pass."""
    for number in json.loads(certificate)["conflict"]:
        forged = json.loads(certificate)
        forged["links"][number] |= {"relation": list(ATOMS), "label": "anything"}
        forged["readings"] = [
            [label, list(atoms)]
            for label, atoms in sorted({(link["label"], tuple(link["relation"])) for link in forged["links"]})
        ]
        with pytest.raises(Rejected, match="does not follow"):
            verify(json.dumps(forged))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda proof: proof["lemmas"].clear(), "do not lead to a contradiction"),
        (lambda proof: proof["lemmas"].insert(0, []), "lemma 0 does not follow"),
        (lambda proof: proof["clauses"].insert(0, [[], None]), "clause 0 does not always hold"),
        (lambda proof: proof["clauses"].insert(0, [[1], None]), "clause 0 does not always hold"),
        (lambda proof: proof["clauses"].insert(0, [[], 0]), "in the conflict|does not follow from its link"),
        (lambda proof: proof["clauses"].insert(0, [[1], 100000]), "not in the conflict"),
        (lambda proof: proof["clauses"].insert(0, [[1], "query"]), "not in the conflict"),
        (lambda proof: proof["clauses"].insert(0, [[1], True]), "bad clause"),
        (lambda proof: proof["clauses"].insert(0, [[0], None]), "bad clause"),
        (lambda proof: proof["clauses"].insert(0, [[1.0], None]), "bad clause"),
        (lambda proof: proof["clauses"].insert(0, [[10**9], None]), "bad clause"),
        (lambda proof: proof["clauses"].insert(0, [1]), "bad clause"),
        (lambda proof: proof["lemmas"].insert(0, "1"), "bad lemma"),
        (lambda proof: proof["lemmas"].insert(0, [True]), "bad lemma"),
        (lambda proof: proof["variables"].insert(0, ["a.start"]), "bad variable"),
        (lambda proof: proof["variables"].append(["a", "b.end"]), "not an endpoint"),
        (lambda proof: proof["variables"].append(["start", "b.end"]), "not an endpoint"),
        (lambda proof: proof["variables"].reverse(), "does not"),
        (lambda proof: proof.update(more=1), "instead of"),
        (lambda proof: proof.pop("lemmas"), "instead of"),
        (lambda proof: proof.update(lemmas=None), "not a list"),
    ],
)
def test_what_is_refused(certificate, change, reason):
    forged = json.loads(certificate)
    change(forged["proof"])
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(forged))


def test_versions_do_not_mix(certificate):
    forged = json.loads(certificate) | {"version": 1}
    with pytest.raises(Rejected, match="not a list"):
        verify(json.dumps(forged))
    tree = to_json(certify(Judged(Network.of(TRAP), Budget())), ABOUT) | {"version": 2}
    with pytest.raises(Rejected, match="not an object"):
        verify(json.dumps(tree))
    witness = to_json(certify(Judged(Network.of(TRAP[:-1]), Budget())), ABOUT) | {"version": 2}
    with pytest.raises(Rejected, match="no proof"):
        verify(json.dumps(witness))
    for version in (0, 4, "2", True, None):
        with pytest.raises(Rejected, match="version"):
            verify(json.dumps(json.loads(certificate) | {"version": version}))


def test_random_changes_never_break_the_checker(certificate):
    """A changed proof is refused in words, or still proves what is true anyway."""
    rng = Random("changes")
    refused = 0
    for _ in range(150):
        forged = json.loads(certificate)
        part = rng.choice(("clauses", "lemmas", "variables"))
        place = rng.randrange(len(forged["proof"][part]))
        if part == "variables":
            forged["proof"][part][place] = rng.choice(forged["proof"][part])
        else:
            clause = forged["proof"][part][place]
            clause = clause[0] if part == "clauses" else clause
            if clause and rng.random() < 0.7:
                clause.pop(rng.randrange(len(clause)))
            else:
                del forged["proof"][part][place]
        try:
            verify(json.dumps(forged))
        except Rejected:
            refused += 1
    assert refused > 30


def test_both_rules_for_clauses_agree_with_the_atoms():
    """A clause about two entities that always holds is true in all thirteen atoms, and the other way round."""
    points = [(name, end) for name in "ab" for end in ("start", "end")]

    for (x, y), positive in product(combinations(points, 2), (True, False)):
        for (p, q), other in product(combinations(points, 2), (True, False)):
            literals = [(x, y, positive), (p, q, other)]
            assert always_holds(literals) == holds_by_link(literals, ("a", frozenset(ATOMS), "b"))
