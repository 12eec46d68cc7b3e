"""A Dask cluster: the same chunks, worked on by whatever workers a scheduler has.

Items carry what is to be read, so workers need this program but not the corpus (formats that are a folder excepted:
their files must be found under the same path). When a worker dies, Dask gives its chunks to others; a chunk that
several workers died of is tried on this machine, carefully (``cores``). A cluster that is not there, is of another
version, or goes away is an error within 20 seconds; what is done is in the journal.
"""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import partial
from pickle import PicklingError
from time import monotonic
from typing import TYPE_CHECKING, Any

from temporacle import __version__
from temporacle.errors import UsageError, current_spelling, spelling, without_extra
from temporacle.runner.copies import Cores
from temporacle.runner.job import UNDER_WAY, all_results, in_order, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.runner import Plan
    from temporacle.runner.job import Item, Job, Result

_SOON = 8.0  # seconds to connect, to find a worker, and without any
_LONGEST = 16.0  # seconds until work begins
_LOOKS = 1.0  # seconds between two looks at the cluster
_ANSWER = 3.0  # seconds for the scheduler to answer
_START = 60.0  # seconds for a cluster on this machine, whose processes load Dask first
_GO_ON = "with a checkpoint (resume), a new run continues from here"


def on_cluster(
    chunks: Iterator[Sequence[Item]], job: Job[Item, Result], plan: Plan
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    """Yield every chunk with its results, in order."""
    with _connected(plan.scheduler, plan.jobs) as client, Cores(job, 1) as here:
        watch = _Watch(client, plan.scheduler)

        def submit(chunk: Sequence[Item]) -> Any:
            try:
                return client.submit(_all_results, __version__, current_spelling(), job, chunk, pure=False)
            except (AttributeError, TypeError, PicklingError) as error:
                reason = "a document holds an object that Dask cannot send to a worker"
                cure = "use plain texts and numbers, or the backend local"
                raise UsageError(f"{reason}: {error.__cause__ or error}", cure=cure) from error

        def settle(chunk: Sequence[Item], future: Any) -> list[list[Result]]:
            found: list[list[Result]] | None = watch.result(future)
            return here.carefully(chunk) if found is None else found

        yield from in_order(chunks, submit, settle, lambda: UNDER_WAY * watch.threads())


def _all_results(
    version: str, spell: Callable[..., str], job: Job[Item, Result], items: Sequence[Item]
) -> list[list[Result]]:
    """Return all results of a chunk on a worker.

    Compare the versions first, because the worker may have joined later.
    """
    if version != __version__:
        raise UsageError(f"a worker of the cluster has temporacle {__version__}, but this is {version}")
    with spelling(spell):
        return all_results(job, items)


class _Watch:
    """Looks after the cluster while results are waited for."""

    def __init__(self, client: Any, address: str | None) -> None:
        self._client = client
        self._name = "the Dask scheduler" if address is None else f"the Dask scheduler at {address}"
        self._patience = _START if address is None else _SOON  # workers of this machine that die are started again
        self._threads = 1
        self._looked = self._good = monotonic()

    def result(self, future: Any) -> Any:
        """Return the result of a future; None if workers died of it. Raise UsageError if the cluster has gone away."""
        from distributed import KilledWorker

        while True:
            try:
                return future.result(timeout=_LOOKS)
            except TimeoutError:
                self.threads()
            except KilledWorker:
                return None
            except (CancelledError, OSError) as error:
                raise UsageError(f"{self._name} is gone; {_GO_ON}") from error
            except ImportError as error:
                raise UsageError(
                    f"the workers of the cluster cannot work: {error}: install temporacle there"
                ) from error

    def threads(self) -> int:
        """Return the number of pieces that the workers can work on at once; they may come and go."""
        now = monotonic()
        if now - self._looked < _LOOKS:
            return self._threads
        found = _number_of_threads(self._client)
        self._looked = monotonic()
        if found:
            self._threads, self._good = found, self._looked
        elif self._looked - self._good > self._patience:
            trouble = "does not answer any more" if found is None else "has lost all its workers"
            raise UsageError(f"{self._name} {trouble}; {_GO_ON}")
        return self._threads


def _number_of_threads(client: Any) -> int | None:
    """Return the number of threads of all workers; None if the scheduler does not answer."""
    try:
        threads: dict[str, int] = client.sync(client.scheduler.ncores, callback_timeout=_ANSWER)
    except Exception:  # noqa: BLE001 - whatever a broken connection raises
        return None
    return sum(threads.values())


@contextmanager
def _connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Provide the client of a scheduler. Without an address, start a cluster of processes on this machine."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise without_extra("the backend dask", "cluster") from error
    dask.config.set({"distributed.logging.distributed": "critical", "distributed.comm.timeouts.connect": _SOON})
    if address is None:
        start = partial(
            LocalCluster,
            n_workers=workers or number_of_cores(),
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs="CRITICAL",
        )
        cluster = _within(_START, start, f"a Dask cluster on this machine did not start within {_START:g} s")
        with cluster, Client(cluster) as client:
            yield client
        return
    client = _within(_LONGEST, lambda: _client(Client, address), f"no Dask scheduler answers at {address}")
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=_ANSWER)


def _client(make: Callable[..., Any], address: str) -> Any:
    """Return a client whose workers have the right version."""
    try:
        client = make(address, timeout=_SOON)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: {error}") from error
    except Exception as error:  # whatever follows from taking something else for a scheduler
        raise UsageError(f"no Dask scheduler answers at {address}, but something else") from error
    try:
        _require_workers(client, address)
    except BaseException:
        with suppress(Exception):
            client.close(timeout=_ANSWER)
        raise
    return client


def _within(seconds: float, function: Callable[[], Any], otherwise: str) -> Any:
    """Return what a function returns or raises.

    Raise UsageError if it takes too long, because Dask waits without a limit.
    """
    outcome: Future[Any] = Future()

    def call() -> None:
        try:
            outcome.set_result(function())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            outcome.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    try:
        return outcome.result(seconds)
    except TimeoutError as error:
        raise UsageError(otherwise) from error


def _require_workers(client: Any, address: str) -> None:
    """Require at least one worker, and the same version of Temporacle on each."""
    try:
        client.wait_for_workers(1, timeout=_SOON)
        # Workers without the program could not even load a function of it.
        versions = client.run(eval, "__import__('temporacle').__version__", on_error="return")
    except TimeoutError as error:
        raise UsageError(f"the Dask scheduler at {address} has no workers") from error
    for worker, version in versions.items():
        if isinstance(version, Exception):
            raise UsageError(f"worker {worker} of the cluster cannot work: {version}: install temporacle there")
        if version != __version__:
            raise UsageError(f"worker {worker} of the cluster has temporacle {version}, but this is {__version__}")
