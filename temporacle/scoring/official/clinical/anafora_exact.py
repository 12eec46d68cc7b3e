"""The links of anaforatools' row ``TLINK:Type``, scored exactly: temporal awareness of the same links.

Labels mean what the program's table of facts says. Links that follow from earlier ones are not counted, and a link that
contradicts earlier ones is set aside, as for metric ``awareness``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.model import Document, Link
from temporacle.relation import Relation
from temporacle.scoring import awareness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.scoring.awareness import AwarenessCounts
    from temporacle.scoring.official.clinical.anafora import Annotation

# The facts of anafora_closure.FACTS as sets of atoms.
RELATIONS = {
    "BEFORE": "b",
    "AFTER": "bi",
    "IBEFORE": "m",
    "IAFTER": "mi",
    "CONTAINS": "di",
    "INCLUDES": "di",
    "IS_INCLUDED": "d",
    "BEGINS-ON": "s|=|si",
    "ENDS-ON": "fi|=|f",
    "BEGINS": "s",
    "BEGUN_BY": "si",
    "ENDS": "f",
    "ENDED_BY": "fi",
    "SIMULTANEOUS": "=",
    "IDENTITY": "=",
    "DURING": "=",
    "DURING_INV": "=",
    "OVERLAP": "o|fi|di|s|=|si|d|f|oi",
}


def exact_links(
    name: str, reference: Sequence[Annotation], predicted: Sequence[Annotation], budget: float | None
) -> AwarenessCounts:
    """Score the links of one document."""
    gold, system = (Document(name, tuple(_links(side))) for side in (reference, predicted))
    counts = awareness.judge(gold, system, awareness.AwarenessOptions(budget)).counts
    assert isinstance(counts, awareness.AwarenessCounts)  # noqa: S101 - narrows the type only
    return counts


def _links(annotations: Iterable[Annotation]) -> Iterable[Link]:
    """Yield the links between two spans with a known label; entities go by their spans, as in the program."""
    for number, each in enumerate(annotations, 1):
        label, ends = each.properties.get("Type"), each.arguments()
        if each.type == "TLINK" and len(ends) == 2 and isinstance(label, str) and label in RELATIONS:
            source, target = (repr(end.pieces) for end in ends)
            yield Link(str(number), source, Relation(RELATIONS[label]), target, label)
