"""Finding and ending whatever foreign code has started, also what has left its process group or its session.

A worker adopts the orphans among its descendants, so that all of them stay in the tree below it. This is possible on
Linux only; elsewhere a process that leaves its group is lost sight of, and nothing waits for it. Standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

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
