"""`make bench` runs all benches and nothing else."""

from importlib import import_module

import pytest

from bench.__main__ import benches


@pytest.mark.parametrize("name", benches())
def test_every_bench_has_rows(name):
    if name == "peers":
        pytest.importorskip("tieval")
    assert callable(import_module(f"bench.{name}").rows)


def test_the_benches_of_the_notes_are_found():
    assert {"awareness", "cores", "hard", "repair", "scale", "session"} <= set(benches())
