"""``python -m fuzz [TARGET...] --seconds N``: each target for so long; exit code 1 if anything was found.

With atheris (the extra ``fuzz``) inputs are guided by coverage, in a process for each target; without it they are
mutated blindly. Inputs that show a fault are kept in ``fuzz/findings/``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from time import monotonic

from fuzz.mutate import variant
from fuzz.seeds import seeds
from fuzz.targets import TARGETS
from temporacle.io.formats import FORMATS

FINDINGS = Path(__file__).parent / "findings"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all of {', '.join(TARGETS)}")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--blind", action="store_true", help="without atheris, even if it is there")
    parser.add_argument("--guided", metavar="TARGET", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.guided:
        return _guided(chosen.guided, chosen.seconds, chosen.seed)
    unknown = set(chosen.targets) - set(TARGETS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    blind = chosen.blind or find_spec("atheris") is None
    failed = 0
    for name in chosen.targets or TARGETS:
        failed += _blind(name, chosen.seconds, chosen.seed) if blind else _in_process(name, chosen.seconds, chosen.seed)
    print(f"{failed} targets with findings" if failed else "nothing found")
    return bool(failed)


def _blind(name: str, seconds: float, seed: int) -> bool:
    rng = Random(f"{name} {seed}")
    end = monotonic() + seconds
    tried = 0
    while monotonic() < end:
        data = variant(rng, name, seeds(name))
        tried += 1
        try:
            TARGETS[name](data)
        except Exception as error:  # whatever it is, it is a finding
            print(f"{name}: {type(error).__name__}: {error}; input kept in {_keep(name, data)}", flush=True)
            return True
    print(f"{name}: {tried} inputs", flush=True)
    return False


def _keep(name: str, data: bytes) -> Path:
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{name}-{sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def _in_process(name: str, seconds: float, seed: int) -> bool:
    """The guided fuzzer ends the process it runs in, so it gets one of its own."""
    FINDINGS.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "fuzz", "--guided", name, "--seconds", str(seconds), "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = [
        line for line in done.stderr.splitlines() if line.startswith(("Done", "stat::number", "===")) or "Error" in line
    ]
    print(f"{name}: {'; '.join(last[-3:]) or done.stderr[-300:]}", flush=True)
    return done.returncode != 0


def _guided(name: str, seconds: float, seed: int) -> int:
    import tempfile

    import atheris

    with atheris.instrument_imports(include=["temporacle"]):
        for entry in FORMATS.values():
            entry.reader()
        for module in ("io.recognise", "readings", "checker", "relation"):
            import_module(f"temporacle.{module}")
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(name)):
            Path(corpus, str(number)).write_bytes(data)
        options = [f"-max_total_time={int(seconds)}", f"-seed={seed + 1}", "-max_len=20000", "-timeout=60"]
        atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={FINDINGS}/{name}-", corpus], TARGETS[name])
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
