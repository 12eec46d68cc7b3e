"""Signals that must wait or be handled: what they interrupt here would not end tidily."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


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


@contextmanager
def handled(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Let a function handle SIGINT and SIGTERM, the signals that end a server."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
