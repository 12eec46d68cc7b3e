"""All cores of this machine: joblib's pool of processes, which notices when one of them dies and can be made anew."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from temporacle.runner.chunks import answers_of, names_of
from temporacle.runner.deaths import WorkerDiedError, answers_despite_deaths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from temporacle.io.source import Source
    from temporacle.runner.chunks import Answer, Chunk, Question, Result

_UNDER_WAY = 4  # chunks per worker that are sent before the first answer is taken: workers never wait
_ORPHAN_LOOKS = 1.0  # seconds


def number_of_cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_on_cores(chunks: Iterator[Chunk], function: Question[Result], jobs: int) -> Iterator[list[Answer[Result]]]:
    """The answers of each chunk, in order."""
    pool = Pool(jobs)
    under_way: deque[tuple[Chunk, Future[list[Answer[Result]]]]] = deque()
    try:
        more = True
        while more or under_way:
            while more and len(under_way) < _UNDER_WAY * jobs:
                chunk = next(chunks, None)
                if chunk is None:
                    more = False
                else:
                    under_way.append((chunk, pool.submit(answers_of, chunk, function)))
            if under_way:
                chunk, future = under_way.popleft()
                yield _settled(chunk, future, function, pool)
    except BaseException:  # also when nobody wants the rest: workers must not go on for nothing
        pool.kill()
        raise


def _settled(
    chunk: Chunk, future: Future[list[Answer[Result]]], function: Question[Result], pool: Pool
) -> list[Answer[Result]]:
    """The answers of a chunk. If a worker died, any chunk under way may be the cause: each is tried alone."""
    try:
        return future.result()
    except Exception:  # noqa: BLE001 - a dead worker, or an answer that cannot be sent: found out there
        return list(answers_despite_deaths(chunk, function, pool))


class Pool:
    """The pool, made anew after a death."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._current: Any = None

    def _executor(self) -> Any:
        from joblib.externals.loky import get_reusable_executor

        # The same one as long as it lives, also for the next run of this process: its workers stay warm.
        self._current = get_reusable_executor(self.jobs, timeout=60, initializer=_begin, initargs=(os.getpid(),))
        return self._current

    def submit(self, function: Callable[..., Result], *arguments: object) -> Future[Result]:
        from concurrent.futures import BrokenExecutor

        try:
            return cast("Future[Result]", self._executor().submit(function, *arguments))
        except BrokenExecutor:  # it broke after it was handed out
            return cast("Future[Result]", self._executor().submit(function, *arguments))

    def answers(self, chunk: Chunk, function: Question[Result]) -> list[Answer[Result]]:
        return self._alone(answers_of, chunk, function)

    def names(self, source: Source) -> tuple[str, ...]:
        return self._alone(names_of, source)

    def _alone(self, function: Callable[..., Result], *arguments: object) -> Result:
        try:
            return self.submit(function, *arguments).result()
        except Exception as error:
            raise WorkerDiedError from error

    def kill(self) -> None:
        """End the workers now."""
        if self._current is not None:
            self._current.shutdown(wait=True, kill_workers=True)


def _begin(parent: int) -> None:
    """First thing in a worker: an interrupt is the parent's to handle, and without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_orphaned() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_LOOKS)
        os._exit(1)

    threading.Thread(target=leave_when_orphaned, daemon=True).start()
