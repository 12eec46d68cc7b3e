"""The TempEval-1 scorer: reading by lines, lookup by pairs, odd sums."""

from functools import reduce
from operator import add

import pytest

from temporacle.scoring.official.tempeval1 import Mode, Release, read_tempeval1, score_file, score_folder, shown


def tag(first, second, label):
    return f'<TLINK eventID="{first}" relatedToTime="{second}" relType="{label}"/>\n'.encode()


LINK = (b"e1", b"t1", b"AFTER")


@pytest.mark.parametrize(
    ("line", "links"),
    [
        (b'<TLINK eventID="e1" relatedToTime="t1" relType="AFTER"/>', [LINK]),
        (b'<!-- <TLINKX relType="AFTER" relatedToEvent="t1" eventID="e1"> -->', [LINK]),
        (b'<TLINK><TLINK eventID="e1" relatedToX="t1" relType="AFTER">', [LINK]),
        (b'<TLINK a <TLINK eventID="e1" relatedToX="t1" relType="AFTER">', [LINK]),
        (b'<TLINK eventID="e" myeventID="e1" relatedToX="t1" relType="AFTER" >', [LINK]),
        (b'<TLINK eventID="e1" relatedToX="t1" relType="after" relType="AFTER" >', [LINK]),
        (b'<TLINK x><TLINK eventID="e1" relatedToX="t1" relType="AFTER">', [None]),
        (b'<TLINK eventID="e1"\nrelatedToX="t1" relType="AFTER">', []),
        (b"<TLINK eventID='e1' relatedToX='t1' relType='AFTER'>", [None]),
        (b'<TLINK eventID="e1" relatedTo="t1" relType="AFTER">', [None]),
        (b'<TLINK relatedToEventID="e1" relatedToX="t1" relType="AFTER">', [None]),
        (b'<TLINK eventID="tie12" relatedToX="i9" relType="A-_B">', [(b"tie12", b"i9", b"A-_B")]),
        (b"<TLINK>", []),
        (b"<tlink a>", []),
    ],
)
def test_reading(line, links):
    assert list(read_tempeval1(line)) == links


def counts(response, key, mode=Mode.RELAXED):
    total = score_file(response, key, mode).total
    return total.reference, total.candidate, total.common, total.correct, total.incorrect


def test_repeated_pairs():
    key = tag("e1", "t1", "BEFORE") + tag("e1", "t1", "AFTER")
    assert counts(tag("e1", "t1", "AFTER") * 3, key) == (2, 3, 3, 3, 0)
    assert score_file(tag("e1", "t1", "AFTER") * 3, key).total.recall == 1.5


def test_turned_round_only_if_the_pair_is_absent():
    key = tag("e1", "e2", "BEFORE-OR-OVERLAP")
    assert counts(tag("e2", "e1", "OVERLAP-OR-AFTER"), key)[3] == 1
    assert counts(tag("e2", "e1", "AFTER"), key)[3] == 0.5
    assert counts(tag("e2", "e1", "OVERLAP-OR-AFTER"), key + tag("e2", "e1", "BEFORE"))[3] == 0


def test_other_labels_match_themselves_in_the_same_direction():
    key = tag("e1", "e2", "NON-RELATED")
    assert counts(tag("e1", "e2", "NON-RELATED"), key) == (1, 1, 1, 1, 0)
    assert counts(tag("e2", "e1", "NON-RELATED"), key) == (1, 1, 1, 0, 1)


def test_links_on_other_pairs_cost_nothing():
    total = score_file(tag("e1", "t1", "BEFORE") + tag("e2", "t1", "BEFORE"), tag("e1", "t1", "BEFORE")).total
    assert (total.precision, total.candidate, total.common) == (1, 2, 1)


def test_partial_credit_is_neither_correct_nor_incorrect():
    assert counts(tag("e1", "t1", "VAGUE"), tag("e1", "t1", "BEFORE")) == (1, 1, 1, 0.33, 0)
    assert counts(tag("e1", "t1", "VAGUE"), tag("e1", "t1", "BEFORE"), Mode.STRICT) == (1, 1, 1, 0, 1)


def test_sums_of_a_folder_are_rounded_file_by_file():
    hundred = [b"".join(tag(f"e{n}", "t1", label) for n in range(100)) for label in ("VAGUE", "BEFORE")]
    single = score_file(*hundred, Mode.RELAXED)
    assert single.total.correct == reduce(add, [0.33] * 100)  # one by one: sum() is more exact from Python 3.12 on
    assert b"  CORRECT LINKS    32.9999999999999\n" in single.printed("r", "k")
    folder = score_folder([tuple(hundred)] * 2, Mode.RELAXED)
    assert folder.total.correct == 32.9999999999999 * 2
    older = score_folder([(tag("e1", "t1", "VAGUE"), tag("e1", "t1", "BEFORE"))], Mode.RELAXED, Release.TRAINING)
    assert older.total.correct == 0


def test_nothing_to_score():
    lines = score_folder([]).printed("answers", "key").decode().splitlines()
    assert lines[:2] == ["CANDIDATE FILE: answers", "REFERENCE FILE: key"]
    assert lines[3:8] == [
        "  REFERENCE LINKS      0",
        "  CANDIDATE LINKS      0",
        "  COMMON LINKS         0",
        "  CORRECT LINKS        0",
        "  INCORRECT LINKS      0",
    ]
    assert lines[9:] == ["  PRECISION  =   N/A", "  RECALL     =   N/A", "  F-MEASURE  =   N/A", ""]


def test_response_without_key():
    score = score_folder([(tag("e1", "t1", "BEFORE"), None), (tag("e1", "t1", "BEFORE"), tag("e1", "t1", "BEFORE"))])
    assert score.stops.startswith("ERROR")
    assert (score.total.candidate, score.total.reference, score.total.correct) == (2, 1, 1)


def test_small_values():
    assert [shown(value) for value in (0.0004, 1, None)] == ["0.000", "1.000", " N/A"]
