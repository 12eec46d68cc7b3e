"""What the normaliser objects to, and what it bears."""

import pytest
from official_runs import normalize_folders

from temporacle.scoring.official.normalizer import Stage, WhichSide, normalize_pair
from temporacle.scoring.official.normalizer.raw_timeml import parse
from temporacle.scoring.official.tempeval3.tlinks import read_links

GOOD = """<TimeML><DCT><TIMEX3 tid="t0">today</TIMEX3></DCT>
<TEXT>Rain <EVENT eid="e1">fell</EVENT> <SIGNAL sid="s1">on</SIGNAL> <TIMEX3 tid="t1">Monday</TIMEX3>.</TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1" signalID="s1"/>
<TLINK lid="l1" relType="IS_INCLUDED" eventInstanceID="ei1" relatedToTime="t1"/>
<TLINK lid="l2" relType="BEFORE" timeID="t1" relatedToTime="t0"/>
</TimeML>"""
TITLE = "<TITLE><EVENT eid='e5'>Rain</EVENT> <TIMEX3 tid='t5'>now</TIMEX3></TITLE>"
LINKS = (("ei1", "IS_INCLUDED", "t1"), ("t0", "AFTER", "t1"))


def changed(*replacements):
    document = GOOD
    for old, new in replacements:
        assert document.count(old) >= 1
        document = document.replace(old, new, 1)
    return document


def codes(pair, stage):
    return {objection.remark.code for objection in pair.objections if objection.stage is stage}


def test_the_good_document():
    pair = normalize_pair(GOOD, GOOD)
    assert pair.objections == ()
    assert pair.gold.links == pair.system.links == LINKS


@pytest.mark.parametrize(
    ("code", "replacement"),
    [
        ("not-well-formed", ("</TEXT>", "")),
        ("wrong-root", ("<TimeML>", "<Other>")),
        ("dct-count", ("<TEXT>", "<DCT/><TEXT>")),
        ("text-count", ("<MAKEINSTANCE", "<TEXT/><MAKEINSTANCE")),
        ("dct-timex-count", ("</DCT>", '<TIMEX3 tid="t7"/></DCT>')),
        ("nested-markup", ("fell", "<b>fell</b>")),
        ("missing-id", ('<EVENT eid="e1">', "<EVENT>")),
        ("missing-id", ('eiid="ei1" ', "")),
        ("duplicate-id", ('tid="t1"', 'tid="t0"')),
        ("duplicate-id", ('lid="l2"', 'lid="l1"')),
        ("duplicate-id", ("<TLINK", '<SLINK lid="l2"/><TLINK')),
        ("dangling-id", ('eventID="e1"', 'eventID="e2"')),
        ("dangling-id", ('signalID="s1"', 'signalID="s2"')),
        ("dangling-id", ('eventInstanceID="ei1"', 'eventInstanceID="e1"')),
        ("dangling-id", ('timeID="t1"', 'timeID="t2"')),
        ("dangling-id", ('tid="t0"', 'tid="t0" anchorTimeID="t2"')),
        ("dangling-id", ('tid="t0"', 'tid="t0" beginPoint="t2"')),
        ("dangling-id", ('tid="t0"', 'tid="t0" endPoint="t2"')),
        ("unknown-label", ('"BEFORE"', '"before"')),
        ("unknown-label", ('"BEFORE"', '""')),
    ],
)
@pytest.mark.parametrize("side", WhichSide)
def test_the_gate(code, replacement, side):
    bad = changed(replacement) if code != "wrong-root" else changed(replacement, ("</TimeML>", "</Other>"))
    pair = normalize_pair(bad, GOOD) if side is WhichSide.GOLD else normalize_pair(GOOD, bad)
    assert code in codes(pair, Stage.GATE)
    assert {objection.side for objection in pair.objections} == {side}
    assert pair.gold is pair.system is None


def test_entities_below_a_further_element_cannot_be_referred_to():
    bad = changed(("<TEXT>", "<TEXT><s>"), ("</TEXT>", "</s></TEXT>"))
    assert codes(normalize_pair(bad, GOOD), Stage.GATE) == {"dangling-id"}


