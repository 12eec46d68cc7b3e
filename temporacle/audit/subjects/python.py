"""A Python function as the subject of an audit, in a process of its own."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Self

from temporacle.audit.findings import Answer, Declined, Failed, Failure, Graph, SaidInconsistent
from temporacle.audit.subjects.exchange import closure_of
from temporacle.audit.subjects.peers import PEERS
from temporacle.errors import InternalError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_IMPORT_SECONDS = 120.0
_GRACE_SECONDS = 10.0


class PythonSubject:
    """``module:function``, ``path/to/file.py:function``, or the name of a peer with a built-in adapter.

    Use as a context manager: the process ends with it.
    """

    def __init__(self, target: str, *, seconds: float = 10.0, inconsistent: Sequence[str] = ()) -> None:
        self.name = target
        self._target = PEERS.get(target, target)
        if ":" not in self._target:
            raise UsageError(
                f"{target!r} is not module:function, path/to/file.py:function or one of {', '.join(PEERS)}"
            )
        self._seconds = seconds
        self._inconsistent = tuple(inconsistent)
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, *graphs: Graph) -> tuple[Answer, ...]:
        """See Subject."""
        if self._process is None:
            self._start()
        request = {"graphs": [_plain(graph) for graph in graphs], "seconds": self._seconds}
        try:
            reply = self._exchange(request, self._seconds * len(graphs) + _GRACE_SECONDS)
        except queue.Empty:
            self._stop()
            return (Failed(Failure.TIMEOUT, f"no answer within {self._seconds:g} s"),) * len(graphs)
        except (BrokenPipeError, EOFError):
            self._stop()
            return (Failed(Failure.DIED, "its process ended without an answer"),) * len(graphs)
        from temporacle.audit.subjects.worker import CAN_FORK

        if not CAN_FORK:
            self._stop()
        return tuple(_answer(description) for description in reply["answers"])

    def _exchange(self, request: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        assert self._process is not None  # noqa: S101 - narrows the type only
        assert self._process.stdin is not None  # noqa: S101 - narrows the type only
        if request is not None:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        line = self._replies.get(timeout=seconds)
        if not line:
            raise EOFError
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _start(self) -> None:
        self._replies = queue.SimpleQueue()
        # A fixed hash seed: an implementation that iterates over sets of names must do so the same way each time.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (_library(), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", "temporacle.audit.subjects.worker", self._target, *self._inconsistent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=environment,
        )
        threading.Thread(target=_pump, args=(self._process.stdout, self._replies), daemon=True).start()
        try:
            reply = self._exchange(None, _IMPORT_SECONDS)
        except (queue.Empty, EOFError):
            self._stop()
            raise UsageError(f"{self.name}: importing it hangs or ends the process") from None
        if "error" in reply:
            self._stop()
            raise UsageError(f"cannot import {self.name}: {reply['error']}")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


def _library() -> str:
    """The folder that holds this package, so that the worker finds it however we were started."""
    from pathlib import Path

    return str(Path(__file__).resolve().parents[2])


def _pump(stream: Any, replies: queue.SimpleQueue[str]) -> None:
    """Move lines to where they can be waited for with a time limit; an empty one says that the stream has ended."""
    try:
        for line in stream:
            replies.put(line)
    except ValueError:  # closed by us
        pass
    replies.put("")


def _plain(graph: Graph) -> list[list[str]]:
    return [[source, str(relation), target] for source, relation, target in graph]


def _answer(description: dict[str, Any]) -> Answer:
    if "closure" in description:
        return closure_of([tuple(claim) for claim in description["closure"]])
    if "inconsistent" in description:
        return SaidInconsistent()
    if "declined" in description:
        return Declined(description["declined"])
    if "failed" in description:
        return Failed(Failure(description["failed"]), description["reason"])
    raise InternalError(f"the worker answered {description!r}")
