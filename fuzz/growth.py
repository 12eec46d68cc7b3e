"""``python -m fuzz.growth``: how the time for a text grows with its length, for all patterns and readers.

The exponent is 1 if twice the text takes twice the time, and 2 if it takes four times as long. The texts are those of
``tests/hostile/test_growth.py``; of each pattern and reader, the worst text counts. The largest exponents come first.
Where no text takes long enough to be measured, there is none.
"""

from __future__ import annotations

import argparse
import sys
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests" / each) for each in ("hostile", "")]

import test_growth as measured  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (*measured.SIZES, 512_000)  # what is linear can be measured only there


def main() -> None:
    """Print the exponents."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.growth", description=__doc__)
    parser.add_argument("--only", choices=["patterns", "readers"])
    chosen = parser.parse_args()
    found: list[tuple[float, str]] = []
    if chosen.only != "readers":
        found += ratios_of_patterns()
    if chosen.only != "patterns":
        found += ratios_of_readers()
    print("| exponent | of |\n|---|---|")
    for ratio, name in sorted(found, reverse=True):
        print(f"| {log2(ratio):.2f} | {name} |" if ratio else f"| | {name} |")


def ratios_of_patterns() -> Iterator[tuple[float, str]]:
    """Yield the ratio of a text to its half for each pattern and the methods that are called on it."""
    for name, (pattern, methods) in measured.patterns().items():
        if name not in measured.WELL_FORMED:
            yield from ((measured.growth(pattern, method, SIZES), f"`{name}.{method}`") for method in sorted(methods))


def ratios_of_readers() -> Iterator[tuple[float, str]]:
    """Yield the same for each reader."""
    for name in measured.READERS:
        yield max(measured.ratios_of(name)), f"reader of {name}"


if __name__ == "__main__":
    main()