def test_an_objection_names_side_line_and_element():
    pair = normalize_pair(GOOD, changed(('timeID="t1"', 'timeID="t2"')))
    (objection,) = pair.objections
    assert str(objection) == "system: line 5: TLINK l2: timeID 't2' names no TIMEX3 directly below TEXT, DCT or TITLE"


def test_entity_definitions_are_refused():
    bomb = '<!DOCTYPE TimeML [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>' + changed(("Rain", "&b;"))
    pair = normalize_pair(bomb, bomb)
    assert codes(pair, Stage.GATE) == {"not-well-formed"}
    assert "defines the entity 'a'" in str(pair.objections[0])


def test_an_entity_left_to_an_outside_definition_is_refused():
    document = '<!DOCTYPE TimeML SYSTEM "TimeML.dtd">' + changed(("Rain", "Rain&nbsp;"))
    assert "&nbsp;" in str(normalize_pair(document, document).objections[0])
    plain = '<!DOCTYPE TimeML SYSTEM "TimeML.dtd">' + GOOD
    assert normalize_pair(plain, plain).gold.links == LINKS


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings(encoding):
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    document = f'<?xml version="1.0" encoding="{declared}"?>' + changed(("Rain", "Zoë"))
    pair = normalize_pair(document.encode(encoding), changed(("Rain", "Zoë")))
    assert pair.objections == ()
    assert pair.gold.links == LINKS


def test_an_encoding_nobody_knows():
    document = ('<?xml version="1.0" encoding="x-nothing"?>' + GOOD).encode()
    assert codes(normalize_pair(document, GOOD), Stage.GATE) == {"not-well-formed"}


@pytest.mark.parametrize(
    ("replacement", "is_aligned"),
    [(("Rain", "rain"), False), ((".</TEXT>", "</TEXT>"), False), (("on<", "o n<"), True)],
)
def test_another_text(replacement, is_aligned):
    """Other characters cannot be aligned; other tokens of the same characters can, if not by the official program."""
    pair = normalize_pair(GOOD, changed(replacement))
    assert codes(pair, Stage.ALIGNMENT) == {"other-text"}
    assert (pair.gold is not None) == (pair.system is not None) == is_aligned
    assert normalize_folders({"d": GOOD}, {"d": changed(replacement)}).officially_written() == ()


@pytest.mark.parametrize(
    ("code", "replacements"),
    [
        ("time-without-text", [("Monday", "")]),
        (
            "time-without-text",
            [("<TEXT>", TITLE + "<TEXT>"), ('eID="t1"', 'eID="t5"')],
        ),
        ("event-without-text", [("fell", "  ")]),
        ("event-without-text", [('eventID="e1" ', "")]),
        ("two-arguments", [('timeID="t1"', 'timeID="t1" eventInstanceID="ei1"')]),
    ],
)
def test_links_that_cannot_be_rewritten(code, replacements):
    bad = changed(*replacements)
    pair = normalize_pair(bad, bad)
    assert codes(pair, Stage.REWRITING) == {code}
    assert pair.gold is pair.system is None
    assert normalize_folders({"d": bad}, {"d": bad}).officially_written() == ()


def test_a_side_that_fails_in_rewriting_leaves_the_other():
    bad = changed(
        ("<TEXT>", "<TITLE><EVENT eid='e9'>Rain</EVENT></TITLE><TEXT>"),
        ("<TLINK", '<MAKEINSTANCE eiid="x" eventID="e9"/><TLINK'),
    )
    run = normalize_folders({"d": GOOD, "later": GOOD}, {"d": bad, "later": GOOD})
    assert run.officially_written() == (("d", WhichSide.GOLD),)
    assert run.pairs[0].gold.links == LINKS
    assert run.pairs[0].system is None
    assert run.pairs[1].system.links == LINKS


