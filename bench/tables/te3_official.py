"""Write bench/results/te3-runs.md: official and exact scores of all TempEval-3 runs with links, from their raw files.

    python -m bench.tables.te3_official

Reads ../shared/corpora/te3-systems beside the project; without it nothing is written.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from temporacle.audit.official import DifferenceCause, ExactJudgement, ExactSide, VerdictComparison, compare
from temporacle.scoring.metric import Align
from temporacle.scoring.official.tempeval3 import LinkPair, prepared
from temporacle.scoring.official.tempeval3.scores import OfficialCounts, OfficialSide
from temporacle.scoring.official.tempeval3.tlinks import LinkFile
from temporacle.tasks.official_files import questions

PROJECT = Path(__file__).resolve().parents[2]
SYSTEMS = PROJECT.parent / "shared" / "corpora" / "te3-systems"
KEY = SYSTEMS / "TE3-test-key" / "key" / "test-TaskABC"
PAGE = PROJECT / "bench" / "results" / "te3-runs.md"
CAUSES = tuple(cause for cause in DifferenceCause if cause is not DifferenceCause.UNDECIDED)

HEAD = """# The TempEval-3 runs, official and exact

    temporacle official awareness KEY RUN --align tempeval3 --explain-difference

This page shows all runs of TempEval-3 that contain links, scored from the participants' raw files against the key of
the task (20 documents). The files are aligned and renumbered like the task's normaliser does. *Official* is the score
of the task's program with its default method. *Exact* counts in the same way, but with an exact reasoner.
`python -m bench.tables.te3_official` writes this page; the command above gives one row.

"""
TAIL = """
Counts are matched links / counted links, first those of the system, then those of the key. The columns from *label* to
*incomplete* count the links about which the two disagree, by cause (see `docs/official.md`). Not every
disagreement changes a count: a link that the program refuses by mistake is still counted and still matched by its text.
*Inconsistent* counts the documents of the run whose normalised links cannot all be true. In the key there are {key}.
"""


def main() -> int:
    """The exit code."""
    if not KEY.is_dir():
        sys.stderr.write("../shared/corpora/te3-systems is not there: nothing to do\n")
        return 0
    PAGE.write_text(page(), "utf-8")
    return 0


def page() -> str:
    """The whole page."""
    rows, key_inconsistent = [], 0
    for folder in sorted(SYSTEMS.glob("*/*/test-TaskABC")):
        pairs = [
            prepared(pair, Align.TEMPEVAL3).links for pair in questions(str(KEY), str(folder), Align.TEMPEVAL3).pairs
        ]
        if folder == KEY:
            key_inconsistent = sum(_inconsistent(pair.gold) for pair in pairs)
        elif any(pair.system and pair.system.links for pair in pairs):
            rows.append(_row(f"{folder.parts[-3]} {folder.parts[-2]}", pairs))
    columns = ["run", "official F1 / P / R", "official counts", "exact F1 / P / R", "exact counts"]
    columns += [*(cause.value for cause in CAUSES), "inconsistent"]
    lines = [columns, ["---"] * len(columns), *rows]
    return HEAD + "".join(f"| {' | '.join(line)} |\n" for line in lines) + TAIL.format(key=key_inconsistent)


def _row(name: str, pairs: list[LinkPair]) -> list[str]:
    found = [_compared(pair) for pair in pairs]
    official = sum((each.official for each in found), OfficialCounts())
    exact = sum((each.exact for each in found if each.exact is not None), OfficialCounts())
    causes = Counter(difference.cause for each in found for difference in each.differences)
    inconsistent = sum(_inconsistent(pair.system or LinkFile()) for pair in pairs)
    return [name, *_cells(official), *_cells(exact), *(str(causes[cause]) for cause in CAUSES), str(inconsistent)]


def _compared(pair: LinkPair) -> VerdictComparison:
    return compare(OfficialSide(pair.gold.links), OfficialSide((pair.system or LinkFile()).links))


def _cells(counts: OfficialCounts) -> list[str]:
    precision = f"{counts.precision_matched}/{counts.system_total}"
    return [" / ".join(counts.digits()), f"{precision}, {counts.recall_matched}/{counts.gold_total}"]


def _inconsistent(file: LinkFile) -> bool:
    return ExactJudgement.REFUTED in ExactSide(OfficialSide(file.links)).judgements


if __name__ == "__main__":
    sys.exit(main())
