"""Two annotators compared in the workbench: differences, taking sides, the third version and its file."""

import json
import signal

import pytest
from workbench_runs import Running, of, running

import temporacle as tp
from temporacle.cli import run
from temporacle.editing.adjudications import LOG
from temporacle.workbench.journal import NAME

FIRST = "a\tb\tb\nb\tb\tc\nc\tb\td\na\tb\td\n"
SECOND = "a\tb\tb\nb\tbi\tc\nc\tb\td\nb\tb\td\n"


@pytest.fixture
def sides(tmp_path):
    for name, content in (("anna", FIRST), ("ben", SECOND)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text(content)
        (tmp_path / name / "same.tsv").write_text("x\tb\ty\n")
        (tmp_path / name / f"only-{name}.tsv").write_text("x\tb\ty\n")
    return tmp_path


def compared(sides, *more):
    return running("--compare", sides / "anna", sides / "ben", *more)


def stated(path):
    return sorted((link.source, link.label, link.target) for link in tp.read(path).links)


def test_adjudication_to_the_end(sides):
    before = {path: path.read_bytes() for path in sides.rglob("*.tsv")}
    with compared(sides) as bench:
        said = [bench.process.stderr.readline() for _ in range(2)]
        assert said == [f"Not compared, because only {side} has it: 'only-{side}'.\n" for side in ("anna", "ben")]
        rows = {row["id"]: row for row in bench.get("/api/documents")}
        assert set(rows) == {"d", "same"}
        last = json.loads(bench.ask("GET", "/api/progress")[2].splitlines()[-1])
        assert last == {"done": True, "documents": 2, "remarks": [line.rstrip() for line in said]}
        found = bench.get(of("d", "differences"))
        assert found["names"] == ["anna", "ben"]
        assert found["agreed"] == 2
        assert (rows["d"]["differences"], rows["d"]["taken"]) == (len(found["differences"]), 0)
        assert (rows["same"]["differences"], rows["same"]["verdict"]) == (0, "consistent")
        pairs = {(each["source"], each["target"]): each for each in found["differences"]}
        clash = pairs["b", "c"]
        shown = bench.get(of("d", f"differences?number={clash['number']}"))
        assert (shown["possible"], shown["taken"]) == ([True, True], None)
        assert bench.get(of("d", f"differences?number={pairs['a', 'd']['number']}"))["follows"][0] == [True, True]
        taken = bench.post(of("d", "take"), {"number": clash["number"], "side": "ben"})
        assert {**taken["changed"][0]} == {"number": clash["number"], "taken": 2, "why": "decided", "after": None}
        assert taken["left"] == len(found["differences"]) - len(taken["changed"])
        while taken["next"]:
            taken = bench.post(of("d", "take"), {"number": taken["next"]["number"], "side": 0, "order": "text"})
        figures = bench.get(of("d", "agreement"))
        assert (len(figures["awareness"]), len(figures["with_result"])) == (1, 2)
        log = bench.ask("GET", of("d", "log"))[2].decode().splitlines()
        assert (log[0].split("\t")[:4], len(log)) == (["difference", "source", "target", "side"], 4)
        assert [each["taken"] for each in bench.get(of("d", "differences"))["differences"]].count(None) == 0
        (row,) = (row for row in bench.get("/api/documents") if row["id"] == "d")
        assert row["taken"] == row["differences"]
        assert row["unsaved"] > 0
        shown = bench.get(of("d"))
        assert (shown["verdict"], shown["saves"]) == ("consistent", "in-place")
        saved = bench.post(of("d", "save"))
        assert saved["path"] == shown["path"] == str(sides / "adjudicated" / "d.tsv")
        assert stated(saved["path"]) == [("a", "b", "b"), ("b", "bi", "c"), ("c", "b", "d")]
        assert bench.get(of("d"))["unsaved"] == 0
        assert bench.end()[0] == 0
    assert {path: path.read_bytes() for path in before} == before
    with compared(sides) as bench:  # decisions are known in the next run
        (row,) = (row for row in bench.get("/api/documents") if row["id"] == "d")
        assert (row["taken"], row["unsaved"]) == (row["differences"], 0)
        assert bench.get(of("d"))["recovered"] == 0
        while bench.post(of("d", "undo"))["undo"]:
            pass
        assert bench.post(of("d", "save"))["saved"]  # over our own result
    assert stated(sides / "adjudicated" / "d.tsv") == [("a", "b", "b"), ("c", "b", "d")]


def test_what_contradicts_is_refused_with_the_conflict(sides):
    (sides / "anna" / "d.tsv").write_text("a\tb\tb\nb\tb\tc\n")
    (sides / "ben" / "d.tsv").write_text("a\tb\tb\nc\tb\ta\n")
    with compared(sides) as bench:
        pairs = {(each["source"], each["target"]): each for each in bench.get(of("d", "differences"))["differences"]}
        bench.post(of("d", "take"), {"number": pairs["b", "c"]["number"], "side": 1})
        again = bench.get(of("d", "differences"))["differences"]
        other = next(each for each in again if {each["source"], each["target"]} == {"a", "c"})
        assert (other["taken"], other["why"]) == (1, "only")  # anna states nothing about it
        shown = bench.get(of("d", f"differences?number={other['number']}"))
        assert shown["possible"] == [True, False]
        assert {link["id"] for link in shown["conflict"][1]} == {link["id"] for link in bench.get(of("d"))["links"]}
        status, sentence = bench.refused("POST", of("d", "take"), {"number": other["number"], "side": "ben"})
        assert status == 409
        assert "this side contradicts the third version of 'd'" in sentence
        assert bench.post(of("d", "undo"))["undo"] == 0
        assert bench.post(of("d", "take"), {"number": other["number"], "side": 2})["changed"][0]["taken"] == 2
        assert bench.post(of("d", "take"), {"number": other["number"], "side": None})["changed"][0]["taken"] is None


@pytest.mark.slow
def test_decisions_survive_a_kill(sides):
    with compared(sides) as bench:
        found = bench.get(of("d", "differences"))["differences"]
        for each, side in zip(found, [1, 0, 2], strict=False):
            bench.post(of("d", "take"), {"number": each["number"], "side": side})
        there = bench.get(of("d", "differences"))
        shown = bench.get(of("d"))
        bench.end(signal.SIGKILL)
    with compared(sides) as bench:
        assert bench.get(of("d", "differences")) == there
        again = bench.get(of("d"))
        assert again["links"] == shown["links"]
        assert again["recovered"] == shown["unsaved"]
        bench.end(signal.SIGKILL)
    (sides / "anna" / "d.tsv").write_text(FIRST + "d\tb\te\n")
    with compared(sides) as bench:
        assert "discard" in bench.refused("GET", of("d"))[1]
        assert bench.post(of("d", "discard"))["undo"] == 0


def test_the_result_of_another_program_is_left_alone(sides):
    (sides / "adjudicated").mkdir()
    (sides / "adjudicated" / "same.tsv").write_text("mine\tb\ttheirs\n")
    (sides / "adjudicated" / "d.tsv").symlink_to(sides / "anna" / "d.tsv")
    with compared(sides) as bench:
        assert "left alone" in bench.refused("POST", of("same", "save"), {})[1]
        assert "outside" in bench.refused("POST", of("d", "save"), {})[1]
    assert (sides / "adjudicated" / "same.tsv").read_text() == "mine\tb\ttheirs\n"
    assert (sides / "anna" / "d.tsv").read_text() == FIRST


def test_where_results_go(sides):
    with compared(sides, "-o", sides / "third") as bench:
        assert bench.post(of("same", "save"))["path"] == str(sides / "third" / "same.tsv")
        with pytest.raises(RuntimeError, match="another workbench"):
            Running("--compare", sides / "anna", sides / "ben", "-o", sides / "third")
        bench.end()
    assert sorted(path.name for path in (sides / "third").iterdir()) == [NAME, "same.tsv", f"same.tsv{LOG}"]
    with compared(sides, "--read-only") as bench:
        assert bench.get(of("d", "differences"))["differences"]
        assert bench.refused("POST", of("d", "take"), {"number": 0, "side": 1})[0] == 403
        bench.end()
    assert not (sides / "adjudicated").exists()


def test_bodies_and_addresses_that_are_not_understood(sides):
    with compared(sides) as bench:
        for body in (
            {},
            {"number": "0"},
            {"number": True},
            {"number": 99, "side": 1},
            {"number": -1, "side": None},
        ):
            assert bench.refused("POST", of("d", "take"), body)[0] == 400
        assert bench.refused("POST", of("d", "take"), {"number": 0, "side": "third"})[0] == 400
        assert bench.refused("POST", of("d", "take"), {"number": 0, "side": 1, "revision": 9})[0] == 409
        assert bench.refused("GET", of("only-anna", "differences"))[0] == 404
        assert bench.refused("GET", of("d", "three-way"))[0] == 400
        last = json.loads(bench.ask("GET", "/api/progress")[2].splitlines()[-1])
        assert (last["done"], last["documents"]) == (True, 2)
    with running(sides / "anna") as bench:
        assert "--compare" in bench.refused("GET", of("d", "differences"))[1]
        assert "--compare" in bench.refused("POST", of("d", "take"), {"number": 0, "side": 1})[1]


def test_documents_whose_names_cannot_stand_in_an_address(tmp_path):
    for name, relation in (("anna", "b"), ("ben", "bi")):
        line = {"document": "..", "links": [{"source": "a", "relation": relation, "target": "b"}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    with running("--compare", tmp_path / "anna.jsonl", tmp_path / "ben.jsonl", "-o", tmp_path / "out") as bench:
        (row,) = bench.get("/api/documents")
        assert (row["id"], row["differences"], row["error"]) == ("..~2", 1, None)
        assert bench.post(of(row["id"], "take"), {"number": 0, "side": 2})["changed"][0]["taken"] == 2
        assert bench.post(of(row["id"], "save"))["saved"]
        (again,) = bench.get("/api/documents")
        assert (again["taken"], again["unsaved"]) == (1, 0)
    assert stated(tmp_path / "out" / "anna.jsonl") == [("a", "bi", "b")]


def test_wrong_options(sides, capsys):
    anna, ben = str(sides / "anna"), str(sides / "ben")
    outside = sides / "outside.tsv"
    outside.write_text("a\tb\tb\n")
    for arguments in ([], ["--compare", anna], [anna, "-o", "x"], ["--compare", anna, str(sides / "nix")]):
        assert run(["workbench", *arguments, "--no-browser"]) == 2
        assert capsys.readouterr().err
    assert run(["workbench", "--compare", anna, ben, "-o", anna, "--no-browser"]) == 2
    assert capsys.readouterr().err.endswith("holds the files that are read: name another folder for the results\n")
    (sides / "ben" / "link.tsv").symlink_to(outside)
    assert run(["workbench", "--compare", anna, ben, "--no-browser"]) in (2, 3)
    assert "leads outside" in capsys.readouterr().err


def test_a_side_that_changes_meanwhile_is_compared_again(sides):
    with compared(sides) as bench:
        bench.post(of("d", "take"), {"number": 0, "side": 1})
        (sides / "anna" / "d.tsv").write_text(FIRST + "d\tb\te\n")
        for _ in range(2):  # what was compared is out of date, also without decisions
            status, said = bench.refused("POST", of("d", "save"), {})
            assert (status, "start the workbench again" in said) == (400, True)
            bench.post(of("d", "discard"))
        bench.post(of("d", "take"), {"number": 0, "side": 1})
        assert not (sides / "adjudicated" / "d.tsv").exists()
    with compared(sides) as bench:
        assert bench.refused("GET", of("d"))[0] == 400
        bench.post(of("d", "discard"))
        pairs = [(each["source"], each["target"]) for each in bench.get(of("d", "differences"))["differences"]]
        assert ("d", "e") in pairs
        assert bench.post(of("d", "save"))["saved"]
