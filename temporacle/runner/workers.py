"""Worker processes of this machine: joblib's executor, started, asked and ended so that nothing waits for ever.

The executor has two habits that this module makes up for. A thread of it reads answers from a pipe, and another one
writes tasks into a pipe; both would wait for a worker that died in the middle of a message, for this process holds the
other ends of the pipes, too. And processes that have just been started show a traceback if Ctrl-C reaches them.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from temporacle.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

Result = TypeVar("Result")

IDLE = 60  # seconds until a worker without work ends
_ORPHAN_LOOKS = 1.0  # seconds
_DEATH_LOOKS = 1.0  # seconds
_PATIENCE = 1.0  # seconds for a thread to notice that the workers are gone


class Task(NamedTuple, Generic[Result]):
    """What was sent to workers."""

    executor: Any
    future: Future[Result]

    def result(self) -> Result:
        """Its result; an exception if it raised one, if a worker died, or if the result cannot be sent."""
        from concurrent.futures import wait

        while not wait([self.future], _DEATH_LOOKS).done:
            if _has_lost_a_worker(self.executor):  # between two bytes of an answer, or it would have been told
                end(self.executor)
        if self.future.exception() is not None and self.executor._flags.broken is not None:  # noqa: SLF001
            end(self.executor)
        return self.future.result()


def send(executor: Any, function: Callable[..., Result], *arguments: object) -> Task[Result]:
    """Ask workers for ``function(*arguments)``; they are started when they are first needed."""
    with interrupts_wait():
        return Task(executor, executor.submit(function, *arguments))


def end(executor: Any) -> None:
    """Kill the workers, whatever they are doing; what is under way fails. (The executor's own way can raise.)"""
    for worker in tuple(executor._processes):  # noqa: SLF001
        with suppress(ProcessLookupError):
            os.kill(worker, getattr(signal, "SIGKILL", signal.SIGTERM))
    manager, calls, results = executor._executor_manager_thread, executor._call_queue, executor._result_queue  # noqa: SLF001
    executor.shutdown(wait=False)
    if manager is None:
        return
    manager.join(_PATIENCE)
    # Nobody is left at the other ends: with ours closed as well, nobody waits for the rest of a message.
    _close(calls._reader)  # noqa: SLF001
    if manager.is_alive():  # else it has closed its own
        _close(results._writer)  # noqa: SLF001
        manager.join()


def _close(connection: Any) -> None:
    """Close a connection that another thread may close as soon as it notices: it must find it closed already."""
    handle, connection._handle = connection._handle, None  # noqa: SLF001
    if handle is not None:
        os.close(handle)


def begin(parent: int, *_told_apart_by: object) -> None:
    """First thing in a worker: an interrupt is the parent's to handle, and without a parent there is nothing to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def leave_when_orphaned() -> None:
        while os.getppid() == parent:
            time.sleep(_ORPHAN_LOOKS)
        os._exit(1)

    threading.Thread(target=leave_when_orphaned, daemon=True).start()


def _has_lost_a_worker(executor: Any) -> bool:
    """Whether one is dead that the executor takes for alive: one that ends by itself is taken leave of first."""
    from multiprocessing.connection import wait

    return bool(wait([worker.sentinel for worker in tuple(executor._processes.values())], 0))  # noqa: SLF001


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Ctrl-C reaches this process a moment later, and processes that are started here never.

    It goes to all processes of a terminal. Those that have just begun inherit what is held back here, and later ignore
    it by themselves.
    """
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # started later, it would let interrupts through again
    with held_back(signal.SIGINT):
        yield
