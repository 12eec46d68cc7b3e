"""Unsaved edits survive: Ctrl-C, kill -9, a file that was changed meanwhile. Two workbenches do not share a corpus."""

import json
import signal
import socket
import time
from random import Random

import pytest
from shares import few
from workbench_runs import Running, of, running

import temporacle as tp
from temporacle.errors import UsageError
from temporacle.workbench import journal as journals
from temporacle.workbench.journal import NAME, EditJournal, steps_after_save


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.tsv").write_text("".join(f"e{i}\tb\te{i + 1}\n" for i in range(5)))
    (tmp_path / "other.tsv").write_text("a\tb\tb\n")
    return tmp_path


def state(bench, name="d"):
    shown = bench.get(of(name))
    return {key: shown[key] for key in ("links", "verdict", "undo", "redo", "unsaved")}


@pytest.mark.parametrize("how", few([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
def test_no_acknowledged_edit_is_lost(folder, how):
    before = (folder / "d.tsv").read_bytes()
    with running(folder) as bench:
        bench.post(of("d", "edit"), {"remove": ["2"], "comment": {"1": "why?"}})
        bench.post(of("d", "edit"), {"add": [{"source": "e4", "label": "bi", "target": "e0"}]})
        bench.post(of("d", "edit"), {"relabel": {"1": "bi"}})
        bench.post(of("d", "undo"))
        there = state(bench)
        code, errors = bench.end(how)
    if how != signal.SIGKILL:
        assert code == 0
        assert f"Unsaved edits are kept: 1 document ({folder / 'd.tsv'})." in errors
    assert (folder / "d.tsv").read_bytes() == before
    with running(folder) as bench:
        assert "Unsaved edits of an earlier run: 1 document" in bench.process.stderr.readline()
        rows = {row["id"]: row["unsaved"] for row in bench.get("/api/documents")}
        assert rows["d"] > 0
        assert rows["other"] == 0
        assert bench.get(of("d"))["recovered"] == there["unsaved"]
        assert state(bench) == there
        assert bench.post(of("d", "redo"))["undo"] == there["undo"] + 1  # what was undone can still be redone
        while bench.get(of("d"))["undo"]:
            bench.post(of("d", "undo"))
        assert bench.get(of("d"))["unsaved"] == 0


def test_an_edit_that_was_being_written_is_cut_off(folder):
    with running(folder) as bench:
        bench.post(of("d", "edit"), {"remove": ["2"]})
        there = state(bench)
        bench.end(signal.SIGKILL)
    whole = (folder / NAME).read_bytes()
    bench.post = None
    for end in (b"{", b'{"path": "d.tsv", "document": "d", "do": "undo"}', b"\xff\xfe"):
        (folder / NAME).write_bytes(whole + end)
        found = EditJournal(str(folder))
        assert [record["do"] for record in found.log(str(folder / "d.tsv"), "d").records] == ["open", "edit"]
        found.close()
        assert (folder / NAME).read_bytes() == whole
    with running(folder) as bench:
        assert state(bench) == there


def test_every_beginning_of_a_journal_gives_the_edits_before_it(folder):
    """Killed at any byte: what comes back is what was complete on the disk, never anything else."""
    found = EditJournal(str(folder))
    log = found.log(str(folder / "d.tsv"), "d")
    log.write({"do": "open", "sha256": "0", "links": []})
    log.write({"do": "edit", "changes": {"remove": ["1"]}, "added": []}, {"do": "undo"})
    log.write({"do": "redo"})
    found._file = journals.os.dup(found._file)  # as if it were killed: nothing is tidied up
    data = (folder / NAME).read_bytes()
    journals.os.close(found._file)
    whole = [json.loads(line)["do"] for line in data.splitlines()[1:]]
    other = folder / "copy"
    other.mkdir()
    for size in range(len(data) + 1):
        (other / NAME).write_bytes(data[:size])
        again = EditJournal(str(other))
        expected = whole[: max(0, data[:size].count(b"\n") - 1)]
        assert [record["do"] for record in again.log(str(other / "d.tsv"), "d").records] == expected
        again.close()


def test_a_disk_that_is_full_loses_the_edit_and_says_so(folder, monkeypatch):
    found = EditJournal(str(folder))
    log = found.log(str(folder / "d.tsv"), "d")
    log.write({"do": "open", "sha256": "0", "links": []}, {"do": "edit"})
    before = (folder / NAME).read_bytes()

    def full(_file, data, write=journals.os.write):
        write(_file, data[:5])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journals.os, "write", full)
        with pytest.raises(UsageError, match="No space left"):
            log.write({"do": "undo"})
    assert (folder / NAME).read_bytes() == before
    log.write({"do": "undo"})
    assert [record["do"] for record in log.records] == ["open", "edit", "undo"]
    found.close()


def test_an_edit_that_cannot_be_noted_is_taken_back(folder):
    from temporacle.workbench.document import Changes, OpenDocument

    class Full:
        records = ()

        def write(self, *_records):
            raise UsageError("full")

    document = OpenDocument(tp.read(folder / "d.tsv"), "0", Full(), 10)
    with pytest.raises(UsageError, match="full"):
        document.edit(Changes(remove=("2",)))
    assert len(document.session.document.links) == 5
    assert document.counts() == {"undo": 0, "redo": 1, "unsaved": 0, "revision": 0}


@pytest.mark.slow
def test_two_workbenches_on_one_corpus(folder):
    with running(folder) as first:
        with pytest.raises(RuntimeError, match="another workbench is open"):
            Running(folder)
        with pytest.raises(RuntimeError, match="another workbench is open"):
            Running(folder / "d.tsv")
        with running(folder, "--read-only") as second:
            assert second.get(of("d"))["links"] == first.get(of("d"))["links"]
        assert first.end()[0] == 0
    with running(folder) as third:
        assert third.get(of("d"))


def test_the_journal_is_gone_when_nothing_is_unsaved(folder):
    with running(folder) as bench:
        bench.post(of("d", "edit"), {"remove": ["2"]})
        assert (folder / NAME).exists()
        bench.post(of("d", "undo"))
        code, errors = bench.end()
    assert code == 0
    assert "Nothing is unsaved" in errors
    assert not (folder / NAME).exists()


SLOW = """
import time
from temporacle.workbench import routes

def slow(asked):
    with asked.bench.document(asked.document):
        time.sleep(600)

routes.QUESTIONS["repair"] = slow
"""


@pytest.mark.slow
def test_the_end_does_not_wait_for_a_question(folder):
    with running(folder, first=SLOW) as bench:
        bench.post(of("d", "edit"), {"remove": ["2"]})
        there = state(bench)
        with socket.create_connection(tuple(bench.place.split(":"))) as line:
            head = f"GET {of('d', 'repair')} HTTP/1.1\r\nHost: {bench.place}\r\nAuthorization: Bearer {bench.token}"
            line.sendall(f"{head}\r\n\r\n".encode())
            time.sleep(0.3)
            assert bench.get(of("other"))["verdict"] == "consistent"  # others are answered meanwhile
            code, errors = bench.end()
    assert code == 0
    assert "Unsaved edits are kept: 1 document" in errors
    assert "Traceback" not in errors
    with running(folder) as bench:
        assert state(bench) == there


def naive_steps(words):
    """Whether the state after some steps is the one that was saved last, by comparing states."""
    states, at, saved = [0], 0, 0
    fresh = 0
    for word in words:
        if word == "edit":
            fresh += 1
            states[at + 1 :] = [fresh]
            at += 1
        elif word == "undo":
            at -= 1
        elif word == "redo":
            at += 1
        else:
            saved = states[at]
    return states[at] != saved


def test_unsaved_steps_equal_a_naive_count():
    random = Random(3)
    for _ in range(2000):
        words, done, undone = [], 0, 0
        for _ in range(random.randrange(12)):
            word = random.choice(["edit", "edit", "undo", "redo", "save"])
            if word == "edit":
                done, undone = done + 1, 0
            elif word == "undo" and done:
                done, undone = done - 1, undone + 1
            elif word == "redo" and undone:
                done, undone = done + 1, undone - 1
            elif word != "save":
                continue
            words.append(word)
        assert bool(steps_after_save([{"do": word} for word in words])) == naive_steps(words)
