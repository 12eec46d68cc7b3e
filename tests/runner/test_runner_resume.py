"""The journal: a run killed at any moment and started again ends as an undisturbed one, and never says what was."""

import json
import os
import pickle
import random
import signal
import sqlite3
from contextlib import closing
from fractions import Fraction
from functools import partial

import pytest
from questions import named, size
from runs import all_end, children_of, line, start, wait_for_size
from shares import few

from temporacle.checks import Check
from temporacle.corpus.inputs import Asking, key_of, pieces, size_of
from temporacle.errors import UsageError
from temporacle.io import slices
from temporacle.io.source import Options
from temporacle.model import Link, Remark
from temporacle.relation import Relation
from temporacle.results import DocumentVerdict, Repair
from temporacle.runner import Plan, work
from temporacle.runner.journal import Journal

JOB = Asking(partial(named, question=size))


class Counting(Asking):
    """Says how often it was asked."""

    asked = 0

    def results(self, item, skip, tell):
        Counting.asked += 1
        return super().results(item, skip, tell)


def run(corpus, path, text="the same", job=JOB, most=None, changed=lambda _key: None):
    """The answers; with ``most`` the run is left after so many sources."""
    journal = Journal(str(path), text, changed)
    found = []
    try:
        items = pieces([str(corpus)], Options(), loaded=True)
        for number, (_, answers) in enumerate(
            work(items, job, Plan(jobs=1), journal=journal, key=key_of, size=size_of), 1
        ):
            found += answers
            if number == most:
                break
    finally:
        journal.close()
    return found


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
    (folder / "e.tsv").symlink_to(folder / "nothing")
    return folder


def test_a_run_left_anywhere_is_completed(corpus, tmp_path):
    expected = run(corpus, tmp_path / "whole")
    assert len(expected) == 20 + 2 + 1 + 5 + 1 + 1
    number = sum(1 for _ in pieces([str(corpus)], Options()))
    assert number > 8
    for most in range(1, number + 1):
        path = tmp_path / f"left{most}"
        begun = run(corpus, path, most=most)
        assert begun == expected[: len(begun)]
        assert run(corpus, path) == expected


def test_what_is_done_is_not_done_again(corpus, tmp_path):
    job = Counting(JOB.question)
    expected = run(corpus, tmp_path / "journal", job=job)
    Counting.asked = 0
    assert run(corpus, tmp_path / "journal", job=job) == expected
    assert Counting.asked == 0


def test_a_source_that_changed_is_worked_on_again_and_no_other(corpus, tmp_path):
    job = Counting(JOB.question)
    run(corpus, tmp_path / "journal", job=job)
    (corpus / "b.tsv").write_text("a\tb\tc\nb\tb\tc\n")
    times = (corpus / "c.jsonl").stat()
    (corpus / "c.jsonl").write_text((corpus / "c.jsonl").read_text().replace("c3", "cc"))  # of the same size
    os.utime(corpus / "c.jsonl", ns=(times.st_atime_ns, times.st_mtime_ns))
    changed = []
    Counting.asked = 0
    found = dict(run(corpus, tmp_path / "journal", job=job, changed=changed.append))
    assert found["b"] == 2
    assert "cc" in found
    assert "c3" not in found
    assert sorted({key.rpartition("/")[2].partition(":")[0] for key in changed}) == ["b.tsv", "c.jsonl"]
    assert Counting.asked == len(changed)


def test_a_line_put_in_front_moves_no_answer_to_another_document(corpus, tmp_path):
    run(corpus, tmp_path / "journal")
    (corpus / "a.jsonl").write_text(line("new", 5) + (corpus / "a.jsonl").read_text())
    assert run(corpus, tmp_path / "journal") == run(corpus, tmp_path / "fresh")


def test_more_sources_may_come(corpus, tmp_path):
    run(corpus, tmp_path / "journal")
    (corpus / "aa.tsv").write_text("x\tb\ty\n")
    assert run(corpus, tmp_path / "journal") == run(corpus, tmp_path / "fresh")


def test_a_journal_of_another_run_is_refused(corpus, tmp_path):
    path = tmp_path / "journal"
    run(corpus, path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="other options or another version"):
        run(corpus, path, "something else")
    assert path.read_bytes() == before


