import json
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared

import temporacle as tp
from temporacle.errors import InputError
from temporacle.io import read_corpus
from temporacle.io.jsonl import read as reader
from temporacle.io.jsonl.document import document_of
from temporacle.io.source import Options, Source
from temporacle.model import Document, PlainGraph, Unreadable


def source_of(*records, **options):
    lines = (record if isinstance(record, bytes) else json.dumps(record).encode() for record in records)
    return Source("folder/corpus.jsonl", b"\n".join(lines), Options(**options))


def read(*records, **options):
    return list(reader.read(source_of(*records, **options)))


def link(first="a", relation="b", second="c", **more):
    return {"source": first, "relation": relation, "target": second, **more}


def doc(*links, name="d", **more):
    return {"document": name, "links": list(links), **more}


# Odd and plain values alike, so that some of them are graphs, which must agree with the documents.
names = st.sampled_from(["a", "b", "c", "d", "", 3, None])
labels = st.sampled_from(
    ["b", "BEFORE", "b|m", " b", "before", "DURING", "during|b", "OVERLAP_BEFORE", "odd", "", None, ["b", "m"], []]
)
weights = st.sampled_from([1, 2, 0.5, 1.0, 0, -1, float("nan"), float("inf"), True, "1", None, 10**400])
links = st.one_of(
    st.builds(link, st.sampled_from("abc"), st.sampled_from(["b", "BEFORE", "b|m", "=", "di"]), st.sampled_from("abc")),
    st.fixed_dictionaries(
        {"source": names, "relation": labels, "target": names},
        optional={
            "id": st.sampled_from(["x", "y", "1", "2", "", 4]),
            "weight": weights,
            "note": st.integers(),
            "label": st.sampled_from(["BEFORE", "v", "", 3]),
            "task": st.sampled_from(["A", None]),
        },
    ),
    st.sampled_from([None, [], "a", {"source": "a"}]),
)
entities = st.one_of(
    st.sampled_from(["a", "b", "c", "", None, 3, [], {}]),
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b", "c", "d", "", 2])},
        optional={
            "kind": st.sampled_from(["event", "time", "dct", "place", 1]),
            "start": st.sampled_from([0, 3, -1, True, "0"]),
            "end": st.sampled_from([5, 2, None]),
            "text": st.sampled_from(["word", 1]),
            "spans": st.sampled_from([[[0, 2], [4, 6]], [[3, 1]], [5], 7, []]),
            "value": st.sampled_from(["2020", 2020]),
            "event_id": st.just("e1"),
        },
    ),
)
plain_links = st.lists(
    st.builds(link, st.sampled_from("abc"), st.sampled_from(["b", "m|=", "AFTER"]), st.sampled_from("abc"))
)
records = st.fixed_dictionaries(
    {"document": st.just("d"), "links": st.one_of(plain_links, st.lists(links, max_size=4))},
    optional={
        "entities": st.one_of(st.none(), st.just(["a", "b", "c"]), st.lists(entities, max_size=4), st.just([])),
        "more": st.none(),
        "text": st.sampled_from(["Once.", 3]),
    },
)


@given(
    records,
    st.sampled_from([Options(), Options(reading="allen"), Options(reading="dense"), Options(keep_unknown=True)]),
)
def test_a_graph_says_what_the_document_says(record, options):
    source = Source("x.jsonl", b"", options)
    record = json.loads(json.dumps(record))
    document = document_of("d", record, 7, source)
    graph = reader.graph_or_document("d", record, 7, source)
    if isinstance(graph, PlainGraph):
        stated = [(link.source, link.relation, link.target) for link in document.links]
        assert list(zip(graph.sources, graph.relations, graph.targets, strict=True)) == stated
        assert (graph.remarks, graph.complete()) == (document.remarks, document)
    else:
        assert graph == document
        assert graph.entities == document.entities
    assert reader.read_line(json.dumps(record).encode(), 7, source) == document


