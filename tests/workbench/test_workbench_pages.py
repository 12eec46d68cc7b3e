"""The examples of docs/workbench-api.md, run as they stand against a workbench."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from workbench_runs import EXAMPLES, running

PAGE = Path(__file__).parents[2] / "docs" / "workbench-api.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    here = tmp_path_factory.mktemp("pages")
    shutil.copytree(EXAMPLES, here / "corpus")
    with running("corpus", cwd=here) as found:
        yield found


@pytest.mark.skipif(shutil.which("curl") is None, reason="this machine has no curl")
def test_the_shell_examples_answer_what_the_page_shows(bench, tmp_path):
    """A JSON block is the answer to the shell block before it."""
    environment = {"ADDRESS": f"http://{bench.place}", "TOKEN": bench.token, "PATH": "/usr/bin:/bin"}
    compared = 0
    for (language, command), (after, shown) in zip(BLOCKS, [*BLOCKS[1:], ("", "")], strict=True):
        if language == "sh" and "curl" in command:
            done = subprocess.run(
                ["sh", "-c", command], env=environment, capture_output=True, text=True, check=True, cwd=tmp_path
            )
            answer = json.loads(done.stdout)
            assert "error" not in answer
            if after == "json":
                assert answer == json.loads(shown)
                compared += 1
    assert compared >= 3


def test_the_python_example_runs(bench, capsys):
    (program,) = (block for language, block in BLOCKS if language == "python")
    exec(program, {"ADDRESS": f"http://{bench.place}", "TOKEN": bench.token})
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.endswith("-> consistent") for line in lines)
