"""``temporacle audit`` and ``temporacle crosscheck`` as programs see them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from temporacle.checker import verify
from temporacle.cli import run

DOUBLES = Path(__file__).parents[1] / "broken_closures.py"


@pytest.fixture
def audit(capsys):
    def call(*arguments):
        code = run(["audit", *map(str, arguments), "--output", "json"])
        out, err = capsys.readouterr()
        *findings, summary = map(json.loads, out.splitlines()) if out else [None]
        return code, findings, summary, err

    return call


@pytest.fixture
def links(tmp_path):
    def write(name, *rows):
        path = tmp_path / name
        path.write_text("".join(row.replace(" ", "\t") + "\n" for row in rows), encoding="utf-8")
        return path

    return write


def test_a_right_closure(audit, links):
    source = links("source.tsv", "a b b", "b m c")
    code, findings, summary, _ = audit(source, links("claimed.tsv", "a BEFORE b", "c mi b", "a b c"))
    assert (code, findings) == (0, [])
    assert (summary["documents"], summary["pairs"], summary["clean"]) == (1, 3, True)


def test_unsound_and_incomplete_claims_carry_evidence(audit, links):
    source = links("source.tsv", "a b b", "b b c", "c m d")
    claimed = links("claimed.tsv", "a b b", "b b c", "c b d", "a b c", "b b|m d", "a b d", "x b a")
    code, findings, summary, _ = audit(source, claimed)
    assert code == 1
    by_pair = {tuple(finding["pair"]): finding for finding in findings}
    assert {pair: finding["kind"] for pair, finding in by_pair.items()} == {
        ("c", "d"): "unsound",
        ("b", "d"): "incomplete",
        ("a", "x"): "unsound",
    }
    assert by_pair["c", "d"]["claimed"] == ["b"]
    assert by_pair["c", "d"]["exact"] == ["m"]
    times = by_pair["c", "d"]["evidence"]["countermodel"]
    assert times["c"][1] == times["d"][0]
    missing = by_pair["b", "d"]
    assert (missing["claimed"], missing["exact"], missing["document"]) == (["b", "m"], ["b"], "source")
    assert [link["line"] for link in missing["evidence"]["links"]] == [2, 3]
    assert verify(json.dumps(missing["evidence"]["certificate"]))["claim"] == "entailed"
    assert (summary["wrong"], summary["over_claimed"], summary["missed"], summary["findings"]) == (1, 1, 1, 3)


def test_consistency_verdicts(audit, links):
    good, bad = links("good.tsv", "a b b"), links("bad.tsv", "a b b", "b b c", "c b a")
    verdict = links("verdict.tsv", "inconsistent")
    assert audit(bad, verdict)[:2] == (0, [])
    code, (finding,), _, _ = audit(good, verdict)
    assert (code, finding["kind"]) == (1, "false_inconsistency")
    assert finding["evidence"]["witness"]["a"][1] < finding["evidence"]["witness"]["b"][0]
    code, (finding,), _, _ = audit(bad, links("claimed.tsv", "a b b"))
    assert (code, finding["kind"], len(finding["evidence"]["conflict"])) == (1, "missed_inconsistency", 3)
    assert verify(json.dumps(finding["evidence"]["certificate"]))["claim"] == "inconsistent"


def test_our_own_closure_of_a_corpus_is_right(audit, links, tmp_path, capsys):
    source = links("corpus.tsv", "d1 a b b", "d1 b b|m c", "d2 a b b", "d2 b b a", "d3 x o y", "d3 y d z")
    run(["closure", str(source), "--output", "json"])
    claimed = tmp_path / "closure.jsonl"
    claimed.write_text(capsys.readouterr().out, encoding="utf-8")
    code, findings, summary, _ = audit(source, claimed)
    assert (code, findings) == (0, [])
    assert (summary["documents"], summary["consistent"], summary["inconsistent"]) == (3, 2, 1)


def test_a_closure_in_which_nothing_follows_is_an_empty_file(audit, links):
    nothing = links("closure.jsonl")
    code, findings, _, err = audit(links("any.tsv", "a VAGUE b"), nothing)
    assert (code, findings) == (0, [])
    assert "claims nothing" in err
    code, (finding,), _, _ = audit(links("source.tsv", "a b b"), nothing)
    assert (code, finding["kind"]) == (1, "incomplete")


@pytest.mark.parametrize("text", ["inconsistent\n", '{"document": "source", "verdict": "inconsistent"}\n'])
def test_a_byte_order_mark_before_a_verdict(audit, links, tmp_path, text):
    claimed = tmp_path / "claimed"
    claimed.write_text(text, encoding="utf-8-sig")
    assert audit(links("source.tsv", "a b b", "b b a"), claimed)[:2] == (0, [])


def test_a_claim_without_a_relation_is_not_the_label_none(audit, links, tmp_path):
    claimed = tmp_path / "claimed.jsonl"
    claimed.write_text('{"source": "a", "relation": null, "target": "b"}\n', encoding="utf-8")
    code, _, _, err = audit(links("source.tsv", "a b b"), claimed)
    assert (code, "relation is empty" in err) == (2, True)


def test_documents_are_matched_by_name(audit, links):
    source = links("corpus.tsv", "d1 a b b", "d2 a b b", "d2 b b a")
    code, findings, _, err = audit(source, links("claimed.tsv", "d2 inconsistent", "d1 a b b", "d9 a b b"))
    assert (code, findings) == (3, [])
    assert "d9" in err
    code, findings, _, err = audit(source, links("claimed.tsv", "d2 inconsistent", "d0 a b b"))
    assert (code, [finding["document"] for finding in findings]) == (1, ["d1"])
    assert "d1" in err


def test_determined_only(audit, links):
    source, claimed = links("s.tsv", "a b b", "c d b"), links("c.tsv", "a b b", "c d b", "a b c")
    assert audit(source, claimed)[:2] == (0, [])
    source = links("s.tsv", "a o b", "b o c")
    claimed = links("c.tsv", "a o b", "b o c")
    assert audit(source, claimed)[0] == 1
    assert audit(source, claimed, "--determined-only")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["s.tsv"],
        ["s.tsv", "no-such-file.tsv"],
        ["no-such-file.tsv", "s.tsv"],
        ["--implementation", "no_such_module:f"],
        ["no-such-file.tsv", "--implementation", f"{DOUBLES}:right"],
        ["--implementation", "m:f", "--command", "c"],
        ["s.tsv", "s.tsv", "-o", "report.pdf"],
    ],
)
def test_wrong_usage(audit, links, monkeypatch, arguments):
    monkeypatch.chdir(links("s.tsv", "a b b").parent)
    code, _, _, err = audit(*arguments)
    assert code == 2
    assert err


def test_live_function(audit):
    code, findings, summary, _ = audit("--implementation", f"{DOUBLES}:right", "--cases", 30, "--large", 0)
    assert (code, findings) == (0, [])
    assert (summary["cases"], summary["seed"], summary["clean"]) == (30, 0, True)
    code, findings, summary, _ = audit(
        "--implementation", f"{DOUBLES}:empties", "--cases", 30, "--large", 0, "--seed", 4
    )
    assert code == 1
    assert {finding["kind"] for finding in findings} == {"missed_inconsistency"}
    assert summary["missed_inconsistencies"] == summary["inconsistent"] > 0
    assert summary["rates"]["missed_inconsistencies"] == 1
    for finding in findings:
        assert len({end for source, _, target in finding["links"] for end in (source, target)}) <= 4
        namespace = {}
        exec(f"from broken_closures import empties as closure\n{finding['test']}", namespace)
        test = next(value for name, value in namespace.items() if name.startswith("test_"))
        with pytest.raises(AssertionError):
            test()


def test_live_function_on_given_documents(audit, links):
    source = links("corpus.tsv", "d1 a b b", "d2 a b b", "d2 b b a")
    code, (finding,), summary, _ = audit(source, "--implementation", f"{DOUBLES}:empties", "--no-vary")
    assert (code, finding["family"], summary["cases"]) == (1, "d2", 2)


def test_live_function_with_something_unreadable(audit, links):
    folder = links("good.tsv", "a b b").parent
    links("odd.tsv", "a b b", "a sooner c")
    links("bad.tsv", "a b b", "c")
    code, findings, summary, err = audit(folder, "--implementation", f"{DOUBLES}:right")
    assert (code, findings, summary["cases"]) == (3, [], 2)
    assert "bad.tsv" in err


def test_nothing_is_right_if_everything_was_declined(audit):
    code, findings, summary, err = audit("--implementation", f"{DOUBLES}:declines_all", "--cases", 3)
    assert (code, findings, summary["declined"]) == (3, [], 3)
    assert "nothing has been checked" in err


def test_live_command(audit, tmp_path):
    program = tmp_path / "echo.py"
    program.write_text("import sys; print(open(sys.argv[1]).read(), end='')", encoding="utf-8")
    command = f"'{sys.executable}' '{program}' {{input}}"
    code, findings, summary, _ = audit("--command", command, "--cases", 8, "--entities", 3, "--large", 0, "--no-vary")
    assert code == 1
    assert "incomplete" in {finding["kind"] for finding in findings}
    assert summary["crashes"] == 0
    shown = findings[0]["test"]
    assert shown.startswith("printf '")
    assert "# must answer" in shown


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_reports(tmp_path, capsys, suffix):
    path = tmp_path / f"report.{suffix}"
    arguments = [
        "audit",
        "--implementation",
        f"{DOUBLES}:greedy",
        "--cases",
        "12",
        "--large",
        "0",
        "--no-vary",
        "-o",
        str(path),
    ]
    assert run(arguments) == 1
    shown = capsys.readouterr().out
    assert "def test_missed_inconsistency" in shown
    text = path.read_text("utf-8")
    assert "missed_inconsistency" in text
    assert "seed" in text
    if suffix == "json":
        assert json.loads(text)["summary"]["cases"] == 12


def test_names_from_documents_are_harmless_in_reports(tmp_path, links):
    source = links("source.tsv", "a b <script>", "<script> b c")
    path = tmp_path / "report.html"
    assert run(["audit", str(source), str(links("claimed.tsv", "a b c")), "-o", str(path)]) == 1
    assert "<script>" not in path.read_text("utf-8")


def test_crosscheck(capsys):
    arguments = ["crosscheck", "--cases", "12", "--seed", "3", "--entities", "3", "--relations", "convex"]
    assert run([*arguments, "--output", "json"]) == 0
    *engines, total = map(json.loads, capsys.readouterr().out.splitlines())
    assert {row["engine"] for row in engines} == {
        "exact", "cpsat", "enumeration", "propagation", "path-consistency", "ord-horn", "timegraph", "graph", "large",
        "splitting", "cdcl", "certificates",
    }  # fmt: skip
    assert all(row["clean"] for row in engines)
    assert {(row["graphs"], row["cases"]) for row in engines} == {("small", 12), ("medium", 1)}
    assert total["clean"]
    assert run([*arguments, "--engine", "nonsense"]) == 2


def test_help_starts_without_heavy_imports():
    code = "import sys; from temporacle.cli import run; run(['audit', '--help']); sys.exit('ortools' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
