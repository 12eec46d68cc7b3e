"""Everything that takes a source takes the same sources: paths, content and values.

The table of kinds and functions, what is refused, and what happens to rows that cannot be used.
"""

import contextlib
import gzip
import io
import json
import warnings
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import temporacle as tp

CHAIN = [("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded")]
CYCLE = [*CHAIN, ("unloaded", "BEFORE", "left")]
COLUMNS = dict(zip(("source", "relation", "target"), map(list, zip(*CHAIN, strict=True)), strict=True))
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in CHAIN]
TSV = "".join("\t".join(row) + "\n" for row in CHAIN)
OBJECT = {"document": "d1", "links": RECORDS}
NESTED = {"document": ["d1"], "links": [RECORDS]}

SCORES = [(source, target, {label: 0.9, "AFTER": 0.1}) for source, label, target in CHAIN]
WIDE = {"source": COLUMNS["source"], "target": COLUMNS["target"], "BEFORE": [0.9, 0.9], "AFTER": [0.1, 0.1]}
PAIRS = [{"source": source, "target": target, "scores": scores} for source, target, scores in SCORES]
SCORE_LINE = json.dumps({"document": "d1", "pairs": PAIRS}) + "\n"


class Dataset:
    """As those of Hugging Face: names of columns, and a list for each."""

    def __init__(self, columns):
        self.columns = columns
        self.column_names = list(columns)

    def __getitem__(self, name):
        return self.columns[name]


# Each kind of source: the links, and the scores of the same pairs.
KINDS = {
    "path": (lambda folder: saved(folder, "d1.tsv", TSV), lambda folder: saved(folder, "s.jsonl", SCORE_LINE)),
    "Path": (
        lambda folder: Path(saved(folder, "d1.tsv", TSV)),
        lambda folder: Path(saved(folder, "s.jsonl", SCORE_LINE)),
    ),
    "text": (lambda _: TSV, lambda _: SCORE_LINE),
    "JSON text": (
        lambda _: json.dumps(OBJECT, indent=1),
        lambda _: json.dumps([{"document": "d1", "pairs": PAIRS}]),
    ),
    "JSON list": (lambda _: json.dumps([OBJECT]).encode(), lambda _: json.dumps([json.loads(SCORE_LINE)]).encode()),
    "JSON records": (lambda _: json.dumps(RECORDS), lambda _: json.dumps(PAIRS)),
    "JSON triples": (lambda _: json.dumps(CHAIN), lambda _: json.dumps(PAIRS, indent=1)),
    "bytes": (lambda _: TSV.encode(), lambda _: SCORE_LINE.encode()),
    "StringIO": (lambda _: io.StringIO(TSV), lambda _: io.StringIO(SCORE_LINE)),
    "BytesIO": (lambda _: io.BytesIO(TSV.encode()), lambda _: io.BytesIO(SCORE_LINE.encode())),
    "open file": (
        lambda folder: opened(saved(folder, "d1.tsv", TSV)),
        lambda folder: opened(saved(folder, "s.jsonl", SCORE_LINE)),
    ),
    "triples": (lambda _: CHAIN, lambda _: SCORES),
    "triples by name": (lambda _: {"d1": CHAIN}, lambda _: {"d1": SCORES}),
    "records by name": (lambda _: {"d1": RECORDS}, lambda _: {"d1": PAIRS}),
    "records": (lambda _: RECORDS, lambda _: PAIRS),
    "object": (lambda _: OBJECT, lambda _: {"document": "d1", "pairs": PAIRS}),
    "text by name": (lambda _: {"d1": TSV}, None),
    "bytes by name": (lambda _: {"d1": TSV.encode()}, None),
    "file by name": (lambda folder: {"d1": opened(saved(folder, "d.tsv", TSV))}, None),
    "frame by name": (lambda _: {"d1": pd.DataFrame(COLUMNS)}, None),
    "document by name": (lambda _: {"d1": tp.Document("d", CHAIN)}, None),
    "objects": (lambda _: [OBJECT], lambda _: [{"document": "d1", "pairs": PAIRS}]),
    "columns": (lambda _: COLUMNS, lambda _: WIDE),
    "pandas": (lambda _: pd.DataFrame(COLUMNS), lambda _: pd.DataFrame(WIDE)),
    "polars": (lambda _: pl.DataFrame(COLUMNS), lambda _: pl.DataFrame(WIDE)),
    "Arrow": (lambda _: pa.table(COLUMNS), lambda _: pa.table(WIDE)),
    "datasets": (lambda _: Dataset(COLUMNS), lambda _: Dataset(WIDE)),
    "nested pandas": (lambda _: pd.DataFrame(NESTED), None),
    "nested polars": (lambda _: pl.DataFrame(NESTED), None),
    "nested Arrow": (lambda _: pa.table(NESTED), None),
    "nested datasets": (lambda _: Dataset({"id": [7], "links": [COLUMNS]}), None),
    "Document": (lambda _: tp.Document("d1", CHAIN), None),
    "documents": (lambda _: [tp.Document("d1", CHAIN)], None),
}


