"""The commands check, verify, reduce and entails --certificate on small files: output, files, exit codes."""

import csv
import io
import json
import os
import pickle

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.oracle import Oracle
from temporacle.results import DocumentVerdict

TIMEML = """<?xml version="1.0"?>
<TimeML>
<DOCID>storm</DOCID>
<TEXT>The storm <EVENT eid="e1" class="OCCURRENCE">began</EVENT> before the ship
<EVENT eid="e2" class="OCCURRENCE">left</EVENT> and <EVENT eid="e3" class="OCCURRENCE">sank</EVENT>.</TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/>
<MAKEINSTANCE eiid="ei2" eventID="e2"/>
<MAKEINSTANCE eiid="ei3" eventID="e3"/>
<TLINK lid="l1" eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE"/>
<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei3" relType="BEFORE"/>
<TLINK lid="l3" eventInstanceID="ei3" relatedToEventInstance="ei1" relType="BEFORE"/>
</TimeML>
"""
CONSISTENT = "a\tBEFORE\tb\nb\tINCLUDES\tc\n"
TWO_CONFLICTS = "a\tBEFORE\tb\nb\tBEFORE\ta\nc\tBEFORE\td\nd\tMEETS\tc\nx\tBEFORE\ty\n"
TRAP = "0\ts|f\t1\n0\tm|s\t2\n0\tm|s\t3\n1\to\t2\n1\to\t3\n2\tf|fi\t3\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        return tmp_path

    return write


