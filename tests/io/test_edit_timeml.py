"""Links of TimeML dropped, relabelled and commented: every other byte stays."""

import gzip
from random import Random
from xml.parsers import expat

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.io.edit import Edits, changed
from temporacle.io.edit.places import markup
from temporacle.io.source import Options, Source

HEAD = """<?xml version="1.0" encoding="{encoding}"?>
<!-- <TLINK lid="l1" relType="BEFORE"/> is named here only -->
<!DOCTYPE TimeML [<!ELEMENT TLINK EMPTY> <!-- a ' and > and ] --> ]>
<TimeML xmlns:xsi="http://example.org/x"><DCT><TIMEX3 tid="t0" value="2020-05-04">4 May</TIMEX3></DCT>
<TEXT>Caf\u00e9: the <EVENT eid="e1">storm</EVENT> &amp; <![CDATA[<TLINK lid="l1"/>]]> <EVENT eid="e2">rain</EVENT>
&#10;<EVENT eid="e3">calm</EVENT></TEXT>
<MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE eiid="ei2" eventID="e2"/><MAKEINSTANCE eiid="ei3" eventID="e3"/>
"""
LINKS = (
    '<TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2"/>',
    "<TLINK\n relType = 'BEFORE'  lid='l2' n='a > b'\n  eventInstanceID='ei2' relatedToEventInstance='ei3' ></TLINK >",
    '<TLINK lid="l3" eventInstanceID="ei3" relType="BEFORE" relatedToEventInstance="ei1"  />',
    '<TLINK lid="l4" eventInstanceID="ei3" relType="BEFOR" relatedToEventInstance="ei1"/>',
    '<TLINK lid="l5" eventInstanceID="ei3" relatedToEventInstance="ei9" relType="AFTER"/>',
)
ENCODINGS = ["utf-8", "utf-8-sig", "iso-8859-1", "utf-16", "utf-16-le", "windows-1252", "gb18030"]


def document(*links, encoding="utf-8", line_end="\n"):
    """A TimeML file with some of the links, each on a line of its own."""
    declared = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16"}.get(encoding, encoding)
    text = HEAD.format(encoding=declared) + "".join(f"\t{link}\n" for link in links) + "</TimeML>\n"
    return text.replace("\n", line_end).encode(encoding)


def edited(data, **edits):
    return changed(Source("story.tml", data), {"story": Edits(**edits)})


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("gone", [{"l1"}, {"l2"}, {"l1", "l3"}, {"l4", "l5"}, {"l1", "l2", "l3", "l4", "l5"}])
def test_a_dropped_link_is_gone_and_nothing_else(gone, encoding, line_end):
    kept = [link for number, link in enumerate(LINKS, 1) if f"l{number}" not in gone]
    how = {"encoding": encoding, "line_end": line_end}
    assert edited(document(*LINKS, **how), drop=gone) == document(*kept, **how)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_new_label_changes_the_label_alone(encoding):
    before, after = document(*LINKS, encoding=encoding), list(LINKS)
    after[1] = after[1].replace("BEFORE", "AFTER")
    after[3] = after[3].replace("BEFOR", "IBEFORE")  # a label that could not be read is mended
    assert edited(before, relabel={"l2": "AFTER", "l4": "IBEFORE"}) == document(*after, encoding=encoding)


def test_labels_and_notes_are_escaped():
    data = document(LINKS[1], LINKS[2])
    source = Source("story.tml", data, Options(reading="links"))
    new = changed(source, {"story": Edits(relabel={"l2": "b|m"}, comment={"l3": 'a -- <b> & "c"\n-'})})
    assert b"'b|m'" in new
    assert b'  /><!-- a - - <b> & "c" -  -->\n' in new


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_own_notes_are_replaced_and_taken_away_again(encoding):
    data = document(*LINKS, encoding=encoding)
    noted = edited(data, comment={"l1": "temporacle: contradicts l2", "l2": "mine"})
    assert noted != data
    again = edited(noted, comment={"l1": "temporacle: contradicts l3"}, renew=True)
    assert "contradicts l2" not in again.decode(encoding)
    assert "<!-- mine -->" in again.decode(encoding)
    assert edited(edited(data, comment={"l1": "temporacle: contradicts l2"}), renew=True) == data
    assert edited(edited(data, comment={"l1": "temporacle: x"}), drop={"l1"}) == edited(data, drop={"l1"})


def test_white_space_stays_where_it_is_text():
    start, end = b'<TimeML>the <EVENT eid="a">x</EVENT>\n', b"\nend</TimeML>"
    link = b'<TLINK lid="l1" eventInstanceID="a" relatedToEventInstance="a" relType="BEFORE"/>'
    assert edited(start + link + end, drop={"l1"}) == start + end


def test_links_of_one_name_are_told_apart():
    twice = LINKS[0].replace("BEFORE", "AFTER")
    data = document(LINKS[0], twice)
    assert [link.id for link in tp_read(data).links] == ["l1", "l1@9"]
    assert edited(data, drop={"l1@9"}) == document(LINKS[0])
    assert edited(data, drop={"l1"}) == document(twice)


def tp_read(data):
    from temporacle.io import read_source

    return next(iter(read_source(Source("story.tml", data))))


