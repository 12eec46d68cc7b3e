"""Kinds of damaged files x entry points: each refuses the file, or shows how many links it could not use."""

import json
import re
import warnings
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.model import Action, Document
from temporacle.scoring.metric import METRICS
from temporacle.tasks.official import OfficialScore

GOOD = "id,source,relation,target\nl1,a,BEFORE,b\n"
TML = """<?xml version="1.0"?><TimeML><DOCID>d</DOCID><TEXT><EVENT eid="e1" class="OCCURRENCE">left</EVENT>
<EVENT eid="e2" class="OCCURRENCE">docked</EVENT></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>
<TLINK lid="l1" eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE"/>{}</TimeML>"""
ANN = "T1\tEVENT 0 4\tleft\nT2\tEVENT 5 11\tdocked\nR1\tBEFORE Arg1:T1 Arg2:T2\n"
JSONL = '{"document": "d", "links": [{"source": "a", "relation": "BEFORE", "target": "b"}, %s]}\n'

KINDS = {
    "typo.csv": GOOD + "l2,b,BEFOR,c\n",
    "empty-label.csv": GOOD + "l2,b,,c\n",
    "nan.csv": GOOD + "l2,b,nan,c\n",
    "other-label-set.csv": GOOD + "l2,b,CONTINUES,c\n",
    "no-source.csv": GOOD + "l2,,BEFORE,c\n",
    "no-target.csv": GOOD + "l2,b,BEFORE,\n",
    "swapped-columns.csv": GOOD + "l2,BEFORE,x,c\n",
    "number-as-label.csv": GOOD + "l2,b,3,c\n",
    "half-known.csv": GOOD + "l2,b,BEFORE|SOON,c\n",
    "all-unknown.csv": "id,source,relation,target\nl1,a,SOON,b\n",
    "short-row.tsv": "source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\n",
    "typo.tsv": "source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFOR\tc\n",
    "empty.csv": "",
    "no-columns.csv": "x,y\n1,2\n",
    "typo.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei1" relType="AFTR"/>'),
    "no-label.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relatedToEventInstance="ei1"/>'),
    "dangling.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei9" relatedToEventInstance="ei1" relType="AFTER"/>'),
    "no-end.tml": TML.format('<TLINK lid="l2" eventInstanceID="ei2" relType="AFTER"/>'),
    "two-ends.tml": TML.format(
        '<TLINK lid="l2" eventInstanceID="ei2" timeID="t1" relatedToEventInstance="ei1" relType="AFTER"/>'
    ),
    "cut-off.tml": TML.format("")[:-20],
    "unknown-type.ann": ANN + "R2\tPRECEDES Arg1:T2 Arg2:T1\n",
    "dangling.ann": ANN + "R2\tAFTER Arg1:T2 Arg2:T9\n",
    "no-argument.ann": ANN + "R2\tAFTER Arg1:T2\n",
    "typo.jsonl": JSONL % '{"source": "b", "relation": "BEFOR", "target": "c"}',
    "no-source.jsonl": JSONL % '{"relation": "BEFORE", "target": "c"}',
    "null-label.jsonl": JSONL % '{"source": "b", "relation": null, "target": "c"}',
    "boolean-id.jsonl": JSONL % '{"source": true, "relation": "BEFORE", "target": "c"}',
    "torn.jsonl": '{"document": "d", "links": [',
}


WHOLE = {
    ".csv": GOOD + "l2,b,BEFORE,c\n",
    ".tsv": "source\trelation\ttarget\na\tBEFORE\tb\nb\tBEFORE\tc\n",
    ".tml": TML.format(""),
    ".ann": ANN,
    ".jsonl": JSONL % '{"source": "b", "relation": "BEFORE", "target": "c"}',
}
UNREADABLE = {"short-row.tsv", "empty.csv", "no-columns.csv", "cut-off.tml", "torn.jsonl"}


def whole(path):
    """Return the same file without damage."""
    return path.replace("damaged", "whole")


def two_of(path):
    """Return two entities of a file; anything if it cannot be read."""
    try:
        return [*tp.read(path).entity_ids, "a", "b"][:2]
    except tp.TemporacleError:
        return "a", "b"


def question(path):
    return "IS {} BEFORE {}".format(*two_of(path))


