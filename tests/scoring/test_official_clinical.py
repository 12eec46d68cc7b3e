"""The programs of clinical shared tasks, against what the originals printed, and on bad input."""

import json
import shlex
import sys

import pytest
from shared_data import SHARED, shared

from temporacle.cli import run

CASES = sorted(path.name for path in SHARED.glob("golden/clinical/*") if path.is_dir()) or ["none"]


def printed(capfdbinary, *arguments):
    code = run(["score", *map(str, arguments)])
    sys.stdout.flush()
    return code, capfdbinary.readouterr().out


def arguments_of(case, mode, info):
    given = shlex.split(info["arguments"])
    if case.name[0] == "i":
        tags, spans, method = (each.lstrip("-") for each in given)
        options = ["--metric", "i2b2", "--tags", tags, "--spans", spans, "--mode", method]
        sides = [case / "gold", case / "system"]
        if mode.startswith("file"):
            first = min(each.name for each in sides[0].iterdir())
            sides = [side / first for side in sides]
        return [*sides, *options, *(["--blocks", "all"] if info.get("restored_blocks") else [])]
    if case.name[0] == "a":
        options, flag = [], ""
        for word in given:
            if word in {"-i", "-e"}:
                flag = {"-i": "--include", "-e": "--exclude"}[word]
            else:
                options += [word] if word.startswith("--") else [flag, word]
        return [case / "gold", case / "system", "--metric", "anafora", *options]
    method = "strict" if "--strict" in given else given[-1]
    ids = ["--ids", case / "ids.txt"]
    ids += ["--gold-ids", case / "gold_ids.txt"] if (case / "gold_ids.txt").exists() else []
    options = ["--mode", method, "--edition", info["program"], "--run-date", info.get("run_date", "2024-03-15")]
    return [case / "gold.json", case / "system.json", "--metric", "chemotimelines", *ids, *options]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CASES)
def test_a_recorded_run_is_reproduced_byte_for_byte(name, capfdbinary):
    case = shared("golden", "clinical", name)
    modes = json.loads((case / "expected.json").read_text())["modes"]
    assert modes
    for mode, info in modes.items():
        expected = (case / f"expected.{mode}.txt").read_bytes()
        text, _, stop = expected.partition(b"[exit 1] ") if info["exit"] else (expected, b"", b"")
        code, out = printed(capfdbinary, *arguments_of(case, mode, info), "--official")
        assert out == text, mode
        mismatch = b"don't match!" in text
        assert code == (3 if stop or mismatch else 0), mode


NOTE = """<?xml version="1.0" encoding="UTF-8" ?>
<ClinicalNarrativeTemporalAnnotation>
<TEXT><![CDATA[
Fever, then cough.
]]></TEXT>
<TAGS>
<EVENT id="E1" start="1" end="6" text="Fever" modality="FACTUAL" polarity="POS" type="PROBLEM" />
<EVENT id="E2" start="13" end="18" text="cough" modality="FACTUAL" polarity="POS" type="PROBLEM" />
<TLINK id="TL1" fromID="E1" fromText="Fever" toID="E2" toText="cough" type="BEFORE" />
</TAGS>
</ClinicalNarrativeTemporalAnnotation>
"""


@pytest.fixture
def notes(tmp_path):
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "n1.xml").write_text(NOTE)
    return tmp_path


def test_the_error_of_the_original_is_named(notes, capfd):
    (notes / "system" / "n1.xml").write_text(NOTE.replace('start="1"', 'start="one"'))
    assert run(["score", str(notes / "gold"), str(notes / "system"), "--official", "--metric", "i2b2"]) == 3
    assert "ValueError" in capfd.readouterr().err


def test_json_has_counts_and_signature(notes, capfd):
    arguments = [str(notes / "gold"), str(notes / "system"), "--official", "--metric", "i2b2", "--output", "json"]
    assert run(["score", *arguments]) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["document"] for row in rows[:-1]] == ["n1.xml"]
    assert rows[-1]["counts"] == {"precision_matched": 1, "system_total": 1, "recall_matched": 1, "gold_total": 1}
    assert "mode:tempeval" in rows[-1]["signature"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--metric", "i2b2", "--mode", "month"], "--mode month: choose"),
        (["--metric", "i2b2", "--include", "TLINK"], "no option include"),
        (["--metric", "anafora", "--tags", "all"], "no option tags"),
        (["--metric", "i2b2", "--align", "spans"], "no option align"),
        (["--metric", "i2b2", "--by", "label"], "--by"),
        (["--metric", "chemotimelines"], "ids"),
        (["--metric", "i2b2", "--labels", "thyme"], "no such option: --labels"),
    ],
)
def test_what_a_program_does_not_have_is_refused(notes, capfd, options, complaint):
    assert run(["score", str(notes / "gold"), str(notes / "system"), "--official", *options]) == 2
    assert complaint in capfd.readouterr().err


@pytest.mark.parametrize("content", ["[]", "{", '{"p": 1}', '{"p": [["a", "b"]]}', '{"p": [[1, 2, 3]]}', ""])
def test_bad_timelines_are_input_errors(tmp_path, capfd, content):
    (tmp_path / "bad.json").write_text(content)
    (tmp_path / "good.json").write_text('{"p": []}')
    (tmp_path / "ids.txt").write_text("p\n")
    files = [str(tmp_path / name) for name in ("good.json", "bad.json")]
    code = run(["score", *files, "--official", "--metric", "chemotimelines", "--ids", str(tmp_path / "ids.txt")])
    assert code == 3
    assert "bad.json" in capfd.readouterr().err


def test_a_signature_names_what_the_lists_say_not_where_they_are(tmp_path, capfd):
    (tmp_path / "t.json").write_text('{"p": [["drug", "contains-1", "2013-02-01"]]}')
    signatures = []
    for name, ids in (("a.txt", "p\n"), ("b.txt", "p\n"), ("c.txt", "q\n")):
        (tmp_path / name).write_text(ids)
        arguments = [str(tmp_path / "t.json")] * 2 + ["--metric", "chemotimelines", "--ids", str(tmp_path / name)]
        assert run(["score", *arguments, "--official", "--output", "json"]) == 0
        signatures.append(json.loads(capfd.readouterr().out.splitlines()[-1])["signature"])
    assert signatures[0] == signatures[1] != signatures[2]
