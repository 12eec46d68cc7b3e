"""Events of a task while it works. A task gets one observer and calls its methods; it prints nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporacle.model import Remark


class Observer:
    """Gets the events of a task and ignores them. Override the methods for events that you need."""

    wants_progress = False  # whether ``advanced`` is listened to

    def corpus_remark(self, remark: Remark) -> None:
        """Take a remark about a corpus as a whole, such as how many files were skipped."""

    def unusable(self, path: str | None, remark: Remark) -> None:
        """Take a remark about a document or a link that could not be used."""

    def warning(self, remark: Remark) -> None:
        """Take a warning that a person should look at."""

    def advanced(self, documents: int, size: int) -> None:
        """Take the number of further documents that are done, and their bytes."""


SILENT = Observer()
