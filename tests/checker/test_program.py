"""``python checker CERTIFICATE``: the program, run in this process."""

import json
import runpy
import sys

import pytest
from rules_meanings import SEASON, record, valued
from rules_scores import score
from small_certificates import consistent, inconsistent
from test_folders import BESIDE, PROOFS, TOTAL, sha256, with_proof

from temporacle import checker
from temporacle.checker import __main__ as program

FOLDER = next(iter(checker.__path__))


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run it on a certificate in a folder; return what it prints, or says when it ends."""

    def answer(certificate, *documents, name="c.json"):
        if certificate is not None:
            (tmp_path / name).write_text(json.dumps(certificate))
        monkeypatch.setattr(sys, "argv", ["checker", str(tmp_path / name), *map(str, documents)])
        try:
            program.main()
        except SystemExit as end:
            assert capsys.readouterr() == ("", "")
            return end.code
        shown = capsys.readouterr()
        assert shown.err == ""
        return shown.out

    answer.folder = tmp_path
    return answer


def test_what_holds(run):
    assert run(consistent()) == "consistent: holds (1 links, label set None, sha256 None)\n"
    assert run(inconsistent()) == "inconsistent: holds (2 links, label set None, sha256 None)\n"
    dropped = [{"code": "c", "line": None, "element": None}] * 2
    about = consistent()["document"] | {"dropped": dropped, "reading": "\x1b[2J"}
    assert run(consistent() | {"document": about}) == (
        "consistent: holds, without 2 unreadable links (1 links, label set \\x1b[2J, sha256 None)\n"
    )


def test_what_is_trusted(run):
    one = record("1999-SP", SEASON)
    two = record("1999-SP", [["b.start", "@", -5, False]], "b")
    certificate = valued(one, two, witness={"a": [5, 9], "b": [5, 9]})
    said = "consistent: holds, trusting the values of a, b (0 links, label set None, sha256 None)\n"
    assert run(certificate) == said


def test_what_is_rejected(run):
    assert run(consistent() | {"claim": "sure"}) == "rejected: an unknown claim"
    assert run(None, name="none.json").startswith("rejected: [Errno 2]")
    assert run(consistent() | {"witness": {"\x1b": [1, 1]}}) == (
        "rejected: witness: '\\\\x1b' does not start before it ends"
    )


def test_documents(run):
    document = run.folder / "d.tsv"
    document.write_text("d")
    assert run(consistent(), document) == "rejected: it was not made from a file: it has no digest"
    certificate = consistent()
    certificate["document"]["sha256"] = sha256(b"d")
    assert run(certificate, document).startswith("consistent: holds")
    assert run(certificate, document, document) == "rejected: it was made from 1 files, not 2"
    assert "rejected: " in run(certificate, run.folder / "c.json")
    usage = "usage: python checker CERTIFICATE [DOCUMENT | GOLD SYSTEM]"
    assert run(certificate, document, document, document) == usage


def test_no_words(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["checker"])
    with pytest.raises(SystemExit, match="usage: "):
        program.main()


def test_scores_and_totals(run):
    said = "score: holds (precision 1, recall 1/4, f1 2/5, 7 and 2 links, "
    both = "label set None, sha256 None; label set None, sha256 None)\n"
    assert run(score()) == said + both
    for name, content in BESIDE.items():
        (run.folder / name).write_bytes(content)
    figures = "total: holds (precision 1, recall 1/8, f1 2/9, micro average of 2 documents"
    assert run(TOTAL) == figures + ")\n"
    assert run(TOTAL | {"skipped": [["x", "y"]]}) == figures + ", without 1 skipped documents)\n"


def test_a_proof_beside_it(run):
    content = PROOFS["right"][1]
    (run.folder / "c.proof.jsonl").write_bytes(content)
    assert run(with_proof({"file": "c.proof.jsonl", "sha256": sha256(content)})).startswith("inconsistent: holds")


def test_the_folder_by_itself(tmp_path, monkeypatch, capsys):
    """Python does not load the package when it runs a folder: the program does it."""
    path = tmp_path / "c.json"
    path.write_text(json.dumps(consistent()))
    monkeypatch.setattr(sys, "argv", ["checker", str(path)])
    monkeypatch.delitem(sys.modules, "checker", raising=False)
    runpy.run_path(f"{FOLDER}/__main__.py", run_name="__main__")
    assert capsys.readouterr().out.startswith("consistent: holds")
    for name in [name for name in sys.modules if name.split(".")[0] == "checker"]:
        del sys.modules[name]


def test_the_package_is_found_without_a_name(monkeypatch):
    monkeypatch.setattr(program, "__package__", "")
    found = program._checker()
    assert found.verify.__module__ == "checker.claims"
    assert found.verify is not checker.verify
    monkeypatch.setattr(program.importlib.util, "spec_from_file_location", lambda *_: None)
    with pytest.raises(SystemExit, match="cannot be loaded"):
        program._checker()

    class NoLoader:
        loader = None

    monkeypatch.setattr(program.importlib.util, "spec_from_file_location", lambda *_: NoLoader)
    with pytest.raises(SystemExit, match="cannot be loaded"):
        program._checker()
    for name in [name for name in sys.modules if name.split(".")[0] == "checker"]:
        del sys.modules[name]


def test_the_package_is_the_one_it_stands_in():
    assert program._checker() is checker
