"""TempEval-1 (2007): tasks A, B and C, pairwise and without inference.

    strict     P = Rc / R, R = Rc / K       Rc pairs with the right label, of R answered and K asked
    relaxed    a pair is worth the weight of its two labels in the task's table, instead of 1 or 0

Labels are BEFORE, OVERLAP, AFTER, BEFORE-OR-OVERLAP, OVERLAP-OR-AFTER and VAGUE; a pair may be stated in either
direction. A pair stated twice by one side counts once, with the label stated last. Pairs that a side left open (NONE,
UNKNOWN, NON-RELATED, and labels that a reading lists as unanswered) are not among its answers. Other relations than the
six are right only where both sides agree.

Tasks A (event and time in a sentence), B (event and creation time) and C (events of adjacent sentences) are separate
in the breakdown; the counts of a document are those of all its tasks. The official program divides by common pairs
instead of answered ones; its digits are a separate scorer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from temporacle.readings import canonical, load_reading
from temporacle.reasoner.algebra import converse
from temporacle.results import MatchCounts, PairRow
from temporacle.scoring.metric import Judgement, Metric, MetricOptions, option
from temporacle.scoring.tally import LabelNames

if TYPE_CHECKING:
    from temporacle.model import Document

LABELS = ("BEFORE", "OVERLAP", "AFTER", "BEFORE-OR-OVERLAP", "OVERLAP-OR-AFTER", "VAGUE")
# As printed in the task paper; the table is symmetric.
WEIGHTS = (
    ("1", "0", "0", "0.5", "0", "0.33"),
    ("0", "1", "0", "0.5", "0.5", "0.33"),
    ("0", "0", "1", "0", "0.5", "0.33"),
    ("0.5", "0.5", "0", "1", "0.5", "0.67"),
    ("0", "0.5", "0.5", "0.5", "1", "0.67"),
    ("0.33", "0.33", "0.33", "0.67", "0.67", "1"),
)
_UNANSWERED = "(no answer)"


@dataclass(frozen=True, slots=True)
class TempEval1Options(MetricOptions):
    """The choice whether labels that are partly right get credit."""

    relaxed: bool = option(
        default=False,
        about="Give partial credit by the table of the task paper.",
        signed="scheme",
        values=("strict", "relaxed"),
    )


class PairAnswer(NamedTuple):
    """A pair in the order of the two names, and what was said of it."""

    mask: int
    task: str


@cache
def weights() -> dict[tuple[int, int], Fraction]:
    """Return the table by relations.

    >>> sum(weights().values())
    Fraction(783, 50)
    """
    masks = [int(load_reading("tempeval").relation(label)) for label in LABELS]
    return {
        (key, answer): Fraction(weight)
        for key, row in zip(masks, WEIGHTS, strict=True)
        for answer, weight in zip(masks, row, strict=True)
    }


def judge(gold: Document, system: Document, options: TempEval1Options) -> Judgement:
    """Return tempEval-1 scores of one pair of documents."""
    key, answer = answers(gold), answers(system)
    names = LabelNames((gold, system))
    by_task: dict[str, MatchCounts] = {}
    by_label: dict[str, MatchCounts] = {}
    confusion: Counter[tuple[str, str]] = Counter()
    rows: list[PairRow] = []
    total = MatchCounts()
    for pair in {**key, **answer}:
        asked, given = key.get(pair), answer.get(pair)
        credit = Fraction(0)
        if asked is not None and given is not None:
            same = Fraction(int(asked.mask == given.mask))
            credit = weights().get((asked.mask, given.mask), same) if options.relaxed else same
        counts = MatchCounts(credit, int(given is not None), credit, int(asked is not None))
        total += counts
        task = (asked or given or PairAnswer(0, "")).task
        by_task[task] = by_task.get(task, MatchCounts()) + counts
        labels = tuple(_UNANSWERED if said is None else _name(said.mask, names) for said in (asked, given))
        confusion[labels[0], labels[1]] += 1
        if options.rows:
            in_gold, in_system = (None if said is None else credit == 1 for said in (given, asked))
            rows.append(PairRow(*pair, labels[0], labels[1], in_gold, in_system))
        for label, part in zip(labels, (MatchCounts(0, 0, credit, 1), MatchCounts(credit, 1)), strict=True):
            if label != _UNANSWERED:
                by_label[label] = by_label.get(label, MatchCounts()) + part
    breakdown = {"task": dict(sorted(by_task.items())), "label": dict(sorted(by_label.items()))}
    return Judgement(total, breakdown if options.details else {"task": breakdown["task"]}, confusion, rows=tuple(rows))


def answers(document: Document) -> dict[tuple[str, str], PairAnswer]:
    """Return the label of each pair on one side. Labels that its reading calls unanswered are left out."""
    unanswered = document.reading.unanswered | load_reading("tempeval").unanswered
    found: dict[tuple[str, str], PairAnswer] = {}
    for link in document.links:
        if canonical(link.label) not in unanswered:
            mask = int(link.relation)
            forward = link.source <= link.target
            pair = (link.source, link.target) if forward else (link.target, link.source)
            found[pair] = PairAnswer(mask if forward else converse(mask), link.task or "none")
    return found


def _name(mask: int, names: LabelNames) -> str:
    """Return the label of a relation. VAGUE is an answer here."""
    label = load_reading("tempeval").labels
    return "VAGUE" if mask == int(label["VAGUE"]) else names.of(mask)


METRIC = Metric(
    "tempeval1",
    "pairwise labels of TempEval-1 (2007), tasks A, B, C",
    judge,
    TempEval1Options,
    MatchCounts,
    groups=frozenset({"label", "task"}),
    infers=False,
    merges=True,
)
