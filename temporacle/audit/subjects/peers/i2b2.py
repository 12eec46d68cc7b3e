"""The closure of i2b2 2012 (SputLink), as emulated by Temporacle: the original needs an old Perl."""

from __future__ import annotations

from temporacle.audit.subjects.peers import Link, label_of
from temporacle.scoring.official.i2b2.links import I2b2Closure

_SHARE_TIME = "o|fi|di|s|=|si|d|f|oi"
# OVERLAP means that two intervals share some time; meeting intervals have no label.
_LABELS = {"b": "BEFORE", "bi": "AFTER", **dict.fromkeys(_SHARE_TIME.split("|"), "OVERLAP"), _SHARE_TIME: "OVERLAP"}
_MEANING = {b"BEFORE": "b", b"AFTER": "bi", b"OVERLAP": _SHARE_TIME}


def closure(links: list[Link]) -> list[Link]:
    """Return what the program derives. It reads OVERLAP as SIMULTANEOUS, and cannot report inconsistency."""
    stated = [
        (source.encode(), target.encode(), label_of(relation, _LABELS).replace("OVERLAP", "SIMULTANEOUS").encode())
        for source, relation, target in links
    ]
    return [
        (source.decode(), _MEANING[label], target.decode()) for source, target, label in I2b2Closure(stated).edges()
    ]
