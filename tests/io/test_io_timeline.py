import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared

import temporacle as tp
from temporacle.errors import InputError
from temporacle.io import timeline
from temporacle.io.source import Options, Source
from temporacle.io.timeline import natural_key, parse_timeline


def read(text, **options):
    (document,) = timeline.read(Source("folder/a & b.txt", text.encode(), Options(**options)))
    return document


def links(text, **options):
    return [(link.source, str(link.relation), link.target) for link in read(text, **options).links]


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["trial", "corpus_1"])
def test_the_corpus_is_read_whole(name):
    counts = json.loads(shared("corpora", "expected.json").read_text("utf-8"))["timelines"][name]
    paths = sorted(shared("corpora", counts["path"]).iterdir())
    timelines = [parse_timeline(path.read_bytes()) for path in paths]
    rows = [row for each in timelines for row in each.rows]
    assert len(timelines) == counts["timelines"]
    assert len(rows) == counts["rows"]
    assert sum(row.position == 0 for row in rows) == counts["rows_at_position_0"]
    assert sum(len(row.fields[2:]) for row in rows) == counts["mentions"]
    for path, each in zip(paths, timelines, strict=True):
        (document,) = timeline.read(Source(str(path), path.read_bytes()))
        placed = sum(len(row.fields[2:]) for row in each.rows if row.position)
        assert len(document.links) == max(2 * placed - 1, 0)
        unplaced = any(row.position == 0 for row in each.rows)
        assert [remark.code for remark in document.remarks] == ["unplaced-row"] * unplaced
        assert isinstance(tp.Oracle(document).consistency(), tp.Consistent)


def test_ordered_events_of_one_day_do_not_contradict_each_other():
    document = read("X\n1\t2009-10-16\t1-1-a\n2\t2009-10-16\t1-2-b\n3\t2009-10-XX\t1-3-c\n4\t2009-10-16\t1-4-d\n")
    oracle = tp.Oracle(document)
    assert isinstance(oracle.consistency(), tp.Consistent)
    assert oracle.entails("1-1-a", "d|s|f|=", "2009-10-16") is tp.Verdict.ENTAILED
    assert oracle.entails("1-1-a", "=", "2009-10-16") is tp.Verdict.REFUTED  # it cannot fill the day: d comes later


def test_links_follow_from_positions_and_anchors():
    assert links("X\n2\t2019\t1-2-b\n1\t2018\t1-1-a\n2\t2020\t1-3-c\n") == [
        ("1-1-a", "s|=|d|f", "2018"),
        ("1-2-b", "s|=|d|f", "2019"),
        ("1-3-c", "s|=|d|f", "2020"),
        ("1-1-a", "b", "1-2-b"),
        ("1-2-b", "=", "1-3-c"),
    ]


@pytest.mark.parametrize("reading", ["allen", "timeml-loose", "matres"])
def test_a_reading_of_labels_changes_nothing_where_there_are_no_labels(reading):
    text = "X\n1\t2018\ta\n2\t2019\tb\n"
    assert links(text, reading=reading) == links(text)


def test_position_0_is_left_out_however_it_is_written():
    document = read("X\n0\tXXXX\ta\n00\t1\tb\n-0\t1\tc\n1\t2018\td\n")
    assert document.entity_ids == ("d", "2018")
    (remark,) = document.remarks
    assert (remark.code, remark.line) == ("unplaced-row", 2)
    assert "3 rows" in remark.message
    assert "2, 3, 4" in remark.message


def test_the_kth_repeat_of_a_mention_is_numbered():
    assert read("X\n1\tt\ta\ta\n2\tt\ta\n").entity_ids == ("a", "t", "a#2", "a#3")


def test_a_mention_that_is_also_an_anchor_stays_apart():
    assert read("X\n1\tt\tt\n").entity_ids == ("t#2", "t")


def test_a_first_line_with_tabs_is_refused():
    with pytest.raises(InputError, match="target entity"):
        read("1\t2018\ta\n")


def test_an_empty_file_is_refused_and_a_header_alone_is_not():
    with pytest.raises(InputError, match="empty"):
        read("")
    assert read("North Ferry Line").links == ()


def test_rows_that_cannot_be_used_are_dropped_but_kept_in_the_timeline():
    text = "X\r\n1\t2018\r\nx\t2018\ta\r\n1.5\t2018\ta\r\n" + "9" * 5000 + "\t2018\ta\r\n2\t2019\tb\t\t\r\n"
    document = read(text)
    assert [(remark.code, remark.line) for remark in document.dropped] == [
        ("short-row", 2),
        ("bad-position", 3),
        ("bad-position", 4),
        ("bad-position", 5),
    ]
    assert document.entity_ids == ("b", "2019")
    parsed = parse_timeline(text)
    assert parsed.entity == "X"
    assert [row.line for row in parsed.rows] == [2, 3, 4, 5, 6]
    assert [row.text for row in parsed.rows] == [line + "\r" for line in text.split("\r\n")[1:-1]]


@pytest.mark.parametrize(
    ("written", "position"),
    [("7", 7), ("007", 7), (" - 3 ", -3), ("+2", 2), ("", None), ("1.5", None), ("\u0663", None)],
)
def test_positions(written, position):
    (row,) = parse_timeline(f"X\n{written}\t2018\ta").rows
    assert row.position == position


def test_anchors_decide_between_rows_of_one_position():
    anchors = ["2001", "2001-9", "2001-09-01", "2001-10", "", "XXXX-XX-XX"]
    lines = [f"2\t{anchor}\tm" for anchor in anchors]
    assert sorted(set(lines), key=natural_key) == lines


def plain_key(text):
    return [int(part) if number % 2 else part for number, part in enumerate(re.split("([0-9]+)", text))]


@given(st.lists(st.text(st.sampled_from("0019 \t-a\u00e9"), max_size=6), max_size=5))
def test_natural_keys_order_numbers_by_value(lines):
    assert sorted(lines, key=natural_key) == sorted(lines, key=plain_key)


def test_numbers_may_be_longer_than_any_int():
    short, long = "9" * 5000, "1" + "0" * 5000
    assert sorted([long, short, "007"], key=natural_key) == ["007", short, long]


@given(st.binary(max_size=60))
def test_a_timeline_loses_no_byte_of_a_row(data):
    lines = data.decode("utf-8", "surrogateescape").split("\n")[1:]
    kept = {row.line: row.text for row in parse_timeline(data).rows}
    assert [kept.get(number, line) for number, line in enumerate(lines, 2)] == lines
    assert all(not line.strip(" \t\r\v\f") for number, line in enumerate(lines, 2) if number not in kept)


def test_entities_are_those_of_the_links_even_if_an_anchor_is_missing():
    (document,) = timeline.read(Source("t.txt", b"Ferry\n3\t\t2014\n2\t2011\t7-3-hired\n10\t2013\t9-4-closed\n"))
    assert tuple(entity.id for entity in document.entities) == document.entity_ids
    assert "" not in document.entity_ids
