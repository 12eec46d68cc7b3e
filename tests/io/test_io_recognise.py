"""Formats are recognised by content, and where that is not possible nobody guesses."""

import re

import pytest
from test_io_tab_golden import CASES as TAB_CASES
from test_io_tab_golden import FILES

from temporacle.errors import InputError
from temporacle.io import Options, Source, read_corpus, read_source
from temporacle.io.recognise import folder_format, recognise
from temporacle.model import Document


def recognised(text, name="x", **options):
    return recognise(Source(name, text if isinstance(text, bytes) else text.encode(), Options(**options)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<TimeML/>", "timeml"),
        ("\n <TimeML/>", "timeml"),
        ("\ufeff<TimeML/>", "timeml"),
        ('<TimeML xmlns="urn:x"/>', "timeml"),
        ("<TempEval/>", "tempeval1"),
        ("<Document/>", "cat"),
        ("<data/>", "anafora"),
        ('<root xmlns="http://chambers.com/corpusinfo"/>', "caevo"),
        ('{"document": "d"}', "jsonl"),
        ('\ufeff\n{"document": "d"}', "jsonl"),
        ("North Kite Club\n1\t2018\t8-2-founded\n2\t2019-06-XX\t8-4-re-opened\t9-1-x\n", "timeline"),
        ("North Kite Club\nslip\n1\t2018\t8-2-founded\n2\t2019\t8-3-a\n", "timeline"),
        ("d\tleft\tdocked\t1\t2\tBEFORE\nd\tleft\twaited\t1\t4\tVAGUE\n", "matres"),
        ("d\te1\tt0\tb\nd\te1\te2\tii\n", "dense"),
        ("d\te1\te7\tb\r\nd\te1\te9\ti\r\n", "dense"),
        ("d\te1\te7\tb\tremark\n", "dense"),
        ("e1\tt0\tv\ne1\te2\tb\n", "dense"),
        ("e1\tt0      \ne1\te4      a\n", "dense"),
        ("d\te1\te7\tB\n", "dense"),
        ("left\tBEFORE\tdocked\n", "tsv"),
        ("a\tBEFORE\tb\n", "tsv"),
        ("a\tb\tc\nc\tm\td\n", "tsv"),
        ("harbour\tleft\tb|m\twaited\n", "tsv"),
        ("# a comment\nsource\trelation\ttarget\n", "tsv"),
        ("document\tsource\trelation\ttarget\nd\ta\tb\ts\n", "tsv"),
        ("d\t0\t2\t2\tEvent\t-1\t-1\t-1\tDepend-on\n", "deptree"),
        ("filename:d:SNT_LIST\nDug .\nEDGE_LIST\n", "depgraph"),
        ("# fileName\tentityID_A\trelation\tentityID_B\tcomment\nd\te1\tBEFORE\te2\t\n", "estonian"),
    ],
)
def test_content_decides(text, expected):
    assert recognised(text) == expected
    assert recognised(text, "misleading.xml") == expected


@pytest.mark.parametrize("text", ["a\tb\ts\n", "a\tb\tb\nb\ts\ta\n", "d\ta\tb\ts\n"])
def test_two_formats_that_fit_are_told_and_nobody_guesses(text):
    with pytest.raises(InputError, match=r"could be dense or tsv.*format="):
        recognised(text, "links.txt")
    assert recognised(text, "links.txt", format="dense") == "dense"
    assert recognised(text, "links.tsv") == "tsv"  # ids of dense corpora are numbered, and the name says TSV
    assert recognised(text, "-") == "tsv"  # standard input is links TSV or JSON Lines


@pytest.mark.parametrize("text", ["once upon a time\nthere was a kite\n", "a,b,c\n", "1\t2\t3\t4\t5\t6\t7\n"])
def test_no_format_that_fits_is_told(text):
    with pytest.raises(InputError, match=r"no known format: it starts with .*format="):
        recognised(text, "notes.txt" if "\t" in text or "upon" in text else "notes")


def test_a_single_line_is_an_empty_timeline_only_under_its_suffix():
    assert recognised("North Kite Club\n", "club.txt") == "timeline"
    with pytest.raises(InputError, match="no known format"):
        recognised("North Kite Club\n", "club")


@pytest.mark.parametrize("name", ["a.tml", "a.xml"])
def test_text_under_the_name_of_xml_is_shown(name):
    text = "  Report of the tool, which is longer than forty characters\n"
    with pytest.raises(InputError) as caught:
        recognised(text, name)
    assert caught.value.reason == "not XML: it starts with 'Report of the tool, which is longer than'"


