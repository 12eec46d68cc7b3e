"""The third version of a document that two annotators have annotated, as an open document."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.workbench.changes import Changes
from temporacle.workbench.opened import OpenDocument

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.tasks.adjudication import Adjudication, Side
    from temporacle.tasks.session import Session
    from temporacle.workbench.journal import Log, Record


class ThirdVersion(OpenDocument):
    """The agreed links of two annotators, and those that were taken of one of them."""

    def __init__(self, work: Adjudication, target: str, digest: str, log: Log | None, budget: float) -> None:
        self.work = work
        self.target = target  # the file for the result
        super().__init__(work.base, digest, log, budget)

    def _begin(self, document: Document, _session: Session | None = None) -> None:
        super()._begin(document, self.work.session)

    def view(self) -> dict[str, Any]:
        return {**super().view(), "path": self.target, "saves": "in-place", "why_export": None}

    def know(self) -> None:
        """Find out what the list of documents says about it."""
        self._know(self.session.state().to_dict())

    def _know(self, answer: dict[str, Any]) -> None:
        super()._know(answer)
        taken = sum(side is not None for side in self.work.all_taken())
        entities = len(self.session.document.entity_ids)
        self.state |= {"differences": len(self.work.differences), "taken": taken, "entities": entities}

    # --- differences ------------------------------------------------------------------------------------------------

    def differences(self) -> dict[str, Any]:
        return self.work.to_dict()

    def take(self, number: int, side: Side | None) -> dict[str, Any]:
        """Take a side of a difference, or neither; None opens it again. Links that change are one step of undo."""
        change = self.work.change(number, side)
        mark: Record = {"number": number, "side": side}
        if change.add or change.remove:
            answer = self.edit(Changes(change.add, change.remove), mark=mark)
        else:
            if self._log is None:
                raise UsageError("this workbench is read-only")
            self._log.write(*self._opening(), {"do": "mark", "mark": mark})
            self.revision += 1
            self._marks += 1
            self._count()
            answer = self._answer([])
        self.work.mark(number, side)
        self._know(answer)
        return {**answer, **self.counts(), "difference": self.work.row(number)}

    # --- saving -----------------------------------------------------------------------------------------------------

    def comments_for_target(self) -> dict[str, str]:
        """Return the comments that the result does not have yet."""
        if not os.path.exists(self.target):  # noqa: PTH110
            return dict(self.session.comments)
        return {name: text for name, text in self.session.comments.items() if self._saved_comments.get(name) != text}

    def note_saved(self, digest: str) -> None:
        """Note that the result holds the present links. The digest is that of the result, not of the two sides."""
        self.recovered = 0
        self._note_saved()
        if self._log is not None:
            self._log.write(*self._opening(), {"do": "save", "sha256": digest})

    def _note_saved(self) -> None:
        self._marks = 0  # decisions since the last save that change no link
        super()._note_saved()

    def _count(self) -> None:
        super()._count()
        self.unsaved += self._marks

    # --- the journal ------------------------------------------------------------------------------------------------

    def _recover(self, document: Document, digest: str, log: Log) -> None:
        if log.records[0]["sha256"] != digest:
            raise InputError(
                "one of the two sides was changed since differences were decided",
                path=self.work.first.path,
                cure="discard the decisions for this document and begin again",
            )
        super()._recover(document, digest, log)

    def _repeat(self, record: Record) -> None:
        if record["do"] == "save":
            self._note_saved()
        elif record["do"] == "mark":
            self._marks += 1
        else:
            super()._repeat(record)
        if "mark" in record:
            self.work.mark(record["mark"]["number"], record["mark"]["side"])

    def _is_spent(self, _digest: str) -> bool:
        return False  # decisions are worth keeping


def side_from(body: dict[str, Any]) -> tuple[int, Any]:
    """Return the number of a difference and the side to take. Raise UsageError if a body has something else."""
    number = body.get("number")
    if set(body) - {"number", "side", "revision"} or not isinstance(number, int) or isinstance(number, bool):
        raise UsageError('the body must be {"number": 0, "side": "first"}, or "second", "neither", null')
    return number, body.get("side")
