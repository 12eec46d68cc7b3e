"""Timelines of SemEval-2015 task 4, scored by temporal awareness.

A timeline states an order of events and a time anchor for each. It becomes links: every event mention is SIMULTANEOUS
with its anchor; every mention is BEFORE the next one of the list, or SIMULTANEOUS where both have one position. Anchors
are not related to each other, and events at position 0 take no part. The reader makes these links, and marks those to
anchors: ``ordering_only`` leaves them out. Then metric ``awareness`` scores the two graphs; counts of timelines add up.

A mention that a timeline repeats is told apart by its number of occurrence, so that a perfect copy scores 1. The
official program numbers repeats differently; its digits are a separate scorer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.scoring import awareness

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.scoring.options import Judgement, ScoringOptions

ANCHOR = "anchor"  # the task of links between an event and its time


def judge(gold: Document, system: Document, options: ScoringOptions) -> Judgement:
    """Awareness of one pair of timelines."""
    if options.ordering_only:
        gold, system = without_anchors(gold), without_anchors(system)
    return awareness.judge(gold, system, options)


def without_anchors(document: Document) -> Document:
    """The order of events alone."""
    return replace(document, links=tuple(link for link in document.links if link.task != ANCHOR))
