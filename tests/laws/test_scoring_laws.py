"""What must hold for every metric, whatever the documents: laws over random links of every class."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from naive import relations_of
from scoring.sides import has_option

from temporacle.errors import UsageError
from temporacle.model import Document, Link
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation
from temporacle.scoring.alignment import known_ids, used_ids
from temporacle.scoring.metric import METRICS
from temporacle.tasks import score as task

NAMES = ("a", "b", "c", "d", "e")
RELATIONS = st.one_of(
    st.sampled_from(relations_of("atomic")),
    st.sampled_from(relations_of("atomic")),
    st.sampled_from(relations_of("convex")),
    st.sampled_from(relations_of("convex")),
    st.integers(1, (1 << 13) - 1).map(Relation),
)
VARIANTS = [
    pytest.param(name, {"relaxed": True} if relaxed else {}, id=f"{name}-relaxed" if relaxed else name)
    for name in METRICS
    if name != "pairs"  # knows the labels of its conventions only: its laws are in test_pairs_laws
    for relaxed in ((False, True) if has_option(name, "relaxed") else (False,))
]
# A third of the usual number each: there are many metrics, and some links need a solver.
thrifty = settings(max_examples=settings.default.max_examples // 3)
every_metric = pytest.mark.parametrize(("metric", "options"), VARIANTS)


@st.composite
def documents(draw, name="d", *, consistent=False, most=7):
    """A document of a few links; with ``consistent`` one link a pair, none of them contradictory."""
    triples = draw(st.lists(st.tuples(st.sampled_from(NAMES), RELATIONS, st.sampled_from(NAMES)), max_size=most))
    if consistent:
        triples = list({frozenset((s, t)): (s, r, t) for s, r, t in triples if s != t}.values())
        assume(Oracle(triples).is_consistent())
    links = tuple(
        Link(f"l{k}", source, relation, target, label=str(relation), task="order")
        for k, (source, relation, target) in enumerate(triples)
    )
    return Document(name, links)


def score(gold, system, **options):
    """The score of two sides that have to do with each other: others are refused, and no case for these laws."""
    sides = [{each.id: each for each in ([side] if isinstance(side, Document) else side)} for side in (gold, system)]
    pairs = [(known_ids(each), used_ids(sides[1][name])) for name, each in sides[0].items() if name in sides[1]]
    try:
        return task.score(gold, system, **options)
    except UsageError:
        if any(known & used for known, used in pairs):
            raise
        reject()


def from_the_other_end(link):
    relation = link.relation.converse()
    return link._replace(source=link.target, relation=relation, target=link.source, label=str(relation))


def figures(found):
    return found.precision, found.recall, found.f1


@every_metric
@thrifty
@given(document=documents())
def test_a_document_agrees_with_itself(metric, options, document):
    found = score(document, document, metric=metric, empty=1, **options)
    assert figures(found) == (1, 1, 1)


@every_metric
@thrifty
@given(gold=documents(), system=documents())
def test_scores_are_shares(metric, options, gold, system):
    found = score(gold, system, metric=metric, **options)
    assert all(isinstance(value, Fraction) and 0 <= value <= 1 for value in figures(found))


@every_metric
@thrifty
@given(gold=documents(), system=documents())
def test_swapping_the_sides_swaps_precision_and_recall(metric, options, gold, system):
    there = score(gold, system, metric=metric, **options)
    back = score(system, gold, metric=metric, **options)
    if metric == "reduction":  # minor edges count for recall only
        assert there.precision == back.counts.major_recall(0)
        assert there.counts.major_recall(0) == back.precision
    else:
        assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)


@every_metric
@thrifty
@given(gold=documents(), system=documents(), names=st.permutations(("zeta", "a", "q", "b", "mu")))
def test_names_of_entities_do_not_matter(metric, options, gold, system, names):
    new = dict(zip(NAMES, names, strict=True))

    def renamed(document):
        links = (link._replace(source=new[link.source], target=new[link.target]) for link in document.links)
        return replace(document, links=tuple(links))

    expected = score(gold, system, metric=metric, **options)
    assert score(renamed(gold), renamed(system), metric=metric, **options).counts == expected.counts


@every_metric
@thrifty
@given(gold=documents(consistent=True), system=documents(consistent=True), turned=st.lists(st.booleans(), min_size=14))
def test_a_link_means_the_same_from_either_end(metric, options, gold, system, turned):
    def with_turned(document, which):
        links = (
            link._replace(
                source=link.target,
                relation=link.relation.converse(),
                target=link.source,
                label=str(link.relation.converse()),
            )
            if turn
            else link
            for link, turn in zip(document.links, which, strict=False)
        )
        return replace(document, links=tuple(links))

    expected = score(gold, system, metric=metric, **options)
    other = score(with_turned(gold, turned[:7]), with_turned(system, turned[7:]), metric=metric, **options)
    assert other.counts == expected.counts


@every_metric
@thrifty
@given(
    golds=st.lists(documents(most=4), min_size=1, max_size=3),
    systems=st.lists(documents(most=4), min_size=3, max_size=3),
    order=st.permutations(range(3)),
    average=st.sampled_from(("micro", "macro")),
)
def test_the_order_of_documents_does_not_matter(metric, options, golds, systems, order, average):
    golds = [replace(document, id=f"d{k}") for k, document in enumerate(golds)]
    systems = [replace(document, id=f"d{k}") for k, document in enumerate(systems)]
    expected = score(golds, systems, metric=metric, average=average, **options)
    shuffled = score(golds[::-1], [systems[k] for k in order], metric=metric, average=average, **options)
    assert (figures(shuffled), shuffled.counts) == (figures(expected), expected.counts)


@pytest.mark.parametrize("metric", ["closure", "core", "reduction"])
@thrifty
@given(gold=documents(consistent=True), system=documents(consistent=True), data=st.data())
def test_the_order_of_links_matters_to_awareness_only(metric, gold, system, data):
    shuffled = replace(system, links=tuple(data.draw(st.permutations(system.links))))
    assert score(gold, shuffled, metric=metric).counts == score(gold, system, metric=metric).counts


@thrifty
@given(gold=documents(), system=documents(), data=st.data())
def test_with_a_repair_the_order_of_links_does_not_decide_what_is_set_aside(gold, system, data):
    expected = score(gold, system, contradictions="repair").counts
    shuffled = replace(gold, links=tuple(data.draw(st.permutations(gold.links))))
    found = score(shuffled, system, contradictions="repair").counts
    assert found.gold_set_aside == expected.gold_set_aside <= score(gold, system).counts.gold_set_aside


@thrifty
@given(gold=documents(), system=documents())
def test_counts_of_documents_add_up(gold, system):
    one, two = replace(gold, id="one"), replace(gold, id="two")
    both = score([one, two], [replace(system, id="one"), replace(system, id="two")])
    single = score(gold, system)
    assert both.counts == single.counts + single.counts
    assert figures(both) == figures(single)
