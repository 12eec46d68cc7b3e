"""The checker survives anything, accepts only what it should, and stands alone."""

import ast
import contextlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from temporacle import checker
from temporacle.checker import Rejected, digest, kernel, verify
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.relation import ATOMS, EXAMPLES

FOLDER = Path(checker.__file__).parent
SOURCES = sorted(FOLDER.rglob("*.py"))
ABOUT = dict.fromkeys(("path", "sha256", "format", "reading", "during", "encoding")) | {"id": "d"}
GOOD = json.dumps(to_json(Oracle([("a", "b", "b"), ("b", "b|m", "a")]).certificate(), ABOUT))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_it_imports_the_standard_library_only(source):
    """And what stands in its own folder."""
    tree = ast.parse(source.read_text("utf-8"))
    depth = len(source.relative_to(FOLDER).parts)
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= depth
            if not node.level:
                imported.add((node.module or "").partition(".")[0])
    assert imported <= set(sys.stdlib_module_names) | {"__future__"}


def test_it_is_short():
    """Eight files to read, beside the one that lists them."""
    assert len(SOURCES) == 9
    lines = [len(source.read_text("utf-8").splitlines()) for source in SOURCES]
    assert max(lines) < 500
    assert sum(lines) < 2600


def test_its_table_is_the_one_of_the_library():
    """Written twice on purpose; compared here."""
    assert kernel.EXAMPLES == EXAMPLES
    assert list(ATOMS) == kernel.ATOMS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "true",
        "1e999",
        "NaN",
        '"temporacle-certificate"',
        b"\xff\xfe\x00",
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"format": "temporacle-certificate"}',
        '{"format": "temporacle-certificate", "version": 1}',
        '{"format": "temporacle-certificate", "version": 1, "claim": ["consistent"]}',
        '{"format": "temporacle-certificate", "version": 1.0, "claim": "consistent"}',
        '{"format": "temporacle-certificate", "version": ' + "9" * 10_000 + "}",
        GOOD.replace('"version": 1', '"version": 1, "version": 1'),
        GOOD.replace("[0, 1]", "[0, " + "9" * 5000 + "]"),
        GOOD.replace("[0, 1]", "[0, 1.0]"),
        GOOD.replace("[0, 1]", "[NaN, 1]"),
        GOOD.replace("[0, 1]", "[false, true]"),
        GOOD.replace("[0, 1]", "[0, 1" + "0" * 19 + "]"),
        GOOD.replace('"line": null', '"line": 1' + "0" * 19, 1),
        GOOD.encode("utf-16"),
        GOOD.encode("utf-8-sig"),
        GOOD.replace('"id": "d"', '"id": "\ud800"').encode("utf-8", "surrogatepass"),
        GOOD[:-2],
        GOOD + "x",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_nonsense_is_rejected(text):
    with pytest.raises(Rejected):
        verify(text)


def test_the_good_one_holds():
    assert verify(GOOD)["claim"] == "inconsistent"


def test_random_bytes_in_a_certificate():
    """Whatever single characters are replaced: accepted or rejected, never anything else."""
    rng = Random(1)
    for _ in range(800):
        characters = list(GOOD)
        for _ in range(rng.randint(1, 3)):
            characters[rng.randrange(len(characters))] = rng.choice('0123456789[]{}",:.-abn<=')
        with contextlib.suppress(Rejected):
            verify("".join(characters))


def with_proof(*steps):
    certificate = json.loads(GOOD)
    certificate["proof"] = list(steps)
    return json.dumps(certificate)


