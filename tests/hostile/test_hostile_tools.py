"""Hostile and odd files of annotation tools: refused with a reason, or read without harm."""

import json

import pytest

import temporacle as tp
from temporacle.io import read_source
from temporacle.io.edit import Edits, changed
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable

HEAD = '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:c="http:///webanno/custom.ecore">'
SOFA = '<cas:Sofa xmi:id="1" sofaID="v" sofaString="The ferry left and docked."/>'
EVENTS = '<c:EVENT xmi:id="2" sofa="1" begin="10" end="14"/><c:EVENT xmi:id="3" sofa="1" begin="19" end="25"/>'


def read(text, name="x.xmi", **options):
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_source(Source(name, data, Options(**options))))


def only(text, name="x.xmi", **options):
    (found,) = read(text, name, **options)
    assert isinstance(found, Document), found.error
    return found


def refused(text, name="x.xmi"):
    (found,) = read(text, name)
    assert isinstance(found, Unreadable)
    assert name in str(found.error)
    return found.error


# --- XMI ---


def test_a_bomb_of_entities_is_refused():
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(20)
    )
    error = refused(f"<!DOCTYPE x [{entities}]>{HEAD}{SOFA}<c:EVENT xmi:id='9' note='&u;'/></xmi:XMI>")
    assert "defines entities" in error.reason


def test_external_entities_are_not_fetched(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    error = refused(f'<!DOCTYPE x [<!ENTITY a SYSTEM "{secret}">]>{HEAD}{SOFA}</xmi:XMI>')
    assert "defines entities" in error.reason


def test_no_text_and_no_structures_are_refused_with_a_cure():
    assert "no Sofa" in refused(f"{HEAD}{EVENTS}</xmi:XMI>").reason
    assert refused(f"{HEAD}{EVENTS}</xmi:XMI>").cure
    assert "no Sofa" in refused('{"%FEATURE_STRUCTURES": []}', "x.json").reason
    assert "%FEATURE_STRUCTURES" in refused('{"%TYPES": {}, "%VIEWS": {}}', "x.json").reason


def test_references_in_circles_end():
    circle = (
        f'{HEAD}<c:EVENT xmi:id="2" sofa="1" begin="10" end="14" TLINK="50"/>'
        '<cas:FSArray xmi:id="50" elements="50 51 40"/><cas:FSArray xmi:id="51" elements="50"/>'
        '<c:ETLINKLink xmi:id="40" role="BEFORE" target="40"/>'
        '<c:TLINK xmi:id="30" sofa="1" begin="0" end="1" Governor="30" Dependent="30" relType="BEFORE"/>'
        f"{SOFA}</xmi:XMI>"
    )
    document = only(circle)
    assert document.entity_ids == ("2",)
    assert {remark.code for remark in document.dropped} == {"dangling-id"}
    structures = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "v", "sofaString": "x"},
        {"%ID": 2, "%TYPE": "a.EVENT", "@sofa": 1, "begin": 0, "end": 1, "@TLINK": 5},
        {"%ID": 5, "%TYPE": "uima.cas.FSArray", "%ELEMENTS": [5, 2, None, {}, "x"]},
    ]
    assert not only(json.dumps({"%FEATURE_STRUCTURES": structures}), "x.json").links


@pytest.mark.parametrize(
    ("begin", "end", "code"),
    [
        ("10", "9999999999", "span-outside"),
        ("14", "10", "bad-span"),
        ("-1", "4", "bad-span"),
        ("x", "4", "bad-span"),
        ("", "4", "bad-span"),
        ("1" * 40, "1" * 41, "bad-span"),
        ("٣", "٤", "bad-span"),
    ],
)
def test_offsets_outside_the_text_leave_the_entity_without_a_place(begin, end, code):
    document = only(f'{HEAD}<c:EVENT xmi:id="2" sofa="1" begin="{begin}" end="{end}"/>{SOFA}</xmi:XMI>')
    (entity,) = document.entities
    assert entity.spans == ()
    assert [remark.code for remark in document.remarks] == [code]


def test_control_characters_of_xml_one_point_one_are_refused():
    error = refused(f'<?xml version="1.1"?>{HEAD}{SOFA.replace("ferry", "fer&#1;ry")}</xmi:XMI>')
    assert error.line == 1
    assert "XML 1.0" in error.cure


@pytest.mark.parametrize("count", [4_000])
def test_many_structures_take_no_more_than_their_share(count):
    """Linear work: a list of links to one event, every link in the members of the view."""
    links = "".join(f'<c:L xmi:id="{k}" role="BEFORE" target="3"/>' for k in range(100, 100 + count))
    ids = " ".join(str(k) for k in range(100, 100 + count))
    text = (
        f'{HEAD}<c:EVENT xmi:id="2" sofa="1" begin="10" end="14" TLINK="{ids}"/>'
        f'<c:EVENT xmi:id="3" sofa="1" begin="19" end="25"/>{links}{SOFA}<cas:View sofa="1" members="{ids}"/></xmi:XMI>'
    )
    assert len(only(text).links) == count
    gone = {str(k) for k in range(100, 100 + count, 2)}
    new = changed(Source("x.xmi", text.encode()), {"x": Edits(drop=gone)})
    assert len(only(new).links) == count - len(gone)


# --- brat ---

