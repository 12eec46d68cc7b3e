"""Why pairs lost their best label: reasons of tiny documents, by hand and against every smaller set of links."""

from itertools import combinations
from random import Random

import pytest
from decode_twin import document_of, random_document

from temporacle.reasoner.decode.conflicts import smallest_conflicts
from temporacle.reasoner.decode.decode import Impossible, decode_document
from temporacle.reasoner.decode.ranked import Part, RankedPair
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Budget, Network
from temporacle.scored import Objective


def document(pairs, links=()):
    """Pairs such as ("a", "b", {"o": 0.5, "m": 0.4}), and hard links."""
    record = {
        "document": "d",
        "pairs": [{"source": source, "target": target, "scores": scores} for source, target, scores in pairs],
        "links": [{"source": source, "relation": relation, "target": target} for source, relation, target in links],
    }
    return document_of(record, "allen")


def reasons(pairs, links=()):
    """For each pair that lost its best label, the conflict: ids and labels."""
    found = decode_document(document(pairs, links), Objective.PROB, Budget())
    return {change.pair: [(link.id, link.label) for link in change.because] for change in found.changes}


def test_a_label_that_the_argmax_contradicts():
    pairs = [("a", "b", {"b": 0.9}), ("b", "c", {"b": 0.9}), ("c", "a", {"b": 0.5, "bi": 0.4})]
    assert reasons(pairs) == {2: [("p3", "b"), ("p1", "b"), ("p2", "b")]}


def test_labels_that_others_got_instead_belong_to_the_reason():
    """The first pair may not be before, and becomes meets; that excludes overlaps for the second pair."""
    pairs = [("b", "c", {"b": 0.5, "m": 0.4, "o": 0.01}), ("b", "d", {"o": 0.5, "m": 0.45})]
    found = reasons(pairs, [("b", "m|o", "c"), ("c", "=", "d")])
    assert found == {0: [("p1", "b"), ("h1", "m|o")], 1: [("p2", "o"), ("p1", "m"), ("h2", "=")]}


def test_the_same_with_a_disjunction():
    """A label is never explained by the other label that its own pair got."""
    pairs = [("b", "c", {"b": 0.5, "m": 0.4, "oi": 0.01}), ("b", "d", {"oi": 0.5, "m": 0.45})]
    found = reasons(pairs, [("b", "m|oi", "c"), ("c", "=", "d")])
    assert found[0] == [("p1", "b"), ("h1", "m|oi")]
    assert sorted(found[1]) == [("h2", "="), ("p1", "m"), ("p2", "oi")]


def test_a_pair_of_one_entity_contradicts_itself():
    for label in ("b", "b|bi"):
        assert reasons([("a", "a", {label: 0.9, "=": 0.1})]) == {0: [("p1", label)]}


def test_the_fewest_links_are_named():
    """Two ways round: one link, or two."""
    pairs = [("a", "b", {"b": 0.5, "bi": 0.4})]
    links = [("b", "b", "c"), ("c", "b", "a"), ("b", "b|m|o", "a")]
    assert reasons(pairs, links) == {0: [("p1", "b"), ("h3", "b|m|o")]}
    assert reasons(pairs, links[:2]) == {0: [("p1", "b"), ("h1", "b"), ("h2", "b")]}


@pytest.mark.parametrize("ends", ["b|m|o|s|d", "b|m|o|fi|di"])
def test_the_fewest_links_are_named_whichever_endpoints_they_are_about(ends):
    """A label of two equalities: one of them is refuted by one link, both by two."""
    found = reasons([("a", "b", {"=": 0.5, "b": 0.4})], [("a", "b", "c"), ("c", "b", "b"), ("a", ends, "b")])
    assert found == {0: [("p1", "="), ("h3", ends)]}


def test_labels_that_were_kept_are_named_before_those_that_others_got():
    """Both pairs lost the same label. Each is explained by the hard links, not by the label of the other pair."""
    pairs = [("a", "b", {"b": 0.5, "bi": 0.4}), ("a", "b", {"b": 0.5, "bi": 0.4})]
    found = reasons(pairs, [("b", "b", "c"), ("c", "b", "a")])
    assert found == {number: [(f"p{number + 1}", "b"), ("h1", "b"), ("h2", "b")] for number in (0, 1)}


@pytest.mark.parametrize(("best", "hard"), [("o", "b|bi"), ("b|bi", "o")])
def test_disjunctions_are_more_than_the_relations_around_them(best, hard):
    found = reasons([("a", "c", {best: 0.5, hard: 0.4})], [("a", hard, "c")])
    assert {number: sorted(each) for number, each in found.items()} == {0: [("h1", hard), ("p1", best)]}


def ranked(pairs, links=()):
    given = document(pairs, links)
    return [RankedPair.of(pair, Objective.PROB) for pair in given.pairs], given.links


def test_a_label_that_would_fit_has_no_reason():
    """In a labelling that is not the best one: with convex labels, and with a disjunction."""
    for label in ("b", "b|bi"):
        pairs, hard = ranked([("a", "b", {label: 0.9, "m": 0.1}), ("b", "c", {"b": 0.9})])
        assert smallest_conflicts(Part((0, 1), ()), pairs, hard, {0: 1, 1: 0}, Budget()) == {0: ()}
        assert smallest_conflicts(Part((0, 1), ()), pairs, hard, {0: 0, 1: 0}, Budget()) == {}


def test_a_reason_that_is_not_found_in_time_is_empty():
    pairs, hard = ranked([("a", "b", {"b|bi": 0.9, "m": 0.1})], [("a", "m|mi", "b"), ("b", "b", "c")])
    part = Part((0,), (0, 1))
    assert smallest_conflicts(part, pairs, hard, {0: 1}, Budget(-1)) == {0: ()}
    assert [link.id for link in smallest_conflicts(part, pairs, hard, {0: 1}, Budget())[0]] == ["p1", "h1"]


@pytest.mark.parametrize("seed", range(10))
def test_reasons_are_conflicts_with_links_of_others(seed):
    rng = Random(f"reasons {seed}")
    for _ in range(6):
        given = random_document(rng, ties=False)
        found = decode_document(given, Objective.PROB, Budget())
        for change in () if isinstance(found, Impossible) else found.changes:
            best = found.pairs[change.pair].link(0)
            assert best in change.because
            allowed = [*given.links, *(link for k, link in enumerate(found.links()) if k != change.pair)]
            assert all(each in allowed for each in change.because if each != best)
            assert not is_consistent(Network(change.because), Budget())
            for fewer in combinations(change.because, len(change.because) - 1):
                assert is_consistent(Network(fewer), Budget())
