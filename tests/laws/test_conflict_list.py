"""The conflicts of a document are one list: laws of ``check`` on random documents, judged by fresh oracles."""

from random import Random

import pytest
from naive import network_of, random_network

from temporacle.model import Document
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle

KINDS = [("convex", 7, 40), ("arbitrary", 6, 25)]


def fits(links):
    return Oracle(Network(links)).is_consistent()


def wrong_documents(kind, size, count):
    rng = Random(f"conflict list {kind}")
    entities = [f"e{k}" for k in range(size)]
    for _ in range(count):
        links = network_of(random_network(rng, entities, kind, 0.9), entities).links
        if not fits(links):
            yield rng, Document("d", links)


def is_minimal(conflict):
    return not fits(conflict) and all(fits([x for x in conflict if x is not link]) for link in conflict)


@pytest.mark.parametrize(("kind", "size", "count"), KINDS)
def test_one_minimal_conflict_for_each_removed_link(kind, size, count):
    several = 0
    for _, document in wrong_documents(kind, size, count):
        found = check_document(document)
        assert found.repair_status == "optimal"
        assert len(found.conflicts) == len(found.chains) == len(found.to_drop)
        assert fits([link for link in document.links if link not in found.to_drop])
        for dropped, conflict in zip(found.to_drop, found.conflicts, strict=True):
            assert is_minimal(conflict)
            assert [link for link in conflict if link in found.to_drop] == [dropped]
        assert is_minimal(found.conflict)
        several += len(found.conflicts) > 1
    assert several > 5


@pytest.mark.parametrize(("kind", "size", "count"), KINDS)
def test_the_order_of_links_does_not_matter(kind, size, count):
    for rng, document in wrong_documents(kind, size, count):
        links = list(document.links)
        rng.shuffle(links)
        first = check_document(document, CheckOptions(repair=True, certificate=True))
        other = check_document(Document("d", links), CheckOptions(repair=True, certificate=True))
        assert other.to_drop == first.to_drop
        assert other.alternatives == first.alternatives
        assert list(map(set, other.conflicts)) == list(map(set, first.conflicts))
        assert (other.repair_certificate is None) == (first.repair_certificate is None)
        assert [remark.code for remark in other.remarks] == [remark.code for remark in first.remarks]


@pytest.mark.parametrize(("kind", "size", "count"), KINDS)
def test_what_would_also_do_does(kind, size, count):
    said = 0
    for _, document in wrong_documents(kind, size, count):
        found = check_document(document)
        for dropped, others in found.alternatives.items():
            for other in others:
                gone = {link.id for link in found.to_drop} - {dropped} | {other}
                assert fits([link for link in document.links if link.id not in gone])
                said += 1
    assert said > 20


@pytest.mark.parametrize(("kind", "size", "count"), [("convex", 5, 25), ("arbitrary", 5, 25)])
def test_the_list_is_among_all_conflicts(kind, size, count):
    for _, document in wrong_documents(kind, size, count):
        found = check_document(document, CheckOptions(all_conflicts=None))
        every = set(map(frozenset, found.all_conflicts))
        assert len(every) == len(found.all_conflicts)
        assert {frozenset(conflict) for conflict in (found.conflict, *found.conflicts)} <= every
        if kind == "convex":
            assert len(found.conflict) == min(map(len, every))
