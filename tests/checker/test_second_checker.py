"""checker.js as a program: the same reports and exit codes as ``temporacle verify``."""

import json
import shutil
import subprocess
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run

PROGRAM = str(files("temporacle") / "data" / "checker.js")
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="the second checker needs Node.js (node)")


def node(*words):
    return subprocess.run(["node", PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path):
    links = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    for name, some in (("good", links), ("bad", [*links, ("c", "BEFORE", "a")])):
        tp.Oracle(some).certificate().write(tmp_path / f"{name}.json")
    return tmp_path


def test_reports_are_those_of_verify(folder):
    done = node("--output", "json", folder)
    assert done.returncode == 0
    assert [json.loads(line) for line in done.stdout.splitlines()] == tp.verify(folder).to_dict()
    done = node(folder)
    sentences = [check.sentence() for check in tp.verify(folder)]
    assert done.stdout.splitlines() == sentences


def test_claims_in_words(tmp_path):
    links = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
    tp.Oracle(links).repair_certificate().write(tmp_path / "repair.json")
    (tmp_path / "links.tsv").write_text("a\tBEFORE\tb\n", "utf-8")
    assert run(["closure", str(tmp_path / "links.tsv"), "--certificate", str(tmp_path / "closure.json")]) == 0
    sentences = [check.sentence() for check in tp.verify(tmp_path)]
    assert node(tmp_path).stdout.splitlines() == sentences


NAMES = ("__proto__", "constructor", "toString", "hasOwnProperty")


def test_names_that_every_object_of_javascript_has(tmp_path):
    links = [(one, "BEFORE", other) for one, other in pairwise(NAMES)]
    for name, some in (("good", links), ("bad", [*links, (NAMES[-1], "BEFORE", NAMES[0])])):
        tp.Oracle(some).certificate().write(tmp_path / f"{name}.json")
    assert node(tmp_path).stdout.splitlines() == [check.sentence() for check in tp.verify(tmp_path)]
    assert node(tmp_path).returncode == 0


@pytest.mark.parametrize(
    "text",
    ["[" * 1_000_000, '{"a":' * 200_000, '{"__proto__": {"claim": "consistent"}}', '{"n": 1e999999}', "null", "\0", ""],
    ids=["lists", "objects", "prototype", "number", "null", "NUL", "nothing"],
)
def test_what_is_no_certificate(tmp_path, text):
    (tmp_path / "x.json").write_text(text)
    done = node(tmp_path / "x.json")
    assert done.returncode == 1
    assert "rejected: not " in done.stdout
    assert done.stderr == ""


def test_a_rejected_certificate(folder):
    path = folder / "good.json"
    path.write_text(path.read_text("utf-8").replace('"consistent"', '"inconsistent"'), "utf-8")
    done = node("--output", "json", folder)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [row["valid"] for row in rows] == [True, False]
    assert {name for name, value in rows[1].items() if value is not None} == {"certificate", "valid", "reason"}
    assert "rejected: " in node(folder).stdout


def test_what_cannot_be_opened(folder):
    done = node(folder / "good.json", folder / "none.json")
    assert done.returncode == 3
    assert "cannot be opened" in done.stderr
    assert node(folder / "none.json").returncode == 2
    assert node().returncode == 2
    assert "usage" in node("--nonsense", folder).stderr


def test_it_stands_alone(folder):
    """One file without dependencies; what it loads comes with Node.js."""
    text = Path(PROGRAM).read_text("utf-8")
    assert "import " not in text
    assert "</" not in text  # it can stand in a page
    assert "<!--" not in text
    assert all("node:" in line for line in text.splitlines() if 'require("' in line)
    copy = folder / "copy.js"
    copy.write_text(text, "utf-8")
    assert subprocess.run(["node", copy, folder / "good.json"], check=False, capture_output=True).returncode == 0


def test_bytes_that_are_not_utf_8(folder):
    path = folder / "good.json"
    for content in (path.read_bytes() + b"\xff", b"\xef\xbb\xbf" + path.read_bytes(), b"", b"[" * 100_000):
        path.write_bytes(content)
        assert node(path).returncode == 1


def test_scores_and_totals(tmp_path):
    examples = Path(__file__).resolve().parents[2] / "examples"
    folder = tmp_path / "scores"
    assert run(["score", str(examples / "gold"), str(examples / "system"), "--certificates", str(folder)]) == 0
    checks = tp.verify(folder)
    assert {check.claim for check in checks} == {"score", "total"}
    done = node("--output", "json", folder)
    assert done.returncode == 0
    found = {row["certificate"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert found == {row["certificate"]: row for row in checks.to_dict()}
    assert sorted(node(folder).stdout.splitlines()) == sorted(check.sentence() for check in checks)
    score = next(Path(check.certificate) for check in checks if check.claim == "score")
    score.write_bytes(score.read_bytes() + b"\n")
    assert node(folder).returncode == 1  # still a valid score, but not the one of the total
    total = next(Path(check.certificate) for check in checks if check.claim == "total")
    shutil.copy(total, tmp_path / "alone.json")
    assert "rejected" in node(tmp_path / "alone.json").stdout
