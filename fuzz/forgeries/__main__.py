"""``python -m fuzz.forgeries --cases N --kind K --seed S``: mutated certificates for both checkers.

What either checker accepts must be true, and the two must agree. Exit code 1 if that is not so; such certificates are
kept in ``fuzz/findings/``.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

from fuzz.forgeries.judging import SECOND, Finding, Judges
from fuzz.forgeries.mutations import forged
from fuzz.forgeries.samples import KINDS, sample
from fuzz.forgeries.texts import written

FINDINGS = Path(__file__).resolve().parents[1] / "findings"
BATCH = 100
FORGERIES = 100  # of one certificate


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.forgeries", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="for each kind")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="default: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--checker", metavar="COMMAND", help="another second checker (docs/checker.md says how it is asked)"
    )
    chosen = parser.parse_args()
    second = shlex.split(chosen.checker) if chosen.checker else SECOND
    found = 0
    with Judges(second) as judges:
        for kind in chosen.kind or KINDS:
            accepted, findings = run(judges, kind, chosen.cases, chosen.seed)
            print(
                f"{kind}: {chosen.cases} forgeries, {accepted} accepted and true, {len(findings)} findings", flush=True
            )
            for finding in findings:
                print(f"  {finding.what}; kept in {_keep(kind, finding)}", flush=True)
            found += len(findings)
    return bool(found)


def run(judges: Judges, kind: str, cases: int, seed: int) -> tuple[int, list[Finding]]:
    """Return how many forgeries were accepted, and what is wrong."""
    rng = Random(f"{kind} {seed}")
    accepted, findings = 0, []
    original = ""
    for begin in range(0, cases, BATCH):
        contents = []
        for number in range(begin, min(begin + BATCH, cases)):
            if number % FORGERIES == 0:
                original = json.dumps(sample(kind, rng))
            contents.append(written(rng, *forged(rng, original)))
        judged = judges.judge(contents)
        accepted += sum(each.accepted for each in judged)
        findings += [each.finding for each in judged if each.finding is not None]
    return accepted, findings


def _keep(kind: str, finding: Finding) -> Path:
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{kind}-{sha256(finding.content).hexdigest()[:12]}.json"
    path.write_bytes(finding.content)
    return path


if __name__ == "__main__":
    sys.exit(main())
