"""The process in which a foreign function runs: ``python -m temporacle.audit.subjects.worker TARGET [EXCEPTION...]``.

It imports the function once. Each request is answered by a fork of that state, so no question can spoil the next one,
whatever the function does: raise, hang, exit or crash the interpreter. Requests and replies are JSON lines:

    -> {"graphs": [[["a", "b|m", "b"], ...], ...], "seconds": 10}
    <- {"answers": [{"closure": [["a", "b", "b"], ...]} | {"inconsistent": true} | {"declined": "..."}
                    | {"failed": "exception" | "died" | "timeout" | "malformed answer", "reason": "..."}, ...]}

The first line it sends is ``{"ready": true}`` or ``{"error": "..."}``. Only the standard library is used here. Where
the system cannot fork, the process answers one request and ends; the parent starts another.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import selectors
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CAN_FORK = hasattr(os, "fork")
_LONGEST_REASON = 300


def load(target: str) -> Callable[..., Any]:
    """The function that ``module:function`` or ``path/to/file.py:function`` names."""
    place, _, name = target.rpartition(":")
    if place.endswith(".py"):
        path = Path(place).resolve()
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{place} cannot be loaded")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, str(Path.cwd()))
        module = importlib.import_module(place)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is not a function")
    return found  # type: ignore[no-any-return]


def answer(function: Callable[..., Any], graph: list[list[str]], inconsistent: Sequence[str]) -> dict[str, Any]:
    """Call the function and describe what it did."""
    try:
        closure = function([tuple(link) for link in graph])
        if closure is None:
            return {"inconsistent": True}
        return _described(closure)
    except BaseException as error:  # noqa: BLE001 - whatever foreign code raises is its answer
        if any(name in inconsistent for name in _names(type(error))):
            return {"inconsistent": True}
        if isinstance(error, NotImplementedError):
            return {"declined": _one_line(error)}
        return {"failed": "exception", "reason": _one_line(error)}


def _described(closure: Any) -> dict[str, Any]:
    if isinstance(closure, (str, bytes)) or not hasattr(type(closure), "__iter__"):
        return _malformed(f"the closure is a {type(closure).__name__}, not a list of triples")
    claims = []
    for claim in closure:
        parts = list(claim) if isinstance(claim, (tuple, list)) else None
        if parts is None or len(parts) != 3:
            return _malformed(f"{claim!r} is not a triple (source, relation, target)")
        claims.append([str(part) for part in parts])
    return {"closure": claims}


def _malformed(reason: str) -> dict[str, Any]:
    return {"failed": "malformed answer", "reason": reason[:_LONGEST_REASON]}


def _names(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        yield base.__name__
        yield f"{base.__module__}.{base.__qualname__}"


def _one_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}"[:_LONGEST_REASON] if lines else type(error).__name__


# --- one request in a fork -------------------------------------------------------------------------------------------


def in_fork(function: Callable[..., Any], request: dict[str, Any], inconsistent: Sequence[str]) -> list[dict[str, Any]]:
    """Answer the graphs one after the other in a child. What it does not answer in time, or at all, is a failure."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(reading)
            os.setpgid(0, 0)
            with os.fdopen(writing, "w", encoding="utf-8") as replies:
                for graph in request["graphs"]:
                    replies.write(json.dumps(answer(function, graph, inconsistent)) + "\n")
                    replies.flush()
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    try:
        answers, timed_out = _collect(reading, len(request["graphs"]), request["seconds"])
    finally:
        os.close(reading)
        if not _has_ended(child):
            _kill(child)
    status = _reaped.pop(child) if child in _reaped else os.waitpid(child, 0)[1]
    missing = len(request["graphs"]) - len(answers)
    if missing:
        failure = (
            {"failed": "timeout", "reason": f"no answer within {request['seconds']:g} s"}
            if timed_out
            else {"failed": "died", "reason": _end(status)}
        )
        answers += [failure] * missing
    return answers


_reaped: dict[int, int] = {}


def _has_ended(child: int) -> bool:
    """Whether a child that has said everything ends by itself; it gets a moment for that."""
    for _ in range(200):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _reaped[child] = status
            return True
        time.sleep(0.0005)
    return False


def _collect(pipe: int, expected: int, seconds: float) -> tuple[list[dict[str, Any]], bool]:
    """Complete lines from the pipe, each within the time limit; and whether the limit was reached."""
    data = b""
    deadline = time.monotonic() + seconds
    answers: list[dict[str, Any]] = []
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(answers) < expected:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return answers, True
            chunk = os.read(pipe, 1 << 16)
            if not chunk:
                return answers, False
            data += chunk
            *lines, data = data.split(b"\n")
            answers += [json.loads(line) for line in lines]
            if lines:
                deadline = time.monotonic() + seconds
    return answers, False


def _kill(child: int) -> None:
    """The child and whatever it started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(child, signal.SIGKILL)


def _end(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return f"left with exit code {os.waitstatus_to_exitcode(status)} without an answer"


def main() -> None:
    """Serve until standard input closes."""
    target, *inconsistent = sys.argv[1:]
    requests, replies = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The function must not write into the conversation, nor wait for a keyboard.
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    try:
        function = load(target)
    except BaseException as error:  # noqa: BLE001 - importing foreign code can do anything
        reply({"error": _one_line(error)})
        return
    reply({"ready": True})
    for line in requests:
        request = json.loads(line)
        if CAN_FORK:
            reply({"answers": in_fork(function, request, inconsistent)})
        else:
            reply({"answers": [answer(function, graph, inconsistent) for graph in request["graphs"]]})
            return


if __name__ == "__main__":
    main()
