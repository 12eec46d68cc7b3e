"""``tp.official``: what the command line prints, for every program; one type of result."""

import json

import pandas as pd
import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.scoring.official.registry import PROGRAMS

COLUMNS = ["document", "source", "relation", "target"]
TIMELINES = '{"p1": [["chemotherapy", "contains-1", "2013-01-05"]], "p2": []}'


def row(name, relation):
    return f"ei1\t{relation}\tei2\nei2\tBEFORE\tei3\nei1\tBEFORE\t{name}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Small input for each program, under names that are the same for all."""
    monkeypatch.chdir(tmp_path)
    for side, relation in (("gold", "BEFORE"), ("system", "AFTER")):
        (tmp_path / side).mkdir()
        for name in ("ei4", "ei5"):
            (tmp_path / side / f"{name}.tsv").write_text(row(name, relation))
        (tmp_path / f"{side}.json").write_text(TIMELINES if side == "gold" else TIMELINES.replace("05", "06"))
        (tmp_path / f"{side}.txt").write_text("saw\t1\t0-doc1-2\nwent\t2\t1-doc1-3\n")
    (tmp_path / "ids").write_text("p1\np2\n")
    return tmp_path


CASES = [
    ("awareness", {}, ("gold", "system")),
    ("awareness", {"method": "acl11"}, ("gold", "system")),
    ("matres", {}, ("gold", "system")),
    ("pairs", {"convention": "tbdense", "missing": "skip"}, ("gold", "system")),
    ("timeline", {}, ("gold.txt", "system.txt")),
    ("timeline", {"ordering_only": True}, ("gold.txt", "system.txt")),
    ("tempeval1", {"relaxed": True}, ("gold", "system")),
    ("chemotimelines", {"ids": "ids", "mode": "strict"}, ("gold.json", "system.json")),
    ("anafora", {"per_document": True}, ("gold", "system")),
    ("i2b2", {"tags": "tlink"}, ("gold", "system")),
]


def flags_of(options):
    flags = []
    for name, value in options.items():
        flags += [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    return flags


@pytest.mark.parametrize(
    ("program", "options", "paths"), CASES, ids=[" ".join((name, *options)) for name, options, _ in CASES]
)
def test_the_same_is_printed_as_on_the_command_line(folder, capfdbinary, program, options, paths):
    code = run(["official", program, *paths, *flags_of(options)])
    printed, said = capfdbinary.readouterr()
    metric = "pairs" if program == "matres" else program
    old = ["score", *paths, "--official", "--metric", metric, *flags_of(options)]
    assert run(old) == code
    again, warned = capfdbinary.readouterr()
    assert again == printed != b""
    assert warned.startswith(b"warning: score --official is now official")
    assert warned.split(b"\n", 1)[1] == said
    found = tp.official(program, *paths, **options)
    assert found.text.encode("utf-8", "surrogateescape") == printed
    assert tp.official_score(*paths, metric=program, **options).text == found.text
    assert run(["official", program, *paths, *flags_of(options), "--output", "json"]) == code
    total = json.loads(capfdbinary.readouterr().out.splitlines()[-1])
    assert total == json.loads(json.dumps(found.to_dict()))
    assert {key: total[key] for key in found.total} == json.loads(json.dumps(found.total))
    frame = found.to_frame()
    assert "document" in frame.columns
    assert len(frame) == max(len(found.documents), 1)
    assert repr(found).startswith("OfficialScore(")


def test_rows_may_be_frames(folder):
    frames = [
        pd.DataFrame([("d", "a", label, "b"), ("d", "b", "BEFORE", "c")], columns=COLUMNS)
        for label in ("BEFORE", "AFTER")
    ]
    for side, frame in zip(("g.tsv", "s.tsv"), frames, strict=True):
        frame.to_csv(folder / side, sep="\t", index=False)
    for program in ("matres", "tieval", "end-to-end"):
        found = tp.official(program, *frames)
        assert found.text == tp.official(program, folder / "g.tsv", folder / "s.tsv").text != ""
    statements = [("a", "BEFORE", "b")]
    assert tp.official("matres", statements, statements).total["f1"] == 1
    with pytest.raises(tp.UsageError, match="reads files of its own"):
        tp.official("awareness", *frames)


def test_every_program_is_listed(capfd):
    assert run(["official", "--list"]) == 0
    rows = [line.split()[0] for line in capfd.readouterr().out.splitlines()[1:]]
    assert tuple(rows) == PROGRAMS
    assert run(["official", "--list", "--output", "json"]) == 0
    listed = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert tuple(each["program"] for each in listed) == PROGRAMS


@pytest.mark.parametrize("name", ["awarenes", "gold/"])
def test_an_unknown_program_names_the_known_ones(folder, capfd, name):
    assert run(["official", name, "gold", "system"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "choose awareness" in err


def test_runs_that_vote_are_a_list(folder, capfdbinary):
    for side in ("gold", "system"):
        for path in (folder / side).iterdir():
            path.write_text(path.read_text() + "ei6\tAFTER\tei7\nei7\tEQUAL\tei8\nei8\tVAGUE\tei9\n")
    options = ["--official", "--metric", "pairs", "--convention", "global-zero-shot-voted"]
    assert run(["score", "gold", "system", "gold", "gold", *options]) == 0
    runs = [folder / "system", "gold", "gold"]
    found = tp.official_score("gold", runs, metric="pairs", convention="global-zero-shot-voted")
    assert found.text.encode() == capfdbinary.readouterr().out


def test_differences_are_explained(folder):
    plain = tp.official_score(folder / "gold", folder / "system")
    explained = tp.official_score(folder / "gold", folder / "system", explain_difference=True, jobs=1)
    assert plain.differences is None
    assert explained.differences.exact is not None
    assert explained.text == plain.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "core"}, "unknown program 'core': choose awareness, .*, i2b2"),
        ({"during": "includes"}, "no keyword during"),
        ({"metric": "pairs", "align": "ids"}, "program matres has no option align: its options are missing, label_set"),
        ({"metric": "i2b2", "relaxed": True}, "program i2b2 has no option relaxed"),
        ({"relaxed": True}, "program awareness has no option relaxed"),
    ],
)
def test_options_of_other_programs_are_refused(folder, options, message):
    with pytest.raises(tp.UsageError, match=message):
        tp.official_score(folder / "gold", folder / "system", **options)


def test_other_programs_take_one_system(folder):
    with pytest.raises(tp.UsageError, match="program awareness takes one system only"):
        tp.official_score(folder / "gold", [folder / "system", folder / "gold"])


def test_score_gives_the_exact_score(folder):
    with pytest.raises(tp.UsageError, match="no file has tags of i2b2 2012"):
        tp.score(folder / "gold", folder / "system", metric="i2b2")
