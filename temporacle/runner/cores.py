"""All cores of this machine: joblib's pool of processes, which notices when one of them dies and can be made anew."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, cast

from temporacle.runner.deaths import WorkerDiedError, answers_with_notes
from temporacle.runner.order import Outcome, Piece, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from temporacle.runner.chunks import Answer, Chunk, Question, Result

_UNDER_WAY = 4  # pieces per worker that are sent before the first answer is taken: workers never wait
_IDLE = 60  # seconds until a worker without work ends
_ORPHAN_LOOKS = 1.0  # seconds


def run_on_cores(
    pieces: Iterator[Piece], do: Callable[[Piece], Outcome], salvage: Callable[[Piece], Outcome], jobs: int
) -> Iterator[tuple[Piece, Outcome]]:
    """Every piece with its outcome, in order. If a worker died, any piece under way may be why."""
    pool = Pool(jobs)

    def settle(piece: Piece, future: Future[Outcome]) -> tuple[Piece, Outcome]:
        try:
            return piece, future.result()
        except Exception:  # noqa: BLE001 - a dead worker, or an answer that cannot be sent: found out there
            return piece, salvage(piece)

    try:
        yield from in_order(pieces, lambda piece: pool.submit(do, piece), settle, lambda: _UNDER_WAY * jobs)
    except BaseException:  # also when nobody wants the rest: workers must not go on for nothing
        pool.kill()
        raise


class Pool:
    """The workers of this process, warm for its next run, too; made anew after a death."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._folder = _current_folder()
        self._current: Any = None

    def submit(self, function: Callable[..., Result], *arguments: object) -> Future[Result]:
        from concurrent.futures import BrokenExecutor

        with _interrupts_wait():
            try:
                return cast("Future[Result]", self._executor().submit(function, *arguments))
            except BrokenExecutor:  # it broke after it was handed out
                return cast("Future[Result]", self._executor().submit(function, *arguments))

    def _executor(self) -> Any:
        from joblib.externals.loky import get_reusable_executor

        # Workers stay in the folder they were started in. With another one here, others take their place.
        begin = (os.getpid(), self._folder)
        self._current = get_reusable_executor(self.jobs, timeout=_IDLE, initializer=_begin, initargs=begin)
        return self._current

    def kill(self) -> None:
        """End the workers now, whatever they are doing."""
        if self._current is not None:
            _kill(self._current)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Ctrl-C reaches this process a moment later, and processes that are started here never.

    It goes to all processes of a terminal; those that have just begun would show a traceback. They inherit what is
    held back here, and later ignore it by themselves.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _current_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:  # it was removed: whoever works there gave full paths
        return ""


class Quarantine:
    """One worker apart from all others, for chunks under suspicion: if it dies, it is known what of."""

    def __init__(self) -> None:
        self._current: Any = None

    def close(self) -> None:
        if self._current is not None:
            _kill(self._current)

    def attempt(self, chunk: Chunk, function: Question[Result], notes: str) -> list[Answer[Result]]:
        """The answers of a chunk; see ``deaths``."""
        return self.run(answers_with_notes, chunk, function, notes)

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """A function's result; WorkerDiedError if its process does not survive it."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._current is None:
            self._current = ProcessPoolExecutor(1, timeout=_IDLE, initializer=_begin, initargs=(os.getpid(), ""))
        try:
            with _interrupts_wait():
                future = self._current.submit(function, *arguments)
            return cast("Result", future.result())
        except Exception as error:
            self._current.shutdown()
            self._current = None
            raise WorkerDiedError from error


def _kill(executor: Any) -> None:
    """The executor takes it as the death of its workers, and cleans up. (Its own way to kill them can raise.)"""
    for worker in tuple(executor._processes):  # noqa: SLF001
        with suppress(ProcessLookupError):
            os.kill(worker, getattr(signal, "SIGKILL", signal.SIGTERM))
    executor.shutdown()


def _begin(parent: int, _folder: str) -> None:
    """First thing in a worker: an interrupt is the parent's to handle, and without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_orphaned() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_LOOKS)
        os._exit(1)

    threading.Thread(target=leave_when_orphaned, daemon=True).start()
