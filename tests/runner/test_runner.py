"""Runs over corpora: the same answers everywhere, and no document stops the others."""

import json
import os
import time
from pathlib import Path

import pytest
from questions import size, size_or_death, slow_size

from temporacle.errors import UsageError
from temporacle.io import read_corpus, slices
from temporacle.io.source import Options, Source
from temporacle.runner import Plan, run_over
from temporacle.runner.chunks import Part, chunks_of
from temporacle.runner.order import number_of_cores
from temporacle.runner.place import Backend

ONE = Plan(jobs=1)


def line(name, links=2):
    chain = [{"source": f"e{i}", "relation": "b", "target": f"e{i + 1}"} for i in range(links)]
    return json.dumps({"document": name, "links": chain}) + "\n"


def answers(paths, function, plan=ONE):
    return [(found.document, found.result) for found in run_over([str(p) for p in paths], Options(), function, plan)]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """A folder with small files, a file of many documents in several slices, and files that cannot be read."""
    monkeypatch.setattr(slices, "SLICE", 2000)
    monkeypatch.setattr(slices, "_SMALL_GZIP", 100)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(30):
        (folder / f"d{number:02}.tsv").write_text(f"a\tb\tx{number}\n" * (number + 1))
    (folder / "bad.tsv").write_text("a\tb\n")
    (folder / "many.jsonl").write_text("".join(line(f"m{i}", i % 7) for i in range(150)) + "{torn\n" + line("m3"))
    (folder / "empty.tml").write_text("")
    return folder


def test_every_document_is_answered_in_the_order_of_the_corpus(corpus):
    found = answers([corpus], size)
    expected = [document.id for document in read_corpus(str(corpus))]
    assert [name for name, _ in found] == expected
    assert len(found) == 30 + 1 + 150 + 2 + 1
    assert [result for name, result in found if name == "m3"] == [3, "unreadable: document 'm3' occurs a second time"]
    assert dict(found)["empty"] == "unreadable: file is empty"


def test_two_processes_say_the_same_as_one(corpus):
    assert answers([corpus], size, Plan(jobs=2)) == answers([corpus], size, Plan(jobs=1))


def test_work_that_takes_long_moves_to_other_processes(corpus, monkeypatch):
    monkeypatch.setattr("temporacle.runner.place.PATIENCE", 0.0)
    monkeypatch.setattr("temporacle.runner.place.number_of_cores", lambda: 2)
    met = set()
    for found in run_over([str(corpus)], Options(), process_of, Plan()):
        met.add(found.result)
    assert os.getpid() in met
    assert len(met) > 1


def process_of(_document):
    time.sleep(0.001)
    return os.getpid()


def test_short_work_stays_in_this_process(corpus):
    few = sorted(corpus.glob("d0*.tsv"))
    assert {result for _, result in answers(few, process_of, Plan())} == {os.getpid()}


def test_deadly_documents_are_reported_and_all_others_answered(tmp_path):
    names = [f"d{number:02}" for number in range(30)]
    names[3:3] = ["exits1"]
    names[17:17] = ["killed1"]
    names[20:20] = ["raises1"]
    for position, name in enumerate(names):
        (tmp_path / f"{position:02}.jsonl").write_text(line(name))
    many = [f"m{number}" for number in range(40)]
    many[25] = "killed2"
    many[39] = "exits2"
    (tmp_path / "many.jsonl").write_text("".join(map(line, many)))
    found = answers([tmp_path], size_or_death, Plan(jobs=2))
    assert [name for name, _ in found] == names + many
    for name, result in found:
        if name.startswith(("exits", "killed")):
            assert result == "unreadable: the process that worked on it died"
        elif name.startswith("raises"):
            assert result == "unreadable: internal error: RuntimeError: nobody thought of this"
        else:
            assert result == 2


def test_an_exception_in_this_process_stops_nothing(tmp_path):
    (tmp_path / "a.jsonl").write_text(line("good1") + line("raises") + line("good2"))
    found = answers([tmp_path], size_or_death)
    assert [result for _, result in found] == [
        2,
        "unreadable: internal error: RuntimeError: nobody thought of this",
        2,
    ]


def test_workers_that_are_warm_follow_to_another_folder(tmp_path, monkeypatch):
    for name, links in (("first", 2), ("second", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "here.jsonl").write_text(line("d", links))
        monkeypatch.chdir(tmp_path / name)
        assert answers(["here.jsonl"], size, Plan(jobs=2)) == [("d", links)]


def test_whoever_wants_no_more_ends_the_work(corpus):
    run = run_over([str(corpus)], Options(), slow_size, Plan(jobs=2))
    next(run)
    run.close()
    assert answers([corpus], size, Plan(jobs=2)) == answers([corpus], size)


def test_a_document_met_in_another_file_has_a_twin(tmp_path):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text(line("same"))
    second.write_text(line("same") + line("other"))
    found = list(run_over([str(first), str(second)], Options(), size, Plan(jobs=1)))
    assert [answer.twin for answer in found] == [None, str(first), None]


def test_chunks_start_small_and_lose_nothing():
    parts = [Part(Source(f"d{number}", b"")) for number in range(5000)]
    chunks = list(chunks_of(parts))
    assert [part for chunk in chunks for part in chunk] == parts
    assert {len(chunk) for chunk in chunks[:8]} == {1}
    assert max(map(len, chunks)) == 200


def test_large_parts_make_chunks_of_their_own():
    parts = [Part(Source(f"d{number}", bytes(1 << 20))) for number in range(100)]
    assert {len(chunk) for chunk in chunks_of(parts)} == {1}


def test_wrong_plans_are_refused():
    with pytest.raises(UsageError, match="--scheduler belongs to --backend dask"):
        Plan(scheduler="tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="0 processes"):
        Plan(jobs=0)
    assert Plan(backend=Backend.DASK, scheduler="tcp://127.0.0.1:1").jobs is None
    assert number_of_cores() >= 1


def test_a_path_that_does_not_exist_is_an_answer_too(tmp_path):
    missing = tmp_path / "nowhere"
    assert answers([Path(missing)], size) == [("nowhere", "unreadable: no such file or folder")]
