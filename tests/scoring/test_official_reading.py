"""How the TempEval-3 scorer reads tags, compares texts and prints numbers."""

import random

import pytest
from official_runs import score_documents, score_links

from temporacle.model import Link
from temporacle.relation import Relation
from temporacle.scoring.official.tempeval3.scores import METHODS, OfficialSide, percent, round6, text
from temporacle.scoring.official.tempeval3.tlinks import (
    LinkFile,
    TagPlace,
    Triple,
    inverse_in_graph,
    inverse_in_text,
    read_links,
    triples_of,
)


def tag(**attributes):
    return "<TLINK " + " ".join(f'{name}="{value}"' for name, value in attributes.items()) + "/>"


def link(source, label, target):
    return tag(eventInstanceID=source, relatedToEventInstance=target, relType=label).encode()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'<TLINK\neventInstanceID="a"\trelatedToTime="t"\r\nrelType="ENDS">', (b"a", b"t", b"ENDS")),
        (b'<!-- <TLINKX eventInstanceID="a" relatedToTime="t" relType="ENDS"/> -->', (b"a", b"t", b"ENDS")),
        (b'<TLINK eventInstanceID="a" timeID="t1" relatedToTime="t" relType="x y"/>', (b"t1", b"t", b"x y")),
        (b'<TLINK relatedToEventInstance="b" relatedToTime="t" timeID="u" relType="X"/>', (b"u", b"t", b"X")),
        (b"<TLINK timeID='t1' relatedToTime = \"t\" relType='BEFORE'/>", (b"timeID", b"relatedToTime", b"relType")),
        (b'<TLINK timeID= timeID="t1" relatedToTime="t" relType="X"/>', (b"t1", b"t", b"X")),
        (b'<TLINK mytimeID="t1" relatedToTime="t" relType="X"/>', (b"t1", b"t", b"X")),
        (b'<TLINK timeID="&lt;" relatedToTime="\xff" relType="X"/>', (b"&lt;", b"\xff", b"X")),
        (b'<TLINK timeID="a" relatedToTime="b" relType="DURING_INV"/>', (b"a", b"b", b"SIMULTANEOUS")),
        (b'<TLINK timeID="a" relatedToTime="b" relType="during"/>', (b"a", b"b", b"during")),
        (b'<TLINK timeID="a" relatedToTime="b" relType="DURING \t"/>', (b"a", b"b", b"DURING")),
        (b'<TLINK timeID="a" relatedToTime="b" relType=" DURING"/>', (b"a", b"b", b" DURING")),
    ],
)
def test_tag(content, expected):
    assert read_links(content).links == (Triple(*expected),)


@pytest.mark.parametrize(
    "content",
    [
        b"<TLINK>",
        b'<TLINK eventInstanceID="a" timeID="" relatedToTime="t" relType="X"/>',
        b'<TLINK eventInstanceID="a"\nrelType="X"/>',
        b'<TLINK eventInstanceID="a" relatedToTime="t" reltype="X"/>',
        b'<TLINK eventInstanceID="a" relatedToTime="t" relType=""/>',
    ],
)
def test_incomplete_tag(content):
    found = read_links(b"before " + content + b" after")
    assert found.links == ()
    assert found.missing == (b"MISSING core, ref or relation " + content + b"\n",)


def test_no_tag():
    assert read_links(b'<tlink eventInstanceID="a" relatedToTime="t" relType="X"/> <TLINK relType="X"') == LinkFile()


def test_places_are_what_a_person_looks_for():
    tag = b'<TLINK {}relType="X" eventInstanceID="a" relatedToTime="t"/>'
    content = (
        b"\n\n" + tag.replace(b"{}", b'lid="l7" ') + b"\n" + tag.replace(b"{}", b"") + tag.replace(b"{}", b"lid='l9' ")
    )
    assert read_links(content).places == (TagPlace("l7", 3), TagPlace("#2", 4), TagPlace("l9", 4))


def test_missing_lines_come_first_document_by_document():
    files = [(b"<TLINK 1>", b"<TLINK 2><TLINK 3>"), (b"<TLINK 4>", None)]
    lines = score_documents(files).printed().splitlines()
    assert lines[:4] == [b"MISSING core, ref or relation <TLINK %d>" % number for number in (1, 2, 3, 4)]
    assert lines[4] == b"=== Temporal Awareness Score ==="


def test_blank_label_is_left_out_and_reported():
    found = read_links(link("a", " ", "b"))
    assert found.links == ()
    assert [remark.code for remark in found.remarks] == ["blank-label"]


def test_special_characters_are_reported():
    document = score_documents([(link("a.b", "BEFORE", "c"), link("a", "BEFORE", "x|y"))]).documents[0]
    assert [remark.code for remark in document.remarks] == ["special-characters"] * 2


def test_inverse_labels():
    assert [inverse_in_text(label) for label in (b"BEGINS", b"Ended_by", b"during", b"vague", b"DURING_INV")] == [
        b"BEGUN_BY",
        b"ENDS",
        b"DURING_INV",
        b"VAGUE",
        b"DURING_INV",
    ]
    assert [inverse_in_graph(label) for label in (b"IDENTITY", b"during", b"IAFTER")] == [
        b"SIMULTANEOUS",
        b"DURING_DURING_INV",
        b"IBEFORE",
    ]


