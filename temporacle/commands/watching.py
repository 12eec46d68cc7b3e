"""Show the events of a task on standard error: complaints, warnings and a progress bar."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from temporacle.commands.progress import Bar
from temporacle.commands.remarks import remarks
from temporacle.corpus.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Remark


class Watcher(Observer):
    """Prints to standard error what a person should know."""

    has_heard_trouble = False  # whether something could not be used

    def __init__(self, *paths: str) -> None:
        self._paths = paths
        self._bar: Bar | None = None

    @contextmanager
    def over(self, *paths: str) -> Iterator[None]:
        """Show a progress bar over the files of a task: those given at first, and these."""
        with self._shown(Bar.over(*self._paths, *paths)):
            yield

    @contextmanager
    def counting(self, total: Callable[[], int | None], pieces: str) -> Iterator[None]:
        """Show a progress bar over so many pieces."""
        with self._shown(Bar(total, pieces)):
            yield

    @contextmanager
    def _shown(self, bar: Bar) -> Iterator[None]:
        self._bar = bar
        with bar:
            try:
                yield
            finally:
                self._bar = None

    @property
    def wants_progress(self) -> bool:  # type: ignore[override]
        return self._bar is not None and self._bar.wanted

    def corpus_remark(self, remark: Remark) -> None:
        remarks().show(None, remark)

    def unusable(self, path: str | None, remark: Remark) -> None:
        self.has_heard_trouble = True
        remarks().show(path, remark)

    def warning(self, remark: Remark) -> None:
        remarks().show(None, remark)

    def advanced(self, documents: int, size: int) -> None:
        if self._bar is not None:
            self._bar.advance(documents, size)
