"""``check --write``, ``--annotate`` and ``--in-place``: files keep every byte that has nothing to do with the links."""

import csv
import gzip
import io
import re
import tarfile
from pathlib import Path
from xml.parsers import expat

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.cli import run

pytestmark = pytest.mark.filterwarnings("ignore:the keyword write is now:DeprecationWarning")

TIMEML = b"""<?xml version='1.0' encoding='iso-8859-1'?>\r
<TimeML><TEXT>caf\xe9 <EVENT eid='a' class="OCCURRENCE">x</EVENT> <EVENT eid='b'>y</EVENT></TEXT>\r
<TLINK relType='BEFORE' lid='l1' eventInstanceID='a' relatedToEventInstance='b'></TLINK>\r
  <TLINK lid='l2' eventInstanceID='b' relType='BEFORE' relatedToEventInstance='a' />\r
<SLINK lid='s1'/></TimeML>"""
REPAIRED = TIMEML.replace(
    b"\r\n<TLINK relType='BEFORE' lid='l1' eventInstanceID='a' relatedToEventInstance='b'></TLINK>", b""
)
FINE = TIMEML.replace(b"relType='BEFORE' lid='l1'", b"relType='AFTER' lid='l1'")
JSONL = (
    '{"document": "good", "links": [ {"source":"a","relation":"b","target":"b"} ]}\r\n'
    '{"document":"bad","links":[{"source":"a","relation":"b","target":"b"},\t{"source":"b","relation":"b","target":"a"}]}\r\n'
    '{"document":"worse","links":[{"source":"a","relation":"b","target":"a"}]}'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "story.tml").write_bytes(TIMEML)
    (tmp_path / "in" / "deep" / "story.tml").write_bytes(TIMEML)
    (tmp_path / "in" / "fine.tml").write_bytes(FINE)
    (tmp_path / "in" / "many.jsonl.gz").write_bytes(gzip.compress(JSONL.encode()))
    return tmp_path


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_repaired_files_stand_where_they_stood(folder, capsys, jobs):
    before = files(folder / "in")
    assert run(["check", "in", "--write", "out", "--jobs", jobs]) == 1
    said = capsys.readouterr().err
    assert "wrote out/deep/story.tml: 1 link removed (l1)" in said
    assert "wrote out/many.jsonl.gz: 2 links removed (1, 1)" in said
    out = files(folder / "out")
    assert out.keys() == {"story.tml", "deep/story.tml", "many.jsonl.gz"}
    assert out["story.tml"] == out["deep/story.tml"] == REPAIRED
    mended = JSONL.replace('{"source":"a","relation":"b","target":"b"},\t', "").replace(
        '[{"source":"a","relation":"b","target":"a"}]', "[]"
    )
    assert gzip.decompress(out["many.jsonl.gz"]).decode() == mended
    assert files(folder / "in") == before


@pytest.mark.parametrize(
    "arguments", [["in", "--write", "in"], ["in/story.tml", "--write", "./in"], ["in", "--annotate", "in"]]
)
def test_input_is_not_overwritten_unless_asked(folder, capsys, arguments):
    before = files(folder)
    assert run(["check", *arguments]) == 2
    assert "--in-place" in capsys.readouterr().err
    assert files(folder) == before
    (folder / "link").symlink_to(folder / "in")
    assert run(["check", "in", "--write", "link"]) == 2


def test_in_place_alone_does_nothing(folder, capsys):
    before = files(folder)
    assert run(["check", "in", "--in-place"]) == 2
    assert "check only reads; to change files use fix (temporacle fix" in capsys.readouterr().err
    assert files(folder) == before


@pytest.mark.parametrize("arguments", [["--repair"], ["--write", "in"]])
def test_in_place(folder, arguments):
    before = files(folder / "in")
    assert run(["check", "in", "--in-place", *arguments]) == 1
    after = files(folder / "in")
    assert after.keys() == before.keys()
    assert after["story.tml"] == after["deep/story.tml"] == REPAIRED
    assert after["fine.tml"] == before["fine.tml"]
    assert run(["check", "in"]) == 0


def test_a_file_that_changes_meanwhile_is_left_alone(folder, monkeypatch, capsys):
    from temporacle.editing import write_back

    monkeypatch.setattr(write_back, "changed_since", lambda _path, _moment: True)
    before = files(folder)
    assert run(["check", "in", "--write", "out"]) == 1
    assert capsys.readouterr().err.count("left alone") == 3
    assert files(folder) == before


