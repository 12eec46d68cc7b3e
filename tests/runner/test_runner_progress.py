"""The progress bar: on a terminal, for long work, with rate and time left; nothing of it elsewhere."""

import os
import re
import subprocess
import sys

import pytest
from runs import environment, line
from shares import few

from temporacle.commands.terminal import Bar, total_size

pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")

# A corpus that takes longer than the bar waits for would take longer than a test should: so the bar does not wait.
PROGRAM = """
import sys
from temporacle.commands import terminal
from temporacle.cli import run

if __name__ == "__main__":
    terminal._PATIENCE = float(sys.argv[1])
    sys.exit(run(sys.argv[2:]))
"""
SOON, NEVER = "0", "10000"
COMMANDS = {
    "check": ["check", "gold.jsonl", "--jobs", "1", "--output", "json"],
    "score": ["score", "gold.jsonl", "system.jsonl", "--jobs", "1", "--output", "json"],
    "audit": ["audit", "gold.jsonl", "system.jsonl", "--evidence", "0", "--jobs", "1", "--output", "json"],
    "report": ["report", "gold.jsonl", "-o", "page.html", "--jobs", "1"],
    "live": ["audit", "--implementation", "tests_closure.py:nothing", "--cases", "60", "--no-vary"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    for side in ("gold", "system"):
        (folder / f"{side}.jsonl").write_text("".join(line(f"d{number}", 15) for number in range(200)))
    (folder / "tests_closure.py").write_text("def nothing(links):\n    return links\n")
    (folder / "program.py").write_text(PROGRAM)
    return folder


def on_a_terminal(folder, patience, arguments):
    """What a terminal gets on standard error, with escape sequences; the rest goes to a file."""
    parent, child = pty.openpty()
    command = [sys.executable, "program.py", patience, *arguments]
    with (
        (folder / "printed").open("w") as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=child, env=terminal()) as process,
    ):
        os.close(child)
        seen = b""
        try:
            while some := os.read(parent, 1 << 16):
                seen += some
        except OSError:  # the other end was closed
            pass
        os.close(parent)
        process.wait()
    return seen.decode()


def terminal():
    return {**environment(), "TERM": "xterm-256color", "COLUMNS": "120"}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_long_work_shows_rate_and_time_left(folder, name):
    seen = on_a_terminal(folder, SOON, COMMANDS[name])
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    assert re.search(r"\d+ (documents|cases), [\d,]+/s", plain)
    assert re.search(r"\d+%", plain)
    assert re.search(r"(\d|-):(\d\d|--):(\d\d|--)", plain)


@pytest.mark.slow
def test_answers_go_where_they_should_beside_the_bar(folder):
    seen = on_a_terminal(folder, SOON, COMMANDS["score"])
    assert "/s" in seen
    command = [sys.executable, "program.py", SOON, *COMMANDS["score"]]
    quiet = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=terminal(), check=True)
    assert (folder / "printed").read_text() == quiet.stdout
    assert len(quiet.stdout.splitlines()) == 201


def test_short_work_shows_nothing(folder):
    assert "/s" not in on_a_terminal(folder, NEVER, COMMANDS["score"])


@pytest.mark.parametrize("name", few(COMMANDS))
def test_nothing_of_it_is_written_anywhere_else(folder, name):
    command = [sys.executable, "program.py", SOON, *COMMANDS[name]]
    done = subprocess.run(command, cwd=folder, capture_output=True, env=terminal(), check=False)
    assert b"/s" not in done.stderr
    assert b"\x1b" not in done.stderr


def test_totals_are_known_unless_something_is_compressed(tmp_path):
    (tmp_path / "a.tsv").write_bytes(b"12345")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.tsv").write_bytes(b"123")
    assert total_size([str(tmp_path)]) == 8
    assert total_size(["-"]) is None
    (tmp_path / "c.gz").write_bytes(b"1")
    assert total_size([str(tmp_path)]) is None
    assert not Bar.over(str(tmp_path)).wanted
