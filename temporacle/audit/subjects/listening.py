"""Listening to a process that may never stop, never start or hand its output to another one. Standard library only."""

from __future__ import annotations

import os
import selectors
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

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
