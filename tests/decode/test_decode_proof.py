"""The proof of an optimum: certificates that the independent checker accepts, and a small problem anyone can solve."""

import json
from itertools import product
from random import Random

from decode_twin import random_document

import temporacle as tp
from temporacle.checker import verify
from temporacle.cli import run
from temporacle.reasoner.certificates import to_json
from temporacle.reasoner.decode import Impossible, decode_document
from temporacle.reasoner.decodeproof import conflict_links, prove, statement
from temporacle.reasoner.network import Budget
from temporacle.scored import Objective

ABOUT = {
    "id": "d", "path": None, "sha256": None, "format": None, "reading": "links", "during": "simultaneous",
    "encoding": None,
}  # fmt: skip


def bound_by_trying_all(stated):
    """The highest value of all labellings that meet the conflicts of a statement; nothing but its JSON is used."""
    best = None
    for labels in product(*(pair["values"] for pair in stated["pairs"])):
        met = all(
            any(labels[pair][0] not in blocked for pair, blocked in conflict["blocked"])
            for conflict in stated["conflicts"]
        )
        if met:
            value = sum(value for _, value in labels)
            best = value if best is None else max(best, value)
    return best


def test_every_piece_of_the_proof_holds():
    rng = Random(3)
    proven = 0
    for number in range(250):
        document = random_document(rng, ties=number % 2 == 0, most_pairs=5)
        found = decode_document(document, Objective.PROB, Budget(), alternatives=0)
        if isinstance(found, Impossible) or not found.changes:
            continue
        proof = prove(found, document.links, Budget())
        assert verify(json.dumps(to_json(proof.consistent, ABOUT)))["claim"] == "consistent"
        assert {link.id for link in found.links()} <= {link.id for link in proof.consistent.links}
        for conflict, certificate in zip(found.conflicts, proof.conflicts, strict=True):
            assert verify(json.dumps(to_json(certificate, ABOUT)))["claim"] == "inconsistent"
            assert list(certificate.links) == conflict_links(conflict, found, document.links)
        stated = statement(found, "d", "prob", [str(place) for place in range(len(found.conflicts))])
        assert bound_by_trying_all(json.loads(json.dumps(stated))) == found.bound == stated["bound"]
        proven += 1
    assert proven > 50


def test_the_files_are_verified(tmp_path, capsys):
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    scores = {"BEFORE": 0.6, "AFTER": 0.3, "VAGUE": 0.1}
    record = {"document": "d/1", "pairs": [{"source": x, "target": y, "scores": scores} for x, y in pairs]}
    (tmp_path / "s.jsonl").write_text(json.dumps(record), "utf-8")
    folder = tmp_path / "proofs"
    assert run(["decode", str(tmp_path / "s.jsonl"), "--certificates", str(folder), "--output", "json"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "d%2F1.conflict-1.json",
        "d%2F1.json",
        "d%2F1.optimum",
    ]
    assert tp.verify(folder).valid is True
    stated = json.loads((folder / "d%2F1.optimum").read_text("utf-8"))
    assert stated["value"] == stated["bound"] == bound_by_trying_all(stated)
    assert stated["conflicts"][0]["certificate"] == "d%2F1.conflict-1.json"
    capsys.readouterr()
