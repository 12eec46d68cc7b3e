"""Files, folders and standard input: what is read, in which order, and what is skipped."""

import gzip
import io
import pickle
import sys

import pytest

import temporacle as tp
from temporacle.errors import InputError, UsageError
from temporacle.io import Options, Source, read_corpus, sources
from temporacle.io.listing import listing
from temporacle.model import Document, Unreadable

TIMEML = '<TimeML><EVENT eid="e1">rose</EVENT></TimeML>'


@pytest.fixture
def corpus(tmp_path):
    for name, content in {
        "b.tml": TIMEML,
        "a & ü.tml": TIMEML,
        "sub/c.tml.xml": TIMEML,
        "sub/deep/d.jsonl": '{"document": "d", "links": []}\n',
        "links.tsv": "left\tBEFORE\tdocked\n",
        "doc.smith": "e1\te2\tb\n",
        "README.md": "Some words about this corpus.\nMore words.\n",
        "LICENSE": "You may.\n",
        ".DS_Store": "x",
        "._b.tml": "x",
        "__MACOSX/b.tml": TIMEML,
        ".git/b.tml": TIMEML,
        "empty.tml": "",
        "broken.xml": "<TimeML>",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    (tmp_path / "fork").write_bytes(b"\x00\x05\x16\x07 and so on")
    return tmp_path


def test_a_folder_is_searched_in_order_and_one_bad_file_spoils_no_other(corpus):
    notes = []
    found = list(read_corpus(corpus, report=notes.append))
    assert [each.path.removeprefix(f"{corpus}/") for each in found] == [
        "a & ü.tml",
        "b.tml",
        "broken.xml",
        "doc.smith",
        "empty.tml",
        "links.tsv",
        "sub/c.tml.xml",
        "sub/deep/d.jsonl",
    ]
    assert [each.id for each in found if isinstance(each, Unreadable)] == ["broken", "empty"]
    assert [note.code for note in notes] == ["skipped-junk", "skipped-foreign"]
    assert notes[0].message.startswith("skipped 5 files hidden")
    assert notes[1].message.startswith("skipped 2 files in an unknown format")
    assert "README.md" in notes[1].message


def test_what_is_named_is_never_skipped(corpus):
    (found,) = read_corpus(corpus / ".DS_Store")
    assert isinstance(found, Unreadable)
    (found,) = read_corpus(corpus / "fork")
    assert "AppleDouble" in found.error.reason
    (found,) = read_corpus(corpus / "README.md")
    assert "no known format" in found.error.reason


def test_listing_reads_no_file_of_a_known_name_and_can_be_sent_away(corpus):
    listed = {source.path: source for source in sources([str(corpus)])}
    small = listed[str(corpus / "b.tml")]
    copy = pickle.loads(pickle.dumps(small))
    assert len(pickle.dumps(small)) < 1000
    assert copy.data == TIMEML.encode()


def test_a_path_that_is_not_there_is_told_and_the_rest_is_read(corpus):
    found = list(read_corpus([corpus / "nothing.tml", corpus / "b.tml"]))
    assert "no such file" in found[0].error.reason
    assert isinstance(found[1], Document)


def test_a_folder_in_a_folder_format_is_one_source(tmp_path):
    (tmp_path / "te2").mkdir()
    (tmp_path / "te2" / "event-extents.tab").write_text("d\t0\t2\tevent\te1\t1\nd\t1\t1\tevent\te2\t1\n")
    (tmp_path / "te2" / "tlinks-main-events.tab").write_text("d\te1\te2\tBEFORE\n")
    (tmp_path / "te2" / "notes.txt").write_text("nothing\n")
    (tmp_path / "z.tml").write_text(TIMEML)
    listed = list(sources(tmp_path))
    assert [(source.path, source.format) for source in listed] == [
        (str(tmp_path / "z.tml"), None),
        (str(tmp_path / "te2"), "tempeval2"),
    ]
    assert [document.id for document in read_corpus(tmp_path)] == ["z", "d"]
    assert len(list(read_corpus(tmp_path / "te2"))) == 1


@pytest.mark.parametrize("text", ["a\tBEFORE\tb\n", '{"document": "stdin", "links": []}\n'])
def test_standard_input(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    (document,) = read_corpus("-")
    assert (document.id, document.path) == ("stdin", "-")


@pytest.mark.parametrize(
    ("name", "text"), [("x.tsv.gz", "a\tBEFORE\tb\n"), ("x.jsonl.gz", '{"document":"x","links":[]}\n')]
)
def test_compressed_files(tmp_path, name, text):
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert tp.read(tmp_path / name).id == "x"
    assert [document.id for document in read_corpus(tmp_path)] == ["x"]
    (tmp_path / name).write_bytes(gzip.compress(text.encode())[:-6])
    (found,) = read_corpus(tmp_path)
    assert "gzip" in found.error.reason


def test_a_document_that_was_met_before_gets_a_remark(tmp_path):
    for folder in ("dev", "test"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "d.tml").write_text(TIMEML)
    first, second = read_corpus(tmp_path)
    assert first.remarks == ()
    assert [remark.code for remark in second.remarks] == ["duplicate-document"]
    assert str(tmp_path / "dev" / "d.tml") in second.remarks[0].message


def test_read_wants_exactly_one_document(tmp_path):
    (tmp_path / "sub").mkdir()
    path = tmp_path / "x.jsonl"
    path.write_text('{"document": "a", "links": []}\n{"document": "b", "links": []}\n')
    with pytest.raises(InputError, match="more than one document"):
        tp.read(path)
    with pytest.raises(InputError, match="holds no document"):
        tp.read(tmp_path / "sub")
    with pytest.raises(InputError, match="no such file"):
        tp.read(tmp_path / "nothing")
    with pytest.raises(UsageError, match="format='magic': choose timeml"):
        tp.read(path, format="magic")


def test_what_cannot_be_opened_is_told(tmp_path):
    source = Source(str(tmp_path))
    with pytest.raises(InputError, match="cannot be opened"):
        _ = source.data


def test_links_to_folders_are_not_followed(tmp_path):
    (tmp_path / "a.tml").write_text(TIMEML)
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert len(list(read_corpus(tmp_path))) == 1


def test_a_file_that_fits_two_formats_is_asked_about_in_a_folder_too(tmp_path):
    (tmp_path / "links.txt").write_text("a\tb\ts\nb\ta\ts\n")
    (found,) = read_corpus(tmp_path)
    assert isinstance(found, Unreadable)
    assert "could be dense or tsv" in str(found.error)


@pytest.mark.parametrize("name", ["cut.TML", "cut.xml.gz"])
def test_a_broken_annotation_file_is_known_by_any_spelling_of_its_suffix(tmp_path, name):
    data = b"<TimeML><TEXT>"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (found,) = read_corpus(tmp_path)
    assert isinstance(found, Unreadable)


def test_links_to_folders_are_not_followed_in_silence(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.tml").write_text(TIMEML)
    (tmp_path / "real" / "circle").symlink_to(tmp_path)
    notes = []
    assert len(list(read_corpus(tmp_path, report=notes.append))) == 1
    assert [(note.code, note.message.endswith("circle")) for note in notes] == [("skipped-link", True)]


def test_files_beside_tab_files_are_not_lost_in_silence(tmp_path):
    (tmp_path / "event-extents.tab").write_text("d\t0\t0\tevent\te1\t1\n")
    (tmp_path / "tlinks-dct-event.tab").write_text("d\te1\tt0\tBEFORE\n")
    (tmp_path / "more.tml").write_text(TIMEML)
    notes = []
    assert [found.format for found in read_corpus(tmp_path, report=notes.append)] == ["tempeval2"]
    assert [(note.code, note.message.endswith("more.tml")) for note in notes] == [("skipped-beside", True)]


def test_text_beside_an_annotation_is_not_a_document(tmp_path):
    """One line of text would be an empty timeline, called like the annotation and first in the order of names."""
    (tmp_path / "ferry.xml").write_text("<TimeML><TEXT>The ferry left.</TEXT></TimeML>")
    (tmp_path / "ferry.txt").write_text("The ferry left.")
    (tmp_path / "port.tml").write_text("<TimeML><TEXT/></TimeML>")
    (tmp_path / "port.txt").write_text("Two lines.\nNo rows.\n")
    (tmp_path / "North Ferry Line.txt").write_text("North Ferry Line")
    notes = []
    names = [source.name for source in listing(tmp_path, Options(), notes.append)]
    assert names == ["North Ferry Line", "ferry", "port"]
    assert [note.code for note in notes] == ["skipped-text"]
    assert "2 text files" in notes[0].message


def test_rows_beside_an_annotation_are_read(tmp_path):
    (tmp_path / "ferry.tml").write_text("<TimeML><TEXT/></TimeML>")
    (tmp_path / "ferry.txt").write_text("North Ferry Line\n1\t2018\t812-2-founded\n")
    assert [source.name for source in listing(tmp_path, Options(), [].append)] == ["ferry", "ferry"]


def test_json_that_is_not_about_documents_is_skipped_in_a_folder(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1"}')
    (tmp_path / "settings.json").write_text('{\n  "a": [1, 2]\n}\n')
    (tmp_path / "corpus.json").write_text('{"document": "d", "links": []}')
    (tmp_path / "links.json").write_text('{"source": "a", "relation": "b", "target": "c"}')
    (tmp_path / "pretty.json").write_text('{\n  "document": "e",\n  "links": []\n}\n')
    (tmp_path / "other.jsonl").write_text('{"name": "x"}')  # called like an annotation: read, and refused
    notes = []
    names = [source.path.rpartition("/")[2] for source in listing(tmp_path, Options(), notes.append)]
    assert names == ["corpus.json", "links.json", "other.jsonl", "pretty.json"]
    assert [note.code for note in notes] == ["skipped-foreign"]
    assert [
        source.path for source in listing(tmp_path / "package.json", Options(), notes.append)
    ]  # named: never skipped
