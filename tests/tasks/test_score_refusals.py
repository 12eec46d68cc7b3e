"""Two inputs that do not fit together are refused with the cure, or read so that they fit."""

import csv
import json

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError

# MATRES compares start points only: BEFORE means b|m|o|fi|di there.
MATRES = (
    "d1\trose\tfell\t1\t2\tBEFORE\nd1\tfell\tsank\t2\t3\tAFTER\nd2\tran\twon\t4\t5\tEQUAL\nd2\tran\twept\t4\t6\tVAGUE\n"
)


@pytest.fixture
def write(tmp_path):
    def to(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return str(path)

    return to


def rows_of_matres():
    for line in MATRES.splitlines():
        document, _, _, source, target, label = line.split("\t")
        yield {"document": document, "source": source, "relation": label, "target": target}


def as_csv(rows):
    return "document,source,relation,target\n" + "".join(",".join(row.values()) + "\n" for row in rows)


def as_tsv(rows):
    return "".join("\t".join(row.values()) + "\n" for row in rows)


def as_json_lines(rows):
    documents = {}
    for row in rows:
        documents.setdefault(row["document"], []).append(row)
    return "".join(json.dumps({"document": name, "links": links}) + "\n" for name, links in documents.items())


PLAIN = {"csv": as_csv, "tsv": as_tsv, "jsonl": as_json_lines}


@pytest.mark.parametrize("suffix", PLAIN)
@pytest.mark.parametrize("prefix", ["", "ei"])
def test_labels_of_plain_formats_mean_what_they_mean_in_gold(write, suffix, prefix):
    """Perfect predictions score 1, with gold's ids and without their prefix."""
    gold = write("gold.txt", MATRES)
    rows = [{**row, "source": prefix + row["source"], "target": prefix + row["target"]} for row in rows_of_matres()]
    system = write(f"system.{suffix}", PLAIN[suffix](rows))
    found = tp.score(gold, system)
    assert (found.f1, found.counts.gold_total) == (1, 3)
    assert "gold-format:matres" in found.signature
    assert "|labels:matres|" in found.signature
    assert bool(found.documents[0].warnings) == (not prefix)


def test_frames_and_statements_are_read_like_gold(write):
    gold = write("gold.txt", MATRES)
    columns = {name: [row[name] for row in rows_of_matres()] for name in ("document", "source", "relation", "target")}
    assert tp.score(gold, columns).f1 == 1
    single = write("one.txt", MATRES.splitlines()[0] + "\n")
    assert tp.score(single, [("1", "BEFORE", "2")]).f1 == 1


def test_a_label_with_two_meanings_is_refused(write, capsys):
    """TimeML against MATRES: both formats say what BEFORE means, and they differ."""
    gold = write("gold.txt", MATRES)
    timeml = (
        '<TimeML><TEXT><EVENT eid="e1">rose</EVENT><EVENT eid="e2">fell</EVENT></TEXT>'
        '<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/>'
        '<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2"/></TimeML>'
    )
    system = write("system/d1.tml", timeml)
    with pytest.raises(UsageError) as refused:
        tp.score(gold, system.replace("/d1.tml", ""))
    for part in ("BEFORE", "b|m|o|fi|di", "matres", "timeml", "labels='matres'"):
        assert part in str(refused.value)
    for more in ([], ["--agreement"], ["--compare", system]):
        assert run(["score", gold, system.replace("/d1.tml", ""), *more, "--output", "json"]) == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert "--labels matres" in printed.err
    assert run(["score", gold, system.replace("/d1.tml", ""), "--labels", "matres", "--output", "json"]) == 0


def test_gold_without_a_reading_of_its_own_does_not_bend_the_system(write):
    gold, system = write("gold.csv", as_csv(rows_of_matres())), write("system.txt", MATRES)
    with pytest.raises(UsageError, match=r"label (BEFORE|AFTER|EQUAL) has two meanings"):
        tp.score(gold, system)
    assert tp.score(gold, system, labels="matres").f1 == 1


def test_no_id_in_common_is_an_error_with_the_cure(write, capsys):
    gold, system = write("g.tsv", "left\tBEFORE\tdocked\n"), write("s.tsv", "rose\tBEFORE\tfell\n")
    for more in ([], ["--agreement"], ["--compare", gold], [gold]):
        assert run(["score", gold, system, *more, "--output", "json"]) == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert "docked" in printed.err
        assert "fell" in printed.err
        assert "--align spans" not in printed.err  # there are no spans


def test_spans_are_advised_where_there_are_spans(capsys, write):
    def side(name, ids):
        entities = [{"id": each, "kind": "event", "start": k, "end": k + 1} for k, each in enumerate(ids)]
        links = [{"source": ids[0], "relation": "b", "target": ids[1]}]
        return write(name, json.dumps({"document": "d", "text": "a b", "entities": entities, "links": links}) + "\n")

    gold, system = side("g.jsonl", ["left", "docked"]), side("s.jsonl", ["x", "y"])
    assert run(["score", gold, system]) == 2
    assert "--align spans" in capsys.readouterr().err
    assert tp.score(gold, system, align="spans").f1 == 1


def test_one_related_document_is_enough_to_score_the_others(write, tmp_path):
    write("gold/one.tsv", "left\tBEFORE\tdocked\n")
    write("gold/two.tsv", "left\tBEFORE\tdocked\n")
    write("system/one.tsv", "rose\tBEFORE\tfell\n")
    write("system/two.tsv", "left\tBEFORE\tdocked\n")
    found = tp.score(str(tmp_path / "gold"), str(tmp_path / "system"))
    assert [score.f1 for score in found.documents] == [0, 1]


def test_events_for_their_instances(write):
    """A system that names events (e1) where gold names instances (ei7)."""
    timeml = (
        '<TimeML><TEXT><EVENT eid="e1">rose</EVENT><EVENT eid="e2">fell</EVENT></TEXT>'
        '<MAKEINSTANCE eiid="ei7" eventID="e1"/><MAKEINSTANCE eiid="{}" eventID="{}"/>'
        '<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei7" relatedToEventInstance="ei9"/></TimeML>'
    )
    gold, system = write("g.tml", timeml.format("ei9", "e2")), write("s.tsv", "e1\tBEFORE\te2\n")
    found = tp.score(gold, system)
    assert found.f1 == 1
    assert "'e1' are read as 'ei7'" in found.documents[0].warnings[0].message
    twice = timeml.format("ei9", "e1").replace('<EVENT eid="e2">fell</EVENT>', "")
    with pytest.raises(UsageError, match="no entity id in common"):
        tp.score(write("twice.tml", twice), write("s1.tsv", "e1\tBEFORE\te2\n"))


def test_a_folder_of_several_runs_is_not_one_system(write, tmp_path, capsys):
    for name in ("one", "two"):
        write(f"gold/{name}.tsv", "a\tBEFORE\tb\n")
        write(f"runs/run1/{name}.tsv", "a\tBEFORE\tb\n")
        write(f"runs/run2/{name}.tsv", "a\tAFTER\tb\n")
    gold, runs = str(tmp_path / "gold"), str(tmp_path / "runs")
    for arguments in ([gold, runs], [runs, gold], [gold, runs, "--agreement"]):
        assert run(["score", *arguments, "--output", "json"]) == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert "run1" in printed.err
        assert "run2" in printed.err
    with pytest.raises(UsageError, match="2 documents called 'one'"):
        tp.score(gold, runs)


def test_a_document_of_one_name_without_content_does_not_matter(write, tmp_path):
    write("gold/one.tsv", "a\tBEFORE\tb\n")
    write("system/one.tsv", "a\tBEFORE\tb\n")
    write("system/more/one.jsonl", '{"document": "one", "links": []}\n')
    assert tp.score(str(tmp_path / "gold"), str(tmp_path / "system")).f1 == 1


def test_several_metrics_in_one_table(write, capsys):
    gold, system = write("g.tsv", "a\tBEFORE\tb\nb\tBEFORE\tc\n"), write("s.tsv", "a\tBEFORE\tb\n")
    arguments = ["score", gold, system, "--metric", "awareness", "--metric", "closure"]
    assert run([*arguments, "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["metric"], row.get("total", False)) for row in rows] == [
        ("awareness", False),
        ("closure", False),
        ("awareness", True),
        ("closure", True),
    ]
    expected = {metric: tp.score(gold, system, metric=metric) for metric in ("awareness", "closure")}
    for row in rows[2:]:
        assert row == {**expected[row["metric"]].to_dict(), "system": system}
    assert run([*arguments, "--output", "csv"]) == 0
    header, *cells = csv.reader(capsys.readouterr().out.splitlines())
    assert header[:2] == ["document", "metric"]
    assert len(cells) == 4
    both = tp.score(gold, system, metric=["awareness", "closure"])
    assert both == [expected["awareness"], expected["closure"]]
    assert run(["score", gold, system, "--metric", "core", "--metric", "core"]) == 2


def test_an_option_goes_to_the_metrics_that_have_it(write, capsys):
    gold, system = write("g.tsv", "a\tBEFORE\tb\n"), write("s.tsv", "a\tb|m\tb\n")
    strict, relaxed = tp.score(gold, system, metric=["awareness", "closure"], relaxed=True)
    assert (strict.f1, relaxed.f1) == (
        tp.score(gold, system).f1,
        tp.score(gold, system, metric="closure", relaxed=True).f1,
    )
    assert run(["score", gold, system, "--metric", "tempeval1", "--vague", "ignore"]) == 2
    assert "--vague has an effect only with --metric awareness" in capsys.readouterr().err
    with pytest.raises(UsageError, match="no keyword colour"):
        tp.score(gold, system, metric=["awareness", "closure"], colour="red")


def test_a_comparison_keeps_to_the_documents_that_all_systems_have(write, tmp_path, capsys):
    """With contradictions refused, one system has no score for a document: totals are those of the shared ones."""
    for name in ("one", "two", "three"):
        write(f"gold/{name}.tsv", "a\tBEFORE\tb\nb\tBEFORE\tc\n")
        write(f"good/{name}.tsv", "a\tBEFORE\tb\nb\tBEFORE\tc\n")
        write(f"torn/{name}.tsv", "a\tBEFORE\tb\n" + ("b\tBEFORE\ta\n" if name == "two" else ""))
    gold, good, torn = (str(tmp_path / name) for name in ("gold", "good", "torn"))
    assert run(["score", gold, good, "--compare", torn, "--contradictions", "refuse", "--output", "json"]) == 3
    out, err = capsys.readouterr()
    total = json.loads(out.splitlines()[-1])
    assert total["documents"] == total["comparison"]["documents"] == 2
    assert total["signature"].endswith("|shared:2/3")
    assert "left out: two" in err
    found = tp.compare(gold, {"good": good, "torn": torn}, contradictions="refuse")
    assert [(each.name, each.score.scored) for each in found] == [("good", 2), ("torn", 2)]


def test_a_single_document_has_no_interval(write):
    gold, system = write("g.tsv", "a\tBEFORE\tb\nb\tBEFORE\tc\n"), write("s.tsv", "a\tBEFORE\tb\n")
    found = tp.compare(gold, {"ours": gold, "theirs": system})
    assert [(each.rank, each.name, each.interval) for each in found] == [(1, "ours", None), (2, "theirs", None)]
    assert found[0].difference is None
    difference = found[1].difference
    assert difference.smallest_p == difference.of("f1").p_value == 1  # one document: swapping it changes only the sign
    assert all(each.interval is None for each in difference.differences)


@pytest.mark.parametrize("output", ["json", "csv", "table", "markdown"])
@pytest.mark.parametrize("metric", ["pairs", "awareness"])
def test_a_refusal_prints_nothing(tmp_path, capsys, output, metric):
    """The last document has a label that the convention does not have."""
    good = "".join(f"d{k}\ta\tBEFORE\tb\n" for k in range(5))
    (tmp_path / "own.toml").write_text('name = "own"\n[labels]\nBEFORE = "b"\nODD = "m"\n')
    for name, rows in (("gold", good), ("system", good + "d4\tb\tODD\tc\n")):
        (tmp_path / f"{name}.tsv").write_text("document\tsource\trelation\ttarget\n" + rows)
    paths = [str(tmp_path / f"{name}.tsv") for name in ("gold", "system")]
    options = ["--labels", str(tmp_path / "own.toml"), "--metric", metric, "--output", output]
    code = run(["score", *paths, *options])
    out = capsys.readouterr().out
    assert (code, out) == (2, "") if metric == "pairs" else code == 0
