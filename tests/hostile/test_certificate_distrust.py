"""Solvers that lie about documents whose answers are certified: no certificate is ever given for a false answer.

Every certificate that is given is accepted by the checker, and its claim is compared with brute force.
"""

import json
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from naive import brute_force, random_network

import temporacle as tp
from temporacle.checker import DOCUMENT, verify
from temporacle.errors import BudgetExceeded, InternalError, TemporacleError
from temporacle.model import Document, Link
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.decode import decode as parts
from temporacle.reasoner.disjunctions import sat
from temporacle.reasoner.optimise import choices, solver
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs import closure
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.results import DocumentVerdict

cp_model = solver.load_solver()
ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}
NAMES = "abcd"
SIZE = 12  # documents for each lie


def cpsat_that(monkeypatch, **lies):
    class Liar(cp_model.CpSolver):
        def solve(self, model, *rest):
            honest = super().solve(model, *rest)
            return lies.get("status", honest)

        def value(self, variable):
            return lies["value"] if "value" in lies else super().value(variable)

        def boolean_value(self, literal):
            return lies["value"] > 0 if "value" in lies else super().boolean_value(literal)

    monkeypatch.setattr(cp_model, "CpSolver", Liar)


def hitting_sets_of_cpsat_that(monkeypatch, **lies):
    monkeypatch.setattr(choices, "_PATIENCE", 0)
    cpsat_that(monkeypatch, **lies)


def cdcl_that(monkeypatch, answer):
    """A CDCL solver whose answers, cores and proofs are made up."""
    honest = sat.Cdcl.solve
    monkeypatch.setattr("temporacle.reasoner.conflicts.conflicts._MANY_DISJUNCTIONS", 0)
    monkeypatch.setattr("temporacle.reasoner.proofs.certificate._FEW_BRANCHINGS", 0)

    def lying(self, assumptions=()):
        honest(self, assumptions)
        return answer

    monkeypatch.setattr(sat.Cdcl, "solve", lying)
    if not answer:
        monkeypatch.setattr(sat.Cdcl, "learnt", lambda _self: iter([(1,), (-1,)]))


def hitting_sets_that_miss(monkeypatch):
    monkeypatch.setattr("temporacle.reasoner.conflicts.repair.minimum_hitting_set", lambda *_arguments, **_options: [0])


def hitting_sets_that_are_too_heavy(monkeypatch):
    monkeypatch.setattr(
        "temporacle.reasoner.conflicts.repair.minimum_hitting_set",
        lambda sets, *_arguments, **_options: sorted({number for members in sets for number in members}),
    )


LIES = {
    "hitting sets of the solver": lambda patch: hitting_sets_of_cpsat_that(patch, value=0),
    "the search refutes everything": lambda patch: cdcl_that(patch, answer=False),
    "repairs miss conflicts": hitting_sets_that_miss,
    "repairs are too heavy": hitting_sets_that_are_too_heavy,
}


def documents(seed):
    rng = Random(seed)
    for number in range(SIZE):
        kind = ("atomic", "pointisable", "arbitrary", "arbitrary")[number % 4]
        triples = random_network(rng, NAMES, kind, 1.0)
        links = tuple(
            Link(f"l{k}", *each, str(each[1]), weight=rng.choice((1, 2, 0.5))) for k, each in enumerate(triples)
        )
        yield Document(f"d{number}", links)


def is_consistent(links):
    return brute_force([(link.source, link.relation, link.target) for link in links], NAMES) is not None


def least_weight(links):
    weights = [Fraction(str(link.weight)) for link in links]
    return min(
        sum(weights[number] for number in dropped)
        for size in range(len(links) + 1)
        for dropped in combinations(range(len(links)), size)
        if is_consistent([link for number, link in enumerate(links) if number not in dropped])
    )