@given(st.binary(max_size=200))
def test_arbitrary_bytes_give_documents_or_a_reason(data):
    try:
        for found in reader.read(Source("x.jsonl", data)):
            assert isinstance(found, Document | Unreadable)
    except InputError as error:
        assert error.path == "x.jsonl"  # noqa: PT017 - any other exception fails the test


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["document", "links", "entities", "source", "relation", "target", "id", "weight"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_arbitrary_json_gives_a_document_or_a_reason(value):
    line = json.dumps(value).encode()
    found = reader.read_line(line, 1, source_of())
    assert isinstance(found, Document | Unreadable)
    assert str(found.error) if isinstance(found, Unreadable) else found.id.encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"document": "x", "links": [}', "bad JSON"),
        (b"[1, 2]", "one JSON object"),
        (b'{"links": []}', "no document name"),
        (b'{"document": 5, "links": []}', "no document name"),
        (b'{"document": " ", "links": []}', "no document name"),
        (b'{"document": "x", "links": {}}', '"links" must be a list'),
        (b'{"document": "x", "links": [], "entities": "a"}', '"entities" must be a list'),
        (b'{"document": "x\xff"}', "0xff is not UTF-8"),
        (b'{"document": "\\ud800", "links": []}', "half a character"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"document": "x", "links": [], "more": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
        (b'{"document": "x", "links": [], "n": ' + b"9" * (sys.get_int_max_str_digits() + 1) + b"}", "bad JSON"),
    ],
)
def test_a_bad_line_is_unreadable_and_spoils_no_other(line, reason):
    before, bad, after = read(doc(link(), name="before"), line, doc(link(), name="after"))
    assert (before.id, after.id) == ("before", "after")
    assert isinstance(bad, Unreadable)
    assert reason in bad.error.reason
    assert (bad.error.line, bad.error.path) == (2, "folder/corpus.jsonl")


def test_bad_json_is_located_by_line_and_column():
    (bad,) = read(b'{"document": "x", "links": [}')
    assert (bad.id, bad.error.line, bad.error.column) == ("corpus:1", 1, 29)


def test_an_unreadable_document_goes_by_its_name_where_it_has_one():
    (bad,) = read({"document": "harbour", "links": 5})
    assert bad.id == "harbour"


def test_a_document_that_occurs_twice_is_refused_the_second_time():
    first, second, third = read(doc(link()), doc(link("x")), doc(link(), name="e"))
    assert isinstance(second, Unreadable)
    assert (first.id, second.id, third.id) == ("d", "d", "e")
    assert second.error.line == 2


def test_narrativetime_is_refused_with_advice():
    with pytest.raises(InputError, match=r"NarrativeTime.*\.tml"):
        read({"id": "x", "text": "", "events": {}, "event_order": {"0": {"time": "5:6", "branch": "<6"}}})


def test_objects_of_another_kind_are_refused_at_the_first_one():
    with pytest.raises(InputError, match="id, text"):
        read({"id": "x", "text": ""}, doc(link()))
    document, foreign, last = read(doc(link()), {"id": "x"}, doc(link(), name="e"))
    assert (document.id, foreign.id, last.id) == ("d", "corpus:2", "e")


@pytest.mark.corpora
def test_narrativetimes_own_files_are_refused():
    paths = sorted(shared("corpora", "narrativetime").rglob("*.jsonl"))
    assert paths
    for path in paths:
        with pytest.raises(InputError):
            list(reader.read(Source(str(path), path.read_bytes())))


def test_entities_limit_what_links_may_name():
    (document,) = read(doc(link(), link("a", "b", "z"), entities=["a", "c"]))
    assert [remark.code for remark in document.dropped] == ["dangling-id"]
    (document,) = read(doc(link(), link("a", "b", "z"), entities=["a", "c"]), keep_unknown=True)
    assert document.entity_ids == ("a", "c", "z")
    assert [entity.id for entity in document.entities] == ["a", "c", "z"]


def test_null_is_as_good_as_absent():
    (document,) = read(doc(link(id=None), entities=None, text=None))
    assert document.entity_ids == ("a", "c")
    assert document.links[0].id == "1"


def test_an_empty_list_of_entities_is_a_list_of_entities():
    (document,) = read(doc(link(), entities=[]))
    assert document.links == ()


def test_what_other_formats_know_has_its_place():
    entity = {
        "id": "a",
        "kind": "time",
        "start": 1,
        "end": 9,
        "spans": [[1, 3], [7, 9]],
        "value": "2020",
        "event_id": "e",
    }
    record = doc(link(relation="b|m", label="BEFORE", task="C"), entities=[entity, "c"], text="Some text")
    (document,) = read(record)
    assert document.text == "Some text"
    assert document.entities[0].spans == ((1, 3), (7, 9))
    assert (document.entities[0].value, document.entities[0].event_id) == ("2020", "e")
    assert (document.links[0].label, str(document.links[0].relation), document.links[0].task) == ("BEFORE", "b|m", "C")


def test_during_is_remarked_once_a_file():
    documents = read(doc(link(relation="DURING"), name="x"), doc(link(relation="DURING"), name="y"))
    assert [[remark.code for remark in document.remarks] for document in documents] == [["during-is-timeml"], []]


