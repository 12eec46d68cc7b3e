"""Every command once, as a process: its exit code, and words that only the right answer has."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from runs import environment

from temporacle.cli import COMMANDS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FERRY = "examples/corpus/ferry.tml"
# What stands behind the command, the exit code, and words of the output or of the file that is written.
RUNS = {
    "agree": ("examples/gold examples/system", 0, "gold    system  0.8333  0.2222  0.3509  9"),
    "apply": (f"{FERRY} --relabel l6=AFTER -o out", 0, '<TLINK lid="l6" relType="AFTER" '),
    "ask": (f"{FERRY} 'IS ei4 BEFORE ei6'", 0, "yes     l5 l6"),
    "audit": ("examples/audit/links.tsv examples/audit/closure.tsv", 1, "exact:   left b unloaded"),
    "bounds": ("examples/calendar/harbour.tml ei1", 0, "after 2019-03-08T00:00 … before 2019-03-09"),
    "check": ("examples/corpus", 1, "4 documents: 2 consistent, 2 inconsistent"),
    "closure": (f"{FERRY} --output json", 0, '"source": "ei1", "relation": ["d"], "target": "t1"}'),
    "convert": (f"{FERRY} out.jsonl", 0, '{"document": "ferry", "entities": [{"id": "ei1"'),
    "crosscheck": ("--cases 5 --engine exact --engine certificates", 0, "agrees"),
    "decode": ("examples/scores.jsonl", 0, "2 documents: 2 optimal; 1 of 6 labels changed"),
    "diff": ("examples/gold examples/system", 1, "2 documents: 2 different; links: 3 added, 6 removed"),
    "entails": (f"{FERRY} ei4 BEFORE ei6 --certificate certificate.json", 0, "ei4 BEFORE ei6: entailed"),
    "experiment": ("recall-decay --entities 4 --graphs 1 --samples 1 -o results", 0, "recall-decay"),
    "explain": ("unknown-label", 0, "The label of a link is not known."),
    "fix": ("examples/corpus --dry-run", 1, "4 documents: 2 changed; links: 2 removed"),
    "formats": ("timeml", 0, "TimeML 1.2.1 and its variants"),
    "docs": ("--print", 0, "index.html"),
    "official": ("awareness examples/gold examples/system", 0, "Score (F1 score): 35.0877"),
    "init": ("examples/corpus --dry-run", 0, "include = ["),
    "reduce": (FERRY, 0, "ei1.end                <      ei2.end"),
    "report": ("examples/corpus -o out", 0, "<!DOCTYPE html>"),
    "score": ("examples/gold examples/system", 0, "TOTAL     0.8333  0.2222  0.3509  9"),
    "stats": ("examples/corpus", 0, "50.00 % of pairs decided, 91.18 % known (left out: 2 inconsistent)"),
    "verify": (f"certificate.json --document {FERRY}", 0, "certificate.json: valid: "),
}


def start(name, arguments=(), **how):
    command = [sys.executable, "-m", "temporacle", name, *arguments]
    surroundings = environment() | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    return subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


@pytest.fixture
def in_a_copy(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


def answer_of(name):
    arguments, code, words = RUNS[name]
    with start(name, shlex.split(arguments)) as process:
        printed, errors = process.communicate()
    assert process.returncode == code, errors
    return words, printed + errors + "".join(path.read_text("utf-8") for path in Path().glob("out*"))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.usefixtures("in_a_copy")
def test_a_command_that_ends(name):
    if name == "experiment":
        pytest.importorskip("matplotlib", reason="figures need the extra: pip install -e '.[figures]'")
    if name == "verify":
        answer_of("entails")
    words, answer = answer_of(name)
    assert words in answer


def test_the_server_of_tools():
    pytest.importorskip("mcp", reason="needs the extra: pip install -e '.[mcp]'")
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    with start("serve", ["mcp"], stdin=subprocess.PIPE) as process:
        printed, _ = process.communicate(json.dumps(hello) + "\n")
    assert process.returncode == 0
    assert json.loads(printed)["result"]["serverInfo"]["name"] == "temporacle"


@pytest.mark.usefixtures("in_a_copy")
def test_the_server_of_pages():
    pytest.importorskip("starlette", reason="needs the extra: pip install -e '.[workbench]'")
    with start("workbench", ["examples/corpus", "--no-browser"]) as process:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.terminate()
        process.communicate()
    assert process.returncode == 0


@pytest.mark.parametrize("name", ["label-studio", "inception"])
def test_the_servers_of_annotation_tools(name):
    pytest.importorskip("starlette", reason="needs the extra: pip install -e '.[serve]'")
    with start("serve", [name, "--port", "0"]) as process:
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.terminate()
        process.communicate()
    assert process.returncode == 0


def test_no_command_is_missing():
    assert {*RUNS, "serve", "workbench"} == set(COMMANDS)