TEXT = "Die \U0001f6a2 lief aus.\r\nDann \U0001f30a schlief sie."


@pytest.fixture
def brat(tmp_path):
    def write(ann, text=TEXT):
        (tmp_path / "x.txt").write_bytes(text.encode())
        path = tmp_path / "x.ann"
        path.write_bytes(ann if isinstance(ann, bytes) else ann.encode())
        (found,) = read_source(Source(str(path)))
        return found

    return write


def at(words, text=TEXT):
    return text.index(words), text.index(words) + len(words)


def test_overlapping_and_discontinuous_spans_with_astral_characters_and_crlf(brat):
    lief, aus, schlief = at("lief"), at("aus"), at("schlief")
    document = brat(
        f"T1\tEVENT {lief[0]} {lief[1]};{aus[0]} {aus[1]}\tlief aus\r\n"
        f"T2\tEVENT {lief[0]} {aus[1]}\tlief aus\r\n"
        f"T3\tEVENT {aus[0]} {schlief[1]}\taus. Dann \U0001f30a schlief\r\n"
        f"T4\tEVENT {schlief[0]} {schlief[1]};{lief[0]} {lief[1]}\tlief schlief\r\n"
        "R1\tBEFORE Arg1:T1 Arg2:T3\r\nR2\tSIMULTANEOUS Arg1:T1 Arg2:T2\r\n"
    )
    assert not document.remarks
    assert [entity.text for entity in document.entities] == [
        "lief aus",
        "lief aus",
        "aus. Dann \U0001f30a schlief",
        "lief schlief",
    ]
    assert document.entities[3].spans == (lief, schlief)
    assert document.text == TEXT
    assert [link.id for link in document.links] == ["R1", "R2"]


@pytest.mark.parametrize("byte", ["\u2028", "\u0085", "\x0c", "\x0b", "\x1c"])
def test_only_line_feeds_end_a_line(brat, byte):
    document = brat(f"T1\tEVENT 0 3\tDie\n#1\tAnnotatorNotes T1\ta{byte}R1\tBEFORE Arg1:T1 Arg2:T1\n")
    assert not document.links
    assert not document.remarks


@pytest.mark.parametrize("size", [10_000])
def test_a_long_file_is_read_in_linear_time(brat, size):
    spans = "".join(f"T{k}\tEVENT 0 3\tDie\n" for k in range(size))
    links = "".join(f"R{k}\tBEFORE Arg1:T{k} Arg2:T{k + 1}\n" for k in range(size - 1))
    assert len(brat(spans + links).links) == size - 1


@pytest.mark.parametrize(
    "line",
    [
        "R1\tBEFORE " + "A:" * 50_000,
        "T1\tEVENT " + "1 2;" * 50_000,
        "E1\t" + "a:" * 50_000,
        "A1\t" + " " * 100_000,
        "#1\t" + "x " * 50_000,
    ],
)
def test_long_lines_do_not_take_long(brat, line):
    assert not brat(line).links


def test_an_unreadable_text_is_named(brat, tmp_path):
    (tmp_path / "y.ann").write_bytes(b"T1\tEVENT 0 1\ta\n")
    (tmp_path / "y.txt").write_bytes(b"caf\xe9")
    (found,) = read_source(Source(str(tmp_path / "y.ann")))
    assert "y.txt:1: byte 0xe9" in str(found.error)


# --- JSON ---


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '[{"annotations": ' + "[" * 100_000,
        '[{"annotations": [{"result": [{"type": "relation", "labels": "x"}, 3, null, {"id": [], "type": 4}]}]}]',
        '[{"annotations": {"a": 1}, "data": []}]',
        '{"annotations": [{"result": 7}], "data": {"text": "\\ud800"}}',
        '{"%FEATURE_STRUCTURES": [1, null, {"%ID": true}, {"%ID": 1, "%TYPE": []}]}',
        '{"text": "a", "tokens": 3, "spans": {"a": 1}, "relations": [{"head": "x", "child": []}, 4]}',
        '{"entities": [{"start_offset": "x"}], "relations": 4}',
        '[{"annotation_id": 4, "text": "x"}]',
    ],
)
def test_any_json_is_refused_or_read(text):
    for found in read(text, "x.json", keep_unknown=True, doctimerel=True):
        assert isinstance(found, Unreadable) or not found.links


def test_fragments_of_brat_that_overlap_or_lie_outside(tmp_path):
    """They are read with a message, or left out; the links stay."""
    (tmp_path / "a.txt").write_text("left sailed docked here\n")
    spans = ("0 4;2 8", "0 4;0 4", "8 4", "5 11;100 200", "0 4;4 4", "0 99999999999999999999", "4 4")
    lines = [f"T{k}\tEvent {each}\tleft\nE{k}\tEvent:T{k}\n" for k, each in enumerate(spans, 1)]
    lines += [f"R{k}\tBEFORE Arg1:E{k} Arg2:E{k + 1}\n" for k in range(1, len(spans))]
    (tmp_path / "a.ann").write_text("".join(lines))
    (found,) = tp.check(tmp_path, labels="timeml")
    assert (found.verdict, found.links, found.skipped_links) == ("consistent", len(spans) - 1, {})
    assert {remark.code for remark in found.remarks} >= {"span-outside", "span-mismatch"}
    assert tp.report(tmp_path, out=tmp_path / "report.html")