def test_a_byte_order_mark_blank_lines_and_crlf_are_skipped():
    data = b"\xef\xbb\xbf" + json.dumps(doc(link())).encode() + b"\r\n\r\n \n" + json.dumps(doc(name="e")).encode()
    assert [(found.id, [each.line for each in found.links]) for found in reader.read(Source("x", data))] == [
        ("d", [1]),
        ("e", []),
    ]


@pytest.mark.parametrize("data", [b"", b"\n \r\n"])
def test_an_empty_file_is_refused(data):
    with pytest.raises(InputError, match="file is empty"):
        list(reader.read(Source("x.jsonl", data)))


def test_another_encoding_can_be_chosen():
    data = json.dumps(doc(link("caf\u00e9")), ensure_ascii=False).encode("utf-16")
    (document,) = reader.read(Source("x.jsonl", data, Options(encoding="utf-16")))
    assert document.entity_ids == ("caf\u00e9", "c")


def test_lines_are_read_one_at_a_time():
    documents = reader.read(source_of(doc(name="first"), b"{" * 100))
    assert next(documents).id == "first"


def test_documents_can_be_sent_to_another_process():
    for document in read(doc(link(), name="x"), doc(link(), name="y", entities=["a", "c"])):
        assert pickle.loads(pickle.dumps(document)).entities == document.entities


def test_a_pair_of_surrogates_is_one_character():
    (document,) = read(b'{"document": "\\ud83d\\ude00", "links": []}')
    assert document.id == "\U0001f600"


def test_keys_that_mean_nothing_here_are_kept_and_written_again(tmp_path):
    from temporacle.io.writers import write

    record = doc(
        link("a", "b", "c", note={"deep": [1, None]}),
        link("a", "unheard of", "c", note="dropped with its link"),
        link("a", "b|m", "b", id="k", sure=0.5),
        link("a", "b|m", "b", id="k", sure=0.7),  # of the same name: told apart
        entities=["a", {"id": "b", "lemma": "go"}, {"id": "c", "kind": "event"}],
        split="train",
    )
    (document,) = read(record)
    assert document.extras.document == {"split": "train"}
    assert document.extras.entities == {"b": {"lemma": "go"}}
    assert document.extras.links == {"1": {"note": {"deep": [1, None]}}, "k": {"sure": 0.5}, "k@1": {"sure": 0.7}}
    assert pickle.loads(pickle.dumps(document)).extras == document.extras
    write([document], tmp_path / "out.jsonl", "jsonl")
    (again,) = reader.read(Source("out.jsonl", (tmp_path / "out.jsonl").read_bytes()))
    assert again.extras == document.extras
    told = []
    write([document], tmp_path / "out.tsv", "tsv", told.append)
    assert "unknown-keys" in [remark.code for remark in told]


def test_documents_without_such_keys_have_none():
    (plain, careful) = read(
        doc(link(id="k", weight=2, label="BEFORE", task="A")), doc(link(relation="BEFORE "), name="e")
    )
    assert plain.extras is None
    assert careful.extras is None


def test_json_over_several_lines_is_one_error(tmp_path):
    record = {"document": "d", "links": [{"source": "a", "relation": "b", "target": "b"}] * 3}
    path = tmp_path / "pretty.jsonl"
    path.write_text(json.dumps(record, indent=2))
    (found,) = read_corpus(path)
    assert isinstance(found, Unreadable)
    assert "several lines" in found.error.reason
    assert found.error.line == 1


def test_a_torn_first_line_spoils_no_other(tmp_path):
    line = json.dumps({"document": "d", "links": []})
    path = tmp_path / "torn.jsonl"
    for torn in (line[:20], line[:-1], "{"):
        path.write_text(f"{torn}\n{line}\n")
        found = list(read_corpus(path))
        assert [isinstance(each, Unreadable) for each in found] == [True, False], torn


def test_large_json_over_several_lines_is_one_error(tmp_path):
    record = {"document": "d", "links": [{"source": "a", "relation": "b", "target": "b"}] * 20_000}
    path = tmp_path / "pretty.jsonl"
    path.write_text(json.dumps(record, indent=2))
    found = list(tp.check(path))
    assert [check.verdict.value for check in found] == ["unreadable"]
    assert "several lines" in found[0].error


@pytest.mark.parametrize("key", ["tlinks", "TLINKS", "relations", "link", "Links"])
def test_a_key_that_was_meant_as_links_is_an_error(key):
    record = {"document": "d", key: [{"source": "a", "relation": "b", "target": "b"}]}
    (found,) = reader.read(Source("d.jsonl", json.dumps(record).encode()))
    assert isinstance(found, Unreadable)
    assert key in str(found.error)
    assert '"links"' in str(found.error)