def answers(capsys, *arguments):
    """Exit code and JSON lines of a command."""
    code = run([*arguments, "--output", "json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_consistent(folder, capsys):
    folder(good_tsv=CONSISTENT)
    code, (row,) = answers(capsys, "check", "good.tsv")
    assert code == 0
    assert row.pop("seconds") >= 0
    assert row == {
        "document": "good",
        "path": "good.tsv",
        "entities": 3,
        "links": 2,
        "verdict": "consistent",
        "decided_by": "graph",
        "conflict": [],
        "conflicts": [],
        "repair": [],
        "alternatives": {},
        "repair_status": "optimal",
        "certificate": None,
        "dropped": 0,
        "skipped_links": {},
        "warnings": [],
        "error": None,
    }


def test_inconsistent(folder, capsys):
    folder(storm_tml=TIMEML)
    code, (row,) = answers(capsys, "check", "storm.tml", "--repair", "--relabel")
    assert code == 1
    assert row["verdict"] == "inconsistent"
    assert sorted(link["id"] for link in row["conflict"]) == ["l1", "l2", "l3"]
    assert row["repair"] == [
        {
            "id": "l1",
            "source": "ei1",
            "relation": ["b"],
            "label": "BEFORE",
            "target": "ei2",
            "line": 9,
            "source_text": "began",
            "target_text": "left",
        }
    ]
    assert row["relabel"][0]["possible"] == ["bi"]
    labels = row["relabel"][0]["labels"]
    assert "AFTER" in labels
    assert not {"BEFORE", "IBEFORE", "INCLUDES", "SIMULTANEOUS", "VAGUE"} & set(labels)
    assert 'ei1 "began" ends before ei2 "left" starts (l1, line 9)' in row["explanation"]


def test_people_get_words_and_a_summary(folder, capsys):
    folder(storm_tml=TIMEML, good_tsv=CONSISTENT)
    assert run(["check", "storm.tml", "good.tsv", "--repair"]) == 1
    out = capsys.readouterr().out
    assert "These 3 links contradict each other. Removing any one of them resolves this conflict." in out
    assert '    l1 (line 9): "began" BEFORE "left"\n    l3 (line 11): "sank" BEFORE "began"\n' in out
    assert 'ei3 "sank" ends before ei1 "began" starts (l3, line 11)' in out
    assert "The document needs 1 link removed; for example l1.\n    Remove l1 (l2 or l3 would also do)\n" in out
    assert "2 documents: 1 consistent, 1 inconsistent, 0 undecided, 0 unreadable" in out
    assert "good" not in out
    assert "\x1b" not in out
    run(["check", "good.tsv", "--all"])
    assert "good" in capsys.readouterr().out


def test_csv(folder, capsys):
    folder(storm_tml=TIMEML, good_tsv=CONSISTENT)
    assert run(["check", "storm.tml", "good.tsv", "--output", "csv"]) == 1
    rows = {row["document"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert rows["good"]["verdict"] == "consistent"
    assert rows["good"]["conflict"] == ""
    assert sorted(next(row for name, row in rows.items() if name != "good")["conflict"].split()) == ["l1", "l2", "l3"]


def test_nothing_to_check_is_told(folder, tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert run(["check", "empty"]) == 2
    assert "no document under empty" in capsys.readouterr().err


def test_a_path_that_is_no_text_is_valid_json(folder, tmp_path, capsysbinary):
    name = os.fsdecode(b"caf\xe9.tsv")
    (tmp_path / name).write_text(CONSISTENT)
    for resume in ([], ["--resume", "journal"], ["--resume", "journal"]):
        assert run(["check", name, "--output", "json", *resume]) == 0
        row = json.loads(capsysbinary.readouterr().out.decode("utf-8"))
        assert row["path"] == name


def test_no_explain(folder, capsys):
    folder(storm_tml=TIMEML)
    code, (row,) = answers(capsys, "check", "storm.tml", "--no-explain")
    assert (code, row["conflict"], "explanation" in row) == (1, [], False)


def test_all_conflicts(folder, capsys):
    folder(two_tsv=TWO_CONFLICTS)
    _, (row,) = answers(capsys, "check", "two.tsv")
    assert [[link["id"] for link in conflict] for conflict in row["conflicts"]] == [["1", "2"], ["3", "4"]]
    assert row["conflict"] == row["conflicts"][0]
    assert [row["explanation"], *row["explanations"][1:]] == row["explanations"]
    assert len(row["explanations"]) == 2
    assert "all_conflicts" not in row
    for most, count in (("1", 1), ("9", 2), ("all", 2)):
        _, (row,) = answers(capsys, "check", "two.tsv", "--all-conflicts", most)
        assert len(row["all_conflicts"]) == count
    assert {tuple(link["id"] for link in conflict) for conflict in row["all_conflicts"]} == {("1", "2"), ("3", "4")}
    run(["check", "two.tsv", "--all-conflicts", "all"])
    assert "Minimal conflicts found, which may share links: 2.\n    1 2\n    3 4\n" in capsys.readouterr().out
    assert run(["check", "two.tsv", "--all-conflicts", "some"]) == 2
    assert "--all-conflicts some: give 'all', or a number of 1 or more" in capsys.readouterr().err


def test_the_repair_can_be_left_out(folder, capsys):
    folder(two_tsv=TWO_CONFLICTS)
    code, (row,) = answers(capsys, "check", "two.tsv", "--no-repair")
    assert (code, row["repair"], row["repair_status"]) == (1, None, "not-asked")
    assert row["conflicts"] == [row["conflict"]]
    _, (row,) = answers(capsys, "check", "two.tsv")
    assert ([link["id"] for link in row["repair"]], row["repair_status"]) == (["1", "3"], "optimal")
    assert row["alternatives"] == {"1": ["2"], "3": ["4"]}


def test_protect(folder, capsys):
    folder(two_tsv=TWO_CONFLICTS)
    _, (row,) = answers(capsys, "check", "two.tsv", "--repair", "--protect", "1", "--protect", "3")
    assert [link["id"] for link in row["repair"]] == ["2", "4"]
    code, (row,) = answers(capsys, "check", "two.tsv", "--repair", "--protect", "BEFORE")
    assert (code, row["repair"]) == (1, None)
    assert sorted(link["id"] for link in row["unrepairable"]) == ["1", "2"]


@pytest.mark.parametrize(
    "options",
    [
        ["--no-explain", "--protect", "1"],
        ["--no-repair", "--protect", "1"],
        ["--no-repair", "--write", "x"],
        ["--no-explain", "--all-conflicts", "2"],
    ],
    ids=" ".join,
)
def test_options_that_would_change_nothing_are_refused(folder, capsys, options):
    folder(two_tsv=TWO_CONFLICTS)
    assert run(["check", "two.tsv", *options]) == 2
    assert not capsys.readouterr().out


def test_write_repaired(folder, capsys):
    where = folder(storm_tml=TIMEML, good_tsv=CONSISTENT)
    assert run(["check", "storm.tml", "good.tsv", "--write", "mended"]) == 1
    (file,) = (where / "mended").iterdir()
    mended = tp.read(file)
    assert [link.id for link in mended.links] == ["l2", "l3"]
    assert Oracle(mended).is_consistent()
    assert mended.text == tp.read("storm.tml").text


def test_certificates(folder, capsys):
    where = folder(storm_tml=TIMEML, good_tsv=CONSISTENT, trap_tsv=TRAP)
    code, rows = answers(capsys, "check", ".", "--certificates", "proofs")
    assert code == 1
    assert len(rows) == 3
    for row in rows:
        assert run(["verify", row["certificate"], "--document", row["path"]]) == 0
    assert {row["decided_by"] for row in rows} == {"graph", "cases"}
    capsys.readouterr()
    assert run(["verify", "proofs"]) == 0
    assert capsys.readouterr().out.count("valid") == 3
    (where / "good.tsv").write_text(CONSISTENT + "c\tBEFORE\td\n")
    assert run(["verify", "proofs/good.json", "--document", "good.tsv"]) == 1
    assert "not the file" in capsys.readouterr().out


def test_links_must_be_those_of_the_file(folder, capsys):
    """A certificate with the right digest about other links."""
    where = folder(good_tsv=CONSISTENT)
    run(["check", "good.tsv", "--certificates", "proofs"])
    path = where / "proofs" / "good.json"
    certificate = json.loads(path.read_text())
    certificate["links"][0]["target"] = "c"
    certificate["witness"] = {"a": [0, 1], "b": [2, 5], "c": [3, 4]}
    path.write_text(json.dumps(certificate))
    capsys.readouterr()
    assert run(["verify", "proofs/good.json"]) == 0
    assert run(["verify", "proofs/good.json", "--document", "good.tsv", "--no-reread"]) == 0
    assert run(["verify", "proofs/good.json", "--document", "good.tsv"]) == 1
    assert "links are not those" in capsys.readouterr().out


def test_verify_exit_codes(folder, capsys):
    folder(bad_json='{"format": "temporacle-certificate"}', good_tsv=CONSISTENT)
    run(["check", "good.tsv", "--certificates", "proofs"])
    assert run(["verify", "bad.json"]) == 1
    assert run(["verify", "missing.json"]) == 2
    assert run(["verify", "missing.json", "proofs/good.json"]) == 2
    assert run(["verify", "missing.json", "bad.json"]) == 2
    assert run(["verify", "good.tsv"]) == 2  # not a certificate
    assert run(["verify", "proofs/good.json", "--document", "missing.tsv"]) == 2
    capsys.readouterr()
    code, (row,) = answers(capsys, "verify", "bad.json")
    assert (code, row["valid"], row["claim"]) == (1, False, None)
    assert row["reason"]


def test_unreadable_and_dropped(folder, capsys):
    folder(broken_tml="<TimeML>", good_tsv=CONSISTENT)
    code, rows = answers(capsys, "check", "broken.tml", "good.tsv")
    assert code == 3
    assert [row["verdict"] for row in rows] == ["unreadable", "consistent"]
    assert "broken.tml" in rows[0]["error"]
    assert answers(capsys, "check", "broken.tml")[0] == 2


def test_undecided_is_not_no(folder, capsys):
    folder(trap_tsv=TRAP)
    code, (row,) = answers(capsys, "check", "trap.tsv", "--time-limit", "0")
    assert (code, row["verdict"], row["conflict"]) == (3, "undecided", [])
    assert "within 0 s" in row["error"]
    code, (row,) = answers(capsys, "check", "trap.tsv", "--time-limit", "100")
    assert (code, row["verdict"], len(row["conflict"])) == (1, "inconsistent", 6)


def test_results_can_be_sent_between_processes(folder):
    folder(two_tsv=TWO_CONFLICTS)
    result = check_document(
        tp.read("two.tsv"), CheckOptions(all_conflicts=5, repair=True, relabel=True, certificate=True)
    )
    assert result.verdict is DocumentVerdict.INCONSISTENT
    assert pickle.loads(pickle.dumps(result)) == result


def test_the_quick_answer_is_the_full_answer(folder):
    """With and without the short cut for consistent documents: the same row."""
    folder(good_tsv=CONSISTENT)
    document = tp.read("good.tsv")
    quick, full = check_document(document), check_document(document, CheckOptions(certificate=True))
    for name in ("document", "path", "verdict", "entities", "links", "decided_by", "conflicts", "remarks", "error"):
        assert getattr(quick, name) == getattr(full, name)


@pytest.mark.parametrize(
    ("query", "claim", "code"),
    [(("a", "BEFORE", "c"), "entailed", 0), (("a", "AFTER", "c"), "refuted", 1), (("b", "b", "d"), "open", 1)],
)
def test_entailment_certificates(folder, capsys, query, claim, code):
    folder(good_tsv=CONSISTENT + "c\tb|bi\td\n")
    assert run(["entails", "good.tsv", *query, "--certificate", "why.json"]) == code
    capsys.readouterr()
    _, (row,) = answers(capsys, "verify", "why.json", "--document", "good.tsv")
    assert (row["valid"], row["claim"]) == (True, claim)


def test_reduce(folder, capsys):
    folder(good_tsv="a\tm\tb\nb\tBEFORE\tc\na\tBEFORE\tc\n", bad_tsv="a\tb\tb\nb\tb\ta\n", any_tsv="a\tb|bi\tb\n")
    code, (row,) = answers(capsys, "reduce", "good.tsv")
    assert code == 0
    assert row["document"] == "good"
    assert row["nodes"] == [["a.start"], ["a.end", "b.start"], ["b.end"], ["c.start"], ["c.end"]]
    assert row["major"] == [["b.end", "<", "c.start"]]
    assert row["trivial"] == [["a.start", "<", "a.end"], ["a.end", "<", "b.end"], ["c.start", "<", "c.end"]]
    assert len(row["minor"]) == 6
    code, (row,) = answers(capsys, "reduce", "bad.tsv")
    assert (code, row) == (1, {"document": "bad", "verdict": "inconsistent"})
    assert run(["reduce", "any.tsv"]) == 0
    assert "only known to differ" in capsys.readouterr().err


def test_links_to_undeclared_ids_can_be_kept(tmp_path, capsys):
    path = tmp_path / "d.jsonl"
    links = [{"source": "a", "relation": "b", "target": "z"}, {"source": "z", "relation": "b", "target": "a"}]
    path.write_text(json.dumps({"document": "d", "entities": ["a"], "links": links}))
    assert run(["check", str(path), "--output", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == "unchecked"
    assert run(["check", str(path), "--output", "json", "--keep-unknown"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "inconsistent"
    assert run(["check", str(path), "--keep-unknown", "--certificates", str(tmp_path / "certificates")]) == 2
    assert "convert" in capsys.readouterr().err
