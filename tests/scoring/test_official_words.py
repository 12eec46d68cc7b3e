"""What the official scorers tell beside their digits: places of links, what was set aside, why a file was left out."""

from itertools import product
from random import Random

import pytest
from official_runs import normalize_folders, score_links

from temporacle.audit.official import ExactJudgement, ExactSide, link_at
from temporacle.model import Link
from temporacle.relation import Relation
from temporacle.scoring.official.normalizer import Stage, WhichSide, normalize_pair
from temporacle.scoring.official.tempeval3 import FilePair
from temporacle.scoring.official.tempeval3.scores import OfficialSide as LinkSide
from temporacle.scoring.official.tempeval3.tlinks import TagPlace, Triple, link_file, numbered, read_links
from temporacle.scoring.official.timelines import FileOutcome, score_timelines

# --- links and their places -------------------------------------------------------------------------------------------


def test_links_are_known_by_their_ids_and_lines():
    tags = [
        b'<TLINK lid="first" eventInstanceID="a" relatedToTime="t" relType="BEFORE"/>',
        b'<TLINK timeID="t" relatedToEventInstance="b" relType="AFTER"/> <TLINK/>',
        b'<TLINK lid="l\xff" eventInstanceID="b" relatedToTime="t" relType="ODD"/>',
    ]
    file = read_links(b"<?xml?>\n\n".join(tags))
    assert file.places == (TagPlace("first", 1), TagPlace("#2", 3), TagPlace("l\ufffd", 5))
    assert read_links(b"\n" + tags[0]).places == (TagPlace("first", 2),)
    assert len(file.missing) == 1
    shown = [link_at(file, position) for position in range(3)]
    assert [(link.id, link.line, link.label) for link in shown] == [
        ("first", 1, "BEFORE"),
        ("#2", 3, "AFTER"),
        ("l\ufffd", 5, "ODD"),
    ]
    assert [link.relation for link in shown] == [Relation.of("b"), Relation.of("bi"), ~Relation(0)]  # ODD says nothing


def test_links_without_a_file_are_numbered():
    links = [Triple(b"a", b"b", b"BEFORE"), Triple(b"b", b"c", b"BEFORE")]
    assert numbered(links).places == (TagPlace("#1"), TagPlace("#2"))


def test_odd_ids_are_told_in_order():
    links = [Link("7", "b|", Relation.of("b"), "a*", "BEFORE", line=4), Link("8", "c", Relation.of("m"), "d?")]
    file = link_file(links)
    assert file.places == (TagPlace("7", 4), TagPlace("8", None))
    assert [remark.message.split()[0] for remark in file.remarks] == ["'a*'", "'b|'", "'d?'"]
    assert {remark.code for remark in file.remarks} == {"special-characters"}


def test_links_set_aside_add_up_over_documents():
    ring = [Triple(b"a", b"b", b"BEFORE"), Triple(b"b", b"c", b"BEFORE"), Triple(b"c", b"a", b"BEFORE")]
    pair = [Triple(b"x", b"y", b"AFTER"), Triple(b"x", b"y", b"BEFORE"), Triple(b"y", b"x", b"BEFORE")]
    plain = ring[:2]
    score = score_links([(ring, plain), ([*ring, *pair], [*plain, *pair]), (plain, ring)])
    one = [LinkSide(links).set_aside for links in (ring, [*ring, *pair], [*plain, *pair])]
    assert one == [1, 2, 1]
    assert (score.total.gold_set_aside, score.total.system_set_aside) == (3, 2)


def test_text_is_matched_at_the_end_of_the_source_and_the_start_of_the_label():
    """As the program's search in the text of all links does it."""
    rng = Random("text")
    names = [b"a", b"ba", b"aa", b"cba", b"b", b"ab"]
    labels = [b"BEGINS", b"BEGUN_BY", b"BE", b"AFTER", b"BEFORE"]
    for _ in range(60):
        links = [Triple(rng.choice(names), rng.choice(names), rng.choice(labels)) for _ in range(5)]
        side = LinkSide(links)
        for asked in map(Triple._make, product(names, names, labels)):
            found = any(
                line.source.endswith(asked.source)
                and line.target == asked.target
                and line.label.startswith(asked.label)
                for line in side.text_lines
            )
            assert side.states(asked) is found


