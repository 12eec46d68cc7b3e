"""The table of TempEval-3 participants in ``bench/results/te3-table.md``.

    python -m bench.tables.te3 ../shared/corpora/te3-platinum ../shared/corpora/te3-systems > bench/results/te3-table.md

Every folder below the second one that holds files with links is a run. Entities are aligned by spans. One document is
spelled differently in the two collections; where one document is left over on each side, the two are a pair.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.corpus.references import bare_name
from temporacle.io import read_corpus
from temporacle.model import Document
from temporacle.reasoner.oracle import Oracle
from temporacle.tasks.score import score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from temporacle.results import Score

HEAD = """# TempEval-3 participants, scored exactly

    temporacle score te3-platinum/ te3-systems/TIPSem/key --align spans

This page shows the runs of TempEval-3 (2013) that contain links, scored against the platinum gold standard of 20
documents. Entities are matched by their place in the text (`--align spans`). All scores are micro-averaged percentages.

| column | meaning |
|---|---|
| inconsistent | documents of the run whose links cannot all be true |
| excluded | links that contradict earlier links |
| awareness | temporal awareness with complete inference |
| repair | the same, with contradictory links removed by a repair instead of in document order |
| reduction | recall and precision of the transitive reduction, strict |
| entities without counterpart | entities that have no matching entity on the other side |

`python -m bench.tables.te3` makes this page from the published runs, which are not part of the project.
"""
COLUMNS = (
    "run", "links", "inconsistent", "excluded", "awareness F1", "P", "R", "repair F1", "reduction recall", "precision",
    "entities without counterpart",
)  # fmt: skip


def main() -> int:
    gold_folder, systems_folder = map(Path, sys.argv[1:3])
    gold = list(read_corpus(gold_folder))
    rows = []
    for name, system in runs(systems_folder):
        answers = paired(gold, system)
        plain, reduced = score(gold, answers, metric=["awareness", "reduction"], align="spans")
        repaired = score(gold, answers, align="spans", contradictions="repair")
        rows.append((plain.f1, _cells(name, system, plain, repaired, reduced)))
        signatures = (plain.signature, repaired.signature, reduced.signature)
    print(HEAD)
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" + "|---:" * (len(COLUMNS) - 1) + "|")
    for _, cells in sorted(rows, key=lambda row: (-row[0], row[1])):
        print("| " + " | ".join(cells) + " |")
    print("\nSignatures:\n")
    print("\n".join(f"- `{line}`" for line in signatures))
    return 0


def runs(top: Path) -> Iterator[tuple[str, list[Document]]]:
    """Folders with linked documents, by name; the copy of the gold standard is not a run."""
    for folder in sorted({path.parent for path in top.rglob("*.tml")}):
        found = [document for document in read_corpus(folder) if isinstance(document, Document)]
        name = folder.relative_to(top).as_posix().removesuffix("/test-TaskABC")
        if any(document.links for document in found) and "test-key" not in name.lower():
            yield name, found


def paired(gold: list[Document], system: list[Document]) -> list[Document]:
    """The system's documents; one that is left over gets the name of the one that is left over in gold."""
    names = [{bare_name(document.id) for document in side} for side in (gold, system)]
    lonely, strange = names[0] - names[1], names[1] - names[0]
    if len(lonely) != 1 or len(strange) != 1:
        return system
    return [replace(each, id=next(iter(lonely))) if bare_name(each.id) in strange else each for each in system]


def _cells(name: str, system: list[Document], plain: Score, repaired: Score, reduced: Score) -> list[str]:
    inconsistent = sum(not Oracle(document).is_consistent() for document in system)
    lost = [each.unmatched for each in plain.documents if each.unmatched is not None]
    return [
        name,
        str(sum(len(document.links) for document in system)),
        str(inconsistent),
        str(dict(plain.counts.items())["system_set_aside"]),
        _percent(plain.f1),
        _percent(plain.precision),
        _percent(plain.recall),
        _percent(repaired.f1),
        _percent(reduced.recall),
        _percent(reduced.precision),
        f"{sum(len(each.gold) for each in lost)} gold, {sum(len(each.system) for each in lost)} system",
    ]


def _percent(value: Fraction) -> str:
    return f"{100 * float(value):.2f}"


if __name__ == "__main__":
    sys.exit(main())
