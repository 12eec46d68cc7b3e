"""Foreign code as the subject of an audit, asked through a worker process that is not trusted to answer.

A named function is imported by the worker; a function given as an object is asked in forks of this process. The worker
has a session of its own. Nothing here waits for it longer than the limit, and when it is stopped, everything that it
or the foreign code has started is killed.
"""

from __future__ import annotations

import gc
import json
import os
import re
import selectors
import shlex
import subprocess
import sys
import tempfile
import warnings
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Self

from temporacle.audit.answers import (
    Closed,
    ClosureAnswer,
    Declined,
    Failed,
    Failure,
    Graph,
    SaidInconsistent,
    entities_of,
    plain,
    with_names,
)
from temporacle.audit.pasted_tests import Implementation
from temporacle.audit.subjects import worker
from temporacle.audit.subjects.peers import PEERS
from temporacle.audit.subjects.worker import end_descendants, kill
from temporacle.errors import InternalError, LabelError, UsageError
from temporacle.plugins import Group, names_of
from temporacle.readings import load_reading
from temporacle.relation import ATOMS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_IMPORT_SECONDS = 120.0
_GRACE_SECONDS = 5.0  # beyond the limit that the worker keeps itself
_END_SECONDS = 5.0  # for the system to end a process that was killed
_INPUT = "{input}"


