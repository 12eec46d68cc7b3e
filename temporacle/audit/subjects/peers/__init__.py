"""Adapters for implementations that install from PyPI: ``pip install temporacle[peers]``.

Each is a function ``closure(links) -> closure`` as ``temporacle audit --implementation`` wants it, and no more than a
translation: atoms to the peer's labels, its answer back to atoms. Links that a peer has no label for are declined by
NotImplementedError. The modules import their peer, and are themselves imported by the worker process only.
"""

from __future__ import annotations

from typing import TypeAlias

from temporacle.scoring.clinical import RELATIONS

Link: TypeAlias = tuple[str, str, str]

PEERS = {
    "tieval": "temporacle.audit.subjects.peers.tieval:closure",
    "tieval-result": "temporacle.audit.subjects.peers.tieval:result",
    "anaforatools": "temporacle.audit.subjects.peers.anaforatools:closure",
    "timegraph": "temporacle.audit.subjects.peers.timegraph:closure",
    "i2b2": "temporacle.audit.subjects.peers.i2b2:closure",
}

_LABELS = ("BEFORE", "AFTER", "IBEFORE", "IAFTER", "IS_INCLUDED", "INCLUDES", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY")
TIMEML = {str(RELATIONS[label]): label for label in (*_LABELS, "SIMULTANEOUS")}
"""TimeML's names of the atoms; it has none for o and oi."""


def label_of(relation: str, labels: dict[str, str]) -> str:
    """Return the peer's label for a relation."""
    try:
        return labels[relation]
    except KeyError:
        raise NotImplementedError(f"no label for {relation}") from None