def test_a_list_of_pairs_is_no_annotation():
    with pytest.raises(InputError, match=r"not XML.*without labels is a work list"):
        recognised("e1\te2\t\ne1\te3\t\n", "work.tml")
    with pytest.raises(InputError, match=r"no labels.*work list"):
        recognised("e1\te2\ne1\te3\n", "work")


def test_empty_and_appledouble_files_are_told():
    with pytest.raises(InputError, match="file is empty"):
        recognised(b"")
    with pytest.raises(InputError, match="AppleDouble"):
        recognised(b"\x00\x05\x16\x07\x00\x02")


def test_an_unknown_root_is_named_with_the_known_ones():
    caevo = "{http://chambers.com/corpusinfo}root"  # another <root> is as unknown as <html>
    for tag in ("html", "root"):
        with pytest.raises(InputError, match=f"unknown root element <{tag}>; known are TimeML, .*, {re.escape(caevo)}"):
            recognised(f"<{tag}/>")


@pytest.mark.parametrize(
    "text", ["<data><row/></data>", "<Document><Placemark/></Document>", '<Document xmlns="urn:x"><token/></Document>']
)
def test_everyday_roots_are_known_by_their_children(text):
    with pytest.raises(InputError, match="unknown root element <"):
        recognised(text)


def test_an_encoding_that_cannot_be_meant_is_told():
    with pytest.raises(InputError, match="cannot be read as idna"):
        recognised("a\tb\tc\n", encoding="idna")


def test_an_unknown_encoding_is_told():
    with pytest.raises(InputError, match="unknown encoding 'klingon'"):
        recognised("a\tb\tc\n", encoding="klingon")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["event-extents.tab", "tlinks-dct-event.tab", "base-segmentation.tab"], "tempeval2"),
        (["event-extents.tab"], None),
        (["tlinks-dct-event.tab"], None),
        (["event-annotation", "tlink-event-dct"], "estonian"),
        (["event-annotation", "tlink-main-events.ann-a"], "estonian"),
        (["a.tml", "README"], None),
    ],
)
def test_folders_are_recognised_by_their_files(names, expected):
    assert folder_format(names) == expected


@pytest.mark.parametrize("case", TAB_CASES, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_samples_of_the_tab_formats_are_recognised(case):
    source = case / "input"
    if case.parent.name in FILES:
        (source,) = source.iterdir()
    read = list(read_corpus(source))
    assert {document.format for document in read if isinstance(document, Document)} <= {case.parent.name}
    assert read


def test_the_format_can_be_chosen():
    (document,) = read_source(Source("x.txt", b"a\tb\ts\n", Options(format="tsv")))
    assert [(link.source, str(link.relation), link.target) for link in document.links] == [("a", "b", "s")]


def test_a_first_line_that_is_no_csv_at_all_is_no_format():
    with pytest.raises(InputError, match="no known format"):
        recognised("((60, 61),)\rsource,target\n")


UTF_16 = ["utf-16", "utf-16-le", "utf-16-be"]
TEXTS = {
    "jsonl": '{"document": "d", "links": [{"source": "a", "relation": "b", "target": "c"}]}\n',
    "tsv": "d\ta\tBEFORE\tc\n",
    "csv": "document,source,relation,target\nd,a,b,c\n",
}


@pytest.mark.parametrize("encoding", UTF_16)
@pytest.mark.parametrize("kind", TEXTS)
def test_text_in_utf_16_is_read_if_told_so_and_names_the_cure_if_not(kind, encoding):
    data = ("" if encoding == "utf-16" else "\ufeff").encode(encoding) + TEXTS[kind].encode(encoding)
    (document,) = read_source(Source("x", data, Options(encoding=encoding)))
    assert (document.id, document.format, document.entity_ids) == ("d", kind, ("a", "c"))
    with pytest.raises(InputError, match=r"UTF-16.*; give encoding='utf-16'"):
        recognised(data)


def test_line_ends_of_old_macs_are_not_taken_for_one_line():
    with pytest.raises(InputError, match="CR alone"):
        recognised("e1\tb\te2\re3\tb\te4\r", "x.tsv")


def test_five_columns_called_tsv_are_not_guessed_at():
    assert recognised("d1\ta\tb\tc\td\n", "x.tsv") == "tsv"  # whose reader says which line has too many
    assert recognised("e1\te2\tb\tsome\tremark\n", "x.tsv") == "dense"


def test_names_of_columns_do_not_hide_a_dense_file():
    assert recognised("document\tsource\ttarget\tlabel\nd\te1\te2\tb\nd\te1\te3\ta\n", "x.tsv") == "dense"


def test_blanks_behind_the_first_line_of_graphs():
    assert recognised("filename:d1:SNT_LIST \nEDGE_LIST\n") == "depgraph"