def beside(path, name):
    return str(Path(path).parent.parent / name)


def viewed(path):
    """Return what the workbench sends about a document."""
    from temporacle.workbench.document import document_view

    return document_view(tp.Session(path))


def scores_beside(path):
    """Return scored pairs for every document of the files, whose hard links hold beside them."""
    return {name: [("x", "y", {"BEFORE": 1})] for name in ("d", Path(path).stem)}


ENTRANCES = {
    "check": tp.check,
    "check, answers": lambda path: tp.check([tp.read(path), tp.read(whole(path))], answers=True),
    "decode, votes": lambda path: tp.decode([whole(path), path], consensus=True),
    "decode, hard": lambda path: tp.decode(scores_beside(path), hard=path),
    "audit, source": lambda path: tp.audit(path, whole(path)),
    "audit, claimed": lambda path: tp.audit(whole(path), path),
    "repair": tp.repair,
    "one check": lambda path: tp.check(path)[0],
    "Oracle": tp.Oracle,
    "Session": tp.Session,
    "closure": tp.closure,
    "one closure": lambda path: tp.closure(path)[0],
    "reduce": lambda path: tp.reduce(path)[0],
    "bounds": lambda path: tp.bounds(path, calendar=True)[0],
    "ask": lambda path: tp.ask(path, [question(path)]),
    "entails": lambda path: tp.entails(path, two_of(path)[0], "BEFORE", two_of(path)[1]),
    "stats": tp.stats,
    "one stats": lambda path: tp.stats(path)[0],
    "diff, old": lambda path: tp.diff(path, whole(path)),
    "diff, new": lambda path: tp.diff(whole(path), path)[0],
    "fix": lambda path: tp.fix(path, dry_run=True),
    "convert": lambda path: tp.convert(path, beside(path, "converted.jsonl")),
    "report": lambda path: tp.report(path, out=beside(path, "report.html")),
    "report of systems": lambda path: tp.report_comparison(
        whole(path), {"system": path}, out=beside(path, "systems.html")
    ),
    "agree": lambda path: tp.agree(whole(path), path),
    "agree, closure": lambda path: tp.agree(whole(path), path, metric="closure"),
    "compare, closure": lambda path: tp.compare(whole(path), {"one": path, "other": whole(path)}, metric="closure"),
    "agree, three": lambda path: tp.agree(whole(path), whole(path), path),
    "compare": lambda path: tp.compare(whole(path), {"damaged": path, "whole": whole(path)}),
    "compare, gold": lambda path: tp.compare(path, {"whole": whole(path)}),
    "workbench": viewed,
    "read": tp.read,
    "official awareness, system": lambda path: tp.official("awareness", whole(path), path),
    "official matres, system": lambda path: tp.official("matres", whole(path), path),
    "official matres, gold": lambda path: tp.official("matres", path, whole(path)),
    **{f"{name}, system": lambda path, name=name: tp.score(whole(path), path, metric=name) for name in METRICS},
    **{f"{name}, gold": lambda path, name=name: tp.score(path, whole(path), metric=name) for name in METRICS},
}


def is_shown(result):
    """Whether the number of skipped links, or that nothing could be read, is visible in words and in JSON."""
    if isinstance(result, dict):
        return bool(result["skipped_links"])
    words = repr(result)
    if "unreadable" in words.replace("0 unreadable", "") or "unreadable" in str(getattr(result, "verdict", "")):
        return True
    counts = getattr(result, "skipped_links", None)
    data = re.sub(r"'[^']*': {}(, )?", "", str(result.to_dict())) if hasattr(result, "to_dict") else None
    in_data = data is None or re.search(r"'skipped_links': {+'", data)
    html = result._repr_html_() if hasattr(result, "_repr_html_") else "skipped:"
    said = result.remarks if isinstance(result, Document) else result.warnings
    is_told = isinstance(result, OfficialScore) or any(each.action is Action.DROPPED for each in said)
    if not is_told or "skipped:" not in html:
        return False
    signature = getattr(result, "signature", None)
    is_signed = signature is None or "|skipped:" in signature
    return "skipped: " in words and (counts is None or bool(counts)) and bool(in_data) and is_signed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("files")
    for place in ("damaged", "whole"):
        (here / place).mkdir()
        for name, text in KINDS.items():
            (here / place / name).write_text(text if place == "damaged" else WHOLE[Path(name).suffix])
        for path in (here / place).glob("*.ann"):
            path.with_suffix(".txt").write_text("left docked")
    pair = '"pairs": [{"source": "x", "target": "y", "scores": {"BEFORE": 1}}]'
    names = sorted({"d", *(Path(name).stem for name in KINDS)})
    (here / "scores.jsonl").write_text("".join(f'{{"document": "{name}", {pair}}}\n' for name in names))
    return here / "damaged"


