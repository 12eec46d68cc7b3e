"""``temporacle score`` from the outside: lines, tables, exit codes."""

import csv
import json
from fractions import Fraction

import pytest

from temporacle.cli import run

GOLD = "a\tBEFORE\tb\nb\tBEFORE\tc\nc\tBEFORE\td\n"
SYSTEM = "a\tBEFORE\tb\nb\tBEFORE\td\n"


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return str(path)

    return to


@pytest.fixture
def folders(write, tmp_path):
    """Two documents of gold, and two systems: one better than the other."""
    for name in ("one", "two"):
        write(f"gold/{name}.tsv", GOLD)
        write(f"good/{name}.tsv", GOLD)
        write(f"poor/{name}.tsv", SYSTEM)
    return [str(tmp_path / name) for name in ("gold", "good", "poor")]


def lines(capsys, *arguments, code=0):
    assert run(["score", *arguments, "--output", "json"]) == code
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_where_nothing_was_scored_nothing_was_right(capsys, write, average):
    path = write("bad.tsv", "a\tBEFORE\tb\nb\tBEFORE\ta\n")
    options = ["--contradictions", "refuse", "--empty", "1", "--average", average, "--output", "json"]
    assert run(["score", str(path), str(path), *options]) == 3
    printed = capsys.readouterr()
    total = json.loads(printed.out)
    assert (total["documents"], total["precision"], total["recall"], total["f1"]) == (0, 0, 0, 0)
    assert "No document could be scored" in printed.err


def test_one_line_a_document_and_the_total_last(capsys, folders):
    gold, _, poor = folders
    *documents, total = lines(capsys, gold, poor)
    assert [row["document"] for row in documents] == ["one", "two"]
    assert documents[0]["precision"] == 1
    assert documents[0]["recall_exact"] == "1/3"
    assert total["total"] is True
    assert total["documents"] == 2
    assert total["skipped"] == []
    assert total["counts"]["gold_total"] == 6
    assert total["counts"]["system_set_aside"] == 0
    assert total["signature"].startswith(
        "awareness|format:tsv|labels:links|during:simultaneous|engine:exact|complete:yes"
    )


def test_two_files_are_a_pair_whatever_their_names(capsys, write):
    *_, total = lines(capsys, write("g.tsv", GOLD), write("s.tsv", SYSTEM))
    assert total["recall_exact"] == "1/3"


def test_a_json_lines_file_is_a_corpus(capsys, write):
    text = "".join(
        json.dumps({"document": name, "links": [{"source": "a", "relation": "BEFORE", "target": "b"}]}) + "\n"
        for name in ("p", "q")
    )
    *documents, total = lines(capsys, write("g.jsonl", text), write("s.jsonl", text))
    assert [row["document"] for row in documents] == ["p", "q"]
    assert total["f1"] == 1


def test_reduction_gives_exact_fractions(capsys, folders):
    gold, _, poor = folders
    document, *_, total = lines(capsys, gold, poor, "--metric", "reduction")
    assert document["recall_exact"] == "22/63"
    assert document["counts"]["minor_total"] == 21
    assert document["counts"]["major_recall_exact"] == "1/3"
    assert document["counts"]["minor_recall_exact"] == "1/21"
    assert total["counts"]["v_key"] == 6
    assert total["precision_exact"] == "1"


@pytest.mark.parametrize("metric", ["awareness", "closure", "core", "reduction", "tempeval1", "timeline"])
def test_every_metric_scores_a_copy_with_one(capsys, write, metric):
    text = "Pier\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n" if metric == "timeline" else GOLD
    suffix = "txt" if metric == "timeline" else "tsv"
    *_, total = lines(capsys, write(f"g.{suffix}", text), write(f"s.{suffix}", text), "--metric", metric)
    assert (total["metric"], total["f1"]) == (metric, 1)


def test_several_systems_are_ranked(capsys, folders):
    gold, good, poor = folders
    rows = lines(capsys, gold, poor, good)
    totals = [row for row in rows if row.get("total")]
    assert [(row["rank"], row["system"]) for row in totals] == [(1, good), (2, poor)]


