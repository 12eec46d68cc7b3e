"""Values of time expressions in every format that has them: type, value, mod, beginPoint, endPoint."""

import json

import pytest

from temporacle.io import read_source
from temporacle.io.jsonl import document as jsonl_write
from temporacle.io.source import Options, Source
from temporacle.io.timeml import write

TIMEML = """<TimeML><DCT><TIMEX3 tid="t0" type="DATE" value="2020-05-04" functionInDocument="CREATION_TIME"/></DCT>
<TEXT>It <EVENT eid="e1">closed</EVENT> for
<TIMEX3 tid="t1" type="DURATION" value="P3W" mod="APPROX" beginPoint="t2" endPoint="t0">some three weeks</TIMEX3> from
<TIMEX3 tid="t2" type="DATE" value="2020-04" beginPoint="">April</TIMEX3>
<TIMEX3 tid="t2" type="TIME" value="2021-04" mod="END">April</TIMEX3></TEXT></TimeML>"""
CAT = """<Document doc_name="d"><token t_id="1" sentence="0">April</token><Markables>
<TIMEX3 m_id="5" type="DATE" value="2020-04" functionInDocument="NONE"><token_anchor t_id="1"/></TIMEX3>
<TIMEX3 m_id="6" type="DURATION" value="P3W" beginPoint="5" endPoint=""/>
<TIME_REPETITION m_id="7" value="P1D"/></Markables></Document>"""
CAEVO = """<root xmlns="http://chambers.com/corpusinfo"><file name="d.tml">
<entry><timexes><timex tid="t1" type="DATE" value="2020-04" mod="START"/></timexes></entry></file></root>"""
ANAFORA = """<data><annotations><entity><id>1@e@d@gold</id><span>0,4</span><type>TIMEX3</type>
<properties><Class>DATE</Class><Value>2020-04</Value></properties></entity></annotations></data>"""
JSONL = {
    "document": "d",
    "entities": [
        {"id": "t0", "kind": "dct", "value": "2020-05-04", "function": "CREATION_TIME"},
        {"id": "t1", "kind": "time", "type": "DURATION", "value": "P3W", "mod": "APPROX", "beginPoint": "t2"},
        {"id": "t2", "kind": "time", "endPoint": "t0", "type": 7},
    ],
    "links": [],
}


def values(entities):
    return {each.id: (each.type, each.value, each.mod, each.begin_point, each.end_point) for each in entities}


def only_document(text, path="d.xml"):
    (document,) = read_source(Source(path, text.encode(), Options()))
    return document


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            TIMEML,
            {
                "t0": ("DATE", "2020-05-04", None, None, None),
                "t1": ("DURATION", "P3W", "APPROX", "t2", "t0"),
                "t2": ("DATE", "2020-04", None, None, None),
            },
        ),
        (
            CAT,
            {
                "m5": ("DATE", "2020-04", None, None, None),
                "m6": ("DURATION", "P3W", None, "m5", None),
                "m7": ("SET", "P1D", None, None, None),
            },
        ),
        (CAEVO, {"t1": ("DATE", "2020-04", "START", None, None)}),
        (ANAFORA, {"1@e@d@gold": ("DATE", "2020-04", None, None, None)}),
    ],
    ids=["timeml", "cat", "caevo", "anafora"],
)
def test_xml_formats_give_the_values_of_times(text, expected):
    found = values(only_document(text).entities)
    assert {name: found[name] for name in expected} == expected


def test_json_lines_give_the_values_of_times_and_keep_what_is_not_a_text():
    document = only_document(json.dumps(JSONL), "d.jsonl")
    assert values(document.entities) == {
        "t0": (None, "2020-05-04", None, None, None),
        "t1": ("DURATION", "P3W", "APPROX", "t2", None),
        "t2": (None, None, None, None, "t0"),
    }
    assert document.extras.entities == {"t2": {"type": 7}}


@pytest.mark.parametrize("writer", [write, jsonl_write])
def test_values_are_written_and_read_back(writer):
    for text, name in ((TIMEML, "d.xml"), (json.dumps(JSONL), "d.jsonl")):
        document = only_document(text, name)
        again = only_document(writer.text(document, lambda remark: None))
        assert values(again.entities) == values(document.entities)


def test_tempeval2_values_stand_in_a_file_of_their_own(tmp_path):
    (tmp_path / "event-extents.tab").write_text("d\t0\t0\tevent\te1\t1\n")
    (tmp_path / "timex-extents.tab").write_text("d\t0\t1\ttimex3\tt1\t1\nd\t0\t2\ttimex3\tt2\t1\n")
    (tmp_path / "tlinks-dct-event.tab").write_text("d\te1\tt0\tBEFORE\n")
    (tmp_path / "dct.txt").write_text("d\t20200504\n")
    rows = [("t1", "type", "DATE"), ("t1", "val", "2020-04"), ("t1", "val", "2021"), ("e1", "value", "x")]
    rows += [("t2", "value", "P3W"), ("t2", "beginPoint", "t1"), ("t9", "value", "1999")]
    attributes = "".join(f"d\t0\t1\ttimex3\t{time}\t1\t{name}\t{value}\n" for time, name, value in rows)
    (tmp_path / "timex-attributes.tab").write_text(attributes + "d\t0\t1\ttimex3\tt1\t1\tmod\n")
    (document,) = read_source(Source(str(tmp_path), b"", Options(), format="tempeval2"))
    assert values(document.entities) == {
        "t0": (None, "2020-05-04", None, None, None),
        "e1": (None, None, None, None, None),
        "t1": ("DATE", "2020-04", None, None, None),
        "t2": (None, "P3W", None, "t1", None),
    }
    (tmp_path / "timex-attributes.tab").write_bytes(b"d\t0\t1\ttimex3\tt1\t1\tval\t\xff\n")
    (document,) = read_source(Source(str(tmp_path), b"", Options(), format="tempeval2"))
    assert [remark.code for remark in document.remarks] == ["unread-values"]


def test_estonian_values_stand_in_the_annotation_column(tmp_path):
    (tmp_path / "tlink-event-dct").write_text("# fileName\tentityID_A\trelation_to_DCT\tcomment\nd\te1\tBEFORE\t\n")
    (tmp_path / "event-annotation").write_text('d\t0\t0\t"x"\tEVENT\te1\n')
    rows = [('TIMEX DATE 196 mod="END" multiword="true"', "t1"), ('TIMEX multiword="true"', "t1")]
    rows += [('TIMEX DURATION mod="APPROX"', "t2"), ("EVENT", "t3"), ('TIMEX DURATION P3W endPoint="t1"', "t4")]
    table = "".join(f'd\t0\t1\t"x"\t{annotation}\t{time}\n' for annotation, time in rows)
    (tmp_path / "timex-annotation").write_text("# fileName\n" + table)
    (document,) = read_source(Source(str(tmp_path), b"", Options(), format="estonian"))
    found = values(document.entities)
    assert [found[name] for name in ("t1", "t2", "t3", "t4")] == [
        ("DATE", "196", "END", None, None),
        ("DURATION", None, "APPROX", None, None),
        (None, None, None, None, None),
        ("DURATION", "P3W", None, None, "t1"),
    ]
