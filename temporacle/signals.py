"""Signals that must wait: what they interrupt here would not end tidily."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def held_back(*signals: signal.Signals) -> Iterator[None]:
    """Hold back signals; they reach this thread afterwards. Processes and threads that are started meanwhile never get
    them.

    Where the system has no such thing, nothing is held back.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
