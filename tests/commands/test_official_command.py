"""``temporacle score --official`` from the outside: what the published programs print, and what they get wrong."""

import json
import re
import runpy
import sys
from pathlib import Path

import pytest
from shared_data import SHARED, shared

from temporacle.cli import run
from temporacle.errors import BudgetExceeded
from temporacle.scoring.official.tempeval3.scores import METHODS

OWN = Path(__file__).resolve().parents[1] / "golden" / "official"
COUNTS = ("precision_matched", "system_total", "recall_matched", "gold_total")
RAW_RUNS = {
    "cleartk-1": "cleartk/1-timebank",
    "cleartk-3": "cleartk/3-timebank-aquaint",
    "key": "TE3-test-key/key",
    "kul-abc": "KUL/TE3RunABC",
    "navytime-1": "chambers/NavyTime1",
    "tipsem": "TIPSem/key",
}
UNDECIDED = 3


def cases(own, pattern):
    """The project's cases, and those of the shared folder that are not among them."""
    found = {case.name: case for case in [*SHARED.glob(f"golden/{pattern}"), *(OWN / own).iterdir()]}
    return [found[name] for name in sorted(found)]


def by_name(path):
    return path.name


@pytest.fixture
def printed(capfdbinary):
    """The exit code, standard output and standard error of a scoring."""

    def call(gold, system, *options):
        code = run(["score", str(gold), str(system), "--official", *options])
        out, err = capfdbinary.readouterr()
        return code, out, err.decode()

    return call


@pytest.fixture
def rows(printed):
    def call(gold, system, *options, code=0):
        found, out, err = printed(gold, system, *options, "--output", "json")
        assert found == code, err
        return [json.loads(line) for line in out.splitlines()]

    return call


def counts_of(row):
    return {name: row["counts"][name] for name in COUNTS}


def expected_counts(expected):
    return {name: expected[name] for name in COUNTS}


# --- golden cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", cases("tempeval3", "official/r*"), ids=by_name)
def test_tempeval3(case, method, printed, rows):
    expected = json.loads((case / "expected.json").read_text())["methods"][method]
    code, out, err = printed(case / "gold", case / "system", "--method", method)
    if "error" in expected:
        error = expected["error"].split(":")[0]
        assert code == UNDECIDED
        assert f"the original program would crash on this input with {error}" in err
        assert b"Temporal Awareness Score" in out
        total = rows(case / "gold", case / "system", "--method", method, code=UNDECIDED)[-1]
        assert total["stops"].startswith(error)
        return
    assert code == 0
    assert out == (case / f"expected{'' if method == 'default' else f'.{method}'}.txt").read_bytes()
    total = rows(case / "gold", case / "system", "--method", method)[-1]
    assert counts_of(total) == expected_counts(expected)
    assert [float(total["digits"][name]) for name in ("f1", "precision", "recall")] == [
        expected[name] for name in ("f1", "p", "r")
    ]


@pytest.mark.parametrize("case", cases("tempeval3", "official/r*"), ids=by_name)
def test_exact_counts_beside_the_official_ones(case, rows):
    expected = json.loads((case / "expected.json").read_text())
    if "exact_reasoner_same_policy" not in expected:
        pytest.skip("no exact counts for this case")
    *_, total = rows(case / "gold", case / "system", "--explain-difference")
    assert counts_of(total["exact"]) == expected_counts(expected["exact_reasoner_same_policy"])


@pytest.mark.parametrize("mode", ["full", "ord"])
@pytest.mark.parametrize("case", cases("timelines", "official/t*"), ids=by_name)
def test_timelines(case, mode, printed, rows, monkeypatch):
    expected = json.loads((case / "expected.json").read_text())["modes"][mode]
    options = ["--metric", "timeline", *(["--ordering-only"] if mode == "ord" else [])]
    monkeypatch.chdir(case)
    crashes = "error" in expected["micro"]
    code, out, err = printed("gold", "system", *options)
    lines = out.splitlines(keepends=True)
    wanted = (case / f"expected{'.ord' if mode == 'ord' else ''}.txt").read_bytes().splitlines(keepends=True)
    if crashes:
        assert code == UNDECIDED
        assert expected["micro"]["error"] in err
        lines = [line for line in lines if not line.startswith(b"\t")]
        wanted = [line for line in wanted if not line.startswith(b"[exit")]
    else:
        assert code == 0
    assert sorted(lines) == sorted(wanted)
    *files, total = rows("gold", "system", *options, code=UNDECIDED if crashes else 0)
    for file in files:
        if expected["files"][file["document"]] is not None:
            assert counts_of(file) == expected_counts(expected["files"][file["document"]])
    if not crashes:
        assert [100 * total[name] for name in ("f1", "precision", "recall")] == pytest.approx(
            [expected["micro"][name] for name in ("f1", "p", "r")]
        )


