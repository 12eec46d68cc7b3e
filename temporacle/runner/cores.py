"""All cores of this machine: worker processes, each asked by one thread of this process.

A thread sends a request and waits for the answer. A worker shares its two pipes with its thread and with nothing else,
so when it dies, at whatever moment, exactly one thread reads the end of a stream, and knows what the worker was at.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, Self

from temporacle.errors import InternalError, UsageError
from temporacle.runner.job import Item, Job, Result, WorkerDiedError, all_results, results_despite_deaths
from temporacle.runner.worker import receive, send
from temporacle.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

_START = "import sys; sys.path[:] = sys.argv[1:]; from temporacle.runner.worker import main; main()"
_TRIALS = 3  # of starting a worker
_POLITE = (signal.SIGINT, signal.SIGTERM)


class UnsendableError(Exception):
    """A request cannot be pickled."""


class Worker:
    """One process, and the streams to and from it."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", _START, *map(str, sys.path)]
        try:
            self.process = subprocess.Popen(  # noqa: S603 - this program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise UsageError(f"cannot start a worker process: {error.strerror or error}; use jobs=1") from error

    def ask(self, request: object) -> Any:
        """Return the first message of the answer. Raise WorkerDiedError if there is none."""
        assert self.process.stdin is not None  # noqa: S101 - narrows the type only
        try:
            send(self.process.stdin, request)
        except OSError:
            raise WorkerDiedError from None
        except Exception as error:  # whatever pickle raises
            raise UnsendableError from error
        return self.next()

    def next(self) -> Any:
        """Return the next message."""
        assert self.process.stdout is not None  # noqa: S101 - narrows the type only
        try:
            message = receive(self.process.stdout)
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if isinstance(message, InternalError):
            raise message
        return message

    def end(self) -> None:
        """Kill it, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


class Cores(Generic[Item, Result]):
    """The workers of a run. They are started when they are needed, and end with the run."""

    def __init__(self, job: Job[Item, Result], jobs: int) -> None:
        self._job = job
        self._jobs = jobs
        self._threads = ThreadPoolExecutor(jobs)
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._closed = False
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with held_back(*_POLITE):  # a second Ctrl-C does not leave workers behind
            with self._lock:
                self._closed = True
                for worker in self._all:
                    worker.process.kill()
            self._threads.shutdown(cancel_futures=True)
            for worker in self._all:
                worker.end()

    def start(self) -> list[Future[None]]:
        """Start all workers without waiting for them. A worker that cannot be started is an error of its first task."""
        with held_back(*_POLITE):
            return [self._threads.submit(self._prepare) for _ in range(self._jobs)]

    def _prepare(self) -> None:
        worker = self._started()
        self._idle.append(worker)

    def submit(self, items: Sequence[Item]) -> Future[list[list[Result]]]:
        """Work on some items; the results of each."""
        with held_back(*_POLITE):  # signals are for the main thread: the threads that are started here never get them
            return self._threads.submit(self._results, items)

    def _results(self, items: Sequence[Item]) -> list[list[Result]]:
        found: list[list[Result]] | None = None
        if not items:
            return []
        try:
            with suppress(WorkerDiedError), self._borrowed() as worker:
                found = worker.ask((self._job, items))
        except UnsendableError:  # what cannot travel is worked on here
            return all_results(self._job, items)
        return self.carefully(items) if found is None else found

    def carefully(self, items: Sequence[Item]) -> list[list[Result]]:
        """Work on items that a process died over, one by one."""
        return [results_despite_deaths(self._job, item, self._step_by_step) for item in items]

    def _step_by_step(self, item: Item, skip: int) -> Iterator[tuple[bool, object]]:
        with self._borrowed() as worker:
            message = worker.ask((self._job, item, skip))
            while message is not None:
                yield message
                message = worker.next()

    @contextmanager
    def _borrowed(self) -> Iterator[Worker]:
        """Provide a worker for one request. A worker that does not answer completely is ended."""
        worker = self._idle.pop() if self._idle else self._started()
        try:
            yield worker
        except BaseException:
            worker.end()
            with self._lock:
                self._all.discard(worker)
            raise
        self._idle.append(worker)

    def _started(self) -> Worker:
        for _ in range(_TRIALS):
            with self._lock:
                if self._closed:
                    raise CancelledError
                worker = Worker()
                self._all.add(worker)
            with suppress(WorkerDiedError):
                worker.next()  # it is ready
                return worker
        if self._closed:
            raise CancelledError
        code = worker.process.wait()
        raise InternalError(f"worker processes end before they start to work, with exit code {code}: use jobs=1")
