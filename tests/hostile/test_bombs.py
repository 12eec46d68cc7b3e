"""Small files that stand for large ones: refused before they fill the memory."""

import gzip
import json
import subprocess
import sys
import zlib

import pytest
from shares import few

from temporacle.cli import run
from temporacle.io import Options, Source, read_source
from temporacle.io.slices import slices
from temporacle.model import Document, Unreadable

MEASURED = """
import sys
from temporacle.cli import run
code = run(sys.argv[1:])
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024, code)
"""
ONE_LINE = {
    "x.tsv.gz": (b"a\tBEFORE\t", b"x"),
    "x.csv.gz": (b"source,relation,target\na,BEFORE,", b"x"),
    "x.jsonl.gz": (b'{"document": "d", "links": [], "text": "', b"x"),
    "links.jsonl.gz": (b'{"source": "a", "relation": "b", "target": "', b"x"),
    "dense.txt.gz": (b"d\te1\te2\tb\nd\te1\t", b"x"),
    "x.tml.gz": (b"<TimeML><TEXT>", b"x"),
}
MANY = {
    "many.tsv.gz": (b"", b"a\tBEFORE\tb\n"),
    "many.csv.gz": (b"source,relation,target\n", b"a,BEFORE,b\n"),
    "many.jsonl.gz": (b"", b'{"source": "a", "relation": "b", "target": "c"}\n'),
    "many.tml.gz": (b"<TimeML>", b"<EVENT/>"),
    "blank.tsv.gz": (b"a\tBEFORE\tb\n", b"\n"),
}


