"""Shows what Temporacle does, on the small documents beside this file: ``make demo`` runs it."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from temporacle.cli import run

STEPS = (
    ("Certify a corpus: which documents contradict themselves, where, and what would mend them?",
     "check examples/corpus --repair"),
    ("Does the ferry document say that the engine failed before the ship docked?",
     "entails examples/corpus/ferry.tml ei4 BEFORE ei6"),
    ("Everything that follows from three disjunctions (the middle guard is known after all):",
     "closure examples/corpus/shift.tsv"),
    ("Score a system's links against the gold ones, with complete inference:",
     "score examples/gold examples/system"),
)  # fmt: skip


def main() -> None:
    os.chdir(Path(__file__).resolve().parents[1])
    for question, command in STEPS:
        print(f"\n# {question}\n$ temporacle {command}\n", flush=True)
        code = run(shlex.split(command))
        print(f"(exit code {code})", flush=True)
        if code not in (0, 1):
            sys.exit(code)


if __name__ == "__main__":
    main()
