"""The table of consensus graphs of TempEval-3 participants in ``bench/results/decode.md``.

    python -m bench.tables.te3_consensus ../shared/corpora/te3-platinum ../shared/corpora/te3-systems

Runs vote as in ``temporacle decode --consensus --align spans``. The consensus is scored against platinum like any other
system. *argmax* is the same vote without consistency: every pair gets the label with most votes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.tables.te3 import paired, runs
from temporacle.io import read_corpus
from temporacle.model import Document
from temporacle.reasoner.oracle import Oracle
from temporacle.tasks.decode import decode
from temporacle.tasks.decodings import LEFT_OUT
from temporacle.tasks.score import score

TEAMS = ("TIPSem/key", "cleartk/2-timebank-verbclause", "chambers/NavyTime1", "anup_kolya/platinum", "KUL/TE3RunABC")
BUDGET = 60.0  # seconds a document


def main() -> int:
    gold_folder, systems_folder = map(Path, sys.argv[1:3])
    gold = list(read_corpus(gold_folder))
    every = dict(runs(systems_folder))
    print("| votes | runs | `--absent` | links | inconsistent | awareness F1 | P | R |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name in TEAMS:
        _print(gold, name, 1, "", every[name])
    for names in (TEAMS, tuple(every)):
        sources = [every[name] for name in names]
        for absent in (0.0, 0.5, 1.0):
            found = decode(sources, consensus=True, align="spans", absent=absent, alternatives=0, time_limit=BUDGET)
            _print(gold, "argmax", len(names), f"{absent:g}", [_argmax(each) for each in found])
            proven = sum(each.optimal for each in found)
            title = "consensus" if proven == len(found) else f"consensus ({proven} of {len(found)} proven)"
            _print(gold, title, len(names), f"{absent:g}", found.documents())
    return 0


def _argmax(each) -> Document:
    """The labels with most votes, whether consistent or not."""
    links = [pair.link(0) for pair in each.decoded.pairs if pair.labels[0].label != LEFT_OUT]
    document = each.to_document()
    return Document(document.id, tuple(links), document.entity_ids, how_read=document.how_read, body=document.body)


def _print(gold, title, number, absent, system) -> None:
    documents = [each for each in system if isinstance(each, Document)]
    found = score(gold, paired(gold, documents), align="spans")
    bad = sum(not Oracle(document).is_consistent() for document in documents)
    links = sum(len(document.links) for document in documents)
    figures = " | ".join(f"{float(100 * each):.2f}" for each in (found.f1, found.precision, found.recall))
    print(f"| {title} | {number} | {absent} | {links} | {bad} | {figures} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
