"""Mistakes that people make: the exit code, the stream, and the names that the message has to mention."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.commands.spelling import as_option
from temporacle.errors import UsageError, spelling

TIMEML = """<?xml version="1.0" ?>
<TimeML><TEXT>The ferry <EVENT eid="e1" class="OCCURRENCE">left</EVENT>
and <EVENT eid="e2" class="OCCURRENCE">docked</EVENT>.</TEXT>
<MAKEINSTANCE eventID="e1" eiid="ei1" tense="PAST" aspect="NONE" />
<MAKEINSTANCE eventID="e2" eiid="ei2" tense="PAST" aspect="NONE" />
<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2" />
</TimeML>
"""
FILES = {
    "ok.tsv": "a\tBEFORE\tb\nb\tBEFORE\tc\n",
    "contra.tsv": "a\tBEFORE\tb\nb\tBEFORE\ta\n",
    "typo.tsv": "a\tBEFOR\tb\n",
    "order.tsv": "doc\te1\te2\tBEFORE\ndoc\te2\te3\tBEFORE\n",
    "other.tsv": "x\tBEFORE\ty\n",
    "ferry.tml": TIMEML,
    "folder/one.tsv": "a\tBEFORE\tb\n",
    "folder/two.tsv": "a\tBEFORE\tb\n",
}
# command line -> exit code, and what its message must mention
MISTAKES = {
    "chek": (2, ["chek", "check"]),
    "check nosuch/": (2, ["nosuch"]),
    "check typo.tsv": (3, ["not checked", "BEFOR", "BEFORE", "temporacle explain --labels links"]),
    "check order.tsv": (3, ["not checked", "unknown label 'e2'"]),
    "check ok.tsv --readng x": (2, ["--readng", "--labels"]),
    "check ok.tsv --labels timml": (2, ["--labels timml", "timeml", "thyme"]),
    "check ok.tsv --format timm": (2, ["--format", "timeml"]),
    "check ok.tsv --mapping e3": (2, ["--mapping", "e3c"]),
    "check ok.tsv --columns sorce=a": (2, ["--columns", "source=a"]),
    "check ok.tsv --ignore self-lin": (2, ["self-link"]),
    "check ok.tsv --protect l99": (3, ["--protect l99", "link", "label"]),
    "check ok.tsv --time-limit soon": (2, ["--time-limit", "soon", "1m"]),
    "check ok.tsv --calendar whole": (2, ["--calendar=whole", "within", "document", "exact"]),
    "check ok.tsv --calendar=whole": (2, ["--calendar=whole", "within", "document", "exact"]),
    "check ok.tsv --zone +01:00": (2, ["--zone", "--calendar"]),
    "check ok.tsv --hemisphere north": (2, ["--hemisphere", "--calendar"]),
    "check ok.tsv --output report.html": (2, ["--output report.html", "-o report.html"]),
    "check ok.tsv --out json": (2, ["--out", "--output json"]),
    "fix contra.tsv --out -": (2, ["--out -", "--dry-run"]),
    "fix contra.tsv --out contra.tsv": (2, ["is the file itself: give --in-place"]),
    "fix contra.tsv --out json": (2, ["--out", "--output json", "./json"]),
    "report ok.tsv --out json": (2, ["--out", "./json"]),
    "report ok.tsv --output page.html": (2, ["--output", "--out"]),
    "formats --out json": (2, ["--out", "--output json"]),
    "explain --out json": (2, ["--out", "--output json"]),
    "official awareness ok.tsv ok.tsv --output page.html": (2, ["--output", "-o page.html"]),
    "check ok.tsv --in-place": (2, ["check", "reads", "temporacle fix", "--in-place"]),
    "fix contra.tsv": (2, ["--out OUT", "--in-place", "--dry-run"]),
    "closure contra.tsv": (1, ["contra", "inconsistent", "closure", "temporacle check contra.tsv"]),
    "closure typo.tsv": (3, ["typo: not checked", "BEFOR", "BEFORE"]),
    "reduce typo.tsv": (3, ["typo: not checked", "BEFOR", "BEFORE"]),
    "bounds typo.tsv": (3, ["typo: not checked", "BEFOR", "BEFORE"]),
    "closure ok.tsv --engine exakt": (2, ["--engine", "exact"]),
    "entails ferry.tml left BEFORE docked": (2, ['ei1 "left"']),
    "entails ferry.tml ei9 BEFORE ei1": (2, ["ei9", 'ei1 "left"', 'ei2 "docked"']),
    "entails folder a BEFORE b": (2, ["--document", "one", "two"]),
    "ask ferry.tml 'Is ei1 before ei9?'": (2, ["ei9", 'ei1 "left"']),
    "score ok.tsv ok.tsv --relaxed": (2, ["--relaxed", "--metric closure", "--metric core"]),
    "score ok.tsv ok.tsv --convention matres": (2, ["--convention", "--metric pairs"]),
    "score ok.tsv ok.tsv --metric awarness": (2, ["--metric", "awareness"]),
    "score ok.tsv other.tsv": (2, ["a, b", "x, y", "--id-map"]),
    "score ok.tsv nosuch.csv": (2, ["nosuch.csv", "no such file"]),
    "score nosuch.csv ok.tsv": (2, ["nosuch.csv", "no such file"]),
    "entails ferry.tml ei1 BEFORE dockd": (2, ["dockd", 'Did you mean ei2 "docked"?']),
    "bounds ferry.tml ei1 dockd": (2, ["dockd", 'Did you mean ei2 "docked"?']),
    "serve mpc": (2, ["mpc", "Did you mean mcp?", "inception"]),
    "serve": (2, ["NAME", "mcp, label-studio or inception"]),
    "formats tvs": (2, ["tvs", "Did you mean tsv?"]),
    "convert ok.tsv - --to jsnl": (2, ["jsnl", "Did you mean jsonl?"]),
    "experiment recall-decy -o x": (2, ["Did you mean recall-decay?"]),
    "official ok.tsv other.tsv": (2, ["unknown program 'ok.tsv'", "awareness", "comes first"]),
    "official": (2, ["PROGRAM is missing", "temporacle official --list"]),
    "check": (2, ["PATH... is missing", "project file", "temporacle init"]),
    "official awarenes ok.tsv ok.tsv": (2, ["Did you mean awareness?", "comes first"]),
    "audit ok.tsv ok.tsv --relations atomc": (2, ["--relations atomc", "Did you mean atomic?"]),
    "verify ferry.tml": (2, ["ferry.tml", "not a certificate", "TimeML", "check --certificates"]),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_gets_its_cure(files, capsys, line):
    code, words = MISTAKES[line]
    assert run(shlex.split(line)) == code
    captured = capsys.readouterr()
    said = captured.err if code == 2 else captured.err + captured.out
    assert not [word for word in words if word not in said], said
    if code == 2:
        assert captured.out == ""


def test_whole_numbers_are_ids(files, capsys):
    links = '{"source": 12, "relation": "BEFORE", "target": "13"}, {"source": "12", "relation": "BEFORE", "target": 13}'
    first = f'{{"document": "d", "entities": [12, {{"id": 13, "kind": "event"}}], "links": [{links}]}}\n'
    second = '{"document": "e", "links": [{"source": 1.5, "relation": "BEFORE", "target": true}]}\n'
    Path("ids.jsonl").write_text(first + second)
    assert run(["closure", "ids.jsonl", "--output", "json"]) == 3
    found, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert (found["source"], found["relation"], found["target"]) == ("12", ["b"], "13")
    assert other["skipped_links"] == {"bad-link": 1}
    assert [each.kind.value for each in next(tp.read_corpus("ids.jsonl")).entities] == ["unknown", "event"]


@pytest.mark.parametrize("output", ["table", "csv"])
@pytest.mark.parametrize("command", ["closure", "reduce", "bounds"])
def test_a_verdict_is_no_entity(files, capsys, command, output):
    assert run([command, "typo.tsv", "contra.tsv", "--output", output]) == (3 if command == "bounds" else 1)
    assert "typo" not in capsys.readouterr().out


def test_a_final_question_mark_is_allowed(files, capsys):
    assert run(["ask", "ferry.tml", "Is ei1 before ei2?"]) == 0
    assert "yes" in capsys.readouterr().out


# --- the same in Python ----------------------------------------------------------------------------------------------


def test_one_statement_instead_of_a_list():
    with pytest.raises(UsageError, match=r"one statement.*\[\('a', 'BEFORE', 'b'\)\]"):
        tp.check(("a", "BEFORE", "b"))


def test_label_and_target_exchanged():
    with pytest.raises(UsageError, match=r"\('a', 'BEFORE', 'b'\)"):
        tp.check([("a", "b", "BEFORE")])


def test_alignment_of_an_official_program():
    with pytest.raises(UsageError, match=r"tp\.official\("):
        tp.score([("a", "BEFORE", "b")], [("a", "BEFORE", "b")], align="tempeval3")


def test_scores_that_are_not_probabilities_say_so():
    (found,) = tp.decode([("a", "b", {"BEFORE": -1.5, "AFTER": -0.2})])
    assert "negative" in repr(found)
    assert "objective='weight'" in repr(found)


def test_a_name_that_protects_nothing_is_a_warning():
    with pytest.warns(UserWarning, match="protect: l99"):
        tp.check([("a", "BEFORE", "b")], protect=["l99"])


# --- errors are data -------------------------------------------------------------------------------------------------


def test_one_error_two_spellings():
    error = UsageError(option="in_place", needs=["repair", "annotate"])
    with spelling(as_option):
        assert str(error).startswith("--in-place has an effect only with --repair or --annotate.")
    assert str(error).startswith("in_place= has an effect only with repair= or annotate=.")


def test_an_error_survives_the_way_from_a_worker():
    import pickle

    error = UsageError("why", option="labels", value="timml", allowed=["timeml"], cure="do that")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), json.dumps(vars(again))) == (str(error), json.dumps(vars(error)))


@pytest.mark.parametrize(
    ("line", "module", "extra"),
    [
        ("serve label-studio", "uvicorn", "serve"),
        ("serve mcp", "mcp", "mcp"),
        ("workbench ok.tsv --no-browser", "uvicorn", "serve"),
        ("check ok.tsv --backend dask --scheduler tcp://localhost:1", "dask", "cluster"),
    ],
)
def test_a_missing_extra_is_named(files, line, module, extra):
    """In a process of its own, in which the packages have not been loaded before."""
    block = f"import sys; sys.modules[{module!r}] = None; from temporacle.cli import main; main({shlex.split(line)!r})"
    run_it = [sys.executable, "-c", block]
    done = subprocess.run(run_it, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.strip().endswith(f"needs the extra {extra}: pip install 'temporacle[{extra}]'")
