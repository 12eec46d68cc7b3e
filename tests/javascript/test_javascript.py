"""The JavaScript: its tests run in Node.js, and its tools are pinned."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FILES = sorted(HERE.glob("*.test.mjs"))
TOOLS = json.loads((ROOT / "package.json").read_text("utf-8"))
OLDEST = tuple(map(int, TOOLS["engines"]["node"].removeprefix(">=").split(".")))


def node():
    """Return the path of a Node.js that can load the modules of the pages, or skip the test."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("the tests of the JavaScript need Node.js (node)")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", said)[:2])) < OLDEST:
        pytest.skip(f"the tests of the JavaScript need Node.js {TOOLS['engines']['node']}, this is {said.strip()}")
    return found


def test_the_tests_in_node_pass():
    command = [node(), "--no-warnings", "--test", "--test-reporter=tap", *map(str, FILES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    failed = re.findall(r"^not ok \d+ - (.*)$", done.stdout, re.MULTILINE)
    assert (done.returncode, failed) == (0, []), done.stdout[-4000:] + done.stderr[-4000:]
    written = sum(len(re.findall(r"^test\(", path.read_text("utf-8"), re.MULTILINE)) for path in FILES)
    assert int(re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)[1]) == written > 0


def test_tools_are_pinned_and_no_address_is_kept():
    assert TOOLS["private"]
    assert "dependencies" not in TOOLS  # pages load nothing but our own files
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in TOOLS["devDependencies"].values())
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert {"node_modules/", "package-lock.json"} <= set(ignored)
