"""Prints ratios with their intervals and the noise of the machine. ``--check`` fails if a goal is missed."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).parent


def benches() -> list[str]:
    """Return the names of the modules that have rows."""
    return sorted(path.stem for path in FOLDER.glob("[!_]*.py") if "\ndef rows() -> Iterator[Row]:" in path.read_text())


def main() -> int:
    known = benches()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(known)}; default: all")
    parser.add_argument("--check", action="store_true", help="exit 1 if a goal is missed")
    chosen = parser.parse_args()
    unknown = set(chosen.names) - set(known)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    missed = unsure = 0
    for name in chosen.names or known:
        print(f"\n{name}")
        for row in import_module(f"bench.{name}").rows():
            missed += row.verdict == "MISSED"
            unsure += row.verdict == "unsure"
            print(f"  {row}", flush=True)
    print(f"\n{missed} goals missed, {unsure} unsure: their goal lies within the interval")
    return 1 if missed and chosen.check else 0


if __name__ == "__main__":
    sys.exit(main())
