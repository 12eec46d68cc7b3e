"""A corpus of 100,000 documents is streamed: the memory of the parent does not grow with it."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import resource, sys
from temporacle.tasks.check import check

resume = sys.argv[3] if len(sys.argv) > 3 else None
count = sum(1 for _ in check.each([sys.argv[1]], jobs=int(sys.argv[2]), resume=resume))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def write(path, documents):
    """The bytes of the documents, gzipped in the file."""
    links = [{"source": f"e{i}", "relation": "b", "target": f"e{i + 1}", "label": "x" * 40} for i in range(4)]
    total = 0
    with gzip.open(path, "wb", compresslevel=1) as file:
        for number in range(documents):
            total += file.write(json.dumps({"document": f"d{number}", "links": links}).encode() + b"\n")
    return total


def peak(path, jobs, *journal):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    command = [sys.executable, "-c", PROGRAM, str(path), str(jobs), *map(str, journal)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    count, memory = map(int, done.stdout.split())
    return count, memory


@pytest.mark.slow
def test_memory_does_not_grow_with_the_corpus(tmp_path):
    small, large = tmp_path / "small.jsonl.gz", tmp_path / "large.jsonl.gz"
    write(small, 2_000)
    total = write(large, 100_000)
    assert total > 40 << 20
    few, before = peak(small, jobs=2)
    many, after = peak(large, jobs=2)
    assert (few, many) == (2_000, 100_000)
    # The names of documents are kept, to tell twins apart: some hundred bytes each, and nothing else.
    assert after - before < 30 << 20


@pytest.mark.slow
def test_memory_does_not_grow_with_the_journal(tmp_path):
    small, large = tmp_path / "small.jsonl.gz", tmp_path / "large.jsonl.gz"
    write(small, 2_000)
    write(large, 60_000)
    _, before = peak(small, 2, tmp_path / "small.journal")
    for _ in range(2):  # written, then read
        many, after = peak(large, 2, tmp_path / "large.journal")
        assert many == 60_000
        assert after - before < 30 << 20
