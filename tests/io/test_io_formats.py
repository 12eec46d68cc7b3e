"""The registry: every line is true, and a file of one document is known without reading it."""

import gzip

import pytest
from shared_data import shared
from test_io_xml_golden import CASES

from temporacle.errors import UsageError
from temporacle.io import Source, read_source, sources
from temporacle.io.formats import FORMATS, REGISTRY, WRITERS, Format, format_named, located
from temporacle.io.recognise import sniff
from temporacle.model import Document, Unreadable
from temporacle.readings import BUILT_IN

PLAIN = {"tsv", "csv", "parquet", "jsonl"}


@pytest.mark.parametrize("entry", REGISTRY.values(), ids=lambda entry: entry.name)
def test_every_line_names_what_exists(entry):
    assert entry.about
    for place in (entry.location, entry.writer, entry.naming, *(getattr(s, "location", None) for s in entry.signs)):
        assert place is None or callable(located(place))
    assert entry.reading is None or entry.reading in BUILT_IN
    assert entry.signs or entry.location is None


def test_what_can_be_read_and_written():
    assert set(REGISTRY) - set(FORMATS) == {"dot"}
    assert set(WRITERS) == {"timeml", "eventfull", "tsv", "csp", "csv", "jsonl", "dot"}
    with pytest.raises(UsageError, match="not read"):
        REGISTRY["dot"].reader()
    with pytest.raises(UsageError, match="not written"):
        REGISTRY["matres"].text(Document("d"), print)
    with pytest.raises(UsageError, match="format='dot': choose timeml"):
        format_named("dot")


def test_plain_links_have_no_meaning_of_their_own():
    assert {name for name, entry in FORMATS.items() if entry.reading is None} == PLAIN


def test_a_new_format_is_one_line(monkeypatch, tmp_path):
    made = Format("mine", "tables:read_tsv", None, "a format of mine")
    monkeypatch.setitem(FORMATS, "mine", made)
    path = tmp_path / "x.mine"
    path.write_text("a\tb\tc\n")
    (document,) = read_source(Source(str(path), format="mine"))
    assert len(document.links) == 1


CORPORA = ("te3-silver", "te3-platinum", "tempeval1", "meantime", "eventstoryline", "thyme", "anafora", "timebankpt")


def files_of_corpora():
    folder = shared("corpora")
    for corpus in sorted(folder.iterdir()):
        found = [s for s in sources([corpus]) if isinstance(s, Source)]
        yield from found[:: max(1, len(found) // 15)]


@pytest.mark.corpora
def test_files_of_one_document_hold_one_document_named_by_the_file():
    seen = set()
    for source in files_of_corpora():
        name = sniff(source.path)
        documents = list(read_source(source))
        formats = {d.format for d in documents if isinstance(d, Document)}
        if name is not None and any(isinstance(d, Unreadable) for d in documents):
            assert len(documents) == 1
        elif name is not None:
            assert formats == {name}
        for found in formats:
            if FORMATS[found].one_document:
                (document,) = documents
                assert document.id == FORMATS[found].document_name(Source(source.path).name)
                seen.add(found)
                assert name == found or found == "timeline"
            else:
                assert name is None
            reading = FORMATS[found].reading or "links"
            assert {d.reading.name for d in documents if isinstance(d, Document)} == {reading} or found == "cat"
    assert {"timeml", "tempeval1"} <= seen


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_samples_are_sniffed_as_they_are_read(case):
    for path in sorted(path for path in (case / "input").rglob("*") if path.is_file()):
        documents = list(read_source(Source(str(path))))
        name = sniff(str(path))
        if name is not None and isinstance(documents[0], Document):
            (document,) = documents
            assert document.format == name
            assert document.id == FORMATS[name].document_name(Source(str(path)).name)
        for document in documents:
            if isinstance(document, Document) and FORMATS[document.format].one_document:
                assert name == document.format or document.format == "timeline" or "utf-16" in case.name


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"<TimeML/>", "timeml"),
        (b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- a > b --><!DOCTYPE TimeML SYSTEM 'x'>\n<TimeML>", "timeml"),
        (b"<t:TimeML xmlns:t='x'>", "timeml"),
        (b"<TempEval>", "tempeval1"),
        (b"<Document>", "cat"),
        (b"<data>", "anafora"),
        (b"<root xmlns='http://chambers.com/corpusinfo'>", None),
        (b"<html>", None),
        (b"a\tBEFORE\tb\n", None),
        (b'{"document": "<TimeML>"}', None),
        (b"<?a?>" * 900 + b"!", None),
        (b"<!-- <TimeML> ", None),
        (b"", None),
    ],
)
def test_sniffing(tmp_path, start, expected):
    path = tmp_path / "x"
    path.write_bytes(start)
    assert sniff(str(path)) == expected
    path.write_bytes(gzip.compress(start))
    assert sniff(str(path)) == expected


def test_sniffing_opens_regular_files_only(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe")
    assert sniff(str(tmp_path / "pipe")) is None
    assert sniff(str(tmp_path)) is None
    assert sniff(str(tmp_path / "absent")) is None