@pytest.mark.parametrize(
    "steps",
    [
        [],
        [{}],
        [{"cycle": []}],
        [{"cycle": [], "split": 0}],
        [{"split": 0, "cases": []}],
        [{"split": 0, "cases": [[["b"], 0]]}],  # refutes itself
        [{"split": 0, "cases": [[["b"], 1]]}, {"split": 0, "cases": [[["b"], 0]]}],  # in a circle
        [{"split": 0, "cases": [[["b"], 1]]}, {"split": 0, "cases": [[["b"], 1]]}],
        [{"split": 0, "cases": [[["b"], 10**30]]}],
        [{"split": 0, "cases": [[["b"], -1]]}],
        [{"split": 7, "cases": []}],
        [{"split": True, "cases": []}],
        [{"split": "query", "cases": []}],
        [{"cycle": [["a.start", "<", "a.start", None]]}],
        [{"cycle": [["a.end", "<", "a.end", 0]]}],
        [{"cycle": [["a.start", "<", "a.end", None], ["a.end", "<=", "a.start", None]]}],
        [{"cycle": [["a.start", "<", "b.end", None], ["b.end", "<=", "a.start", 1]]}],
        [{"cycle": [["a.start", "<=", "b.end", 0], ["b.end", "<=", "a.start", 1]]}],
        [{"cycle": [[".start", "<", ".end", None], [".end", "<", ".start", 0]]}],
        [{"cycle": [["a", "<", "b", 0], ["b", "<", "a", 1]]}],
        [{"cycle": "abc"}],
        [{"cycle": [["a.start", "<", "a.end", None, 1]]}],
        [{"cycle": [["a.start", ["<"], "a.end", None]]}],
        [[]],
        None,
    ],
)
def test_proofs_that_prove_nothing(steps):
    text = with_proof(*steps) if steps is not None else GOOD.replace('"proof": [', '"proof": null, "x": [')
    with pytest.raises(Rejected):
        verify(text)


@pytest.mark.parametrize("value", [0, 1, False, True, "", "x", {}, {"a": [0, 1]}, [], [None], [[]], [{}], [[], []], -1])
@pytest.mark.parametrize("field", ["needed", "conflict", "proof", "links", "readings", "document", "claim"])
def test_every_part_with_every_kind_of_value(field, value):
    certificate = json.loads(GOOD)
    certificate[field] = value
    with pytest.raises(Rejected):
        verify(json.dumps(certificate))


def test_needed_may_be_left_out():
    certificate = json.loads(GOOD)
    certificate["needed"] = None
    assert verify(json.dumps(certificate))


def test_digest_binds_to_the_file(tmp_path):
    file = tmp_path / "d.tsv"
    file.write_text("a\tBEFORE\tb\n")
    certificate = json.loads(GOOD)
    with pytest.raises(Rejected, match="no digest"):
        verify(json.dumps(certificate), str(file))
    certificate["document"]["sha256"] = digest(str(file))
    text = json.dumps(certificate)
    assert verify(text, str(file))
    file.write_text("a\tBEFORE\tb\n\n")
    with pytest.raises(Rejected, match="not the file"):
        verify(text, str(file))


def test_digest_of_a_folder(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.tab").write_text("1")
    (tmp_path / "b.tab").write_text("2")
    first = digest(str(tmp_path))
    assert first == digest(str(tmp_path))
    (tmp_path / "x" / "a.tab").rename(tmp_path / "a.tab")
    assert digest(str(tmp_path)) != first


def test_it_runs_by_itself(tmp_path):
    """Copied away from the package, with the bare interpreter."""
    alone = shutil.copytree(FOLDER, tmp_path / "under another name")
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(GOOD)
    bad.write_text(GOOD.replace('"inconsistent"', '"consistent"'))

    def run(path):
        return subprocess.run(
            [sys.executable, "-I", str(alone), str(path)], capture_output=True, text=True, check=False
        )

    assert run(good).returncode == 0
    assert "holds" in run(good).stdout
    assert run(bad).returncode == 1
    assert run(bad).stderr.startswith("rejected")
    assert run(tmp_path / "missing.json").returncode == 1
    odd = json.loads(GOOD)
    odd["document"]["reading"] = "\x1b[2J\ud800"  # clears a terminal, and half a character
    good.write_text(json.dumps(odd))
    assert (run(good).returncode, r"label set \x1b[2J\ud800, " in run(good).stdout) == (0, True)
