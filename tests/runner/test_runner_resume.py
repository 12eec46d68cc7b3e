"""The journal: a run killed at any moment and started again ends as an undisturbed one."""

import json
import os
import random
import signal

import pytest
from questions import size
from runs import all_end, children_of, line, start, wait_for_size

from temporacle.errors import UsageError
from temporacle.io import slices
from temporacle.io.source import Options
from temporacle.runner import Plan, run_over
from temporacle.runner.resume import Journal


def row(document):
    return {"document": document.id, "answer": size(document)}


def run(corpus, path, text="the same"):
    journal = Journal(str(path), text, json.dumps, dict)
    try:
        return [answer.result for answer in run_over([str(corpus)], Options(), row, Plan(jobs=1), journal=journal)]
    finally:
        journal.close()


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "SLICE", 300)
    monkeypatch.setattr(slices, "_SMALL_GZIP", 100)
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.jsonl").write_text("".join(line(f"a{i}", i % 3) for i in range(20)) + "bad\n" + line("a1", 1))
    (folder / "b.tsv").write_text("a\tb\tc\n")
    (folder / "c.jsonl").write_text("".join(line(f"c{i}", i % 3) for i in range(5)))
    (folder / "d.xml").write_text("<oops")
    return folder


def test_a_journal_cut_at_any_byte_is_completed(corpus, tmp_path):
    whole = tmp_path / "whole.jsonl"
    expected = run(corpus, whole)
    assert len(expected) == 20 + 2 + 1 + 5 + 1
    data = whole.read_bytes()
    assert [json.loads(entry)["document"] for entry in data.splitlines()] == [entry["document"] for entry in expected]
    cut = tmp_path / "cut.jsonl"
    ends = [position + 1 for position, byte in enumerate(data) if byte == ord("\n")]
    moments = {0, len(data), *ends, *(end - 1 for end in ends), *random.Random(1).sample(range(len(data)), 100)}
    for moment in sorted(moments):
        cut.write_bytes(data[:moment])
        assert run(corpus, cut) == expected
        assert cut.read_bytes() == data


def test_what_is_done_is_not_done_again(corpus, tmp_path, monkeypatch):
    path = tmp_path / "journal.jsonl"
    expected = run(corpus, path)
    monkeypatch.setattr("temporacle.runner.run.Place.work", lambda _place, pieces, *_how: iter(list(pieces)))
    assert run(corpus, path) == expected


def test_a_journal_of_another_run_is_refused(corpus, tmp_path):
    path = tmp_path / "journal.jsonl"
    run(corpus, path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="other paths, options or version"):
        run(corpus, path, "something else")
    assert path.read_bytes() == before


def test_a_file_that_is_no_journal_is_refused_and_kept(corpus, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\nand bread\n")
    with pytest.raises(UsageError, match="not a line of a journal"):
        run(corpus, path)
    assert path.read_text() == "buy milk\nand bread\n"


def test_two_runs_do_not_share_a_journal(tmp_path):
    path = str(tmp_path / "journal.jsonl")
    first = Journal(path, "run", json.dumps, dict)
    with pytest.raises(UsageError, match="another run"):
        Journal(path, "run", json.dumps, dict)
    first.close()
    Journal(path, "run", json.dumps, dict).close()


# --- the command, killed ---------------------------------------------------------------------------------------------

DOCUMENTS = 1500


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    path.write_text("".join(line(f"d{i}", 30 + i % 20) for i in range(DOCUMENTS)))
    return path


def check(large, journal, **how):
    arguments = ["check", large, "--jobs", "2", "--output", "json", "--resume", journal]
    return start(arguments, output_of(journal), **how)


def output_of(journal):
    return journal.with_suffix(".out")


def rows_of(text):
    return [{key: value for key, value in json.loads(entry).items() if key != "seconds"} for entry in text.splitlines()]


def test_sigkill_and_resume(large, tmp_path):
    journal = tmp_path / "journal.jsonl"
    orphans = []
    for bytes_written in (1, 200_000):
        process = check(large, journal)
        wait_for_size(journal, bytes_written, process)
        orphans += children_of(process)
        process.kill()
        process.wait()
    assert 0 < len(journal.read_bytes().splitlines()) < DOCUMENTS
    assert check(large, journal).wait() == 0
    found = rows_of(output_of(journal).read_text())
    assert [entry["document"] for entry in found] == [f"d{i}" for i in range(DOCUMENTS)]
    kept = rows_of(journal.read_text())
    for entry in kept:
        del entry["resume"]
    assert kept == found
    undisturbed = tmp_path / "undisturbed.jsonl"
    assert check(large, undisturbed).wait() == 0
    assert rows_of(output_of(undisturbed).read_text()) == found
    assert all_end(orphans)


def test_an_interrupt_stops_cleanly_and_keeps_what_is_done(large, tmp_path):
    journal = tmp_path / "journal.jsonl"
    process = check(large, journal, start_new_session=True)
    wait_for_size(journal, 1, process)
    workers = children_of(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the run
    assert process.wait(timeout=60) == 130
    errors = journal.with_suffix(".err").read_text()
    assert f"interrupted; the same command goes on from {journal}" in errors
    assert "Traceback" not in errors
    assert all_end(workers)
    kept = journal.read_text()
    assert kept.endswith("\n")
    assert 0 < len(kept.splitlines()) < DOCUMENTS
