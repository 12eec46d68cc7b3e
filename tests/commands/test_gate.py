"""``check`` as a gate: annotations, SARIF, JUnit, baselines, and the hook for pre-commit."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from sarif_schema import SCHEMA

from temporacle.cli import run
from temporacle.rules import rules

ROOT = Path(__file__).parents[2]
HEADER = "id,source,relation,target\n"
CONFLICT = "l1,left,BEFORE,docked\nl2,docked,BEFORE,left\n"
ODD = "l3,left,NEAR,sank\nl4,left,SIMULTANEOUS,left\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "gold/bad.csv": HEADER + CONFLICT,
        "gold/good.csv": HEADER + "l1,a,BEFORE,b\n",
        "gold/odd, 100%.csv": HEADER + "l1,a,BEFORE,b\n" + ODD,
        "gold/torn.jsonl": '{"document": "torn"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def unescaped(text):
    for code, character in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def annotations(out):
    """The workflow commands of an output, read as GitHub reads them."""
    found = []
    for line in out.splitlines():
        level, given, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
        place = dict(part.split("=", 1) for part in given.split(","))
        found.append((level, {name: unescaped(value) for name, value in place.items()}, unescaped(message)))
    return found


def test_github_annotations_stand_at_the_lines(folder, capsys):
    assert run(["check", "gold", "--output", "github"]) == 1
    found = {(level, place["file"], place.get("line"), place["title"]) for level, place, _ in annotations(read(capsys))}
    assert found == {
        ("error", "gold/bad.csv", "2", "temporacle inconsistent"),
        ("warning", "gold/bad.csv", "3", "temporacle contradictory-pair"),
        ("error", "gold/odd, 100%.csv", "3", "temporacle unknown-label"),
        ("warning", "gold/odd, 100%.csv", "4", "temporacle self-link"),
        ("error", "gold/torn.jsonl", "1", "temporacle unreadable"),
    }


def read(capsys):
    return capsys.readouterr().out


def test_github_messages_keep_their_lines_and_nothing_forges_a_command(folder, capsys):
    (folder / "gold" / "evil.jsonl").write_text(
        json.dumps({"document": "x\n::error::forged", "links": [{"source": "a", "relation": "b", "target": "a"}]})
    )
    run(["check", "gold/evil.jsonl", "gold/bad.csv", "--output", "github"])
    messages = [message for _, _, message in annotations(read(capsys))]  # every line is a command of ours
    assert all("x\n::error" not in message for message in messages)
    assert any("\nl1 (line 2): left BEFORE docked\nl2 (line 3): docked BEFORE left" in each for each in messages)


def test_quiet_and_ignore_leave_out_warnings(folder, capsys):
    assert run(["check", "gold", "--output", "github", "-q"]) == 1
    assert {level for level, _, _ in annotations(read(capsys))} == {"error"}
    assert run(["check", "gold", "--output", "github", "--ignore", "self-link"]) == 1
    assert "self-link" not in read(capsys)


def test_sarif_validates_against_its_schema(folder, capsys):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install -e '.[test]'")
    assert run(["check", "gold", "--output", "sarif"]) == 1
    log = json.loads(read(capsys))
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(log, SCHEMA)
    (found,) = log["runs"]
    assert found["invocations"][0]["exitCode"] == 1
    results = found["results"]
    assert [result["ruleId"] for result in results] == [
        *("inconsistent", "contradictory-pair", "unknown-label", "self-link", "unreadable")
    ]
    listed = found["tool"]["driver"]["rules"]
    assert all(listed[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    assert all(rule["shortDescription"]["text"] == rules()[rule["id"]].summary for rule in listed)
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert uris == {"gold/bad.csv", "gold/odd%2C%20100%25.csv", "gold/torn.jsonl"}
    lines = [place["physicalLocation"]["region"]["startLine"] for place in results[0]["relatedLocations"]]
    assert lines == [2, 3]


@pytest.mark.parametrize("break_it", ["version", "level", "result"])
def test_the_schema_refuses_what_is_wrong(folder, capsys, break_it):
    jsonschema = pytest.importorskip("jsonschema", reason="pip install -e '.[test]'")
    run(["check", "gold", "--output", "sarif"])
    log = json.loads(read(capsys))
    result = log["runs"][0]["results"][0]
    match break_it:
        case "version":
            log["version"] = "2.0.0"
        case "level":
            result["level"] = "fatal"
        case "result":
            del result["message"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, SCHEMA)


def test_junit_has_a_case_for_each_document(folder, capsys):
    assert run(["check", "gold", "--output", "junit"]) == 1
    suite = ET.fromstring(read(capsys)).find("testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "errors")] == ["4", "2", "1"]
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert set(cases) == {"bad", "good", "odd, 100%", "torn:1"}
    assert cases["bad"].find("failure").get("type") == "inconsistent"
    assert "l2 (line 3): docked BEFORE left" in cases["bad"].find("failure").text
    assert cases["torn:1"].find("error").get("type") == "unreadable"
    assert len(cases["good"]) == 0
    assert "warning[self-link]" in cases["odd, 100%"].find("system-out").text


def test_junit_is_xml_whatever_the_document_is_called(folder, capsys):
    name = "<&>\"' \x01 \ufffe \n]]>"
    (folder / "odd.jsonl").write_text(json.dumps({"document": name, "links": []}))
    assert run(["check", "odd.jsonl", "--output", "junit"]) == 0
    assert ET.fromstring(read(capsys)).find("testsuite/testcase").get("name").startswith("<&>\"' ")


# --- baselines -----------------------------------------------------------------------------------------------------


def test_known_findings_pass_and_new_ones_fail(folder, capsys):
    assert run(["check", "gold", "--write-baseline", "known.json"]) == 0
    assert "5 findings written to known.json" in read(capsys)
    assert run(["check", "gold", "--baseline", "known.json"]) == 0
    found = capsys.readouterr()
    assert "Baseline: 5 known, 0 new, 0 fixed." in found.out
    assert "bad (gold/bad.csv)" not in found.out
    assert found.err == ""
    (folder / "gold" / "good.csv").write_text(HEADER + "l1,a,BEFORE,b\nl2,b,NEAR,c\n")
    assert run(["check", "gold", "--baseline", "known.json"]) == 3
    found = capsys.readouterr()
    assert "Baseline: 5 known, 1 new, 0 fixed." in found.out
    assert "gold/good.csv:3: skipped[unknown-label]: l2" in found.err
    assert "Exit code 3: 1 link was skipped" in found.out
    (folder / "gold" / "good.csv").write_text(HEADER + "l1,a,BEFORE,b\nl2,b,BEFORE,a\n")
    assert run(["check", "gold", "--baseline", "known.json"]) == 1
    assert "good (gold/good.csv): inconsistent" in read(capsys)


def test_a_new_conflict_beside_a_known_one_fails(folder, capsys):
    run(["check", "gold", "--write-baseline", "known.json"])
    (folder / "gold" / "bad.csv").write_text(HEADER + CONFLICT + "l7,x,BEFORE,y\nl8,y,MEETS,x\n")
    assert run(["check", "gold", "--baseline", "known.json"]) == 1


def test_fixed_findings_are_reported(folder, capsys):
    run(["check", "gold", "--write-baseline", "known.json"])
    (folder / "gold" / "bad.csv").write_text(HEADER + "l1,left,BEFORE,docked\n")
    capsys.readouterr()
    assert run(["check", "gold", "--baseline", "known.json"]) == 0
    out = read(capsys)
    assert "fixed[inconsistent]: bad: left BEFORE docked; docked BEFORE left" in out
    assert "Baseline: 3 known, 0 new, 2 fixed." in out
    assert run(["check", "gold", "--baseline", "known.json", "--output", "sarif"]) == 0
    states = [result["baselineState"] for result in json.loads(read(capsys))["runs"][0]["results"]]
    assert sorted(states) == ["absent", "absent", "unchanged", "unchanged", "unchanged"]
    assert run(["check", "gold", "--baseline", "known.json", "--output", "github"]) == 0
    assert {level for level, _, _ in annotations(read(capsys))} == {"notice"}
    assert run(["check", "gold", "--baseline", "known.json", "--output", "junit"]) == 0
    assert ET.fromstring(read(capsys)).find("testsuite").get("failures") == "0"


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_moved_lines_and_renumbered_links_are_no_new_findings(tmp_path, monkeypatch, capsys, suffix):
    monkeypatch.chdir(tmp_path)
    tab = "," if suffix == "csv" else "\t"
    rows = ["a,BEFORE,b", "b,BEFORE,a", "a,NEAR,b", "c,BEFORE,d", "c,BEFORE,d", "e,SIMULTANEOUS,e"]
    path = tmp_path / f"d.{suffix}"
    path.write_text(
        "source,relation,target\n".replace(",", tab) + "".join(f"{row}\n".replace(",", tab) for row in rows)
    )
    assert run(["check", path.name, "--write-baseline", "known.json"]) == 0
    moved = ["x,BEFORE,y", "y,BEFORE,z", *reversed(rows)]
    path.write_text(
        "source,relation,target\n".replace(",", tab) + "".join(f"{row}\n".replace(",", tab) for row in moved)
    )
    capsys.readouterr()
    code = run(["check", path.name, "--baseline", "known.json"])
    found = capsys.readouterr()
    # The order of two contradicting links is part of what is said about them; the conflict itself is known.
    assert code == 0, found
    assert "Baseline: 4 known" in found.out


def test_equal_findings_are_counted(folder, capsys):
    path = folder / "d.csv"
    path.write_text("source,relation,target\na,NEAR,b\n")
    run(["check", "d.csv", "--write-baseline", "known.json"])
    path.write_text("source,relation,target\na,NEAR,b\nc,NEAR,d\n")
    assert run(["check", "d.csv", "--baseline", "known.json"]) == 3


def test_documents_that_are_not_checked_keep_their_findings(folder, capsys):
    run(["check", "gold", "--write-baseline", "known.json"])
    before = Path("known.json").read_text()
    capsys.readouterr()
    assert run(["check", "gold/good.csv", "--baseline", "known.json"]) == 0
    assert "0 fixed" in read(capsys)
    assert run(["check", "gold/good.csv", "--baseline", "known.json", "--write-baseline", "known.json"]) == 0
    assert Path("known.json").read_text() == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"temporacle-baseline": 3, "links": {}, "findings": []}',
        '{"temporacle-baseline": 2, "findings": []}',
        '{"temporacle-baseline": 2, "links": [], "findings": []}',
        '{"temporacle-baseline": 1}',
    ],
)
def test_what_is_not_a_baseline_is_refused(folder, capsys, text):
    Path("known.json").write_text(text)
    assert run(["check", "gold", "--baseline", "known.json"]) == 2
    assert "known.json: " in capsys.readouterr().err


def test_a_known_conflict_does_not_hide_that_of_an_added_link(folder, capsys):
    run(["check", "gold", "--write-baseline", "known.json"])
    (folder / "gold" / "bad.csv").write_text(HEADER + CONFLICT + "l9,left,BEFORE,docked\n")
    capsys.readouterr()
    assert run(["check", "gold", "--baseline", "known.json"]) == 1
    out = read(capsys)
    assert "Since the baseline: These 2 links contradict each other." in out
    assert "l9 (line 4): left BEFORE docked" in out
    assert "0 fixed" in out
    assert run(["check", "gold", "--baseline", "known.json", "--output", "sarif"]) == 1
    results = json.loads(read(capsys))["runs"][0]["results"]
    conflicts = [result["baselineState"] for result in results if result["ruleId"] == "inconsistent"]
    assert sorted(conflicts) == ["new", "unchanged"]


def test_a_known_conflict_is_fixed_only_when_it_is_gone(folder, capsys):
    path = folder / "gold" / "bad.csv"
    path.write_text(HEADER + "l1,a,BEFORE,b\nl2,b,BEFORE,c\nl3,c,BEFORE,a\n")
    run(["check", "gold", "--write-baseline", "known.json"])
    path.write_text(HEADER + "l1,a,BEFORE,b\nl2,b,BEFORE,c\nl3,c,BEFORE,a\nl4,b,BEFORE,a\n")
    capsys.readouterr()
    assert run(["check", "gold", "--baseline", "known.json"]) == 1
    assert ", 2 new, 0 fixed." in read(capsys)  # the list has the conflict of l1 and l4 alone; the other is a remark
    path.write_bytes(b"\xff\xfe\x00")
    run(["check", "gold", "--baseline", "known.json"])
    assert "fixed[inconsistent]" not in read(capsys)  # it could not be read
    path.write_text(HEADER + "l1,a,BEFORE,b\nl3,c,BEFORE,a\n")
    assert run(["check", "gold", "--baseline", "known.json"]) == 0
    assert "fixed[inconsistent]" in read(capsys)


def test_an_older_baseline_is_read_with_advice(folder, capsys):
    run(["check", "gold", "--write-baseline", "known.json"])
    table = json.loads(Path("known.json").read_text())
    for row in table["findings"]:
        row.pop("links", None)
    Path("known.json").write_text(json.dumps({"temporacle-baseline": 1, "findings": table["findings"]}))
    capsys.readouterr()
    assert run(["check", "gold", "--baseline", "known.json"]) == 0
    out = read(capsys)
    assert "Baseline: 5 known, 0 new, 0 fixed." in out
    assert "known.json is of an older version: write it again with --write-baseline." in out


def test_values_are_part_of_a_baseline(folder, capsys):
    text = """<?xml version="1.0"?><TimeML><DOCID>d</DOCID>