@pytest.mark.parametrize("lie", LIES)
def test_check_certifies_nothing_false(monkeypatch, lie):
    truth = [(document, is_consistent(document.links)) for document in documents(lie)]
    LIES[lie](monkeypatch)
    for document, consistent in truth:
        found = check_document(document, CheckOptions(repair=True, certificate=True, budget=0.5))
        if found.certificate is not None:
            claim = verify(json.dumps(to_json(found.certificate, ABOUT)))["claim"]
            assert claim == ("consistent" if consistent else "inconsistent")
            assert found.verdict == DocumentVerdict(claim)
        if found.repair_certificate is not None:
            record = verify(json.dumps(to_json(found.repair_certificate, ABOUT)))
            assert Fraction(record["weight"]) == least_weight(document.links)
            assert {document.links[number] for number in record["dropped"]} == set(found.to_drop)


@pytest.mark.parametrize("lie", LIES)
def test_oracles_certify_nothing_false(monkeypatch, lie):
    rng = Random(lie)
    asked = []
    for document in documents(f"oracle {lie}"):
        source, target = rng.sample(NAMES, 2)
        relation = tp.Relation(rng.randrange(1, 1 << 13))
        triples = [(link.source, link.relation, link.target) for link in document.links]
        asked.append((document, source, relation, target, brute_force(triples, NAMES)))
    LIES[lie](monkeypatch)
    for document, source, relation, target, strongest in asked:
        try:
            certificate = Oracle(document).certificate((source, relation, target))
        except (InternalError, BudgetExceeded):
            continue
        claim = verify(json.dumps(to_json(certificate, ABOUT)))["claim"]
        if strongest is None:
            assert claim == "inconsistent"
        else:
            holds, fails = strongest[source, target] & relation, strongest[source, target] & ~relation
            assert claim == ("open" if holds and fails else "entailed" if holds else "refuted")


DECODING_LIES = {
    "everything is impossible": {"status": cp_model.INFEASIBLE},
    "everything is possible": {"status": cp_model.OPTIMAL, "value": 0},
    "wrong values": {"value": 1},
}


@pytest.mark.parametrize("lie", DECODING_LIES)
def test_decode_certifies_nothing_false(monkeypatch, tmp_path, lie):
    """The search for labels is left to CP-SAT, and CP-SAT lies."""
    rng = Random(f"decode {lie}")
    scores = tmp_path / "scores.jsonl"
    rows = [
        {
            "document": f"d{number}",
            "pairs": [
                {
                    "source": x,
                    "target": y,
                    "scores": {label: round(rng.random(), 2) for label in ("b", "bi", "m|o", "=")},
                }
                for x, y in combinations(NAMES, 2)
            ],
        }
        for number in range(8)
    ]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    truth = {found.document: found.objective for found in tp.decode(scores)}
    monkeypatch.setattr(parts, "_PATIENCE", 0)
    monkeypatch.setattr(parts, "_LESS_PATIENCE", 0)
    monkeypatch.setattr(parts, "_PATIENCE_OF_CHECK", 0)
    monkeypatch.setattr(choices, "_PATIENCE", 0)
    cpsat_that(monkeypatch, **DECODING_LIES[lie])
    folder = tmp_path / "certificates"
    with suppress(TemporacleError):
        tp.decode(scores, certificates=str(folder))
    for path in folder.glob("*.json") if folder.exists() else ():
        record = verify(path.read_bytes())
        assert record["claim"] == "decode"  # "everything is equal" is always possible
        assert abs(int(record["value"]) / 10**12 - truth[record["document"]["id"]]) < 1e-9


def test_a_closure_that_does_not_hold_is_not_certified(monkeypatch):
    honest = closure.prove_closure

    def wrong(*arguments):
        form = honest(*arguments)
        form["parts"][0]["models"][0][0] = 10**6  # an entity that starts after it ends
        return form

    monkeypatch.setattr(closure, "prove_closure", wrong)
    with pytest.raises(InternalError, match="does not hold"):
        tp.Oracle([("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).closure_certificate()


def test_honest_solvers_certify_everything():
    """The documents above do get their certificates if nothing lies."""
    for lie in LIES:
        for document in documents(lie):
            found = check_document(document, CheckOptions(repair=True, certificate=True))
            assert found.certificate is not None
            assert (found.repair_certificate is None) == (found.verdict is DocumentVerdict.CONSISTENT)
