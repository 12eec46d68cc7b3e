"""``python -m fuzz.attack``: the attacks of docs/reliability.md, each with its tries and survivors.

The tests that a row names are run once, slow ones too, for at most ``--seconds`` a row; a row that was stopped says
so. Then come all fuzz targets with changed inputs, and crafted inputs for the time limits of all commands.

A try is a test, or what a test counts as its tries. A survivor is an attack that succeeded; exit code 1 then.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import monotonic
from typing import NamedTuple
from xml.etree import ElementTree as ET

from fuzz.limits import late
from fuzz.mutate import variant
from fuzz.seeds import ROOT, seeds
from fuzz.targets import TARGETS

WITHOUT = "not corpora and not browser"  # they need data and programs that few have
PATIENCE = 30  # seconds for pytest to write down what it found


class Found(NamedTuple):
    """What a file of tests showed."""

    tries: int
    survivors: list[str]
    skipped: int
    stopped: bool


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for each row")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rows = attacks((ROOT / "docs/reliability.md").read_text("utf-8"))
    known: dict[Path, Found] = {}
    survivors: list[str] = []
    print("| attack | tries | survivors |\n|---|---|---|", flush=True)
    for attack, names in rows:
        found, end = [], monotonic() + chosen.seconds
        for path in [path for name in names for path in files_of(name)]:
            if path not in known:
                known[path] = tried(path, max(1.0, end - monotonic()))
                survivors += known[path].survivors
            found.append(known[path])
        tell(attack, found)
    fuzzed = changed_inputs(chosen.seconds, chosen.seed)
    limits = Found(*late(chosen.seconds))
    tell("inputs changed at random, all fuzz targets", [fuzzed])
    tell("inputs crafted to outlast a time limit, all commands with one", [limits])
    survivors += fuzzed.survivors + limits.survivors
    print("\n".join(["", *survivors]) if survivors else "\nno attack succeeded")
    return bool(survivors)


def attacks(page: str) -> list[tuple[str, list[str]]]:
    """Return the attacks of the page, each with the names of its tests."""
    lines = page.partition("## Attacks")[2].splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    return [(first, re.findall(r"`([^`]+)`", last)) for first, *_, last in cells]


def files_of(name: str) -> list[Path]:
    """Return the files of tests that a name stands for: a folder, or a file in one."""
    folder = ROOT / name
    return sorted(folder.glob("test_*.py")) if folder.is_dir() else sorted((ROOT / "tests").glob(f"*/{name}.py"))


def tried(path: Path, seconds: float) -> Found:
    """Run a file of tests for at most so long."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.xml")
        command = [
            sys.executable,
            "-m",
            "pytest",
            path,
            "-m",
            WITHOUT,
            f"--junit-xml={record}",
            "--override-ini=junit_family=xunit1",  # with the numbers of tries
            "-p",
            "no:cacheprovider",
        ]
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        stopped = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            stopped = True
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if not record.exists():
            return Found(0, [] if stopped else [f"{path.name}: pytest ended with {process.returncode}"], 0, stopped)
        return recorded(ET.parse(record), stopped=stopped)


def recorded(record: ET.ElementTree, *, stopped: bool) -> Found:
    """Return what pytest wrote down."""
    tries, skipped, survivors = 0, 0, []
    cases = list(record.iter("testcase"))
    for case in cases[:-1] if stopped else cases:  # the last one was interrupted
        if case.find("skipped") is not None:
            skipped += 1
            continue
        counted = [int(each.get("value", "1")) for each in case.iter("property") if each.get("name") == "tries"]
        tries += sum(counted) or 1
        if case.find("failure") is not None or case.find("error") is not None:
            survivors.append(f"{case.get('classname')}::{case.get('name')}")
    return Found(tries, survivors, skipped, stopped)


def changed_inputs(seconds: float, seed: int) -> Found:
    """Give each fuzz target changed inputs for its share of the time."""
    tries, survivors = 0, []
    for name, target in TARGETS.items():
        rng, end = Random(f"attack {name} {seed}"), monotonic() + seconds / len(TARGETS)
        while monotonic() < end:
            data = variant(rng, name, seeds(name))
            tries += 1
            try:
                target(data)
            except Exception as error:
                survivors.append(f"{name}: {type(error).__name__}: {error} on {data[:200]!r}")
                break
    return Found(tries, survivors, 0, stopped=False)


def tell(attack: str, found: list[Found]) -> None:
    """Print a row."""
    tries, skipped = sum(each.tries for each in found), sum(each.skipped for each in found)
    more = [f"{skipped} skipped"] if skipped else []
    more += ["stopped by the clock"] if any(each.stopped for each in found) else []
    said = f" ({', '.join(more)})" if more else ""
    print(f"| {attack} | {tries:,}{said} | {sum(len(each.survivors) for each in found)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
