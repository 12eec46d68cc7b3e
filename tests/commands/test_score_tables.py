"""Tables of ``temporacle score``: what fits, what is right-aligned, and several systems by several metrics."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from temporacle.cli import run

GOLD = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\td\n"
SYSTEM = "a\tBEFORE\tb\nb\tBEFORE\td\n"
PAIR = ["--metric", "awareness", "--metric", "tempeval1"]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """Two documents, and two systems in folders of one parent."""
    monkeypatch.chdir(tmp_path)
    for folder, text in {"gold": GOLD, "runs/deep/good": GOLD, "runs/deep/poor": SYSTEM}.items():
        (tmp_path / folder).mkdir(parents=True)
        for name in ("one", "two"):
            (tmp_path / folder / f"{name}.tsv").write_text(text)
    return ["gold", "runs/deep/good", "runs/deep/poor"]


@pytest.fixture
def larger(tmp_path, monkeypatch):
    """Six documents, and two systems that are right in different parts of them."""
    monkeypatch.chdir(tmp_path)
    links = GOLD.splitlines(keepends=True)
    for folder, kept in {"gold": [3] * 6, "runs/good": [3, 2, 3, 3, 2, 3], "runs/poor": [1, 2, 1, 1, 2, 2]}.items():
        (tmp_path / folder).mkdir(parents=True)
        for number, size in enumerate(kept):
            (tmp_path / folder / f"d{number}.tsv").write_text("".join(links[:size]))
    return ["gold", "runs/good", "runs/poor"]


def printed(capsys, *arguments, code=0):
    assert run(["score", *arguments]) == code
    return capsys.readouterr().out


def on_a_terminal(width, *arguments):
    """What the command writes on a terminal of so many columns, line by line."""
    main, end = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(width), "TERM": "dumb"}
    command = [sys.executable, "-c", "from temporacle.cli import main; main()", "score", *arguments]
    process = subprocess.Popen(command, stdout=end, stderr=subprocess.DEVNULL, env=environment)
    os.close(end)
    seen = b""
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:  # the terminal is closed
            break
        if not more:
            break
        seen += more
    assert process.wait() == 0
    os.close(main)
    return seen.decode().splitlines()


def test_a_row_has_document_precision_recall_f1_and_n(corpus, capsys):
    header, first, *_ = printed(capsys, *corpus[::2]).splitlines()
    assert header.split() == ["document", "P", "R", "F1", "n"]
    assert first.split() == ["one", "1.0000", "0.3333", "0.5000", "3"]
    assert len(header) == len(first)  # numbers end where their header ends


@pytest.mark.parametrize("arguments", [["--counts"], ["--metric", "reduction", "--counts"], ["--by", "label"]])
def test_no_number_is_cut_at_80_columns(corpus, arguments):
    wide, narrow = (on_a_terminal(width, *corpus[::2], *arguments) for width in (400, 80))
    table = narrow[: next(k for k, line in enumerate(narrow) if "|" in line)]
    assert max(map(len, table)) <= 80
    assert "…" not in "".join(narrow)
    numbers = [sorted(re.findall(r"\d+\.\d+|\b\d+\b", " ".join(lines[:-1]))) for lines in (wide, table)]
    assert not set(numbers[0]) - set(numbers[1])
    assert numbers[1].count("0.3333") == numbers[0].count("0.3333")


def test_long_names_are_folded_not_cut(corpus, tmp_path):
    name = "a" * 100
    (tmp_path / "gold" / f"{name}.tsv").write_text(GOLD)
    (tmp_path / "runs/deep/poor" / f"{name}.tsv").write_text(SYSTEM)
    lines = on_a_terminal(80, *corpus[::2])
    assert sum(line.count("a") for line in lines[1:4]) >= 100
    assert any(line.rstrip().endswith("0.5000  3") for line in lines[1:4])


def test_systems_are_shown_without_what_their_paths_share_and_json_has_the_paths(corpus, capsys):
    rows = printed(capsys, *corpus).splitlines()
    assert [row.split()[1] for row in rows[1:3]] == ["good", "poor"]
    totals = [json.loads(line) for line in printed(capsys, *corpus, "--output", "json").splitlines()]
    assert [row["system"] for row in totals if row.get("total")] == corpus[1:]


def test_systems_get_the_names_that_are_given(corpus, capsys):
    names = ["--name", "ours", "--name", "theirs"]
    assert [row.split()[1] for row in printed(capsys, *corpus, *names).splitlines()[1:3]] == ["ours", "theirs"]
    totals = [json.loads(line) for line in printed(capsys, *corpus, *names, "--output", "json").splitlines()]
    assert [row["system"] for row in totals if row.get("total")] == ["ours", "theirs"]
    total = json.loads(printed(capsys, *corpus[:2], "--name", "ours", "--output", "json").splitlines()[-1])
    assert (total["system"], total["metric"]) == ("ours", "awareness")
    compared = printed(capsys, *corpus[:2], "--compare", corpus[2], *names, "--output", "json").splitlines()[-1]
    assert json.loads(compared)["comparison"]["system"] == "theirs"


@pytest.mark.parametrize("names", [["--name", "x"], ["--name", "x", "--name", "x"], ["--name", "x"] * 3])
def test_names_must_be_one_for_each_system(corpus, capsys, names):
    printed(capsys, *corpus, *names, code=2)


@pytest.mark.parametrize("output", ["table", "markdown", "latex", "html"])
def test_several_metrics_for_several_systems_are_one_table(larger, capsys, output):
    text = printed(capsys, *larger, *PAIR, "--output", output)
    cells = re.findall(r"\d\.\d{4} \[\d\.\d{4}, \d\.\d{4}\]", text)
    assert len(cells) == 4
    assert cells[0] == "0.9412 [0.7206, 0.9900]"
    assert [text.count(f"{metric}|format") for metric in ("awareness", "tempeval1")] == [1, 1]
    assert "runs/deep" not in text


def test_markdown_and_html_tables_have_equal_rows(corpus, capsys):
    table = [line for line in printed(capsys, *corpus, *PAIR, "--output", "markdown").splitlines() if line[:1] == "|"]
    assert {line.count("|") for line in table} == {4}

    class Rows(HTMLParser):
        widths = ()

        def handle_starttag(self, tag, _attributes):
            if tag == "tr":
                self.widths = (*self.widths, 0)
            elif tag in {"td", "th"}:
                self.widths = (*self.widths[:-1], self.widths[-1] + 1)

    parser = Rows()
    parser.feed(printed(capsys, *corpus, *PAIR, "--output", "html"))
    assert parser.widths == (3, 3, 3)


def test_programs_get_metric_and_system_on_every_line(larger, capsys):
    corpus = larger
    rows = [json.loads(line) for line in printed(capsys, *corpus, *PAIR, "--output", "json").splitlines()]
    totals = [(row["metric"], row["system"], row["rank"]) for row in rows if row.get("total")]
    assert totals == [(m, corpus[k], k) for m in ("awareness", "tempeval1") for k in (1, 2)]
    assert all({"metric", "system"} <= set(row) for row in rows)
    assert all(len(row["f1_interval"]) == 2 for row in rows if row.get("total"))
    table = list(csv.DictReader(printed(capsys, *corpus, *PAIR, "--output", "csv").splitlines()))
    assert [(row["metric"], row["system"]) for row in table] == [(m, s) for m, s, _ in totals]
    ends = {f"{name} 95% {end}" for name in ("precision", "recall", "f1") for end in ("low", "high")}
    assert {"precision", "recall", "f1", *ends, "p", "adjusted p"} <= set(table[0])


BOLD = {
    "latex": r"\\textbf\{(.*?)\}",
    "markdown": r"\*\*([01].*?)\*\*",
    "html": "<strong>(.*?)</strong>",
    "csv": "(never)",
}


@pytest.mark.parametrize("output", BOLD)
def test_the_best_figures_are_bold_where_a_form_has_bold(larger, capsys, output):
    text = printed(capsys, *larger, "--output", output)
    totals = [json.loads(line) for line in printed(capsys, *larger, "--output", "json").splitlines()]
    best, other = [row for row in totals if row.get("total")]
    assert best["precision"] == other["precision"]  # both are best
    shown = [f"{best[name]:.4f}" for name in ("precision", "recall", "f1")]
    expected = [] if output == "csv" else sorted([*shown, shown[0]])
    assert sorted(re.findall(BOLD[output], text)) == expected
    if output == "latex":
        assert [text.count(rule) for rule in ("\\toprule", "\\midrule", "\\bottomrule")] == [1, 1, 1]
        assert "hline" not in text


def test_runs_of_systems_are_named_on_the_command_line(larger, capsys):
    gold, good, poor = larger
    runs = ["--run", f"ours={good}", "--run", f"ours={poor}", "--run", f"base={poor}"]
    rows = [
        json.loads(line) for line in printed(capsys, gold, *runs, "--baseline", "base", "--output", "json").splitlines()
    ]
    ours, base = [row for row in rows if row.get("total")]
    assert (ours["system"], len(ours["runs"]), base["system"]) == ("ours", 2, "base")
    assert ours["f1"] == pytest.approx(sum(each["f1"] for each in ours["runs"]) / 2)
    assert ours["this_minus_baseline"]["method"] == "documents+runs"
    assert ours["signature"].endswith("|family:baseline=base/holm|runs:2,1")
    assert {row["run"] for row in rows if row["system"] == "ours" and "document" in row} == {1, 2}
    table = printed(capsys, gold, *runs)
    assert table.splitlines()[0].split()[-3:] == ["runs", "f1", "s.d."]
    assert "base: few documents; " not in table
    assert "one run: how much its runs vary is not known" in table


@pytest.mark.parametrize(
    "wrong",
    [
        ["--run", "ours"],
        ["--run", "=x"],
        ["--run", "a=gold", "--run", "a=gold"],
        ["--run", "a=gold", "--baseline", "b"],
        [],
    ],
    ids=" ".join,
)
def test_runs_that_are_not_understood_are_refused(larger, capsys, wrong):
    assert run(["score", larger[0], *wrong]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert captured.err


def test_a_metric_alone_and_among_others_has_one_score(corpus, capsys):
    together = [json.loads(line) for line in printed(capsys, *corpus, *PAIR, "--output", "json").splitlines()]
    for metric in ("awareness", "tempeval1"):
        alone = printed(capsys, *corpus, "--metric", metric, "--output", "json").splitlines()
        totals = [json.loads(line) for line in alone if '"total"' in line]
        assert totals == [row for row in together if row.get("total") and row["metric"] == metric]