class _ForeignSubject:
    """Shared by functions and commands. Use it as a context manager: the worker ends with it."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name = name
        self._seconds = seconds
        self._worker: _Worker | None = None

    def __enter__(self) -> Self:
        self._running()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the worker and everything below it."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    def _start(self) -> _Worker:
        raise NotImplementedError

    def _running(self) -> _Worker:
        if self._worker is None:
            self._worker = self._start()
            try:
                reply = self._worker.exchange(None, _IMPORT_SECONDS)
            except (TimeoutError, EOFError):
                self.stop()
                raise UsageError(f"{self.name}: importing it hangs or ends the process") from None
            if "error" in reply:
                self.stop()
                raise UsageError(f"cannot import {self.name}: {reply['error']}")
        return self._worker

    def _replies(self, request: dict[str, Any], number: int) -> list[dict[str, Any]]:
        """Return the answers to a number of questions, whatever happens to the worker."""
        request["seconds"] = self._seconds
        try:
            reply = self._running().exchange(request, self._seconds * number + _GRACE_SECONDS)
        except TimeoutError:
            self.stop()
            return [{"failed": Failure.TIMEOUT.value, "reason": f"no answer within {self._seconds:g} s"}] * number
        except (EOFError, OSError, ValueError):
            self.stop()
            return [{"failed": Failure.DIED.value, "reason": "its process ended without an answer"}] * number
        if "error" in reply:
            raise UsageError(reply["error"])
        answers: list[dict[str, Any]] = reply["answers"]
        return answers


class PythonSubject(_ForeignSubject):
    """A function, ``module:function``, ``path/to/file.py:function``, or the name of a peer with an adapter."""

    def __init__(
        self, target: str | Callable[..., Any], *, seconds: float = 10.0, inconsistent: Sequence[str] = ()
    ) -> None:
        super().__init__(target if isinstance(target, str) else _name_of(target), seconds)
        self._target = PEERS.get(target, target) if isinstance(target, str) else target
        if isinstance(self._target, str) and ":" not in self._target:
            known = ", ".join(names_of(Group.ENGINES, PEERS))
            raise UsageError(f"{target!r} is not module:function, path/to/file.py:function or one of {known}")
        self._inconsistent = tuple(inconsistent)
        self._labels: set[str] = set()  # that its answers had so far

    @property
    def implementation(self) -> Implementation:
        """Return the code by which a test to paste reaches the function."""
        return Implementation.named(self._target, self._inconsistent)._replace(labels=frozenset(self._labels))

    def ask(self, *graphs: Graph) -> tuple[ClosureAnswer, ...]:
        """Return implement AuditSubject."""
        replies = self._replies({"graphs": [plain(graph) for graph in graphs]}, len(graphs))
        answers = tuple(map(_answer, replies))
        self._labels.update(*(answer.labels for answer in answers if isinstance(answer, Closed)))
        return answers

    def _start(self) -> _Worker:
        if not hasattr(os, "fork"):
            raise UsageError("audits of a function need a system that copies processes, such as Linux or macOS")
        if isinstance(self._target, str):
            return _Worker.started(self._target, *self._inconsistent)
        return _Worker.forked(self._target, self._inconsistent)


class CommandSubject(_ForeignSubject):
    """A command line without a shell; ``{input}`` in it is replaced by the name of a file that holds the links, too.

    Every question starts the program anew: links TSV on standard input, closure TSV on standard output.
    """

    starts_anew = True  # there is no process that could keep anything

    def __init__(self, command: str, *, seconds: float = 10.0) -> None:
        super().__init__(command, seconds)
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"cannot read the command {command!r}: {error}") from None
        if not self._arguments:
            raise UsageError("the command is empty")

    def ask(self, *graphs: Graph) -> tuple[ClosureAnswer, ...]:
        """Return implement AuditSubject.

        Names that the format cannot hold are replaced in the question and restored in the answer.
        """
        names = [substitutes(graph) for graph in graphs]
        texts = [links_tsv(with_names(graph, sent)) for graph, sent in zip(graphs, names, strict=True)]
        with ExitStack() as folders:
            runs = [{"arguments": self._arguments_for(text, folders), "text": text} for text in texts]
            answers = map(_answer, self._replies({"runs": runs}, len(runs)))
            return tuple(_in_own_names(answer, sent) for answer, sent in zip(answers, names, strict=True))

    def _arguments_for(self, text: str, folders: ExitStack) -> list[str]:
        if not any(_INPUT in argument for argument in self._arguments):
            return self._arguments
        path = Path(folders.enter_context(tempfile.TemporaryDirectory(prefix="temporacle-")), "links.tsv")
        path.write_text(text, encoding="utf-8")
        return [argument.replace(_INPUT, str(path)) for argument in self._arguments]

    def _start(self) -> _Worker:
        return _Worker.started()


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{getattr(function, '__module__', None) or 'function'}:{name}"


def _in_own_names(answer: ClosureAnswer, sent: dict[str, str]) -> ClosureAnswer:
    own = {new: name for name, new in sent.items()}
    return replace(answer, claims=with_names(answer.claims, own)) if isinstance(answer, Closed) else answer


def _answer(reply: dict[str, Any]) -> ClosureAnswer:
    if "closure" in reply:
        return closure_of([tuple(claim) for claim in reply["closure"]])
    if "text" in reply:
        return read_closure(reply["text"])
    if "inconsistent" in reply:
        return SaidInconsistent()
    if "declined" in reply:
        return Declined(reply["declined"])
    if "failed" in reply:
        return Failed(Failure(reply["failed"]), reply["reason"])
    raise InternalError(f"the worker answered {reply!r}")


# --- the worker, seen from here --------------------------------------------------------------------------------------


class _Worker:
    """A process that answers JSON lines with JSON lines; it is given up when it takes too long."""

    def __init__(self, pid: int, requests: int, replies: int) -> None:
        self._pid, self._requests, self._replies = pid, requests, replies
        self._data = b""
        os.set_blocking(requests, False)

    @classmethod
    def started(cls, *arguments: str) -> _Worker:
        """Return a new interpreter, which imports what it needs."""
        # A fixed hash seed: an implementation that iterates over sets of names must do so the same way each time.
        library = str(Path(__file__).resolve().parents[3])  # found however we were started
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (library, os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, "-m", worker.__name__, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        assert process.stdin is not None  # noqa: S101 - narrows the type only
        assert process.stdout is not None  # noqa: S101 - narrows the type only
        started = cls(process.pid, os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno()))
        process.stdin.close()
        process.stdout.close()
        process.returncode = 0  # it is waited for here
        return started

    @classmethod
    def forked(cls, function: Callable[..., Any], inconsistent: Sequence[str]) -> _Worker:
        """Return a fork of this process, which already has the function."""
        asked, requests = os.pipe()
        replies, said = os.pipe()
        with warnings.catch_warnings():  # other threads of ours hold no lock that foreign code could need
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                os.close(requests)
                os.close(replies)
                gc.freeze()  # what belongs to the parent is not tidied up here
                worker.be_alone()
                sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
                worker.serve(function, inconsistent, asked, said)
            finally:
                os._exit(0)
        os.close(asked)
        os.close(said)
        return cls(pid, requests, replies)

    def exchange(self, request: dict[str, Any] | None, seconds: float) -> dict[str, Any]:
        """Return the reply to a request. Raise TimeoutError, or EOFError if the process has ended."""
        data = b"" if request is None else (json.dumps(request) + "\n").encode()
        deadline = monotonic() + seconds
        parts = [self._data]
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            if data:
                selector.register(self._requests, selectors.EVENT_WRITE)
            while b"\n" not in parts[-1]:
                events = selector.select(max(deadline - monotonic(), 0))
                if not events:
                    raise TimeoutError
                for key, _ in events:
                    if key.fd == self._requests:
                        data = data[os.write(self._requests, data[: 1 << 16]) :]
                        if not data:
                            selector.unregister(self._requests)
                        continue
                    parts.append(os.read(self._replies, 1 << 16))
                    if not parts[-1]:
                        raise EOFError
        line, _, self._data = b"".join(parts).partition(b"\n")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def stop(self) -> None:
        """Kill it and everything below it. Nothing is waited for but the end of a killed process."""
        end_descendants(self._pid)
        kill(self._pid)
        for descriptor in (self._requests, self._replies):
            with suppress(OSError):
                os.close(descriptor)
        deadline = monotonic() + _END_SECONDS
        with suppress(ChildProcessError):
            while not os.waitpid(self._pid, os.WNOHANG)[0] and monotonic() < deadline:
                sleep(0.001)


# ----------------------------------------------------------------------------------------------------
# The exchange format: links go out as TSV, a closure comes back as TSV, or the single line ``inconsistent``.
#
#     a	b	b          source TAB relation TAB target; a relation is one or more atoms (or labels) joined by |
#     b	b|m	c
#
# Blank lines, lines that start with # and a header ``source relation target`` are skipped in answers.

INCONSISTENT = "inconsistent"
_UNFIT = re.compile("^#|[\t\n\r\ud800-\udfff]")  # taken for a comment, a column or a line; or an empty text
_HEADER = ["source", "relation", "target"]


def links_tsv(graph: Graph) -> str:
    r"""Return the links as text, one in each line.

    >>> from temporacle.relation import Relation
    >>> links_tsv((("a", Relation.of("b", "m"), "c"),))
    'a\tb|m\tc\n'
    """
    return "".join(f"{source}\t{relation}\t{target}\n" for source, relation, target in graph)


def substitutes(graph: Graph) -> dict[str, str]:
    r"""Return replacement names for entities whose names the format cannot hold; usually there are none.

    >>> from temporacle.relation import EQUAL
    >>> substitutes((("a\tb", EQUAL, "#c"), ("name1", EQUAL, "d")))
    {'a\tb': 'name2', '#c': 'name3'}
    """
    names = entities_of(graph)
    free = (f"name{number}" for number in count(1) if f"name{number}" not in names)
    return dict(zip(filter(_UNFIT.search, names), free, strict=False))


def read_closure(text: str) -> ClosureAnswer:
    r"""Return the answer in a text of the exchange format.

    >>> read_closure("inconsistent\n")
    SaidInconsistent()
    >>> read_closure("a\tb\n").reason
    'line 1 has 2 columns instead of 3 (source, relation, target)'
    """
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    rows = [(number, line.rstrip("\r")) for number, line in lines if _says_something(line)]
    if len(rows) == 1 and rows[0][1].strip().lower() == INCONSISTENT:
        return SaidInconsistent()
    claims = []
    for number, line in rows:
        fields = line.split("\t")
        if len(fields) != 3:
            reason = f"line {number} has {len(fields)} columns instead of 3 (source, relation, target)"
            return Failed(Failure.MALFORMED, reason)
        claims.append((fields[0], fields[1], fields[2]))
    return closure_of(claims)


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#") and line.lower().split() != _HEADER


def closure_of(claims: list[tuple[str, str, str]]) -> ClosureAnswer:
    """Return claims with their relations parsed, or a malformed answer if one cannot be parsed.

    >>> closure_of([("a", "b|m", "b")]).claims
    (('a', Relation('b|m'), 'b'),)
    """
    reading = load_reading("links").with_atoms()
    names = {name for _, label, _ in claims for name in label.split("|")}
    try:
        read = tuple((source, reading.relation(label), target) for source, label, target in claims)
        return Closed(read, labels=frozenset(names.difference(ATOMS)))
    except LabelError as error:
        return Failed(Failure.MALFORMED, f"{error.reason} in the closure")
