"""Certificates of decodings: accepted, optimal by enumeration, and no accepted forgery is false."""

import json
from copy import deepcopy
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from decode_twin import random_document
from naive import brute_force

import temporacle as tp
from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.cli import run
from temporacle.reasoner.decode.decode import Impossible, decode_document
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.reasoner.proofs.cheapest import certify_decoding, certify_impossible
from temporacle.scored import Objective

ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}


def certificates(seed, count, objective=Objective.PROB, most_pairs=5):
    rng = Random(seed)
    for number in range(count):
        document = random_document(rng, ties=number % 2 == 0, most_pairs=most_pairs)
        found = decode_document(document, objective, Budget(), alternatives=0)
        if isinstance(found, Impossible):
            yield to_json(certify_impossible(document, objective, Budget()), ABOUT)
        else:
            yield to_json(certify_decoding(found, document.links, objective, Budget()), ABOUT)


def entities_of(record):
    every = [*record["links"], *record["pairs"]]
    return sorted({each[end] for each in every for end in ("source", "target")})


def is_consistent(triples, names):
    related = [(x, tp.Relation("|".join(atoms) or 0), y) for x, atoms, y in triples]
    loops = [relation for x, relation, y in related if x == y]
    if not all("=" in relation for relation in loops):
        return False
    return brute_force([each for each in related if each[0] != each[2]], names) is not None


def best_value(record):
    """The naive twin: the highest value of a labelling that can be true with the links. Only the JSON is used."""
    names = entities_of(record)
    hard = [(link["source"], link["relation"], link["target"]) for link in record["links"]]
    best = None
    for labels in product(*(pair["labels"] for pair in record["pairs"])):
        value = sum(int(label[3]) for label in labels)
        if best is not None and value <= best:
            continue
        chosen = [
            (pair["source"], label[1], pair["target"]) for pair, label in zip(record["pairs"], labels, strict=True)
        ]
        if is_consistent([*hard, *chosen], names):
            best = value
    return best


def is_true(record):
    value = sum(int(pair["labels"][pair["chosen"]][3]) for pair in record["pairs"])
    return value == int(record["value"]) == best_value(record)


@pytest.mark.parametrize("objective", list(Objective))
def test_every_certificate_is_accepted_and_true(objective):
    claims = []
    for record in certificates(f"proofs {objective}", 120, objective, most_pairs=4):
        assert verify(json.dumps(record))["claim"] == record["claim"]
        claims.append(record["claim"])
        if record["claim"] == "decode":
            assert record["version"] == 3
            if len(entities_of(record)) <= 4:
                assert is_true(record)
            claims.append("proven" if record["parts"] else "argmax")
    assert {"decode", "proven", "argmax", "inconsistent"} == set(claims)


def mutated(rng, record):
    """A certificate with one or two parts replaced by something of the same kind."""
    forged = deepcopy(record)
    for _ in range(rng.randint(1, 2)):
        holders = [(forged, "value")]
        waiting = [forged[name] for name in ("pairs", "witness", "conflicts", "parts", "links")]
        for value in waiting:  # grows while it is read
            for key in range(len(value)) if isinstance(value, list) else list(value):
                holders.append((value, key))
                if isinstance(value[key], list | dict):
                    waiting.append(value[key])
        holder, key = rng.choice(holders)
        old = holder[key]
        if isinstance(old, int):
            holder[key] = old + rng.choice((-1, 1))
        elif isinstance(old, str):
            try:
                holder[key] = str(Fraction(old) + rng.choice((-1, 1, Fraction(1, 2), 10**11)))
            except ValueError:
                holder[key] = rng.choice(("a", "b.end", "<", "<=", "b", "bi"))
        elif isinstance(old, list) and old:
            if rng.random() < 0.5:
                del old[rng.randrange(len(old))]
            else:
                rng.shuffle(old)
    return forged


@pytest.mark.parametrize("count", [60, pytest.param(800, marks=pytest.mark.slow)])
def test_forgeries_are_rejected_or_true(count):
    rng = Random(f"forged decodings {count}")
    rejected = accepted = 0
    for record in certificates(f"forged {count}", count, Objective.WEIGHT, most_pairs=4):
        if record["claim"] != "decode" or len(entities_of(record)) > 4:
            continue
        for _ in range(20):
            forged = mutated(rng, record)
            try:
                verify(json.dumps(forged))
            except Rejected:
                rejected += 1
                continue
            if len(entities_of(forged)) <= 4:  # else too many models
                assert is_true(forged), json.dumps(forged)
                accepted += 1
    assert rejected > 3 * count
    assert accepted > count // 2


