"""Any executable as the subject of an audit: links TSV on standard input, closure TSV on standard output."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from temporacle.audit.findings import Answer, Closed, Failed, Failure, Graph, with_names
from temporacle.audit.subjects.exchange import links_tsv, read_closure, substitutes
from temporacle.errors import UsageError

INPUT = "{input}"
_MOST_BYTES = 64 << 20
_LONGEST_REASON = 300


class CommandSubject:
    """A command line without a shell; ``{input}`` in it is replaced by the name of a file that holds the links, too.

    Every question starts the program anew, in its own process group, which is killed when the time is over.
    """

    def __init__(self, command: str, *, seconds: float = 10.0) -> None:
        self.name = command
        self._arguments = shlex.split(command)
        if not self._arguments:
            raise UsageError("the command is empty")
        self._seconds = seconds

    def ask(self, *graphs: Graph) -> tuple[Answer, ...]:
        """See Subject."""
        return tuple(self._answer_in_own_names(graph) for graph in graphs)

    def _answer_in_own_names(self, graph: Graph) -> Answer:
        """The answer, if need be translated to and from names that the format can carry."""
        sent = substitutes(graph)
        answer = self._answer(links_tsv(with_names(graph, sent)))
        own = {new: name for name, new in sent.items()}
        return Closed(with_names(answer.claims, own)) if isinstance(answer, Closed) else answer

    def _answer(self, links: str) -> Answer:
        if not any(INPUT in argument for argument in self._arguments):
            return self._run(self._arguments, links)
        with tempfile.TemporaryDirectory(prefix="temporacle-") as folder:
            path = Path(folder, "links.tsv")
            path.write_text(links, encoding="utf-8")
            return self._run([argument.replace(INPUT, str(path)) for argument in self._arguments], links)

    def _run(self, arguments: list[str], links: str) -> Answer:
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"cannot start {arguments[0]!r}: {error.strerror or error}") from error
        conversation = _Conversation(process, links.encode())
        try:
            in_time = conversation.over_within(self._seconds)
        except BaseException:  # nobody waits for the answer any more
            _kill(process)
            process.wait()
            conversation.close()
            raise
        if not in_time or conversation.too_much:
            _kill(process)
        process.wait()
        conversation.close()
        if conversation.too_much:
            return Failed(Failure.MALFORMED, f"more than {_MOST_BYTES >> 20} MiB of output")
        if not in_time:
            return Failed(Failure.TIMEOUT, f"no answer within {self._seconds:g} s")
        if process.returncode:
            return Failed(_how(process.returncode), _reason(process.returncode, conversation.complaints))
        try:
            return read_closure(conversation.output.decode())
        except UnicodeDecodeError:
            return Failed(Failure.MALFORMED, "the output is not UTF-8")


class _Conversation:
    """Writes, and reads both outputs, at the same time; keeps no more than the limit."""

    def __init__(self, process: subprocess.Popen[bytes], links: bytes) -> None:
        self._process = process
        self.output = b""
        self.complaints = b""
        self.too_much = False
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (lambda: self._write(links), self._read_output, self._read_complaints)
        ]
        for thread in self._threads:
            thread.start()

    def over_within(self, seconds: float) -> bool:
        """Whether the output was complete (or too long) and the program ended in time."""
        from time import monotonic

        deadline = monotonic() + seconds
        self._threads[1].join(seconds)
        if self.too_much:
            return True
        try:
            self._process.wait(max(deadline - monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            return False
        self._threads[2].join(1.0)
        return not self._threads[1].is_alive()

    def close(self) -> None:
        """Close what nobody reads any more. A stream that an escaped child holds open is left to its thread."""
        streams = (self._process.stdin, self._process.stdout, self._process.stderr)
        for thread, stream in zip(self._threads, streams, strict=True):
            thread.join(1.0)
            if not thread.is_alive() and stream is not None:
                try:
                    stream.close()
                except OSError:  # unsent links
                    continue

    def _write(self, links: bytes) -> None:
        assert self._process.stdin is not None  # noqa: S101 - narrows the type only
        try:
            self._process.stdin.write(links)
            self._process.stdin.close()
        except OSError:  # it does not want to know
            return

    def _read_output(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - narrows the type only
        chunks, size = [], 0
        while chunk := self._process.stdout.read1(1 << 16):  # type: ignore[attr-defined]
            chunks.append(chunk)
            size += len(chunk)
            if size > _MOST_BYTES:
                self.too_much = True
                return
        self.output = b"".join(chunks)

    def _read_complaints(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - narrows the type only
        while chunk := self._process.stderr.read1(1 << 16):  # type: ignore[attr-defined]
            self.complaints = (self.complaints + chunk)[-4096:]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The program and whatever it started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        return


def _how(code: int) -> Failure:
    return Failure.DIED if code < 0 else Failure.EXCEPTION


def _reason(code: int, complaints: bytes) -> str:
    lines = complaints.decode(errors="replace").strip().splitlines()
    end = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return f"{end}: {lines[-1]}"[:_LONGEST_REASON] if lines else end
