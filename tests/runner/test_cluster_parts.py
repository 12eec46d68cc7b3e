"""The parts of the runner for clusters, with clusters that are made up: no Dask, no processes, no waiting."""

import sys
import threading
from concurrent.futures import CancelledError
from pickle import PicklingError
from types import SimpleNamespace

import pytest

from temporacle import __version__
from temporacle.errors import UsageError, as_keyword
from temporacle.runner import Plan, cluster
from temporacle.runner.job import Applying


class KilledWorker(Exception):  # noqa: N818 - its name in Dask
    """What a future raises if several workers died of its chunk."""


class Config(dict):
    def set(self, values):
        self.update(values)


@pytest.fixture
def dask(monkeypatch):
    """Modules in the place of Dask's; ``made`` lists the clients and clusters."""
    made = []

    class Made:
        def __init__(self, *arguments, **options):
            self.arguments, self.options, self.is_open = arguments, options, True
            made.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.is_open = False

    class Client(Made, Scheduler):
        def __init__(self, *arguments, **options):
            Made.__init__(self, *arguments, **options)
            Scheduler.__init__(self)

        def submit(self, function, *arguments, pure):
            assert pure is False
            return Done(lambda: function(*arguments))

    class LocalCluster(Made):
        pass

    distributed = SimpleNamespace(Client=Client, LocalCluster=LocalCluster, KilledWorker=KilledWorker)
    found = SimpleNamespace(config=Config(), made=made, distributed=distributed)
    monkeypatch.setitem(sys.modules, "dask", found)
    monkeypatch.setitem(sys.modules, "distributed", distributed)
    return found


class Scheduler:
    """A client, and the scheduler behind it, with answers that the test chooses."""

    def __init__(self, threads=2, versions=None, workers=True):
        self.threads, self.workers = threads, workers
        self.versions = {"w1": __version__} if versions is None else versions
        self.scheduler = SimpleNamespace(ncores="ncores")
        self.closed = []

    def sync(self, question, callback_timeout):
        assert (question, callback_timeout) == ("ncores", 3.0)
        if isinstance(self.threads, Exception):
            raise self.threads
        return {"w1": self.threads, "w2": self.threads}

    def wait_for_workers(self, number, timeout):
        assert (number, timeout) == (1, 8.0)
        if not self.workers:
            raise TimeoutError

    def run(self, function, text, on_error):
        assert on_error == "return"
        assert function(text) == __version__
        return self.versions

    def close(self, timeout):
        self.closed.append(timeout)
        raise OSError("already closed")


class Done:
    """A result that is there, or raises each of these first."""

    def __init__(self, value, *errors):
        self.value, self.errors = value, list(errors)

    def result(self, timeout):
        assert timeout == 1.0
        if self.errors:
            raise self.errors.pop(0)
        return self.value() if callable(self.value) else self.value


# --- limits of time ---------------------------------------------------------------------------------------------------


def test_what_takes_too_long_is_an_error():
    never = threading.Event()
    with pytest.raises(UsageError, match="nothing came"):
        cluster._within(0.01, never.wait, "nothing came")
    never.set()


def test_what_comes_in_time_is_returned_or_raised():
    assert cluster._within(60, lambda: 7, "nothing came") == 7
    with pytest.raises(ZeroDivisionError):
        cluster._within(60, lambda: 1 / 0, "nothing came")


# --- workers ----------------------------------------------------------------------------------------------------------


def test_workers_of_the_same_version_are_required():
    cluster._require_workers(Scheduler(), "tcp://x")
    with pytest.raises(UsageError, match="the Dask scheduler at tcp://x has no workers"):
        cluster._require_workers(Scheduler(workers=False), "tcp://x")
    with pytest.raises(UsageError, match=f"worker w2 of the cluster has temporacle 0.0.1, but this is {__version__}"):
        cluster._require_workers(Scheduler(versions={"w1": __version__, "w2": "0.0.1"}), "tcp://x")
    with pytest.raises(UsageError, match="worker w1 of the cluster cannot work: No module: install temporacle there"):
        cluster._require_workers(Scheduler(versions={"w1": ImportError("No module")}), "tcp://x")


