"""The sentences that explain a conflict of links and values, whole."""

import pytest
from library import read

from temporacle.calendar.policy import Calendar, Policy
from temporacle.reasoner.clock.check import CalendarInquiry, duration, explain_facts
from temporacle.reasoner.network import Budget

EXACT = Calendar(Policy.EXACT)


def document(links, values):
    """Times with values, each the text of one or a dict of attributes; other entities are events."""
    names = dict.fromkeys([*(end for source, _, target in links for end in (source, target)), *values])
    entities = []
    for name in names:
        value = values.get(name)
        given = value if isinstance(value, dict) else {"value": value}
        kind = "DURATION" if str(given["value"]).startswith("P") else "DATE"
        entities.append({"id": name} if value is None else {"id": name, "kind": "time", "type": kind, **given})
    listed = [
        {"id": f"l{number}", "source": source, "relation": relation, "target": target}
        for number, (source, relation, target) in enumerate(links)
    ]
    return read({"document": "d", "entities": entities, "links": listed})


def chain(links, values, calendar=None):
    """The explanation of the first conflict, without the places of links. The words of ``t1`` are known."""
    inquiry = CalendarInquiry(document(links, values), calendar or Calendar(), Budget())
    conflict = inquiry.conflict()
    return [sentence.replace(", line 1", "") for sentence in inquiry.explain(conflict, {"t1": "Friday"})]


def test_a_date_before_a_date():
    found = chain([("e1", "d", "t1"), ("t2", "b", "e1")], {"t1": "1998-02-04", "t2": "1998-02-06"})
    assert found == [
        "t2 ends before e1 starts (l1)",
        "e1 starts before it ends",
        'e1 ends before t1 "Friday" ends (l0)',
        't1 "Friday" = 1998-02-04 ends before t2 = 1998-02-06 starts',
        "t2 starts before it ends",
        "so t2 would end before it ends",
    ]


def test_a_day_and_the_next_one():
    """The end of one day may be the start of the next."""
    found = chain([("t1", "b", "t2")], {"t1": "1998-02-06", "t2": "1998-02-05"})
    assert found[2] == 't2 = 1998-02-05 ends when or before t1 "Friday" = 1998-02-06 starts'


def test_whole_days():
    found = chain([("t1", "mi", "t2")], {"t1": "1998-02-06", "t2": "1998-02-07"}, EXACT)
    assert found == [
        't2 ends when t1 "Friday" starts (l0)',
        't1 "Friday" = 1998-02-06 starts before t2 = 1998-02-07 ends',
        "so t2 would end before it ends",
    ]


@pytest.mark.parametrize(
    ("calendar", "short", "long"),
    [(None, "less than 2 days", "more than 2 days"), (EXACT, "at most 1 day", "at least 3 days")],
)
def test_lengths(calendar, short, long):
    assert chain([("t1", "s", "t2")], {"t1": "P3D", "t2": "P1D"}, calendar) == [
        't1 "Friday" ends before t2 ends (l0)',
        f"t2 = P1D lasts {short}",
        't2 starts when t1 "Friday" starts (l0)',
        f't1 "Friday" = P3D lasts {long}',
        'so t1 "Friday" would end before it ends',
    ]


def test_lengths_with_a_word_of_comparison():
    less = {"value": "P1D", "mod": "LESS_THAN"}
    more = {"value": "P3D", "mod": "MORE_THAN"}
    assert chain([("t1", "=", "t2")], {"t1": more, "t2": less}, EXACT)[1::2] == [
        "t2 = LESS_THAN P1D lasts less than 1 day",
        't1 "Friday" = MORE_THAN P3D lasts more than 3 days',
    ]


def test_a_length_and_a_date():
    """With lengths, a sentence about two dates would not say how far apart they are: both are named."""
    assert chain([("t1", "d", "t2")], {"t1": "P3D", "t2": "1998-02-04"}) == [
        't1 "Friday" ends before t2 ends (l0)',
        "t2 = 1998-02-04 ends at 1998-02-05 or before",
        "t2 = 1998-02-04 starts at 1998-02-04 or after",
        't2 starts before t1 "Friday" starts (l0)',
        't1 "Friday" = P3D lasts more than 2 days',
        'so t1 "Friday" would end before it ends',
    ]
    found = chain([("t1", "d", "t2")], {"t1": "P3D", "t2": "1998-02-04T10:30"})
    assert found[1:3] == [
        "t2 = 1998-02-04T10:30 ends at 1998-02-04T10:31:00 or before",
        "t2 = 1998-02-04T10:30 starts at 1998-02-04T10:30:00 or after",
    ]


