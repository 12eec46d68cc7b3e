"""Worker processes: how they are started, and the streams to and from them.

A *copy* of this process (``fork``) starts within a millisecond, with everything loaded. That is safe only if no other
thread runs here: a copy has none of them, so what they hold locked stays locked for ever. Otherwise a new interpreter
is started, which takes a tenth of a second.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import time
from contextlib import suppress
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Protocol

from temporacle.errors import InternalError, UsageError, current_spelling, spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.runner.job import Job

_START = "import sys; sys.path[:] = sys.argv[2:]; from temporacle.runner.processes import main; main(sys.argv[1])"
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

    spell = current_spelling()
    command = [sys.executable, "-c", _START, f"{spell.__module__}:{spell.__qualname__}", *map(str, sys.path)]
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
        live_as_copy(requests, answers, parent)
        code = 0
    finally:
        os._exit(code)


# ----------------------------------------------------------------------------------------------------
# A worker process: takes requests from one stream, answers on another, until the requests end.
#
# A message is its length in eight bytes and a pickle. Whatever a library prints goes to standard error: the stream of
# answers is moved away from standard output before anything else is loaded. A worker has a session of its own, so an
# interrupt at the terminal never reaches it, and it leaves when its parent is gone.
#
#     (job, items)            -> ([results of each item], seconds, modules that were loaded since the last answer);
#                                None if they cannot be pickled
#     (job, item, skip)       -> (False, name) and (True, result) in turn, and None at the end
#     (call,)                 -> (True, what the call returns) or (False, what it raises)
#     not understood          -> an InternalError

_LENGTH = 8
_OURS = "temporacle."
_ORPHAN_LOOKS = 1.0  # seconds


class UnsendableError(Exception):
    """A request cannot be pickled."""


def send(stream: IO[bytes], message: object) -> None:
    """Write a message; nothing is written if it cannot be pickled."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(_LENGTH, "big"))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read a message. EOFError if the stream ends, also in the middle of it."""
    return pickle.loads(_exactly(stream, int.from_bytes(_exactly(stream, _LENGTH), "big")))  # noqa: S301 - our own


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def main(spell: str) -> None:
    """Work until there are no more requests, in an interpreter that was started for it.

    ``spell`` names the function that spells options in messages.
    """
    from pkgutil import resolve_name

    nothing = os.open(os.devnull, os.O_RDWR)  # first: it is number 2 itself, if standard error is closed
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    parent = os.getppid()
    _leave_standard_streams(nothing)
    try:
        with spelling(resolve_name(spell)):
            send(answers, True)  # it is ready
            _serve(requests, answers, parent)
    except BrokenPipeError:  # the parent has gone, and with it the reader of a traceback
        os._exit(1)


def live_as_copy(requests: int, answers: int, parent: int) -> None:
    """Work until there are no more requests, in a copy of the parent."""
    _leave_standard_streams(os.open(os.devnull, os.O_RDWR))
    # What the parent has not yet printed is left to the parent.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    gc.freeze()  # looking at what the parent has would copy its memory
    _serve(os.fdopen(requests, "rb"), os.fdopen(answers, "wb"), parent)


def _serve(requests: IO[bytes], answers: IO[bytes], parent: int) -> None:
    if hasattr(signal, "pthread_sigmask"):
        # The thread that started this process never gets signals, and what it holds back is inherited.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    threading.Thread(target=_leave_when_orphaned, args=(parent,), daemon=True).start()
    loaded = len(sys.modules)
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001 - whatever pickle raises
            send(answers, InternalError(f"a worker process cannot read its task: {error!r}"))
            continue
        if len(request) == 1:
            _answer_call(answers, request[0])
        elif len(request) == 2:
            loaded = _answer(answers, loaded, *request)
        else:
            _answer_step_by_step(answers, *request)


def _answer(answers: IO[bytes], loaded: int, job: Job[Any, Any], items: Any) -> int:
    """Send the results. Return how many modules are loaded by now; ``loaded`` is the number before."""
    from temporacle.runner.job import all_results

    start = time.perf_counter()
    found = all_results(job, items)
    seconds = time.perf_counter() - start
    new = list(islice(reversed(sys.modules), max(0, len(sys.modules) - loaded)))
    try:
        send(answers, (found, seconds, [name for name in reversed(new) if name.startswith(_OURS)]))
    except BrokenPipeError:
        raise
    except Exception:  # noqa: BLE001 - whatever pickle raises: the results are asked for one by one
        send(answers, None)
    return loaded + len(new)


def _answer_call(answers: IO[bytes], call: Callable[[], Any]) -> None:
    try:
        answer = True, call()
    except Exception as error:  # noqa: BLE001 - whoever asked gets it
        answer = False, error
    try:
        send(answers, answer)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - it cannot be pickled
        send(answers, (False, InternalError(f"a worker process cannot send its answer: {error!r}")))


def limit_memory(size: int) -> None:
    """Let this process have that many bytes of memory. With more, a MemoryError is raised."""
    with suppress(ImportError, ValueError, OSError):  # other systems have no such limit
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))


def _answer_step_by_step(answers: IO[bytes], job: Job[Any, Any], item: Any, skip: int) -> None:
    from temporacle.runner.job import results_from, unexpected

    begun: str | None = None

    def tell(name: str) -> None:
        nonlocal begun
        begun = name
        send(answers, (False, name))

    for result in results_from(job, item, skip, tell):
        try:
            send(answers, (True, result))
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - it cannot be pickled
            send(answers, (True, job.failed(item, begun, unexpected(error))))
    send(answers, None)


def _leave_standard_streams(nothing: int) -> None:
    """Keep code that reads standard input or prints away from the parent: it prints on standard error."""
    os.dup2(nothing, 0)
    os.dup2(2, 1)


def _leave_when_orphaned(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHAN_LOOKS)
    os._exit(1)
