"""How the cost of every command grows with documents and with links.

python -m bench.command_growth [--seconds 20] [--largest 1000000] [NAME...]

Each command runs as a process of its own, on one core. A curve ends after the first run that takes longer than
``--seconds``. Processor time and peak memory are printed for each size, and the exponent of the growth: 1 is linear.
The time of the smallest size, which is start-up, is subtracted before the exponent is fitted to the last three sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from bench.documents import local_links
from temporacle.experiments.fit import exponent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Link

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (10, 100, 1_000, 10_000, 100_000)
LINKS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
SMALL = 20  # links of a document where documents are counted
MOST_LINEAR = 1.15  # exponents above this need a reason
REASONS = {
    "score of one document": "the closure has a row of bits for each endpoint",
    "check of one document": "a large document does not fit into the processor's cache",
    "check --repair of one document": "a large document does not fit into the processor's cache",
    "closure of one document": "prints one line a pair: with n entities n (n - 1) / 2 of them",
    "closure certificate of one document": "proves every pair",
}


@dataclass(frozen=True)
class Case:
    """One command over one axis."""

    name: str
    sizes: tuple[int, ...]
    command: Callable[[Path, int], list[str]]  # makes its files in a folder, returns the arguments


def cases() -> Iterator[Case]:
    for name, arguments in (
        ("check", ["check", "{gold}"]),
        ("check --repair", ["check", "{broken}", "--repair"]),
        ("closure", ["closure", "{gold}", "--output", "json"]),
        ("reduce", ["reduce", "{gold}", "--output", "json"]),
        ("score", ["score", "{gold}", "{system}"]),
        ("score --metric reduction", ["score", "{gold}", "{system}", "--metric", "reduction"]),
        ("convert", ["convert", "{gold}", "{folder}/out.tsv"]),
        ("report", ["report", "{gold}", "-o", "{folder}/report.html"]),
        ("decode", ["decode", "{scores}"]),
    ):
        yield Case(f"{name}, documents", DOCUMENTS, _many(arguments))
        yield Case(f"{name} of one document", LINKS, _one(arguments))
    yield Case("entails of one document", LINKS, _one(["entails", "{gold}", "e0", "BEFORE", "e1"]))


def _many(arguments: list[str]) -> Callable[[Path, int], list[str]]:
    def made(folder: Path, size: int) -> list[str]:
        rng = Random(size)
        return _filled(arguments, folder, (local_links(rng, 3 * SMALL // 4, SMALL) for _ in range(size)))

    return made


def _one(arguments: list[str]) -> Callable[[Path, int], list[str]]:
    return lambda folder, size: _filled(
        arguments, folder, iter([local_links(Random(size), max(3, size // 2), size)]), broken=max(1, size // 10_000)
    )


def _filled(arguments: list[str], folder: Path, corpus: Iterator[list[Link]], broken: int = 1) -> list[str]:
    """Write the files that the arguments name, and return the arguments with their paths."""
    wanted = [
        name for name in ("gold", "system", "broken", "scores") if any(f"{{{name}}}" in each for each in arguments)
    ]
    paths = {name: folder / f"{name}.jsonl" for name in wanted}
    files = {name: path.open("w") for name, path in paths.items()}
    for number, links in enumerate(corpus):
        for name, file in files.items():
            file.write(json.dumps(_record(name, f"d{number}", links, broken)) + "\n")
    for file in files.values():
        file.close()
    return [each.format(folder=folder, **paths) for each in arguments]


def _record(kind: str, name: str, links: list[Link], broken: int) -> dict[str, object]:
    if kind == "scores":
        pairs = [
            {"source": each.source, "target": each.target, "scores": {each.label: 0.7, "VAGUE": 0.3}} for each in links
        ]
        return {"document": name, "pairs": pairs}
    kept = links[: max(1, 4 * len(links) // 5)] if kind == "system" else links
    stated = [{"source": each.source, "relation": each.label, "target": each.target} for each in kept]
    if kind == "broken":  # some links are stated the other way round, too
        turned = [{**each, "source": each["target"], "target": each["source"]} for each in stated[:broken]]
        stated += [each for each in turned if each["relation"] == "BEFORE"] or [
            {
                "source": stated[0]["source"],
                "relation": "bi" if stated[0]["relation"] != "AFTER" else "b",
                "target": stated[0]["target"],
            }
        ]
    return {"document": name, "links": stated}


def made(case: Case, folder: Path, size: int) -> list[str]:
    """Make the files of a command in a process of its own: a new process counts the memory of its parent."""
    place = folder / "arguments.json"
    if (child := os.fork()) == 0:
        place.write_text(json.dumps(case.command(folder, size)))
        os._exit(0)
    os.waitpid(child, 0)
    return [str(each) for each in json.loads(place.read_text())]


def measured(arguments: list[str]) -> tuple[float, float] | None:
    """Processor seconds and megabytes of a command; None if it is too large to be decided."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-m", "temporacle", *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == 3:
        return None
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: exit {process.returncode}\n{said[-2000:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def curve(case: Case, limit: float, largest: int) -> None:
    points: list[tuple[int, float, float]] = []
    for size in case.sizes:
        if size > largest or (points and points[-1][1] > limit):
            break
        with tempfile.TemporaryDirectory() as folder:
            found = measured(made(case, Path(folder), size))
        if found is None:
            break
        points.append((size, *found))
    start = points[0][1]
    grown = [(size, seconds - start) for size, seconds, _ in points[1:] if seconds > 1.5 * start][-3:]
    power = exponent(grown) if len(grown) > 1 else None
    shown = "  ".join(f"{size:,}: {seconds:.2f} s {memory:.0f} MB" for size, seconds, memory in points)
    mark = ""
    if power is not None and power > MOST_LINEAR:
        mark = f"  ABOVE LINEAR: {REASONS.get(case.name, 'no reason known')}"
    print(f"{case.name:38} {'too short' if power is None else f'x^{power:.2f}':9} {shown}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.command_growth", description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="beginnings of commands; default: all")
    parser.add_argument("--seconds", type=float, default=20.0, help="a curve ends after a run that takes longer")
    parser.add_argument("--largest", type=int, default=1_000_000, help="documents or links")
    chosen = parser.parse_args()
    for case in cases():
        if not chosen.names or case.name.startswith(tuple(chosen.names)):
            curve(case, chosen.seconds, chosen.largest)


if __name__ == "__main__":
    main()
