"""What is said about links in words: labels of endpoints, and links of an entity with itself."""

from temporacle.model import Link
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.reasoner.network import Network, point_labels
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation


def test_labels_of_endpoints():
    table = Oracle(Network([Link("1", "a", Relation.of("b", "m"), "b")], ("a", "b", "c"))).minimal_network()
    known = [
        ("a.start", "<", "a.end"),
        ("a.start", "<", "b.start"),
        ("a.start", "<", "b.end"),
        ("a.end", "<=", "b.start"),
        ("a.end", "<", "b.end"),
        ("b.start", "<", "b.end"),
        ("c.start", "<", "c.end"),
    ]
    assert list(point_labels(table)) == known
    everything = list(point_labels(table, universal=True))
    assert [row for row in everything if row[1] != "?"] == known
    assert {row for row in everything if row[1] == "?"} == {
        (f"{x}.{end}", "?", f"c.{other}") for x in "ab" for end in ("start", "end") for other in ("start", "end")
    }


def test_an_entity_before_itself_in_words():
    (sentence, *_, last) = explain([Link("7", "x", Relation.of("b"), "x", "BEFORE", line=3)])
    assert "BEFORE with itself (7, line 3)" in sentence
    assert last.startswith("so x would")