def test_one_side_judged_exactly():
    links = [
        Triple(b"a", b"b", b"BEFORE"),
        Triple(b"b", b"c", b"BEFORE"),
        Triple(b"c", b"a", b"BEFORE"),  # refuted
        Triple(b"a", b"c", b"BEFORE"),  # entailed
        Triple(b"a", b"b", b"VAGUE"),  # no meaning
        Triple(b"a", b"b", b"BEFORE"),  # a duplicate
        Triple(b"x", b"x", b"SIMULTANEOUS"),  # the first word about x
        Triple(b"x", b"x", b"IDENTITY"),
        Triple(b"x", b"x", b"BEFORE"),  # absurd
    ]
    side = ExactSide(LinkSide(links))
    assert side.judgements == [
        ExactJudgement.OPEN,
        ExactJudgement.OPEN,
        ExactJudgement.REFUTED,
        ExactJudgement.ENTAILED,
        ExactJudgement.NO_MEANING,
        ExactJudgement.ENTAILED,
        ExactJudgement.OPEN,
        ExactJudgement.ENTAILED,
        ExactJudgement.REFUTED,
    ]
    assert side.kept == [0, 1]
    assert side.duplicates == {5}
    assert side.set_aside == 3
    assert side.scored("default") == [links[position] for position in (0, 1, 2, 4, 6, 8)]
    asked = {
        Triple(b"c", b"b", b"AFTER"): (ExactJudgement.STATED, True),  # turned round
        Triple(b"a", b"c", b"BEFORE"): (ExactJudgement.STATED, True),
        Triple(b"c", b"a", b"AFTER"): (ExactJudgement.STATED, True),
        Triple(b"c", b"a", b"BEFORE"): (ExactJudgement.STATED, False),  # stated, though set aside
        Triple(b"b", b"a", b"BEFORE"): (ExactJudgement.REFUTED, False),
        Triple(b"a", b"b", b"VAGUE"): (ExactJudgement.STATED, False),
        Triple(b"b", b"c", b"VAGUE"): (ExactJudgement.NO_MEANING, False),
        Triple(b"a", b"z", b"BEFORE"): (ExactJudgement.OPEN, False),
    }
    for link, (judgement, follows) in asked.items():
        assert side.match(link) is judgement, link
        assert side.confirms(link) is follows, link
        assert side.matches(link) is (judgement is ExactJudgement.STATED)


# --- timelines --------------------------------------------------------------------------------------------------------

RISING = b"kite\n1\t2001\t3-1-rose\n2\t2002\t3-4-flew\n"
BROKEN = b"kite\nx\t2001\ta\n"


def outcomes(*files):
    found = score_timelines(FilePair(*file) for file in files)
    return found, [(file.outcome, file.reason, file.stops) for file in found.files]


def test_why_a_timeline_is_not_scored():
    good = ("good.txt", RISING, RISING)
    _, [scored] = outcomes(good)
    assert scored[0] is FileOutcome.SCORED
    assert not scored[1]
    found, [_, shell] = outcomes(good, ("a&b", RISING, RISING))
    assert (shell[0], shell[1]) == (FileOutcome.REPEATED, "the file name has a meaning for the shell")
    assert found.files[1].counts == found.files[0].counts
    found, [_, broken] = outcomes(good, ("broken", BROKEN, RISING))
    assert broken[0] is FileOutcome.REPEATED
    assert broken[1]
    found, [first] = outcomes(("broken", BROKEN, RISING))
    assert first[0] is FileOutcome.LEFT_OUT
    assert first[1] == broken[1]
    assert first[2] is not None
    found, [pattern] = outcomes(("+b", RISING, RISING))
    assert (pattern[0], pattern[1]) == (FileOutcome.LEFT_OUT, "the file name is not a regular expression")
    assert found.files[0].links is not None
    _, [nobody] = outcomes(("good.txt", RISING, None))
    assert nobody[0] is FileOutcome.NO_ANSWER


def test_where_the_program_stops():
    good = ("good.txt", RISING, RISING)
    assert outcomes(good)[0].stops is None
    assert outcomes(("empty", b"", RISING), good)[0].stops == "NameError: empty gold file"
    assert outcomes(good, ("empty", b"", RISING))[0].stops is None  # only the first one matters
    assert outcomes(("broken", BROKEN, RISING), good)[0].stops == outcomes(("broken", BROKEN, RISING))[0].stops
    assert "ZeroDivision" in outcomes(("good.txt", RISING, None))[0].stops
    assert "ZeroDivision" in outcomes((*good[:2], b"kite\n"))[0].stops


# --- the normaliser ---------------------------------------------------------------------------------------------------

