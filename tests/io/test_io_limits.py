"""Limits while reading, with small numbers: what is just allowed, what is one too much, and what is said then."""

import gzip
import io
import os
from random import Random

import pytest

from temporacle.errors import InputError, UsageError
from temporacle.io import source as source_module
from temporacle.io.source import (
    FREE_EXPANSION,
    Options,
    Source,
    in_words,
    is_regular_file,
    limited_lines,
    opened,
    read_whole,
    unpacked,
)


def source(path="x.tsv", data=None, **chosen):
    return Source(str(path), data, Options(**chosen))


# --- limits in words --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1, "1 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1536 bytes"),
        (1 << 20, "1 MiB"),
        ((1 << 20) + 1024, "1025 KiB"),
        (3 << 30, "3 GiB"),
    ],
)
def test_sizes_in_words(size, words):
    assert in_words(size) == words


def test_the_limits_are_those_that_are_documented():
    chosen = Options()
    assert [in_words(size) for size in (chosen.largest_line, chosen.largest_cell)] == ["64 MiB", "128 KiB"]
    assert [in_words(size) for size in (chosen.largest_document, chosen.largest_file)] == ["256 MiB", "2 GiB"]
    assert chosen.largest_expansion == 250
    assert in_words(FREE_EXPANSION) == "2 MiB"
    assert (chosen.values, chosen.keep_unknown, chosen.doctimerel) == (False, False, False)


def test_limits_are_stated_with_units():
    stated = ["line=1", "cell=2K", "document=3mb", "file= 2GiB ", "expansion=999999999999999"]
    assert source_module.limits(stated) == {
        "largest_line": 1,
        "largest_cell": 2 << 10,
        "largest_document": 3 << 20,
        "largest_file": 2 << 30,
        "largest_expansion": 999_999_999_999_999,
    }


@pytest.mark.parametrize(
    "stated", ["line=1000000000000000", "line=٣", "line=²", "line=K", "line=0", "line=1T", "=3", "lines=3"]
)
def test_other_limits_are_refused(stated):
    with pytest.raises(UsageError, match="is not understood: write NAME=SIZE with a name of line, cell, document"):
        source_module.limits([stated])


# --- what is opened ---------------------------------------------------------------------------------------------------


def test_regular_files(tmp_path):
    (tmp_path / "x").write_text("")
    os.mkfifo(tmp_path / "pipe")
    assert is_regular_file(str(tmp_path / "x")) is True
    assert is_regular_file(str(tmp_path / "pipe")) is False
    with pytest.raises(FileNotFoundError):
        is_regular_file(str(tmp_path / "missing"))


@pytest.mark.parametrize("content", [b"", b"\x1f", b"a\tb\tc\n", b"\x1f\x8c"])
def test_a_file_is_opened_packed_or_not(tmp_path, content):
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "packed").write_bytes(gzip.compress(content))
    for name in ("plain", "packed"):
        with opened(source(tmp_path / name)) as file:
            assert file.read() == content


def test_closing_closes_the_packed_file(tmp_path):
    packed = io.BytesIO(gzip.compress(b"x"))
    with unpacked(packed, source()) as file:
        assert file.readable()
        assert not packed.closed
    assert packed.closed


# --- how far a file may grow ------------------------------------------------------------------------------------------


def grown(content, **chosen):
    with unpacked(io.BytesIO(gzip.compress(content, 1)), source(**chosen)) as file:
        return len(file.read())


def test_some_growth_is_free():
    assert grown(bytes(FREE_EXPANSION), largest_expansion=1) == FREE_EXPANSION
    with pytest.raises(InputError) as refused:
        grown(bytes(FREE_EXPANSION + 1), largest_expansion=1)
    assert refused.value.reason == "expands to more than 1 times its size"
    assert refused.value.cure == "if this is intended, raise the limit: read_limit='expansion=2'"


def test_beyond_that_growth_is_a_multiple_of_what_was_packed():
    noise = Random(1).randbytes(40_000)
    content = noise + bytes(FREE_EXPANSION + 100_000)  # packs to about 50,000 bytes
    size = len(gzip.compress(content, 1))
    assert grown(content, largest_expansion=len(content) // size + 1) == len(content)
    with pytest.raises(InputError):
        grown(content, largest_expansion=len(content) // size - 3)


# --- whole files ------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(source_module, "_BLOCK", 8)


def whole(content, *, limited=False, **chosen):
    return read_whole(io.BytesIO(content), source(**chosen), limited=limited)


def refusal(content, *, limited=False, **chosen):
    with pytest.raises(InputError) as refused:
        whole(content, limited=limited, **chosen)
    return refused.value.reason, refused.value.line


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("content", [b"", b"ab\n", b"x" * 8, b"x" * 20, b"ab\ncd\n" * 9, b"\n" * 20])
def test_what_is_within_the_limits_is_read_whole(content):
    assert whole(content, largest_line=20) == content
    assert whole(content, limited=True, largest_file=max(1, len(content))) == content


@pytest.mark.usefixtures("small_blocks")
def test_a_line_too_long_is_named_by_its_number():
    assert whole(b"x" * 10, largest_line=10)
    assert refusal(b"x" * 11, largest_line=10) == ("the line is longer than 10 bytes", 1)
    assert whole(b"ab\ncd\nef\n" + b"x" * 10, largest_line=10)
    assert refusal(b"ab\ncd\nef\n" + b"x" * 16, largest_line=10) == ("the line is longer than 10 bytes", 4)
    # A block that ends inside a line counts from its last line break.
    assert whole(b"abcdef\nx" + b"x" * 8 + b"\n", largest_line=9)
    assert refusal(b"abcdef\nx" + b"x" * 8, largest_line=8) == ("the line is longer than 8 bytes", 2)
    assert whole(b"abcde\nxx" + b"xxxxxx\nx" + b"x" * 8, largest_line=9)


@pytest.mark.usefixtures("small_blocks")
def test_a_file_without_a_known_size_is_limited():
    content = b"abc\n" * 5
    assert whole(content, limited=True, largest_file=20) == content
    assert refusal(content, limited=True, largest_file=19) == ("holds more than 19 bytes", None)
    assert whole(content, largest_file=1) == content


@pytest.mark.usefixtures("small_blocks")
def test_xml_has_no_lines_but_a_largest_size():
    content = b"<a>" + b"x" * 37
    assert whole(content, largest_line=5, largest_document=40) == content
    assert refusal(content, largest_document=39) == ("the document is larger than 39 bytes", None)
    assert whole(b"ab\n" * 20, largest_document=5)


@pytest.mark.usefixtures("small_blocks")
def test_parquet_has_neither():
    content = b"PAR1" + b"x" * 40
    assert whole(content, largest_line=5, largest_document=5) == content
    assert refusal(content, limited=True, largest_file=43) == ("holds more than 43 bytes", None)


# --- line by line -----------------------------------------------------------------------------------------------------


def lines(content, **chosen):
    return list(limited_lines(io.BytesIO(content), source(**chosen)))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_lines_are_counted_without_their_ends(end):
    content = b"ab\n" + b"x" * 10 + end
    assert b"".join(lines(content, largest_line=10)) == content
    for more in (1, 2, 3, 30):
        with pytest.raises(InputError) as refused:
            lines(b"ab\n" + b"x" * (10 + more) + end, largest_line=10)
        assert (refused.value.reason, refused.value.line) == ("the line is longer than 10 bytes", 2)


def test_lines_keep_their_ends():
    assert lines(b"ab\r\n\ncd") == [b"ab\r\n", b"\n", b"cd"]
