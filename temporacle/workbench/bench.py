"""The state of one workbench: its corpus, the documents that are open, and how it was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.source import STANDARD_INPUT
from temporacle.workbench.confines import Confines
from temporacle.workbench.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Options
    from temporacle.workbench.corpus import Entry

BUDGET = 10.0  # seconds for a question, unless the caller says otherwise


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices of the caller."""

    paths: tuple[str, ...]
    options: Options
    budget: float = BUDGET
    read_only: bool = False


class Workbench:
    """Everything that requests are answered from."""

    def __init__(self, setup: Setup) -> None:
        if STANDARD_INPUT in setup.paths:
            raise UsageError("the workbench cannot work on standard input: give a file or a folder")
        self.setup = setup
        self.confines = Confines(setup.paths)
        self.corpus = Corpus(setup.paths, setup.options, self.confines, setup.budget)
        self.closing = False  # streams end

    def start(self) -> None:
        self.corpus.start()

    def stop(self) -> None:
        self.closing = True
        self.corpus.stop()

    def row(self, entry: Entry) -> dict[str, Any]:
        """Return what the list says about a document, as it is now."""
        return entry.to_dict()

    def listed(self) -> Iterator[dict[str, Any]]:
        """Yield all documents, those that were not decided yet at the end."""
        decided = self.corpus.decided
        for number in range(len(decided)):
            yield self.row(self.corpus[decided[number]])
        yield from map(self.row, self.corpus.pending())
