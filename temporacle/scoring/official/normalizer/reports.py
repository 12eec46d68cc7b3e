"""Complaints of the official normaliser, and how much of its output each complaint costs."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from temporacle.model import Remark  # noqa: TC001 - part of the public signature


class WhichSide(Enum):
    """The two annotations of a document, in the order in which the official program handles them."""

    GOLD = "gold"
    SYSTEM = "system"


class Stage(Enum):
    """The stage at which the official program notices something. It decides what the program still writes."""

    GATE = "gate"  # names, well-formedness, schema: nothing is written for any document of the run
    ALIGNMENT = "alignment"  # neither side of this document is written, nor any later document
    REWRITING = "rewriting"  # this side is not written, nor anything after it
    NOTE = "note"  # the program goes on, perhaps with a message


class Objection(NamedTuple):
    """One complaint about one side of one document."""

    stage: Stage
    side: WhichSide
    remark: Remark

    def __str__(self) -> str:
        line = f"line {self.remark.line}: " if self.remark.line is not None else ""
        element = f"{self.remark.element}: " if self.remark.element else ""
        return f"{self.side.value}: {line}{element}{self.remark.message}"
