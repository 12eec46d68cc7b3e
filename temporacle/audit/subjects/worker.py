"""The process in which foreign code runs: ``python -m temporacle.audit.subjects.worker [TARGET [EXCEPTION...]]``.

It imports the function once. Each request is answered by a fork of that state, so no question can spoil the next one,
whatever the function does: raise, hang, exit or crash the interpreter. A command is started anew for each question.
Requests and replies are JSON lines:

    -> {"graphs": [[["a", "b|m", "b"], ...], ...], "seconds": 10}
    -> {"runs": [{"arguments": ["./close"], "text": "a TAB b ..."}, ...], "seconds": 10}
    <- {"answers": [{"closure": [["a", "b", "b"], ...]} | {"text": "..."} | {"inconsistent": true} | {"declined": "..."}
                    | {"failed": "exception" | "died" | "timeout" | "malformed answer", "reason": "..."}, ...]}
    <- {"error": "..."}      the command cannot be started

The first line it sends is ``{"ready": true}`` or ``{"error": "..."}``. After each question it kills whatever the
question has started. It waits for foreign code no longer than the limit, and ends when the process that asks is gone.
Only the standard library is used here.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    Reply = dict[str, Any]

_LONGEST_REASON = 300


def load(target: str) -> Callable[..., Any]:
    """Return the function that ``module:function`` or ``path/to/file.py:function`` names."""
    place, _, name = target.rpartition(":")
    if place.endswith(".py"):
        path = Path(place).resolve()
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None  # noqa: S101 - narrows the type only
        assert spec.loader is not None  # noqa: S101 - narrows the type only
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


# --- what a function answers -----------------------------------------------------------------------------------------


def answer(function: Callable[..., Any], graph: list[list[str]], inconsistent: Sequence[str]) -> Reply:
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
        return _failed("exception", _one_line(error))


def _described(closure: Any) -> Reply:
    if isinstance(closure, (str, bytes)) or not hasattr(type(closure), "__iter__"):
        return _failed("malformed answer", f"the closure is a {type(closure).__name__}, not a list of triples")
    claims = []
    for claim in closure:
        parts = list(claim) if isinstance(claim, (tuple, list)) else None
        if parts is None or len(parts) != 3:
            return _failed("malformed answer", f"{claim!r} is not a triple (source, relation, target)")
        claims.append([str(part) for part in parts])
    return {"closure": claims}


def _failed(how: str, reason: str) -> Reply:
    return {"failed": how, "reason": reason[:_LONGEST_REASON]}


def _names(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        yield base.__name__
        yield f"{base.__module__}.{base.__qualname__}"


def _one_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}"[:_LONGEST_REASON] if lines else type(error).__name__


# --- one question ----------------------------------------------------------------------------------------------------


class NotStartedError(Exception):
    """A command cannot be started."""


def in_fork(
    function: Callable[..., Any], request: Reply, inconsistent: Sequence[str], asker: int, private: Sequence[int] = ()
) -> list[Reply]:
    """Answer the graphs one after the other in a child. A missing or late answer is a failure.

    ``private`` are descriptors that foreign code must not hold.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            for descriptor in (reading, *private):
                os.close(descriptor)
            os.setsid()
            with os.fdopen(writing, "w", encoding="utf-8") as replies:
                for graph in request["graphs"]:
                    replies.write(json.dumps(answer(function, graph, inconsistent)) + "\n")
                    replies.flush()
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    expected, seconds = len(request["graphs"]), request["seconds"]
    try:
        heard = Listener(_poll_of(child), asker, seconds, expected).listen(reading)
    finally:
        os.close(reading)
        kill(child)
    if len(heard.output) > MOST_BYTES:
        return [_too_much()] * expected
    *lines, _ = heard.output.split(b"\n")
    answers = [json.loads(line) for line in lines[:expected]]
    missing = _end(heard.code) if heard.in_time else _late(seconds)
    return answers + [missing] * (expected - len(answers))


def _poll_of(child: int) -> Callable[[], int | None]:
    """Return how a child ended; None while it is running."""
    codes: list[int] = []

    def poll() -> int | None:
        if not codes:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                codes.append(os.waitstatus_to_exitcode(status))
        return codes[0] if codes else None

    return poll


