"""What values say: patterns, borders, lengths, remarks; compared with the standard library where that can judge."""

import datetime as dt
import itertools

import pytest

import temporacle as tp
from temporacle.calendar import civil
from temporacle.calendar.civil import Length, month_days
from temporacle.calendar.facts import values_of
from temporacle.calendar.policy import Calendar, Policy, calendar_of
from temporacle.calendar.values import BadValue, Silence, Span, read_value
from temporacle.tasks.entails import entails


def seconds(*when):
    return int(dt.datetime(*when, tzinfo=dt.UTC).timestamp())


def test_days_and_weeks_agree_with_the_standard_library():
    for ordinal in range(1, 3_652_059, 1_009):
        date = dt.date.fromordinal(ordinal)
        day = ordinal - 719_163
        assert civil.day_number(date.year, date.month, date.day) == day
        assert civil.date_of(day) == (date.year, date.month, date.day)
        year, week, weekday = date.isocalendar()
        if year:
            span = read_value(f"{year:04}-W{week:02}-{weekday}")
            assert span == Span(day * civil.DAY, (day + 1) * civil.DAY)


def test_day_numbers_have_no_limits():
    for day in range(-4_000_000, 4_000_000, 10_007):
        assert civil.day_number(*civil.date_of(day)) == day


def test_months_in_a_row_agree_with_counting():
    lengths = [civil.month_length(year, month) for year in range(800) for month in range(1, 13)]
    for months in (1, 2, 3, 6, 11, 12, 13, 48, 120, 4799, 4800):
        sums = [sum(lengths[start : start + months]) for start in range(4800)]
        assert month_days(months) == (min(sums), max(sums))
    assert month_days(9600 + 12) == (2 * 146_097 + 365, 2 * 146_097 + 366)


@pytest.mark.parametrize(
    ("value", "begin", "end", "firm"),
    [
        ("1998", (1998, 1, 1), (1999, 1, 1), True),
        ("1998-12", (1998, 12, 1), (1999, 1, 1), True),
        ("1998-W06-WE", (1998, 2, 7), (1998, 2, 9), True),
        ("1998-H2", (1998, 7, 1), (1999, 1, 1), True),
        ("199", (1990, 1, 1), (2000, 1, 1), True),
        ("19", (1900, 1, 1), (2000, 1, 1), True),
        (" 1998-02-06T24:00 ", (1998, 2, 7), (1998, 2, 7, 0, 1), True),
        ("1998-02-06T10:30:15.25", (1998, 2, 6, 10, 30, 15), (1998, 2, 6, 10, 30, 16), False),
        ("1998-02-06TNI", (1998, 2, 6), (1998, 2, 7, 8), False),
        ("1998-03-XXTMO", (1998, 3, 1), (1998, 4, 2), False),
        ("199X-SUT10", (1989, 9, 23), (2000, 4, 10), False),
        ("199X-Q4", (1990, 1, 1), (2000, 1, 1), False),
        ("1998-WXX-WE", (1997, 12, 29), (1999, 1, 4), False),
        ("FY1998-Q1", (1997, 1, 1), (2000, 1, 1), False),
    ],
)
def test_borders(value, begin, end, firm):
    assert read_value(value) == Span(seconds(*begin), seconds(*end), firm)


def test_zones_shift_to_universal_time():
    noon = read_value("1998-02-06T12:00Z")
    for other in ("1998-02-06T14:00+02", "1998-02-06T14:00+0200", "1998-02-06T07:00-05:00"):
        assert read_value(other) == noon
    assert noon.zoned


def test_seasons_of_the_hemispheres():
    north, south, unknown = (read_value("1998-SU", each) for each in ("north", "south", "unknown"))
    assert (north.lo, north.hi) == (seconds(1998, 6, 1), seconds(1998, 9, 25))
    assert (south.lo, south.hi) == (seconds(1997, 12, 1), seconds(1999, 3, 22))
    assert (unknown.lo, unknown.hi) == (south.lo, south.hi)
    assert read_value("1998-WI", "south") == north


@pytest.mark.parametrize(
    "value", ["PRESENT_REF", "XXXX-07-16", "XXXX-WXX-1TMO", "T10:30", "PXM", "PXX", "PTXH", "P1NI", "PT2MO", "P2WE"]
)
def test_silence(value):
    assert read_value(value) == Silence()


