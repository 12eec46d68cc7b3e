"""How the labels of claims are read: as in the documents that they are about, and without losing unknown ones."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from temporacle.errors import LabelError
from temporacle.io.source import Options
from temporacle.readings import Reading
from temporacle.relation import EVERYTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.model import Document

UNREAD = Relation(int(EVERYTHING))
"""Stands for a label that could not be read; known by identity."""


class _LenientReading(Reading):
    """Gives an unknown label a meaning of its own, so that its link is not dropped before the pair is noted."""

    def _parse(self, label: str) -> Relation:
        try:
            return super()._parse(label)
        except LabelError:
            return UNREAD


def why_unread(reading: Reading, label: str) -> str:
    """Why a label has no meaning."""
    try:
        Reading(reading.name, reading.labels, reading.atoms).relation(label)
    except LabelError as error:
        return str(error)
    return f"unknown label {label!r}"


@dataclass(frozen=True, slots=True)
class ClaimOptions(Options):
    """Options under which unreadable labels are noticed, and labels mean what they mean in the documents claimed about.

    ``base`` is the reading of those documents; None if they have several.
    """

    base: Reading | None = None

    def reading_for(self, default: str) -> Reading:
        """The reading chosen by the caller, else that of the documents if the format has none of its own."""
        own = default != "links" or self.base is None
        reading = Options.reading_for(self, default) if own or self.chosen_reading else self.base
        assert reading is not None  # noqa: S101 - narrows the type only
        return _LenientReading(
            reading.name, reading.labels, reading.atoms, reading.unanswered, reading.during, reading.origin
        )


def claim_options(options: Options, documents: Iterable[Document]) -> ClaimOptions:
    """How the claims about some documents are read, if the documents were read with these options."""
    readings = {document.reading for document in documents}
    base = readings.pop() if len(readings) == 1 else None
    return ClaimOptions(**{each.name: getattr(options, each.name) for each in fields(options)}, base=base)