def test_a_worker_that_joined_later_compares_versions_itself():
    job = Applying(abs, lambda item, reason: (item, reason))
    assert cluster._all_results(__version__, as_keyword, job, [-1, 2]) == [[1], [2]]
    with pytest.raises(UsageError, match=f"a worker of the cluster has temporacle {__version__}, but this is 0.0.1"):
        cluster._all_results("0.0.1", as_keyword, job, [-1])


def test_threads_of_all_workers_are_counted():
    assert cluster._number_of_threads(Scheduler(threads=3)) == 6
    assert cluster._number_of_threads(Scheduler(threads=OSError("gone"))) is None


# --- a client ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("refused"), "no Dask scheduler answers at tcp://x: refused"),
        (ValueError("odd address"), "no Dask scheduler answers at tcp://x: odd address"),
        (KeyError("type"), "no Dask scheduler answers at tcp://x, but something else"),
    ],
)
def test_an_address_without_a_scheduler_is_an_error(error, said):
    def make(_address, timeout):
        assert timeout == 8.0
        raise error

    with pytest.raises(UsageError) as refused:
        cluster._client(make, "tcp://x")
    assert str(refused.value) == said


def test_a_client_without_workers_is_closed():
    client = Scheduler(workers=False)
    with pytest.raises(UsageError, match="has no workers"):
        cluster._client(lambda *_address, timeout: client, "tcp://x")
    assert client.closed == [3.0]
    client = Scheduler()
    assert cluster._client(lambda *_address, timeout: client, "tcp://x") is client
    assert client.closed == []


def test_dask_must_be_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(UsageError, match="pip install 'temporacle"), cluster._connected(None, 1):
        pass


def test_a_scheduler_is_left_when_the_work_is_done(dask):
    with cluster._connected("tcp://x", None) as client:
        assert client.arguments == ("tcp://x",)
        assert client.closed == []
    assert client.closed == [3.0]
    assert dask.config == {
        "distributed.logging.distributed": "critical",
        "distributed.comm.timeouts.connect": 8.0,
    }


@pytest.mark.parametrize(("workers", "number"), [(3, 3), (None, 5)])
def test_without_an_address_a_cluster_is_started_here(dask, monkeypatch, workers, number):
    monkeypatch.setattr(cluster, "number_of_cores", lambda: 5)
    with cluster._connected(None, workers) as client:
        started = dask.made[0]
        assert client.arguments == (started,)
        assert started.is_open
    assert (started.is_open, client.is_open) == (False, False)
    assert started.options == {
        "n_workers": number,
        "threads_per_worker": 1,
        "dashboard_address": None,
        "silence_logs": "CRITICAL",
    }


# --- watching ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""
    now = SimpleNamespace(time=100.0)
    monkeypatch.setattr(cluster, "monotonic", lambda: now.time)
    return now


def test_the_cluster_is_looked_at_once_a_second(clock):
    client = Scheduler(threads=4)
    watch = cluster._Watch(client, None)
    assert watch.threads() == 1  # not looked yet
    clock.time += 0.9
    assert watch.threads() == 1
    clock.time += 0.1
    assert watch.threads() == 8
    client.threads = 1
    clock.time += 0.9
    assert watch.threads() == 8
    clock.time += 0.2
    assert watch.threads() == 2


@pytest.mark.parametrize(
    ("threads", "said"), [(0, "has lost all its workers"), (OSError("gone"), "does not answer any more")]
)
def test_a_cluster_may_be_silent_for_a_while(clock, threads, said):
    client = Scheduler(threads=2)
    watch = cluster._Watch(client, "tcp://x")
    clock.time += 2
    assert watch.threads() == 4
    client.threads = threads
    clock.time += 8
    assert watch.threads() == 4
    clock.time += 1.1
    with pytest.raises(UsageError, match=f"the Dask scheduler at tcp://x {said}; with a checkpoint"):
        watch.threads()


