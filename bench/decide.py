"""Decides the networks of a file and prints a verdict a line: what ``bench.hard`` measures, as a process of its own."""

from __future__ import annotations

import sys

from temporacle.io import read_source
from temporacle.io.source import Source
from temporacle.reasoner.oracle import Oracle
from temporacle.results import Consistent, Inconsistent

LIMIT = 60  # seconds a network


def main(path: str) -> None:
    for document in read_source(Source(path)):
        answer = Oracle(document, budget=LIMIT).consistency(explain=False)
        print(
            1 if isinstance(answer, Consistent) else 0 if isinstance(answer, Inconsistent) else "undecided", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1])
