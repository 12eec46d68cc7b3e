"""anaforatools: the closure inside its evaluation of temporal relations."""

from __future__ import annotations

from anafora.evaluate import TemporalClosureScores

from temporacle.audit.subjects.peers import TIMEML, Link, label_of

_ANAFORA_MEANING = {
    **{label: atom for atom, label in TIMEML.items()},
    "CONTAINS": "di",
    "IDENTITY": "=",
    "DURING": "=",
    "DURING_INV": "=",
    "BEGINS-ON": "s|=|si",
    "ENDS-ON": "f|=|fi",
    "OVERLAP": "o|fi|di|s|=|si|d|f|oi",
}


def closure(links: list[Link]) -> list[Link]:
    """Return the closure of ``anafora.evaluate.TemporalClosureScores``, which cannot report inconsistency."""
    annotations = {
        ((source, target), "TLINK", ("Type", label_of(relation, TIMEML))) for source, relation, target in links
    }
    found = TemporalClosureScores()._closure(annotations)  # noqa: SLF001 - it has no public name
    return [(source, _ANAFORA_MEANING[label], target) for (source, target), _, (_, label) in found]
