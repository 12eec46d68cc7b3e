"""Faults at every call about files: the process is killed there, the disk is full, fails, or is read-only.

    for fault in faults(work):            every point of ``work``, a function that writes files
        fault.run(work)                   once more, with the fault at this point

Buffered files are counted when they write to the system, not when they are written to.
"""

import builtins
import contextlib
import errno
import io
import os
import sys
import traceback
import warnings
from dataclasses import dataclass

from temporacle.io import files

KILLED = 77
HIT = []  # the name of the call that failed last in this process
KINDS = ("kill", "ENOSPC", "EIO", "EROFS")
_CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "ftruncate", "mkdir", "fchmod", "close")


@dataclass(frozen=True)
class Fault:
    """What happens at one call; ``point`` None: nothing, the calls are only counted."""

    kind: str = "none"
    point: int | None = None

    def run(self, work):
        """Do the work, and return whether the fault was met. After a kill, the process that did it is gone."""
        if self.kind != "kill":
            return self._disturbed(work)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the child runs nothing but this work
            child = os.fork()
        if not child:
            code = 1
            try:
                self._disturbed(work)
                code = 0
            except BaseException:  # noqa: BLE001 - pytest must not see it twice
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        assert code in {0, KILLED}, f"{self}: the work failed by itself ({code})"
        return code == KILLED

    def _disturbed(self, work):
        with _Counting(self) as counting:
            work()
        return self.point is not None and counting.calls > self.point

    def happen(self, file=None, data=b""):
        if self.kind == "kill":
            os._exit(KILLED)
        if self.kind == "ENOSPC" and file is not None:  # a full disk takes the first bytes
            io.FileIO.write(file, bytes(data)[: len(data) // 2])
        number = getattr(errno, self.kind)
        raise OSError(number, os.strerror(number))


def count(work):
    """Return how many calls about files some work makes. It is done in a process of its own."""
    reading, writing = os.pipe()

    def told():
        with _Counting(Fault()) as counting:
            work()
        os.write(writing, str(counting.calls).encode())

    Fault("kill").run(told)
    os.close(writing)
    with os.fdopen(reading) as file:
        return int(file.read())


def faults(work, kinds=KINDS, step=1):
    """Yield the faults at every call of some work, or at every few of them."""
    calls = count(work)
    for kind in kinds:
        for point in range(0, calls, step):
            yield Fault(kind, point)


class _Counting(contextlib.ExitStack):
    """Counts calls, and lets the fault happen at its point."""

    def __init__(self, fault):
        super().__init__()
        self._fault = fault
        self.calls = 0

    def __enter__(self):
        super().__enter__()
        for name in _CALLS:
            self._patch(os, name, self._counted(getattr(os, name)))
        opening = self._opening(io.open)
        self._patch(io, "open", opening)
        self._patch(builtins, "open", opening)
        exchange = files._exchange()
        if exchange is not None:
            self._patch(files, "_exchange", lambda: self._exchanging(exchange))
        return self

    def _exchanging(self, exchange):
        def exchanging(*arguments):
            try:
                self._count("exchange")
            except OSError:
                return -1  # as the C library says it
            return exchange(*arguments)

        return exchanging

    def _patch(self, owner, name, value):
        self.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def _count(self, name, *written):
        self.calls += 1
        if self.calls - 1 == self._fault.point:
            HIT[:] = [name]
            self._fault.happen(*written)

    def _counted(self, call):
        def counted(*arguments, **more):
            self._count(call.__name__)
            return call(*arguments, **more)

        if call in os.supports_dir_fd:
            os.supports_dir_fd.add(counted)
            self.callback(os.supports_dir_fd.discard, counted)
        return counted

    def _opening(self, opened):
        stack = self

        class Raw(io.FileIO):
            def write(self, data):
                stack._count("write", self, data)
                return super().write(data)

        def opening(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
            if not set(mode) & set("wxa+"):
                return opened(file, mode, buffering, encoding, errors, newline, closefd, opener)
            stack._count("open")
            raw = Raw(file, mode.replace("b", "").replace("t", ""), closefd=closefd, opener=opener)
            if buffering == 0:
                return raw
            buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

        return opening