def test_notes_come_and_go(folder, capsys):
    assert run(["check", "in", "--annotate", "out"]) == 1
    assert "2 links commented (l1, l2)" in capsys.readouterr().err
    noted = (folder / "out" / "story.tml").read_bytes()
    note = b'<!-- temporacle: l1 ("x" BEFORE "y") cannot be true together with l2 ("y" BEFORE "x") -->'
    assert b"</TLINK>" + note in noted
    assert re.sub(rb"<!-- temporacle: .*? -->", b"", noted) == TIMEML
    assert not (folder / "out" / "fine.tml").exists()
    assert run(["check", "out/story.tml", "--annotate", "out", "--in-place"]) == 1
    assert (folder / "out" / "story.tml").read_bytes() == noted  # its own notes are replaced
    (folder / "in" / "fine.tml").write_bytes(noted.replace(b"relType='BEFORE' lid='l1'", b"relType='AFTER' lid='l1'"))
    assert run(["check", "in/fine.tml", "--annotate", "clean"]) == 0
    assert (folder / "clean" / "fine.tml").read_bytes() == FINE
    noted = gzip.decompress((folder / "out" / "many.jsonl.gz").read_bytes()).decode()
    assert re.sub(r',"comment": "temporacle: [^"]*(\\"[^"]*)*"', "", noted) == JSONL
    assert "can never be true" in noted


def test_tables_get_their_notes_in_a_file_beside(folder):
    (folder / "t.tsv").write_text("a\tb\tb\nb\tb\ta\n")
    assert run(["check", "t.tsv", "--annotate", "out"]) == 1
    (beside,) = (folder / "out").iterdir()
    rows = list(csv.DictReader(io.StringIO(beside.read_text())))
    assert [row["link"] for row in rows] == ["1", "2"]
    assert rows[0]["note"] == "temporacle: 1 (a b b) cannot be true together with 2 (b b a)"


def test_documents_without_a_file_are_written_anew(folder):
    found = tp.Document("ring", [("a", "BEFORE", "b"), ("b", "BEFORE", "a")])
    tp.check(found, write="out")
    assert [link.id for link in tp.read("out/ring.jsonl").links] == ["l2"]
    tp.check([tp.read("in/story.tml")], write="again")
    assert (folder / "again" / "story.tml").read_bytes() == REPAIRED


CORPORA = {"te3-platinum": 0, "te3-systems": 100, "te3-toolkit": 1, "timebank-dense": 30, "structtemprel-output": 1}
CORPORA["narrativetime"] = 1


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_every_inconsistent_timeml_file_loses_its_dropped_links_and_nothing_else(tmp_path, name):
    assert compare(shared("corpora", name), tmp_path) >= CORPORA[name]


@pytest.mark.corpora
@pytest.mark.slow
def test_the_same_on_thousands_of_small_files(tmp_path):
    with tarfile.open(shared("corpora", "cavat-testcorpus", "test_corpus.tar.gz")) as packed:
        packed.extractall(tmp_path / "in", filter="data")
    assert compare(tmp_path / "in", tmp_path / "out") > 500


def compare(corpus, out):
    """Repair a corpus, take the dropped links out of the originals by another parser, and count equal files."""
    count = 0
    for found in tp.check(str(corpus), write=str(out), explain=False):
        if found.to_drop and found.path.endswith((".tml", ".xml")):
            original = Path(found.path).read_bytes()
            repaired = (out / Path(found.path).relative_to(corpus)).read_bytes()
            places = [places_of_links(original)[link.id, link.line] for link in found.to_drop]
            assert repaired in (without(original, places, blanks=b" \t\r\n"), without(original, places, blanks=b""))
            count += 1
    return count


def places_of_links(data):
    """The bytes of each TLINK, by its id and the line its start tag ends on."""
    found, opened = {}, []
    parser = expat.ParserCreate()

    def start(tag, attributes):
        opened.append((tag, attributes, parser.CurrentByteIndex))

    def end(tag):
        tag, attributes, begun = opened.pop()
        if tag == "TLINK":
            tag_end = data.index(b">", begun) + 1
            last = (
                data.index(b">", data.index(b"</", parser.CurrentByteIndex)) + 1
                if data[tag_end - 2 : tag_end - 1] != b"/"
                else tag_end
            )
            line = data.count(b"\n", 0, tag_end) + 1
            name = attributes.get("lid") or f"line{line}"
            for key in (name, f"{name}@{line}"):
                found.setdefault((key, line), (begun, last))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(data, True)
    return found


def without(data, places, blanks):
    for start, end in sorted(places, reverse=True):
        data = data[:start].rstrip(blanks) + data[end:] if blanks else data[:start] + data[end:]
    return data
