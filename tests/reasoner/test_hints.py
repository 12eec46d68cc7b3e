"""Hints of lemmas: found for every proof, enough for the checker, and no false proof passes with them."""

import json
from itertools import product
from random import Random

import pytest
from naive import hard_network

from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.checker.refutations import check_hinted, follows_by_hints
from temporacle.errors import InternalError
from temporacle.reasoner.disjunctions.sat import Cdcl, is_available
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import certify, to_json
from temporacle.reasoner.proofs.clausal import with_hints
from temporacle.results import ClausalProof

pytestmark = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")
ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}


def is_satisfiable(clauses, variables):
    """The naive twin: every assignment."""
    return any(
        all(any(values[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
        for values in product((True, False), repeat=variables)
    )


def random_clauses(rng, variables, count):
    return [
        [
            rng.choice((1, -1)) * variable
            for variable in rng.sample(range(1, variables + 1), rng.choice((1, 2, 3, 3, 3)))
        ]
        for _ in range(count)
    ]


def lemmas_of(clauses):
    """What a solver learns; None if the clauses can be true."""
    solver = Cdcl(Budget(), with_proof=True)
    solver.add(clauses)
    try:
        if solver.solve():
            return None
        return [*solver.learnt(), ()]
    finally:
        solver.close()


def test_hints_of_random_proofs_are_accepted():
    rng = Random("hints")
    proven = 0
    for _ in range(400):
        variables = rng.randint(3, 9)
        clauses = random_clauses(rng, variables, rng.randint(3, 45))
        lemmas = lemmas_of(clauses)
        assert (lemmas is None) == is_satisfiable(clauses, variables)
        if lemmas is None:
            continue
        found = with_hints(clauses, lemmas, variables, Budget())
        kept = [clauses[number] for number in found.clauses]
        check_hinted(kept, list(map(list, found.lemmas)), list(map(list, found.hints)))
        assert found.lemmas[-1] == ()
        used = {hint for hints in found.hints for hint in hints}
        assert used == set(range(len(kept) + len(found.lemmas) - 1))  # nothing superfluous
        proven += 1
    assert proven > 100


def test_what_is_no_proof_is_an_internal_error():
    """A solver that lies: lemmas that do not follow, or that end too early."""
    clauses = [[1, 2, 3], [-1, 2, 3]]
    with pytest.raises(InternalError, match="does not follow"):
        with_hints(clauses, [(1,), ()], 3, Budget())
    with pytest.raises(InternalError, match="without a contradiction"):
        with_hints(clauses, [(2, 3)], 3, Budget())
    with pytest.raises(InternalError, match="does not follow"):
        with_hints(clauses, [()], 3, Budget())


def test_hints_prove_only_what_follows():
    """Any hints for any lemma: what is accepted is true in all assignments that make the clauses true."""
    rng = Random("any hints")
    accepted = 0
    for _ in range(3000):
        clauses = random_clauses(rng, 4, rng.randint(1, 6))
        lemma = [rng.choice((1, -1)) * rng.randint(1, 4) for _ in range(rng.randint(0, 2))]
        hints = [rng.randrange(len(clauses)) for _ in range(rng.randint(0, 4))]
        if follows_by_hints(lemma, hints, dict(enumerate(clauses))):
            accepted += 1
            assert not is_satisfiable([*clauses, *([-literal] for literal in lemma)], 4)
    assert accepted > 30


@pytest.fixture(scope="module")
def certificate():
    rng = Random("hinted certificate")
    while True:
        network = hard_network(rng, 12, 9.5)
        if not Oracle(network).is_consistent():
            found = certify(Judged(network, Budget()))
            if isinstance(found.proof, ClausalProof):
                return json.dumps(to_json(found, ABOUT))


def test_hints_belong_to_version_3(certificate):
    record = verify(certificate)
    assert record["version"] == 3
    del record["proof"]["hints"]
    assert verify(json.dumps(record | {"version": 2}))
    with pytest.raises(Rejected, match="instead of"):
        verify(json.dumps(record))
    with_them = json.loads(certificate) | {"version": 2}
    with pytest.raises(Rejected, match="instead of"):
        verify(json.dumps(with_them))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda proof: proof["hints"].pop(), "one list of hints"),
        (lambda proof: proof["lemmas"].pop(), "one list of hints"),
        (lambda proof: (proof["lemmas"].pop(), proof["hints"].pop()), "do not lead"),
        (lambda proof: (proof["lemmas"].clear(), proof["hints"].clear()), "do not lead"),
        (lambda proof: proof["hints"][-1].clear(), "does not follow by its hints"),
        (lambda proof: proof["hints"][-1].reverse(), "does not follow by its hints"),
        (lambda proof: proof["hints"][0].insert(0, len(proof["clauses"])), "names no clause"),
        (lambda proof: proof["hints"][0].insert(0, 10**30), "bad hints"),
        (lambda proof: proof["hints"][0].insert(0, -1), "bad hints"),
        (lambda proof: proof["hints"][0].insert(0, True), "bad hints"),
        (lambda proof: proof.update(hints=None), "not a list"),
        (lambda proof: proof["lemmas"].insert(0, []), "one list of hints"),
    ],
)
def test_what_is_refused(certificate, change, reason):
    forged = json.loads(certificate)
    change(forged["proof"])
    with pytest.raises(Rejected, match=reason):
        verify(json.dumps(forged))