def test_names_must_be_the_same():
    run = normalize_folders({"a": GOOD, "b": GOOD}, {"b": GOOD, "c": GOOD})
    assert [pair.name for pair in run.pairs] == ["b"]
    assert (run.only_in_gold, run.only_in_system) == (("a",), ("c",))
    assert run.officially_written() == ()


@pytest.mark.parametrize(
    "tag",
    [
        '<TLINK relType="BEFORE" timeID="t1" relatedToTime="t0"/>',
        '<TLINK lid=\'l3\' relType="BEFORE" timeID="t1" relatedToTime="t0"/>',
        '<!-- <TLINK lid="l3" relType="BEFORE" timeID="t1" relatedToTime="t0"/> -->',
    ],
)
def test_links_that_the_text_patterns_do_not_find_stay_as_they_are(tag):
    document = changed(("</TimeML>", f"{tag}\n</TimeML>"))
    pair = normalize_pair(document, GOOD)
    assert pair.gold.links == (*LINKS, ("t1", "BEFORE", "t0"))
    assert codes(pair, Stage.NOTE) == {"not-rewritten"}
    assert pair.objections[0].remark.line == 6
    assert pair.system.links == LINKS


def test_attributes_in_single_quotes_stay_as_they_are():
    pair = normalize_pair(changed(('relType="BEFORE"', "relType='BEFORE'")), GOOD)
    assert pair.gold.links[1] == ("t0", "BEFORE", "t1")
    assert read_links(pair.gold.content).links[1].label == b"relType"
    assert codes(pair, Stage.NOTE) == {"not-rewritten"}


def test_an_incomplete_link_is_left_to_the_scorer():
    pair = normalize_pair(changed((' relatedToTime="t0"', "")), GOOD)
    assert pair.gold.links == LINKS[:1]
    assert len(read_links(pair.gold.content).missing) == 1


def test_a_label_without_inverse():
    pair = normalize_pair(changed(('"BEFORE"', '"VAGUE"')), changed(("IS_INCLUDED", "VAGUE")))
    assert pair.gold.links[1] == ("t0", "null", "t1")
    assert pair.system.links[0] == ("ei1", "VAGUE", "t1")
    assert codes(pair, Stage.NOTE) == {"no-inverse"}


def test_other_links_and_other_attributes():
    other = '<SLINK lid="l7" relType="MODAL" eventInstanceID="ei1"/><RLINK lid="l8"/><ALINK lid="l9"/>'
    document = changed(("</TimeML>", other + "</TimeML>"), ('lid="l2"', 'origin="USER" lid="l2"'))
    pair = normalize_pair(document, GOOD)
    assert pair.gold.links == LINKS
    assert pair.gold.tags[1] == '<TLINK origin="USER" lid="l2" relType="AFTER" timeID="t0" relatedToTime="t1"/>'


def test_depth_costs_nothing():
    depth = 100_000
    document = changed(("Rain", "<s>" * depth + "Rain" + "</s>" * depth))
    assert normalize_pair(document, document).gold.links == LINKS


def test_a_large_document():
    count = 20_000
    text = " ".join(f'<EVENT eid="e{n}">w</EVENT>' for n in range(count))
    instances = "".join(f'<MAKEINSTANCE eiid="i{n}" eventID="e{n}"/>' for n in range(count))
    links = "".join(
        f'<TLINK lid="l{n}" relType="BEFORE" eventInstanceID="i{n}" relatedToEventInstance="i{n - 1}"/>\n'
        for n in range(1, count)
    )
    document = f'<TimeML><DCT><TIMEX3 tid="t0"/></DCT><TEXT>{text}</TEXT>{instances}{links}</TimeML>'
    pair = normalize_pair(document, document)
    assert pair.gold.links == tuple((f"ei{n}", "AFTER", f"ei{n + 1}") for n in range(1, count))


def test_places_do_not_depend_on_layout():
    spread = parse(GOOD.replace(" ", "\r\n\t "))
    places = [(element.tag, element.start, element.end) for element in spread.elements]
    assert places == [(element.tag, element.start, element.end) for element in parse(GOOD).elements]
