"""The Dask backend: a local cluster, a scheduler and workers in processes of their own, a worker killed."""

import signal
from pathlib import Path

import pytest
from questions import size, size_or_death, slow_size
from runs import Cluster, line

from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.runner import Plan, run_over
from temporacle.runner.place import Backend

pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
pytestmark = pytest.mark.filterwarnings("ignore")  # of a foreign library that is not under test here


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(60):
        (folder / f"f{number:02}.jsonl").write_text("".join(line(f"d{number}-{i}", i) for i in range(3)))
    (folder / "bad.xml").write_text("<oops")
    monkeypatch.chdir(tmp_path)  # workers stand elsewhere: relative paths must do no harm
    return "corpus"


def answers(corpus, function, plan):
    return [(found.document, found.result) for found in run_over([corpus], Options(), function, plan)]


@pytest.fixture
def cluster(tmp_path):
    folder = tmp_path / "cluster"
    folder.mkdir()
    running = Cluster(folder)
    yield running
    running.stop()


def test_a_worker_killed_in_the_middle_costs_no_answer(corpus, cluster):
    expected = answers(corpus, size, Plan(jobs=1))
    plan = Plan(backend=Backend.DASK, scheduler=cluster.address)
    found = []
    for answer in run_over([corpus], Options(), slow_size, plan):
        found.append((answer.document, answer.result))
        if len(found) == 20:
            cluster.workers[0].send_signal(signal.SIGKILL)
    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert found == expected


def test_a_local_cluster_says_the_same_and_survives_a_deadly_document(corpus):
    plan = Plan(jobs=2, backend=Backend.DASK)
    assert answers(corpus, size, plan) == answers(corpus, size, Plan(jobs=1))
    Path(corpus, "f30.jsonl").write_text(line("good") + line("exits") + line("better"))
    found = dict(answers(corpus, size_or_death, plan))
    assert found["exits"] == "unreadable: the process that worked on it died"
    assert (found["good"], found["better"], found["d29-2"], found["d31-2"]) == (2, 2, 2, 2)


def test_no_scheduler_is_told_with_its_address(corpus, monkeypatch):
    monkeypatch.setattr("temporacle.runner.cluster._CONNECT", 1)
    with pytest.raises(UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        answers(corpus, size, Plan(backend=Backend.DASK, scheduler="tcp://127.0.0.1:9"))
