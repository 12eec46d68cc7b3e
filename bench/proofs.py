"""Proofs of refutations: hard networks near the phase transition, each inconsistent one with a certificate.

``python -m bench.proofs`` prints the table of bench/NOTES.md; ``python -m bench proofs`` the ratios. Every
certificate must be accepted by the checker in Python and, if ``node`` is there, by the one in JavaScript. Networks that
are not decided within the budget are counted. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import TYPE_CHECKING

from bench.harness import Row
from temporacle.checker import DOCUMENT, verify
from temporacle.errors import BudgetExceeded
from temporacle.experiments.graphs import hard_network
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import certify_conflict, to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 20  # networks of each kind
LIMIT = 300  # seconds for each
KINDS = (
    *(("A", size, 9.5) for size in (20, 30, 40, 50, 60)),
    *(("H", size, degree) for degree in (5.5, 8.0) for size in (20, 40, 60, 80)),
)
ABOUT = dict.fromkeys(DOCUMENT) | {"id": "network"}


@dataclass
class Refutations:
    """What was measured on the inconsistent networks of one kind."""

    name: str
    undecided: int = 0
    conflicts: list[int] = field(default_factory=list)  # links
    steps: list[int] = field(default_factory=list)  # steps of cases, or clauses and lemmas
    proofs: list[int] = field(default_factory=list)  # bytes
    deciding: list[float] = field(default_factory=list)  # seconds
    making: list[float] = field(default_factory=list)
    checking: list[float] = field(default_factory=list)
    in_javascript: bool = False  # whether the second checker accepts all, too

    def measure(self, network: Network) -> dict | None:
        """Refute one network. Returns the certificate."""
        start = process_time()
        try:
            if Oracle(network, budget=Budget(LIMIT)).is_consistent():
                return None
            decided = process_time()
            form = to_json(certify_conflict(Judged(network, Budget(LIMIT))), ABOUT)
        except BudgetExceeded:
            self.undecided += 1
            return None
        made = process_time()
        text = json.dumps(form)
        begin = process_time()
        verify(text)
        self.checking.append(process_time() - begin)
        self.deciding.append(decided - start)
        self.making.append(made - decided)
        proof = form["proof"]
        self.conflicts.append(len(form["conflict"]))
        self.steps.append(len(proof) if isinstance(proof, list) else len(proof["clauses"]) + len(proof["lemmas"]))
        self.proofs.append(len(json.dumps(proof)))
        return form


def refutations(family: str, size: int, degree: float) -> Refutations:
    found = Refutations(f"{family}({size}, {degree:g})")
    rng = Random(f"proofs {family} {size} {degree}")
    with tempfile.TemporaryDirectory() as name:
        for number in range(COUNT):
            form = found.measure(Network(hard_network(rng, family, size, degree, "network").links))
            if form is not None:
                Path(name, f"{number}.json").write_text(json.dumps(form), "utf-8")
        found.in_javascript = bool(found.proofs) and accepted_in_javascript(Path(name))
    return found


def accepted_in_javascript(folder: Path) -> bool:
    """Whether the second checker accepts all certificates of a folder; False without node."""
    node = shutil.which("node")
    if node is None:
        return False
    program = str(files("temporacle") / "data" / "checker.js")
    done = subprocess.run([node, program, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the second checker rejects a certificate: {done.stdout}{done.stderr}")
    return True


def rows() -> Iterator[Row]:
    for family, degree in sorted({(family, degree) for family, _, degree in KINDS}):
        found = [refutations(*kind) for kind in KINDS if (kind[0], kind[2]) == (family, degree)]
        made, checked = (sum(sum(getattr(each, name)) for each in found) for name in ("making", "checking"))
        count, undecided = sum(len(each.proofs) for each in found), sum(each.undecided for each in found)
        note = f"{count} proofs, {checked:.2f} s; {undecided} undecided"
        yield Row(f"checking all proofs of {family}(n, {degree:g})", "making them", checked / made, 1, note=note)


HEAD = ("networks", "refuted", "conflict", "steps", "proof, median", "largest", "decided in", "made in", "checked in")


def main() -> int:
    print(f"| {' | '.join(HEAD)} | accepted |")
    print(f"|---|{'---:|' * (len(HEAD) - 1)}---|")
    for kind in KINDS:
        found = refutations(*kind)
        if not found.proofs:
            continue
        late = f", {found.undecided} undecided" if found.undecided else ""
        cells = (
            found.name,
            f"{len(found.proofs)} of {COUNT}{late}",
            f"{max(found.conflicts)}",
            f"{max(found.steps):,}",
            f"{median(found.proofs) / 1000:.1f} kB",
            f"{max(found.proofs) / 1000:.1f} kB",
            f"{max(found.deciding):.2f} s",
            f"{max(found.making):.2f} s",
            f"{max(found.checking):.3f} s",
            "all, by both" if found.in_javascript else "all",
        )
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
