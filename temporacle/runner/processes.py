"""Worker processes: how they are started, and the streams to and from them.

A *copy* of this process (``fork``) starts within a millisecond, with everything loaded. That is safe only if no other
thread runs here: a copy has none of them, so what they hold locked stays locked for ever. Otherwise a new interpreter
is started, which takes a tenth of a second.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Protocol

from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_START = "import sys; sys.path[:] = sys.argv[1:]; from temporacle.runner.worker import main; main()"
_THREADS = "/proc/self/task"  # lists those of libraries, too, which Python does not know of


class Process(Protocol):
    """A process and its streams."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def kill(self) -> None:
        """Kill it. Nothing happens if it has ended."""

    def wait(self) -> int:
        """Wait for its end, and return its exit code."""


def started() -> Process:
    """Return a new interpreter. It sends a message when it is ready."""
    import subprocess

    command = [sys.executable, "-c", _START, *map(str, sys.path)]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)  # noqa: S603 - this program
    except OSError as error:
        raise UsageError(f"cannot start a worker process: {error.strerror or error}; use jobs=1") from error


def can_copy() -> bool:
    """Return whether a copy of this process can do its work."""
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    try:
        for standard in range(3):
            os.fstat(standard)  # a stream to a worker must not take the number of a standard stream
        return len(os.listdir(_THREADS)) == 1  # noqa: PTH208
    except OSError:
        return False


class Copy:
    """A copy of this process, ready to work. ``others`` are copies whose streams it must not keep open."""

    def __init__(self, others: Iterable[Process]) -> None:
        requests, self_writes = os.pipe()
        self_reads, answers = os.pipe()
        parent = os.getpid()
        try:
            self.pid = os.fork()
        except OSError:
            for number in (requests, self_writes, self_reads, answers):
                os.close(number)
            raise
        if not self.pid:
            _live(requests, answers, parent, [self_writes, self_reads], others)
        os.close(requests)
        os.close(answers)
        self.stdin: IO[bytes] | None = os.fdopen(self_writes, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(self_reads, "rb")
        self._code: int | None = None
        self._lock = threading.Lock()

    def kill(self) -> None:
        with self._lock:
            if self._code is None:  # else the number may be another process by now
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        with self._lock:
            if self._code is None:
                try:
                    self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
                except ChildProcessError:  # the program around this one takes leave of all its children itself
                    self._code = -1
            return self._code


def _live(requests: int, answers: int, parent: int, foreign: list[int], others: Iterable[Process]) -> None:
    """Be a worker, and nothing else: nothing of the program that was copied goes on, nor ends tidily."""
    from temporacle.runner import worker

    code = 1
    try:
        os.setsid()
        for number in foreign:
            os.close(number)
        for other in others:
            for stream in (other.stdin, other.stdout):
                with suppress(OSError):
                    if stream is not None:
                        stream.close()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        worker.live_as_copy(requests, answers, parent)
        code = 0
    finally:
        os._exit(code)
