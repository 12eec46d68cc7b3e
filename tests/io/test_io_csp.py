"""Constraint networks in the format of GQR: what is read, what is refused, and what is written reads back."""

from itertools import product
from random import Random

import pytest

from temporacle.errors import InputError
from temporacle.io import read_source
from temporacle.io.recognise import recognise
from temporacle.io.source import Source
from temporacle.io.writers import WRITERS, write
from temporacle.model import Document, Link, Unreadable
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EVERYTHING, NOTHING, Relation

TWO = """2 #1-first
 0  1 ( < m fi )
 1  2 ( > = mi oi si di f d s o )
.

3 #second one
.
"""


def networks(text, name="nets.csp"):
    return list(read_source(Source(name, text.encode())))


def test_networks_are_read():
    first, second = networks(TWO)
    assert (first.id, first.entity_ids, first.format) == ("1-first", ("0", "1", "2"), "csp")
    assert [(link.source, str(link.relation), link.target, link.line) for link in first.links] == [
        ("0", "b|m|fi", "1", 2),
        ("1", "o|di|s|=|si|d|f|oi|mi|bi", "2", 3),
    ]
    assert (second.id, second.entity_ids, second.links) == ("second one", ("0", "1", "2", "3"), ())
    assert [entity.id for entity in second.entities] == ["0", "1", "2", "3"]
    assert first.remarks == second.remarks == ()


@pytest.mark.parametrize("name", ["nets.csp", "nets.txt", "anything"])
def test_they_are_recognised_by_content(name):
    for text in (TWO, "4\n.\n", "1 # a\n 0 1 ( = )\n.\n", "1 #a\r\n 0 1 ( = )\r\n.\r\n"):
        assert recognise(Source(name, text.encode())) == "csp"


def test_names():
    assert [each.id for each in networks("1\n0 1 ( < )\n.\n")] == ["nets"]
    assert [each.id for each in networks("1\n0 1 ( < )\n.\n1 #a\n.\n1\n.\n", "x/some.csp.gz")] == [
        "some-1",
        "a",
        "some-3",
    ]


def test_a_relation_without_atoms_is_a_contradiction():
    (document,) = networks("1 #a\n 0 1 ( )\n.\n")
    assert document.links[0].relation == NOTHING
    assert not Oracle(document).is_consistent()


def test_an_end_that_is_missing():
    (document,) = networks("1 #a\n 0 1 ( < )\n")
    assert [remark.code for remark in document.remarks] == ["no-end"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("0 1 ( before )", "unknown atom 'before' .atoms: <"),
        ("0 1 < m", "not a constraint"),
        ("0 9 ( < )", "entity 9 is larger than the number 2"),
        ("-1 1 ( < )", "not a constraint"),
        ("0 1", "not a constraint"),
    ],
)
def test_a_bad_network_does_not_spoil_the_others(line, reason):
    bad, good = networks(f"2 #bad\n 0 1 ( < )\n{line}\n.\n1 #good\n.\n")
    assert isinstance(bad, Unreadable)
    assert bad.id == "bad"
    with pytest.raises(InputError, match=f"nets.csp:3: .*{reason}"):
        raise bad.error
    assert isinstance(good, Document)


def test_what_is_no_header():
    first, second = networks("1 #a\n.\n 0 1 ( < )\n.\n")
    assert first.id == "a"
    assert isinstance(second, Unreadable)
    (large,) = networks("999999999 #a\n.\n")
    assert isinstance(large, Unreadable)
    assert [type(each) for each in networks("1 #a\n.\n.\n")] == [Document, Unreadable]


def test_what_is_written_reads_back(tmp_path):
    rng = Random("csp")
    documents = []
    for number in range(30):
        size = rng.randint(1, 6)
        names = [str(k) for k in range(size)]
        links = tuple(
            Link(str(k), rng.choice(names), Relation(rng.randrange(1, 8192)), rng.choice(names))
            for k in range(rng.randint(0, 9))
        )
        links = tuple(link for link in links if link.source != link.target or "=" in link.relation.atoms)
        documents.append(Document(f"d{number}", links, tuple(names)))
    path = tmp_path / "nets.csp"
    said = []
    assert write(documents, path, "csp", said.append) == 30
    assert said == []
    again = list(read_source(Source(str(path))))
    for before, after in zip(documents, again, strict=True):
        assert (after.id, after.entity_ids) == (before.id, before.entity_ids)
        tables = [Oracle(each).minimal_network() for each in (before, after)]
        if tables[0] is None:
            assert tables[1] is None
        else:
            for source, target in product(before.entity_ids, repeat=2):
                assert tables[0].relation(source, target) == tables[1].relation(source, target)


def test_what_the_format_cannot_hold():
    said = []
    text = WRITERS["csp"].text(
        Document(
            "a b\nc", (Link("1", "x", Relation.of("b"), "y", weight=2), Link("2", "y", EVERYTHING, "x")), ("y", "x")
        ),
        said.append,
    )
    assert text == "1 #a b c\n 0 1 ( > )\n.\n"
    assert [remark.code for remark in said] == ["renamed-entities", "no-weights"]
    with pytest.raises(InputError, match="contradicts itself"):
        WRITERS["csp"].text(Document("d", (Link("1", "x", Relation.of("b"), "x"),), ("x",)), said.append)
    with pytest.raises(InputError, match="no entities"):
        WRITERS["csp"].text(Document("d"), said.append)
