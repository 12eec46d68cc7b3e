"""Slices of large files: read one by one they give the documents of the file as a whole."""

import csv
import gzip
import io
import json
import pickle
import random

import pytest

from temporacle.io import read_source, slices
from temporacle.io.source import Options, Source
from temporacle.model import Document, Unreadable


@pytest.fixture(autouse=True)
def small_slices(monkeypatch):
    monkeypatch.setattr(slices, "SLICE", 400)
    monkeypatch.setattr(slices, "_SMALL_GZIP", 50)


def pieces(path, options=Options()):  # noqa: B008 - an immutable value
    return list(slices.slices(Source(str(path), None, options)))


def documents(found):
    return [document for piece in found for document in read_source(pickle.loads(pickle.dumps(piece)))]


def facts(document):
    """All that must not depend on slices; what is said once a file may be said once a slice."""
    if isinstance(document, Unreadable):
        return document.id, document.path, str(document.error)
    return document.id, document.path, document.links, document.entity_ids, document.format, document.reading


def json_lines(rng, count):
    labels = ["BEFORE", "b|m", "nonsense", "AFTER", ["b", "o"]]
    result = []
    for number in range(count):
        links = [
            {"source": f"e{rng.randrange(4)}", "relation": rng.choice(labels), "target": f"e{rng.randrange(4)}"}
            for _ in range(rng.randrange(5))
        ]
        result.append(rng.choice([json.dumps({"document": f"d{number}", "links": links})] * 9 + ["{broken", "", "  "]))
    return result


def tab_lines(rng, count):
    result = ["document\tsource\trelation\ttarget"] if rng.random() < 0.5 else []
    for number in range(count):
        for _ in range(rng.randrange(1, 12)):
            result.append(f"d{number}\te{rng.randrange(4)}\t{rng.choice(['b', 'BEFORE', 'b|m'])}\te{rng.randrange(4)}")
            if rng.random() < 0.1:
                result.append(rng.choice(["", "# a remark\twith tabs\tin it\t!"]))
    return result


def comma_lines(rng, count):
    """CSV with names in some order, the document first, and cells that hold commas and line ends."""
    names = ["source", "relation", "target", "mine"]
    rng.shuffle(names)
    result = [["document", *names]]
    for number in range(count):
        for _ in range(rng.randrange(1, 12)):
            cells = {
                "source": f"e{rng.randrange(4)}",
                "relation": "b|m",
                "target": rng.choice(["x,y", 'say "x"', "e9"]),
            }
            cells["mine"] = rng.choice(["", "two\nlines", "a, b"])
            result.append([f"d{number}", *(cells[name] for name in names)])
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(result)
    return file.getvalue().removesuffix("\n").split("\n")


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize(("make", "ending"), [(json_lines, ".jsonl"), (tab_lines, ".tsv"), (comma_lines, ".csv")])
def test_slices_give_the_documents_of_the_whole_file(tmp_path, make, ending, suffix):
    for seed in range(30):
        rng = random.Random(seed)
        lines = make(rng, rng.randrange(20, 60))
        end = rng.choice(["\n", "\r\n"])
        data = (end.join(lines) + rng.choice(["", end])).encode()
        path = tmp_path / f"corpus{seed}{ending}{suffix}"
        path.write_bytes(gzip.compress(data) if suffix else data)
        found = pieces(path)
        assert len(found) > 1
        assert max(len(piece.data) for piece in found) < len(data) / 2
        whole = list(read_source(Source(str(path))))
        assert list(map(facts, documents(found))) == list(map(facts, whole))


def parquet_file(path, documents, rows, **columns):
    pa = pytest.importorskip("pyarrow", reason="needs the extra temporacle[parquet]")
    import pyarrow.parquet as pq

    table = pa.table(
        {"document": documents, "source": ["a"] * rows, **columns, "target": [f"b{i}" for i in range(rows)]}
    )
    pq.write_table(table, path)


