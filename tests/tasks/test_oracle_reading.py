"""Questions in Python read labels as the document does, like ``temporacle entails``."""

from __future__ import annotations

import json

import pytest

import temporacle as tp
from temporacle.errors import LabelError
from temporacle.readings import load_reading

MATRES = "d\tleft\tdocked\t1\t2\tBEFORE\nd\tdocked\twaited\t2\t4\tEQUAL\n"
DENSE = "d\te1\te2\tb\nd\te2\te3\ts\n"
OWN = 'name = "mine"\nextends = "timeml"\n[labels]\nEARLIER = "b|m|o"\n'


def document(tmp_path, name, text, **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return tp.read(path, **options)


@pytest.mark.parametrize(
    ("name", "text", "source", "label", "target"),
    [
        ("m.txt", MATRES, "ei1", "BEFORE", "ei2"),
        ("m.txt", MATRES, "ei4", "AFTER", "ei1"),  # no link says AFTER: the reading's own
        ("m.txt", MATRES, "ei2", "EQUAL", "ei4"),
        ("d.txt", DENSE, "e1", "b", "e3"),
        ("d.txt", DENSE, "e2", "s", "e3"),  # simultaneous, not "starts"
        ("d.txt", DENSE, "e3", "a", "e1"),
    ],
)
def test_a_label_means_what_it_means_in_the_document(tmp_path, name, text, source, label, target):
    oracle = tp.Oracle(document(tmp_path, name, text))
    assert oracle.entails(source, label, target) is tp.Verdict.ENTAILED
    assert oracle.certificate((source, label, target)).claim == "entailed"


def test_every_stated_link_is_entailed_under_its_own_label(tmp_path):
    found = document(tmp_path, "m.txt", MATRES)
    oracle = tp.Oracle(found)
    assert all(oracle.entails(link.source, link.label, link.target) is tp.Verdict.ENTAILED for link in found.links)


def test_during_means_what_was_chosen_at_reading(tmp_path):
    text = json.dumps({"document": "d", "links": [{"source": "a", "relation": "DURING", "target": "b"}]}) + "\n"
    found = document(tmp_path, "d.jsonl", text, during="is_included")
    assert tp.Oracle(found).entails("a", "DURING", "b") is tp.Verdict.ENTAILED
    assert tp.Oracle(found).strongest("a", "b") == tp.Relation.of("d")


def test_a_reading_of_ones_own_goes_with_the_document(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(OWN, encoding="utf-8")
    found = document(tmp_path, "d.tsv", "a\tEARLIER\tb\n", labels=str(own))
    oracle = tp.Oracle(found)
    assert oracle.entails("a", "EARLIER", "b") is tp.Verdict.ENTAILED
    assert oracle.entails("a", "b|m|o|s", "b") is tp.Verdict.ENTAILED
    assert oracle.entails("a", "INCLUDES", "b") is tp.Verdict.REFUTED
    with pytest.raises(LabelError, match="mine"):
        oracle.entails("a", "NONSENSE", "b")


def test_another_reading_can_be_chosen_for_questions(tmp_path):
    own = tmp_path / "mine.toml"
    own.write_text(OWN, encoding="utf-8")
    found = document(tmp_path, "d.tsv", "a\tBEFORE\tb\n")
    for reading in (str(own), load_reading(str(own))):
        assert tp.Oracle(found, labels=reading).entails("a", "EARLIER", "b") is tp.Verdict.ENTAILED
    with pytest.raises(LabelError, match="EARLIER"):
        tp.Oracle(found).entails("a", "EARLIER", "b")


def test_links_without_a_document_are_read_as_links_files_are():
    oracle = tp.Oracle([("a", "BEFORE", "b"), ("b", tp.Relation.of("b", "m"), "c")])
    assert oracle.entails("a", "BEFORE", "c") is tp.Verdict.ENTAILED
    assert oracle.entails("b", "IBEFORE|b", "c") is tp.Verdict.ENTAILED
