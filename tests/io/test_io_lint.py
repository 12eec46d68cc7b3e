"""What is said about links that are kept, and how their names are told apart."""

from hypothesis import given
from hypothesis import strategies as st

from temporacle.io.builder import remarks_about, with_unique_ids
from temporacle.model import Link
from temporacle.readings import load_reading
from temporacle.relation import EQUAL

LABELS = ("BEFORE", "AFTER", "SIMULTANEOUS", "INCLUDES", "OVERLAP", "VAGUE")


def link(number, source, label, target):
    return Link(f"l{number}", source, load_reading("timeml").relation(label), target, label, number)


def codes(*triples):
    return [(r.code, r.element) for r in remarks_about([link(n, *triple) for n, triple in enumerate(triples, 1)])]


def test_links_in_order_get_no_remark():
    assert codes(("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "AFTER", "c")) == []


def test_a_pair_in_both_directions_or_with_compatible_labels_is_no_matter():
    assert codes(("a", "BEFORE", "b"), ("b", "AFTER", "a")) == []
    assert codes(("a", "OVERLAP", "b"), ("a", "INCLUDES", "b"), ("b", "OVERLAP", "a")) == []


def test_duplicates_self_links_and_contradictions_are_named():
    assert codes(("a", "BEFORE", "b"), ("a", "BEFORE", "b")) == [("duplicate-link", "l2")]
    assert codes(("a", "VAGUE", "a")) == [("self-link", "l1")]
    assert codes(("a", "BEFORE", "a")) == [("self-contradiction", "l1")]
    assert codes(("a", "BEFORE", "b"), ("a", "INCLUDES", "b")) == [("contradictory-pair", "l2")]
    assert codes(("a", "BEFORE", "b"), ("b", "BEFORE", "a")) == [("contradictory-pair", "l2")]


triples = st.tuples(st.sampled_from("abc"), st.sampled_from(LABELS), st.sampled_from("abc"))


@given(st.lists(triples, max_size=8))
def test_against_a_naive_twin(statements):
    links = [link(number, *statement) for number, statement in enumerate(statements, 1)]
    expected = []
    for position, this in enumerate(links):
        before = links[:position]
        if this.source == this.target:
            expected.append(("self-link" if this.relation & EQUAL else "self-contradiction", this.id))
        if any(other[1:5] == this[1:5] for other in before):
            expected.append(("duplicate-link", this.id))
        elif this.source != this.target:
            said = [o.relation for o in before if (o.source, o.target) == (this.source, this.target)]
            said += [o.relation.converse() for o in before if (o.target, o.source) == (this.source, this.target)]
            left, all_of_it = this.relation, ~EQUAL | EQUAL
            for relation in said:
                left, all_of_it = left & relation, all_of_it & relation
            if all_of_it and not left:
                expected.append(("contradictory-pair", this.id))
    assert [(remark.code, remark.element) for remark in remarks_about(links)] == expected


@given(st.lists(st.tuples(st.sampled_from(["l1", "l1@1", "l2", "line1"]), st.sampled_from([None, 1, 2])), max_size=8))
def test_names_become_unique_and_first_ones_stay(named):
    links = [Link(name, "a", EQUAL, "b", line=line) for name, line in named]
    unique = with_unique_ids(links)
    assert len({link.id for link in unique}) == len(links)
    assert [link[1:] for link in unique] == [link[1:] for link in links]
    for position, link_ in enumerate(links):
        if link_.id not in {other.id for other in links[:position]}:
            assert unique[position].id == link_.id