TEXT = '<TEXT>Rain <EVENT eid="e1">fell</EVENT> on <TIMEX3 tid="t1">Monday</TIMEX3>.</TEXT>'
DOCUMENT = f"""<TimeML><DCT><TIMEX3 tid="t0">today</TIMEX3></DCT>
{TEXT}
<MAKEINSTANCE eiid="ei1" eventID="e1"/>
<TLINK lid="l1" relType="IS_INCLUDED" eventInstanceID="ei1" relatedToTime="t1"/>
</TimeML>"""


def notes(link):
    """What is remarked about one more link, at the line where it stands."""
    pair = normalize_pair(DOCUMENT.replace("</TimeML>", f"{link}\n</TimeML>"), DOCUMENT)
    return [(objection.remark.line, objection.remark.message) for objection in pair.objections]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("<TLINK lid='l2' relType='BEFORE' timeID='t1' relatedToTime='t0'/>", "the link keeps its old ids and label"),
        ('<TLINK relType="BEFORE" timeID="t1" relatedToTime="t0"/>', "the link keeps its old ids and label"),
        ('<!-- <TLINK lid="l9" relType="BEFORE" timeID="t1" relatedToTime="t0"/> -->', "the link keeps its old ids"),
        ("<TLINK lid=\"l2\" relType='BEFORE' timeID='t1' relatedToTime=\"t0\"/>", "relType, timeID: not written as"),
        ('<TLINK lid="l2" timeID="t1" relatedToTime="t0"/>', "the link lacks an argument or its relType"),
        ('<TLINK lid="l2" relType="BEFORE" relatedToTime="t0"/>', "the link lacks an argument or its relType"),
        ('<TLINK lid="l2" relType="BEFORE" timeID="t1"/>', "the link lacks an argument or its relType"),
    ],
)
def test_why_a_link_is_not_rewritten(link, reason):
    [(line, message)] = notes(link)
    assert line == 5
    assert message.startswith(reason)


def test_links_that_are_rewritten_are_not_remarked_on():
    assert notes('<TLINK lid="l2" relType="BEFORE" timeID="t1" relatedToTime="t0"/>') == []
    assert normalize_pair(DOCUMENT, DOCUMENT).objections == ()


@pytest.mark.parametrize(
    ("gold", "system", "said"),
    [
        ("Rain", "Snow", "token 1 of TEXT is 'Snow', but 'Rain' in gold"),
        (" on ", " at ", "token 3 of TEXT is 'at', but 'on' in gold"),
        (".</TEXT>", "</TEXT>", "token 5 of TEXT is the end, but '.' in gold"),
    ],
)
def test_the_first_token_that_differs_is_named(gold, system, said):
    other = DOCUMENT.replace(gold, system)
    [objection] = normalize_pair(DOCUMENT, other).objections
    assert (objection.stage, objection.side) == (Stage.ALIGNMENT, WhichSide.SYSTEM)
    assert said in str(objection)
    assert str(objection).startswith("system: token")
    [back] = normalize_pair(other, DOCUMENT).objections
    assert back.remark.message != objection.remark.message


def test_troubling_characters_are_told_for_each_side():
    trouble = DOCUMENT.replace("Rain", "Ra|in")
    found = normalize_pair(trouble, trouble).objections
    assert [(each.side, each.remark.code) for each in found] == [
        (WhichSide.GOLD, "unsupported-character"),
        (WhichSide.SYSTEM, "unsupported-character"),
    ]


def test_nothing_is_written_for_folders_of_different_names():
    folder = {"a": DOCUMENT, "b": DOCUMENT}
    assert len(normalize_folders(folder, folder).officially_written()) == 4
    assert normalize_folders(folder, {"a": DOCUMENT}).officially_written() == ()
    assert normalize_folders({"a": DOCUMENT}, folder).officially_written() == ()


def test_events_outside_the_text_and_the_creation_time_after_it():
    """Only what stands in TEXT is numbered; the creation time is the one in DCT, wherever that stands."""
    titled = DOCUMENT.replace("<TEXT>", '<TITLE><EVENT eid="e0">Rain</EVENT></TITLE><TEXT>', 1)
    moved = f'<TimeML>{TEXT}<DCT><TIMEX3 tid="t0">today</TIMEX3></DCT>' + DOCUMENT.split("</TEXT>")[1]
    plain = normalize_pair(DOCUMENT, DOCUMENT).gold.links
    for other in (titled, moved):
        pair = normalize_pair(other, DOCUMENT)
        assert pair.objections == ()
        assert pair.gold.links == pair.system.links == plain
