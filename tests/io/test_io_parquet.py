"""Parquet: cells, limits at their borders, and slices, on files of a few rows."""

import sys

import pytest

from temporacle.errors import InputError, UsageError
from temporacle.io import read_source, tables
from temporacle.io.source import Options, Source

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def written(tmp_path):
    def write(columns, name="x.parquet", **options):
        path = tmp_path / name
        pq.write_table(pa.table(columns), path, **options)
        return str(path)

    return write


ROWS = {"source": ["a", "b"], "relation": ["BEFORE", "AFTER"], "target": ["b", "c"]}


def links(source):
    return [
        (document.id, link.id, link.line, link.source, str(link.relation), link.target)
        for document in read_source(source)
        for link in document.links
    ]


def refusal(source):
    with pytest.raises(InputError) as refused:
        list(tables.read_parquet(source))
    return refused.value


def test_rows_are_links_and_other_columns_are_left_alone(written):
    path = written({**ROWS, "remark": [b"\xff", None]})
    expected = [("x", "1", 1, "a", "b", "b"), ("x", "2", 2, "b", "bi", "c")]
    assert links(Source(path)) == expected
    with open(path, "rb") as file:  # noqa: PTH123
        data = file.read()
    assert links(Source("x.parquet", data)) == expected
    numbered = links(Source("x.parquet", data, format="parquet", first_line=8))
    assert [link[2] for link in numbered] == [8, 9]


def test_rows_of_several_batches_are_numbered_on(written, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 2)
    count = 5
    path = written({name: values[:1] * count for name, values in ROWS.items()} | {"target": list("bcdef")})
    assert [(link[2], link[5]) for link in links(Source(path))] == list(enumerate("bcdef", 1))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_every_type(written, kind):
    columns = {name: pa.array(values, pa.string()).cast(kind) for name, values in ROWS.items()}
    assert [link[3:] for link in links(Source(written(columns)))] == [("a", "b", "b"), ("b", "bi", "c")]


@pytest.mark.parametrize("kind", [pa.list_(pa.string()), pa.large_list(pa.string())])
def test_lists_of_labels(written, kind):
    columns = {"source": ["a", "b", "c"], "target": ["b", "c", "d"]}
    columns["relation"] = pa.array([["b", "m"], None, ["bi"]], kind)
    assert [link[3:] for link in links(Source(written(columns)))] == [("a", "b|m", "b"), ("c", "bi", "d")]


def test_numbers_can_be_names_and_cells_can_be_missing(written):
    path = written({**ROWS, "document": [7, 7], "id": ["l1", None]})
    assert [(link[0], link[1]) for link in links(Source(path))] == [("7", "l1"), ("7", "2")]


def test_names_of_columns_may_have_dots(written):
    path = written({"my.source": ["a" * 50], "relation": ["BEFORE"], "target": ["b"]})
    chosen = {"columns": "source=my.source"}
    assert links(Source(path, None, Options(**chosen)))[0][3] == "a" * 50
    assert "a cell is longer" in refusal(Source(path, None, Options(largest_cell=49, **chosen))).reason


def test_equal_texts_are_one_object(written):
    (document,) = read_source(Source(written({**ROWS, "source": ["a" * 300] * 2})))
    assert document.links[0].source is document.links[1].source


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_cell_has_a_longest_length(written):
    path = written({**ROWS, "source": ["a", "b" * 50]})
    assert len(links(Source(path, None, Options(largest_cell=50)))) == 2
    assert "a cell is longer than 49 bytes" in refusal(Source(path, None, Options(largest_cell=49))).reason
    path = written({**ROWS, "relation": pa.array([["b"], ["m" * 50]])})
    assert "a cell is longer than 49 bytes" in refusal(Source(path, None, Options(largest_cell=49))).reason
    empty = {name: pa.array([], pa.string()) for name in ROWS}
    assert links(Source(written(empty), None, Options(largest_cell=1))) == []


@pytest.mark.parametrize(("length", "is_read"), [(100, True), (101, False)])
def test_a_list_has_a_longest_length(written, length, is_read):
    path = written({"source": ["a"], "relation": pa.array([["b"] * length]), "target": ["b"]})
    if is_read:
        assert len(links(Source(path))) == 1
    else:
        refused = refusal(Source(path))
        assert refused.reason == "lists of more than 100 labels in column relation"
        assert refused.cure == "a relation has at most 13 atoms"


