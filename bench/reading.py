"""How long reading a folder of XML takes, as a multiple of parsing the same files with lxml and nothing else.

    python bench/reading.py FOLDER [ROUNDS]

Both are measured in turn in the same run, and the best round of each counts, so the ratio means something on a busy
machine too.
"""

import sys
from pathlib import Path
from time import perf_counter

from lxml import etree

from temporacle.io import read_corpus
from temporacle.model import Document


def bare(files: list[str]) -> float:
    start = perf_counter()
    for file in files:
        etree.parse(file)
    return perf_counter() - start


def reading(folder: str) -> tuple[float, int, int]:
    start = perf_counter()
    documents = links = 0
    for document in read_corpus(folder):
        if isinstance(document, Document):
            documents += 1
            links += len(document.links)
    return perf_counter() - start, documents, links


def main() -> None:
    folder = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    files = sorted(str(path) for path in Path(folder).rglob("*") if path.is_file())
    reading(folder)  # the first round pays for imports and cold files
    parsed, read = bare(files), reading(folder)
    for _ in range(rounds - 1):
        parsed, read = min(parsed, bare(files)), min(read, reading(folder))
    seconds, documents, links = read
    print(f"{documents} documents, {links} links: read in {seconds:.2f} s, bare parse {parsed:.2f} s")
    print(f"ratio {seconds / parsed:.2f}")


if __name__ == "__main__":
    main()
