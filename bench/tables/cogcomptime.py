"""The table of CogCompTime 2.0 before and after decoding in ``bench/results/decode.md``.

python -m bench.tables.cogcomptime ../shared/corpora/scores
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.corpus.read import read_corpus
from temporacle.model import Document
from temporacle.tasks.decode import decode
from temporacle.tasks.score import score

if TYPE_CHECKING:
    from temporacle.tasks.decodings import DocumentDecoding


def main() -> int:
    folder = Path(sys.argv[1])
    print("| scores | contradictory documents | labels changed | | accuracy | P | R | F1 |")
    print("|---|---:|---:|---|---:|---:|---:|---:|")
    for path in sorted(folder.glob("*.jsonl")):
        gold = list(read_corpus(folder / f"gold-{'tcr' if '.tcr' in path.name else 'matres'}.tsv", labels="matres"))
        found = decode(path, labels="matres", alternatives=0)
        bad = sum(bool(each.decoded.changes) for each in found)
        changed = sum(len(each.decoded.changes) for each in found)
        for name, system in (("argmax", [argmax_of(each) for each in found]), ("decoded", found.documents())):
            pairs = score(gold, system, metric="pairs", convention="matres")
            figures = pairs.to_dict()
            cells = " | ".join(f"{figures[each]:.4f}" for each in ("accuracy", "precision", "recall", "f1"))
            before = f"{path.stem} | {bad} | {changed}" if name == "argmax" else " | | "
            print(f"| {before} | {name} | {cells} |", flush=True)
    return 0


def argmax_of(each: DocumentDecoding) -> Document:
    """The best label of every pair, whether consistent or not."""
    document = each.to_document()
    links = tuple(pair.link(0) for pair in each.decoded.pairs)
    return Document(document.id, links, document.entity_ids, how_read=document.how_read, body=document.body)


if __name__ == "__main__":
    sys.exit(main())
