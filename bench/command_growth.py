"""How the cost of every command grows with documents and with links.

python -m bench.command_growth [--minutes 9] [--seconds 12] [--largest 1000000] [NAME...]

Each command runs as a process of its own, on one core, on larger and larger files. The table has processor time and
peak memory of the largest size, and the exponents of their growth: 1 is linear. What the smallest sizes take, which is
start-up, is subtracted; the exponents are fitted to the last four sizes that take clearly more.

A size is not run if it would take more than ``--seconds`` by the growth so far, or more than a command's share of
``--minutes``.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bench.growth_files import Files
from temporacle.experiments.outcome import exponent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SIZES = (10, 100, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LARGEST = {"documents": 100_000, "links": 1_000_000, "questions": 100_000, "graphs": 10_000}
FILES = ("gold", "system", "broken", "scores", "dated", "questions", "certificates")
FITTED = 4  # sizes
CLEARLY_MORE = 0.3  # of the start-up: seconds
CLEARLY_LARGER = 5.0  # megabytes
MOST_LINEAR = 1.1  # exponents of time above this need a reason
CACHE = "calls of functions are linear; large documents do not fit into the processor's cache"
REASONS = {
    ("closure", "links"): CACHE,
    ("reduce", "links"): CACHE,
    ("audit", "links"): "compares all pairs that are related",
    ("score --metric closure", "links"): CACHE,
    ("score --metric core", "links"): CACHE,
    ("score --metric reduction", "links"): "counts the pairs of endpoints that an order follows for",
    ("score --agreement", "links"): "the coefficients after closure need all pairs",
    ("score --official", "links"): "repeats the steps of the public program",
    ("check", "links"): CACHE,
    ("check --calendar", "links"): CACHE,
    ("check --repair", "links"): CACHE,
    ("score", "links"): CACHE,
    ("convert", "links"): CACHE,
    ("report", "links"): CACHE,
    ("verify", "links"): CACHE,
    ("apply", "links"): CACHE,
    ("bounds", "links"): CACHE,
    ("entails", "links"): CACHE,
    ("ask", "links"): CACHE,
}
COLUMNS = "{:26} {:9} {:>18} {:>9} {:>9} {:>9} {:>9}  {}"


@dataclass(frozen=True)
class Case:
    """One command over one axis."""

    name: str
    axis: str
    arguments: list[str]  # {gold} and so on stand for files


@dataclass
class Points:
    """What was measured: sizes, processor seconds, megabytes."""

    found: list[tuple[int, float, float]] = field(default_factory=list)
    end: str = ""  # why larger sizes were not run

    @property
    def start(self) -> float:
        """Return the seconds of start-up."""
        return min((seconds for _, seconds, _ in self.found), default=0.0)

    @property
    def power(self) -> float | None:
        """Return the exponent of the time; None if all is start-up."""
        start = self.start
        grown = [(size, seconds - start) for size, seconds, _ in self.found if seconds > (1 + CLEARLY_MORE) * start]
        return exponent(grown[-FITTED:]) if len(grown) > 1 else None

    @property
    def power_of_memory(self) -> float | None:
        """Return the exponent of the memory; None if it hardly grows."""
        least = min((memory for _, _, memory in self.found), default=0.0)
        grown = [(size, memory - least) for size, _, memory in self.found if memory > least + CLEARLY_LARGER]
        return exponent(grown[-FITTED:]) if len(grown) > 1 else None

    def expected(self, size: int) -> float:
        """Return the seconds of the next size if growth goes on as before, but is not below linear."""
        if not self.found:
            return 0.0
        last, seconds, _ = self.found[-1]
        growth: float = (size / last) ** max(1.0, self.power or 1.0)
        return self.start + (seconds - self.start) * growth


def cases() -> Iterator[Case]:
    both = {
        "check": ["check", "{gold}"],
        "check --calendar": ["check", "{dated}", "--calendar", "within"],
        "check --repair": ["check", "{broken}", "--repair"],
        "closure": ["closure", "{gold}", "--output", "json"],
        "reduce": ["reduce", "{gold}", "--output", "json"],
        "score": ["score", "{gold}", "{system}", "--output", "json"],
        "score, contradictions": ["score", "{broken}", "{system}", "--output", "json"],
        "score --metric closure": ["score", "{gold}", "{system}", "--metric", "closure", "--output", "json"],
        "score --metric reduction": ["score", "{gold}", "{system}", "--metric", "reduction", "--output", "json"],
        "score --metric core": ["score", "{gold}", "{system}", "--metric", "core", "--output", "json"],
        "score --compare": ["score", "{gold}", "{system}", "--compare", "{gold}", "--output", "json"],
        "score --agreement": ["score", "{gold}", "{system}", "--agreement", "--output", "json"],
        "score --official": ["score", "{gold}", "{system}", "--official", "--output", "json"],
        "convert": ["convert", "{gold}", "{out}.tsv"],
        "report": ["report", "{gold}", "-o", "{out}.html"],
        "decode": ["decode", "{scores}"],
        "bounds": ["bounds", "{dated}", "--output", "json"],
        "audit": ["audit", "{gold}", "{gold}", "--output", "json"],
        "verify": ["verify", "{certificates}", "--document", "{gold}"],
        "apply": ["apply", "{gold}", "--document", "d0", "--drop", "1", "-o", "{out}.jsonl"],
    }
    for name, arguments in both.items():
        for axis in ("documents", "links"):
            yield Case(name, axis, arguments)
    yield Case("entails", "links", ["entails", "{gold}", "e3", "BEFORE", "e4"])
    yield Case("ask", "links", ["ask", "{gold}", "IS e3 BEFORE e4"])
    yield Case("ask", "questions", ["ask", "{gold}", "{questions}", "--output", "json"])
    yield Case("crosscheck", "graphs", ["crosscheck", "--cases", "{size}"])


def measured(arguments: list[str], most: float) -> tuple[float, float] | None:
    """Return the processor seconds and megabytes of a command; None if it takes too long or is undecided."""
    process = subprocess.Popen(
        [sys.executable, "-m", "temporacle", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(most) + 1, int(most) + 1))
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == 3 or process.returncode < 0:
        return None
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: exit {process.returncode}\n{said[-2000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def curve(case: Case, place: Path, seconds: float, largest: int) -> None:
    points = Points()
    for size in SIZES:
        if size > min(largest, LARGEST[case.axis]):
            break
        if (expected := points.expected(size)) > seconds:
            points.end = f"{size:,}: about {expected:.0f} s"
            break
        folder = place / f"{case.axis}-{size}"
        folder.mkdir(exist_ok=True)
        files = Files(folder, case.axis, size)
        names = {name: str(files.path(name)) for name in FILES if any(f"{{{name}}}" in each for each in case.arguments)}
        with tempfile.TemporaryDirectory() as out:
            arguments = [each.format(out=f"{out}/out", size=size, **names) for each in case.arguments]
            found = measured(_on_one_core(arguments), 4 * seconds)
        if found is None:
            points.end = f"{size:,}: more than {4 * seconds:.0f} s, or undecided"
            break
        points.found.append((size, *found))
    print(line(case, points), flush=True)


def _on_one_core(arguments: list[str]) -> list[str]:
    spreads = arguments[0] in {"check", "score", "audit", "report", "verify", "decode"}
    return [*arguments, "--jobs", "1"] if spreads else arguments


def line(case: Case, points: Points) -> str:
    if not points.found:
        return COLUMNS.format(case.name, case.axis, "none", "", "", "", "", points.end)
    size, seconds, memory = points.found[-1]
    power = points.power
    notes = [points.end] if points.end else []
    if power is not None and power > MOST_LINEAR:
        notes.append(f"ABOVE LINEAR: {REASONS.get((case.name, case.axis), 'no reason known')}")
    return COLUMNS.format(
        case.name,
        case.axis,
        f"{points.found[0][0]} to {size:,}",
        f"{seconds:.2f} s",
        "too short" if power is None else f"x^{power:.2f}",
        f"{memory:.0f} MB",
        "flat" if points.power_of_memory is None else f"x^{points.power_of_memory:.2f}",
        "; ".join(notes),
    ).rstrip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.command_growth", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of commands; default: all")
    parser.add_argument("--minutes", type=float, default=9.0, help="for all commands together")
    parser.add_argument("--seconds", type=float, default=12.0, help="a run that would take longer is left out")
    parser.add_argument("--largest", type=int, default=1_000_000, help="documents, links or questions")
    chosen = parser.parse_args()
    names = tuple(chosen.names)
    asked = [case for case in cases() if not names or f"{case.name}, {case.axis}".startswith(names)]
    end = monotonic() + 60 * chosen.minutes
    print(COLUMNS.format("command", "over", "sizes", "largest", "time", "largest", "memory", "larger sizes; reasons"))
    with tempfile.TemporaryDirectory() as place:
        for number, case in enumerate(asked):
            share = (end - monotonic()) / (len(asked) - number)  # the smaller sizes take as long again as the largest
            curve(case, Path(place), max(1.0, min(chosen.seconds, share / 2)), chosen.largest)


if __name__ == "__main__":
    main()