def test_comparison_is_part_of_the_total(capsys, folders):
    gold, good, poor = folders
    *_, total = lines(capsys, gold, good, "--compare", poor, "--resamples", "20", "--seed", "5")
    difference = total["comparison"]["differences"]["recall"]
    assert difference["observed"] == pytest.approx(2 / 3)
    assert total["comparison"]["method"] == "swap-exact"
    assert difference["p"] == str(Fraction(total["comparison"]["smallest_p"]))
    assert total["recall"] == 1


def test_agreement_gives_both_directions_and_kappa(capsys, folders):
    gold, _, poor = folders
    *_, total = lines(capsys, gold, poor, "--agreement")
    assert total["agreement"]["backward"]["recall"] == 1
    assert total["agreement"]["pairs"] == 2
    assert total["agreement"]["kappa"] == pytest.approx(1)  # BEFORE in one direction is AFTER in the other


def test_groups_and_confusion(capsys, folders):
    gold, _, poor = folders
    *_, total = lines(capsys, gold, poor, "--by", "label", "--by", "kind")
    assert total["by_label"]["BEFORE"]["gold_total"] == 6
    assert total["by_kind"]["other"]["gold_total"] == 6
    assert {"gold": "BEFORE", "system": "BEFORE", "count": 2} in total["confusion"]


@pytest.mark.parametrize("output", ["table", "csv", "markdown", "latex"])
def test_every_table_names_documents_total_and_signature(capsys, folders, output):
    gold, _, poor = folders
    assert run(["score", gold, poor, "--output", output, "--by", "label"]) == 0
    printed = capsys.readouterr()
    assert "0.3333" in printed.out
    assert "TOTAL" in printed.out
    assert "awareness|format" in (printed.err if output == "csv" else printed.out)


def test_markdown_and_latex_are_well_formed(capsys, folders):
    gold, good, poor = folders
    run(["score", gold, good, poor, "--output", "markdown"])
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    run(["score", gold, good, poor, "--counts", "--output", "latex"])
    text = capsys.readouterr().out
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert r"precision\_matched" in text


