"""Read the labels of claims as in the documents that they are about, without losing unknown labels."""

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
    """Return the reason why a link with this label could not be read."""
    try:
        Reading(reading.name, reading.labels, reading.atoms).relation(label)
    except LabelError as error:
        return str(error)
    return f"the relation cannot be read, although the label {label!r} can"  # a link may state both


@dataclass(frozen=True, slots=True)
class ClaimOptions(Options):
    """Options under which unreadable labels are noticed instead of dropped."""

    def reading_for(self, default: str) -> Reading:
        return _lenient(Options.reading_for(self, default))

    def links_reading(self) -> Reading:
        return _lenient(Options.links_reading(self))


def _lenient(reading: Reading) -> Reading:
    return _LenientReading(
        reading.name, reading.labels, reading.atoms, reading.unanswered, reading.foreign, reading.during, reading.origin
    )


def claim_options(options: Options, documents: Iterable[Document]) -> ClaimOptions:
    """Return the options for reading claims about documents that were read with these options.

    Where the format of the claims has no reading of its own, labels mean what they mean in the documents.
    """
    readings = {document.reading for document in documents}
    known = {each.name: getattr(options, each.name) for each in fields(options)}
    return ClaimOptions(**{**known, "labels_like": readings.pop() if len(readings) == 1 else None})
