"""Reports with --calendar: dates under the timeline, bounds behind the bars, values among the conflicts."""

import re

import temporacle as tp
from temporacle.calendar.policy import Calendar
from temporacle.io.source import Options
from temporacle.model import Body, Document, Entity, Kind
from temporacle.reasoner.network import Network
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
        known = (bounds.start.earliest, bounds.start.latest, bounds.end.earliest, bounds.end.latest)
        assert bar.place == (0, *(limit.seconds * timeline.unit for limit in known))


def test_entities_without_a_date_have_lanes_of_their_own():
    document = Document(
        "d",
        Network.of([("t1", "BEFORE", "a"), ("x", "BEFORE", "y")]).links,
        body=Body(
            entities=(Entity("t1", Kind.TIME, value="2019-03-08"), *(Entity(name, Kind.EVENT) for name in "axy"))
        ),
    )
    places = {bar.entity.id: bar.place for bar in page_of(document, calendar=Calendar()).timeline.bars}
    assert places["t1"].earliest is not None
    assert [places[name].lane for name in ("t1", "a", "x", "y")] == [0, 0, 1, 1]
    assert places["a"].latest is None
    assert places["x"].words == "from 0 to 1"


def test_pages_say_what_positions_mean(tmp_path):
    page = tmp_path / "page.html"
    tp.report([HARBOUR, RESULTS], out=page, calendar=True)
    with_dates = page.read_text("utf-8")
    tp.report([HARBOUR, RESULTS], out=page)
    without = page.read_text("utf-8")
    assert "Numbers count places in order" in without
    assert "Numbers count places in order" not in with_dates
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
