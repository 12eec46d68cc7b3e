"""The signature of a score: made from the documents that were scored, not from what was asked for.

The law behind it: on the same files, equal signatures mean equal counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.scoring.metric import metric_named
from temporacle.signature import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from temporacle.model import HowRead
    from temporacle.scoring.metric import MetricOptions
    from temporacle.scoring.options import Align, Average

# What a signature says about how documents were read, and where it is found.
_ABOUT_READING: dict[str, Callable[[HowRead], str]] = {
    "format": lambda how: how.format,
    "reading": lambda how: how.reading.signed,
    "during": lambda how: how.reading.during,
    "read-with": lambda how: "+".join(each for each in how.choices if not each.startswith("config-")),
    "config": lambda how: "+".join(each[len("config-") :] for each in how.choices if each.startswith("config-")),
}


def score_signature(
    metric: str,
    options: MetricOptions,
    read: tuple[Collection[HowRead], Collection[HowRead]],
    *,
    align: Align,
    average: Average,
    empty: int,
    undecided: Collection[str] = (),
    skipped_links: tuple[int, int] = (0, 0),
    coverage: Mapping[str, int] | None = None,
) -> str:
    """Return the signature of a score. ``read``: how the documents of gold and of the system were read.

    ``undecided`` are the documents that have no score because time ran out: which ones depends on the machine, so a
    digest of their names is part of the line. ``skipped_links``: how many links of gold and of the system could not be
    used. ``coverage``: how many pairs were asked about and answered, where missing pairs are not errors.
    """
    infers, plugin = metric_named(metric).infers, metric_named(metric).plugin
    choices = {
        **how_read(*read),
        "engine": "exact" if infers else "none",
        "complete": "yes" if infers else "n/a",
        **options.signature(),
        **({"plugin": plugin} if plugin else {}),
        "align": align.value,
        "average": average.value,
        "empty": str(empty),
        **({"undecided": _counted(undecided)} if undecided else {}),
        **({"skipped": "{}/{}".format(*skipped_links)} if any(skipped_links) else {}),
        **({"coverage": "{answered}/{asked}".format(**coverage)} if coverage else {}),
    }
    return signature(metric, choices)


def how_read(gold: Collection[HowRead], system: Collection[HowRead]) -> dict[str, str]:
    """Return how the documents were read: once if both sides were read in the same way, otherwise for each side."""
    found: dict[str, str] = {}
    for name, value in _ABOUT_READING.items():
        own, other = (_joined(value, side) for side in (gold, system))
        if own == other or not system:
            found |= {name: own} if own else {}
        else:
            found |= {f"gold-{name}": own or "none", f"system-{name}": other or "none"}
    return found


def _joined(value: Callable[[HowRead], str], side: Collection[HowRead]) -> str:
    return "+".join(sorted({value(how) for how in side} - {""}))


def _counted(names: Collection[str]) -> str:
    from hashlib import sha256

    return f"{len(names)}@{sha256(repr(sorted(names)).encode()).hexdigest()[:8]}"
