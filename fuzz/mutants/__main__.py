"""``python -m fuzz.mutants temporacle/reasoner --tests tests/reasoner tests/laws``: try all mutants of these modules.

Results are kept in a file, one line a mutant, so that a run can be continued. A module that has changed since is tried
again as a whole.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path

from fuzz.mutants.hunt import Result, by_module, hunt
from fuzz.mutants.operators import Mutant

_LIVING = {"survived", "unreached"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutants", description=__doc__)
    parser.add_argument("modules", nargs="+", type=Path, help="modules or folders of them")
    parser.add_argument("--tests", nargs="+", required=True, help="tests that may notice a mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=6, help="of tests for each mutant, the fastest first")
    parser.add_argument("--again", action="store_true", help="try what survived an earlier run again")
    parser.add_argument("--results", type=Path, default=Path("build/mutants.jsonl"))
    chosen = parser.parse_args()
    paths = sorted({path for each in chosen.modules for path in (each.rglob("*.py") if each.is_dir() else [each])})
    digests = {str(path): sha256(path.read_bytes()).hexdigest()[:16] for path in paths}
    kept = _kept(chosen.results, digests)
    results = {(result.path, result.mutant.number): result for result in kept}
    known = {key for key, result in results.items() if not (chosen.again and result.outcome in _LIVING)}
    chosen.results.parent.mkdir(parents=True, exist_ok=True)
    with chosen.results.open("a") as lines:
        for result in hunt(
            paths,
            chosen.tests,
            jobs=chosen.jobs,
            seconds=chosen.seconds,
            known=lambda path, mutant: (path, mutant.number) in known,
        ):
            results[result.path, result.mutant.number] = result
            lines.write(json.dumps([digests[result.path], result.path, *result.mutant, result.outcome]) + "\n")
            lines.flush()
    _show(list(results.values()))
    return 0


def _kept(path: Path, digests: dict[str, str]) -> list[Result]:
    """Return the results of an earlier run that are about the modules as they are now."""
    if not path.exists():
        return []
    rows = map(json.loads, path.read_text().splitlines())
    return [Result(row[1], Mutant(*row[2:6]), row[6]) for row in rows if digests.get(row[1]) == row[0]]


def _show(results: list[Result]) -> None:
    print("module mutants killed out-of-time survived unreached share".replace(" ", "\t"))
    for path, counts in sorted(by_module(results).items()):
        total = sum(counts.values())
        caught = counts["killed"] + counts["out of time"]
        print(
            path, total, counts["killed"], counts["out of time"], counts["survived"], counts["unreached"],
            f"{caught / total:.1%}", sep="\t",
        )  # fmt: skip
    for path, mutant, outcome in sorted(results):
        if outcome in _LIVING:
            print(f"{path}:{mutant.line}: {outcome}: {mutant.change}")


if __name__ == "__main__":
    raise SystemExit(main())
