"""Timelines of SemEval-2015 task 4: reading, numbering, links, and what broken input does."""

import pytest

from temporacle.errors import InputError
from temporacle.scoring.official.tempeval3 import FilePair
from temporacle.scoring.official.timelines import (
    FileOutcome,
    natural_key,
    read_timeline,
    score_timelines,
    timeline_links,
)


def timeline(*rows):
    return "\n".join(["kite", *("\t".join(row.split()) for row in rows)]).encode()


def shown(links):
    return [str(link) for link in links]


RISING = timeline("1 2001 3-1-rose", "2 2002 3-4-flew", "3 2003 4-2-fell")


# --- reading --------------------------------------------------------------------------------------------------------


def mentions(content):
    return [item.mention for item in read_timeline(content)]


def test_first_line_is_dropped_unread():
    assert mentions(b"1\t2001\ta\n2\t2002\tb") == [b"b"]
    assert read_timeline(b"") == read_timeline(b"kite") == []


def test_rows_are_cut_at_tabs_and_blanks_behind_vanish():
    items = read_timeline(b"kite\r\n1\t\ta\t\tb\t \r\n \t \n2\t2001\t\n2\tx\n3\t 2001 \tc d\x0b\n")
    assert [tuple(item) for item in items] == [(1, b"", b"a"), (1, b"", b""), (1, b"", b"b"), (3, b" 2001 ", b"c d")]


def test_unicode_spaces_are_not_blank():
    assert mentions("kite\n1\t2001\ta\u00a0".encode()) == ["a\u00a0".encode()]


@pytest.mark.parametrize(("field", "position"), [(b"007", 7), (b" 4 ", 4), (b"+ 5", 5), (b"- 2", -2)])
def test_position(field, position):
    assert [item.rank for item in read_timeline(b"kite\n" + field + b"\t2001\ta")] == [position]


def test_positions_of_any_length():
    rows = [b"%s\t2001\t%s" % (digits, digits[:1]) for digits in (b"9" * 5000, b"10", b"9", b"1" + b"0" * 5000)]
    items = read_timeline(b"\n".join([b"kite", *rows]))
    assert [item.mention for item in sorted(items, key=lambda item: item.rank)] == [b"9", b"1", b"9", b"1"]
    assert [item.mention for item in items] == [b"9", b"1", b"9", b"1"]


@pytest.mark.parametrize("field", [b"0", b"00", b"-0", b"+ 0"])
def test_position_zero_is_skipped(field):
    assert read_timeline(b"kite\n" + field + b"\t2001\ta") == []


@pytest.mark.parametrize("field", [b"x", b"1.5", b"", b"1_0", b"--1", "\u0663".encode()])
def test_bad_position(field):
    with pytest.raises(InputError, match="whole number"):
        read_timeline(b"kite\n" + field + b"\t2001\ta")
    assert read_timeline(b"kite\n" + field + b"\t2001") == []  # too short a row: the position is not looked at


def test_natural_order():
    anchors = ["2001", "2001-9", "2001-09-01", "2001-10", "", "XXXX-XX-XX"]
    rows = [f"2\t{anchor}\tm".encode() for anchor in anchors]
    assert sorted({*rows}, key=natural_key) == rows
    odd = [b"1\ta\tm", b"3\ta\tm", b" 2\ta\tm", b"+2\ta\tm", b"-2\ta\tm"]
    assert sorted({*odd}, key=natural_key) == odd
    assert natural_key(b"09") == natural_key(b"9")


# --- numbering and links --------------------------------------------------------------------------------------------


def test_links_of_gold():
    gold = timeline("2 2001 a b", "1 2000 c", "3 2001 d")
    assert shown(timeline_links(gold, b"").gold) == [
        "ei1 SIMULTANEOUS t0",
        "ei2 SIMULTANEOUS t1",
        "ei3 SIMULTANEOUS t1",
        "ei4 SIMULTANEOUS t1",
        "ei1 BEFORE ei2",
        "ei2 SIMULTANEOUS ei3",
        "ei3 BEFORE ei4",
    ]
    assert shown(timeline_links(gold, b"", ordering_only=True).gold) == [
        "ei1 BEFORE ei2",
        "ei2 SIMULTANEOUS ei3",
        "ei3 BEFORE ei4",
    ]


def test_unknown_anchors_and_mentions_get_fresh_numbers():
    system = timeline("1 1999 new", "2 2002 3-4-flew", "3 1999 new", "4 1998 x")
    assert shown(timeline_links(RISING, system).system)[:4] == [
        "ei4 SIMULTANEOUS t4",  # three anchors in gold: t0 to t2; t3 is never used
        "ei2 SIMULTANEOUS t1",
        "ei5 SIMULTANEOUS t4",
        "ei6 SIMULTANEOUS t5",
    ]


