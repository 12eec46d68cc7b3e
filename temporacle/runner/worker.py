"""A worker process: takes requests on standard input, answers on standard output, until the input ends.

A message is its length in eight bytes and a pickle. Whatever a library prints goes to standard error: the stream of
answers is moved away before anything else is loaded. A worker has a session of its own, so an interrupt at the terminal
never reaches it, and it leaves when its parent is gone.

    (job, items)            -> [results of each item]; None if they cannot be pickled
    (job, item, skip)       -> (False, name) and (True, result) in turn, and None at the end
    not understood          -> an InternalError
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from typing import IO, TYPE_CHECKING, Any

from temporacle.errors import InternalError

if TYPE_CHECKING:
    from temporacle.runner.job import Job

_LENGTH = 8
_ORPHAN_LOOKS = 1.0  # seconds


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


def main() -> None:
    """Work until there are no more requests."""
    requests, answers = _streams_apart()
    if hasattr(signal, "pthread_sigmask"):
        # The thread that started this process never gets signals, and what it holds back is inherited.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))
    threading.Thread(target=_leave_when_orphaned, args=(os.getppid(),), daemon=True).start()
    send(answers, True)  # it is ready
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return
        except Exception as error:  # noqa: BLE001 - whatever pickle raises
            send(answers, InternalError(f"a worker process cannot read its task: {error!r}"))
            continue
        if len(request) == 2:
            _answer(answers, *request)
        else:
            _answer_step_by_step(answers, *request)


def _answer(answers: IO[bytes], job: Job[Any, Any], items: Any) -> None:
    from temporacle.runner.job import all_results

    found = all_results(job, items)
    try:
        send(answers, found)
    except BrokenPipeError:
        raise
    except Exception:  # noqa: BLE001 - whatever pickle raises: the results are asked for one by one
        send(answers, None)


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


def _streams_apart() -> tuple[IO[bytes], IO[bytes]]:
    """Return the streams to the parent, protected from code that reads standard input or prints."""
    nothing = os.open(os.devnull, os.O_RDWR)  # it is number 2 itself, if standard error is closed
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _leave_when_orphaned(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHAN_LOOKS)
    os._exit(1)
