"""The Dask backend: a local cluster, a scheduler and workers in processes of their own, and clusters that fail."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from questions import named, size, size_or_death, slow_size
from runs import Cluster, environment, line

from temporacle.corpus.inputs import Asking, key_of, pieces, size_of
from temporacle.errors import UsageError, as_keyword
from temporacle.io.source import Options
from temporacle.runner import Backend, Plan, cluster, work
from temporacle.runner.journal import Journal

ROOT = Path(__file__).resolve().parents[1]
pytest.importorskip("distributed", reason="needs the extra temporacle[cluster]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of a foreign library that is not under test here
    pytest.mark.timeout(300),
]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(60):
        (folder / f"f{number:02}.jsonl").write_text("".join(line(f"d{number}-{i}", i) for i in range(3)))
    (folder / "bad.xml").write_text("<oops")
    monkeypatch.chdir(tmp_path)  # workers stand elsewhere: relative paths must do no harm
    return "corpus"


def running(corpus, question, plan, journal=None):
    job = Asking(partial(named, question=question))
    items = pieces([corpus], Options(), loaded=plan.works_elsewhere)
    for _, found in work(items, job, plan, journal=journal, key=key_of, size=size_of):
        yield from found


def answers(corpus, question, plan):
    return list(running(corpus, question, plan))


@pytest.fixture
def started(tmp_path):
    """Makes clusters, and ends them."""
    every = []

    def start(**how):
        folder = tmp_path / f"cluster{len(every)}"
        folder.mkdir()
        every.append(Cluster(folder, **how))
        return every[-1]

    yield start
    for each in every:
        each.stop()


def at(address):
    return Plan(backend=Backend.DASK, scheduler=address)


def test_a_worker_killed_in_the_middle_costs_no_answer(corpus, started):
    expected = answers(corpus, size, Plan(jobs=1))
    remote = started()
    found = []
    for answer in running(corpus, slow_size, at(remote.address)):
        found.append(answer)
        if len(found) == 20:
            remote.workers[0].send_signal(signal.SIGKILL)
    assert remote.workers[0].wait() == -signal.SIGKILL
    assert found == expected


def test_a_local_cluster_says_the_same_and_survives_a_deadly_document(corpus):
    plan = Plan(jobs=2, backend=Backend.DASK)
    assert answers(corpus, size, plan) == answers(corpus, size, Plan(jobs=1))
    Path(corpus, "f30.jsonl").write_text(line("good") + line("exits") + line("better"))
    found = dict(answers(corpus, size_or_death, plan))
    assert found["exits"] == "unreadable: the process that worked on it died"
    assert (found["good"], found["better"], found["d29-2"], found["d31-2"]) == (2, 2, 2, 2)


# --- clusters that fail: a clear message, soon, and what is done is kept ----------------------------------------------


SOON = ("3", "6")  # seconds: what takes up to 20 elsewhere takes less here
PATIENT = ("8", "90")  # clusters that are there have time to answer, also on a busy machine


def program(corpus, address, limits, *journal):
    """Work on a cluster, in a process of its own."""
    command = [sys.executable, str(ROOT / "cluster_program.py"), corpus, address, *limits, *map(str, journal)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment())


def test_every_message_comes_within_20_seconds():
    assert cluster._LONGEST + cluster._ANSWER < 20  # at the start: all that is done there, and closing the connection
    assert cluster._SOON + 2 * cluster._ANSWER + 2 * cluster._LOOKS < 20  # later: two looks that get no answer


def refused(corpus, address, match, limits=SOON):
    out, _ = program(corpus, address, limits).communicate(timeout=200)
    *answers_before, last = map(json.loads, out.splitlines())
    assert answers_before == []
    assert re.search(match, last["refused"]), last


def test_nothing_listens_there(corpus):
    refused(corpus, "tcp://127.0.0.1:9", r"no Dask scheduler answers at tcp://127\.0\.0\.1:9")


@pytest.mark.parametrize(
    "address", ["nowhere", "http://127.0.0.1:9", "tcp://127.0.0.1", "", "tcp://no.such.host.invalid:1"]
)
def test_an_address_that_is_none(corpus, address):
    refused(corpus, address, "no Dask scheduler answers at")


@pytest.mark.parametrize(
    "speech", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", bytes(range(256)) * 64], ids=["silent", "http", "noise"]
)
def test_something_else_listens_there(corpus, speech):
    with socket.create_server(("127.0.0.1", 0)) as server:
        held = []

        def answer():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                held.append(connection)
                connection.sendall(speech)

        threading.Thread(target=answer, daemon=True).start()
        refused(corpus, f"tcp://127.0.0.1:{server.getsockname()[1]}", "no Dask scheduler answers at")
        for connection in held:
            connection.close()


def test_a_worker_is_not_a_scheduler(corpus, started):
    remote = started(workers=1, worker_port=True)
    refused(corpus, remote.worker_address, "Dask scheduler")


def test_a_scheduler_without_workers(corpus, started):
    refused(corpus, started(workers=0).address, "has no workers", PATIENT)


BARE = """
import sys
class NoTemporacle:
    def find_spec(self, name, *_):
        if name.partition(".")[0] == "temporacle":
            raise ModuleNotFoundError("No module named 'temporacle'", name="temporacle")
sys.meta_path.insert(0, NoTemporacle())
"""
OTHER = "import temporacle\ntemporacle.__version__ = '0.0.1'\n"


@pytest.mark.parametrize(
    ("preload", "match"),
    [(BARE, "cannot work.*install temporacle there"), (OTHER, r"has temporacle 0\.0\.1, but this is")],
    ids=["without the program", "another version"],
)
def test_workers_that_do_not_fit_are_refused_at_the_start(corpus, started, tmp_path, preload, match):
    script = tmp_path / "preload.py"
    script.write_text(preload)
    refused(corpus, started(preload=script).address, match, PATIENT)


def test_a_worker_of_another_version_that_comes_later():
    with pytest.raises(UsageError, match=r"a worker of the cluster has temporacle .*, but this is 0\.0\.1"):
        cluster._all_results("0.0.1", as_keyword, None, [])


@pytest.mark.parametrize("victims", ["scheduler", "workers"])
def test_what_is_done_is_kept_when_the_cluster_goes_away(corpus, started, tmp_path, victims):
    remote = started()
    journal = tmp_path / "journal"
    running_there = program(corpus, remote.address, PATIENT, journal)
    found = [json.loads(running_there.stdout.readline()) for _ in range(20)]
    for process in [remote.scheduler] if victims == "scheduler" else remote.workers:
        process.kill()
    # To the end by the same reader: communicate() would pass over the lines that readline() has already buffered.
    *rest, last = map(json.loads, running_there.stdout)
    running_there.wait()
    found = [tuple(answer) for answer in (*found, *rest)]
    assert re.search("gone|does not answer" if victims == "scheduler" else "has lost all its workers", last["refused"])
    again = Journal(str(journal), "run")
    expected = answers(corpus, size, Plan(jobs=1))
    assert found == expected[: len(found)]
    kept = sum(again.find(*key_of(piece)) is not None for piece in pieces([corpus], Options(), loaded=True))
    assert kept >= len(found) // 3
    assert list(running(corpus, size, Plan(jobs=1), again)) == expected
    again.close()


def test_the_command_says_it_in_one_line(corpus):
    command = [
        sys.executable,
        "-m",
        "temporacle",
        "check",
        corpus,
        "--backend",
        "dask",
        "--scheduler",
        "tcp://127.0.0.1:9",
    ]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr
    assert os.sep not in done.stdout
