"""A progress bar on standard error: only on a terminal, and only once the work has taken a second."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PATIENCE = 1.0


class Bar:
    """A bar with the progress, the speed, and the time left. ``total`` is the total amount, None if it is not known; it
    is called only when the bar is shown.
    """

    def __init__(self, total: Callable[[], int | None], pieces: str = "documents") -> None:
        self.wanted = sys.stderr.isatty()
        self._total = total
        self._pieces = pieces
        self._started = monotonic()
        self._number = self._done = 0
        self._bar: Any = None
        self._task: Any = None

    @classmethod
    def over(cls, *paths: str) -> Self:
        """Return a progress bar over documents, measured by the bytes of their files."""
        return cls(lambda: total_size(paths))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, number: int = 1, size: int = 1) -> None:
        """Count pieces as done, with their share of the total."""
        if not self.wanted:
            return
        self._number += number
        self._done += size
        elapsed = monotonic() - self._started
        if elapsed < _PATIENCE:
            return
        if self._bar is None:
            self._show()
        rate = f"{self._number:,} {self._pieces}, {self._number / elapsed:,.0f}/s"
        self._bar.update(self._task, completed=self._done, rate=rate)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        # Answers that are printed on the same terminal go above the bar; those that go elsewhere must get there.
        above = sys.stdout.isatty()
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=above)
        self._task = self._bar.add_task("", total=self._total(), rate="")
        self._bar.start()


def total_size(paths: Sequence[str]) -> int | None:
    """Return the number of bytes under some paths; None if it cannot be known in advance, as for a pipe or gzip."""
    total = 0
    for path in paths:
        files = (os.path.join(top, name) for top, _, names in os.walk(path) for name in names)  # noqa: PTH118
        for file in files if os.path.isdir(path) else (path,):  # noqa: PTH112
            try:
                size = os.path.getsize(file)  # noqa: PTH202
            except OSError:
                size = 0
            if path == "-" or file.endswith(".gz"):
                return None
            total += size
    return total
