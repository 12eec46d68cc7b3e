"""Certificates of closures on the command line and in Python."""

import json

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.reasoner.proofs import closure


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold" / "more").mkdir(parents=True)
    (tmp_path / "gold" / "one.tsv").write_text("a\tb\tb\nb\tb|m\tc\n")
    (tmp_path / "gold" / "more" / "two.tsv").write_text("a\tb|bi\tb\nb\tb\tc\nc\tm|d\ta\n")
    (tmp_path / "gold" / "ring.tsv").write_text("a\tb\tb\nb\tb\ta\n")
    return tmp_path


def rows_of(capsys, *arguments):
    capsys.readouterr()
    code = run([*arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_every_document_has_a_certificate_of_its_closure(corpus, capsys, jobs):
    code, pairs = rows_of(capsys, "closure", "gold", "--certificates", "proofs", "--all")
    assert code == 1  # ring
    code, checks = rows_of(capsys, "verify", "proofs", "--document", "gold", *jobs)
    assert code == 0
    assert {check["document"]: check["claim"] for check in checks} == {
        "one": "closure",
        "ring": "inconsistent",
        "two": "closure",
    }
    said = {(row["document"], row["source"], row["target"]): row["relation"] for row in pairs if "source" in row}
    shown = {}
    for name in ("one", "two"):
        certificate = json.loads((corpus / "proofs" / f"{name}.json").read_text())
        for part in certificate["parts"]:
            shown |= {(name, source, target): relation for source, relation, target, *_ in part["pairs"]}
    assert shown == said


def test_folders_of_certificates_may_be_nested(corpus, capsys):
    run(["closure", "gold/one.tsv", "--certificates", "proofs/some/deep"])
    run(["closure", "gold/more", "--certificates", "proofs/other"])
    code, checks = rows_of(capsys, "verify", "proofs", "--document", "gold/one.tsv", "--document", "gold/more")
    assert (code, [check["document"] for check in checks]) == (0, ["two", "one"])
    code, checks = rows_of(capsys, "verify", "proofs", "--document", "gold/one.tsv")
    assert code == 1
    assert [check["certificate"] for check in checks if not check["valid"]] == ["proofs/other/two.json"]


def test_one_file_for_one_document(corpus, capsys):
    assert run(["closure", "gold/one.tsv", "--certificate", "why.json"]) == 0
    capsys.readouterr()
    assert run(["verify", "why.json", "--document", "gold/one.tsv"]) == 0
    assert "the closure of one is right and complete" in capsys.readouterr().out
    assert run(["closure", "gold", "--certificate", "why.json"]) == 2
    error = capsys.readouterr().err
    assert "several documents" in error
    assert "--certificates DIR" in error
    assert not (corpus / "why.json").exists()
    assert run(["closure", "gold/one.tsv", "--certificate", "why.json", "--certificates", "proofs"]) == 2
    assert run(["closure", "gold/one.tsv", "--certificate", "gold/one.tsv"]) == 2


def test_entities_must_be_those_of_the_file(corpus, capsys):
    run(["closure", "gold/one.tsv", "--certificate", "why.json"])
    certificate = json.loads((corpus / "why.json").read_text())
    certificate["entities"].append("z")
    certificate["parts"].append({"entities": ["z"], "models": [[0, 1]], "pairs": []})
    (corpus / "why.json").write_text(json.dumps(certificate))
    assert tp.verify("why.json").valid is True
    (check,) = tp.verify("why.json", document="gold/one.tsv")
    assert (check.valid, "the entities are not those" in check.reason) == (False, True)


@pytest.mark.parametrize("options", [["--calendar"], ["--engine", "propagation"], ["--engine", "cpsat"]])
def test_what_cannot_be_shown_is_refused(corpus, capsys, options):
    assert run(["closure", "gold", "--certificates", "proofs", *options]) == 2
    assert "engine exact, without calendar" in capsys.readouterr().err
    with pytest.raises(tp.UsageError, match="leave out calendar"):
        tp.Oracle(corpus / "gold" / "one.tsv", calendar="within").closure_certificate()


def test_an_answer_without_a_proof_is_reported(corpus, capsys, monkeypatch):
    monkeypatch.setattr(closure, "_MOST_PAIRS", 1)
    assert run(["closure", "gold/one.tsv", "--certificates", "proofs"]) == 3
    said = capsys.readouterr()
    assert "b|m" in said.out
    assert "no certificate of the closure: a certificate would list 3 pairs" in said.err
    assert not (corpus / "proofs").exists()


def test_in_python(corpus):
    (found,) = tp.closure("gold/one.tsv", certificates=corpus / "proofs")
    assert found.certificate_path == str(corpus / "proofs" / "one.json")
    assert tp.verify(found.certificate_path, document="gold/one.tsv", jobs=1).valid is True
    assert tp.verify(tp.Oracle("gold/one.tsv").closure_certificate(), document="gold/one.tsv").valid is True