@pytest.mark.parametrize(
    ("places", "numbers"),
    [
        ((1, 2, 3), (1, 2, 3, 7)),
        ((1, 2, 6), (1, 2, 6, 7)),
        ((1, 3, 5), (1, 3, 3, 7)),
        ((4, 6), (4, 6, 7, 8)),
        ((1, 4, 6), (1, 4, 4, 7)),
    ],
)
def test_repeated_mentions(places, numbers):
    gold = timeline(*(f"{n} 2001 {'again' if n in places else f'once{n}'}" for n in range(1, 7)))
    system = timeline(*(f"{n} 2001 again" for n in range(1, 5)))
    events = [link.source for link in timeline_links(gold, system).system[:4]]
    assert events == [b"ei%d" % number for number in numbers]


def test_a_number_hit_twice_has_one_position_and_anchor():
    rows = timeline("1 2001 9-1-a", "2 2002 9-1-b", "3 2003 9-1-a", "4 2004 9-1-c", "5 2005 9-1-a")
    assert shown(timeline_links(rows, rows).system) == [
        *("ei1 SIMULTANEOUS t0", "ei2 SIMULTANEOUS t1", "ei3 SIMULTANEOUS t4", "ei4 SIMULTANEOUS t3"),
        *("ei3 SIMULTANEOUS t4", "ei1 BEFORE ei2", "ei2 BEFORE ei3", "ei3 SIMULTANEOUS ei4", "ei4 BEFORE ei3"),
    ]
    full, ordering = (score_timelines([FilePair("a", rows, rows)], ordering_only=only) for only in (False, True))
    assert full.total.digits() == ("58.8235", "62.5", "55.5556")
    assert (ordering.total.precision_matched, ordering.total.system_total) == (2, 4)
    assert (ordering.total.recall_matched, ordering.total.gold_total) == (2, 4)


# --- scores and broken input ----------------------------------------------------------------------------------------


def test_micro_f1_comes_from_rounded_numbers():
    system = timeline("1 2001 3-1-rose", "2 2003 3-4-flew")
    score = score_timelines([FilePair("a.txt", RISING, system), FilePair("b.txt", RISING, RISING)])
    assert (score.precision, score.recall) == (100 * 0.875, 100 * 0.7)
    assert score.printed().splitlines()[-1] == (
        b"\tMICRO-FSCORE\t77.7777777778\tMICRO-PRECISION\t87.5\tMICRO-RECALL\t70.0"
    )


def test_no_answer_file():
    score = score_timelines([FilePair("a.txt", RISING, None), FilePair("b.txt", RISING, RISING)])
    assert [file.outcome for file in score.files] == [FileOutcome.NO_ANSWER, FileOutcome.SCORED]
    assert score.printed("runs/one").splitlines()[:2] == [
        b"No answer file found runs/one/a.txt",
        b"Skipping the evaluation of it. Fscore set at 0",
    ]
    assert (score.f1, score.total.gold_total) == (100, 5)


@pytest.mark.parametrize("broken", [FilePair("b.txt", RISING, b"kite\nx\t2001\ta"), FilePair("b b", RISING, b"")])
def test_unconvertible_file_repeats_the_one_before(broken):
    files = [FilePair("a.txt", RISING, RISING), FilePair("n", RISING, None), broken]
    score = score_timelines(files)
    assert score.files[2].outcome is FileOutcome.REPEATED
    assert score.stops is None
    assert (score.total.gold_total, score.total.precision_matched) == (10, 10)
    name = broken.name.encode()
    assert score.printed().splitlines()[3] == name + b"\tFSCORE\t100.0\tPRECISION\t100.0\tRECALL\t100.0"


def test_bad_position_in_the_first_file_leaves_it_out():
    score = score_timelines([FilePair("a", b"kite\nx\t2001\ta", RISING), FilePair("b", RISING, RISING)])
    assert [file.outcome for file in score.files] == [FileOutcome.LEFT_OUT, FileOutcome.SCORED]
    assert score.stops.startswith("IOError")
    assert score.total.gold_total == 5


def test_shell_signs_in_the_first_name_do_not_stop_us():
    score = score_timelines([FilePair("r&d.txt", RISING, RISING)])
    assert score.stops.startswith("IOError")
    assert score.f1 == 100


@pytest.mark.parametrize("name", ["c++.txt", "[a.txt", "*.txt"])
def test_name_that_is_no_pattern(name):
    score = score_timelines([FilePair(name, RISING, RISING), FilePair("b", RISING, RISING)])
    assert [file.outcome for file in score.files] == [FileOutcome.LEFT_OUT, FileOutcome.SCORED]
    assert len(score.printed().splitlines()) == 2


def test_zero_sums():
    empty = score_timelines([FilePair("a", RISING, b"kite")])
    assert empty.stops == "ZeroDivisionError: float division by zero"
    assert empty.printed().splitlines() == [
        b"a\tFSCORE\t0.0\tPRECISION\t0.0\tRECALL\t0.0",
        b"\tMICRO-FSCORE\t0\tMICRO-PRECISION\t0.0\tMICRO-RECALL\t0.0",
    ]
    assert (empty.total.gold_total, empty.total.system_total) == (5, 0)


def test_empty_gold_file():
    first = score_timelines([FilePair("a", b"", RISING), FilePair("b", RISING, RISING)])
    later = score_timelines([FilePair("b", RISING, RISING), FilePair("a", b"", RISING)])
    assert first.stops.startswith("NameError")
    assert later.stops is None
    assert first.total == later.total