def test_a_cluster_that_comes_back_is_good_again(clock):
    client = Scheduler(threads=0)
    watch = cluster._Watch(client, "tcp://x")
    clock.time += 7
    watch.threads()
    client.threads = 3
    clock.time += 2
    assert watch.threads() == 6
    client.threads = 0
    clock.time += 7
    assert watch.threads() == 6
    clock.time += 2
    with pytest.raises(UsageError, match="the Dask scheduler at tcp://x has lost all its workers"):
        watch.threads()


def test_workers_of_this_machine_have_time_to_start_again(clock):
    watch = cluster._Watch(Scheduler(threads=0), None)
    clock.time += cluster._START - 1
    assert watch.threads() == 1
    clock.time += 2
    with pytest.raises(UsageError, match="the Dask scheduler has lost all its workers"):
        watch.threads()


@pytest.mark.usefixtures("dask")
def test_results_are_waited_for_while_the_cluster_is_there(clock):
    client = Scheduler(threads=0)
    watch = cluster._Watch(client, "tcp://x")
    assert watch.result(Done("result", TimeoutError(), TimeoutError())) == "result"
    assert watch.result(Done("result", KilledWorker())) is None
    clock.time += 9
    with pytest.raises(UsageError, match="has lost all its workers"):
        watch.result(Done("result", TimeoutError()))


@pytest.mark.usefixtures("dask")
@pytest.mark.parametrize(
    ("error", "said"),
    [
        (CancelledError(), "the Dask scheduler at tcp://x is gone; with a checkpoint"),
        (OSError("closed"), "the Dask scheduler at tcp://x is gone; with a checkpoint"),
        (ModuleNotFoundError("No module"), "the workers of the cluster cannot work: No module: install temporacle"),
    ],
)
def test_a_cluster_that_cannot_work_is_an_error(error, said):
    with pytest.raises(UsageError) as refused:
        cluster._Watch(Scheduler(), "tcp://x").result(Done("result", error))
    assert str(refused.value).startswith(said)


# --- a whole run ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("dask")
def test_chunks_come_back_in_order_with_their_results():
    job = Applying(abs, lambda item, reason: (item, reason))
    chunks = [[-1, 2], [-3], [4, -5]]
    plan = Plan(jobs=1, backend="dask", scheduler="tcp://x")
    assert list(cluster.on_cluster(iter(chunks), job, plan)) == [
        ([-1, 2], [[1], [2]]), ([-3], [[3]]), ([4, -5], [[4], [5]]),
    ]  # fmt: skip


def test_what_cannot_be_sent_is_refused_with_a_cure(dask, monkeypatch):
    def submit(*_, pure):
        raise TypeError("Could not serialize object") from PicklingError("cannot pickle a lock")

    monkeypatch.setattr(dask.distributed.Client, "submit", submit)
    job = Applying(abs, lambda item, reason: (item, reason))
    with pytest.raises(UsageError, match="cannot send to a worker: cannot pickle a lock") as refused:
        list(cluster.on_cluster(iter([[-1, 2]]), job, Plan(jobs=1, backend="dask", scheduler="tcp://x")))
    assert "backend local" in refused.value.cure


def test_a_chunk_that_workers_died_of_is_tried_here(dask, monkeypatch):
    tried = []

    class Here:
        def __init__(self, job, number):
            assert number == 1

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def carefully(self, chunk):
            tried.append(chunk)
            return [["here"] for _ in chunk]

    monkeypatch.setattr(cluster, "Cores", Here)
    monkeypatch.setattr(dask.distributed.Client, "submit", lambda *_, pure: Done(None, KilledWorker()))
    job = Applying(abs, lambda item, reason: (item, reason))
    found = list(cluster.on_cluster(iter([[-1, 2]]), job, Plan(jobs=1, backend="dask", scheduler="tcp://x")))
    assert found == [([-1, 2], [["here"], ["here"]])]
    assert tried == [[-1, 2]]
