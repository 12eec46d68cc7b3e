"""What a task says while it works, on standard error: complaints, warnings and a progress bar."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from temporacle.commands.common import complain
from temporacle.commands.progress import Bar
from temporacle.tasks.observer import Observer
from temporacle.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Remark


class Watcher(Observer):
    """Prints to standard error what a person should know."""

    def __init__(self, *paths: str) -> None:
        self._paths = paths
        self._bar: Bar | None = None

    @contextmanager
    def over(self, *paths: str) -> Iterator[None]:
        """Show a progress bar over the files of a task, these beside the ones given at first."""
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

    def corpus_remark(self, remark: Remark) -> None:
        complain(f"note: {remark.message}")

    def unusable(self, path: str | None, remark: Remark) -> None:
        complain(str(Trouble(path, remark)))

    def warning(self, message: str) -> None:
        complain(f"warning: {message}")

    def advanced(self, documents: int, size: int) -> None:
        if self._bar is not None:
            self._bar.advance(documents, size)
