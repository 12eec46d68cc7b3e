"""Timelines draw only what is certain: every drawn order against the oracle, the limits against a naive search."""

from itertools import combinations, product
from random import Random

import pytest
from naive import random_network

from temporacle.reasoner.algebra import CROSS_PAIRS, EQ, GT, LT, convex_hull, signs_of
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.report.layout import COLUMN, places_of


def signs_between(oracle, one, other):
    """Return the possible signs between the four pairs of a start or end of one entity and of another, asked for."""
    relation = oracle.strongest(one, other)
    return {
        (x == 1, y == 3): sign for (x, y), sign in zip(CROSS_PAIRS, signs_of(convex_hull(int(relation))), strict=True)
    }


def consistent_networks(kind, cases, most=7):
    rng = Random(kind)
    while cases:
        names = [f"e{number}" for number in range(rng.randint(2, most))]
        network = Network.of(random_network(rng, names, kind, rng.choice((0.2, 0.35, 0.6))))
        if network.links and Oracle(network).is_consistent():
            cases -= 1
            yield network


def reach(place, is_end):
    return (place.end, place.latest) if is_end else (place.earliest, place.start)


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_every_order_that_is_drawn_follows_from_the_links(kind):
    drawn = equal = 0
    for network in consistent_networks(kind, 300):
        oracle, places = Oracle(network), places_of(network)
        for name, place in places.items():
            assert place.core is None or place.core[0] < place.core[1], name
        for one, other in combinations(places, 2):
            if places[one].lane != places[other].lane:
                continue
            signs = signs_between(oracle, one, other)
            for ends in product((False, True), repeat=2):
                (low, high), (other_low, other_high) = (
                    reach(places[name], is_end) for name, is_end in zip((one, other), ends, strict=True)
                )
                if high is not None and other_low is not None and high <= other_low:
                    drawn += 1
                    assert not signs[ends] & GT
                    assert high == other_low or not signs[ends] & EQ
                if low is not None and other_high is not None and other_high <= low:
                    drawn += 1
                    assert not signs[ends] & LT
                    assert other_high == low or not signs[ends] & EQ
                if low is not None and low == high == other_low == other_high:
                    equal += 1
                    assert signs[ends] == EQ
    assert drawn > 1000
    assert equal > 30


def test_limits_are_as_near_as_the_links_say():
    """Every column is asked about for every start and end; of the columns of earlier lanes, none is in an order."""
    exact = 0
    for network in consistent_networks("convex", 150):
        oracle, places = Oracle(network), places_of(network)
        points = [(name, is_end) for name in places for is_end in (False, True)]
        columns = {
            (places[name].lane, low): (name, is_end)
            for name, is_end in points
            if (low := reach(places[name], is_end)[0]) is not None
            and low == reach(places[name], is_end)[1]
            and low % COLUMN == 0
        }
        for name, is_end in points:
            low, high = reach(places[name], is_end)
            lowers, uppers = [None], [None]
            for (lane, column), (other, other_end) in columns.items():
                if lane > places[name].lane:
                    continue
                if lane < places[name].lane:
                    assert signs_between(oracle, name, other)[is_end, other_end] & (LT | GT) == LT | GT
                    continue
                sign = LT if is_end < other_end else GT if other_end < is_end else EQ
                if other != name:
                    sign = signs_between(oracle, name, other)[is_end, other_end]
                if not sign & LT:
                    lowers.append(column if sign & EQ else column + 1)
                if not sign & GT:
                    uppers.append(column if sign & EQ else column - 1)
            assert low == max(filter(lambda each: each is not None, lowers), default=None)
            assert high == min(filter(lambda each: each is not None, uppers), default=None)
            exact += low == high
    assert exact > 500


def test_unconnected_parts_are_lanes_and_a_chain_is_exact():
    chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    places = places_of(Network.of([*chain, ("x", "BEFORE", "y"), ("c", "BEFORE|AFTER", "y"), ("a", "VAGUE", "z")]))
    assert [places[name].lane for name in "abcxyz"] == [0, 0, 0, 1, 1, 2]
    assert [places[name].words for name in "abcz"] == ["from 0 to 1", "from 2 to 3", "from 4 to 5", "anywhere"]


def test_entities_that_no_column_orders_have_a_further_lane():
    chain = [(f"c{number}", "BEFORE", f"c{number + 1}") for number in range(4)]
    beside = [("late", "AFTER", "c3"), ("late", "AFTER", "x"), ("x", "BEFORE", "y"), ("c9", "BEFORE", "y")]
    places = places_of(Network.of([*chain, *beside]))
    assert [places[name].lane for name in ("c0", "late", "x", "y", "c9")] == [0, 0, 0, 1, 1]


def test_early_this_week_does_not_stand_after_saturday():
    """Both are before the day of the article, and nothing is known between them."""
    places = places_of(Network.of([("saturday", "BEFORE", "dct"), ("week", "BEFORE", "dct"), ("dct", "BEFORE", "x")]))
    loose, fixed = sorted((places["saturday"], places["week"]), key=lambda place: place.core is not None)
    assert (loose.earliest, loose.core) == (None, None)
    assert loose.latest > fixed.latest