def test_unknown_links_and_documents_are_refused():
    with pytest.raises(UsageError, match="no link 'l77'; its links: l1"):
        edited(document(*LINKS), drop={"l77"})
    with pytest.raises(UsageError, match="no document 'other'; it has 'story'"):
        changed(Source("story.tml", document(*LINKS)), {"other": Edits(drop={"l1"})})
    with pytest.raises(UsageError, match="BEFOR"):
        edited(document(*LINKS), relabel={"l1": "BEFOR"})
    with pytest.raises(UsageError, match="cannot be dropped and also"):
        Edits(drop={"l1"}, relabel={"l1": "AFTER"})


def random_xml(rng):
    """A well-formed text with everything that could hide a tag."""

    def content(depth):
        made = []
        for _ in range(rng.randrange(4)):
            quote = rng.choice("\"'")
            name = rng.choice(["TLINK", "a", "x:b"])
            attributes = "".join(
                f"{rng.choice([' ', chr(10), '  '])}{key}{rng.choice(['=', ' = '])}{quote}"
                f"{rng.choice(['v', '>', '/', '&lt;', 'é', '/>'])}{quote}"
                for key in rng.sample(["p", "q", "r"], rng.randrange(3))
            )
            kinds = ["text é\n", "&amp;", "<!-- <a> -->", "<![CDATA[</a><b>]]>", "<?p <a> ?>"]
            if depth:
                kinds += [f"<{name}{attributes}/>", f"<{name}{attributes} >{content(depth - 1)}</{name} >"]
            made.append(rng.choice(kinds))
        return "".join(made)

    prolog = '<?xml version="1.0"?>\n<!DOCTYPE r [ <!-- > ] \' --> <!ATTLIST r a CDATA "]>"> ]>'
    return f'{prolog}<r xmlns:x="u">{content(4)}</r>\n'


@pytest.mark.parametrize("seed", range(300))
def test_tags_stand_where_expat_finds_them(seed):
    text = random_xml(Random(seed))
    data = text.encode()
    starts, ends, opened = [], {}, []
    parser = expat.ParserCreate()

    def start(_name, _attributes):
        opened.append(len(starts))
        starts.append(parser.CurrentByteIndex)

    def end(_name):
        ends[opened.pop()] = parser.CurrentByteIndex

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    tags = markup(text).tags
    assert [len(text[: tag.start].encode()) for tag in tags] == starts
    for number, tag in enumerate(tags):
        closing = len(text[: tag.end].encode())
        is_empty = tag.end == tag.start_tag_end
        assert ends[number] in ({starts[number], closing} if is_empty else {data.rindex(b"</", 0, closing)})


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = document(*LINKS[:3])
    (tmp_path / "story.tml").write_bytes(data)
    assert run(["apply", "story.tml", "--drop", "l1", "-o", "mended.tml"]) == 0
    assert capsys.readouterr().err == "wrote mended.tml: 1 link removed\n"
    assert (tmp_path / "mended.tml").read_bytes() == document(*LINKS[1:3])
    assert (tmp_path / "story.tml").read_bytes() == data
    for wrong in (["-o", "story.tml"], ["-o", "./story.tml"], [], ["-o", "x.tml", "--in-place"]):
        assert run(["apply", "story.tml", "--drop", "l1", *wrong]) == 2
        assert "--in-place" in capsys.readouterr().err
    assert run(["apply", "story.tml", "-o", "x.tml"]) == 2
    assert run(["apply", "story.tml", "--relabel", "l1", "-o", "x.tml"]) == 2
    assert run(["apply", "story.tml", "--relabel", "l1=SIMULTANEOUS", "--in-place"]) == 0
    assert (tmp_path / "story.tml").read_bytes() == data.replace(b"BEFORE", b"SIMULTANEOUS", 2).replace(
        b'"SIMULTANEOUS"/> is', b'"BEFORE"/> is'
    )
    assert not list(tmp_path.glob("x.tml"))


def test_a_compressed_file_stays_compressed(tmp_path):
    path = tmp_path / "story.tml.gz"
    path.write_bytes(gzip.compress(document(*LINKS[:3])))
    assert gzip.decompress(tp.apply(path, drop=["l3"])) == document(*LINKS[:2])
    assert run(["apply", str(path), "--drop", "l3", "--in-place"]) == 0
    assert gzip.decompress(path.read_bytes()) == document(*LINKS[:2])


def test_a_document_knows_its_file(tmp_path):
    path = tmp_path / "story.tml"
    path.write_bytes(document(*LINKS[:3]))
    found = tp.read(path, during="is_included")
    assert tp.apply(found, drop=["l3"]) == document(*LINKS[:2])
    with pytest.raises(UsageError, match="not read from a file"):
        tp.apply(tp.Document("d", [("a", "BEFORE", "b")]), drop=["l1"])


def test_a_file_that_changed_in_the_meantime_is_left_alone(tmp_path):
    from temporacle.editing.saving import applied

    path = tmp_path / "story.tml"
    path.write_bytes(document(*LINKS[:3]))
    found = applied(path, Edits(drop={"l1"}), None, Options())
    path.write_bytes(document(*LINKS[:2]))
    with pytest.raises(tp.InputError, match="left alone"):
        found.save(None)
    assert path.read_bytes() == document(*LINKS[:2])