def test_there_are_enough_kinds():
    assert len(KINDS) >= 25


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_what_could_not_be_used_is_part_of_the_answer(entrance, folder):
    hidden, used = [], 0
    for kind in KINDS:
        try:
            result = ENTRANCES[entrance](str(folder / kind))
        except tp.TemporacleError:
            continue  # a refusal
        used += 1
        if (entrance, kind) == ("audit, claimed", "empty.csv"):  # a closure in which nothing follows
            assert "no-claims" in repr(result)
        elif not is_shown(result):
            hidden.append((kind, result))
    assert not hidden
    assert used or entrance.startswith(("timeline", "pairs", "official matres"))


# Results of tasks that Python reads files for. Documents and values have been warned of before.
WARN = set(ENTRANCES) - {"workbench", "one check", "one closure", "one stats", "report of systems", "diff, new"}


@pytest.mark.parametrize("entrance", sorted(WARN))
def test_python_warns_once_of_each_code(entrance, folder):
    path = str(folder / ("typo.csv" if "timeline" not in entrance and "pairs" not in entrance else "typo.tml"))
    two_of(path)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            ENTRANCES[entrance](path)
        except tp.TemporacleError:
            return
    said = [str(each.message) for each in told if issubclass(each.category, tp.InputWarning)]
    once = [each for each in said if "1 link could not be used and was skipped (unknown-label)" in each]
    assert once or any("skipped" in each for each in said)
    assert len(set(said)) == len(said) or entrance in {"ask", "entails"}  # these read the file three times here


