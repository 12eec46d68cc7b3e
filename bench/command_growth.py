"""How the cost of every command grows with documents and with links.

python -m bench.command_growth [--seconds 12] [--largest 1000000] [NAME...]

Each command runs as a process of its own, on one core. Processor time and peak memory are printed for each size, and
the exponent of the growth: 1 is linear. The time of the smallest size, which is start-up, is subtracted, and the
exponent is fitted to the last three sizes that take more than half a start-up longer.

A size is not run if it would take more than ``--seconds`` by the growth so far. The line says so. All takes about ten
minutes.
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
from typing import TYPE_CHECKING

from bench.growth_files import Files
from temporacle.experiments.fit import exponent

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
AXES = {
    "documents": (10, 100, 1_000, 10_000, 100_000),
    "links": (10, 100, 1_000, 10_000, 100_000, 1_000_000),
    "questions": (10, 100, 1_000, 10_000, 100_000),
}
FILES = ("gold", "system", "broken", "scores", "dated", "questions", "certificates")
MOST_LINEAR = 1.15  # exponents above this need a reason
REASONS = {
    ("closure", "links"): "prints one line for each pair that something follows for",
    ("reduce", "links"): "prints the minor edges, one for each pair of endpoints that an order follows for",
    ("audit", "links"): "compares all pairs",
    ("score --metric closure", "links"): "counts all pairs",
    ("score --metric reduction", "links"): "counts the pairs of endpoints that an order follows for",
}


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
    def grown(self) -> list[tuple[float, float]]:
        """Return the last sizes, without start-up."""
        start = self.found[0][1] if self.found else 0.0
        return [(size, seconds - start) for size, seconds, _ in self.found[1:] if seconds > 1.5 * start][-3:]

    @property
    def power(self) -> float | None:
        return exponent(self.grown) if len(self.grown) > 1 else None

    def expected(self, size: int) -> float:
        """Return the seconds of the next size if growth goes on as before, but is not below linear."""
        if not self.found:
            return 0.0
        last, seconds, _ = self.found[-1]
        start = self.found[0][1]
        return start + (seconds - start) * float(size / last) ** max(1.0, self.power or 1.0)


def cases() -> Iterator[Case]:
    both = {
        "check": ["check", "{gold}"],
        "check --repair": ["check", "{broken}", "--repair"],
        "closure": ["closure", "{gold}", "--output", "json"],
        "reduce": ["reduce", "{gold}", "--output", "json"],
        "score": ["score", "{gold}", "{system}", "--output", "json"],
        "score, contradictions": ["score", "{broken}", "{system}", "--output", "json"],
        "score --metric closure": ["score", "{gold}", "{system}", "--metric", "closure", "--output", "json"],
        "score --metric reduction": ["score", "{gold}", "{system}", "--metric", "reduction", "--output", "json"],
        "convert": ["convert", "{gold}", "{out}.tsv"],
        "report": ["report", "{gold}", "-o", "{out}.html"],
        "decode": ["decode", "{scores}"],
        "bounds": ["bounds", "{dated}", "--output", "json"],
        "audit": ["audit", "{gold}", "{gold}", "--output", "json"],
        "verify": ["verify", "{certificates}"],
        "apply": ["apply", "{gold}", "--document", "d0", "--drop", "1", "-o", "{out}.jsonl"],
    }
    for name, arguments in both.items():
        for axis in ("documents", "links"):
            yield Case(name, axis, arguments)
    yield Case("entails", "links", ["entails", "{gold}", "e3", "BEFORE", "e4"])
    yield Case("ask", "links", ["ask", "{gold}", "IS e3 BEFORE e4"])
    yield Case("ask", "questions", ["ask", "{gold}", "{questions}", "--output", "json"])


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
    for size in AXES[case.axis]:
        if size > largest:
            break
        if (expected := points.expected(size)) > seconds:
            points.end = f"{size:,} would take about {expected:.0f} s"
            break
        folder = place / f"{case.axis}-{size}"
        folder.mkdir(exist_ok=True)
        files = Files(folder, case.axis, size)
        names = {name: str(files.path(name)) for name in FILES if any(f"{{{name}}}" in each for each in case.arguments)}
        with tempfile.TemporaryDirectory() as out:
            arguments = [each.format(out=f"{out}/out", **names) for each in case.arguments]
            found = measured(_on_one_core(arguments), 4 * seconds)
        if found is None:
            points.end = f"{size:,} took more than {4 * seconds:.0f} s, or was not decided"
            break
        points.found.append((size, *found))
    print(line(case, points), flush=True)


def _on_one_core(arguments: list[str]) -> list[str]:
    spreads = arguments[0] in {"check", "score", "audit", "report", "verify", "decode"}
    return [*arguments, "--jobs", "1"] if spreads else arguments


def line(case: Case, points: Points) -> str:
    power = points.power
    shown = "  ".join(f"{size:,}: {seconds:.2f} s {memory:.0f} MB" for size, seconds, memory in points.found)
    mark = f"  ({points.end})" if points.end else ""
    if power is not None and power > MOST_LINEAR:
        mark += f"  ABOVE LINEAR: {REASONS.get((case.name, case.axis), 'no reason known')}"
    return f"{case.name + ', ' + case.axis:38} {'too short' if power is None else f'x^{power:.2f}':9} {shown}{mark}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.command_growth", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of commands; default: all")
    parser.add_argument("--seconds", type=float, default=12.0, help="a run that would take longer is left out")
    parser.add_argument("--largest", type=int, default=1_000_000, help="documents, links or questions")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for case in cases():
            if not chosen.names or f"{case.name}, {case.axis}".startswith(tuple(chosen.names)):
                curve(case, Path(place), chosen.seconds, chosen.largest)


if __name__ == "__main__":
    main()