@pytest.mark.parametrize("mode", ["strict", "relaxed"])
@pytest.mark.parametrize("case", cases("tempeval1", "tempeval1/*"), ids=by_name)
def test_tempeval1(case, mode, printed, rows, monkeypatch):
    monkeypatch.chdir(case)
    options = ["--metric", "tempeval1", *(["--relaxed"] if mode == "relaxed" else [])]
    code, out, _ = printed("key", "response", *options)
    assert code == 0
    assert out == Path(f"expected-{mode}.txt").read_bytes()
    expected = json.loads(Path("expected.json").read_text())
    *files, total = rows("key", "response", *options)
    names = ("reference", "candidate", "common", "correct", "incorrect")
    assert total["counts"] == pytest.approx({name: expected[mode][name] for name in names})
    for file in files:
        wanted = expected["per_file"][file["document"]][mode]
        assert file["counts"] == pytest.approx({name: wanted[name] for name in names})


# --- participants, from their raw files -------------------------------------------------------------------------------


@pytest.mark.corpora
@pytest.mark.parametrize("name", RAW_RUNS)
def test_participants_end_to_end(name, rows, printed):
    key, run_folder = (
        shared("corpora", "te3-systems", *path.split("/"), "test-TaskABC") for path in (RAW_RUNS["key"], RAW_RUNS[name])
    )
    expected = json.loads(shared("golden", "te3_runs", name, "expected.json").read_text())
    names = ("prec_matched", "sys_total", "rec_matched", "gold_total")
    for method in METHODS:
        suffix = "" if method == "default" else f".{method}"
        block = shared("golden", "te3_runs", name, f"expected{suffix}.txt").read_bytes()
        options = ["--align", "tempeval3", "--method", method]
        assert printed(key, run_folder, *options)[:2] == (0, block)
        total = rows(key, run_folder, *options, "--explain-difference")[-1]
        assert list(counts_of(total).values()) == [expected["awareness"][method][each] for each in names]
        exact = expected["exact_same_policy"][method]
        assert list(counts_of(total["exact"]).values()) == [exact[each] for each in names]
        assert 100 * total["exact"]["f1"] == pytest.approx(exact["f1"], abs=1e-4)
        assert (counts_of(total) == counts_of(total["exact"])) or total["differences"]


@pytest.mark.corpora
def test_published_logs(printed):
    folder = shared("corpora", "structtemprel-output")
    lines = (folder / "reference_scores.tsv").read_text().splitlines()
    for gold, system, *digits, _ in (line.split("\t") for line in lines[3:]):
        truth = (
            shared("corpora", "te3-platinum-normalized") if gold == "te3-platinum" else folder / f"{gold}-normalized"
        )
        code, out, _ = printed(truth, folder / f"{system}-normalized")
        assert code == 0
        assert out.splitlines()[3].split() == [each.encode() for each in digits]
    assert len(lines) > 6


@pytest.mark.corpora
def test_probes_of_the_normaliser(rows):
    """The scores that the specification lists; where it lists none, the original has no output."""
    page = shared("spec", "normalizer.md").read_text("utf-8")
    folder = shared("golden", "normalizer")
    probes = re.findall(r"^\| (p\w+) \|.*\| ([^|]+) \|$", page, re.MULTILINE)
    compared = 0
    for name, digits in probes:
        if (folder / name).is_dir():
            files = [folder / name / f"{side}.tml" for side in ("gold", "system")]
            total = rows(*files, "--align", "tempeval3", code=UNDECIDED if digits == "-" else 0)[-1]
            found = "/".join(total["digits"][each] for each in ("f1", "precision", "recall"))
            assert digits in {"-", found}, name
            compared += 1
    assert compared > 50


# --- files ------------------------------------------------------------------------------------------------------------

TAG = '<TLINK lid="l{}" relType="{}" eventInstanceID="{}" relatedToEventInstance="{}"/>\n'


def tags(*links):
    return "".join(TAG.format(number, label, x, y) for number, (x, label, y) in enumerate(links, 1))


