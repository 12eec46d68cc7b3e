"""Runs over corpora: the same answers everywhere, and no document stops the others."""

import json
import os
import time
from functools import partial

import pytest
from questions import Numbers, named, size, size_or_death, slow_size
from runs import line

from temporacle import runner
from temporacle.corpus.inputs import Asking, pieces, size_of
from temporacle.errors import InternalError, UsageError
from temporacle.io import read_corpus, slices
from temporacle.io.source import Options
from temporacle.runner import Backend, Plan, processes, work
from temporacle.runner.copies import Cores
from temporacle.runner.job import number_of_cores

ONE, TWO = Plan(jobs=1), Plan(jobs=2)


@pytest.fixture
def impatient(monkeypatch):
    """Work moves to other processes as soon as it may."""
    for name in ("PATIENCE", "COPY_PATIENCE", "WORTHWHILE"):
        monkeypatch.setattr(runner, name, 0.0)
    monkeypatch.setattr(runner, "number_of_cores", lambda: 2)


def answers(paths, question, plan=ONE):
    job = Asking(partial(named, question=question))
    done = work(pieces([str(path) for path in paths], Options()), job, plan, size=size_of)
    return [answer for _, found in done for answer in found]


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
    assert dict(found)["empty"] == "unreadable: file is empty"


@pytest.mark.usefixtures("started_as")
def test_two_processes_say_the_same_as_one(corpus):
    assert answers([corpus], size, TWO) == answers([corpus], size, ONE)


def test_items_come_back_with_their_results():
    items = [[2, 3], [], [4], [17, 5]]
    for plan in (ONE, TWO, Plan()):
        found = list(work(items, Numbers(), plan))
        assert found == [([2, 3], [4, 9]), ([], []), ([4], [16]), ([17, 5], [UNLUCKY, 25])]


UNLUCKY = "17: internal error: ValueError: an unlucky number"


def wait_for_workers(monkeypatch):
    """Let work move to other processes as soon as it may, however long they take to start."""
    start = Cores.start

    def start_and_wait(cores):
        start(cores)
        while not cores.are_ready():
            time.sleep(0.001)

    monkeypatch.setattr(Cores, "start", start_and_wait)


@pytest.mark.usefixtures("started_as", "impatient")
def test_work_that_takes_long_moves_to_other_processes(corpus, monkeypatch):
    wait_for_workers(monkeypatch)
    met = {process for _, process in answers([corpus], process_of, Plan())}
    assert os.getpid() in met
    assert len(met) > 1


@pytest.mark.usefixtures("impatient")
def test_work_goes_on_here_while_other_processes_start(corpus, monkeypatch):
    expected = answers([corpus], process_of, ONE)
    monkeypatch.setattr(Cores, "are_ready", lambda _cores: False)
    assert answers([corpus], process_of, Plan()) == expected


@pytest.mark.usefixtures("impatient")
def test_processes_that_cannot_be_started_are_an_error(corpus, monkeypatch):
    monkeypatch.setattr(processes, "can_copy", lambda: False)
    monkeypatch.setattr(processes, "_START", "import sys; sys.exit(7)")
    wait_for_workers(monkeypatch)
    with pytest.raises(InternalError, match="exit code 7"):
        answers([corpus], process_of, Plan())


def process_of(_document):
    time.sleep(0.001)
    return os.getpid()


def test_short_work_stays_in_this_process(corpus):
    few = sorted(corpus.glob("d0*.tsv"))
    assert {result for _, result in answers(few, process_of, Plan())} == {os.getpid()}


@pytest.mark.usefixtures("impatient")
def test_one_job_is_this_process(corpus):
    assert {result for _, result in answers([corpus], process_of, ONE)} == {os.getpid()}


@pytest.mark.usefixtures("started_as")
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
    found = answers([tmp_path], size_or_death, TWO)
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


def test_workers_are_in_the_folder_of_their_run(tmp_path, monkeypatch):
    for name, links in (("first", 2), ("second", 3)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "here.jsonl").write_text(line("d", links))
        monkeypatch.chdir(tmp_path / name)
        assert answers(["here.jsonl"], size, TWO) == [("d", links)]


@pytest.mark.usefixtures("started_as")
def test_whoever_wants_no_more_ends_the_work(corpus):
    running = work(pieces([str(corpus)], Options()), Asking(slow_size), TWO)
    next(running)
    running.close()
    assert answers([corpus], size, TWO) == answers([corpus], size)


def test_progress_hears_of_every_result_and_every_byte(corpus):
    heard = []
    job = Asking(size)
    found = list(
        work(pieces([str(corpus)], Options()), job, ONE, size=size_of, progress=lambda *some: heard.append(some))
    )
    assert sum(number for number, _ in heard) == sum(len(results) for _, results in found) == 184
    assert sum(size for _, size in heard) == sum(path.stat().st_size for path in corpus.iterdir())


def test_wrong_plans_are_refused():
    with pytest.raises(UsageError, match="scheduler works only with the backend dask"):
        Plan(scheduler="tcp://127.0.0.1:1")
    with pytest.raises(UsageError, match="jobs is 0"):
        Plan(jobs=0)
    with pytest.raises(UsageError, match="backend='cloud': choose local or dask"):
        Plan(backend="cloud")
    assert Plan(backend="dask", scheduler="tcp://127.0.0.1:1") == Plan(None, Backend.DASK, "tcp://127.0.0.1:1")
    assert number_of_cores() >= 1


def test_a_path_that_does_not_exist_is_an_answer_too(tmp_path):
    assert answers([tmp_path / "nowhere"], size) == [("nowhere", "unreadable: no such file or folder")]


def test_a_reader_that_fails_is_an_answer_too(tmp_path, monkeypatch):
    def broken(_source):
        raise KeyError("not thought of")

    (tmp_path / "a.tsv").write_text("a\tb\tc\n")
    monkeypatch.setattr("temporacle.corpus.inputs.read_source", broken)
    assert answers([tmp_path], size) == [("a", "unreadable: internal error: KeyError: 'not thought of'")]


def test_lines_are_json(corpus):
    """The fixture means what it says: one line is torn."""
    bad = 0
    for text in (corpus / "many.jsonl").read_text().splitlines():
        try:
            json.loads(text)
        except ValueError:
            bad += 1
    assert bad == 1
