"""Long proofs in files of their own: both checkers read them line by line, and neither accepts a changed one."""

import hashlib
import json
import shutil
import subprocess
from importlib.resources import files
from random import Random

import pytest
from naive import hard_network

import temporacle as tp
from temporacle.checker import Rejected, verify
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs import certificate as certificates
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.reasoner.proofs.clausal import proof_lines
from temporacle.results import ClausalProof
from temporacle.tasks import certificates as certified

pytestmark = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")
PROGRAM = str(files("temporacle") / "data" / "checker.js")
ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}


@pytest.fixture(scope="module")
def certificate():
    rng = Random("proof files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "_FEW_BRANCHINGS", 0)
        while True:
            oracle = Oracle(hard_network(rng, 12, 9.5))
            if not oracle.is_consistent() and isinstance((found := oracle.certificate()).proof, ClausalProof):
                return found


@pytest.fixture
def written(tmp_path, monkeypatch, certificate):
    """A certificate whose proof has a file of its own."""
    monkeypatch.setattr(certified, "LARGE", 0)
    certified.write_certificate(tmp_path / "d.json", certificate, ABOUT)
    return tmp_path / "d.json", to_json(certificate, ABOUT)


def in_javascript(path):
    if shutil.which("node") is None:
        return None
    return subprocess.run(["node", PROGRAM, str(path)], capture_output=True, check=False).returncode == 0


def test_both_checkers_accept_it(written):
    path, form = written
    record = json.loads(path.read_text("utf-8"))
    assert record["proof"].keys() == {"file", "sha256"}
    assert record | {"proof": form["proof"]} == form
    assert tp.verify(path).valid is True
    assert in_javascript(path) in (True, None)
    with pytest.raises(Rejected, match="beside"):
        verify(path.read_bytes())


def test_few_clauses_are_held_at_a_time(written):
    _, form = written
    live = most = 0
    for line in map(json.loads, proof_lines(form["proof"])):
        live += (line[0] in "cl") - (len(line[1]) if line[0] == "d" else 0)
        most = max(most, live)
    assert most < 0.8 * (len(form["proof"]["clauses"]) + len(form["proof"]["lemmas"]))


def test_the_file_must_be_there_and_unchanged(written):
    path, _ = written
    proof = path.with_name("d.proof.jsonl")
    content = proof.read_bytes()
    proof.write_bytes(content + content.splitlines(keepends=True)[-1])
    assert tp.verify(path)[0].reason == "d.proof.jsonl is not the file that the certificate names"
    proof.unlink()
    assert "not beside it" in tp.verify(path)[0].reason
    assert in_javascript(path) in (False, None)


@pytest.mark.parametrize(
    "name",
    ["../d.proof.jsonl", "/d.proof.jsonl", "a\\d.proof.jsonl", ".proof.jsonl", "..proof.jsonl", "d.jsonl", "", 1, None],
)
def test_names_that_lead_elsewhere(written, name):
    path, _ = written
    record = json.loads(path.read_text("utf-8"))
    record["proof"]["file"] = name
    path.write_text(json.dumps(record), "utf-8")
    assert tp.verify(path).valid is False
    assert in_javascript(path) in (False, None)


def with_lines(path, lines):
    """The certificate with another proof."""
    content = b"".join(lines)
    path.with_name("d.proof.jsonl").write_bytes(content)
    record = json.loads(path.read_text("utf-8"))
    record["proof"]["sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(json.dumps(record), "utf-8")
    return path


def changed(rng, lines):
    """Lines with a small change, by position."""
    lines = list(lines)
    place = rng.randrange(len(lines))
    kind = rng.randrange(6)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, rng.choice(lines))
    elif kind == 2:
        other = rng.randrange(len(lines))
        lines[place], lines[other] = lines[other], lines[place]
    else:
        entry = json.loads(lines[place])
        part = entry[rng.randrange(1, len(entry))]
        if isinstance(part, list) and part:
            where = rng.randrange(len(part))
            old = part[where]
            part[where : where + 1] = rng.choice(([], [-old], [old + 1], [old, old], [True]))
        else:
            entry[-1] = rng.choice((None, 0, 1, "query", [], "a.start"))
        lines[place] = json.dumps(entry).encode() + b"\n"
    return lines


def test_changed_proofs_are_judged_alike(written, tmp_path):
    """The links do contradict each other, so what is accepted is true; and the checkers agree."""
    path, _ = written
    original = path.with_name("d.proof.jsonl").read_bytes().splitlines(keepends=True)
    rng = Random("changed lines")
    verdicts = {}
    for number in range(100):
        folder = tmp_path / str(number)
        folder.mkdir()
        copy = shutil.copy(path, folder / "d.json")
        with_lines(copy, changed(rng, original))
        verdicts[str(copy)] = tp.verify(copy).valid
    assert set(verdicts.values()) == {True, False}
    if shutil.which("node") is not None:
        done = subprocess.run(
            ["node", PROGRAM, "--output", "json", *verdicts], capture_output=True, text=True, check=False
        )
        second = {row["certificate"]: row["valid"] for row in map(json.loads, done.stdout.splitlines())}
        assert second == verdicts


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [b"\n"],
        [b"[]\n"],
        [b"{}\n"],
        [b'["l",[],[]]\n'],
        [b'["l",[],[0]]\n'],
        [b'["x",[],[]]\n'],
        [b'["d",[0]]\n'],
        [b'["c",[],null]\n'],
        [b'["c",[],0]\n', b'["l",[],[0]]\n'],
        [b'["v","a","b.end"]\n'],
        [b"\xff\n"],
        [b'["v","a.start","b.end"]'],
        [b"[" * 100_000 + b"\n"],
    ],
    ids=lambda lines: repr(b"".join(lines)[:30]),
)
def test_lines_that_prove_nothing(written, lines):
    path, _ = written
    assert tp.verify(with_lines(path, lines)).valid is False
    assert in_javascript(path) in (False, None)
