"""Temporal awareness (UzZaman & Allen 2011; TempEval-3), with complete inference.

    P = |{ r counted in the system's reduced graph : the reference verifies r }| / |reduced system|
    R = |{ r counted in the reference's reduced graph : the system verifies r }| / |reduced reference|

*Reduced* is the greedy walk of ``annotation``. A graph *verifies* r if it entails r, or states it: a link between the
same entities with the same atoms, in either direction, whatever its label, also one that was set aside. A graph that
mentions x knows x and entails x = x. A link whose entities the other side does not know is not verified, and stays in
the denominator.

>>> from temporacle.model import Document
>>> from temporacle.reasoner.network import Network
>>> from temporacle.scoring.options import ScoringOptions
>>> chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
>>> key, answer = (Document("d", Network.of(links).links) for links in (chain, [chain[0], ("b", "BEFORE", "d")]))
>>> counts = judge(key, answer, ScoringOptions()).counts
>>> str(counts.precision(0)), str(counts.recall(0))
('1', '1/3')
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from temporacle.reasoner.network import Budget
from temporacle.results import Counts, MatchCounts
from temporacle.scoring.annotation import Annotation
from temporacle.scoring.details import NOTHING, UNKNOWN, LabelNames, PairKinds
from temporacle.scoring.options import Judgement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.model import Document
    from temporacle.scoring.options import ScoringOptions


@dataclass(frozen=True, slots=True)
class AwarenessCounts(MatchCounts):
    """Verified links out of counted ones; how many were set aside, and left out because they constrain nothing."""

    system_set_aside: int = 0
    gold_set_aside: int = 0
    system_vague_left_out: int = 0
    gold_vague_left_out: int = 0


def judge(gold: Document, system: Document, options: ScoringOptions) -> Judgement:
    """Awareness of one pair of documents."""
    budget = Budget(options.budget)
    key, answer = Annotation(gold, options, budget), Annotation(system, options, budget)
    right = [answer.link(position) for position in answer.counted if key.verifies(answer.link(position))]
    found = [key.link(position) for position in key.counted if answer.verifies(key.link(position))]
    counts = AwarenessCounts(
        precision_matched=len(right),
        system_total=len(answer.counted),
        recall_matched=len(found),
        gold_total=len(key.counted),
        system_set_aside=len(answer.set_aside),
        gold_set_aside=len(key.set_aside),
        system_vague_left_out=answer.left_out,
        gold_vague_left_out=key.left_out,
    )
    if not options.details:
        return Judgement(counts)
    return Judgement(counts, _breakdown(key, answer), _confusion(key, answer))


def _breakdown(key: Annotation, answer: Annotation) -> Mapping[str, Mapping[str, Counts]]:
    """The same counts for links of one label, and between entities of certain kinds."""
    names = LabelNames((key.document, answer.document))
    kinds = PairKinds((key.document, answer.document))
    tables: dict[str, dict[str, MatchCounts]] = {"kind": {}, "label": {}}
    for own, other, is_system in ((answer, key, True), (key, answer, False)):
        for position in own.counted:
            link = own.link(position)
            hit = int(other.verifies(link))
            counts = MatchCounts(hit, 1, 0, 0) if is_system else MatchCounts(0, 0, hit, 1)
            for table, group in (
                (tables["kind"], kinds.of(link.source, link.target)),
                (tables["label"], names.of(int(link.relation))),
            ):
                table[group] = table.get(group, MatchCounts()) + counts
    return {name: dict(sorted(table.items())) for name, table in tables.items()}


def _confusion(key: Annotation, answer: Annotation) -> Counter[tuple[str, str]]:
    """For each counted gold link, what the system says of the pair; and what it says where gold says nothing."""
    names = LabelNames((key.document, answer.document))
    table: Counter[tuple[str, str]] = Counter()
    for position in key.counted:
        link = key.link(position)
        label = names.of(int(link.relation))
        said = answer.says(link.source, link.target)
        if answer.verifies(link):
            table[label, label] += 1
        else:
            table[label, UNKNOWN if said is None else names.of(said)] += 1
    for position in answer.counted:
        link = answer.link(position)
        said = key.says(link.source, link.target)
        if (said is None or names.of(said) == NOTHING) and not key.verifies(link):
            table[UNKNOWN if said is None else NOTHING, names.of(int(link.relation))] += 1
    return table