def bomb(path, start, unit, size):
    """A gzip file, written without ever holding what it stands for."""
    packer = zlib.compressobj(9, wbits=31)
    block = unit * ((1 << 20) // len(unit))
    with path.open("wb") as file:
        file.write(packer.compress(start))
        for _ in range(size // len(block)):
            file.write(packer.compress(block))
        file.write(packer.flush())
    return path


def peak_and_code(*arguments):
    """Peak memory in megabytes and exit code of a command, and what it said."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    peak, code = done.stdout.splitlines()[-1].split()
    return int(peak), int(code), done.stdout + done.stderr


@pytest.mark.parametrize("name", few([*ONE_LINE, *MANY]))
def test_a_gzip_bomb_takes_no_memory(tmp_path, name):
    path = bomb(tmp_path / name, *{**ONE_LINE, **MANY}[name], 600 << 20 if name == "x.tsv.gz" else 64 << 20)
    peak, code, said = peak_and_code("check", path)
    assert peak < 300
    assert code in (2, 3)
    assert "--read-limit expansion=" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.tsv.gz", "x.jsonl.gz", "links.jsonl.gz"])
def test_a_line_is_limited_even_where_any_expansion_is_allowed(tmp_path, name):
    path = bomb(tmp_path / name, *ONE_LINE[name], 128 << 20)
    peak, code, said = peak_and_code("check", path, "--read-limit", "expansion=2000")
    assert peak < 300
    assert code in (2, 3)
    assert "--read-limit line=" in said


def parquet(path, columns, **options):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path, compression="zstd", **options)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("dictionary", [True, False])
def test_a_parquet_bomb_takes_no_memory(tmp_path, dictionary):
    names = ["x" * 5_000_000] * 40
    plain = ["a"] * 40
    path = parquet(
        tmp_path / "x.parquet",
        {"document": plain, "source": names, "relation": ["b"] * 40, "target": plain},
        use_dictionary=dictionary,
    )
    assert path.stat().st_size < 100_000
    peak, code, said = peak_and_code("check", path)
    assert peak < 300
    assert code in (2, 3)
    assert "--read-limit expansion=" in said
    peak, code, said = peak_and_code("check", path, "--read-limit", "expansion=1000000")
    assert peak < 300 or not dictionary
    assert code in (2, 3)
    assert "--read-limit cell=" in said


def test_rows_of_parquet_that_take_no_room_are_counted(tmp_path):
    rows = 3_000_000
    columns = {name: [word] * rows for name, word in (("source", "a"), ("relation", "b"), ("target", "c"))}
    path = parquet(tmp_path / "x.parquet", columns)
    peak, code, said = peak_and_code("check", path)
    assert peak < 300
    assert code in (2, 3)
    assert "--read-limit expansion=" in said


def counted(number, width=0):
    """A number as Thrift's compact form has it, in at least so many bytes."""
    number, parts = number * 2, []
    while number or len(parts) < width:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes([*parts[:-1], parts[-1] & 127])


@pytest.mark.parametrize(
    ("repeats", "more"),
    [
        (40, {"use_dictionary": False}),
        (2, {"use_dictionary": True}),
        (40, {"use_dictionary": False, "column_encoding": {"source": "DELTA_BYTE_ARRAY"}}),
    ],
)
def test_a_parquet_footer_that_tells_small_sizes_is_not_believed(tmp_path, repeats, more):
    import pyarrow.parquet as pq

    plain = ["a"] * repeats
    columns = {"document": plain, "source": ["x" * 5_000_000] * repeats, "relation": ["b"] * repeats, "target": plain}
    path = parquet(tmp_path / "x.parquet", columns, **more)
    group = pq.ParquetFile(path).metadata.row_group(0)
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = data[start:]
    for size in (group.total_byte_size, group.column(1).total_uncompressed_size):
        assert counted(size) in footer
        footer = footer.replace(counted(size), counted(1000, len(counted(size))))
    path.write_bytes(data[:start] + footer)
    assert pq.ParquetFile(path).metadata.row_group(0).column(1).total_uncompressed_size == 1000
    (found,) = read_source(Source(str(path), None, Options(largest_expansion=1)))
    assert "expands to more" in found.error.reason
    assert isinstance(found, Unreadable)


def test_lists_of_parquet_are_short(tmp_path):
    path = parquet(tmp_path / "x.parquet", {"source": ["a"], "relation": [["b"] * 10_000], "target": ["c"]})
    (found,) = read_source(Source(str(path)))
    assert "more than 100 labels" in found.error.reason
    path = parquet(tmp_path / "y.parquet", {"source": ["a", "x"], "relation": [["b", "m"], None], "target": ["c", "y"]})
    (found,) = read_source(Source(str(path)))
    assert [str(link.relation) for link in found.links] == ["b|m"]
    assert [remark.code for remark in found.dropped] == ["missing-label"]


TABLES = {
    "x.tsv": "a\tBEFORE\t{}\n",
    "x.csv": "source,relation,target\na,BEFORE,{}\n",
    "x.jsonl": '{{"document": "x", "links": [{{"source": "a", "relation": "b", "target": "{}"}}]}}\n',
    "y.jsonl": '{{"source": "a", "relation": "b", "target": "{}"}}\n',
}


@pytest.mark.parametrize("name", TABLES)
def test_a_limit_is_a_border_that_can_be_moved(tmp_path, name):
    text = TABLES[name].format("x" * 1000)
    longest = max(map(len, text.splitlines()))

    def read(**limits):
        (found,) = read_source(Source(name, text.encode(), Options(**limits)))
        return found

    assert isinstance(read(largest_line=longest), Document) or name.endswith(".csv")
    if not name.endswith(".csv"):  # whose lines are cut by its own parser
        assert "the line is longer than" in read(largest_line=longest - 1).error.reason
    if not name.endswith(".jsonl"):
        assert isinstance(read(largest_cell=1000), Document)
        found = read(largest_cell=999)
        assert "a cell is longer than 999 bytes" in found.error.reason
        assert found.error.line == text.count("\n")
    if name != "x.jsonl":
        assert isinstance(read(largest_document=len(text)), Document)
        assert "is larger than 1000 bytes" in read(largest_document=1000).error.reason


@pytest.mark.parametrize("name", ["x.tsv", "x.csv"])
def test_cells_longer_than_the_csv_module_likes(name):
    text = TABLES[name].format("x" * 200_000).encode()
    (found,) = read_source(Source(name, text, Options()))
    assert "a cell is longer than 128 KiB" in found.error.reason
    (found,) = read_source(Source(name, text, Options(largest_cell=300_000)))
    assert len(found.links) == 1


def test_an_xml_document_is_limited(tmp_path):
    path = tmp_path / "x.tml.gz"
    text = b"<TimeML><TEXT>" + b"word " * 200_000 + b"</TEXT></TimeML>"
    path.write_bytes(gzip.compress(text))
    (found,) = read_source(Source(str(path), None, Options(largest_document=1 << 19)))
    assert "the document is larger than 512 KiB" in found.error.reason
    (found,) = read_source(Source(str(path)))
    assert isinstance(found, Document)


def test_a_compressed_file_is_limited_as_a_whole(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(b'{"document": "d%d", "links": []}\n' % n for n in range(50_000))))
    (found,) = read_source(Source(str(path), None, Options(largest_file=1 << 20)))
    assert "holds more than 1 MiB" in found.error.reason
    assert sum(1 for _ in read_source(Source(str(path)))) == 50_000


def test_slices_of_lines_within_the_limit_are_whole(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = [json.dumps({"document": f"d{n}", "links": [], "text": "x" * 400_000}) + "\n" for n in range(4)]
    path.write_text("".join(lines))
    found = [d for piece in slices(Source(str(path))) for d in read_source(piece)]
    assert [each.id for each in found] == ["d0", "d1", "d2", "d3"]
    *_, last = slices(Source(str(path), None, Options(largest_line=100_000)))
    assert isinstance(last, Unreadable)
    assert "the line is longer" in last.error.reason
    assert last.error.line == 1


@pytest.mark.parametrize("stated", ["line", "line=", "line=x", "line=0", "word=3", "line=-1", "line=9" + "9" * 5000])
def test_limits_that_are_not_understood(tmp_path, capsys, stated):
    path = tmp_path / "x.tsv"
    path.write_text("a\tBEFORE\tb\n")
    assert run(["check", str(path), "--read-limit", stated]) == 2
    said = capsys.readouterr().err
    assert "is not understood" in said
    assert len(said) < 500


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_larger_than_a_line_is_read_in_blocks(tmp_path, packed):
    path = tmp_path / "x.tsv"
    text = "".join(f"e{n}\tBEFORE\te{n + 1}\n" for n in range(40_000)).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    (found,) = read_source(Source(str(path), None, Options(largest_line=100)))
    assert len(found.links) == 40_000
    path.write_bytes(gzip.compress(text + b"x" * 1000) if packed else text + b"x" * 1000)
    (found,) = read_source(Source(str(path), None, Options(largest_line=100)))
    assert "the line is longer than 100 bytes" in found.error.reason
    assert found.error.line == 40_001


def test_a_device_is_limited(capsys):
    (found,) = read_source(Source("/dev/zero", None, Options(largest_line=1 << 20)))
    assert "the line is longer" in found.error.reason
    (found,) = read_source(Source("/dev/zero", None, Options(largest_file=1 << 20)))
    assert "holds more than 1 MiB" in found.error.reason
