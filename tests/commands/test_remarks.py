"""What commands say about odd input: one form everywhere, a few of each code, and no silent exit codes."""

import json
import re

import pytest

from temporacle.cli import run

ODD = "id,source,relation,target\n" + "".join(
    f"l{number},{line}\n"
    for number, line in enumerate(["a,BEFOR,b", "a,SIMULTANEOUS,a", "a,BEFORE,b", "b,BEFORE,c", "a,BEFORE,b"], 1)
)
FLOOD = "source,relation,target\n" + "".join(f"e{number},NEAR,f\n" for number in range(115)) + "a,BEFORE,b\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)

    return write


def test_one_form_for_warnings_and_dropped_links(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("odd.csv:2: skipped[unknown-label]: l1: unknown label 'BEFOR'; did you mean BEFORE? ")
    assert lines[1:] == [
        "odd.csv:3: warning[self-link]: l2 links a to itself and has no effect",
        "odd.csv:6: warning[duplicate-link]: l5 repeats l3 (line 4) and is counted once",
        "What to do: temporacle explain unknown-label self-link duplicate-link",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["closure", "odd.csv"],
        ["reduce", "odd.csv"],
        ["entails", "odd.csv", "a", "BEFORE", "c"],
        ["convert", "odd.csv", "odd.jsonl"],
        ["report", "odd.csv", "-o", "odd.html"],
        ["score", "odd.csv", "odd.csv"],
        ["audit", "odd.csv", "good.csv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_form_is_the_same_in_every_command(folder, capsys, arguments):
    folder(odd_csv=ODD, good_csv="document,source,relation,target\nodd,a,b,b\nodd,b,b,c\nodd,a,b,c\n")
    run(arguments)
    assert "odd.csv:2: skipped[unknown-label]: l1: unknown label 'BEFOR'" in capsys.readouterr().err
    for hidden in (["--ignore", "unknown-label"], ["-q"]):
        assert run([*arguments, *hidden]) in {1, 3}
        told = capsys.readouterr().err
        assert "skipped[" not in told
        assert re.search(r"^links: [12] skipped: [12] unknown-label$", told, re.MULTILINE)  # its number is always said


@pytest.mark.parametrize("command", ["check", "closure", "convert", "reduce", "report"])
def test_unreadable_files_have_the_form_of_errors(folder, capsys, command):
    folder(torn_jsonl='{"document": "d", "links": [\n', good_csv=ODD)
    out = {"convert": ["all.jsonl"], "report": ["-o", "r.html"]}.get(command, [])
    paths = ["."] if command in {"convert", "report"} else ["torn.jsonl", "good.csv"]
    code = run([command, *paths, *out, "-q"])
    assert code == 3
    found = capsys.readouterr()
    if command != "check":  # which shows verdicts with their reasons
        assert re.search(r"^(\./)?torn\.jsonl:1:\d+: error\[unreadable\]: bad JSON", found.err, re.MULTILINE)
    assert "skipped[" not in found.err


def test_a_flood_is_cut_after_three_and_counted(folder, capsys):
    folder(flood_csv=FLOOD)
    assert run(["check", "flood.csv"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in lines[:3]] == ["flood.csv:2", "flood.csv:3", "flood.csv:4"]
    assert lines[3] == "skipped[unknown-label]: and 112 more; --verbose lists them"
    assert lines[4:] == ["What to do: temporacle explain unknown-label"]
    assert run(["check", "flood.csv", "--verbose"]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 115 + 1
    assert run(["closure", "flood.csv"]) == 3
    assert "skipped[unknown-label]: and 112 more; --verbose lists them" in capsys.readouterr().err


def test_quiet_hides_remarks_and_not_what_they_mean(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", "-q"]) == 3
    found = capsys.readouterr()
    assert found.err == ""
    assert "1 link skipped in 1 document (unknown-label 1)" in found.out
    assert run(["check", "odd.csv", "-q", "--output", "csv"]) == 3
    assert capsys.readouterr().err == ""


def test_select_and_ignore_choose_codes(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", "--select", "self-link"]) == 3
    assert re.findall(r"\[([a-z-]+)\]", capsys.readouterr().err) == ["self-link"]
    assert run(["check", "odd.csv", "--select", "self-link,unknown-label", "--ignore", "self-link"]) == 3
    assert re.findall(r"\[([a-z-]+)\]", capsys.readouterr().err) == ["unknown-label"]
    assert run(["check", "odd.csv", "--ignore", "self-link", "--ignore", "duplicate-link", "--output", "json"]) == 3
    row = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in row["warnings"]] == ["unknown-label"]


@pytest.mark.parametrize("option", ["--select", "--ignore", "--allow"])
def test_an_unknown_code_is_refused_with_the_nearest_one(folder, capsys, option):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", option, "unknown-lable"]) == 2
    assert "unknown code 'unknown-lable': did you mean 'unknown-label'?" in capsys.readouterr().err


def test_ignoring_a_dropped_link_does_not_make_it_good(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", "--ignore", "unknown-label", "--output", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["dropped"] == 1
    assert run(["check", "odd.csv", "--ignore", "unknown-label"]) == 3
    found = capsys.readouterr()
    assert "unknown-label" not in found.err
    assert "1 link skipped in 1 document (unknown-label 1)" in found.out
    assert "Exit code 3: 1 link was skipped, so the verdicts hold for the remaining links only." in found.out


def test_accepting_dropped_links_is_said(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", "--allow", "unknown-label"]) == 0
    found = capsys.readouterr()
    assert "odd.csv:2: skipped[unknown-label]" in found.err
    assert "1 link skipped in 1 document (unknown-label 1), 1 of them allowed;" in found.out
    assert "Exit code" not in found.out
    assert run(["check", "odd.csv", "--allow", "dangling-id"]) == 3


def test_what_is_not_a_dropped_link_cannot_be_accepted_and_an_error_not_ignored(folder, capsys):
    folder(odd_csv=ODD)
    assert run(["check", "odd.csv", "--allow", "self-link"]) == 2
    assert run(["check", "odd.csv", "--ignore", "inconsistent"]) == 2
    assert "inconsistent cannot be ignored" in capsys.readouterr().err


def test_the_summary_says_why_the_exit_code_is_3(folder, capsys):
    folder(odd_csv=ODD, good_csv="source,relation,target\na,b,b\n", torn_jsonl="{\n")
    assert run(["check", "odd.csv", "good.csv", "torn.jsonl"]) == 3
    out = capsys.readouterr().out
    assert "3 documents: 2 consistent, 0 inconsistent, 0 undecided, 1 unreadable; 1 link skipped in 1 document" in out
    assert "Exit code 3: 1 document could not be read; 1 link was skipped, so the verdicts hold for the" in out
    assert run(["check", "good.csv"]) == 0
    assert "Exit code" not in capsys.readouterr().out


def test_a_run_without_any_link_says_so(folder, capsys):
    folder(all_csv="source,relation,target\na,NEAR,b\nb,NEAR,c\n", none_jsonl='{"document": "d", "links": []}\n')
    assert run(["check", "all.csv"]) == 3
    assert "No link was checked: all of them were skipped." in capsys.readouterr().out
    assert run(["check", "none.jsonl"]) == 0
    assert "No link was checked: the documents have none." in capsys.readouterr().out
    assert run(["check", "none.jsonl", "all.csv", "--output", "json"]) == 3
    assert "No link was checked: all of them were skipped." in capsys.readouterr().err


def test_contradicting_links_name_each_other(folder, capsys):
    rows = ["l1,a,BEFORE,b", "l2,b,BEFORE,a", "l3,x,b|m,y", "l4,x,m|o,y", "l5,y,bi|oi,x"]
    folder(two_csv="id,source,relation,target\n" + "\n".join(rows) + "\n")
    assert run(["check", "two.csv"]) == 1
    first, second, _ = capsys.readouterr().err.splitlines()
    assert first == "two.csv:3: warning[contradictory-pair]: l2 contradicts l1 (line 2): b BEFORE a, but a BEFORE b"
    assert second.startswith("two.csv:6: warning[contradictory-pair]: l5 contradicts l3 (line 4) and l4 (line 5): ")
    assert second.endswith(": y bi|oi x, but x b|m y and x m|o y")


def test_links_without_ids_are_called_by_their_line(folder, capsys):
    folder(plain_tsv="a\tBEFORE\tb\na\tBEFORE\tb\n")
    assert run(["check", "plain.tsv"]) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert said == "plain.tsv:2: warning[duplicate-link]: link 2 repeats link 1 and is counted once"