def test_values_follow_from_scores():
    scores = {"BEFORE": 0.7, "AFTER": 1e-9, "VAGUE": 1.5}
    found = certificate_of([("a", "b", scores)], Objective.LOGPROB)
    labels = {label[0]: label for label in found["pairs"][0]["labels"]}
    assert labels["BEFORE"][2:] == ["7/10", "-356674943939"]
    assert labels["AFTER"][2:] == ["1/1000000000", "-13815510557964"]
    assert labels["VAGUE"][2:] == ["3/2", "405465108108"]
    for change in (-2, 2):
        forged = deepcopy(found)
        forged["pairs"][0]["labels"][0][3] = forged["value"] = str(int(labels["VAGUE"][3]) + change)
        with pytest.raises(Rejected, match="not worth"):
            verify(json.dumps(forged))
    prob = certificate_of([("a", "b", {"BEFORE": 0.1, "AFTER": 2.5e-13})], Objective.PROB)
    assert [label[2:] for label in prob["pairs"][0]["labels"]] == [["1/10", "100000000000"], ["1/4000000000000", "0"]]
    prob["pairs"][0]["labels"][1][3] = "1"
    with pytest.raises(Rejected, match="not worth"):
        verify(json.dumps(prob))


def certificate_of(pairs, objective):
    from temporacle.readings import load_reading
    from temporacle.scored import Place, ScoredDocument, scored_pair

    reading = load_reading("links")
    scored = [scored_pair(f"p{k}", (x, y), scores, reading, Place(None)) for k, (x, y, scores) in enumerate(pairs)]
    document = ScoredDocument("d", tuple(scored), reading)
    found = decode_document(document, objective, Budget(), alternatives=0)
    return to_json(certify_decoding(found, (), objective, Budget()), ABOUT)


def scores_file(path, links=()):
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]
    scores = {"BEFORE": 0.6, "AFTER": 0.3, "VAGUE": 0.1}
    record = {"document": "d/1", "pairs": [{"source": x, "target": y, "scores": scores} for x, y in pairs]}
    path.write_text(json.dumps(record | {"links": list(links)}), "utf-8")
    return str(path)


def test_the_files_are_verified(tmp_path, capsys):
    folder = tmp_path / "proofs"
    command = ["decode", scores_file(tmp_path / "s.jsonl"), "--certificates", str(folder), "--output", "json"]
    assert run(command) == 0
    assert [path.name for path in folder.iterdir()] == ["d%2F1.json"]
    capsys.readouterr()
    assert run(["verify", str(folder)]) == 0
    assert "the labels of d/1 are optimal" in capsys.readouterr().out
    record = json.loads((folder / "d%2F1.json").read_text("utf-8"))
    assert record["objective"] == "logprob"
    assert is_true(record)


def test_an_impossible_document_has_an_ordinary_certificate(tmp_path, capsys):
    links = [{"source": "a", "relation": "BEFORE", "target": "b"}, {"source": "b", "relation": "BEFORE", "target": "a"}]
    folder = tmp_path / "proofs"
    command = ["decode", scores_file(tmp_path / "s.jsonl", links), "--certificates", str(folder), "--output", "json"]
    assert run(command) == 1
    (check,) = tp.verify(folder)
    assert (check.valid, check.claim) == (True, "inconsistent")
    capsys.readouterr()


@pytest.mark.parametrize("fault", ["a worse labelling", "a conflict that is none"])
def test_a_wrong_optimum_is_withdrawn(tmp_path, capsys, monkeypatch, fault):
    """A search that lies: no certificate is written, and the result is not called optimal."""
    from dataclasses import replace

    from temporacle.reasoner.decode.ranked import Conflict
    from temporacle.tasks import decode as module

    honest = module.decode_document

    def lying(document, objective, *rest, **more):
        found = honest(document, objective, *rest, **more)
        if fault == "a worse labelling":
            ranks = dict.fromkeys(found.ranks, 2)
            value = sum(pair.best - pair.costs[2] for pair in found.pairs)
            return replace(found, ranks=ranks, value=value, bound=value)
        ranks = found.ranks | {3: 1}
        value = sum(pair.best - pair.costs[ranks[number]] for number, pair in enumerate(found.pairs))
        made_up = Conflict({3: 1})
        return replace(found, ranks=ranks, value=value, bound=value, conflicts=(*found.conflicts, made_up))

    monkeypatch.setattr(module, "decode_document", lying)
    folder = tmp_path / "proofs"
    command = ["decode", scores_file(tmp_path / "s.jsonl"), "--certificates", str(folder), "--output", "json"]
    assert run(command) == 3
    assert json.loads(capsys.readouterr().out.splitlines()[0])["verdict"] == "undecided"
    assert not folder.exists() or not list(folder.iterdir())