@pytest.mark.parametrize(
    ("value", "code", "cure"),
    [
        ("", "value-missing", None),
        ("1999-02-30", "value-impossible", None),
        ("1999-W53", "value-impossible", None),
        ("1998-02-06T25:00", "value-impossible", None),
        ("1999-02-30TXX:30", "value-unknown", None),  # the shape is judged before the numbers
        ("wordT25:00", "value-unknown", None),
        ("0000", "value-impossible", None),
        ("P0D", "value-impossible", None),
        ("2000-W7", "value-unknown", "2000-W07"),
        ("1999-06-10T9:00", "value-unknown", "1999-06-10T09:00"),
        ("P5H", "value-unknown", "PT5H"),
        ("P1234567D", "value-unknown", None),
        ("1998/1999", "value-unknown", None),
        ("12X", "value-unknown", None),
        ("1998-1-1", "value-unknown", "1998-01-01"),
    ],
)
def test_bad_values_name_their_cure(value, code, cure):
    assert read_value(value) == BadValue(code, cure)


def test_lengths_are_right_up_to_one_unit():
    assert read_value("P9M") == Length(*(days * civil.DAY for days in (273, 276, 242, 306)))
    assert read_value("P1Y6M").least == read_value("P18M").least
    assert read_value("P1.5Y")[:2] == read_value("P18M")[:2]
    assert read_value("P1D").above == 0
    assert read_value("P2DE").least == read_value("P20Y").least


def test_each_policy_only_adds_constraints():
    times = [
        tp.Entity(f"t{number}", tp.Kind.TIME, value=value, mod=mod, is_dct=dct, type=kind)
        for number, (value, mod, dct, kind) in enumerate(
            itertools.product(("1998", "1998-SU", "P3D"), (None, "START"), (False, True), ("DATE", "DURATION"))
        )
    ]
    document = tp.Document("d", known_times=tuple(times))
    said = {policy: values_of(document, Calendar(policy)).facts for policy in Policy}
    assert len(said[Policy.WITHIN]) == len(said[Policy.EXACT]) > 0
    dated = {fact.id: set(fact.constraints) for fact in said[Policy.WITHIN] if fact.value != "P3D"}
    for weaker, stronger in itertools.pairwise((Policy.WITHIN, Policy.DOCUMENT, Policy.EXACT)):
        facts = {fact.id: set(fact.constraints) for fact in said[stronger]}
        assert all(set(fact.constraints) <= facts[fact.id] for fact in said[weaker] if fact.id in dated)


def test_points_name_the_unit_of_another_time():
    times = (
        tp.Entity("t1", tp.Kind.TIME, value="PXD", begin_point="t2", end_point="t9"),
        tp.Entity("t2", tp.Kind.TIME, value="1998-02-06"),
        tp.Entity("t3", tp.Kind.TIME, value="1998", mod="AFTER"),
        tp.Entity("t4", tp.Kind.TIME, value="PXD", begin_point="t3", end_point="t4"),
    )
    said = values_of(tp.Document("d", known_times=times), Calendar())
    assert [fact.id for fact in said.facts] == ["t1.beginPoint", "t2", "t3"]
    assert said.facts[0].reads() == {"start": [">=", "1998-02-06T00:00:00", "<=", "1998-02-07T00:00:00"]}
    assert [remark.code for remark in said.remarks] == ["dangling-id"]


def test_what_is_asked_for_is_checked():
    assert calendar_of(None) is None
    assert calendar_of(True, zone="-05:00") == Calendar(zone=-18_000)
    for wrong in (("weekly",), ("exact", "east"), ("exact", None, "CET"), (None, "north")):
        with pytest.raises(tp.UsageError):
            calendar_of(*wrong)
    with pytest.raises(tp.UsageError, match="1998-W07"):
        tp.date("1998-W7")


def test_times_of_a_countermodel_are_on_the_calendar():
    found = entails("examples/calendar/harbour.tml", "ei2", "BEFORE", "2019-03-10", calendar=True)
    start, end = found.witness["2019-03-10"]
    assert (start, end) == (seconds(2019, 3, 10) * found.unit, seconds(2019, 3, 11) * found.unit)
    assert found.to_dict()["unit"] == found.unit
