"""Reports with --calendar: dates under the timeline, bounds behind the bars, values among the conflicts."""

import re

import temporacle as tp
from temporacle.calendar.policy import Calendar
from temporacle.io.source import Options
from temporacle.report.document.gather import page_of

HARBOUR, RESULTS = "examples/calendar/harbour.tml", "examples/calendar/results.tml"


def test_bars_know_when_entities_can_have_been():
    document = tp.read(HARBOUR)
    oracle = tp.Oracle(document, calendar=True)
    timeline = page_of(document, calendar=Calendar()).timeline
    assert timeline.unit == oracle.unit
    assert {bar.entity.id for bar in timeline.bars} == set(oracle.entities)
    for bar in timeline.bars:
        bounds = oracle.bounds(bar.entity.id)
        assert bar.earliest == bounds.start.earliest.seconds * timeline.unit
        assert bar.latest == bounds.end.latest.seconds * timeline.unit
        assert bar.earliest <= bar.start < bar.end <= bar.latest


def test_pages_say_what_positions_mean(tmp_path):
    page = tmp_path / "page.html"
    tp.report([HARBOUR, RESULTS], output=page, calendar=True)
    with_dates = page.read_text("utf-8")
    tp.report([HARBOUR, RESULTS], output=page)
    without = page.read_text("utf-8")
    assert "Positions are ranks" in without
    assert "Positions are ranks" not in with_dates
    ticks = re.findall(r'class="tick"[^>]*>([^<]*)<', with_dates)
    assert "2019-03-08" in ticks
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d(T[\d:]+)?", tick) for tick in ticks)
    assert "2019-Q2" in with_dates  # the value in the conflict
    assert "contradict each other" in with_dates
    assert "contradict each other" not in without


def test_a_repaired_document_is_drawn_without_what_the_repair_drops():
    (document,) = tp.read_corpus(RESULTS)
    page = page_of(document, calendar=Calendar())
    assert page.verdict == "inconsistent"
    assert page.timeline is not None
    assert page.timeline == page_of(document, calendar=Calendar()).timeline


def test_values_are_kept_at_hand_only_when_they_are_asked_for():
    from temporacle.io import read_corpus

    (plain,), (asked,) = (list(read_corpus([HARBOUR], options)) for options in (Options(), Options(values=True)))
    assert plain.known_times is None
    assert [time.id for time in asked.known_times] == [time.id for time in plain.times]
