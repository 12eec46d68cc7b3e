"""TimeML: the short way of plain links and the careful way of all others agree; options; lazy parts."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import temporacle.io.timeml.read
from temporacle.io import Options, Source, read_source
from temporacle.io.builder import DocumentBuilder
from temporacle.model import Kind


def read(text, **options):
    (document,) = read_source(Source("kite.tml", text.encode(), Options(**options)))
    return document


class NeverPlain(dict):
    """Labels of which none is plain: every link takes the careful way."""

    def get(self, *_):
        return None


class CarefulBuilder(DocumentBuilder):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.relations = NeverPlain()


ids = st.sampled_from(["ei1", "ei2", "e1", "e2", "e3", "t0", "t1", "x9", "", None])
labels = st.sampled_from(["BEFORE", "AFTER", "before", " AFTER", "OVERLAP", "MEASURE", "VAGUE", "WRONG", "", None])
attributes = st.fixed_dictionaries(
    {
        "lid": st.sampled_from(["l1", "l2", None]),
        "relType": labels,
        "eventInstanceID": ids,
        "timeID": st.one_of(st.none(), ids),
        "relatedToEventInstance": ids,
        "relatedToTime": st.one_of(st.none(), ids),
        "eventID": st.one_of(st.none(), ids),
        "from": st.one_of(st.none(), ids),
        "relatedToEvent": st.one_of(st.none(), ids),
        "to": st.one_of(st.none(), ids),
        "task": st.sampled_from([None, "A"]),
    }
)


def timeml(links):
    lines = [
        "<TLINK " + " ".join(f'{key}="{value}"' for key, value in link.items() if value is not None) + "/>"
        for link in links
    ]
    return (
        '<TimeML><EVENT eid="e1">a</EVENT><EVENT eid="e2">b</EVENT><EVENT eid="e3">c</EVENT><TIMEX3 tid="t0">d</TIMEX3>'
        '<TIMEX3 tid="t1"/><MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e1"/>'
        '<MAKEINSTANCE eiid="ei2" eventID="e2"/>\n' + "\n".join(lines) + "</TimeML>"
    )


@given(st.lists(attributes, max_size=6), st.booleans())
def test_the_short_way_and_the_careful_way_agree(links, keep_unknown):
    text = timeml(links)
    quick = read(text, keep_unknown=keep_unknown)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(temporacle.io.timeml.read, "DocumentBuilder", CarefulBuilder)
        careful = read(text, keep_unknown=keep_unknown)
    assert quick == careful
    assert len(quick.links) + len(quick.dropped) == len(links)


LINK = '<TLINK lid="l1" relType="DURING" eventInstanceID="ei1" relatedToEventInstance="ei2"/>'
TEXT = (
    '<TimeML><TEXT>It <EVENT eid="e1">rose</EVENT>.</TEXT>'
    '<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e1"/>' + LINK + "</TimeML>"
)


def test_the_reading_can_be_chosen():
    assert str(read(TEXT).links[0].relation) == "="
    assert str(read(TEXT, during="is_included").links[0].relation) == "d"
    before = TEXT.replace("DURING", "BEFORE")
    assert str(read(before, reading="timeml-loose").links[0].relation) == "b|m"
    assert read(before, reading="timeml-loose").reading.name == "timeml-loose"


def test_unknown_ids_can_be_kept():
    text = TEXT.replace('relatedToEventInstance="ei2"', 'relatedToTime="t99"')
    assert [remark.code for remark in read(text).dropped] == ["dangling-id"]
    kept = read(text, keep_unknown=True)
    assert kept.entity_ids == ("ei1", "ei2", "t99")
    assert tuple(entity.id for entity in kept.entities) == kept.entity_ids
    assert [remark.code for remark in kept.remarks] == ["dangling-id"]
    assert not kept.dropped


def test_two_instances_of_an_event_share_its_span():
    document = read(TEXT)
    assert [(entity.id, entity.event_id, entity.spans) for entity in document.entities] == [
        ("ei1", "e1", ((3, 7),)),
        ("ei2", "e1", ((3, 7),)),
    ]
    assert document.text == "It rose."


def test_text_and_spans_are_worked_out_when_asked_for_and_survive_a_pickle():
    document = read(TEXT)
    assert callable(document.body)
    copy = pickle.loads(pickle.dumps(document))
    assert callable(document.body)  # not even pickling works them out
    assert copy.entities == document.entities
    assert copy.entities[0].kind is Kind.EVENT


@pytest.mark.parametrize(
    ("times", "dct"),
    [
        ('<DCT><TIMEX3 tid="t5"/></DCT><TIMEX3 tid="t1" functionInDocument="CREATION_TIME"/>', "t5"),
        ('<TIMEX3 tid="t0"/><TIMEX3 tid="t1" functionInDocument="CREATION_TIME"/>', "t1"),
        ('<TIMEX3 tid="t1" functionInDocument="PUBLICATION_TIME"/><TIMEX3 tid="t0"/>', "t1"),
        ('<TIMEX3 tid="t1" functionInDocument="NONE"/><TIMEX3 tid="t0"/>', "t0"),
        ('<TIMEX3 tid="t0" functionInDocument="NONE"/>', None),
        ("<DCT/>", None),
    ],
)
def test_the_creation_time_is_found_in_order(times, dct):
    document = read(f"<TimeML>{times}</TimeML>")
    assert next((entity.id for entity in document.entities if entity.is_dct), None) == dct
    assert document.remarks == ()


def test_two_elements_for_the_creation_time_are_told():
    document = read('<TimeML><DCT><TIMEX3 tid="t0"/></DCT><DCT/>\n<DCT><TIMEX3 tid="t1"/></DCT></TimeML>')
    assert [entity.id for entity in document.entities if entity.is_dct] == ["t0"]
    assert [(remark.code, remark.line) for remark in document.remarks] == [("several-dcts", 2)]


@pytest.mark.parametrize(
    ("ends", "kept"),
    [
        ('eventID="e1" timeID="t0" relatedToEventInstance="ei2"', False),
        ('eventID="e1" from="e2" to="t0"', False),
        ('eventInstanceID="ei1" relatedToTime="t0" relatedToEvent="e2"', False),
        ('eventInstanceID="ei1" relatedToTime="t0" to="t1"', False),
        ('eventInstanceID="ei1" timeID="ei1" relatedToTime="t0"', False),
        ('eventInstanceID="ei1" eventID="e1" relatedToTime="t0" to="t0"', True),  # the same thing said twice
        ('eventInstanceID="ei2" eventID="e1" relatedToTime="t0" relatedToEvent=""', True),
    ],
)
@pytest.mark.parametrize("root", ["TimeML", "TempEval"])
def test_two_sources_or_targets_are_never_chosen_from(root, ends, kept):
    document = read(
        f'<{root}><EVENT eid="e1">a</EVENT><EVENT eid="e2">b</EVENT><TIMEX3 tid="t0"/><TIMEX3 tid="t1"/>'
        '<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e1"/>'
        f'<TLINK lid="l1" relType="BEFORE" {ends}/></{root}>'
    )
    assert len(document.links) == kept
    assert [remark.code for remark in document.dropped] == ([] if kept else ["two-endpoints"])


def test_reading_is_linear_in_links_named_by_events():
    events = "".join(f'<EVENT eid="e{k}"/><MAKEINSTANCE eiid="ei{k}" eventID="e{k}"/>' for k in range(3000))
    links = "".join(
        f'<TLINK lid="l{k}" relType="BEFORE" eventInstanceID="e{k}" relatedToEventInstance="e{k + 1}"/>'
        for k in range(2999)
    )
    document = read(f"<TimeML>{events}{links}</TimeML>")
    assert [(link.source, link.target) for link in document.links] == [(f"ei{k}", f"ei{k + 1}") for k in range(2999)]
    assert [remark.code for remark in document.remarks] == ["eid-for-eiid"]


@pytest.mark.parametrize(
    ("text", "ids", "message"),
    [
        ('<EVENT eid="e1">a</EVENT><TIMEX3 tid="e1">b</TIMEX3>', ["e1"], "tid 'e1' is also the id of an event"),
        (
            '<EVENT eid="e1">a</EVENT><MAKEINSTANCE eiid="x" eventID="e1"/><TIMEX3 tid="x"/><TIMEX3 tid="y"/>',
            ["x", "y"],
            "tid 'x' is also the id of an instance",
        ),
        (
            '<EVENT eid="e1">a</EVENT><EVENT eid="e2">b</EVENT><MAKEINSTANCE eiid="e2" eventID="e1"/>',
            ["e2"],
            "eid 'e2' is also the id of an instance",
        ),
    ],
)
def test_an_id_for_things_of_two_kinds_means_the_first_kind(text, ids, message):
    document = read(f"<TimeML>{text}</TimeML>")
    assert list(document.entity_ids) == [entity.id for entity in document.entities] == ids
    (remark,) = (remark for remark in document.remarks if remark.code == "duplicate-id")
    assert message in remark.message


def test_an_instance_may_have_the_name_of_its_event():
    document = read('<TimeML><EVENT eid="e1">a</EVENT><MAKEINSTANCE eiid="e1" eventID="e1"/></TimeML>')
    assert document.entity_ids == ("e1",)
    assert document.remarks == ()


@pytest.mark.parametrize(
    ("root", "prefix"),
    [
        ("<TimeML>", ""),
        ('<TimeML xmlns:xsi="urn:schema">', ""),
        ('<TimeML xmlns="urn:timeml">', ""),
        ('<TimeML xmlns:t="urn:timeml">', "t:"),
        ('<TimeML xmlns:t="urn:timeml" xmlns:xsi="urn:schema">', ""),
    ],
)
def test_elements_in_any_namespace_are_found(root, prefix):
    document = read(
        f'{root}<{prefix}TEXT><{prefix}EVENT eid="e1">a</{prefix}EVENT> <{prefix}EVENT eid="e2">b</{prefix}EVENT>'
        f'</{prefix}TEXT><{prefix}TLINK lid="l1" eventID="e1" relatedToEvent="e2" relType="BEFORE"/></TimeML>'
    )
    assert document.entity_ids == ("e1", "e2")
    assert [(link.source, link.label, link.target) for link in document.links] == [("e1", "BEFORE", "e2")]
    assert document.text == "a b"


def test_of_two_creation_times_the_one_that_times_are_anchored_to_is_taken():
    time = '<TIMEX3 tid="{}" functionInDocument="CREATION_TIME"/>'
    anchored = (
        '<TIMEX3 tid="t3" anchorTimeID="t2"/><TIMEX3 tid="t4" anchorTimeID="t2"/><TIMEX3 tid="t5" anchorTimeID="t1"/>'
    )
    for others, chosen in (("", "t1"), (anchored, "t2")):
        text = f"<TimeML><TEXT>{time.format('t1')}{time.format('t2')}{others}</TEXT></TimeML>"
        (document,) = read_source(Source("x.tml", text.encode()))
        assert [entity.id for entity in document.entities if entity.is_dct] == [chosen]
        (remark,) = [remark for remark in document.remarks if remark.code == "several-dcts"]
        assert f"{chosen} is taken" in remark.message