def test_wrong_usage_is_exit_2(capsys, folders, write):
    gold, good, poor = folders
    assert run(["score", gold, gold + "-missing"]) == 2
    assert run(["score", gold, good, "--metric", "bleu"]) == 2
    assert run(["score", gold, good, "--method", "acl11"]) == 2
    assert run(["score", gold, good, "--by", "colour"]) == 2
    assert run(["score", gold, good, poor, "--agreement", "--compare", poor]) == 2
    write("elsewhere/three.tsv", GOLD)
    write("elsewhere/four.tsv", GOLD)
    assert run(["score", gold, gold.replace("gold", "elsewhere")]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_what_cannot_be_scored_is_exit_3_and_the_rest_is_scored(capsys, folders, write):
    gold, good, _ = folders
    write("gold/three.tsv", GOLD + "d\tBEFORE\ta\n")
    write("good/three.tsv", GOLD)
    *documents, total = lines(capsys, gold, good, "--contradictions", "refuse", code=3)
    assert [row["document"] for row in documents] == ["one", "two"]
    assert total["skipped"][0]["document"] == "three"
    assert "contradicts itself" in total["skipped"][0]["reason"]


def test_set_aside_links_are_counted(capsys, write):
    *_, total = lines(capsys, write("g.tsv", GOLD + "d\tBEFORE\ta\n"), write("s.tsv", GOLD))
    assert (total["counts"]["gold_set_aside"], total["counts"]["gold_total"]) == (1, 4)


def test_ids_that_do_not_look_aligned_are_warned_about(capsys, write):
    system = "a\tBEFORE\tb\np\tBEFORE\tq\nr\tBEFORE\ts\n"
    assert run(["score", write("g.tsv", GOLD), write("s.tsv", system)]) == 0
    assert "less than half of the ids" in capsys.readouterr().err


# --- official digits -------------------------------------------------------------------------------------------------

TIMEML = '<TimeML><TEXT><EVENT eid="e1">rose</EVENT> <EVENT eid="e2">fell</EVENT></TEXT>{}</TimeML>'
TLINK = '<TLINK lid="l1" relType="{}" eventInstanceID="ei1" relatedToEventInstance="ei2"/>'


def test_official_block_stands_alone_on_standard_output(capfdbinary, write):
    gold, system = (
        write("g.tml", TIMEML.format(TLINK.format("BEFORE"))),
        write("s.tml", TIMEML.format(TLINK.format("AFTER"))),
    )
    assert run(["score", gold, system, "--official"]) == 0
    printed = capfdbinary.readouterr()
    assert printed.out.startswith(
        b"=== Temporal Awareness Score ===\n\nTemporal Score\tF1\tP\tR\n\t\t0.0\t0.0\t0.0\t\n"
    )
    assert b"official:yes" in printed.err


def test_official_counts_have_the_same_names(capsys, write):
    gold = write("g.tml", TIMEML.format(TLINK.format("BEFORE")))
    document, total = lines(capsys, gold, gold, "--official", "--method", "acl11")
    assert total["counts"]["gold_total"] == 2
    assert {"precision_matched", "system_total", "recall_matched", "gold_total"} <= set(document["counts"])
    assert total["digits"]["f1"] == "100.0"


def test_official_digits_of_other_formats_use_the_ids_and_labels_given(capsys, write):
    gold, system = write("g.tsv", GOLD), write("s.tsv", SYSTEM)
    *_, total = lines(capsys, gold, system, "--official")
    assert (total["counts"]["precision_matched"], total["counts"]["gold_total"]) == (2, 3)


def test_official_timelines(capsys, write, tmp_path):
    write("gold/ferry.txt", "Ferry\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n")
    write("system/ferry.txt", "Ferry\n1\t2001\t9-1-a\n2\t2002\t9-1-b\n")
    folders = [str(tmp_path / name) for name in ("gold", "system")]
    document, total = lines(capsys, *folders, "--official", "--metric", "timeline")
    assert (document["document"], total["f1"]) == ("ferry.txt", 1)


def test_official_digits_exist_for_three_metrics_only(capsys, folders):
    gold, good, _ = folders
    assert run(["score", gold, good, "--official", "--metric", "reduction"]) == 2
    assert run(["score", gold, good, "--official", "--align", "spans"]) == 2
    assert run(["score", gold, good, "--align", "tempeval3"]) == 2


def test_details_use_one_name_for_a_relation_and_survive_a_reading_of_the_user(capsys, write):
    reading = write("own.toml", 'name = "own"\nextends = "timeml"\n[labels]\nEARLIER = "b"\n')
    gold, system = write("g.tsv", "e1\tEARLIER\te2\n"), write("s.tsv", "e1\tAFTER\te2\n")
    *_, total = lines(capsys, gold, system, "--by", "label", "--labels", reading)
    assert total["confusion"] == [{"gold": "EARLIER", "system": "AFTER", "count": 1}]
    same = write("i.tsv", "a\tIDENTITY\tb\n")
    *_, total = lines(capsys, same, same, "--by", "label", "--labels", "timeml")
    assert list(total["by_label"]) == ["SIMULTANEOUS"]


@pytest.mark.parametrize(
    "refused",
    [
        ["--resamples", "9"],
        ["--baseline", "SYSTEM"],
        ["--run", "ours"],
        ["--run", "ours=SYSTEM", "--agreement"],
        ["--seed", "9"],
        ["--agreement", "--compare", "SYSTEM"],
        ["--agreement", "--by", "label"],
        ["--compare", "SYSTEM", "--by", "label"],
        ["--by", "task"],
        ["--metric", "reduction", "--by", "label"],
        ["--metric", "tempeval1", "--by", "kind"],
        ["--official", "--average", "macro"],
        ["--official", "--contradictions", "repair"],
        ["--official", "--empty", "1"],
        ["--official", "--vague", "count"],
        ["--official", "--by", "label"],
        ["--official", "--compare", "SYSTEM"],
        ["--official", "--agreement"],
        ["--official", "--during", "is_included"],
        ["--official", "--labels", "allen"],
        ["--official", "--metric", "timeline", "--method", "acl11"],
    ],
    ids=" ".join,
)
def test_options_that_would_change_nothing_are_refused(capsys, folders, refused):
    gold, _, system = folders
    arguments = [system if argument == "SYSTEM" else argument for argument in refused]
    assert run(["score", gold, system, *arguments]) == 2
    captured = capsys.readouterr()
    assert not captured.out
    assert "temporacle: " in captured.err or "such option: --" in captured.err


def test_groups_of_several_systems_are_given_to_programs(capsys, folders):
    gold, good, poor = folders
    totals = [row for row in lines(capsys, gold, good, poor, "--by", "label") if "total" in row]
    assert [list(row["by_label"]) for row in totals] == [["BEFORE"], ["BEFORE"]]


def test_csv_has_differences_below_zero_as_numbers(capsys, folders):
    gold, good, poor = folders
    assert run(["score", gold, poor, "--compare", good, "--samples", "20", "--output", "csv"]) == 0
    rows = list(csv.reader(capsys.readouterr().out.splitlines()))
    recall = next(row for row in rows if row[0] == "recall")
    assert float(recall[1]) == pytest.approx(-2 / 3, abs=1e-4)


def test_a_table_shows_no_whole_number_for_what_is_none(capsys, write):
    right = "".join(f"a{k}\tb\tb{k}\n" for k in range(20001))
    gold, system = write("g.tsv", right), write("s.tsv", right.replace("a7\tb", "a7\tbi"))
    assert run(["score", gold, system, "--metric", "tempeval1", "--output", "csv"]) == 0
    header, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert rows[0][header.index("f1")] == "0.99995"


def test_partial_credit_is_shown_to_four_decimals(capsys, write):
    gold = "".join(f"a{k}\tBEFORE-OR-OVERLAP\tb{k}\n" for k in range(1234))
    system = "".join(f"a{k}\tVAGUE\tb{k}\n" for k in range(1233)) + "a1233\tBEFORE-OR-OVERLAP\tb1233\n"
    arguments = ["--metric", "tempeval1", "--relaxed", "--labels", "tempeval", "--output", "csv"]
    assert run(["score", write("g.tsv", gold), write("s.tsv", system), *arguments]) == 0
    header, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert rows[0][header.index("recall_matched")] == "827.11"


def test_further_figures_keep_to_the_value_of_nothing_by_nothing(capsys, write, tmp_path):
    nothing = write("g.jsonl", '{"document": "d", "links": []}\n')
    journal = str(tmp_path / "journal")
    for arguments in ([], ["--resume", journal], ["--resume", journal]):
        for row in lines(capsys, nothing, nothing, "--metric", "reduction", "--empty", "1", *arguments):
            assert (row["recall_exact"], row["counts"]["major_recall_exact"]) == ("1", "1")


def test_official_digits_of_other_formats_tell_what_could_not_be_read(capsys, write, tmp_path):
    for name, text in {"one": GOLD, "odd": GOLD + "d\tNOSUCH\te\n", "torn": "a\tBEFORE\n"}.items():
        write(f"gold/{name}.tsv", text)
        write(f"system/{name}.tsv", GOLD)
    paths = str(tmp_path / "gold"), str(tmp_path / "system")
    assert run(["score", *paths, "--official", "--output", "json"]) == 3
    out, err = capsys.readouterr()
    *documents, total = map(json.loads, out.splitlines())
    assert [row["document"] for row in documents] == ["odd", "one"]
    assert [each["document"] for each in total["skipped"]] == ["torn"]
    assert "NOSUCH" in err
    assert run(["score", *paths, "--official"]) == 3
    assert "skipped torn: gold unreadable: " in capsys.readouterr().err


def test_labels_that_a_reading_calls_unanswered_are_no_answers(capsys, write):
    text = 'name = "mine"\nextends = "tempeval"\nunanswered = ["TODO"]\n[labels]\nEARLIER = "b|m"\nTODO = "*"\n'
    chosen = ["--labels", write("mine.toml", text)]
    gold = write("g.tsv", "a\tEARLIER\tb\nb\tTODO\tc\n")
    system = write("s.tsv", "a\tEARLIER\tb\nb\tEARLIER\tc\n")
    *_, total = lines(capsys, gold, system, "--metric", "tempeval1", *chosen)
    assert (total["precision_exact"], total["recall_exact"]) == ("1/2", "1")
    *_, total = lines(capsys, gold, system, "--agreement", *chosen)
    assert total["agreement"]["pairs"] == 1
