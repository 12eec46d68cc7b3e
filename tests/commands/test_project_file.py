"""The project file: found above the inputs, below the options, named in every answer."""

import json

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError

FILE = """
include = ["gold/**/*.tsv"]
time-limit = "1m"
allow = ["unknown-label"]
[labels]
PRECEDES = "b"
[[folder]]
path = "gold/b"
labels = "matres"
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    (tmp_path / "gold" / "b").mkdir(parents=True)
    (tmp_path / "gold" / "x.tsv").write_text("a\tPRECEDES\tb\nb\tPRECEDES\ta\n")
    (tmp_path / "gold" / "b" / "y.tsv").write_text("a\tBEFORE\tb\n")
    (tmp_path / "temporacle.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(capsys, *line, code):
    assert run([*line, "--output", "json"]) == code
    captured = capsys.readouterr()
    return [json.loads(each) for each in captured.out.splitlines()], captured.err


def test_it_says_what_to_check_and_what_labels_mean(files, capsys):
    found, said = rows(capsys, "check", code=1)
    assert {row["path"]: row["verdict"] for row in found} == {
        "gold/x.tsv": "inconsistent",
        "gold/b/y.tsv": "consistent",
    }
    (config,) = {row["config"] for row in found}
    assert len(config) == 8
    assert said.count("temporacle.toml") == 1
    (other,), _ = rows(capsys, "check", "gold/b", code=0)  # a path replaces what is included
    assert other["path"] == "gold/b/y.tsv"


def test_a_folder_has_keys_of_its_own(files, capsys):
    (row,), _ = rows(capsys, "closure", "gold/b", code=0)
    assert row["relation"] == ["b", "m", "o", "fi", "di"]


def test_an_option_comes_first_and_no_config_last(files, capsys):
    (row,), _ = rows(capsys, "closure", "gold/b", "--labels", "timeml", code=0)
    assert row["relation"] == ["b"]
    (row,), said = rows(capsys, "check", "gold/x.tsv", "--no-config", code=3)
    assert row["verdict"] == "unchecked"
    assert "config" not in row
    assert "temporacle.toml" not in said


def test_the_signature_names_it(files, capsys):
    found, _ = rows(capsys, "score", "gold/x.tsv", "gold/x.tsv", code=0)
    assert f"config:{found[-1]['config']}" in found[-1]["signature"]


def test_each_side_has_its_own(files, capsys):
    other = files / "elsewhere"
    (other / ".git").mkdir(parents=True)
    (other / "x.tsv").write_text("a\tPRECEDES\tb\nb\tPRECEDES\ta\n")
    found, _ = rows(capsys, "score", "gold/x.tsv", "elsewhere/x.tsv", code=0)
    assert f"gold-config:{found[-1]['config']}|system-config:none" in found[-1]["signature"]


def test_the_search_stops_at_a_repository(files, capsys):
    (files / "inner" / ".git").mkdir(parents=True)
    (files / "inner" / "x.tsv").write_text("a\tPRECEDES\tb\n")
    (row,), _ = rows(capsys, "check", "inner/x.tsv", code=3)
    assert row["verdict"] == "unchecked"


def test_another_file_can_be_named(files, capsys):
    (files / "mine.toml").write_text('labels = "tempeval"\n')
    (row,), said = rows(capsys, "check", "gold/b", "--config", "mine.toml", code=0)
    assert "mine.toml" in said
    assert row["verdict"] == "consistent"
    assert run(["check", "gold/b", "--config=nosuch.toml"]) == 2


def test_a_file_that_is_named_holds_for_inputs_outside_its_folder(files, capsys):
    (files / "elsewhere").mkdir()
    (files / "elsewhere" / "mine.toml").write_text('[labels]\nPRECEDES = "b"\n')
    (row,), _ = rows(capsys, "check", "gold/x.tsv", "--config", "elsewhere/mine.toml", code=1)
    assert row["skipped_links"] == {}
    assert tp.check("gold/x.tsv", config="elsewhere/mine.toml")[0].verdict.value == "inconsistent"


# An order that the values of the times contradict.
DATED = """<?xml version="1.0" ?>
<TimeML><DCT><TIMEX3 tid="t0" type="DATE" value="1998-02-09" functionInDocument="CREATION_TIME">x</TIMEX3></DCT>
<TEXT>on <TIMEX3 tid="t1" type="DATE" value="1998-02-10">x</TIMEX3></TEXT>
<TLINK lid="l1" relType="AFTER" timeID="t0" relatedToTime="t1"/></TimeML>
"""


@pytest.fixture
def dated(files):
    (files / "temporacle.toml").write_text('include = ["dated"]\ncalendar = "within"\nbaseline = "known.json"\n')
    (files / "dated").mkdir()
    (files / "dated" / "d.tml").write_text(DATED)
    return files


def test_the_calendar_holds_for_included_files_and_in_python(dated, capsys):
    (row,), _ = rows(capsys, "check", "--write-baseline", "known.json", code=0)  # the first time there is no baseline
    assert (row["verdict"], row["calendar"]["policy"]) == ("inconsistent", "within")
    (row,), _ = rows(capsys, "check", code=0)  # known
    named = {"config": "temporacle.toml", "baseline": None}
    assert tp.check("dated", **named)[0].verdict.value == "inconsistent"
    assert tp.check("dated", calendar=False, **named)[0].verdict.value == "consistent"
    assert not isinstance(tp.Oracle("dated/d.tml", config="temporacle.toml").consistency(), tp.Consistent)
    assert "calendar:within" in tp.score("dated", "dated", config="temporacle.toml", allow="same-input").signature


def test_the_calendar_is_for_scores_that_have_one(dated, capsys):
    line = ["score", "dated", "dated", "--allow", "same-input"]
    for metric in ("pairs", "closure"):
        found, _ = rows(capsys, *line, "--metric", metric, code=0)
        assert "calendar:" not in found[-1]["signature"]
        given = {"metric": metric, "config": "temporacle.toml", "allow": "same-input"}
        assert "calendar:" not in tp.score("dated", "dated", **given).signature
    found, _ = rows(capsys, *line, "--metric=awareness", "--metric=closure", code=0)
    assert ["calendar:within" in row["signature"] for row in found if "signature" in row] == [True, False]


def test_the_digest_is_the_same_from_every_folder(dated, capsys, monkeypatch):
    (row,), _ = rows(capsys, "check", "--write-baseline", "known.json", code=0)
    monkeypatch.chdir(dated / "dated")
    (other,), _ = rows(capsys, "check", "d.tml", code=0)
    assert other["config"] == row["config"]


@pytest.mark.parametrize("place", ["temporacle.toml", "dated/temporacle.toml"])
def test_a_run_has_one_calendar(dated, capsys, place):
    (dated / "temporacle.toml").write_text("")
    (dated / "own").mkdir()
    (dated / "own" / "e.tml").write_text(DATED)
    text = '[[folder]]\npath = "dated"\n' if place == "temporacle.toml" else ""
    (dated / place).write_text(f'{text}calendar = "exact"\n')
    assert run(["check", "."]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--calendar: project files give these inputs different calendars (exact, none)" in captured.err
    found, _ = rows(capsys, "check", ".", "--calendar", "within", code=1)
    assert {row["calendar"]["policy"] for row in found} == {"within"}
    (row,), said = rows(capsys, "check", "dated", code=1)
    assert row["calendar"]["policy"] == "exact"
    assert place in said


def test_nothing_is_included(files, capsys):
    (files / "temporacle.toml").write_text('include = ["nix/*.tml"]\n')
    assert run(["check"]) == 2
    assert "include in the project file matches no file" in capsys.readouterr().err


def test_a_part_of_pyproject(files, capsys):
    (files / "temporacle.toml").unlink()
    (files / "pyproject.toml").write_text('[project]\nname = "x"\n')
    _, said = rows(capsys, "check", "gold/b", code=0)
    assert "pyproject" not in said
    (files / "pyproject.toml").write_text('[tool.temporacle]\nlabels = "matres"\n')
    (row,), said = rows(capsys, "closure", "gold/b", code=0)
    assert "pyproject.toml" in said
    assert row["relation"] == ["b", "m", "o", "fi", "di"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time-limt = 3", ["time-limt", "time-limit"]),
        ('labels = "thyem"', ["thyem", "thyme"]),
        ("include = 3", ["include", "list"]),
        ("[folder]\npath = 'x'", ["[[folder]]"]),
        ("[[folder]]\nlabels = 'thyme'", ["path"]),
        ("[[folder]]\npath = 'x'\njobs = 3", ["jobs"]),
        ('[labels]\nX = "q"', ["X", "q"]),
        ("jobs = [", ["TOML"]),
        ("jobs = 0", ["jobs", "1 or more"]),
        ('time-limit = "soon"', ["soon", "1m"]),
        ('calendar = "whole"', ["calendar = 'whole'", "within"]),
        ('format = "tvs"', ["format = 'tvs'", "tsv"]),
        ('allow = ["unknwn-label"]', ["unknwn-label", "unknown-label"]),
        ('mapping = "e3"', ["mapping = 'e3'", "e3c"]),
    ],
)
def test_what_is_wrong_is_said(files, capsys, text, words):
    (files / "temporacle.toml").write_text(text)
    assert run(["check", "gold"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert all(word in captured.err for word in ["temporacle.toml", *words]), captured.err


def test_verify_never_reads_one(files, capsys):
    tp.Oracle([("a", "BEFORE", "b")]).certificate().write("c.json")
    (files / "temporacle.toml").write_text("nonsense = 1")
    assert run(["verify", "c.json"]) == 0


def test_python_reads_one_only_if_it_is_named(files):
    assert tp.check("gold/x.tsv")[0].verdict.value == "unchecked"
    assert tp.check("gold/x.tsv", config="temporacle.toml")[0].verdict.value == "inconsistent"
    with pytest.raises(UsageError, match="nosuch"):
        tp.check("gold/x.tsv", config="nosuch.toml")


def test_workers_know_it(files, capsys):
    one, _ = rows(capsys, "check", "--jobs", "1", code=1)
    two, _ = rows(capsys, "check", "--jobs", "2", code=1)
    assert [row | {"seconds": 0} for row in one] == [row | {"seconds": 0} for row in two]


def test_init_writes_one_and_never_replaces_it(files, capsys):
    assert run(["init"]) == 2
    assert (files / "temporacle.toml").read_text() == FILE
    (files / "temporacle.toml").unlink()
    assert run(["init", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert not (files / "temporacle.toml").exists()
    assert run(["init"]) == 0
    assert (files / "temporacle.toml").read_text() == printed
    assert '"gold/**/*.tsv",  # 2 tsv' in printed
    found, _ = rows(capsys, "check", code=3)
    assert len(found) == 2