def timeml(*labels, events=("e1", "e2")):
    first, second = events
    text = (
        f'The ferry <EVENT eid="{first}" class="OCCURRENCE">left</EVENT> and '
        f'<EVENT eid="{second}" class="OCCURRENCE">sank</EVENT>.'
    )
    instances = "".join(f'<MAKEINSTANCE eiid="ei{e[1:]}" eventID="{e}" tense="PAST" aspect="NONE"/>' for e in events)
    links = tags(*((f"ei{first[1:]}", label, f"ei{second[1:]}") for label in labels))
    dct = '<TIMEX3 tid="t0" type="DATE" value="1999-05-01" functionInDocument="CREATION_TIME">1 May</TIMEX3>'
    return f"<TimeML><DOCID>ferry</DOCID><DCT>{dct}</DCT><TEXT>{text}</TEXT>{instances}{links}</TimeML>"


@pytest.fixture
def folders(tmp_path):
    """Two folders, from the contents of their files."""

    def make(gold, system):
        for side, files in (("gold", gold), ("system", system)):
            (tmp_path / side).mkdir()
            for name, content in files.items():
                path = tmp_path / side / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, "utf-8")
        return tmp_path / "gold", tmp_path / "system"

    return make


LINK = tags(("ei1", "BEFORE", "ei2"))


def test_sub_folders_and_files_of_the_desktop(folders, rows):
    gold = {"a.tml": LINK, "sub/b.tml": LINK, ".DS_Store": LINK, "sub/x.DS_Store": LINK, "README": "about"}
    system = {"a.tml": LINK, "sub/b.tml": LINK, "README": ""}
    *documents, total = rows(*folders(gold, system))
    assert [row["document"] for row in documents] == ["README", "a.tml", "sub/b.tml"]
    assert counts_of(total) == dict.fromkeys(COUNTS, 2)


def test_missing_system_file_counts_as_silence(folders, printed, rows):
    gold, system = folders({"ferry.tml": LINK, "boat.tml": LINK}, {"boat.tml": LINK, "fery.tml": LINK})
    code, out, err = printed(gold, system)
    assert code == UNDECIDED
    assert out.splitlines()[3].split() == [b"66.6667", b"100.0", b"50.0"]
    assert "ferry.tml: no system file; scored like a system file without links (if it is fery.tml, rename" in err
    assert "fery.tml: no gold file; it is not scored" in err
    assert rows(gold, system, code=UNDECIDED)[-1]["stops"] == "IOError: no system file"


def test_names_that_differ_in_suffixes_are_paired_after_normalising_only(folders, printed, rows):
    gold, system = folders(
        {"ferry.tml": timeml("BEFORE")}, {"ferry.TE3input.tml": timeml("BEFORE", events=("e7", "e9"))}
    )
    code, out, err = printed(gold, system, "--align", "tempeval3")
    assert (code, out.splitlines()[3].split()) == (0, [b"100.0"] * 3)
    assert "ferry.tml is paired with ferry.TE3input.tml" in err
    assert rows(gold, system, code=UNDECIDED)[-1]["f1"] == 0


def test_other_names_stay_unpaired_with_a_hint(folders, rows, printed):
    story = timeml("BEFORE")
    gold, system = folders({"nyt_sarkozy.tml": story, "b.tml": story}, {"nyt_sarcozy.tml": story, "b.tml": story})
    code, _, err = printed(gold, system, "--align", "tempeval3")
    assert code == UNDECIDED
    assert "nyt_sarkozy.tml: no system file; scored like a system file without links (if it is nyt_sarcozy.tml," in err
    total = rows(gold, system, "--align", "tempeval3", code=UNDECIDED)[-1]
    assert counts_of(total) == {"precision_matched": 1, "system_total": 1, "recall_matched": 1, "gold_total": 2}


def test_no_hint_where_names_share_a_suffix_only(folders, printed):
    assert "rename" not in printed(*folders({"a.tml": LINK}, {"z.tml": LINK}))[2]


def test_two_answers_for_one_name_are_none(folders, rows):
    story = timeml("BEFORE")
    paths = folders({"a.tml": story}, {"a.TE3input.tml": story, "a.tml.tml": story})
    assert rows(*paths, "--align", "tempeval3", code=UNDECIDED)[-1]["counts"]["system_total"] == 0


def test_system_file_that_cannot_be_normalised_costs_the_system_only(folders, rows, printed):
    other = timeml("BEFORE").replace("ferry <", "boat <")
    paths = folders({"a.tml": timeml("BEFORE"), "b.tml": timeml("BEFORE")}, {"a.tml": timeml("BEFORE"), "b.tml": other})
    total = rows(*paths, "--align", "tempeval3", code=UNDECIDED)[-1]
    assert counts_of(total) == {"precision_matched": 1, "system_total": 1, "recall_matched": 1, "gold_total": 2}
    assert "both sides must annotate one text" in total["stops"]


