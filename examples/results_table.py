"""Makes the results table of a paper from raw files: ``python examples/results_table.py OUT``.

The files in ``paper/`` are invented: gold links (EventFull JSON), the answers of a language model in two runs, and the
scores of a pairwise classifier. The table has one row for each system: precision, recall and F1 with their 95 %
confidence intervals, the p-value of the difference to the classifier, how many documents of the output contradict
themselves, and how many links would have to go. Every verdict has a certificate, which is checked before the table is
printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import temporacle as tp

RAW = Path(__file__).parent / "paper"


def best_labels(scores: Path, out: Path) -> Path:
    """Write the label of highest score of each pair: what a classifier answers without looking at other pairs."""
    out.mkdir(exist_ok=True)
    for document in map(json.loads, scores.read_text("utf-8").splitlines()):
        pairs = [
            {
                "_firstId": pair["source"],
                "_secondId": pair["target"],
                "_relation": max(pair["scores"], key=pair["scores"].get).lower(),
            }
            for pair in document["pairs"]
        ]
        (out / f"{document['document']}.json").write_text(json.dumps({"allPairs": pairs}), "utf-8")
    return out


def main(out: Path) -> int:
    out.mkdir(parents=True, exist_ok=True)
    proofs = out / "certificates"
    tp.decode(RAW / "pairwise.jsonl", out=out / "decoded", to="eventfull", certificates=str(proofs / "decoded"))
    systems = {
        "model": [RAW / "model-1.json", RAW / "model-2.json"],
        "pairwise": [best_labels(RAW / "pairwise.jsonl", out / "pairwise")],
        "pairwise, decoded": [out / "decoded"],
    }
    runs = {name: tp.Runs(*files) for name, files in systems.items()}
    ranking = tp.compare(RAW / "gold", runs, metric="pairs", baseline="pairwise")
    rows = []
    for system in ranking:
        checks = []
        for number, file in enumerate(systems[system.name], 1):
            folder = proofs / system.name.replace(", ", "-") / f"run-{number}"
            checks += tp.check(file, certificates=str(folder))
        odd = [check for check in checks if check.verdict.value == "inconsistent"]
        interval = system.interval
        rows.append(
            {
                "system": system.name,
                "P": f"{float(system.score.precision):.3f}",
                "R": f"{float(system.score.recall):.3f}",
                "F1": f"{float(system.score.f1):.3f}",
                "95 % CI": "-" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}",
                "p": "-" if system.difference is None else f"{float(system.difference.of('f1').p_value):.3f}",
                "inconsistent": f"{len(odd)} of {len(checks)}",
                "links to remove": str(sum(len(check.to_drop) for check in odd)),
            }
        )
    verified = tp.verify(str(proofs))
    accepted = sum(each.valid is True for each in verified)
    print("| " + " | ".join(rows[0]) + " |")
    print("|" + "---|" * len(rows[0]))
    for row in rows:
        print("| " + " | ".join(row.values()) + " |")
    print(f"\n{ranking.signature}\n{accepted} of {len(verified)} certificates accepted")
    return 0 if accepted == len(verified) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("results")))
