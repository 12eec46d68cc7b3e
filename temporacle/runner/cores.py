"""All cores of this machine: a pool of processes that is made anew when one of them dies, and one process apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from temporacle.runner import workers
from temporacle.runner.deaths import WorkerDiedError, answers_with_notes
from temporacle.runner.order import Outcome, Piece, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.runner.chunks import Answer, Chunk, Question, Result

_UNDER_WAY = 4  # pieces per worker that are sent before the first answer is taken: workers never wait


def run_on_cores(
    pieces: Iterator[Piece], do: Callable[[Piece], Outcome], salvage: Callable[[Piece], Outcome], jobs: int
) -> Iterator[tuple[Piece, Outcome]]:
    """Every piece with its outcome, in order. If a worker died, any piece under way may be why."""
    pool = Pool(jobs)

    def settle(piece: Piece, task: workers.Task[Outcome]) -> tuple[Piece, Outcome]:
        try:
            return piece, task.result()
        except Exception:  # noqa: BLE001 - a dead worker, or an answer that cannot be sent: found out there
            return piece, salvage(piece)

    try:
        yield from in_order(pieces, lambda piece: pool.send(do, piece), settle, lambda: _UNDER_WAY * jobs)
    except BaseException:  # also when nobody wants the rest: workers must not go on for nothing
        pool.close()
        raise


class Pool:
    """The workers of this process, warm for its next run, too; made anew after a death."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._folder = _current_folder()
        self._current: Any = None

    def send(self, function: Callable[..., Result], *arguments: object) -> workers.Task[Result]:
        from concurrent.futures import BrokenExecutor

        try:
            return workers.send(self._executor(), function, *arguments)
        except BrokenExecutor:  # it broke after it was handed out
            self.close()
            return workers.send(self._executor(), function, *arguments)

    def _executor(self) -> Any:
        # Workers stay in the folder they were started in. With another one here, others take their place.
        how = (os.getpid(), self._folder)
        with workers.interrupts_wait():
            from joblib.externals.loky import get_reusable_executor

            self._current = get_reusable_executor(
                self.jobs, timeout=workers.IDLE, initializer=workers.begin, initargs=how
            )
        return self._current

    def close(self) -> None:
        """End the workers now, whatever they are doing."""
        if self._current is not None:
            workers.end(self._current)


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
            workers.end(self._current)
            self._current = None

    def attempt(self, chunk: Chunk, function: Question[Result], notes: str) -> list[Answer[Result]]:
        """The answers of a chunk; see ``deaths``."""
        return self.run(answers_with_notes, chunk, function, notes)

    def run(self, function: Callable[..., Result], *arguments: object) -> Result:
        """A function's result; WorkerDiedError if its process does not survive it."""
        from joblib.externals.loky import ProcessPoolExecutor

        if self._current is None:
            how = (os.getpid(),)
            self._current = ProcessPoolExecutor(1, timeout=workers.IDLE, initializer=workers.begin, initargs=how)
        try:
            return workers.send(self._current, function, *arguments).result()
        except Exception as error:
            self.close()
            raise WorkerDiedError from error
