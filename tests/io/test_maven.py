"""MAVEN-ERE: relations of events hold for their mentions; the form of its page, with invented documents."""

import json
from pathlib import Path

import pytest

import temporacle as tp
from temporacle.io import Source, read_source
from temporacle.io.formats import example_of
from temporacle.io.recognise import recognise
from temporacle.io.source import Options
from temporacle.model import Kind

EXAMPLE = example_of("maven")
GOLDEN = Path(__file__).parents[1] / "golden" / "pairwise"


def read(*records, **options):
    data = "".join(json.dumps(each) + "\n" for each in records).encode()
    return list(read_source(Source("x.jsonl", data, Options(**options))))


def example(**changes):
    return json.loads(EXAMPLE) | changes


def triples(document):
    return [(link.source, link.label, link.target) for link in document.links]


def test_events_are_entities_with_the_places_of_their_mentions():
    (document,) = read(example())
    assert (document.id, document.format, document.reading.name) == ("harbour", "maven", "thyme")
    assert document.text == "The ferry left at dawn .\nThe departure was late ; it docked ."
    words = {each.id: [document.text[slice(*span)] for span in each.spans] for each in document.entities}
    assert words == {"EVENT_1": ["left", "departure"], "EVENT_2": ["docked"], "TIME_1": ["dawn"]}
    assert [each.kind for each in document.entities] == [Kind.EVENT, Kind.EVENT, Kind.TIME]
    assert triples(document) == [
        ("EVENT_1", "BEFORE", "EVENT_2"),
        ("TIME_1", "BEFORE", "EVENT_2"),
        ("TIME_1", "CONTAINS", "EVENT_1"),
    ]
    assert [link.id for link in document.links] == ["BEFORE:1", "BEFORE:2", "CONTAINS:1"]
    assert not document.remarks


def test_a_relation_of_a_mention_is_one_of_its_event():
    (document,) = read(example(temporal_relations={"BEFORE": [["m2", "m3"]], "SIMULTANEOUS": [["m1", "TIME_1"]]}))
    assert triples(document) == [("EVENT_1", "BEFORE", "EVENT_2"), ("EVENT_1", "SIMULTANEOUS", "TIME_1")]
    (circle,) = read(example(temporal_relations={"BEFORE": [["m1", "m3"], ["EVENT_2", "m2"]]}))
    assert tp.check(circle)[0].verdict.value == "inconsistent"


def test_predictions_name_what_they_like():
    (document,) = read({"id": "harbour", "coreference": [], "temporal_relations": {"BEFORE": [["m1", "m3"]]}})
    assert (document.entity_ids, triples(document)) == (("m1", "m3"), [("m1", "BEFORE", "m3")])


def test_every_label_of_the_corpus_is_known():
    labels = ("BEFORE", "OVERLAP", "CONTAINS", "SIMULTANEOUS", "ENDS-ON", "BEGINS-ON")
    (document,) = read(example(temporal_relations={label: [["EVENT_1", "EVENT_2"]] for label in labels}))
    assert [link.label for link in document.links] == list(labels)


def test_what_is_odd_is_counted_or_refused():
    pairs = [["EVENT_1"], "x", ["EVENT_1", "EVENT_9"], [None, "EVENT_1"]]
    (document,) = read(example(temporal_relations={"BEFORE": pairs, "SOON": [["EVENT_1", "EVENT_2"]]}))
    assert document.skipped_links == {"bad-link": 2, "dangling-id": 1, "missing-endpoint": 1, "unknown-label": 1}
    odd, none, good = read(
        example(temporal_relations=[]) | {"temporal_relations": [1]}, example(temporal_relations=None), example(id="d2")
    )
    assert "temporal_relations" in str(odd.error)
    assert (none.links, good.id) == ((), "d2")
    (document,) = read(example(tokens=[["The"]]))
    assert not any(each.spans for each in document.entities)


def test_recognition():
    assert recognise(Source("train.jsonl", EXAMPLE.encode())) == "maven"
    unlabelled = {key: value for key, value in example().items() if key != "temporal_relations"}
    assert recognise(Source("test.jsonl", json.dumps(unlabelled).encode())) == "maven"
    own = b'{"document": "d", "links": [], "temporal_relations": {}, "id": "x"}'
    assert recognise(Source("x.jsonl", own)) == "jsonl"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("m*/test.jsonl")), ids=lambda path: path.parent.name)
def test_a_naive_reader_agrees(path):
    documents = {each.id: each for each in read_source(Source(str(path)))}
    lines = {record["id"]: record for record in map(json.loads, path.read_text().splitlines())}
    for name, record in lines.items():
        expected = [(a, label, b) for label, pairs in record["temporal_relations"].items() for a, b in pairs]
        assert triples(documents[name]) == expected
