"""The library's reading of values against the reference's, value by value and fact by fact."""

from random import Random

import naive_calendar as naive
import naive_values
import pytest
from calendar_documents import random_document, random_options, random_text
from certificate_maker import constraints, zone_text

from temporacle.calendar.facts import values_of
from temporacle.calendar.policy import calendar_of
from temporacle.calendar.values import BadValue, Silence, read_value
from temporacle.io.jsonl.document import document_of
from temporacle.io.source import Options, Source


def form(reading):
    """A reading of the library in the form of the reference."""
    if isinstance(reading, Silence):
        return naive_values.NOTHING
    return reading.code if isinstance(reading, BadValue) else tuple(reading)


@pytest.mark.parametrize("seed", [30, pytest.param(31, marks=pytest.mark.slow)])
def test_values_are_read_alike(seed):
    rng = Random(seed)
    met = set()
    for _ in range(240_000 if seed == 31 else 8000):
        value, hemisphere = random_text(rng), rng.choice(("unknown", "north", "south"))
        expected = naive_values.read(value, hemisphere)
        assert form(read_value(value, hemisphere)) == expected, value
        met.add(expected if isinstance(expected, str) else type(expected))
    assert len(met) == 6


def test_every_value_that_a_slip_makes_unknown_has_a_cure_that_is_known():
    for value in ("2000-W7", "1999-06-10T9:00", "P5H", "19990610", "1999-6", "1999-06-1"):
        reading = read_value(value)
        assert reading.code == "value-unknown"
        assert not isinstance(read_value(reading.cure), BadValue), value


@pytest.mark.parametrize("seed", [32, pytest.param(33, marks=pytest.mark.slow)])
def test_documents_give_the_same_facts_and_remarks(seed):
    rng = Random(seed)
    for _ in range(3000 if seed == 33 else 300):
        record, options = random_document(rng), random_options(rng)
        document = document_of("d", record, 1, Source("d.jsonl", b"", Options()))
        for policy in naive.POLICIES:
            calendar = calendar_of(policy, options["hemisphere"], zone_text(options["zone"]))
            found, expected = values_of(document, calendar), naive.calendar_of(record, policy, **options)
            assert {fact.id: list(map(list, fact.constraints)) for fact in found.facts} == {
                name: constraints(expected.facts[name].edges) for name in expected.values
            }
            remarks = [(remark.element, remark.code) for remark in found.remarks if remark.code != "dangling-id"]
            assert dict(remarks) == expected.remarks
            assert len(dict(remarks)) == len(remarks), "one remark for each time"
            dangling = sum(remark.code == "dangling-id" for remark in found.remarks)
            assert dangling == len(expected.dangling)


@pytest.mark.parametrize(
    "value", ["9" * 1_000_000, "P" + "9" * 1_000_000 + "D", "1998-" * 200_000, "P1" + "X" * 1_000_000]
)
def test_a_megabyte_is_not_a_value(value):
    assert read_value(value).code == "value-unknown"
    assert naive_values.read(value) == "value-unknown"
