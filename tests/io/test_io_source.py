"""One input: how its bytes are found, unpacked and decoded, and what is said when they are not there."""

import gzip
import io
import os
import pickle
import sys
from pathlib import Path
from threading import Thread

import pytest

from temporacle.errors import InputError
from temporacle.io import read_source
from temporacle.io.source import (
    Options,
    Source,
    options_of,
    standard_input,
    strip_suffixes,
    writable,
)
from temporacle.io.tools.mapping import load_mapping
from temporacle.model import HowRead
from temporacle.readings import Reading, load_reading
from temporacle.relation import Relation

MINE = Reading("mine", {"EARLIER": Relation.of("b")})


def refusal(act):
    with pytest.raises(InputError) as refused:
        act()
    return refused.value


# --- options ----------------------------------------------------------------------------------------------------------


def test_a_named_reading_is_loaded_once():
    chosen = Options(reading="timeml", during="is_included")
    assert chosen.reading == chosen.chosen_reading == load_reading("timeml", "is_included")
    assert Options(reading=MINE).chosen_reading is MINE
    assert Options().chosen_reading is None


def test_a_named_mapping_is_loaded_once():
    chosen = Options(mapping="timeset", during="is_included")
    assert chosen.mapping == load_mapping("timeset", "is_included")
    assert chosen.choices == (f"mapping-{chosen.mapping.signed}",)
    assert Options(mapping=chosen.mapping).mapping is chosen.mapping


def test_choices_that_can_change_links_are_listed():
    assert Options().choices == ()
    chosen = Options(keep_unknown=True, doctimerel=True, encoding="latin-1", columns="source=event1")
    assert chosen.choices[:3] == ("keep-unknown", "doctimerel", "encoding-latin-1")
    assert len(chosen.choices) == 4
    assert chosen.choices[3].startswith("columns-")
    assert chosen.named_columns == chosen.columns != ()
    assert Options(doctimerel=True).choices == ("doctimerel",)


def test_the_reading_of_links_understands_atoms():
    assert Options().links_reading().relation("m") == Relation.of("m")
    assert Options(labels_like=MINE).links_reading().name == "mine"
    assert Options(labels_like=MINE, reading="matres").links_reading().name == "matres"
    assert Options(labels_like=MINE).links_reading().atoms
    assert Options(during="is_included").links_reading().during == "is_included"


def test_a_format_has_a_reading_unless_one_was_chosen():
    assert Source("x").reading("timeml").name == "timeml"
    assert Source("x", options=Options(reading=MINE)).reading("timeml") is MINE
    assert Options(during="is_included").reading_for("timeml").during == "is_included"


def test_a_document_says_how_to_read_it_again():
    text = b"a\tEARLIER\tb\n"
    asked = Options(format="tsv", reading=MINE, encoding="ascii", keep_unknown=True)
    (document,) = read_source(Source("d.tsv", text, asked))
    again = options_of(document.how_read)
    assert (again.format, again.reading, again.encoding) == ("tsv", document.reading, "ascii")
    assert again.keep_unknown
    assert not again.doctimerel
    (document,) = read_source(Source("d.tsv", b"a\tBEFORE\tb\n", Options(during="is_included")))
    again = options_of(document.how_read)
    assert (again.encoding, again.keep_unknown, again.during) == (None, False, "is_included")
    mapping = load_mapping("timeset")
    again = options_of(HowRead("brat", MINE, ("doctimerel", f"mapping-{mapping.signed}"), mapping))
    assert (again.doctimerel, again.mapping) == (True, mapping)


# --- sources ----------------------------------------------------------------------------------------------------------


def test_a_source_goes_to_another_process_with_what_it_carries():
    asked = Options(format="tsv", encoding="ascii")
    there = pickle.loads(pickle.dumps(Source("d.tsv", b"abc", asked, first_line=7)))
    assert (there.path, there.data, there.options, there.format, there.first_line) == ("d.tsv", b"abc", asked, "tsv", 7)
    there = pickle.loads(pickle.dumps(Source("d.tsv", format="csv")))
    assert (there.carried, there.format, there.first_line) == (0, "csv", 1)
    assert repr(there) == "Source('d.tsv', format='csv')"


def test_the_size_is_that_of_the_data_or_of_the_file(tmp_path):
    path = tmp_path / "d.tsv"
    path.write_bytes(b"12345")
    assert (Source(str(path)).size, Source(str(path)).carried) == (5, 0)
    assert (Source(str(path), b"12").size, Source(str(path), b"12").carried) == (2, 2)
    assert Source(str(tmp_path / "missing")).size == 0


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
@pytest.mark.parametrize("packed", [False, True])
def test_files_of_every_size_are_read_whole(tmp_path, size, packed):
    content = os.urandom(size).replace(b"\x1f\x8b", b"..")
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert Source(str(path), None, Options()).data == content


