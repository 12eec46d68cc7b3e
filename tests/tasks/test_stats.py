"""Figures of a corpus, counted again in the simplest way."""

import random
from itertools import combinations

import pytest

import temporacle as tp

LABELS = ["BEFORE", "AFTER", "IBEFORE", "INCLUDES", "SIMULTANEOUS", "b|bi", "b|m|o", "o|oi|di"]
NAMES = "abcd"


def consistent(links):
    return tp.check(links, engine="enumeration", explain=False)[0].verdict == "consistent"


def fewest_to_remove(links):
    """Return the size of a smallest set without which the rest is consistent, by trying all sets."""
    for size in range(len(links) + 1):
        if any(consistent([links[i] for i in kept]) for kept in combinations(range(len(links)), len(links) - size)):
            return size
    raise AssertionError


@pytest.mark.parametrize("seed", range(40))
def test_the_figures_are_those_of_the_definitions(seed):
    chance = random.Random(seed)
    pairs = [chance.sample(NAMES, 2) for _ in range(chance.randint(1, 6))]
    links = [(source, chance.choice(LABELS), target) for source, target in pairs]
    found = tp.stats(links)[0]
    figures = found.figures
    assert figures.links == len(links)
    assert figures.labels["BEFORE"] == sum(label == "BEFORE" for _, label, _ in links)
    if not consistent(links):
        assert found.verdict == "inconsistent"
        assert figures.conflicts == fewest_to_remove(links)
        assert (figures.pairs, figures.decided, figures.redundant) == (0, 0, 0)
        assert 0 < figures.conflict_labels.total() <= len(links)
        return
    relations = [relation for _, relation, _ in tp.closure(links, engine="enumeration", all=True)[0].pairs()]
    assert figures.pairs == len(relations)
    assert figures.decided == sum(len(relation.atoms) == 1 for relation in relations)
    assert figures.known == sum(len(relation.atoms) < 13 for relation in relations)
    assert figures.stated == len({frozenset((source, target)) for source, _, target in links})
    assert figures.redundant == sum(follows(links, place) for place in range(len(links)))
    assert figures.conflicts == 0


def follows(links, place):
    """Return whether a link follows from the others: the others with its negation are inconsistent."""
    source, label, target = links[place]
    negated = ~tp.Oracle([("x", label, "y")]).relation(label)
    return not consistent([*links[:place], *links[place + 1 :], (source, negated, target)])


def test_inconsistent_documents_do_not_count_in_shares():
    good = tp.Document("good", [("a", "BEFORE", "b"), ("b", "b|m", "c")])
    bad = tp.Document("bad", [("a", "BEFORE", "b"), ("b", "BEFORE", "a")])
    found = tp.stats([good, bad])
    total = found.total.figures
    assert (total.links, total.pairs, total.decided, total.known, total.conflicts) == (4, 3, 2, 3, 1)
    assert total.conflict_labels == {"BEFORE": 2}
    assert repr(found).endswith("66.67 % of pairs decided, 100.00 % known (left out: 1 inconsistent))")
    assert found.to_dict()[-1]["total"]["verdicts"] == {"consistent": 1, "inconsistent": 1}
    assert list(found.to_frame()["pairs"].fillna(0)) == [3, 0]
    assert "bad" in found._repr_html_()


def test_links_with_the_same_id_are_counted_one_by_one():
    link = tp.Document("d", [("a", "BEFORE", "b")]).links[0]
    assert tp.stats(tp.Document("d", (link, link)))[0].figures.redundant == 2


def test_a_time_limit_leaves_the_counts_of_links():
    chance = random.Random(2)
    names = [f"e{i}" for i in range(40)]
    links = [(*chance.sample(names, 2), "b|bi|m") for _ in range(200)]
    found = tp.stats([(source, label, target) for source, target, label in links], time_limit=0)
    assert found[0].verdict == "undecided"
    assert found[0].figures.links == 200
    assert found.total.figures.pairs == 0
