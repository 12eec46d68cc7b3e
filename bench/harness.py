"""How a ratio is measured: both sides in one process, in turn, again and again until the interval is narrow.

Each round runs every side once, so a slow moment of the machine hits all of them. The ratio is the median of the ratios
of the rounds. Its interval holds the true median with a probability of 95 %, whatever the times are distributed like.
In each round one side runs a second time: how much its two times differ is the noise of the machine.
"""

from __future__ import annotations

import atexit
import gc
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from math import comb
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NARROW = 0.03  # an interval this far from its ratio on both sides is narrow enough
SECONDS = 20.0  # for one comparison, if the interval does not become narrow before
LEAST, MOST = 7, 200  # rounds
ROOT = Path(__file__).resolve().parents[1]


class Seconds(float):
    """The best time of one side, with its times in all rounds. Divided by another side it gives a Ratio."""

    rounds: Sequence[float]
    noise: float  # of the machine while it was measured

    def __new__(cls, rounds: Sequence[float], noise: float = 0.0) -> Self:
        found = super().__new__(cls, min(rounds))
        found.rounds, found.noise = rounds, noise
        return found

    def __truediv__(self, other: float) -> float:
        if isinstance(other, Seconds) and len(self.rounds) == len(other.rounds):
            return Ratio([one / two for one, two in zip(self.rounds, other.rounds, strict=True)], self.noise)
        return float(self) / float(other)


class Ratio(float):
    """The median of the ratios of all rounds, with its interval and the noise of the machine."""

    low: float
    high: float
    noise: float

    def __new__(cls, rounds: Sequence[float], noise: float = 0.0) -> Self:
        found = super().__new__(cls, median(rounds))
        found.low, found.high = interval(rounds)
        found.noise = noise
        return found

    @property
    def is_narrow(self) -> bool:
        return self.high - self <= NARROW * self and self - self.low <= NARROW * self


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values that enclose the true median with a probability of 95 %; the extremes if there are few.

    Each value is below the median with a probability of one half, so the place of the median among the sorted values
    follows the binomial distribution.

    >>> interval([3, 1, 2]), interval(range(1, 11))
    ((1, 3), (2, 9))
    """
    ordered = sorted(values)
    size = len(ordered)
    outside, place = 0.0, 0
    while place < (size - 1) // 2 and outside + 2 * comb(size, place) / 2**size <= 0.05:
        outside += 2 * comb(size, place) / 2**size
        place += 1
    place = max(place - 1, 0)
    return ordered[place], ordered[-1 - place]


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
    def bounds(self) -> tuple[float, float]:
        """The interval of the ratio; a number that was measured once is its own."""
        return (self.ratio.low, self.ratio.high) if isinstance(self.ratio, Ratio) else (self.ratio, self.ratio)

    @property
    def verdict(self) -> str:
        """Whether the goal is met: "unsure" if it lies within the interval."""
        worst, best = self.bounds if self.at_least else self.bounds[::-1]
        if worst >= self.goal if self.at_least else worst <= self.goal:
            return "ok"
        return "unsure" if (best >= self.goal if self.at_least else best <= self.goal) else "MISSED"

    def __str__(self) -> str:
        low, high = self.bounds
        spread = f"[{low:.2f}, {high:.2f}]" if isinstance(self.ratio, Ratio) else ""
        noise = f"noise {self.ratio.noise:3.0%}" if isinstance(self.ratio, Ratio) else ""
        goal = f"goal {'>=' if self.at_least else '<='} {self.goal:<8.4g}"
        note = f"  ({self.note})" if self.note else ""
        return f"{self.verdict:6} {self.ratio:10.2f} x {spread:20} {noise:9} {goal} {self.work} / {self.against}{note}"


def best(function: Callable[[], object], repeat: int = 5) -> float:
    """Seconds of the fastest of several runs: the one least disturbed by others."""
    return min(_timed(function, perf_counter) for _ in range(repeat))


@cache
def as_installed() -> dict[str, str]:
    """The environment of a program that is installed: its modules are compiled once, and its output is buffered.

    Without it, settings for development would be measured: a program whose modules may not be stored compiles them
    each time that it starts, which takes longer than all else that a short run does.
    """
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    development = {"PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
    kept = {name: value for name, value in os.environ.items() if name not in development}
    return kept | {"PYTHONPYCACHEPREFIX": folder}


def python(*arguments: str) -> None:
    """Run a Python program and wait for it. An exit code of 1 is an answer; 2 and above are failures."""
    wait_for(start_python(*arguments))


def start_python(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=as_installed(),
    )


def wait_for(program: subprocess.Popen[bytes]) -> None:
    if program.wait() not in {0, 1}:
        raise RuntimeError(f"exit code {program.returncode}: {program.args!r}")


def programs_time() -> float:
    """The processor time of all programs that have ended: a clock that does not see what else the machine does."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def in_turn(
    functions: Sequence[Callable[[], object]],
    clock: Callable[[], float] = perf_counter,
    *,
    least: int = LEAST,
    seconds: float = SECONDS,
) -> list[Seconds]:
    """The times of several functions, run in turn until each ratio to the first one has a narrow interval.

    It ends after so many ``seconds`` in any case, but not before ``least`` rounds. The function that was the quickest
    in the first round runs twice in each of the others. ``clock=process_time`` counts the processor time of this
    process alone, and ``clock=programs_time`` that of the programs it starts: for work on a busy machine.
    """
    times: list[list[float]] = [[] for _ in functions]
    differences: list[float] = []
    twice: int | None = None
    end = monotonic() + seconds
    while len(times[0]) < least or (len(times[0]) < MOST and monotonic() < end and not _are_narrow(times)):
        for number, function in enumerate(functions):
            times[number].append(_timed(function, clock))
            if number == twice:
                again = _timed(function, clock)
                differences.append(abs(again - times[number][-1]) / min(again, times[number][-1]))
        if twice is None:
            twice = min(range(len(functions)), key=lambda number: times[number][0])
    noise = median(differences) if differences else 0.0
    return [Seconds(each, noise) for each in times]


def _are_narrow(times: Sequence[Sequence[float]]) -> bool:
    return all(Ratio([one / two for one, two in zip(each, times[0], strict=True)]).is_narrow for each in times[1:])


def _timed(function: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    start = clock()
    result = function()
    del result  # freeing it is part of the work
    return clock() - start
