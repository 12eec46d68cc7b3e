"""tieval: closure of a set of TLinks by way of a graph of endpoints."""

from __future__ import annotations

import warnings

from tieval.closure import temporal_closure
from tieval.links import TLink

from temporacle.audit.subjects.peers import TIMEML, Link, label_of

# tieval's OVERLAP is Allen's "overlaps", not the symmetric relation of other corpora.
_TIEVAL = {**TIMEML, "o": "OVERLAP", "oi": "OVERLAPPED"}
_MEANING = {
    **{label: atom for atom, label in _TIEVAL.items()},
    "BEFORE-OR-OVERLAP": "b|m|o",
    "OVERLAP-OR-AFTER": "oi|mi|bi",
}


def closure(links: list[Link]) -> list[Link] | None:
    """Return the closure of ``tieval.closure.temporal_closure``. Its warning about a cycle counts as "inconsistent"."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = result(links)
    return None if any("not a DAG" in str(warning.message) for warning in caught) else found


def result(links: list[Link]) -> list[Link]:
    """Return the closure from the returned set alone, as a program that ignores warnings would get it."""
    tlinks = {TLink(source, target, label_of(relation, _TIEVAL)) for source, relation, target in links}
    return [(link.source, _MEANING[link.relation.interval], link.target) for link in temporal_closure(tlinks)]
