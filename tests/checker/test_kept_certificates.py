"""Certificates of every version that were written before: both checkers still accept them, and no false copy of them.

They are in ``tests/golden/certificates``, and about documents in ``examples``. Those of version 1, and those of version
2 with clauses, were written by Temporacle 0.2.0; the others are as the version after it writes them.
"""

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from changes import verdict
from small_certificates import ATOMS

from temporacle.checker import in_folder, parse

PROGRAM = str(files("temporacle") / "data" / "checker.js")
KEPT = Path(__file__).resolve().parents[1] / "golden" / "certificates"


def mirrored(certificate):
    """The witness runs backwards."""
    certificate["witness"] = {name: [-end, -start] for name, (start, end) in certificate["witness"].items()}


def emptied(certificate):
    """A link of the conflict allows every atom. The proof needs it."""
    number = next(each for each in certificate["conflict"] if isinstance(each, int))
    certificate["links"][number] |= {"relation": ATOMS, "label": "any"}
    found = {(link["label"], tuple(link["relation"])) for link in certificate["links"]}
    certificate["readings"] = [[label, list(atoms)] for label, atoms in sorted(found)]
    certificate["needed"] = None


def emptied_answer(certificate):
    emptied(certificate)
    del certificate["needed"]


def dated(certificate):
    """The value of a time expression says something else."""
    certificate["values"][0]["constraints"][0][2] += 1


def narrowed(certificate):
    """A pair that can be in several relations gets one fewer."""
    pairs = [pair for part in certificate["parts"] for pair in part["pairs"]]
    pair = next(pair for pair in pairs if len(pair[1]) > 1)
    del pair[1][0], pair[4][0]


def more(*path):
    """A number is one larger, or a fraction another one."""

    def change(certificate):
        *way, last = path
        for name in way:
            certificate = certificate[name]
        old = certificate[last]
        certificate[last] = str(int(old) + 1) if isinstance(old, str) else old + 1

    return change


def unbound(certificate):
    """Another file has the proof."""
    certificate["proof"]["sha256"] = "0" * 64


FALSE = {
    "v1/cases.json": emptied,
    "v1/consistent.json": mirrored,
    "v1/entailed.json": emptied_answer,
    "v1/inconsistent.json": emptied,
    "v1/open.json": mirrored,
    "v1/refuted.json": emptied_answer,
    "v2/clauses.json": emptied,
    "v2/consistent.json": mirrored,
    "v2/entailed.json": dated,
    "v2/inconsistent.json": emptied,
    "v2/refuted-clauses.json": emptied_answer,
    "v3/closure.json": narrowed,
    "v3/decode.json": more("value"),
    "v3/file/puzzle.json": unbound,
    "v3/hints.json": emptied,
    "v3/refuted-hints.json": emptied_answer,
    "v3/repair.json": more("weight"),
    "v3/scores/harbour.json": more("counts", "recall_matched"),
    "v3/scores/market.json": more("counts", "gold_total"),
    "v3/scores/total.json": more("counts", "system_total"),
    "v4/bound.json": more("bound"),
    "v4/cores.json": more("bound"),
}


@pytest.fixture
def folder(tmp_path):
    """A copy of the kept certificates, with a false copy beside each."""
    shutil.copytree(KEPT, tmp_path / "kept")
    for name, change in FALSE.items():
        path = tmp_path / "kept" / name
        certificate = json.loads(path.read_bytes())
        change(certificate)
        path.with_suffix(".false.json").write_text(json.dumps(certificate), "utf-8")
    return tmp_path / "kept"


def accepted(folder):
    """What the first checker accepts."""
    found = set()
    for path in sorted(folder.rglob("*.json")):
        about = {"others": in_folder(str(path.parent)), "folder": str(path.parent)}
        if verdict(path.read_bytes(), **about) is None:
            found.add(path.relative_to(folder).as_posix())
    return found


def test_every_version_and_claim_is_kept():
    kept = {path.relative_to(KEPT).as_posix(): parse(path.read_bytes()) for path in KEPT.rglob("*.json")}
    assert kept.keys() == FALSE.keys()
    assert all(name.startswith(f"v{certificate['version']}/") for name, certificate in kept.items())
    assert {(certificate["version"], certificate["claim"]) for certificate in kept.values()} >= {
        *((1, claim) for claim in ("consistent", "inconsistent", "entailed", "refuted", "open")),
        *((2, claim) for claim in ("consistent", "inconsistent", "entailed", "refuted")),
        *((3, claim) for claim in ("inconsistent", "refuted", "closure", "repair", "decode", "score", "total")),
        (4, "repair"),
    }


def test_they_are_accepted_and_false_copies_are_not(folder):
    assert accepted(folder) == FALSE.keys()


@pytest.mark.skipif(shutil.which("node") is None, reason="the second checker needs Node.js (node)")
def test_the_second_checker_agrees(folder):
    done = subprocess.run(["node", PROGRAM, "--output", "json", folder], capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 2 * len(FALSE)
    found = {Path(each["certificate"]).relative_to(folder).as_posix() for each in answers if each["valid"]}
    assert found == FALSE.keys()
    assert all(each["valid"] is not None for each in answers)
