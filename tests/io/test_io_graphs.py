"""Graphs that are read without a tree and without links are those of the documents that the readers make."""

import json
from random import Random

import pytest
from shared_data import shared

from bench.documents import as_timeml, local_links
from fuzz.mutate import mutated, mutated_json
from temporacle.calendar.policy import Calendar, Policy
from temporacle.io import Options, Source, read_graphs, read_source
from temporacle.model import Document, PlainGraph, Unreadable
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.network import count_entities

HARBOUR = b"""<?xml version="1.0" ?>
<TimeML xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="http://t.org/T.xsd">
<DOCID>harbour</DOCID>
<DCT>Port, <TIMEX3 tid="t0" type="DATE" value="2006-12-02" functionInDocument="CREATION_TIME">Dec 2</TIMEX3></DCT>
<TEXT>
The ferry <EVENT class="OCCURRENCE" eid="e1">left</EVENT> &amp; "it" <EVENT class="OCCURRENCE" eid="e2">docked</EVENT>
on <TIMEX3 type="DATE" value="2006-12-03T10:00" tid="t1">Sunday</TIMEX3>; caf\xc3\xa9s
<EVENT class="STATE" eid="e3">closed</EVENT>.
</TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1" pos="VERB" tense="PAST" aspect="NONE" polarity="POS" />
<MAKEINSTANCE eiid="ei2" eventID="e2" pos="VERB" tense="PAST" aspect="NONE" polarity="POS" modality="may be" />
<MAKEINSTANCE eiid="ei3" eventID="e3" pos="VERB" tense="PAST" aspect="NONE" polarity="POS" />
<TLINK lid="l1" eventInstanceID="ei1" relatedToEventInstance="ei2" relType="BEFORE" />
<TLINK lid="l2" eventInstanceID="ei2" relatedToTime="t1" relType="IS_INCLUDED" />
<TLINK lid="l3" timeID="t0" relatedToTime="t1" relType="BEFORE" signalID="s1" />
</TimeML>
"""
LOOSE = HARBOUR.replace(b'<MAKEINSTANCE eiid="ei3" eventID="e3"', b'<MAKEINSTANCE eiid="ei3" eventID="e2"')
# What could be mistaken: each goes in at random places between and inside tags.
PIECES = [
    *(b"<!-- -->", b"<!--<TLINK/>-->", b"<![CDATA[<EVENT>]]>", b"<?pi?>", b"]]>", b"&lt;", b"&#60;", b"&x;", b"&"),
    *(
        b"'",
        b'"',
        b"''",
        b'""',
        b" ",
        b"\n",
        b"\t",
        b"\x0b",
        b"\x0c",
        b"\x00",
        b"\x7f",
        b"\xff",
        b"\xc3\xa9",
        b">",
        b"<",
    ),
    *(b"/", b"/>", b"</EVENT>", b"<EVENT>", b'<EVENT eid="e9"/>', b"<EVENT eid='e9'>x</EVENT>", b"</TEXT>", b"<TEXT>"),
    *(
        b' eid="e1"',
        b' eid="e7"',
        b" eid='e7'",
        b' tid="t0"',
        b' lid="l9"',
        b' eiid="ei1"',
        b' eventID="e1"',
        b' a="b"',
    ),
    *(b' xml:id="1 2"', b' xsi:eid="e8"', b' xmlns="u"', b' xmlns:q="u"', b' xmlns:xsi="::"', b" x:y='1'", b' q:r="1"'),
    *(
        b' eventID="e1"',
        b' relType=""',
        b' comment="> eid="',
        b' signalID="s"',
        b' syntax="\x01"',
        b' origin="a&amp;b"',
    ),
    *(b"<DCT></DCT>", b"<DCT><TIMEX3 tid='t8'/></DCT>", b'<DCT x="y">', b"<xsi:EVENT/>", b"<EVENTS/>", b"<TLINK/>"),
    *(
        b"<MAKEINSTANCE/>",
        b"<SLINK/>",
        b'<TLINK lid="l9"></TLINK>',
        b"</TimeML>",
        b"<TimeML>",
        b"<TIMEX3/>",
        b"<x>",
        b"</x>",
    ),
    *(
        b' value="P2D"',
        b' value=""',
        b' value="1998&#45;02"',
        b' value="1998 "',
        b' value="19\n98"',
        b' value="\xc3\xa9"',
    ),
    *(b' mod="BEFORE"', b' mod="odd"', b' beginPoint="t0"', b' endPoint="t7"', b' type="SET"', b' type="DURATION"'),
    *(b' functionInDocument="NONE"', b' functionInDocument="PUBLICATION_TIME"', b' quant="EVERY"', b"\r", b"\r\n"),
    *(b"PUBLICATION_TIME", b"CREATION_TIME", b"BEFORE", b"before", b"ei1", b"e1", b"t1", b"NONE", b"DURING", b"AFTER"),
]


