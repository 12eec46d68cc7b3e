"""anaforatools: the closure inside its evaluation of temporal relations."""

from __future__ import annotations

from anafora.evaluate import TemporalClosureScores

from temporacle.audit.subjects.peers import TIMEML, Link, label_of
from temporacle.scoring.clinical import RELATIONS


def closure(links: list[Link]) -> list[Link]:
    """Return the closure of ``anafora.evaluate.TemporalClosureScores``, which cannot report inconsistency."""
    annotations = {
        ((source, target), "TLINK", ("Type", label_of(relation, TIMEML))) for source, relation, target in links
    }
    found = TemporalClosureScores()._closure(annotations)  # noqa: SLF001 - it has no public name
    return [(source, str(RELATIONS[label]), target) for (source, target), _, (_, label) in found]