<TIMEX3 tid="t1" type="DATE" value="1998-02-06">Friday</TIMEX3>
<TIMEX3 tid="t2" type="DATE" value="1998-02-09">Monday</TIMEX3>
<TLINK lid="l1" timeID="t2" relatedToTime="t1" relType="BEFORE"/></TimeML>"""
    Path("d.tml").write_text(text)
    asked = ["check", "d.tml", "--calendar", "within"]
    assert run([*asked, "--write-baseline", "known.json"]) == 0
    capsys.readouterr()
    assert run([*asked, "--baseline", "known.json"]) == 0
    assert "Baseline: 1 known, 0 new, 0 fixed." in read(capsys)
    assert run([*asked, "--output", "sarif"]) == 1
    related = json.loads(read(capsys))["runs"][0]["results"][0]["relatedLocations"]
    assert {each["message"]["text"] for each in related} == {"l1: t2 BEFORE t1", "t1 = 1998-02-06", "t2 = 1998-02-09"}
    Path("d.tml").write_text(text.replace("1998-02-09", "1998-02-10"))
    assert run([*asked, "--baseline", "known.json"]) == 1
    assert "0 known, 1 new, 1 fixed." in read(capsys)


def test_a_missing_baseline_is_refused_with_the_cure(folder, capsys):
    assert run(["check", "gold", "--baseline", "nowhere.json"]) == 2
    assert "write one with --write-baseline" in capsys.readouterr().err


# --- hooks ---------------------------------------------------------------------------------------------------------


def hooks():
    yaml = pytest.importorskip("yaml")
    return {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


def test_the_hook_runs_on_annotations_and_fails_as_it_should(folder):
    hook = hooks()["temporacle-check"]
    assert hook["language"] == "python"
    assert hook["require_serial"]  # one run knows all documents
    wanted = [str(path) for path in sorted(folder.glob("gold/*")) if re.search(hook["files"], path.name)]
    assert len(wanted) == 4
    assert not re.search(hook["files"], "README.md")
    command = [sys.executable, "-m", *hook["entry"].split(), *hook.get("args", [])]
    assert subprocess.run([*command, *wanted], capture_output=True, check=False).returncode == 1
    assert subprocess.run([*command, "gold/good.csv"], capture_output=True, check=False).returncode == 0


def test_the_hook_knows_the_files_of_every_format():
    from temporacle.io.formats import FORMATS

    pattern = hooks()["temporacle-check"]["files"]
    suffixes = {suffix for each in FORMATS.values() for suffix in each.suffixes} - {".md"}  # answers of models
    assert {".ann", ".xmi", ".json"} <= suffixes
    assert not [suffix for suffix in suffixes if not re.search(pattern, f"d{suffix}")]


def test_the_hook_skips_what_is_not_an_annotation(folder, capsys):
    (folder / "package.json").write_text('{"name": "site"}')
    (folder / "notes.txt").write_text("Some words.\nSome more.\n")
    (folder / "pom.xml").write_text("<project><name>x</name></project>")
    (folder / "cut.tml").write_text("<TimeML><TLINK")
    (folder / "README.txt").write_text("# Read me\n")
    (folder / "prices.csv").write_text("name,price\nx,3\n")
    others = ["package.json", "notes.txt", "pom.xml", "README.txt", "prices.csv"]
    assert run(["check", "--from-hook", *others]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "skipped 5 files" in said.err
    assert run(["check", "--from-hook", *others, "gold/good.csv"]) == 0
    assert run(["check", "--from-hook", *others, "cut.tml"]) == 2
    assert run(["check", *others[:3]]) == 2  # a person named them


def test_the_page_shows_workflows_that_can_be_read():
    yaml = pytest.importorskip("yaml")
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    blocks = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(blocks) >= 3
    text = json.dumps(blocks, default=str)
    assert "upload-sarif" in text
    assert "junit" in text
    assert "temporacle-check" in text
