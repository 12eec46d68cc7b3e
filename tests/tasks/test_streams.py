"""A stream that cannot be written is exit 3 or 141, never "yes" and never "no": for every command."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")

COMMANDS = {
    "check": ["check", "ok.tsv"],
    "check no": ["check", "bad.tsv"],
    "closure": ["closure", "ok.tsv", "--output", "json"],
    "closure no": ["closure", "bad.tsv"],
    "entails": ["entails", "ok.tsv", "a", "b", "c"],
    "entails no": ["entails", "ok.tsv", "c", "b", "a"],
    "reduce": ["reduce", "ok.tsv"],
    "convert": ["convert", "ok.tsv", "out.jsonl"],
    "convert to the stream": ["convert", "ok.tsv", "-", "--to", "tsv"],
    "score": ["score", "ok.tsv", "ok.tsv"],
    "agree": ["agree", "ok.tsv", "ok.tsv"],
    "official": ["official", "awareness", "ok.tsv", "ok.tsv"],
    "verify": ["verify", "ok.json"],
    "verify no": ["verify", "bad.tsv"],
    "report": ["report", "ok.tsv", "-o", "page.html"],
    "crosscheck": ["crosscheck", "--cases", "1"],
    "apply": ["apply", "ok.tsv", "--drop", "1", "-o", "applied.tsv"],
    "ask": ["ask", "ok.tsv", "IS a BEFORE c"],
    "audit": ["audit", "ok.tsv", "ok.tsv"],
    "bounds": ["bounds", "ok.tsv"],
    "diff": ["diff", "ok.tsv", "ok.tsv"],
    "stats": ["stats", "ok.tsv"],
    "decode": ["decode", "scores.jsonl"],
    "experiment": ["experiment", "recall-decay", "-o", "figures", "--help"],
    "explain": ["explain", "self-link"],
    "formats": ["formats"],
    "docs": ["docs", "--print"],
    "init": ["init", "--dry-run"],
    "fix": ["fix", "bad.tsv", "--dry-run"],
    "serve": ["serve", "--help"],
    "workbench": ["workbench", "--help"],
    "help": ["--help"],
    "version": ["--version"],
    "wrong usage": ["nonsense"],
    "debug": ["--debug", "closure", "ok.tsv", "--engine", "magic"],
}
STREAMS = [">&-", "2>&-", ">/dev/full", "2>/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    import temporacle as tp

    here = tmp_path_factory.mktemp("streams")
    (here / "ok.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    (here / "bad.tsv").write_text("a\tb\tb\nb\tb\ta\n")
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": 0.9, "AFTER": 0.1}}
    (here / "scores.jsonl").write_text(json.dumps({"document": "d", "pairs": [pair]}))
    tp.Oracle(here / "ok.tsv").certificate().write(here / "ok.json")
    return here


def code_of(folder, arguments, streams):
    quoted = " ".join(f"'{argument}'" for argument in arguments)
    command = f"'{sys.executable}' -m temporacle {quoted} {streams}"
    done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr + done.stdout or "--debug" in arguments
    return done.returncode


def test_every_command_is_tried():
    from temporacle.cli import COMMANDS as KNOWN

    assert set(KNOWN) <= {arguments[0] for arguments in COMMANDS.values()}


@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("name", ["check", "check no", "entails no", "convert", "help"])
def test_it_is_neither_yes_nor_no(folder, name, streams):
    assert code_of(folder, COMMANDS[name], streams) in (3, 141)


@pytest.mark.slow
@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("check", "check no", "entails no")])
def test_so_for_every_command(folder, name, streams):
    assert code_of(folder, COMMANDS[name], streams) in (3, 141)


def test_a_reader_that_has_enough_is_141(folder):
    (folder / "long.tsv").write_text("".join(f"e{k}\tb\te{k + 1}\n" for k in range(300)))
    command = f"'{sys.executable}' -m temporacle closure long.tsv --output json | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "code"), [("check", 0), ("check no", 1), ("verify", 0), ("wrong usage", 2), ("debug", 2)]
)
def test_streams_that_can_be_written_change_nothing(folder, name, code):
    assert code_of(folder, COMMANDS[name], ">/dev/null") == code
    assert code_of(folder, COMMANDS[name], "2>/dev/null") == code