ODD_FILES = {
    "self-link.csv": GOOD + "l2,b,BEFORE|AFTER|EQUAL,b\n",
    "duplicate-link.csv": GOOD + "l2,a,BEFORE,b\n",
    "contradictory-pair.csv": GOOD + "l2,a,AFTER,b\n",
    "label-case.tml": TML.replace("BEFORE", "Before").format(""),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_warnings_of_the_command_line_are_in_python(name, tmp_path, capsys):
    (tmp_path / name).write_text(ODD_FILES[name])
    path = str(tmp_path / name)
    run(["check", path])
    printed = set(re.findall(r"(?:warning|skipped)\[([a-z-]+)\]", capsys.readouterr().err))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = tp.check([path, path])
    issued = [re.search(r"\(([a-z-]+)\)$", str(each.message))[1] for each in told]
    assert printed
    assert printed <= {each.code for each in found[0].warnings} <= {each.code for each in found.warnings}
    assert sorted(issued) == sorted({each.code for each in found.warnings})
    assert all(code in repr(found) and code in repr(found[0]) for code in printed)


def test_only_what_was_odd_about_files_is_said_again(tmp_path):
    (tmp_path / "d.csv").write_text(ODD_FILES["duplicate-link.csv"])
    with pytest.warns(tp.InputWarning, match="l2 repeats l1 .*duplicate-link"):
        tp.check(str(tmp_path / "d.csv"))
    document = tp.read(str(tmp_path / "d.csv"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tp.check(document).warnings == document.remarks
        list(tp.each("check", str(tmp_path / "d.csv")))


COMMANDS = {
    "check": lambda path: ["check", path],
    "closure": lambda path: ["closure", path],
    "reduce": lambda path: ["reduce", path],
    "bounds": lambda path: ["bounds", path],
    "entails": lambda path: ["entails", path, two_of(path)[0], "BEFORE", two_of(path)[1]],
    "ask": lambda path: ["ask", path, question(path)],
    "stats": lambda path: ["stats", path],
    "diff": lambda path: ["diff", whole(path), path],
    "fix": lambda path: ["fix", path, "--dry-run"],
    "agree": lambda path: ["agree", whole(path), path],
    "official awareness": lambda path: ["official", "awareness", whole(path), path],
    "audit": lambda path: ["audit", path, whole(path)],
    "decode --hard": lambda path: ["decode", beside(path, "scores.jsonl"), "--hard", path],
    "decode --consensus": lambda path: ["decode", "--consensus", whole(path), path],
    **{f"score {name}": lambda path, name=name: ["score", whole(path), path, "--metric", name] for name in METRICS},
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_say_it_in_json_and_in_the_exit_code(command, folder, capsys):
    hidden = []
    for kind in KINDS:
        code = run([*COMMANDS[command](str(folder / kind)), "--output", "json"])
        told = capsys.readouterr()
        if code == 2 and (not told.out or kind in UNREADABLE):
            continue  # a refusal, or a row that says that nothing could be read
        lines = [json.loads(line) for line in told.out.splitlines()]
        found = [line.get("total", line) if isinstance(line.get("total"), dict) else line for line in lines]
        counts = [line.get("skipped_links") for line in found if line.get("verdict") != "unreadable"]
        is_told = any(counts and any(counts.values()) for counts in counts) or kind in UNREADABLE
        reads_itself = command.startswith("official") and kind.endswith(".tml")  # and scores what it reads
        if code not in ({0, 1, 3} if reads_itself else {1, 3}) or not is_told:
            hidden.append((kind, code, told.out))
    assert not hidden


@pytest.mark.parametrize("output", ["sarif", "junit", "github", "csv", "baseline"])
def test_findings_for_services_and_baselines_name_its_code(output, folder, tmp_path, capsys):
    baseline = tmp_path / "known.json"
    for kind in KINDS:
        given = ["--write-baseline", str(baseline), "-q"] if output == "baseline" else ["--output", output]
        code = run(["check", str(folder / kind), *given])
        told = capsys.readouterr().out
        told = baseline.read_text() if output == "baseline" else told
        if kind in UNREADABLE:
            assert "unreadable" in told
        elif output == "csv":
            assert told.splitlines()[-1].endswith(",1")
        else:
            assert all(name in told for name in tp.read(str(folder / kind)).skipped_links)
        assert code == (2 if kind in UNREADABLE else 0 if output == "baseline" else 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_says_it_on_its_page(kind, folder, tmp_path, capsys):
    code = run(["report", str(folder / kind), "-o", str(tmp_path / "report.html")])
    capsys.readouterr()
    if kind in UNREADABLE:
        assert code == 2 or "unreadable" in (tmp_path / "report.html").read_text("utf-8")
        return
    assert code == 3
    page = (tmp_path / "report.html").read_text("utf-8")
    assert any(code in page for code in tp.read(str(folder / kind)).skipped_links)


@pytest.mark.parametrize("kind", KINDS)
def test_convert_says_it_and_writes_no_more(kind, folder, tmp_path, capsys):
    code = run(["convert", str(folder / kind), "-o", str(tmp_path / "out.jsonl")])
    told = capsys.readouterr()
    assert code == (2 if kind in UNREADABLE else 3)
    assert "skipped[" in told.err or "unreadable" in told.err


# --- scores -----------------------------------------------------------------------------------------------------------

WIDE = "document,source,target,BEFORE,AFTER\nd,a,b,0.8,0.2\n"
LONG = "document,source,target,label,score\nd,a,b,BEFORE,0.8\nd,a,b,AFTER,0.2\n"
PAIR = '{"document": "d", "pairs": [{"source": "a", "target": "b", "scores": {"BEFORE": 0.8, "AFTER": 0.2}}, %s]}\n'
SCORES = {
    "nan.csv": WIDE + "d,b,c,nan,0.4\n",
    "infinite.csv": WIDE + "d,b,c,inf,0.4\n",
    "words.csv": WIDE + "d,b,c,high,0.4\n",
    "logits.csv": WIDE + "d,b,c,-1.5,0.4\n",
    "no-scores.csv": WIDE + "d,b,c,,\n",
    "no-source.csv": WIDE + "d,,c,0.6,0.4\n",
    "short-row.csv": WIDE + "d,b,c,0.6\n",
    "no-document.csv": WIDE + ",b,c,0.6,0.4\n",
    "typo.csv": LONG + "d,b,c,BEFOR,0.9\n",
    "empty-label.csv": LONG + "d,b,c,,0.9\n",
    "other-label-set.csv": LONG + "d,b,c,CONTINUES,0.9\n",
    "doubled.csv": LONG + "d,a,b,BEFORE,0.3\n",
    "nearly-a-label.csv": "document,source,target,BEFORE,AFTER,SIMULTANEOS\nd,a,b,0.8,0.2,0.1\n",
    "empty.csv": "",
    "no-columns.csv": "x,y\n1,2\n",
    "links.csv": "source,relation,target\na,BEFORE,b\n",
    "typo.jsonl": PAIR % '{"source": "b", "target": "c", "scores": {"BEFOR": 0.9}}',
    "null.jsonl": PAIR % '{"source": "b", "target": "c", "scores": {"BEFORE": null}}',
    "no-scores.jsonl": PAIR % '{"source": "b", "target": "c"}',
    "empty-scores.jsonl": PAIR % '{"source": "b", "target": "c", "scores": {}}',
    "boolean-id.jsonl": PAIR % '{"source": true, "target": "c", "scores": {"BEFORE": 0.9}}',
    "half-id.jsonl": PAIR % '{"source": 1.5, "target": "c", "scores": {"BEFORE": 0.9}}',
    "torn.jsonl": '{"document": "d", "pairs": [',
    "answered-twice.jsonl": (PAIR % '{"source": "b", "target": "c", "scores": {"BEFORE": 0.9}}') * 2,
}


@pytest.mark.parametrize("kind", SCORES)
def test_decode_refuses_damaged_scores_with_the_reason(kind, tmp_path, capsys):
    path = tmp_path / kind
    path.write_text(SCORES[kind])
    found = tp.decode(str(path))
    refused = [each for each in found if each.verdict == "unreadable"]
    assert refused
    assert "unreadable" in repr(found)
    assert refused[0].reason in repr(found)
    assert refused[0].to_dict()["reason"] == refused[0].reason
    code = run(["decode", str(path), "--output", "json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == (2 if len(refused) == len(found) else 3)
    said = [row["reason"] for row in rows if row["verdict"] == "unreadable"]
    assert said == [each.reason.replace("objective='weight'", "--objective weight") for each in refused]


def test_decode_names_columns_that_it_does_not_read(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text("document,source,target,BEFORE,AFTER,begin,epoch\nd,a,b,0.8,0.2,9,3\ne,a,b,0.8,0.2,9,3\n")
    with pytest.warns(tp.InputWarning, match=r"no label has their name: 'begin', 'epoch' \(other-columns\)"):
        found = tp.decode(str(path))
    assert [each.code for each in found.warnings] == ["other-columns"]  # once for a table
    assert "warnings: other-columns" in repr(found)
    assert run(["decode", str(path), "--output", "json"]) == 0
    told = capsys.readouterr()
    assert "warning[other-columns]" in told.err
    assert json.loads(told.out.splitlines()[0])["warnings"][0]["code"] == "other-columns"


def test_decode_warns_of_scores_that_may_be_logits(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(WIDE + "d,b,c,3.5,0.4\n")
    with pytest.warns(tp.InputWarning, match=r"1 pair of d with a score above 1.* logits need softmax"):
        found = tp.decode(str(path))
    assert "warnings: above-one" in repr(found)
    assert [(each.code, each.element, each.line) for each in found.warnings] == [("above-one", "p2", 3)]
    run(["decode", str(path), "--output", "json"])
    told = capsys.readouterr()
    assert "warning[above-one]" in told.err
    assert json.loads(told.out)["warnings"][0]["code"] == "above-one"
    assert not tp.decode(str(path), objective="weight").warnings


def test_decode_calls_a_document_without_a_usable_pair_unchecked():
    with pytest.warns(tp.InputWarning, match="1 of 1 row cannot be used"):
        (found,) = tp.decode([("a", "b", {"BEFOR": 1})], on_error="skip")
    assert found.verdict == "unchecked"
    assert not found.is_complete
    assert found.to_dict()["skipped_links"] == {"unknown-label": 1}
    assert "did you mean BEFORE" in found.reason
    assert tp.decode([("a", "b", {"BEFORE": 1})])[0].to_dict()["skipped_links"] == {}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.endswith((".csv", ".tsv", ".jsonl"))])
def test_decode_counts_hard_links_that_cannot_be_used(kind, folder):
    scores = [{"document": Path(kind).stem, "pairs": [{"source": "a", "target": "b", "scores": {"BEFORE": 1}}]}]
    if kind.endswith(".jsonl"):
        scores[0]["document"] = "d"
    try:
        found = tp.decode(scores, hard=str(folder / kind))
    except tp.TemporacleError:
        return  # a refusal
    assert found[0].skipped_links
    assert "skipped: " in repr(found)


# --- servers ----------------------------------------------------------------------------------------------------------

XMI = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:cas="http:///uima/cas.ecore" xmlns:xmi="http://www.omg.org/XMI"
 xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<custom:EVENT xmi:id="10" sofa="1" begin="0" end="4"/><custom:EVENT xmi:id="11" sofa="1" begin="5" end="11"/>
<custom:EVENT xmi:id="12" sofa="1" begin="12" end="17"/>
<custom:TLINK xmi:id="30" sofa="1" begin="5" end="11" Dependent="11" Governor="10" relType="BEFORE"/>
<custom:TLINK xmi:id="31" sofa="1" begin="12" end="17" Dependent="12" Governor="11" relType="BEFORE"/>
<custom:TLINK xmi:id="32" sofa="1" begin="12" end="17" {}/>
<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="left docked slept"/>
<cas:View sofa="1" members="10 11 12 30 31 32"/>
</xmi:XMI>"""


@pytest.mark.parametrize(
    "link",
    ['Dependent="10" Governor="12" relType="SOON"', 'Dependent="10" Governor="12"', 'Governor="12" relType="AFTER"'],
    ids=["unknown label", "no label", "no end"],
)
def test_inception_says_it_beside_its_suggestions(link):
    pytest.importorskip("starlette")
    from temporacle.io.source import Options
    from temporacle.servers.inception import RECOMMENDERS, with_suggestions
    from temporacle.servers.sentences import Asked

    metadata = {"layer": "webanno.custom.TLINK", "feature": "relType"}
    answer, skipped = with_suggestions(XMI.format(link), metadata, RECOMMENDERS["entailed"], Asked(Options(), 5, None))
    assert skipped.startswith("1 skipped: 1 ")
    assert skipped in answer


def test_label_studio_says_it_in_predictions_and_verdicts():
    pytest.importorskip("starlette")
    from temporacle.io.source import Options
    from temporacle.servers.label_studio import Desk
    from temporacle.servers.sentences import Asked

    def region(name, start):
        value = {"start": start, "end": start + 4, "text": "left", "labels": ["EVENT"]}
        return {"id": name, "type": "labels", "from_name": "l", "to_name": "t", "value": value}

    bad = {"type": "relation", "from_id": "r1", "to_id": "r2", "labels": ["SOON"]}
    good = {"type": "relation", "from_id": "r2", "to_id": "r3", "labels": ["BEFORE"]}
    results = [region("r1", 0), region("r2", 5), region("r3", 10), bad, good]
    desk = Desk(Asked(Options(), 5, None))
    desk.receive({"action": "ANNOTATION_CREATED", "annotation": {"id": 1, "result": results}})
    (verdict,) = desk.verdicts()
    (prediction,) = desk.predictions({"tasks": [{"id": 1, "annotations": [{"id": 1, "result": results}]}]})
    assert verdict["skipped_links"] == prediction["skipped_links"] == {"unknown-label": 1}


@pytest.mark.parametrize("tool", ["check", "entails", "what_follows", "repair"])
@pytest.mark.parametrize(
    "damaged",
    [["b", "BEFOR", "c"], ["b", "", "c"], ["b", None, "c"], [12.5, "BEFORE", "c"], ["b", "BEFORE"]],
)
def test_tools_of_language_models_refuse(tool, damaged):
    from temporacle.mcp import tools

    given = {"statements": [["a", "BEFORE", "b"], damaged], "source": "a", "relation": "BEFORE", "target": "b"}
    with pytest.raises(tp.TemporacleError):
        getattr(tools, tool)(given)
