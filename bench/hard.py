"""Networks of disjunctions near the phase transition: whole processes, ours and GQR's, on the same files.

``GQR`` names the program of GQR, ``GQR_DATA_DIR`` its data. Without it the rows compare with 60 seconds a network.
Seconds are user time of whole processes, start-up included, except where a row says otherwise.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from bench.decide import LIMIT
from bench.harness import ROOT, Row, as_installed, in_turn, programs_time, python
from temporacle.errors import BudgetExceeded
from temporacle.experiments import phase_transition
from temporacle.experiments.graphs import hard_network
from temporacle.io.csp import text
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 10
LONGEST = 120  # for GQR on a file; what it has not decided by then counts as that time
FAMILIES = (("A", 9.5, (20, 40, 60, 80, 100)), ("A", 11, (20, 40, 60, 80, 100)), ("H", 5.5, (20, 40, 60, 80, 100, 150)))
LARGE = 60  # entities from which on GQR's time is the goal
START_UP = 0.3  # seconds allowed below


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        decided_by_us(networks(folder, "A", 20, 9.5))  # compiles the modules
        yield from families(folder)
        yield from memory(folder)
    yield from shipped()
    yield from minimal_networks()
    yield from one_disjunction()


def families(folder: Path) -> Iterator[Row]:
    for family, degree, sizes in FAMILIES:
        ours_total = theirs_total = 0.0
        undecided = 0
        for size in sizes:
            file = networks(folder, family, size, degree)
            ours, verdicts = decided_by_us(file)
            theirs, others = decided_by_gqr(file, len(verdicts))
            compare(verdicts, others, file.name)
            late = verdicts.count(None)
            what = f"{COUNT} networks {family}({size}, {degree:g})"
            note = f"{ours:.2f} s, {late} undecided"
            if theirs is None:
                yield Row(what, "60 s a network", ours / (LIMIT * COUNT), 1, note=note)
                continue
            note += f"; GQR {theirs:.2f} s, {others.count(None)} undecided"
            if size >= LARGE:
                ours_total, theirs_total, undecided = ours_total + ours, theirs_total + theirs, undecided + late
                yield Row(what, "GQR", ours / theirs, 1, note=note)
            else:
                yield Row(what, "3 times GQR and 0.3 s", ours / (3 * theirs + START_UP), 1, note=note)
        if theirs_total:
            note = f"{ours_total:.1f} s, {undecided} undecided; GQR {theirs_total:.1f} s"
            what = f"all {family}(n, {degree:g}) from n = {LARGE} on"
            yield Row(what, "GQR", ours_total / theirs_total, 1, note=note)


def networks(folder: Path, family: str, size: int, degree: float) -> Path:
    """A file of networks that are the same in every run."""
    rng = Random(f"hard {family} {size} {degree}")
    file = folder / f"{family}-{size}-{degree:g}.csp"
    drawn = (hard_network(rng, family, size, degree, str(number)) for number in range(COUNT))
    file.write_text("".join(text(network, print) for network in drawn))
    return file


def decided_by_us(file: Path) -> tuple[float, list[bool | None]]:
    """User seconds of a whole process, and the verdicts in order."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [sys.executable, "-m", "bench.decide", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, env=as_installed())
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return seconds, [{"1": True, "0": False}.get(line) for line in done.stdout.splitlines()]


def decided_by_gqr(file: Path, count: int) -> tuple[float | None, tuple[bool | None, ...]]:
    program = phase_transition.program()
    if program is None:
        return None, (None,) * count
    found = phase_transition.ask_about_file(program, file, count, LONGEST)
    return max(found.seconds, 0.001), found.consistent


def compare(ours: list[bool | None], theirs: tuple[bool | None, ...], what: str) -> None:
    for number, (own, other) in enumerate(zip(ours, theirs, strict=True)):
        if None not in (own, other) and own != other:
            raise SystemExit(f"{what}, network {number}: {own}, but GQR says {other}")


def shipped() -> Iterator[Row]:
    """The networks that GQR comes with. Names are made numbers, since they occur twice."""
    data = os.environ.get("GQR_DATA_DIR")
    if phase_transition.program() is None or data is None:
        return
    ours_total = theirs_total = 0.0
    count = late = 0
    with tempfile.TemporaryDirectory() as folder:
        for original in sorted((Path(data) / "allen" / "csp").glob("*.csp")):
            number = iter(range(100_000))
            numbered = re.sub(
                r"(?m)^(\d+) *#.*$", lambda found, n=number: f"{found[1]} #{next(n)}", original.read_text()
            )
            file = Path(folder) / original.name
            file.write_text(numbered)
            ours, verdicts = decided_by_us(file)
            theirs, others = decided_by_gqr(file, len(verdicts))
            compare(verdicts, others, original.name)
            ours_total, theirs_total = ours_total + ours, theirs_total + (theirs or 0)
            count, late = count + len(verdicts), late + verdicts.count(None)
    note = f"{ours_total:.1f} s and {theirs_total:.1f} s, verdicts equal"
    yield Row(f"undecided of {count} networks that GQR ships", "all of them", late / count, 0, note=note)


def memory(folder: Path) -> Iterator[Row]:
    """The largest process of a child of its own, since the peak of all children is kept."""
    file = networks(folder, "A", 150, 9.5)
    child = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-m", "bench.decide", str(file)]
    done = subprocess.run([sys.executable, "-c", child, *command], cwd=ROOT, capture_output=True, text=True, check=True)
    megabytes = int(done.stdout.split()[-1]) / 1024
    yield Row(f"memory for {COUNT} networks A(150, 9.5)", "1 GB", megabytes / 1024, 1, note=f"{megabytes:.0f} MB")


def minimal_networks() -> Iterator[Row]:
    """Seconds in this process of the slowest of ten consistent networks."""
    for size, seconds in ((20, 1), (40, 10)):
        rng = Random(f"minimal {size}")
        slowest, found, late = 0.0, 0, 0
        while found < COUNT:
            network = Network.of(hard_network(rng, "A", size, 9.5, "d"))
            if not Oracle(network).is_consistent():
                continue
            found += 1
            start = process_time()
            try:
                Oracle(network, budget=Budget(LIMIT)).minimal_network()
            except BudgetExceeded:
                late += 1
            slowest = max(slowest, process_time() - start)
        what = f"exact minimal network of A({size}, 9.5), slowest of {COUNT}"
        yield Row(what, f"{seconds} s", slowest / seconds, 1, note=f"{slowest:.2f} s, {late} undecided")


def one_disjunction() -> Iterator[Row]:
    """A document that the graph alone cannot decide, from a cold start."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "one.tsv"
        file.write_text("a\tb|bi\tb\nb\tBEFORE\tc\nc\tAFTER\ta\na\tIS_INCLUDED\td\nb\tIS_INCLUDED\td\n")
        checked, loaded = in_turn(
            [
                partial(python, "-m", "temporacle", "check", str(file)),
                partial(python, "-c", "from ortools.sat.python import cp_model"),
            ],
            programs_time,
        )
    note = f"{1000 * checked:.0f} ms and {1000 * loaded:.0f} ms"
    yield Row("check of a document with one disjunction", "loading OR-Tools", checked / loaded, 0.5, note=note)