def test_other_columns_do_not_count(written):
    path = written({**ROWS, "notes": pa.array([["x"] * 500, ["y"] * 500])})
    assert len(links(Source(path))) == 2


def content(path):
    """The bytes of all used columns, and 32 for each row."""
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    return 32 * metadata.num_rows + sum(
        group.column(number).total_uncompressed_size for group in groups for number in range(group.num_columns)
    )


def test_a_file_has_a_largest_content(written):
    path = written({name: values * 4 for name, values in ROWS.items()}, row_group_size=3)
    total = content(path)
    assert len(links(Source(path, None, Options(largest_file=total)))) == 8
    refused = refusal(Source(path, None, Options(largest_file=total - 1)))
    assert refused.reason == f"holds more than {total - 1} bytes"
    assert "read_limit='file=" in refused.cure


def test_a_file_has_a_largest_expansion(written, monkeypatch):
    path = written(ROWS)
    total, size = content(path), Source(path).size
    monkeypatch.setattr(tables, "FREE_EXPANSION", total)
    assert len(links(Source(path, None, Options(largest_expansion=0)))) == 2
    monkeypatch.setattr(tables, "FREE_EXPANSION", total - 1)
    assert refusal(Source(path, None, Options(largest_expansion=0))).reason == "expands to more than 0 times its size"
    assert len(links(Source(path, None, Options(largest_expansion=-(-total // size))))) == 2


# --- files that cannot be read ----------------------------------------------------------------------------------------


def test_what_is_not_parquet_is_reported(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1 and no more")
    assert refusal(Source(str(path))).reason.startswith("not a Parquet file that can be read: ")
    assert refusal(Source(str(tmp_path / "missing"))).reason.startswith("not a Parquet file that can be read: ")


def test_a_damaged_file_is_reported(tmp_path, written):
    path = written({**ROWS, "source": ["a" * 5000, "b" * 5000]}, compression="none", use_dictionary=False)
    with open(path, "r+b") as file:  # noqa: PTH123
        file.seek(4)
        file.write(b"\xff" * 200)
    assert refusal(Source(path)).reason.startswith("cannot be read to its end: ")


def test_the_package_must_be_installed(written, monkeypatch):
    path = written(ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="pip install 'temporacle"):
        list(tables.read_parquet(Source(path)))


# --- slices -----------------------------------------------------------------------------------------------------------


def corpus(names):
    count = len(names)
    ends = [f"e{number}" for number in range(count)]
    return {"document": list(names), "source": ["a"] * count, "relation": ["BEFORE"] * count, "target": ends}


@pytest.mark.parametrize(
    ("names", "are_together"),
    [("", True), ("x", True), ("xxyyz", True), ("xyx", False), ("xxyyxx", False), ("xyz", True)],
)
def test_whether_rows_of_a_document_follow_each_other(written, monkeypatch, names, are_together):
    monkeypatch.setattr(tables, "ROWS", 2)
    columns = corpus(names) if names else {name: pa.array([], pa.string()) for name in corpus("x")}
    assert tables.documents_are_together(Source(written(columns))) is are_together


def test_a_file_without_rows_has_no_slices(written):
    assert list(tables.slices(Source(written({name: pa.array([], pa.string()) for name in corpus("x")})))) == []


def test_rows_without_documents_are_not_cut(written):
    assert tables.documents_are_together(Source(written(ROWS))) is False


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("names", ["x", "xxxxx", "xxyyz", "xyyyyzzw", "xyz"])
def test_slices_have_whole_documents(written, monkeypatch, rows, names):
    path = written({**corpus(names), "remark": ["left alone"] * len(names)})
    expected = links(Source(path))
    monkeypatch.setattr(tables, "ROWS", rows)
    pieces = list(tables.slices(Source(path, None, Options(encoding="ascii"))))
    assert {(piece.path, piece.format, piece.options.encoding) for piece in pieces} == {(path, "parquet", "ascii")}
    assert [link for piece in pieces for link in links(piece)] == expected
    documents = [document.id for piece in pieces for document in read_source(piece)]
    assert documents == list(dict.fromkeys(names))
    assert [piece.first_line for piece in pieces] == [
        1 + sum(len(links(piece)) for piece in pieces[:number]) for number in range(len(pieces))
    ]
    if rows == 1:
        assert len(pieces) == len(set(names))
    assert "remark" not in pq.read_table(pa.BufferReader(pieces[0].data)).column_names