def test_slices_of_parquet_give_the_documents_of_the_whole_file(tmp_path, monkeypatch):
    monkeypatch.setattr("temporacle.io.tables.ROWS", 50)
    path = tmp_path / "corpus.parquet"
    rng = random.Random(5)
    names = sorted(rng.choices(range(100, 140), k=1000))
    labels = [rng.choice([["b"], ["b", "m"], ["nonsense"]]) for _ in names]
    parquet_file(path, [f"d{name}" for name in names], 1000, relation=labels, weight=[2.5] * 1000)
    found = pieces(path)
    assert len(found) > 5
    whole = list(read_source(Source(str(path))))
    assert len(whole) == len(set(names))
    assert list(map(facts, documents(found))) == list(map(facts, whole))
    assert whole[0].links[0].weight == 2.5
    assert {str(link.relation) for document in whole for link in document.links} == {"b", "b|m"}
    assert all(document.dropped for document in whole)


def test_scattered_parquet_is_read_whole(tmp_path):
    path = tmp_path / "scattered.parquet"
    parquet_file(path, [f"d{i % 3}" for i in range(900)], 900, relation=["b"] * 900)
    (piece,) = pieces(path)
    assert [len(document.links) for document in read_source(piece)] == [300, 300, 300]


def test_parquet_without_the_columns_is_refused(tmp_path):
    path = tmp_path / "other.parquet"
    parquet_file(path, ["d"] * 9, 9, other=["b"] * 9)
    (document,) = read_source(Source(str(path)))
    assert document.error.reason.startswith("no column for relation: the columns are ")


def test_a_torn_parquet_file_is_refused(tmp_path):
    path = tmp_path / "torn.parquet"
    parquet_file(path, ["d"] * 900, 900, relation=["b"] * 900)
    path.write_bytes(path.read_bytes()[:-40])
    (document,) = documents(pieces(path))
    assert "not a Parquet file that can be read" in document.error.reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("source,relation,target\na,b,c\n", [("2", "a", "b", "c")]),
        ("a,BEFORE,c\n\nd,b,e\n", [("1", "a", "b", "c"), ("3", "d", "b", "e")]),
        ('id,target,relation,source,weight\nk,"c\nd",b|m,a,2\n', [("k", "a", "b|m", "c\nd")]),
    ],
)
def test_csv_of_one_document(tmp_path, text, expected):
    path = tmp_path / "one.csv"
    path.write_text(text)
    (document,) = read_source(Source(str(path)))
    assert document.id == "one"
    assert [(link.id, link.source, str(link.relation), link.target) for link in document.links] == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("source,relation,target\na,b\n", "2 columns where 3 are expected"),
        ('source,relation,target\na,b,"c\n', "not a well-formed table"),
        ("document,source,relation,target\n ,a,b,c\n", "the document column is empty"),
    ],
)
def test_bad_csv_is_refused_with_its_line(tmp_path, text, reason):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    (found,) = read_source(Source(str(path)))
    assert reason in found.error.reason
    assert found.error.line == 2


def test_what_convert_writes_as_csv_can_be_read(tmp_path):
    path = tmp_path / "written.csv"
    header = "document,id,source,relation,label,target,line,weight,task\r\n"
    path.write_text(header + "d1,k1,a,b|m,BEFORE,b,3,1,\r\nd2,k2,a,=,IDENTITY,b,4,2.5,\r\n", newline="")
    first, second = read_source(Source(str(path)))
    assert (first.id, first.links[0].id, str(first.links[0].relation)) == ("d1", "k1", "b|m")
    assert (second.links[0].weight, str(second.links[0].relation)) == (2.5, "=")


def test_bad_weights_drop_the_link(tmp_path):
    path = tmp_path / "weights.csv"
    path.write_text("source,relation,target,weight\na,b,c,-1\na,b,c,heavy\na,b,c,\n")
    (document,) = read_source(Source(str(path)))
    assert [remark.code for remark in document.dropped] == ["bad-weight"] * 2
    assert len(document.links) == 1


