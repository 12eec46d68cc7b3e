"""Why two sides cannot be compared, and what to do: a score of them would mislead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.relation import Relation
from temporacle.scoring.options import Align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.corpus.references import Reference
    from temporacle.tasks.score_pair import PairFinding, SideFacts

_SHOWN = 4  # names in a message


class LabelMeaning:
    """The meaning of a label on one side, and where it occurred first."""

    __slots__ = ("facts", "mask")

    def __init__(self, mask: int, facts: SideFacts) -> None:
        self.mask = mask
        self.facts = facts

    def __str__(self) -> str:
        how = self.facts.how_read
        where = self.facts.path or (how.format if how else "")
        return f"{Relation(self.mask)} (reading {how.reading.name if how else '?'}, {where})"


def two_meanings(label: str, gold: LabelMeaning, system: LabelMeaning) -> str:
    how = gold.facts.how_read
    name = "" if how is None else how.reading.origin or how.reading.name
    return (
        f"label {label} has two meanings: in gold {gold}, in the system {system};"
        f' read both sides in the same way, for example with reading="{name}"'
    )


def no_pair(golds: Sequence[Reference], systems: Sequence[Reference]) -> str:
    return (
        "no system document has the same name as a gold document."
        f" Gold: {_some([each.name for each in golds])}. System: {_some([each.name for each in systems])}."
        ' Give the right folders, rename the files, or name the pairs with id_map="FILE"'
    )


def nothing_in_common(finding: PairFinding, align: Align) -> str:
    gold, system = finding.gold, finding.system
    if align is Align.SPANS:
        return "no entity of the system overlaps an entity of gold in any document: are the texts the same?"
    spans = gold.has_spans and system.has_spans
    by_spans = 'Align them by text positions with align="spans"' if spans else "Write the same ids on both sides"
    cure = f'{by_spans}, or rename the ids with id_map="FILE"'
    return (
        f"gold and system have no entity id in common in any document, for example in {finding.document}:"
        f" gold {_some(gold.some_ids)}; system {_some(system.some_ids)}. {cure}"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
