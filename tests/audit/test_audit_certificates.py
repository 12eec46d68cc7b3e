"""Every finding of an audit can carry a certificate that ``verify`` accepts and that says what the finding says."""

import json

import pytest

import temporacle as tp
from temporacle.cli import run

CLAIMS = {
    "unsound": ("open", "a\tb\tb\nb\tb|m\tc\n", "a\tb\tb\nb\tb\tc\na\tb\tc\n"),
    "wrong": ("refuted", "a\tb\tb\nb\tb\tc\n", "a\tb\tb\nb\tb\tc\na\tbi\tc\n"),
    "incomplete": ("entailed", "a\tb\tb\nb\tb\tc\n", "a\tb\tb\nb\tb\tc\n"),
    "missed_inconsistency": ("inconsistent", "a\tb\tb\nb\tb\ta\n", "a\tb\tb\n"),
    "false_inconsistency": ("consistent", "a\tb\tb\n", "inconsistent\n"),
}


@pytest.mark.parametrize("kind", CLAIMS)
def test_findings_about_documents_have_certificates(tmp_path, monkeypatch, capsys, kind):
    monkeypatch.chdir(tmp_path)
    claim, links, closure = CLAIMS[kind]
    (tmp_path / "links.tsv").write_text(links)
    (tmp_path / "closure.tsv").write_text(closure)
    assert run(["audit", "links.tsv", "closure.tsv", "--certificates", "proofs", "--output", "json"]) == 1
    finding = json.loads(capsys.readouterr().out.splitlines()[0])
    path = finding["evidence"]["certificate_path"]
    (check,) = tp.verify(path, document="links.tsv")
    assert (check.valid, check.claim) == (True, claim)
    certificate = json.loads((tmp_path / path).read_text())
    if "query" in certificate:
        asked = certificate["query"]
        stated = finding["exact"] if kind == "incomplete" else finding["claimed"]
        assert ([asked["source"], asked["target"]], asked["relation"]) == (finding["pair"], stated)


def test_only_findings_with_evidence_have_certificates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.tsv").write_text("".join(f"e{i}\tb\te{i + 1}\n" for i in range(4)))
    (tmp_path / "closure.tsv").write_text("e0\tb\te1\n")
    run(["audit", "links.tsv", "closure.tsv", "--certificates", "proofs", "--evidence", "2", "--output", "json"])
    findings = [json.loads(line) for line in capsys.readouterr().out.splitlines()][:-1]
    assert ["certificate_path" in finding["evidence"] for finding in findings[:3]] == [True, True, False]
    assert len(list((tmp_path / "proofs").iterdir())) == 2
    assert run(["verify", "proofs"]) == 0


def nothing_follows(links):
    return links


@pytest.mark.slow
def test_findings_of_a_live_audit_have_certificates(tmp_path):
    found = tp.audit(nothing_follows, cases=20, seed=1, vary=False, certificates=tmp_path)
    assert found.findings
    assert all(finding.certificate_path for finding in found.findings)
    checks = tp.verify(tmp_path)
    assert checks.valid is True
    assert {check.claim for check in checks} <= {"entailed", "inconsistent"}
    assert len(checks) == len(found.findings)
