"""Everything that a TimeML file says survives the way through JSON Lines, or its loss is reported."""

import json

import pytest
from lxml import etree

from temporacle.io import Options, Source
from temporacle.io.formats import FORMATS
from temporacle.io.jsonl.read import read as read_jsonl
from temporacle.io.timeml import read as timeml_reader

FULL = """<?xml version="1.0"?>
<TimeML xmlns:x="urn:x"><DOCID>harbour</DOCID><TITLE size="2">Ferry news</TITLE>
<DCT><TIMEX3 tid="t0" type="DATE" value="2020-05-04" functionInDocument="CREATION_TIME"
 temporalFunction="false">4 May</TIMEX3></DCT>
<TEXT><s id="1">The ferry <EVENT eid="e1" class="OCCURRENCE" stem="leave">left</EVENT> <SIGNAL sid="s1">after</SIGNAL>
<TIMEX3 tid="t1" type="DURATION" value="PT24H" mod="APPROX" anchorTimeID="t0"
 quant="EVERY">the last <CARDINAL>twenty four</CARDINAL> hours</TIMEX3>
and <EVENT eid="e2" class="REPORTING">said</EVENT> so.</s></TEXT>
<!-- checked -->
<MAKEINSTANCE eiid="ei1" eventID="e1" tense="PAST" aspect="PERFECTIVE" polarity="NEG" pos="VERB" x:who="ann"/>
<MAKEINSTANCE eiid="ei2" eventID="e2" tense="PAST" aspect="NONE" polarity="POS" pos="VERB"/>
<TLINK lid="l1" relType="AFTER" eventInstanceID="ei1" relatedToTime="t1" signalID="s1" origin="hand"/>
<SLINK lid="l2" relType="EVIDENTIAL" eventInstanceID="ei2" subordinatedEventInstance="ei1"/>
<ALINK lid="l3" relType="INITIATES" eventInstanceID="ei1" relatedToEventInstance="ei2"/>
</TimeML>
"""


def read(text):
    (document,) = timeml_reader.read(Source("harbour.tml", text.encode(), Options()))
    return document


def there_and_back(document):
    notes = []
    line = FORMATS["jsonl"].text(document, notes.append)
    (again,) = read_jsonl(Source("harbour.jsonl", line.encode(), Options()))
    text = FORMATS["timeml"].text(again, notes.append)
    return text, [note.code for note in notes], json.loads(line)


def elements(text):
    """Tags with their attributes and texts; attributes in a namespace are known to be lost."""
    root = etree.fromstring(text.encode())
    found = [
        (
            each.tag,
            sorted((key, value) for key, value in each.attrib.items() if not key.startswith("{")),
            etree.tostring(each, method="text", encoding="unicode", with_tail=False),
        )
        for each in root.iter(etree.Element)
        if each.tag not in {"TimeML", "TEXT", "DCT"}
    ]
    return sorted(found)


def test_every_element_and_attribute_survives():
    text, notes, _ = there_and_back(read(FULL))
    assert elements(text) == elements(FULL)
    assert notes == ["markup-lost"]  # said once, where it is lost


def test_losses_are_counted_by_kind():
    notes = []
    FORMATS["jsonl"].text(read(FULL), notes.append)
    assert "1 x attribute in a namespace" in notes[0].message
    assert "1 x comment" in notes[0].message


def test_text_after_nested_markup_belongs_to_the_entity():
    texts = {entity.id: entity.text for entity in read(FULL).entities}
    assert texts["t1"] == "the last twenty four hours"


def test_the_second_journey_changes_nothing():
    once, _, record = there_and_back(read(FULL))
    twice, notes, again = there_and_back(read(once))
    assert (twice, notes) == (once, [])
    for each in (again, record):
        each["entities"].sort(key=lambda entity: entity["id"])  # what has no place in the text stands behind it
    assert again == record


@pytest.mark.parametrize(
    "odd", [1, "x", {"EVENT": 3}, {"EVENT": {"a b": "c"}}, [{"tag": "TLINK"}], [{"tag": "a b"}], [3]]
)
def test_a_foreign_value_under_the_key_does_no_harm(odd):
    record = {
        "document": "d",
        "entities": [{"id": "a", "kind": "event", "timeml": odd}, "b"],
        "links": [{"source": "a", "relation": "BEFORE", "target": "b", "id": "l1", "timeml": odd}],
        "timeml": odd,
    }
    (document,) = read_jsonl(Source("d.jsonl", json.dumps(record).encode(), Options()))
    text = FORMATS["timeml"].text(document, [].append)
    (again,) = timeml_reader.read(Source("d.tml", text.encode(), Options()))
    assert [(link.source, link.target) for link in again.links] == [("a", "b")]
