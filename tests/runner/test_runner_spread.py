"""Values spread over cores: results in order, whatever happens to single ones."""

import os
from fractions import Fraction

import pytest

from temporacle.corpus import Request, score_pairs
from temporacle.io.pairing import pair_up
from temporacle.model import Document
from temporacle.reasoner.network import Network
from temporacle.runner.place import Place, Plan
from temporacle.runner.spread import spread


def square(number):
    if number == 13:
        os._exit(1)
    if number == 17:
        raise ValueError("an unlucky number")
    return number * number


def failed(number, reason):
    return f"{number}: {reason}"


def test_results_come_in_order_and_failures_are_told():
    with Place(Plan(jobs=2)) as place:
        found = [result for _, result in spread(square, range(30), place, failed=failed)]
    expected = [number * number for number in range(30)]
    expected[13] = "13: the process that worked on it died"
    expected[17] = "17: internal error: ValueError: an unlucky number"
    assert found == expected


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_processes_do_not_change_a_score(jobs):
    def document(name, count):
        links = [(f"e{i}", "BEFORE", f"e{i + 1}") for i in range(count)]
        return Document(name, Network.of(links).links)

    gold = [document(f"d{number}", 5) for number in range(20)]
    system = [document(f"d{number}", number % 6) for number in range(20)]
    pairing = pair_up(gold, system)
    with Place(Plan(jobs)) as place:

        def spread_like_map(work, pairs):
            return (result for _, result in spread(work, pairs, place, failed=failed))

        total = score_pairs(pairing, Request(), spread=spread_like_map)
    assert total == score_pairs(pairing, Request())
    assert 0 < total.recall < Fraction(1)
