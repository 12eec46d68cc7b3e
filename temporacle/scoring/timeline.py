"""Timelines of SemEval-2015 task 4, scored by temporal awareness.

A timeline states an order of events and a time anchor for each. It becomes links: every mention is BEFORE the next one
of the list, or SIMULTANEOUS where both have one position. Anchors are not related to each other, and events at position
0 take no part. The reader makes these links, and marks those to anchors. For the reader an event lies within its
anchor; the task takes the two as SIMULTANEOUS, and so does this metric. ``ordering_only`` leaves the anchors out. Then
metric ``awareness`` scores the two graphs; counts of timelines add up.

Repeated mentions are numbered, so that a perfect copy scores 1. The
official program numbers repeats differently; its digits are a separate scorer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from temporacle.relation import Relation
from temporacle.scoring import awareness
from temporacle.scoring.metric import GraphOptions, Judgement, Metric, option

if TYPE_CHECKING:
    from temporacle.model import Document, Link

ANCHOR = "anchor"  # the task of links between an event and its time
_EQUAL = Relation.of("=")


@dataclass(frozen=True, slots=True)
class TimelineOptions(GraphOptions):
    """Options for contradictory links and for time anchors."""

    ordering_only: bool = option(
        default=False,
        about="Score the order of events alone, without time anchors.",
        signed="anchors",
        values=("yes", "no"),
    )


def judge(gold: Document, system: Document, options: TimelineOptions) -> Judgement:
    """Return awareness of one pair of timelines."""
    prepare = without_anchors if options.ordering_only else with_equal_anchors
    gold, system = prepare(gold), prepare(system)
    plain = awareness.AwarenessOptions(
        options.budget, options.details, options.rows, options.contradictions, options.engine
    )
    return awareness.judge(gold, system, plain)


def without_anchors(document: Document) -> Document:
    """Return the order of events alone."""
    return replace(document, links=tuple(link for link in document.links if link.task != ANCHOR))


def with_equal_anchors(document: Document) -> Document:
    """Return the timeline with each event simultaneous with its anchor."""
    return replace(document, links=tuple(map(_equal_anchor, document.links)))


def _equal_anchor(link: Link) -> Link:
    return link if link.task != ANCHOR else link._replace(relation=_EQUAL, label="SIMULTANEOUS")


METRIC = Metric(
    "timeline",
    "timelines of SemEval-2015 task 4, by temporal awareness",
    judge,
    TimelineOptions,
    awareness.AwarenessCounts,
    groups=frozenset({"label", "kind"}),
    format="timeline",
)