def test_timelines_take_hidden_files_but_no_folders(folders, rows):
    line = "Ferry\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n"
    paths = folders({"a.txt": line, ".hidden": line, "sub/b.txt": line}, {"a.txt": line})
    *files, total = rows(*paths, "--metric", "timeline", code=UNDECIDED)
    assert [(file["document"], file["outcome"]) for file in files] == [
        (".hidden", "no answer file"),
        ("a.txt", "scored"),
    ]
    assert total["stops"].startswith("IOError")


def test_tempeval1_walks_the_responses(folders, printed, rows):
    tag = '<TLINK eventID="e1" relatedToTime="t1" relType="BEFORE"/>\n'
    paths = folders({"a": tag, "unanswered": tag}, {"a": tag, ".hidden": tag, "sub/x": tag})
    (paths[0] / "sub").mkdir()
    *files, total = rows(*paths, "--metric", "tempeval1")
    assert [file["document"] for file in files] == ["a", "sub"]
    assert (total["counts"]["reference"], total["recall"]) == (1, 1)
    (paths[1] / "extra").write_text(tag)
    code, out, err = printed(*paths, "--metric", "tempeval1")
    assert code == UNDECIDED
    assert b"CANDIDATE LINKS      2" in out
    assert "extra: no key file" in err


# --- the difference report --------------------------------------------------------------------------------------------

SIBLINGS = (("a", "SIMULTANEOUS", "b"), ("c", "BEFORE", "a"), ("d", "BEFORE", "b"))


def test_report_for_people(folders, printed):
    paths = folders({"d.tml": tags(*SIBLINGS)}, {"d.tml": tags(("c", "SIMULTANEOUS", "d"))})
    code, out, _ = printed(*paths, "--explain-difference")
    text = out.decode()
    assert code == 0
    assert text.startswith("=== Temporal Awareness Score ===\n")
    assert "d.tml: 1 difference\n  system l1 (line 1): c SIMULTANEOUS d\n" in text
    assert "official scorer: it follows from the gold links\n" in text
    assert "exact reasoner: it neither follows from the gold links nor contradicts them\n    cause: unsound\n" in text
    assert "all 3 links hold and this link does not hold" in text
    assert [line.split() for line in text.splitlines()[-4:]] == [
        ["unsound", "0", "1"],
        ["verdicts", "F1", "P", "R", "precision", "counts", "recall", "counts"],
        ["official", "0.0", "100.0", "0.0", "1/1", "0/3"],
        ["exact", "0.0", "0.0", "0.0", "0/1", "0/3"],
    ]


def test_report_for_programs(folders, rows):
    gold = tags(("d", "BEGUN_BY", "g"), ("d", "AFTER", "a"), ("a", "AFTER", "f"), ("f", "IAFTER", "e"))
    paths = folders({"d.tml": gold}, {"d.tml": tags(("a", "AFTER", "e"))})
    difference, document, total = rows(*paths, "--explain-difference")
    assert list(difference) == ["document", "side", "link", "question", "official", "exact", "cause", "evidence"]
    assert (difference["document"], difference["side"], difference["question"]) == ("d.tml", "system", "match")
    assert (difference["official"], difference["exact"], difference["cause"]) == ("refuted", "entailed", "incomplete")
    assert difference["link"] == {
        "id": "l1",
        "source": "a",
        "relation": ["bi"],
        "label": "AFTER",
        "target": "e",
        "line": 1,
    }
    assert {link["id"] for link in difference["evidence"]["premises"]} == {"l3", "l4"}
    assert difference["evidence"]["explanation"][-1].startswith("so ")
    assert document["counts"]["precision_matched"] == 0
    assert document["exact"]["counts"]["precision_matched"] == total["exact"]["counts"]["precision_matched"] == 1
    assert total["differences"] == {"incomplete": 1}


def test_report_without_differences(folders, printed, rows):
    paths = folders({"d.tml": LINK}, {"d.tml": LINK})
    assert b"agree about every link" in printed(*paths, "--explain-difference")[1]
    assert rows(*paths, "--explain-difference")[-1]["differences"] == {}


def test_report_about_timelines(folders, rows):
    gold = "Ferry\n1\tXXXX\t9-1-a\n2\tXXXX\t9-1-b\n"
    *_, total = rows(*folders({"a.txt": gold}, {"a.txt": gold}), "--metric", "timeline", "--explain-difference")
    assert counts_of(total["exact"]) == counts_of(total)