FOREIGN = {
    "one line": b"buy milk\n",
    "lines": b"buy milk\nand bread\n",
    "no end": b"x",
    "an old journal": b'{"document": "d1", "resume": {"run": "0"}}\n',
    "half a header": b"SQLite form",
    "a header and nothing": b"SQLite format 3\x00",
    "a header and noise": b"SQLite format 3\x00" + bytes(range(256)) * 40,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_that_is_no_journal_is_refused_and_kept(corpus, tmp_path, name):
    path = tmp_path / "notes.txt"
    path.write_bytes(FOREIGN[name])
    with pytest.raises(UsageError, match="not a checkpoint"):
        run(corpus, path)
    assert path.read_bytes() == FOREIGN[name]


def test_a_database_of_another_program_is_refused_and_kept(corpus, tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE items (key, digest, results)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(UsageError, match="not a checkpoint"):
        run(corpus, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["folder", "pipe", "nowhere"])
def test_a_place_for_no_file_is_refused(corpus, tmp_path, kind):
    path = tmp_path / "there"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = path / "below"
    with pytest.raises(UsageError, match=str(path)):
        run(corpus, path)


def test_two_runs_do_not_share_a_journal(tmp_path):
    path = str(tmp_path / "journal")
    first = Journal(path, "run")
    with pytest.raises(UsageError, match="another run is writing"):
        Journal(path, "run")
    first.add([("a", "1", [1])])
    with pytest.raises(UsageError, match="another run is writing"):
        Journal(path, "run")
    first.close()
    second = Journal(path, "run")
    assert second.find("a", "1") == [1]
    assert second.find("a", "2") is None
    assert second.find("b", "1") is None
    second.close()


# --- a file from outside ----------------------------------------------------------------------------------------------


class Evil:
    def __init__(self, function, *arguments):
        self.how = function, arguments

    def __reduce__(self):
        return self.how


def test_values_come_back_as_they_were(tmp_path):
    link = Link("l1", "a", Relation("b|m"), "b", "BEFORE", 3, 0.5)
    check = Check(
        "d", "p", DocumentVerdict.INCONSISTENT, 2, 1, "graph", ((link,),), (("x",),), Repair((link,), Fraction(1, 2)),
        remarks=(Remark("odd", "a remark"),),
    )  # fmt: skip
    journal = Journal(str(tmp_path / "journal"), "run")
    values = [check, {"a": {1, 2}}, frozenset({3}), None, 1.5, b"x", ("y",), "\udce9"]
    journal.add([("k\udce9", "d", values)])
    assert journal.find("k\udce9", "d") == values
    journal.close()


@pytest.mark.parametrize(
    "evil",
    [
        Evil(os.system, "true"),
        Evil(eval, "1"),
        Evil(getattr, "x", "upper"),
        Evil(open, "/dev/null"),
        Evil(run, "x", "y"),
    ],
    ids=["system", "eval", "getattr", "open", "function"],
)
def test_a_journal_cannot_call_anything(tmp_path, evil):
    path = str(tmp_path / "journal")
    Journal(path, "run").close()
    forged = sqlite3.connect(path)
    forged.execute("INSERT INTO items VALUES (?, ?, ?)", (b"k", "d", pickle.dumps([evil])))
    forged.commit()
    forged.close()
    journal = Journal(path, "run")
    with pytest.raises(UsageError, match="damaged"):
        journal.find("k", "d")
    journal.close()


# --- the command, killed ---------------------------------------------------------------------------------------------

DOCUMENTS = 1500


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """In slices of a quarter of a megabyte."""
    path = tmp_path_factory.mktemp("large") / "large.jsonl"
    path.write_text("".join(line(f"d{i}", 60 + i % 20) for i in range(DOCUMENTS)))
    return path


def check(large, journal, **how):
    arguments = ["check", large, "--jobs", "2", "--output", "json", "--resume", journal]
    return start(arguments, output_of(journal), **how)


def output_of(journal):
    return journal.with_suffix(".out")


def rows_of(text):
    return [{key: value for key, value in json.loads(entry).items() if key != "seconds"} for entry in text.splitlines()]


def kept(journal):
    with closing(sqlite3.connect(journal)) as file:
        return file.execute("SELECT count(*) FROM items").fetchone()[0]


@pytest.mark.slow
def test_sigkill_and_resume(large, tmp_path):
    journal = tmp_path / "journal"
    orphans = []
    for size_ in (20_000, 100_000):
        process = check(large, journal)
        wait_for_size(journal, size_, process)
        orphans += children_of(process)
        process.kill()
        process.wait()
    assert kept(journal) > 0
    assert check(large, journal).wait() == 0
    found = rows_of(output_of(journal).read_text())
    assert [entry["document"] for entry in found] == [f"d{i}" for i in range(DOCUMENTS)]
    undisturbed = tmp_path / "undisturbed"
    assert check(large, undisturbed).wait() == 0
    assert rows_of(output_of(undisturbed).read_text()) == found
    assert all_end(orphans)


@pytest.mark.parametrize("seed", few(range(6)))
def test_kills_at_random_moments(large, tmp_path, seed):
    """Also while the journal is being made or written."""
    import time

    rng = random.Random(seed)
    journal = tmp_path / "journal"
    for _ in range(3):
        process = check(large, journal)
        time.sleep(rng.random() * 1.5)
        process.kill()
        process.wait()
    assert check(large, journal).wait() == 0
    found = rows_of(output_of(journal).read_text())
    assert [entry["document"] for entry in found] == [f"d{i}" for i in range(DOCUMENTS)]
    assert {entry["verdict"] for entry in found} == {"consistent"}


def test_an_interrupt_stops_cleanly_and_keeps_what_is_done(large, tmp_path):
    journal = tmp_path / "journal"
    process = check(large, journal, start_new_session=True)
    wait_for_size(journal, 20_000, process)
    workers = children_of(process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the run
    assert process.wait(timeout=60) == 130
    errors = journal.with_suffix(".err").read_text()
    assert f"interrupted; run the same command again to continue from {journal}" in errors
    assert "Traceback" not in errors
    assert all_end(workers)
    assert kept(journal) > 0