def test_links_of_documents():
    links = [Link("l1", "a", Relation.of("b"), "b", label="before"), Link("l2", "a", Relation.of("di"), "c")]
    assert triples_of(links) == (Triple(b"a", b"b", b"before"), Triple(b"a", b"c", b"INCLUDES"))


# --- comparing texts ------------------------------------------------------------------------------------------------


def states_by_definition(side, wanted):
    return any(
        line.source.endswith(wanted.source) and line.target == wanted.target and line.label.startswith(wanted.label)
        for line in side.text_lines
    )


def test_text_match_is_by_end_and_beginning():
    rng = random.Random(8)
    names = [b"1", b"11", b"21", b"2", b"e1", b"e11", b"121"]
    labels = [b"BEFORE", b"BE", b"B", b"VAGUE", b"BEGINS", b"before"]
    hits = 0
    for _ in range(300):
        triples = [Triple(rng.choice(names), rng.choice(names), rng.choice(labels)) for _ in range(8)]
        side = OfficialSide(triples[:5])
        for wanted in (*triples, *(Triple(t, s, label) for s, t, label in triples)):
            assert side.states(wanted) == states_by_definition(side, wanted)
            hits += side.states(wanted) and wanted not in side.stated
    assert hits > 30


def test_during_with_a_blank_is_text_only():
    """The graph takes DURING with a blank behind for SIMULTANEOUS; the text lines keep it."""
    gold = link("a", "DURING ", "b")
    assert OfficialSide(read_links(gold).links).graph.reduced() == [Triple(b"a", b"b", b"SIMULTANEOUS")]
    assert [line.label for line in OfficialSide(read_links(gold).links).text_lines] == [b"DURING", b"DURING_INV"]
    assert score_documents([(gold, link("a", "SIMULTANEOUS", "b"))]).total.digits() == ("100.0", "100.0", "100.0")


# --- numbers and the printed block ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1 / 128, "0.7813"), (1 / 3, "33.3333"), (1, "100.0"), (0, "0.0"), (98 / 270, "36.2963"), (1e-6, "0.0001")],
)
def test_percent(value, shown):
    assert text(percent(value)) == shown


@pytest.mark.parametrize(("value", "rounded"), [(-1 / 128, -0.007813), (0.0000005, 0.0), (3 / 128, 0.023438)])
def test_round6(value, rounded):
    assert round6(value) == rounded


def test_twelve_significant_digits():
    assert [text(value) for value in (2 / 3, 100 / 3, 1e20, 5.0)] == ["0.666666666667", "33.3333333333", "1e+20", "5.0"]


def test_unknown_method_is_the_default_under_its_own_name():
    files = [(link("a", "BEFORE", "b"), link("b", "AFTER", "a"))]
    default, other = score_documents(files), score_documents(files, "  strict ")
    assert other.total == default.total
    assert other.printed().splitlines()[1] == b"strict"
    assert default.printed().splitlines()[1] == b""
    assert score_documents(files, "default").printed() == default.printed()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_scores_zero(method):
    assert score_documents([], method).total.digits() == ("0.0", "0.0", "0.0")


def test_missing_system_file_counts_as_empty():
    score = score_documents([(link("a", "BEFORE", "b"), None), (link("a", "BEFORE", "b"), link("a", "BEFORE", "b"))])
    assert score.stops.startswith("IOError")
    assert (score.total.gold_total, score.total.recall_matched, score.total.system_total) == (2, 1, 1)


def triples(text):
    return [Triple(x.encode(), y.encode(), label.encode()) for x, label, y in map(str.split, text.split(", "))]


def test_implicit_credit():
    """One link matched; two system links follow in gold's graph: w = 0.99 / (1 + 6 - 1) for each."""
    gold, system = triples("a BEFORE b, b BEFORE c, c BEFORE d"), triples("a BEFORE b, a BEFORE c, b BEFORE d")
    counts = score_links([(gold, system)], "implicit_in_recall").total
    assert counts.recall_matched == 1
    assert counts.recall_credit == 1 + 0.99 / 6 * 2


def test_implicit_credit_for_links_turned_round():
    counts = score_links([(triples("a BEFORE b, b BEFORE c"), triples("b AFTER a"))], "implicit_in_recall").total
    assert counts.recall_credit == 1 + 0.99 / 1  # n = 2 entities in common, one match


def test_implicit_weight_may_be_negative():
    pair = triples("a BEFORE b, a AFTER b, a ENDS b"), triples("a BEFORE b, a AFTER b, a ENDS b, b AFTER a")
    score = score_links([pair], "implicit_in_recall")
    assert score.stops is None
    assert score.total.recall_credit == 3  # w = 0.99 / -1, but nothing is implicit


def test_acl11_counts_links_and_inverses_with_duplicates():
    counts = score_links([(triples("a BEFORE b, a BEFORE b, c AFTER c"), triples("b AFTER a"))], "acl11").total
    assert (counts.gold_total, counts.recall_matched, counts.system_total, counts.precision_matched) == (5, 4, 2, 2)
