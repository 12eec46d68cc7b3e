"""How a ratio is measured: both sides in one process, alternating, the best of several runs each."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, against what, and the goal it should meet."""

    work: str
    against: str
    ratio: float
    goal: float
    at_least: bool = False  # False: the ratio should be at most the goal
    note: str = ""

    @property
    def met(self) -> bool:
        return self.ratio >= self.goal if self.at_least else self.ratio <= self.goal


def best(function: Callable[[], object], repeat: int = 5) -> float:
    """Seconds of the fastest of several runs: the one least disturbed by others."""
    return best_of_each([function], repeat)[0]


def best_of_each(
    functions: list[Callable[[], object]], repeat: int = 5, clock: Callable[[], float] = perf_counter
) -> list[float]:
    """The same for several functions in turn, so that a slow moment of the machine hits all of them.

    ``clock=process_time`` counts the processor time of this process alone: for work in one process on a busy machine.
    """
    seconds = [float("inf")] * len(functions)
    for _ in range(repeat):
        for number, function in enumerate(functions):
            gc.collect()
            start = clock()
            function()
            seconds[number] = min(seconds[number], clock() - start)
    return seconds