def test_a_scattered_document_keeps_its_file_whole(tmp_path):
    path = tmp_path / "scattered.tsv"
    path.write_text("".join(f"d{number % 7}\ta\tb\tc{number}\n" for number in range(100)))
    (piece,) = pieces(path)
    assert len(list(read_source(piece))) == 7


def test_one_document_without_a_document_column_is_not_cut(tmp_path):
    path = tmp_path / "one.tsv"
    path.write_text("".join(f"a{number}\tb\tc{number}\n" for number in range(100)))
    (piece,) = pieces(path)
    (document,) = read_source(piece)
    assert isinstance(document, Document)
    assert len(document.links) == 100


@pytest.mark.parametrize(
    "names",
    [
        "id,source,relation,target",
        "source,relation,target,weight",
        "source,relation,target",
        "id,mine,source,relation,target",
    ],
)
def test_csv_of_one_document_is_never_cut(tmp_path, names):
    """Four columns need not begin with the document: links that contradict each other must stay together."""
    path = tmp_path / "one.csv"
    columns = names.split(",")
    links = [
        {"id": f"l{n}", "mine": "x", "source": f"e{n}", "relation": "b", "target": f"e{(n + 1) % 100}", "weight": "2"}
        for n in range(100)
    ]
    path.write_text("\n".join([names, *(",".join(link[name] for name in columns) for link in links)]) + "\n")
    (piece,) = pieces(path)
    (document,) = read_source(piece)
    assert [(link.source, link.target) for link in document.links] == [
        (link["source"], link["target"]) for link in links
    ]


@pytest.mark.parametrize("header", ['"document","target","relation","source"', "Document , target,RELATION,source"])
def test_every_slice_of_csv_knows_the_names_of_the_columns(tmp_path, header):
    path = tmp_path / "quoted.csv"
    names = ["d{0}", '"d{0}"']  # two ways to write one name
    path.write_text(header + "\n" + "".join(f"{names[n % 2].format(n // 7)},x,b,y\n" for n in range(210)))
    found = pieces(path)
    assert len(found) > 1
    whole = list(read_source(Source(str(path))))
    assert list(map(facts, documents(found))) == list(map(facts, whole))
    assert {(link.source, link.target) for document in whole for link in document.links} == {("y", "x")}


def test_a_quotation_mark_inside_a_cell_opens_nothing(tmp_path):
    path = tmp_path / "guns.csv"
    rows = ["document,source,relation,target", *(f'd{n // 3},5" gun,b,"two\nlines"' for n in range(99))]
    path.write_text("\n".join(rows) + "\n")
    found = pieces(path)
    assert len(found) > 1
    assert list(map(facts, documents(found))) == list(map(facts, read_source(Source(str(path)))))


def test_small_files_and_other_formats_come_as_they_are(tmp_path):
    small, foreign = tmp_path / "small.jsonl", tmp_path / "large.xml"
    small.write_text('{"document": "d", "links": []}\n')
    foreign.write_text("<TimeML>" + "x" * 5000 + "</TimeML>")
    for path in (small, foreign):
        (piece,) = pieces(path)
        assert piece.carried == 0
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps({"document": f"d{n}", "links": []}) + "\n" for n in range(50)))
    assert len(pieces(lines, Options(encoding="latin-1"))) == 1
    assert len(pieces(lines, Options(format="tsv"))) == 1


def test_a_torn_gzip_file_gives_what_can_be_read_and_an_error(tmp_path):
    path = tmp_path / "torn.jsonl.gz"
    rng = random.Random(3)
    lines = [
        json.dumps({"document": f"d{n}", "links": [], "text": rng.randbytes(40).hex()}) + "\n" for n in range(3000)
    ]
    data = gzip.compress("".join(lines).encode())
    path.write_bytes(data[: len(data) // 2])
    *good, last = pieces(path)
    assert isinstance(last, Unreadable)
    assert "cannot be read to its end" in str(last.error)
    assert documents(good[:1])[0].id == "d0"
