"""Chunks: nothing is lost, and their size follows what the work has cost."""

import random

import pytest

from temporacle.corpus.inputs import size_of
from temporacle.io.source import Source
from temporacle.runner import Pace


def no_size(_item):
    return 0


def test_chunks_start_small_and_lose_nothing():
    items = list(range(5000))
    chunks = list(Pace(no_size).chunks(items))
    assert [item for chunk in chunks for item in chunk] == items
    assert {len(chunk) for chunk in chunks[:8]} == {1}
    assert max(map(len, chunks)) == 200


def test_large_items_make_chunks_of_their_own():
    items = [Source(f"d{number}", bytes(1 << 20)) for number in range(100)]
    assert {len(chunk) for chunk in Pace(size_of).chunks(items)} == {1}


def test_without_a_measurement_nothing_is_expected():
    pace = Pace(no_size)
    assert pace.seconds(10, 0) is None
    assert pace.seconds_of([1, 2]) == 0


def test_what_items_cost_is_expected_of_the_next():
    pace = Pace(no_size)
    pace.measured([0] * 10, 0.2)
    assert pace.seconds(5, 0) == pytest.approx(0.1)
    bytewise = Pace(lambda item: item)
    bytewise.measured([100] * 10, 0.2)
    assert bytewise.seconds_of([100] * 5) == pytest.approx(0.1)
    assert bytewise.seconds_of([200] * 5) == pytest.approx(0.15)  # half by number, half by bytes


def test_the_first_chunk_counts_only_until_there_is_another():
    """It loads what all documents need, and takes longer than any other."""
    pace = Pace(no_size)
    pace.measured([0], 0.5)
    assert pace.seconds(1, 0) == pytest.approx(0.5)
    pace.measured([0] * 2, 0.002)
    assert pace.seconds(1, 0) == pytest.approx(0.001)
    pace.measured([0] * 2, 0.006)
    assert pace.seconds(1, 0) == pytest.approx(0.002)


def test_what_was_measured_long_ago_counts_less():
    pace = Pace(no_size)
    for _ in range(1000):
        pace.measured([0] * 10, 0.001)
    for _ in range(1000):
        pace.measured([0], 0.1)
    assert pace.seconds(1, 0) == pytest.approx(0.1, rel=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_a_chunk_is_a_small_part_of_the_work_that_is_done(seed):
    """Items of random cost, measured in order: no chunk is expected to take long, but short chunks grow."""
    rng = random.Random(seed)
    cost = 10 ** rng.uniform(-5, -1)
    items = [cost * rng.uniform(0.5, 2) for _ in range(3000)]
    pace = Pace(no_size)
    done = 0.0
    taken = []
    for chunk in pace.chunks(items):
        if done:
            expected = pace.seconds_of(chunk)
            assert expected <= min(max(done / 32, 0.008), 0.05) + pace.seconds(1, 0)
        pace.measured(chunk, sum(chunk))
        done += sum(chunk)
        taken += chunk
    assert taken == items