def test_a_length_between_two_dates():
    """Both dates are in order, and the length says that they are not far enough apart."""
    links = [("t1", "m", "t2"), ("t2", "m", "t3")]
    found = chain(links, {"t1": "1998-02-04", "t2": "P3D", "t3": "1998-02-06"}, EXACT)
    assert "t2 = P3D lasts at least 3 days" in found
    assert 't1 "Friday" = 1998-02-04 ends at 1998-02-05 or after' in found
    assert "t3 = 1998-02-06 starts at 1998-02-06 or before" in found


@pytest.mark.parametrize(
    ("zone", "why"),
    [
        (None, "clocks differ from UTC by at most 14 hours ahead and 12 hours behind"),
        (3600, "the document's clock has the zone that was given"),
    ],
)
def test_two_clocks(zone, why):
    found = chain([("t1", "=", "t2")], {"t1": "1998-02-06T10:00Z", "t2": "1998-03-01"}, Calendar(zone=zone))
    assert found == [
        't2 starts when t1 "Friday" starts (l0)',
        't1 "Friday" starts before it ends',
        't1 "Friday" = 1998-02-06T10:00Z ends at 1998-02-06T10:01:00 UTC or before',
        why,
        "t2 = 1998-03-01 starts at 1998-03-01 or after",
        "so t2 would start before it starts",
    ]


def test_one_clock_with_a_zone():
    found = chain([("t1", "=", "t2")], {"t1": "1998-02-06T10:00Z", "t2": "1998-02-06T12:00Z"})
    assert found[2] == 't1 "Friday" = 1998-02-06T10:00Z ends before t2 = 1998-02-06T12:00Z starts'


def test_links_alone():
    assert chain([("t1", "b", "t2"), ("t2", "m", "e1"), ("e1", "s", "t1")], {}) == [
        't1 "Friday" ends before t2 starts (l0)',
        "t2 starts before it ends",
        "t2 ends when e1 starts (l1)",
        "e1 starts before it ends",
        'e1 ends before t1 "Friday" ends (l2)',
        'so t1 "Friday" would end before it ends',
    ]


def test_links_that_leave_a_choice_of_signs():
    found = chain([("e1", "b|m", "e2"), ("e2", "b|m", "e3"), ("e3", "b|m", "e1")], {})
    assert found[0] == "e1 ends before or when e2 starts (l0)"
    assert found[-1] == "so e1 would end before it ends"


def test_alternatives_of_which_none_fits():
    assert chain([("e1", "b|bi", "e2"), ("e1", "o|oi", "e2")], {}) == [
        "e1 b|bi e2 [b|bi] (l0)",
        "e1 o|oi e2 [o|oi] (l1)",
        "no choice among these alternatives fits together",
    ]
    assert chain([("t1", "b|bi", "t2")], {"t1": "1998", "t2": "1998-02"}, EXACT) == [
        't1 "Friday" b|bi t2 [b|bi] (l0)',
        't1 "Friday" = 1998 (t1)',
        "t2 = 1998-02 (t2)",
        "no choice among these alternatives fits together",
    ]


def test_dates_of_begin_and_end_points_are_named_as_such():
    values = {"t1": {"value": "P2D", "beginPoint": "t2", "endPoint": "t3"}, "t2": "1998-02-04", "t3": "1998-02-20"}
    found = "\n".join(chain([], values))
    assert 't1 "Friday" (beginPoint = 1998-02-04) starts at 1998-02-05 or before' in found
    assert 't1 "Friday" (endPoint = 1998-02-20) ends at 1998-02-20 or after' in found


def test_without_texts():
    inquiry = CalendarInquiry(document([("t1", "b", "t2")], {"t1": "1998", "t2": "1997"}), Calendar(), Budget())
    found = explain_facts(inquiry.conflict(), None)
    assert found[2] == "t2 = 1997 ends when or before t1 = 1998 starts"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (2, "2 seconds"),
        (60, "1 minute"),
        (3_600, "1 hour"),
        (7_323, "2 hours 2 minutes 3 seconds"),
        (86_400, "1 day"),
        (90_061, "1 day 1 hour 1 minute 1 second"),
        (1_000 * 86_400, "1,000 days"),
    ],
)
def test_numbers_of_seconds_in_words(seconds, words):
    assert duration(seconds) == words
