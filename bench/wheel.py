"""The wheel, as people get it: ``make wheel``.

The sdist and the wheel are built twice, from files with other times and permissions: the digests must be equal. The
wheel is made from the sdist, is put into dist, and is installed with all extras into an empty environment for each
Python that is installed here. There every command is run once, outside the project.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        wheel = built(Path(folder))
        failed = [problem for version in sys.argv[1:] for problem in tried(Path(folder), wheel, version)]
    print("\n".join(failed) or "every command does its work")
    return bool(failed)


def built(folder: Path) -> Path:
    """Return the wheel. It is in dist, beside the sdist that it was made from."""
    hatchling = environment(folder / "build", sys.executable, "hatchling")
    archives, wheels = [], []
    for number in (1, 2):
        source = folder / f"source{number}"
        source.mkdir()
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x", "-m"], cwd=source, input=archive, check=True, umask=0o022 if number == 1 else 0o077)
        archives.append(made(hatchling, source, "sdist"))
        unpacked = folder / f"unpacked{number}"
        with tarfile.open(archives[-1]) as packed:
            packed.extractall(unpacked, filter="data")
        wheels.append(made(hatchling, next(unpacked.iterdir()), "wheel"))
    for first, second in (archives, wheels):
        digests = {sha256(each.read_bytes()).hexdigest() for each in (first, second)}
        if len(digests) > 1:
            raise SystemExit(f"{first.name}: two builds have two digests")
        print(f"{digests.pop()}  {first.name}")
        (ROOT / "dist").mkdir(exist_ok=True)
        shutil.copy(first, ROOT / "dist")
    return ROOT / "dist" / wheels[0].name


def environment(folder: Path, python: str, *wanted: str) -> Path:
    """Return the Python of a new environment in which something is installed."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    subprocess.run([own, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted], check=True)
    return own


def made(python: Path, source: Path, kind: str) -> Path:
    out = source.parent / f"{source.name}-{kind}"
    build = [python, "-m", "hatchling", "build", "-t", kind, "-d", out]
    subprocess.run(build, cwd=source, check=True, stdout=subprocess.DEVNULL)
    return next(out.iterdir())


def tried(folder: Path, wheel: Path, version: str) -> list[str]:
    """Return the commands that do not do their work under a version of Python."""
    found = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    python = str(found[-1]) if found else shutil.which(f"python{version}")
    if python is None:
        print(f"Python {version}: not installed, not tried")
        return []
    own = environment(folder / f"environment{version}", python, f"{wheel}[all]")
    problems = smoke(own.with_name("temporacle"), folder / f"work{version}")
    print(f"Python {version}: {len(problems)} commands failed")
    return [f"Python {version}: {each}" for each in problems]


def smoke(program: Path, work: Path) -> list[str]:
    """Run every command once, in a folder with a copy of the examples and nothing else."""
    sys.path.insert(0, str(ROOT / "tests"))
    sys.path.insert(0, str(ROOT / "tests" / "commands"))
    from test_every_command import RUNS

    shutil.copytree(ROOT / "examples", work / "examples")
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    surroundings |= {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    problems = []
    for name, (arguments, code, words) in sorted(RUNS.items(), key=lambda each: each[0] == "verify"):
        done = subprocess.run(
            [program, name, *shlex.split(arguments)],
            cwd=work, env=surroundings, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        written = "".join(path.read_text("utf-8") for path in work.glob("out*"))
        for path in work.glob("out*"):
            path.unlink()
        if done.returncode != code or words not in done.stdout + done.stderr + written:
            problems.append(f"{name}: exit code {done.returncode}: {done.stderr[-300:]}")
    for name in ("serve", "workbench"):
        done = subprocess.run([program, name, "--help"], cwd=work, env=surroundings, capture_output=True, check=False)
        problems += [f"{name} --help: exit code {done.returncode}"] if done.returncode else []
    return problems


if __name__ == "__main__":
    sys.exit(main())