def test_a_small_file_is_not_limited_by_its_size(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abc\n" * 30_000)
    assert len(Source(str(path), None, Options(largest_file=10)).data) == 120_000


def test_the_file_is_read_once(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"before")
    source = Source(str(path))
    assert source.data == b"before"
    path.write_bytes(b"after")
    assert source.data == b"before"


def test_a_file_that_grows_while_it_is_opened_is_read_whole(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"y" * 10)
    status = path.stat()
    path.write_bytes(b"abc\n" * 30_000)
    monkeypatch.setattr(os, "fstat", lambda _descriptor: status)
    assert len(Source(str(path)).data) == 120_000


def open_files():
    listed = Path("/proc/self/fd")
    return len(list(listed.iterdir())) if listed.is_dir() else 0


def test_what_cannot_be_opened_is_reported_and_left_closed(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "x").write_bytes(b"abc")
    before = open_files()
    assert refusal(lambda: Source(str(tmp_path / "missing")).data).reason == (
        "cannot be opened: No such file or directory"
    )
    assert refusal(lambda: Source(str(tmp_path / "folder")).data).reason == "cannot be opened: Is a directory"
    assert Source(str(tmp_path / "x")).data == b"abc"
    assert open_files() == before


@pytest.mark.parametrize("size", [100, 100_000])
def test_a_damaged_gzip_file_is_reported(tmp_path, size):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(os.urandom(size))[:-10])
    assert refusal(lambda: Source(str(path)).data).reason.startswith("not a complete gzip file: ")


@pytest.mark.parametrize("packed", [False, True])
def test_what_comes_through_a_pipe_is_limited(tmp_path, packed):
    content = b"abc\n" * 1000

    def through_pipe(**chosen):
        path = tmp_path / f"pipe{len(chosen)}"
        os.mkfifo(path)
        data = gzip.compress(content) if packed else content
        writing = Thread(target=lambda: path.write_bytes(data))
        writing.start()
        try:
            return Source(str(path), None, Options(**chosen)).data
        finally:
            writing.join()

    assert through_pipe() == content
    assert refusal(lambda: through_pipe(largest_file=3999)).reason == "holds more than 3999 bytes"


# --- standard input ---------------------------------------------------------------------------------------------------


class Typed(io.StringIO):
    """Standard input with bytes behind it."""

    def __init__(self, buffer):
        super().__init__()
        self.buffer = buffer


@pytest.mark.parametrize("wrap", [io.BytesIO, lambda data: io.BufferedReader(io.BytesIO(data))])
def test_standard_input_is_read_and_limited(monkeypatch, wrap):
    monkeypatch.setattr(sys, "stdin", Typed(wrap(b"a\tb\tc\n")))
    assert Source("-").data == b"a\tb\tc\n"
    monkeypatch.setattr(sys, "stdin", Typed(wrap(b"a\tb\tc\n")))
    assert refusal(lambda: Source("-", None, Options(largest_file=5)).data).reason == "holds more than 5 bytes"
    assert Source("-").name == "stdin"
    monkeypatch.setattr(sys, "stdin", Typed(wrap(b"")))
    assert isinstance(standard_input(Source("-")), io.BufferedReader)


def test_a_closed_standard_input_is_reported(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    refused = refusal(lambda: Source("-").data)
    assert (refused.reason, refused.cure) == (
        "standard input is closed",
        "give a file, or pipe something into the command",
    )


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/wsj_0011.tml", "wsj_0011"),
        ("a\\b\\x.tsv", "x"),
        ("folder/d1/", "d1"),
        ("50%25 off.tsv", "50% off"),
        ("50% off.tsv", "50% off"),
        ("caf\udce9.tsv", "caf%E9"),
        ("x.tsv.gz", "x"),
        (".tsv", ".tsv"),
        (".gz.gz", ".gz"),
        ("x.TE3input.tml", "x"),
        ("x.other", "x.other"),
    ],
)
def test_names_of_documents_without_one(path, name):
    assert Source(path).name == name


def test_suffixes_and_bytes_of_names():
    assert strip_suffixes("a.tml.xml") == strip_suffixes("a.tab") == "a"
    assert writable("é") == "é"
    assert writable("a\udc80\udcff") == "a%80%FF"


# --- text -------------------------------------------------------------------------------------------------------------


def test_text_is_utf_8_unless_another_encoding_was_chosen():
    assert Source("x", "\ufeffé".encode()).decode() == "é"
    assert Source("x", "é".encode("latin-1"), Options(encoding="latin-1")).decode() == "é"
    assert Source("x", "\ufeffé".encode("utf-16-le"), Options(encoding="utf-16-le")).decode() == "é"


def test_a_bad_byte_is_reported_with_its_place():
    refused = refusal(Source("x", b"ok\nab\xff\n", first_line=5).decode)
    assert (refused.reason, refused.line) == ("byte 0xff at offset 5 is not utf-8", 6)
    assert refused.cure == "give encoding=, or save the file as UTF-8"
    assert (refusal(Source("x", b"\xff").decode).line, refusal(Source("x", b"\n\xff").decode).line) == (1, 2)
    assert refused.path == "x"


def test_half_a_character_is_not_text():
    refused = refusal(Source("x", b"\\ud800", Options(encoding="unicode_escape")).decode)
    assert refused.reason.startswith("cannot be read as unicode_escape: ")


def test_an_encoding_must_be_known():
    assert refusal(Source("x", b"a", Options(encoding="nonsense")).decode).reason == "unknown encoding 'nonsense'"


def test_lines_are_numbered_and_end_at_line_feeds_only():
    source = Source("x", "a\x0bb\r\nc\u2028d\n\ne".encode(), first_line=3)
    assert list(source.lines()) == [(3, "a\x0bb"), (4, "c\u2028d"), (5, ""), (6, "e")]


def test_a_line_is_limited_with_its_number():
    assert len(list(Source("x", b"ab\nabcd", Options(largest_line=4)).lines())) == 2
    refused = refusal(lambda: list(Source("x", b"ab\nabcde", Options(largest_line=4), first_line=9).lines()))
    assert (refused.reason, refused.line) == ("the line is longer than 4 bytes", 10)