def saved(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


OPENED = []


def opened(path, mode="r"):
    OPENED.append(Path(path).open(mode))  # noqa: SIM115 - closed after the test
    return OPENED[-1]


@pytest.fixture(autouse=True)
def closing():
    yield
    while OPENED:
        OPENED.pop().close()


def converted(make, folder):
    tp.convert(make(), folder / "out.jsonl")
    return len(tp.read(folder / "out.jsonl").links)


FUNCTIONS = {
    "read": lambda make, _: len(tp.read(make()).links),
    "check": lambda make, _: tp.check(make())[0].links,
    "score": lambda make, _: round(2 * tp.score(make(), make()).f1),
    "Oracle": lambda make, _: len(tp.Oracle(make()).document.links),
    "Session": lambda make, _: len(tp.Session(make()).document.links),
    "closure": lambda make, _: len(list(tp.closure(make())[0].pairs())) - 1,
    "convert": converted,
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_function_takes_every_source(kind, function, tmp_path):
    links, _ = KINDS[kind]
    assert FUNCTIONS[function](lambda: links(tmp_path), tmp_path) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_decode_takes_scores_from_every_source(kind, tmp_path):
    links, scores = KINDS[kind]
    if scores is None:  # nested links have no scores
        with pytest.raises((tp.UsageError, tp.InputError), match=r"score|pairs|column"):
            tp.decode(links(tmp_path))
    else:
        assert tp.decode(scores(tmp_path))[0].labels == ["BEFORE", "BEFORE"]


def same_links(document):
    return [(link.source, str(link.relation), link.target) for link in document.links]


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_say_the_same(kind, tmp_path):
    links, _ = KINDS[kind]
    assert same_links(tp.read(links(tmp_path))) == same_links(tp.read(TSV))


@pytest.mark.parametrize(
    "source", [12, None, object(), {}, {"d1": 3}, {"a": "b"}, [12], [("a", "b")], {"x": ["a"], "y": ["b"]}]
)
@pytest.mark.parametrize(
    "function", [tp.read, tp.check, tp.Oracle, tp.Session, tp.closure, lambda it: tp.score(it, CHAIN)]
)
def test_what_is_no_source_is_refused_with_the_cure(source, function):
    with pytest.raises(tp.UsageError, match=r"give|rename|expected|write"):
        function(source)


TAKERS = {
    "read": tp.read,
    "check": tp.check,
    "score gold": lambda source: tp.score(source, CHAIN),
    "score system": lambda source: tp.score(CHAIN, source),
    "compare": lambda source: tp.compare(CHAIN, {"a": source, "b": CHAIN}),
    "agree": lambda source: tp.agree(CHAIN, source),
    "official": lambda source: tp.official("matres", CHAIN, source),
    "Oracle": tp.Oracle,
    "Session": tp.Session,
    "decode": tp.decode,
    "closure": tp.closure,
    "reduce": tp.reduce,
    "stats": tp.stats,
    "diff": lambda source: tp.diff(CHAIN, source),
    "entails": lambda source: tp.entails(source, "left", "BEFORE", "docked"),
    "ask": lambda source: tp.ask(source, ["IS left BEFORE docked"]),
    "bounds": tp.bounds,
    "repair": tp.repair,
    "verify": tp.verify,
    "apply": lambda source: tp.apply(source, drop=["l1"]),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_a_file_that_cannot_be_read_is_refused_with_the_cure(taker, tmp_path):
    closed = opened(saved(tmp_path, "d1.tsv", TSV))
    closed.close()
    for file in (closed, opened(tmp_path / "new.tsv", "w")):
        with pytest.raises(tp.UsageError, match=r"open it again|give a file|give the path"):
            TAKERS[taker](file)


@pytest.mark.parametrize("taker", TAKERS)
def test_what_no_function_takes_raises_nothing_but_our_errors(taker, tmp_path):
    strange = [None, 3, object(), len, {"a": None}, {"a": tmp_path}, [CHAIN, CHAIN], np.array(CHAIN), tp.Oracle(CHAIN)]
    for source in (*strange, pa.chunked_array([pa.array(RECORDS)]), pd.DataFrame(COLUMNS).groupby("source")):
        with contextlib.suppress(tp.TemporacleError):
            TAKERS[taker](source)


@pytest.mark.parametrize("name", ["gone.tsv", "gone.jsonl", "gone"])
@pytest.mark.parametrize("taker", TAKERS)
def test_a_missing_file_is_named(taker, name):
    try:
        found = TAKERS[taker](name)
    except tp.TemporacleError as error:
        assert name in str(error)  # noqa: PT017 - some answer that the file is unreadable
    else:
        assert name.removesuffix(".tsv").removesuffix(".jsonl") in repr(found[0])


# ----------------------------------------------------------------------------------------------------
# Content


def test_content_is_read_as_its_file_is():
    for path in sorted(Path("examples/corpus").iterdir()):
        document = tp.read(path)
        for content in (path.read_bytes(), path.read_text(encoding="utf-8"), opened(path, "rb")):
            found = tp.read(content, name=document.id)
            assert same_links(found) == same_links(document)
            assert (found.id, found.path, found.format) == (document.id, None, document.format)
            assert found.remarks == document.remarks
            assert (found.text, found.entities) == (document.text, document.entities)


def test_a_text_that_declares_another_encoding_is_read_as_it_is():
    xml = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<TimeML><DOCID>d</DOCID><TEXT>caf\u00e9</TEXT></TimeML>'
    assert "caf\u00e9" in tp.read(xml).text
    assert "caf\u00e9" in tp.read(xml.encode("latin-1")).text
    with pytest.raises(tp.UsageError, match="leave encoding out"):
        tp.read(xml, encoding="latin-1")


def test_gzip_and_parquet_are_content(tmp_path):
    pq.write_table(pa.table(COLUMNS), tmp_path / "links.parquet")
    for content in (gzip.compress(TSV.encode()), (tmp_path / "links.parquet").read_bytes()):
        assert same_links(tp.read(content)) == same_links(tp.read(TSV))


def test_a_text_on_one_line_is_a_path_unless_it_looks_like_content(tmp_path, monkeypatch):
    with pytest.raises(tp.InputError, match=r"gone\.tml"):
        tp.read("gone.tml")
    monkeypatch.chdir(tmp_path)
    Path("[a]").write_text(TSV)
    assert same_links(tp.read("[a]", format="tsv")) == same_links(tp.read(TSV))  # a file of that name


def test_content_is_named_by_the_caller_by_its_file_or_by_position(tmp_path):
    assert tp.read(TSV).id == "document"
    assert tp.read(TSV, name="d1").id == "d1"
    assert tp.read(opened(saved(tmp_path, "harbour.tsv", TSV), "rb")).id == "harbour"
    assert [each.document for each in tp.check([TSV, TSV])] == ["document1", "document2"]
    assert [each.document for each in tp.check([tmp_path / "harbour.tsv", TSV])] == ["harbour", "document2"]
    with pytest.raises(tp.UsageError, match="leave name out"):
        tp.read(str(tmp_path / "harbour.tsv"), name="d1")


def test_nothing_beside_content_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("another text")
    found = tp.read(
        "T1\tEvent 0 4\tleft\nT2\tEvent 9 15\tdocked\nR1\tBEFORE Arg1:T1 Arg2:T2\n", name="notes", format="brat"
    )
    assert found.text is None
    assert len(found.links) == 1


def test_certificates_are_content(tmp_path, monkeypatch):
    tp.check({"d1": CHAIN}, certificates=tmp_path)
    path = tmp_path / "d1.json"
    for content in (path.read_text(), path.read_bytes(), opened(path), [path, path.read_text()]):
        assert tp.verify(content).valid
    for content in (TSV, OBJECT, json.dumps(OBJECT)):
        with contextlib.suppress(tp.UsageError):
            assert tp.verify(content).valid is False
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert tp.verify("-").valid
    with pytest.raises(tp.UsageError, match="give the path of the file"):
        tp.apply(path.read_text(), drop=["l1"])


def test_a_file_that_was_read_to_its_end_is_refused():
    file = io.StringIO(TSV)
    tp.check(file)
    with pytest.raises(tp.InputError, match="nothing is left to read"):
        tp.check(file)


def test_content_that_cannot_be_read_is_unreadable_as_a_file_is():
    assert str(tp.check("<TimeML>")[0].verdict) == "unreadable"
    with pytest.raises(tp.InputError):
        tp.read("<TimeML>")


def test_links_of_content_that_cannot_be_used_are_skipped_and_never_raise():
    text = TSV + TSV.replace("BEFORE", "BEFOR", 1).replace("left", "sailed")
    with pytest.warns(tp.InputWarning, match="unknown-label"):
        assert tp.check(text)[0].skipped_links == {"unknown-label": 1}
    with pytest.warns(tp.InputWarning, match="unknown-label"):
        document = tp.read(text)
    assert tp.check(document)[0].skipped_links == {"unknown-label": 1}
    assert tp.score(document, text).skipped_links["gold"] == {"unknown-label": 1}


def test_objects_of_tools_are_read_as_their_files_are():
    for path in sorted(Path("temporacle/data/examples").glob("*.txt")):
        if path.stem in {"cas-json", "label-studio", "prodigy", "doccano"}:
            text = path.read_text(encoding="utf-8")
            lines = [text] if path.stem in {"cas-json", "label-studio"} else text.splitlines()
            objects = [each for line in lines for each in aslist(json.loads(line))]
            expected = list(tp.read_corpus(text))
            found = list(tp.read_corpus(objects))
            assert [same_links(each) for each in found] == [same_links(each) for each in expected]


def aslist(value):
    return value if isinstance(value, list) else [value]


def test_many_documents_come_from_one_value():
    by_name = {"d1": CHAIN, "d2": CYCLE}
    assert [(each.document, str(each.verdict)) for each in tp.check(by_name)] == [
        ("d1", "consistent"),
        ("d2", "inconsistent"),
    ]
    records = [dict(zip(COLUMNS, row, strict=True)) | {"document": name} for name in by_name for row in by_name[name]]
    assert [each.document for each in tp.check(records)] == ["d1", "d2"]
    nested = pa.table({"doc_id": ["d1", "d2"], "links": [RECORDS, []]})
    assert [(each.document, each.links) for each in tp.check(nested)] == [("d1", 2), ("d2", 0)]
    assert tp.score(by_name, by_name).f1 == 1


def test_splits_and_lazy_frames_are_refused_with_the_cure():
    class Splits:
        column_names: ClassVar = {"train": ["source"], "test": ["source"]}

    with pytest.raises(tp.UsageError, match="choose one, such as data\\['train'\\]"):
        tp.check(Splits())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(tp.UsageError, match="collect"):
            tp.check(pl.DataFrame(COLUMNS).lazy())


def test_a_certificate_of_a_frame_needs_no_file(tmp_path):
    tp.check(pd.DataFrame(COLUMNS), certificates=tmp_path)
    assert list(tmp_path.iterdir())


# ----------------------------------------------------------------------------------------------------
# Rows of values that cannot be used

BAD = {
    "unknown label": ("unloaded", "BEFOR", "left", tp.LabelError, "unknown-label"),
    "label None": ("unloaded", None, "left", tp.LabelError, "missing-label"),
    "label NaN": ("unloaded", float("nan"), "left", tp.LabelError, "missing-label"),
    "label NA": ("unloaded", pd.NA, "left", tp.LabelError, "missing-label"),
    "label empty": ("unloaded", "", "left", tp.LabelError, "missing-label"),
    "float id": (12.0, "BEFORE", "left", tp.InputError, "bad-link"),
    "boolean id": (True, "BEFORE", "left", tp.InputError, "bad-link"),
    "missing id": ("unloaded", "BEFORE", None, tp.InputError, None),
    "NaN id": (float("nan"), "BEFORE", "left", tp.InputError, None),
}
SHAPES = {
    "triples": lambda rows: rows,
    "by name": lambda rows: {"d1": rows},
    "records": lambda rows: [dict(zip(COLUMNS, row, strict=True)) for row in rows],
    "columns": lambda rows: dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)),
    "pandas": lambda rows: pd.DataFrame([list(row) for row in rows], columns=list(COLUMNS), dtype=object),
    "object": lambda rows: {"document": "d1", "links": [dict(zip(COLUMNS, row, strict=True)) for row in rows]},
}
CALLS = {
    "check": tp.check,
    "score gold": lambda source, **how: tp.score(source, CHAIN, **how),
    "score system": lambda source, **how: tp.score(CHAIN, source, **how),
    "compare": lambda source, **how: tp.compare({"d1": CHAIN}, {"a": source, "b": {"d1": CHAIN}}, **how),
    "agreement": lambda source, **how: tp.agreement(CHAIN, source, **how),
    "agree": lambda source, **how: tp.agree(CHAIN, source, **how),
    "Oracle": tp.Oracle,
    "closure": tp.closure,
    "Session": tp.Session,
    "read": tp.read,
    "stats": tp.stats,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("bad", BAD)
def test_a_row_that_cannot_be_used_raises_and_names_the_first_row_and_their_number(bad, shape):
    *row, kind, code = BAD[bad]
    source = SHAPES[shape]([*CHAIN, tuple(row), *CHAIN, tuple(row)])
    with pytest.raises(tp.InputError, match=r"row 3: .*2 of 6 rows") as raised:
        tp.check(source)
    assert type(raised.value) is kind
    with pytest.warns(tp.InputWarning, match=r"2 of 6 rows .* row 3: ") as told:
        skipped = tp.check(source, on_error="skip")[0]
    (about_rows,) = (each for each in told if "duplicate-link" not in str(each.message))
    assert about_rows.filename == __file__
    assert skipped.links == 4
    assert sum(skipped.skipped_links.values()) == 2
    assert code is None or skipped.skipped_links == {code: 2}


@pytest.mark.parametrize("call", CALLS)
def test_every_function_raises_or_skips_with_one_warning(call):
    rows = [*CHAIN, ("unloaded", "BEFOR", "left")]
    for source in (rows, SHAPES["pandas"](rows), SHAPES["by name"](rows)):
        if call in {"agree", "agreement", "score gold", "score system"} and isinstance(source, dict):
            continue  # the other side has another name
        with pytest.raises(tp.LabelError, match="row 3"):
            CALLS[call](source)
        with pytest.warns(tp.InputWarning) as told:
            CALLS[call](source, on_error="skip")
        assert len([each for each in told if each.category is tp.InputWarning]) == 1


def test_decode_raises_or_skips_with_one_warning():
    bad = {
        "unknown label": [*SCORES, ("a", "b", {"BEFOR": 0.9})],
        "float id": [*SCORES, (12.0, "b", {"BEFORE": 0.9})],
        "long frame": pd.DataFrame(
            [[*CHAIN[0], 0.9], [*CHAIN[1], 0.9], ["a", "BEFOR", "b", 0.9]], columns=[*COLUMNS, "score"]
        ),
        "wide frame": pd.DataFrame([["left", "docked", 0.9], ["docked", "unloaded", 0.9], [12.0, "b", 0.9]],
                                   columns=["source", "target", "BEFORE"], dtype=object),
    }  # fmt: skip
    for name, source in bad.items():
        kind = tp.InputError if "wide" in name or "float" in name else tp.LabelError
        with pytest.raises(kind, match=r"row 3.* 1 of 3 rows") as raised:
            tp.decode(source)
        assert type(raised.value) is kind
        with pytest.warns(tp.InputWarning) as told:
            found = tp.decode(source, on_error="skip")[0]
        assert len(told) == 1
        assert found.labels == ["BEFORE", "BEFORE"]
        assert sum(found.skipped_links.values()) == 1


def test_whole_numbers_of_any_kind_are_ids():
    for number in (12, np.int64(12), np.uint8(12)):
        rows = [(number, "BEFORE", "b")]
        for shape in SHAPES.values():
            assert tp.read(shape(rows)).links[0].source == "12"
        assert tp.decode([(number, "b", {"BEFORE": 1.0})])[0].to_document().links[0].source == "12"
    assert (
        tp.read({"source": pd.Series([12], dtype="Int64"), "relation": ["BEFORE"], "target": ["b"]}).links[0].source
        == "12"
    )


def test_labels_that_mean_no_relation_are_not_missing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tp.read([("a", "NONE", "b"), ("a", "VAGUE", "c")]).links) == 2


def test_rows_without_a_document_are_counted_as_well():
    frame = {"document": ["d1", None], **COLUMNS}
    with pytest.raises(tp.InputError, match=r"row 2: the document is None.* 1 of 2 rows"):
        tp.check(frame)
    with pytest.warns(tp.InputWarning):
        assert tp.check(frame, on_error="skip")[0].skipped_links == {"bad-link": 1}


def test_on_error_has_two_values():
    with pytest.raises(tp.UsageError, match=r"raise.*skip"):
        tp.check(CHAIN, on_error="ignore")


TRIPLES = {"document": "d", "links": [["a", "BEFORE", "b"], ["b", "BEFORE", 7], ["b", "BEFOR", "c"], ["b", "BEFORE"]]}
OBJECTS = {"document": "e", "links": [{"source": "a", "relation": "BEFORE", "target": "b"}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TRIPLES), json.dumps(TRIPLES, indent=1), f"{json.dumps(TRIPLES)}\n{json.dumps(OBJECTS)}\n",
        f"\ufeff{json.dumps(OBJECTS)}\n{json.dumps(TRIPLES)}\n", json.dumps([TRIPLES, OBJECTS]),
        f"{json.dumps(TRIPLES)}\n{{torn\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [str, str.encode])
def test_content_has_links_as_triples_as_the_object_has(text, kind):
    expected = [tp.check(each, on_error="skip")[0] for each in (TRIPLES, OBJECTS)]
    found = {each.document: each for each in tp.check(kind(text))}
    for each in expected:
        if each.document in found:
            assert found[each.document].links == each.links
            assert found[each.document].skipped_links == each.skipped_links
    assert found["d"].links == 2
    assert found["d"].skipped_links == {"unknown-label": 1, "bad-link": 1}