WITH_VALUES = Options(values=True)


def times_agree(graph, document, names, choice):
    """``names``: the entity of the document for each name in the columns of the graph. ``choice``: any number."""
    found = graph.times.entities
    assert list(found.values()) == [time._replace(text=None) for time in document.known_times]
    mentioned = set(names.values())
    for name, time in found.items():
        assert names.get(name) == (time.id if time.id in mentioned else None)
    assert graph.times.reading == document.reading
    calendar = Calendar(list(Policy)[choice % 3])
    more = {0: {"relabel": True}, 1: {"repair": True}}.get(choice // 3 % 30, {"explain": False})
    asked = CheckOptions(calendar=calendar, **more)
    assert check_document(graph, asked) == check_document(document, asked)


def without_spans(times):
    """Readers that are asked for values leave the spans out."""
    return [time._replace(spans=()) for time in times]


def agrees(data, name="harbour.tml", options=None):
    """Compare a graph, if there is one, with the document; return how many graphs there are."""
    options = options or Options()
    graphs = list(read_graphs(Source(name, data, options)))
    found = list(read_source(Source(name, data, options)))
    assert len(graphs) == len(found)
    for graph, document in zip(graphs, found, strict=True):
        if isinstance(graph, PlainGraph):
            assert isinstance(document, Document)
            assert (graph.id, graph.path, graph.remarks) == (document.id, document.path, document.remarks)
            assert graph.entities == count_entities(document)
            assert tuple(graph.relations) == tuple(link.relation for link in document.links)
            ends = [*graph.sources, *graph.targets]
            named = [*(link.source for link in document.links), *(link.target for link in document.links)]
            assert len(set(zip(ends, named, strict=True))) == len(set(ends)) == len(set(named))
            complete = graph.complete()
            assert complete == document
            assert (complete.text, complete.entities) == (document.text, document.entities)
            assert options.values or complete.extras == document.extras  # the same with and without values
            assert without_spans(complete.times) == without_spans(document.times)
            assert (graph.times is None) == (not options.values)
            if graph.times is not None:
                times_agree(graph, document, dict(zip(ends, named, strict=True)), len(data))
        elif isinstance(graph, Unreadable):
            assert isinstance(document, Unreadable)
            assert (graph.id, graph.path, str(graph.error)) == (document.id, document.path, str(document.error))
        else:
            assert graph == document
        assert check_document(graph) == check_document(document)
    return sum(isinstance(graph, PlainGraph) for graph in graphs)


def damaged(rng, data):
    """A file with small accidents, mostly where tags begin, end, or have a blank or a quotation mark."""
    if rng.random() < 0.2:
        return mutated(rng, [data])
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        sign = rng.choice((b"<", b">", b'"', b" ", b"/", b"=", b"\n"))
        places = [place for place, byte in enumerate(data) if byte == sign[0]]
        place = rng.choice(places or [0]) + rng.randint(0, 1)
        gone = rng.choice((0, 0, 0, 1, 1, 5))
        data = data[:place] + rng.choice((*PIECES, b"", b"", data[place : place + 60])) + data[place + gone :]
    return data


def samples():
    """Plain files of the project's own."""
    rng = Random(3)
    small = [as_timeml(local_links(rng, 4, 3), 0) for _ in range(3)]
    return [HARBOUR, HARBOUR, HARBOUR, LOOSE, *small]


@pytest.mark.parametrize("data", samples())
def test_plain_files_are_read_without_a_tree(data):
    with_labels = [label for label in (b'"o"', b'"oi"', b"OVERLAP") if label in data]
    assert agrees(data) or with_labels
    assert agrees(data, options=WITH_VALUES) or with_labels
    assert agrees(data, options=Options(during="is_included", keep_unknown=True)) or with_labels


def compare_damaged(seed, number, options=None):
    rng = Random(seed)
    seeds = samples()
    plain = sum(agrees(damaged(rng, rng.choice(seeds)), options=options) for _ in range(number))
    assert number / 50 < plain < number / 2, "the comparison needs both plain files and others"


def test_damaged_files_are_read_as_the_reader_reads_them():
    compare_damaged(11, 2500)


def test_damaged_files_have_the_times_that_the_reader_finds():
    compare_damaged(13, 1500, WITH_VALUES)


@pytest.mark.slow
def test_many_damaged_files_are_read_as_the_reader_reads_them():
    compare_damaged(12, 12_000)
    compare_damaged(14, 5000, WITH_VALUES)


def test_times_are_read_as_the_reader_reads_them_byte_by_byte():
    """With or without an element that holds the creation time."""
    without_holder = HARBOUR.replace(b"DCT>", b"D>")
    plain = 0
    for data in (HARBOUR, without_holder, without_holder.replace(b' functionInDocument="CREATION_TIME"', b"")):
        for place in range(data.index(b"<TIMEX3"), data.index(b'<EVENT class="STATE')):
            piece = (b"", b'"', b"<", b">", b"&", b"/", b"\n", b"\r", b"\xa0", b" ", b"x", b"=")[place % 12]
            plain += agrees(data[:place] + piece + data[place + 1 :], options=WITH_VALUES)
    assert plain > 100


@pytest.mark.parametrize(
    "data",
    [
        HARBOUR.replace(b"<TEXT>", b"<TEXT>" + b"<x>" * 300).replace(b"</TEXT>", b"</x>" * 300 + b"</TEXT>"),
        HARBOUR.replace(b"<TEXT>", b"<TEXT><" + b"x" * 50_001 + b"/>"),
        HARBOUR.replace(b"The ferry", b"<x xml:id='1 2'/>"),
        HARBOUR.replace(b"The ferry", b'<x y=">" xml:id="1 2"/>'),
        HARBOUR.replace(b"The ferry", b'<x xmlns:xsi="::"/>'),
        HARBOUR.replace(b' type="DATE" value="2006-12-03T10:00"', b' type="DATE" xml:id="1 2"'),
        HARBOUR.replace(b"<DCT>", b"<DCT><x/>").replace(b"The ferry", b"<DCT><TIMEX3 tid='t5'/></DCT>"),
        HARBOUR.replace(b"DCT>", b"D>").replace(b'tid="t1"', b'tid="t1" functionInDocument="CREATION&#95;TIME"'),
        HARBOUR.replace(b"DCT>", b"D>").replace(b'tid="t1"', b'tid="t1" functionInDocument="CREATION_TIME"'),
        HARBOUR.replace(b'lid="l2"', b'lid="l1"'),
        HARBOUR.replace(b'lid="l2" ', b""),
        HARBOUR.replace(b'version="1.0"', b'version="1.0" encoding="latin-1"'),
        HARBOUR.replace(b"\xc3\xa9", b"\xe9"),
        HARBOUR.replace(b"\xc3\xa9", b"\xef\xbf\xbe"),
        HARBOUR.replace(b"ei2", b"\xc3\xa9i2"),
        HARBOUR.replace(b"TimeML", b"TempEval"),
        b"\xef\xbb\xbf" + HARBOUR,
        HARBOUR[: HARBOUR.index(b"<MAKE")] + b"</TimeML>",
        b"",
        b"<TimeML></TimeML>",
        b"<TimeML></TimeML><TimeML></TimeML>",
    ],
)
def test_what_only_one_of_two_parsers_refuses(data):
    agrees(data)
    agrees(data, options=WITH_VALUES)
    agrees(data, name="harbour.xml", options=Options(format="timeml"))
    agrees(data, name="harbour.ann")


def test_links_at_the_end_are_checked_without_a_parser():
    """Their expression must prove what a parser would prove, byte by byte."""
    begin = HARBOUR.index(b"<MAKEINSTANCE")
    plain = 0
    for place in range(begin, len(HARBOUR)):
        for piece in (b"", b'"', b"<", b">", b"&", b"/", b"\x01", b"\x0b", b"\xa0", b" ", b"x", b"="):
            plain += agrees(HARBOUR[:place] + piece + HARBOUR[place + 1 :])
    assert plain > 300


def files_of_corpora():
    return sorted(each for each in shared("corpora").rglob("*") if each.suffix in {".tml", ".xml"})


def compare_corpora(files, options):
    plain = sum(agrees(file.read_bytes(), str(file), options) for file in files)
    assert plain > len(files) / 4


@pytest.mark.corpora
@pytest.mark.parametrize("options", [Options(), WITH_VALUES])
def test_some_files_of_corpora(options):
    compare_corpora(files_of_corpora()[::40], options)


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("options", [Options(), WITH_VALUES])
def test_all_files_of_corpora(options):
    compare_corpora(files_of_corpora(), options)


# --- JSON Lines --------------------------------------------------------------------------------------------------

LABELS = (
    "BEFORE",
    "AFTER",
    "b|m",
    "=",
    "IS_INCLUDED",
    "DURING",
    "before",
    " b",
    "VAGUE",
    "nonsense",
    "",
    None,
    3,
    ["b"],
)
EXTRAS = {"id": ("k1", "k1", "2", "", 3), "weight": (2, 0, "x"), "label": ("B", 1), "task": ("A",), "other": (1,)}
ENTITIES = (None, [], ["e0", "e1", "e2", "e3", "e4", "e5"], ["e0", "e0"], [{"id": "e0"}], ["e0", 3], "e0", {"e0": 1})


def random_record(rng, number):
    """An object in which little or much is odd."""
    odd = rng.random() < 0.5
    names = [f"e{k}" for k in range(rng.randint(1, 6))] + (rng.choice(([], [""], [None], [7], [["e1"]])) if odd else [])
    links = []
    for _ in range(rng.randint(0, 8)):
        label = rng.choice(LABELS if odd else LABELS[:5])
        link = {"source": rng.choice(names), "relation": label, "target": rng.choice(names)}
        if rng.random() < 0.1:
            key = rng.choice(list(EXTRAS))
            link[key] = rng.choice(EXTRAS[key])
        links.append(link)
    record = {"document": f"d{number // 2 if odd else number}", "links": links}
    if rng.random() < 0.4:
        record["entities"] = rng.choice(ENTITIES)
    return record


def compare_lines(seed, number):
    rng = Random(seed)
    records = [json.dumps(random_record(rng, count)).encode() for count in range(number)]
    changed = [mutated_json(rng, records) for _ in range(number)] + [mutated(rng, records) for _ in range(number // 4)]
    plain = 0
    for lines in (records, changed):
        for start in range(0, len(lines), 5):
            data = b"\n".join(lines[start : start + 5]) + b"\n"
            plain += agrees(data, "graphs.jsonl", Options(format="jsonl"))
            assert not agrees(data, "graphs.jsonl", Options(format="jsonl", values=True))
    assert number / 5 < plain < 2 * number


def test_lines_are_read_as_the_reader_reads_them():
    compare_lines(5, 800)


@pytest.mark.slow
def test_many_lines_are_read_as_the_reader_reads_them():
    compare_lines(6, 6000)


def test_plain_lines_become_graphs():
    record = {"document": "d", "links": [{"source": "a", "relation": "BEFORE", "target": "b"}] * 2}
    assert agrees(json.dumps(record).encode(), "d.jsonl") == 1
    record["entities"] = ["a", "b", "c"]
    assert agrees(json.dumps(record).encode(), "d.jsonl") == 1
