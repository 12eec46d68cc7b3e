"""One time limit for reading a document, deciding and listing. No test here measures time: the clock is set."""

import json
from itertools import count
from random import Random

import pytest
from naive import random_network

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.graph import PointGraph
from temporacle.reasoner.points.large import LargeGraph
from temporacle.reasoner.points.searched_rows import SearchedRows
from temporacle.tasks import answers

CHAIN = [(f"e{number}", "BEFORE", f"e{number + 1}") for number in range(300)]


@pytest.fixture
def chain(tmp_path):
    path = tmp_path / "chain.tsv"
    path.write_text("".join("\t".join(each) + "\n" for each in CHAIN))
    return str(path)


@pytest.mark.parametrize("output", ["json", "csv", "table"])
def test_a_listing_stops_and_says_how_far_it_came(chain, monkeypatch, capsys, output):
    assert run(["closure", chain, "--output", "json"]) == 0
    whole = capsys.readouterr().out.splitlines()
    looks = count()
    monkeypatch.setattr(answers, "monotonic", lambda: 100.0 * (next(looks) > 5))  # the time is over at the fifth look
    assert run(["closure", chain, "--time-limit", "60", "--output", output]) == 3
    found = capsys.readouterr()
    rows = found.out.splitlines()
    listed = 5 * answers._LOOKS
    assert f"chain: undecided: the time limit ran out after {listed} rows" in found.err
    if output == "json":
        assert json.loads(rows[-1]) == {"document": "chain", "verdict": "undecided", "listed": listed}
        assert rows[:-1] == whole[:listed]
    else:
        assert len(rows) == listed + 2
        assert rows[-1].replace(",", " ").split() == ["chain", "undecided"]


def test_results_in_python_are_whole_whenever_they_are_looked_at(chain):
    (found,) = tp.closure(chain, time_limit=60)
    object.__setattr__(found, "left", -1.0)
    assert len(found.to_dict()) == 301 * 300 // 2
    (last,) = found.rows_in_time()
    assert last == {"document": "chain", "verdict": "undecided", "listed": 0}


def out_of_time(*_given):
    raise BudgetExceeded("not decided")


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_are_found_one_by_one_are_those_of_the_table(seed, monkeypatch):
    monkeypatch.setattr("temporacle.reasoner.judged._MOST_ROWS", 0)
    monkeypatch.setattr("temporacle.reasoner.points.large.is_sparse", lambda _graph: False)
    network = Network.of(random_network(Random(seed), "abcdefg", "convex", 0.3))
    table = Judged(network, Budget(60)).table()
    monkeypatch.setattr(PointGraph, "close", out_of_time)
    judged = Judged(network, Budget(60))
    if table is None:
        assert judged.listed() is None
        return
    assert isinstance(judged.decider, LargeGraph)
    listed = judged.listed()
    assert isinstance(listed.rows, SearchedRows)
    assert list(listed.pairs(universal=True)) == list(table.pairs(universal=True))


def test_what_is_not_read_in_time_is_undecided(chain, monkeypatch, capsys):
    clock = count(0, 40)
    monkeypatch.setattr("temporacle.corpus.inputs.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("temporacle.io.source.monotonic", lambda: 0.0)
    assert run(["check", chain, "--time-limit", "30", "--output", "json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["error"]) == ("undecided", "not read within 30 s")
    assert [each["code"] for each in found["warnings"]] == ["time-limit"]
    assert run(["closure", chain, "--time-limit", "30", "--output", "json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found == {"document": "chain", "verdict": "undecided", "reason": "not read within 30 s"}
    assert run(["check", chain, "--time-limit", "60"]) == 0  # 40 s of reading are within the limit


def test_long_files_are_left_while_they_are_read(tmp_path, monkeypatch, capsys):
    path = tmp_path / "long.tsv"
    path.write_text("".join(f"e{number}\tBEFORE\te{number + 1}\n" for number in range(3000)))
    clock = count(0, 1)
    monkeypatch.setattr("temporacle.io.source.monotonic", lambda: float("inf") if next(clock) else 0.0)
    assert run(["check", str(path), "--time-limit", "1m", "--output", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["verdict"] == "undecided"
    assert next(clock) < 4


def test_what_was_read_is_not_made_into_a_document_when_the_time_is_over(tmp_path, monkeypatch, capsys):
    path = tmp_path / "d.txt"  # dense: the lines are read as a whole first
    path.write_text("".join(f"e{number}\te{number + 1}\tb\n" for number in range(9000)))
    clock = count(0, 1)
    monkeypatch.setattr("temporacle.io.source.monotonic", lambda: float("inf") if next(clock) >= 9 else 0.0)
    given = ["check", str(path), "--format", "dense", "--time-limit", "1m", "--output", "json"]
    assert run(given) == 3  # 8 looks at the lines, and then the first at links
    assert json.loads(capsys.readouterr().out)["verdict"] == "undecided"
    assert next(clock) == 10


def test_the_time_for_reading_is_taken_from_the_time_for_deciding(chain, monkeypatch):
    left = []
    clock = count(0, 40)
    monkeypatch.setattr("temporacle.corpus.inputs.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("temporacle.io.source.monotonic", lambda: 0.0)
    monkeypatch.setattr("temporacle.tasks.closure.closure_of", lambda *_, **__: left.append(None))
    before = Budget.of_document

    def noted(seconds):
        left.append(before(seconds).remaining())
        return before(seconds)

    monkeypatch.setattr(Budget, "of_document", noted)
    tp.closure(chain, time_limit=100)
    assert 59 < left[0] <= 60


def test_documents_of_one_file_have_their_own_time(tmp_path, monkeypatch, capsys):
    path = tmp_path / "many.jsonl"
    links = [{"source": "a", "relation": "BEFORE", "target": "b"}]
    path.write_text("".join(json.dumps({"document": f"d{number}", "links": links}) + "\n" for number in range(5)))
    clock = count(0, 40)
    monkeypatch.setattr("temporacle.corpus.inputs.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr("temporacle.io.source.monotonic", lambda: 0.0)
    assert run(["check", str(path), "--time-limit", "1m", "--output", "json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


@pytest.mark.parametrize(("documents", "verdicts"), [(1, {"undecided"}), (2, {"consistent"})])
def test_reading_counts_where_a_piece_of_a_table_is_one_document(documents, verdicts, tmp_path, monkeypatch, capsys):
    path = tmp_path / "large.tsv"  # cut into pieces, which know no end of reading
    rows = (f"d{number % documents}\te{number}\tBEFORE\te{number + documents}\n" for number in range(12_000))
    path.write_text("".join(sorted(rows)))
    clock = count(0, 40)
    monkeypatch.setattr("temporacle.corpus.inputs.monotonic", lambda: float(next(clock)))
    code = run(["check", str(path), "--time-limit", "30", "--output", "json", "--jobs", "1"])
    assert {json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()} == verdicts
    assert code == (3 if "undecided" in verdicts else 0)