def run_command(run: Reply, seconds: float, asker: int) -> Reply:
    """Start a program in a session of its own and read what it says."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            run["arguments"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a null byte
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise NotStartedError(f"cannot start {run['arguments'][0]!r}: {reason}") from None
    assert process.stdin is not None  # noqa: S101 - narrows the type only
    assert process.stdout is not None  # noqa: S101 - narrows the type only
    assert process.stderr is not None  # noqa: S101 - narrows the type only
    inlet = os.dup(process.stdin.fileno())
    process.stdin.close()
    try:
        listener = Listener(process.poll, asker, seconds)
        heard = listener.listen(process.stdout.fileno(), process.stderr.fileno(), inlet, run["text"].encode())
    finally:
        kill(process.pid)
        process.wait()
        with suppress(OSError):  # sent, and closed
            os.close(inlet)
        process.stdout.close()
        process.stderr.close()
    if len(heard.output) > MOST_BYTES:
        return _too_much()
    if not heard.in_time:
        return _late(seconds)
    if heard.code:
        complaints = heard.complaints.decode(errors="replace").strip().splitlines()
        end = f"killed by {_signal(-heard.code)}" if heard.code < 0 else f"exit code {heard.code}"
        return _failed("died" if heard.code < 0 else "exception", ": ".join((end, *complaints[-1:])))
    try:
        return {"text": heard.output.decode()}
    except UnicodeDecodeError:
        return _failed("malformed answer", "the output is not UTF-8")


def _too_much() -> Reply:
    return _failed("malformed answer", f"more than {MOST_BYTES >> 20} MiB of output")


def _late(seconds: float) -> Reply:
    return _failed("timeout", f"no answer within {seconds:g} s")


def _end(code: int | None) -> Reply:
    if code is not None and code < 0:
        return _failed("died", f"killed by {_signal(-code)}")
    return _failed("died", f"left with exit code {code or 0} without an answer")


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# --- serving ---------------------------------------------------------------------------------------------------------


def serve(function: Callable[..., Any] | None, inconsistent: Sequence[str], requests: int, replies: int) -> None:
    """Answer requests until the process that asks is gone; then nothing that was started here is left."""
    spared = descendants(os.getpid())  # what importing the function has started belongs to it
    with suppress(AskerGoneError, BrokenPipeError):
        send(replies, {"ready": True})
        for request in _requests(requests):
            send(replies, _replied(function, request, inconsistent, (requests, replies), spared))
    end_descendants(os.getpid())


def _replied(
    function: Callable[..., Any] | None,
    request: Reply,
    inconsistent: Sequence[str],
    connection: tuple[int, int],
    spared: Collection[int],
) -> Reply:
    answers: list[Reply] = []
    try:
        if function is not None:
            return {"answers": in_fork(function, request, inconsistent, connection[0], connection)}
        for run in request["runs"]:
            answers.append(run_command(run, request["seconds"], connection[0]))
            end_descendants(os.getpid(), spared)
    except NotStartedError as error:
        return {"error": str(error)}
    finally:
        end_descendants(os.getpid(), spared)
        reap()
    return {"answers": answers}


def send(replies: int, message: Reply) -> None:
    """Send one whole line."""
    data = (json.dumps(message) + "\n").encode()
    while data:
        data = data[os.write(replies, data) :]


def _requests(requests: int) -> Iterator[Reply]:
    data = b""
    while chunk := os.read(requests, 1 << 16):
        *lines, data = (data + chunk).split(b"\n")
        yield from map(json.loads, lines)


def be_alone() -> None:
    """Keep foreign code from writing into a conversation, waiting for a keyboard, or using handlers of its parent."""
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    adopt_orphans()


def main() -> None:
    """Serve standard input: a function if one is named, commands otherwise."""
    target = sys.argv[1] if len(sys.argv) > 1 else None
    requests, replies = os.dup(0), os.dup(1)
    be_alone()
    try:
        function = None if target is None else load(target)
    except BaseException as error:  # noqa: BLE001 - importing foreign code can do anything
        send(replies, {"error": _one_line(error)})
        return
    serve(function, sys.argv[2:], requests, replies)


# ----------------------------------------------------------------------------------------------------
# Listening to a process that may never stop, never start or hand its output to another one. Standard library only.

MOST_BYTES = 64 << 20
_LOOK = 0.05  # seconds between two looks at a process that is silent
_LOOK_AT_END = 0.001  # once it has closed its output
_SETTLE = 0.1  # seconds that a process gets to end once it has said everything


class AskerGoneError(Exception):
    """The process that asks has closed the connection."""


class Heard(NamedTuple):
    """The output of a process, and how it ended. ``code`` is None if it did not end."""

    output: bytes
    complaints: bytes
    code: int | None
    in_time: bool


class Listener:
    """Listens to a process; the limit is for each line if ``lines`` are expected, for everything otherwise."""

    def __init__(self, poll: Callable[[], int | None], asker: int, seconds: float, lines: int | None = None) -> None:
        self._poll, self._asker, self._seconds, self._lines = poll, asker, seconds, lines
        self._parts: list[bytes] = []
        self._size = self._complete = 0
        self._complaints = b""

    def listen(self, output: int, complaints: int | None = None, inlet: int | None = None, text: bytes = b"") -> Heard:
        """Send the text and collect what is said, until the process has said everything or the time is over."""
        deadline = time.monotonic() + self._seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._asker, selectors.EVENT_READ)
            selector.register(output, selectors.EVENT_READ)
            if complaints is not None:
                selector.register(complaints, selectors.EVENT_READ)
            if inlet is not None:
                os.set_blocking(inlet, False)
                selector.register(inlet, selectors.EVENT_WRITE)
            while (left := deadline - time.monotonic()) > 0:
                size = self._size
                look = _LOOK if output in selector.get_map() else _LOOK_AT_END
                for key, _ in selector.select(min(left, look)):
                    if key.fd == self._asker:
                        raise AskerGoneError
                    if key.fd == inlet:
                        text = self._send(inlet, text, selector)
                    elif not self._take(key.fd, key.fd == output):
                        selector.unregister(key.fd)
                    elif key.fd == output and self._lines is not None and self._count_lines():
                        deadline = time.monotonic() + self._seconds
                if self._has_enough():
                    return self._heard(self._end_of(), in_time=True)
                if self._size > size:
                    continue
                # Another process may hold the pipe open. A function that has ended says nothing more; a command may
                # have left its output to that process.
                may_say_more = output in selector.get_map() and self._lines is None
                code = self._poll()
                if code is not None and not may_say_more:
                    return self._heard(code, in_time=True)
        return self._heard(self._poll(), in_time=False)

    def _send(self, inlet: int, text: bytes, selector: selectors.BaseSelector) -> bytes:
        try:
            text = text[os.write(inlet, text) :]
        except OSError:  # it does not want to know
            text = b""
        if not text:
            selector.unregister(inlet)
            os.close(inlet)
        return text

    def _take(self, stream: int, is_output: bool) -> bool:  # noqa: FBT001 - which of two
        data = os.read(stream, 1 << 16)
        if is_output:
            self._parts.append(data)
            self._size += len(data)
        else:
            self._complaints = (self._complaints + data)[-4096:]
        return bool(data)

    def _count_lines(self) -> bool:
        """Return whether the last piece completed a line."""
        ended = self._parts[-1].count(b"\n")
        self._complete += ended
        return bool(ended)

    def _has_enough(self) -> bool:
        return self._size > MOST_BYTES or (self._lines is not None and self._complete >= self._lines)

    def _end_of(self) -> int | None:
        """Return the exit code of a process that has finished its output. It gets a moment to end."""
        deadline = time.monotonic() + _SETTLE
        while (code := self._poll()) is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        return code

    def _heard(self, code: int | None, *, in_time: bool) -> Heard:
        return Heard(b"".join(self._parts), self._complaints, code, in_time)


# ----------------------------------------------------------------------------------------------------
# Finding and ending whatever foreign code has started, also what has left its process group or its session.
#
# A worker adopts the orphans among its descendants, so that all of them stay in the tree below it. This is possible on
# Linux only; elsewhere a process that leaves its group is lost sight of, and nothing waits for it. Standard library
# only.

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 200  # of killing: a process may start another one while it is looked at
_PROC = Path("/proc")


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants(pid: int, but: Collection[int] = ()) -> list[int]:
    """Return the living descendants of a process, without those in ``but`` and their descendants."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        for child in _children(waiting.pop()):
            if child not in but and not _is_dead(child):
                found.append(child)
                waiting.append(child)
    return found


def end_descendants(pid: int, but: Collection[int] = ()) -> None:
    """Kill every process below one, until there are none."""
    for _ in range(_ROUNDS):
        living = descendants(pid, but)
        if not living:
            return
        for each in living:
            kill(each)
        time.sleep(0.001)


def reap() -> None:
    """Take leave of all children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def kill(pid: int) -> None:
    """End a process that may be gone already, and its group if it leads one."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    children: list[int] = []
    for task in _PROC.glob(f"{pid}/task/*/children"):
        with suppress(OSError):  # it has ended since
            children += map(int, task.read_text().split())
    return children


def _is_dead(pid: int) -> bool:
    """Return whether a process is a zombie: it has ended, but its entry remains."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()[0] in {"Z", "X"}
    except (OSError, IndexError):
        return True


if __name__ == "__main__":
    main()
