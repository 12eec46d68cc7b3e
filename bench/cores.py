"""Whole commands on two cores against one, for large and for small inputs. The machine must be idle.

Short runs must not be slower on two cores than on one. A ratio that is too close to 1 to tell them apart passes.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from bench.harness import NARROW, Ratio, Row, Seconds, in_turn, python, start_python, wait_for
from bench.scale import silver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MANY = 100_000  # documents for ``check``
SCORED = 10_000  # documents for ``score``, some seconds of work on one core
LINKS = 20
DECODED = 300  # documents for ``decode``
EVENTS = 8
GOAL = 1.8
SECONDS = 60.0
SIZES = (1, 3, 10, 30, 100, 300, 1000)  # documents for ``check``
NO_SLOWER = 1 - NARROW
SECONDS_FOR_A_SIZE = 18.0


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, corpus = silver(folder)
        gold, system = (_graphs(folder / f"{side}.jsonl", seed) for seed, side in enumerate(("gold", "system")))
        commands = {
            f"check {corpus}": ["check", path],
            f"score {SCORED:,} graphs of {LINKS} links": ["score", gold, system, "--output", "json"],
            f"report {corpus}": ["report", path, "-o", str(folder / "report.html")],
            f"decode {DECODED:,} documents of {EVENTS} events": ["decode", _scores(folder / "scores.jsonl")],
        }
        for work, command in commands.items():
            runs = [partial(_run, command, 1), partial(_run, command, 2), partial(_two_at_once, command)]
            one, two, both = in_turn(runs, seconds=SECONDS)
            limit = Seconds([2 * each for each in one.rounds]) / both
            note = f"{one:.1f} s and {two:.1f} s with start-up; two runs at the same time: {limit:.2f} times one core"
            yield Row(f"{work}, one core", "the same on 2 cores", one / two, GOAL, at_least=True, note=note)
        yield _a_million(folder)
        files = sorted(each for each in Path(path).iterdir() if each.is_file())
        for size in SIZES:
            yield from _no_slower(_some(files, size, folder / f"{size}"), f"{size:,} documents of {corpus}")


def _a_million(folder: Path) -> Row:
    path = _graphs(folder / "many.jsonl", 2, MANY)
    (two,) = in_turn([partial(_run, ["check", path], 2)])
    minutes = Ratio([each * 1_000_000 / MANY / 60 for each in two.rounds], two.noise)
    note = f"extrapolated from {MANY:,} in {two:.1f} s"
    return Row(f"check a million graphs of {LINKS} links on 2 cores", "a minute", minutes, 1, note=note)


def _no_slower(path: str, documents: str) -> Iterator[Row]:
    """``--jobs 2`` and the default against ``--jobs 1``."""
    command = ["check", path]
    runs = [partial(_run, command, jobs) for jobs in (1, 2, None)]
    one, two, default = in_turn(runs, seconds=SECONDS_FOR_A_SIZE)
    for how, time in (("--jobs 2", two), ("the default", default)):
        note = f"{1000 * one:.0f} ms and {1000 * time:.0f} ms"
        yield Row(f"check {documents}, --jobs 1", how, one / time, NO_SLOWER, at_least=True, note=note)


def _some(files: Sequence[Path], size: int, folder: Path) -> str:
    """Copy some files, evenly distributed over all."""
    folder.mkdir()
    for number in range(min(size, len(files))):
        shutil.copy(files[number * len(files) // size if size < len(files) else number], folder)
    return str(folder)


def _arguments(command: Sequence[str], jobs: int | None) -> list[str]:
    return ["-m", "temporacle", *command, *([] if jobs is None else ["--jobs", str(jobs)])]


def _run(command: Sequence[str], jobs: int | None) -> None:
    python(*_arguments(command, jobs))


def _two_at_once(command: Sequence[str]) -> None:
    """Two runs on one core each, at the same time: twice the work of one run, divided as well as it can be."""
    for each in [start_python(*_arguments(command, 1)) for _ in range(2)]:
        wait_for(each)


def _graphs(path: Path, seed: int, size: int = SCORED) -> str:
    """Write chains of events; a tenth of their links have another label, drawn by the seed."""
    rng = Random(seed)
    with path.open("w") as file:
        for number in range(size):
            links = [
                {"source": f"e{k}", "relation": "BEFORE" if rng.random() > 0.1 else "INCLUDES", "target": f"e{k + 1}"}
                for k in range(LINKS)
            ]
            file.write(json.dumps({"document": f"d{number}", "links": links}) + "\n")
    return str(path)


def _scores(path: Path) -> str:
    """Write scores of all pairs of some events, so noisy that many of the best labels contradict each other."""
    rng = Random(0)
    with path.open("w") as file:
        for number in range(DECODED):
            pairs = [
                {"source": f"e{a}", "target": f"e{b}", "scores": {"BEFORE": (p := rng.random()), "AFTER": 1 - p}}
                for a in range(EVENTS)
                for b in range(a + 1, EVENTS)
            ]
            file.write(json.dumps({"document": f"d{number}", "reading": "matres", "pairs": pairs}) + "\n")
    return str(path)