def test_report_about_other_formats(folders, rows):
    paths = folders({"d.tsv": "a\tBEFORE\tb\na\tBEFORE\tc\nb\tBEGINS\tc\n"}, {"d.tsv": "a\tBEFORE\tb\n"})
    difference, *_, total = rows(*paths, "--explain-difference")
    assert (difference["cause"], difference["link"]["line"]) == ("BEGINS", 3)
    assert difference["evidence"]["holds"] is True
    assert total["differences"] == {"BEGINS": 1}


def test_wrong_usage(folders, printed):
    paths = folders({"d.tml": LINK}, {"d.tml": LINK})
    assert printed(*paths, "--explain-difference", "--metric", "tempeval1")[0] == 2
    assert run(["score", *map(str, paths), "--explain-difference"]) == 2
    assert printed(*paths, "--output", "csv")[0] == 2


# --- worst cases ------------------------------------------------------------------------------------------------------


def layered(width, layers):
    """Each event before every event of the next layer: exponential for the original."""
    return tags(
        *(
            (f"ei{layer * width + x}", "BEFORE", f"ei{(layer + 1) * width + y}")
            for layer in range(layers)
            for x in range(width)
            for y in range(width)
        )
    )


def test_layers_that_the_original_never_finishes(folders, rows):
    content = layered(4, 30)
    *_, total = rows(*folders({"d.tml": content}, {"d.tml": content}), "--explain-difference")
    assert counts_of(total) == counts_of(total["exact"]) == dict.fromkeys(COUNTS, 4 * 4 * 30)


def test_budget_names_the_document_and_spares_the_others(folders, printed, rows):
    large = layered(6, 60)
    paths = folders({"big.tml": large, "small.tml": ""}, {"big.tml": large, "small.tml": ""})
    code, out, err = printed(*paths, "--time-limit", "0.000001")
    assert (code, out) == (UNDECIDED, b"")
    assert "undecided: big.tml: not decided within 1e-06 s; allow more time with --time-limit" in err
    document, total = rows(*paths, "--time-limit", "0.000001", code=UNDECIDED)
    assert document["document"] == "small.tml"
    assert (total["f1"], [each["document"] for each in total["skipped"]]) == (None, ["big.tml"])
    *_, total = rows(*paths, "--time-limit", "0.000001", "--explain-difference", code=UNDECIDED)
    assert (total["f1"], total["exact"]) == (None, None)


def test_differences_out_of_time_leave_the_official_score(folders, printed, rows, monkeypatch):
    def give_up(*_):
        raise BudgetExceeded("not decided within 1 s")

    monkeypatch.setattr(sys.modules["temporacle.audit.official"], "compare", give_up)
    paths = folders({"d.tml": LINK}, {"d.tml": LINK})
    code, out, err = printed(*paths, "--explain-difference")
    assert code == UNDECIDED
    assert b"(F1 score): 100.0" in out
    assert b"agree about" not in out
    assert b"no exact score" in out
    assert "undecided: d.tml: differences not decided within 1 s" in err
    *_, total = rows(*paths, "--explain-difference", code=UNDECIDED)
    assert (total["f1"], total["exact"]) == (1, None)


def test_ids_in_other_encodings(folders, rows):
    gold, system = folders({}, {})
    link = LINK.replace("ei1", "\xe9").encode("latin-1")
    (gold / "d.tml").write_bytes(link.replace(b"BEFORE", b"before"))
    (system / "d.tml").write_bytes(link)
    difference, *_ = rows(gold, system, "--explain-difference")
    assert difference["link"]["source"] == "\\xe9"


def test_budget_for_timelines_names_the_file(folders, printed):
    line = "Ferry\n" + "".join(f"{number}\t2001\t9-1-{number}\n" for number in range(1, 60))
    code, _, err = printed(
        *folders({"a.txt": line}, {"a.txt": line}), "--metric", "timeline", "--time-limit", "0.0000001"
    )
    assert code == UNDECIDED
    assert "undecided: a.txt: " in err


@pytest.mark.corpora
def test_table_of_all_runs_is_current():
    shared("corpora", "te3-systems")
    root = Path(__file__).resolve().parents[2]
    made = runpy.run_path(str(root / "bench" / "tables" / "te3_official.py"))
    assert made["page"]() == (root / "bench" / "results" / "te3-runs.md").read_text("utf-8")
