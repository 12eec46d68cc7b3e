"""Clinical scores: the closure of i2b2 2012 for notes of real size, against the rounds that the original makes."""

from __future__ import annotations

from random import Random
from time import process_time
from typing import TYPE_CHECKING

from bench.direct_closure import closure_in_rounds
from bench.harness import Row, in_turn
from temporacle.scoring.official.i2b2.links import I2b2Closure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.direct_closure import Triple

_NOTES, _EVENTS, _LINKS = 3, 100, 170  # about the size of a note of the task


def note(seed: int) -> list[Triple]:
    """Return the links of an invented note: events at random times, so that they are consistent."""
    rng = Random(seed)
    times = [rng.randrange(_EVENTS) for _ in range(_EVENTS)]
    links = []
    for _ in range(_LINKS):
        first, second = rng.sample(range(_EVENTS), 2)
        order = (times[first] > times[second]) - (times[first] < times[second])
        label = {-1: b"BEFORE", 0: b"SIMULTANEOUS", 1: b"AFTER"}[order]
        links.append((b"E%d" % first, b"E%d" % second, label))
    return links


def rows() -> Iterator[Row]:
    """The closure alone: reading and printing are the same work for both."""
    notes = [note(seed) for seed in range(_NOTES)]
    ours, rounds = in_turn(
        [lambda: [I2b2Closure(each).edges() for each in notes], lambda: [closure_in_rounds(each) for each in notes]],
        process_time,
        least=3,
    )
    yield Row(f"closure of {_NOTES} notes", "the rounds of the original", rounds / ours, 20, at_least=True)
