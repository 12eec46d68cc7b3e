"""``temporacle decode`` as people and programs meet it, and ``tp.decode``."""

import io
import json
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError

ROOT = Path(__file__).parents[2]
CIRCLE = [("a", "b", 0.8), ("b", "c", 0.7), ("c", "a", 0.6)]


def circle(name="d", **more):
    pairs = [{"source": x, "target": y, "scores": {"BEFORE": p, "AFTER": round(1 - p, 6)}} for x, y, p in CIRCLE]
    return {"document": name, "pairs": pairs, **more}


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return str(path)


def answers(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_line_that_programs_get(tmp_path, capsys):
    assert run(["decode", write(tmp_path / "s.jsonl", circle()), "--objective", "prob", "--output", "json"]) == 0
    (row,) = answers(capsys)
    assert row["objective"] == row["bound"] == pytest.approx(1.9)
    assert row["argmax_objective"] == pytest.approx(2.1)
    assert row["runner_up"] == pytest.approx(1.7)
    assert row["optimal"] is True
    assert row["links"][2] == {"source": "c", "label": "AFTER", "target": "a", "score": 0.4}
    (change,) = row["changed"]
    assert (change["from"], change["to"], change["price"]) == ("BEFORE", "AFTER", pytest.approx(0.2))
    assert sorted(link["id"] for link in change["because"]) == ["p1", "p2", "p3"]
    assert change["explanation"][-1].startswith("so ")
    assert row["seconds"] >= 0


def test_the_table_for_people_is_narrow_and_gives_reasons(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert run(["decode", "examples/scores.jsonl"]) == 0
    printed = capsys.readouterr().out
    assert "left AFTER unloaded becomes BEFORE, score loss 0.8755. Not all are true:" in printed
    assert "unloaded starts before left starts" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_impossible_is_a_no_with_the_reason(tmp_path, capsys):
    record = circle(links=[{"source": x, "relation": "BEFORE", "target": y} for x, y, _ in CIRCLE])
    path = write(tmp_path / "s.jsonl", record, circle("fine"))
    assert run(["decode", path, "--output", "json"]) == 1
    row, fine = answers(capsys)
    assert (row["optimal"], row["verdict"]) == (False, "impossible")
    assert len(row["because"]) == 3
    assert fine["optimal"] is True
    assert run(["decode", path]) == 1
    assert "no labelling is consistent. These contradict each other:" in capsys.readouterr().out


def test_hard_links_from_files_never_change(tmp_path, capsys):
    (tmp_path / "hard.tsv").write_text("document\tsource\trelation\ttarget\nd\tb\tAFTER\tc\n", "utf-8")
    scores = write(tmp_path / "s.jsonl", circle(), circle("other"))
    arguments = ["decode", scores, "--hard", str(tmp_path / "hard.tsv"), "--output", "json"]
    assert run(arguments) == 0
    hard, free = answers(capsys)
    assert [link["label"] for link in hard["links"]] == ["BEFORE", "AFTER", "BEFORE"]
    assert any(link["id"] == "with:2" for link in hard["changed"][0]["because"])
    assert [link["label"] for link in free["links"]] == ["BEFORE", "BEFORE", "AFTER"]
    (tmp_path / "hard.tsv").write_text("document\tsource\trelation\ttarget\nz\tb\tAFTER\tc\n", "utf-8")
    assert run(arguments) == 2
    found = capsys.readouterr()
    assert found.out == ""  # it is refused before the first row
    assert "no document with hard links has the name of a scored document" in found.err
    assert run([*arguments, "--consensus"]) == 2
    assert capsys.readouterr().out == ""


def test_documents_are_written_in_any_format(tmp_path, capsys):
    scores = write(tmp_path / "s.jsonl", circle(links=[{"source": "t0", "relation": "BEFORE", "target": "a"}]))
    for name in ("out.jsonl", "out.csv", "out.tsv"):
        assert run(["decode", scores, "-o", str(tmp_path / name), "--output", "json"]) == 0
        document = tp.read(tmp_path / name)
        assert [str(link.relation) for link in document.links] == ["b", "b", "b", "bi"]
        assert tp.check(document)[0].verdict.value == "consistent"
    capsys.readouterr()
    assert run(["decode", scores, "-o", "-", "--to", "tsv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_csv_has_a_row_for_each_pair(tmp_path, capsys):
    assert run(["decode", write(tmp_path / "s.jsonl", circle()), "--output", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[::3] == ["document,source,label,target,score", "d,c,AFTER,a,0.4"]


def test_margins_and_alternatives(tmp_path, capsys):
    scores = write(tmp_path / "s.jsonl", circle())
    run(["decode", scores, "--objective", "prob", "--margins", "--alternatives", "5", "--output", "json"])
    (row,) = answers(capsys)
    assert [link["margin"] for link in row["links"]] == pytest.approx([0.4, 0.2, 0.2])
    assert [other["objective"] for other in row["alternatives"]] == pytest.approx([1.7, 1.5, 1.5, 1.3, 1.1])
    assert row["alternatives"][0]["differs"] == [
        {"source": "b", "target": "c", "label": "AFTER"},
        {"source": "c", "target": "a", "label": "BEFORE"},
    ]


def test_only_one_labelling_has_no_runner_up(tmp_path, capsys):
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": 1}}
    run(["decode", write(tmp_path / "s.jsonl", {"document": "d", "pairs": [pair]}), "--margins", "--output", "json"])
    (row,) = answers(capsys)
    assert row["runner_up"] is None
    assert row["links"][0]["margin"] is None
    assert "undecided" not in row


def test_a_negative_score_needs_the_objective_weight(tmp_path, capsys):
    pair = {"source": "a", "target": "b", "scores": {"BEFORE": -1, "AFTER": -2.5}}
    scores = write(tmp_path / "s.jsonl", {"document": "d", "pairs": [pair]})
    assert run(["decode", scores]) == 2
    assert (
        "s.jsonl:1: error[unreadable]: p1: a score must not be negative, and one is -1; choose --objective weight"
        in (capsys.readouterr().err)
    )
    assert run(["decode", scores, "--objective", "weight", "--output", "json"]) == 0
    assert answers(capsys)[0]["objective"] == -1


def test_a_budget_gives_the_best_found_and_a_bound(tmp_path, capsys, monkeypatch):
    """The time is over after the first candidate: it is consistent, and not called optimal."""
    from temporacle.errors import BudgetExceeded
    from temporacle.reasoner.decode.decode import PartDecoder

    honest = PartDecoder._relaxed
    calls = []

    def once(self, without, *, is_final):
        calls.append(1)
        if len(calls) > 1:
            raise BudgetExceeded("not decided within 1 s")
        return honest(self, without, is_final=is_final)

    monkeypatch.setattr(PartDecoder, "_relaxed", once)
    assert run(["decode", write(tmp_path / "s.jsonl", circle()), "--time-limit", "1", "--output", "json"]) == 3
    (row,) = answers(capsys)
    assert (row["optimal"], row["verdict"]) == (False, "feasible")
    assert row["objective"] < row["bound"] <= row["argmax_objective"]
    assert row["undecided"] == {"optimal": "not decided within 1 s", "alternatives": "the optimum is not known"}


def test_without_any_time_there_is_a_labelling_if_it_takes_no_search(tmp_path, capsys):
    assert run(["decode", write(tmp_path / "s.jsonl", circle()), "--time-limit", "0", "--output", "json"]) == 3
    (row,) = answers(capsys)
    assert (row["optimal"], row["verdict"]) == (False, "feasible")
    assert len({link["label"] for link in row["links"]}) == 2


def alternatives_record():
    """Labels that are not convex, of which the best contradict a hard link."""
    scores = {"b|bi": 0.9, "m|mi": 0.1}
    pairs = [{"source": x, "target": y, "scores": scores} for x, y in ("ab", "bc", "ca", "ab")]
    return {"document": "d", "pairs": pairs, "links": [{"source": "a", "relation": "m|mi", "target": "b"}]}


def test_without_any_time_a_search_is_undecided(tmp_path, capsys):
    assert (
        run(["decode", write(tmp_path / "s.jsonl", alternatives_record()), "--time-limit", "0", "--output", "json"])
        == 3
    )
    (row,) = answers(capsys)
    assert (row["optimal"], row["verdict"]) == (False, "undecided")


def test_a_direct_model_finds_a_labelling_where_conflicts_take_too_long(tmp_path, capsys, monkeypatch):
    from temporacle.errors import BudgetExceeded
    from temporacle.reasoner.decode.conflicts import ConflictFinder

    honest = ConflictFinder.find
    calls = []

    def first_only(self, ranks):
        calls.append(1)
        if len(calls) > 1:
            raise BudgetExceeded("not decided within 60 s")
        return honest(self, ranks)

    monkeypatch.setattr(ConflictFinder, "find", first_only)
    path = write(tmp_path / "s.jsonl", alternatives_record())
    assert run(["decode", path, "--time-limit", "60", "--output", "json"]) == 3
    (row,) = answers(capsys)
    assert row["verdict"] == "feasible"
    assert [link["label"] for link in row["links"]] == ["m|mi", "b|bi", "b|bi", "m|mi"]
    assert row["objective"] <= row["bound"] <= row["argmax_objective"]


def test_the_same_input_gives_the_same_output(tmp_path, capsys):
    scores = write(tmp_path / "s.jsonl", *(circle(f"d{number}") for number in range(3)))
    seen = []
    for _ in range(2):
        run(["decode", scores, "--margins", "--alternatives", "3", "--output", "json"])
        seen.append([{**row, "seconds": 0} for row in answers(capsys)])
    assert seen[0] == seen[1]


def test_python(tmp_path):
    found = tp.decode([circle(), circle("e")], objective="prob", out=tmp_path / "out.jsonl")
    assert repr(found) == "Decodings(2 documents: 2 optimal)"
    assert list(found.to_frame().columns) == ["document", "source", "label", "target", "score"]
    assert len(found.to_frame()) == 6
    assert "BEFORE" in found[0]._repr_html_()
    assert "optimal" in found._repr_html_()
    assert [document.id for document in found.documents()] == ["d", "e"]
    assert len(list(tp.read_corpus(tmp_path / "out.jsonl"))) == 2
    assert found[0].to_dict()["objective"] == found[0].objective
    with pytest.raises(UsageError, match="objective='best': choose logprob, prob or weight"):
        tp.decode([circle()], objective="best")
    with pytest.raises(UsageError, match="alternatives is -1"):
        tp.decode([circle()], alternatives=-1)


def test_several_processes_give_the_same(tmp_path, capsys):
    scores = write(tmp_path / "s.jsonl", *(circle(f"d{number}") for number in range(30)))
    seen = []
    for jobs in ("1", "2"):
        assert run(["decode", scores, "--jobs", jobs, "--output", "json"]) == 0
        seen.append([{**row, "seconds": 0} for row in answers(capsys)])
    assert seen[0] == seen[1]
    assert [row["document"] for row in seen[0]] == [f"d{number}" for number in range(30)]


def test_the_label_set_is_decided_once_for_a_run(tmp_path, capsys):
    first = {"document": "d1", "pairs": [{"source": "a", "target": "b", "scores": {"BEFORE": 0.6, "AFTER": 0.4}}]}
    second = {"document": "d2", "pairs": [{"source": "a", "target": "b", "scores": {"BEFORE": 0.6, "EQUAL": 0.4}}]}
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    assert run(["decode", str(path), "--output", "json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["label_set"] for row in rows] == ["matres", "matres"]
    assert all(isinstance(row["alternatives"], list) for row in rows)
    assert run(["decode", str(path)]) == 0
    assert "Label set: matres" in capsys.readouterr().out
    hard = tmp_path / "d1.tsv"
    hard.write_text("source\trelation\ttarget\na\tINCLUDES\tb\n")
    found = tp.decode(str(path), hard=[str(hard)])
    assert [each.label_set for each in found] == ["links", "links"]
    for source in (path.read_text(), path.read_bytes(), io.StringIO(path.read_text()), iter([first, second])):
        assert [each.label_set for each in tp.decode(source)] == ["matres", "matres"]


def test_numbers_that_are_no_labels_are_left_out_and_logits_are_refused(tmp_path, capsys):
    path = tmp_path / "s.csv"
    path.write_text("document,source,target,BEFORE,AFTER,epoch,loss\nd,a,b,0.9,0.1,3,0.2\n")
    assert tp.decode(str(path))[0].labels == ["BEFORE"]
    path.write_text("document,source,target,p_BEFOR,AFTER\nd,a,b,0.9,0.1\n")
    assert "unknown label 'BEFOR'" in tp.decode(str(path))[0].reason
    path.write_text("document,source,target,BEFORE,AFTER\nd,a,b,-0.9,2.1\n")
    assert run(["decode", str(path)]) == 2
    assert "or apply softmax if they are logits" in capsys.readouterr().err
