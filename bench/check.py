"""How long checking a folder of XML takes, reading included, as a multiple of parsing the files with lxml alone.

    python bench/check.py FOLDER [ROUNDS]

Both are measured in turn in the same process, and the best round of each counts.
"""

import sys
from collections import Counter
from pathlib import Path
from time import perf_counter

from lxml import etree

from temporacle.io import read_corpus
from temporacle.reasoner.check import check_document


def bare(files: list[str]) -> float:
    start = perf_counter()
    for file in files:
        etree.parse(file)
    return perf_counter() - start


def checking(folder: str) -> tuple[float, Counter[str]]:
    start = perf_counter()
    verdicts = Counter(check_document(document).verdict.value for document in read_corpus(folder))
    return perf_counter() - start, verdicts


def main() -> None:
    folder = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    files = sorted(str(path) for path in Path(folder).rglob("*") if path.is_file())
    checking(folder)  # the first round pays for imports and cold files
    parsed, checked = bare(files), checking(folder)
    for _ in range(rounds - 1):
        parsed, checked = min(parsed, bare(files)), min(checked, checking(folder), key=lambda run: run[0])
    seconds, verdicts = checked
    print(f"{dict(verdicts)}: checked in {seconds:.2f} s, bare parse {parsed:.2f} s")
    print(f"ratio {seconds / parsed:.2f}")


if __name__ == "__main__":
    main()
