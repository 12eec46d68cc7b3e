"""Small, sharp tests: each of them kills mutants of the scorers that the other tests let live. Worked out by hand."""

from collections import Counter
from fractions import Fraction

from sides import document

from temporacle.model import Body, Document, Entity, Kind, Link
from temporacle.relation import Relation
from temporacle.results import MatchCounts, Unmatched
from temporacle.scoring.agreement import Kappa, kappa, stated_ratings
from temporacle.scoring.metric import Average, Judgement, PairOptions, metric_named
from temporacle.scoring.reduction import ReductionCounts
from temporacle.scoring.tally import Tally, document_score
from temporacle.scoring.tempeval1 import TempEval1Options, answers, judge


def test_kappa_by_hand():
    labels = Counter({(1, 1): 40, (1, 2): 10, (2, 1): 20, (2, 2): 30, (4, 1): 100})  # of half pairs
    agreed, chance = Fraction(35, 100), Fraction(25 * 80 + 25 * 20, 100**2)
    assert kappa(labels) == Kappa(100, agreed, chance, (agreed - chance) / (1 - chance))
    assert kappa(Counter()) == Kappa(0, None, None, None)
    assert kappa(Counter({(1, 1): 6})) == Kappa(3, Fraction(1), Fraction(1), None)
    first = document([("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    second = document([("b", "AFTER", "a"), ("b", "AFTER", "c"), ("x", "BEFORE", "y")])
    both = Counter({(1, 1): 1, (4096, 4096): 1, (1, 4096): 1, (4096, 1): 1, (None, 1): 1, (None, 4096): 1})
    assert stated_ratings([first, second]) == both  # half a pair in each direction


def scored(name, counts, group, confusion):
    judgement = Judgement(counts, {"kind": {group: counts}}, Counter(confusion), ("odd",))
    return document_score(judgement, metric="m", empty=1, document=name, unmatched=Unmatched(("g",)), warnings=("w",))


ONE = scored("one", MatchCounts(1, 2, 1, 4), "x", {("A", "A"): 1})
TWO = scored("two", MatchCounts(3, 3, 0, 0), "x", {("A", "A"): 2, ("A", "B"): 1})
THREE = scored("three", MatchCounts(0, 0, 1, 2), "a", {})


def test_the_score_of_a_document():
    assert (ONE.metric, ONE.document) == ("m", "one")
    assert (ONE.precision, ONE.recall, ONE.f1) == (Fraction(1, 2), Fraction(1, 4), Fraction(1, 3))
    assert (TWO.precision, TWO.recall) == (1, 1)
    assert ONE.breakdown == {"kind": {"x": MatchCounts(1, 2, 1, 4)}}
    assert ONE.confused == {("A", "A"): 1}
    assert ONE.unmatched == Unmatched(("g",))
    assert ONE.warnings == ("w", "odd")


def totalled(average, documents=(ONE, TWO, THREE)):
    tally = Tally(metric_named("closure"), 1, average)
    for each in documents:
        tally.add(each)
    return tally.total()


def test_the_score_of_many():
    micro, macro = totalled(Average.MICRO), totalled(Average.MACRO)
    for total in (micro, macro):
        assert (total.metric, total.scored, total.document) == ("closure", 3, None)
        assert total.counts == MatchCounts(4, 5, 2, 6)
        assert total.confused == {("A", "A"): 3, ("A", "B"): 1}
        assert total.breakdown == {"kind": {"a": MatchCounts(0, 0, 1, 2), "x": MatchCounts(4, 5, 1, 4)}}
        assert list(total.breakdown["kind"]) == ["a", "x"]
    assert (micro.precision, micro.recall, micro.f1) == (Fraction(4, 5), Fraction(1, 3), Fraction(8, 17))
    assert macro.precision == (Fraction(1, 2) + 1 + 1) / 3
    assert macro.recall == (Fraction(1, 4) + 1 + Fraction(1, 2)) / 3
    assert macro.f1 == (Fraction(1, 3) + 1 + Fraction(2, 3)) / 3
    for average in Average:
        nothing = totalled(average, ())  # not 1, though 0/0 is 1 here: no document was right
        assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def side(*links):
    return Document(
        "d",
        tuple(Link(str(k), x, Relation.of(*r), y, label, task=task) for k, (x, r, y, label, task) in enumerate(links)),
    )


EVERY = Relation((1 << 13) - 1).atoms
GOLD = side(
    ("a", ("b", "m"), "b", "BEFORE", "A"),
    ("b", ("b", "m"), "c", "BEFORE", "A"),
    ("c", EVERY, "d", "VAGUE", "B"),
    ("d", ("b", "m"), "e", "BEFORE", None),
    ("p", ("b", "m"), "q", "BEFORE", "A"),
)
SYSTEM = side(
    ("b", ("bi", "mi"), "a", "AFTER", "B"),
    ("b", ("bi", "mi"), "c", "AFTER", "A"),
    ("c", ("b", "m"), "d", "BEFORE", "B"),
    ("x", ("b", "m"), "y", "BEFORE", "C"),
    ("p", ("bi", "mi"), "q", "AFTER", "A"),
)


def test_tempeval1_by_hand():
    found = judge(GOLD, SYSTEM, TempEval1Options(details=True))
    assert found.counts == MatchCounts(1, 5, 1, 5)
    assert found.breakdown["task"] == {
        "A": MatchCounts(1, 3, 1, 3),
        "B": MatchCounts(0, 1, 0, 1),
        "C": MatchCounts(0, 1, 0, 0),
        "none": MatchCounts(0, 0, 0, 1),
    }
    assert list(found.breakdown["task"]) == ["A", "B", "C", "none"]
    assert found.breakdown["label"] == {
        "AFTER": MatchCounts(0, 2),
        "BEFORE": MatchCounts(1, 3, 1, 4),
        "VAGUE": MatchCounts(0, 0, 0, 1),
    }
    assert list(found.breakdown["label"]) == ["AFTER", "BEFORE", "VAGUE"]
    assert found.confusion == {
        ("BEFORE", "BEFORE"): 1,
        ("BEFORE", "AFTER"): 2,
        ("VAGUE", "BEFORE"): 1,
        ("BEFORE", "(no answer)"): 1,
        ("(no answer)", "BEFORE"): 1,
    }
    assert list(judge(GOLD, SYSTEM, TempEval1Options()).breakdown) == ["task"]
    relaxed = judge(GOLD, SYSTEM, TempEval1Options(relaxed=True)).counts
    assert relaxed.recall_matched == 1 + Fraction("0.33")


def test_relaxed_credit_for_relations_outside_the_table():
    same = side(("a", ("m",), "b", "m", "A"))
    other = side(("a", ("o",), "b", "o", "A"))
    assert judge(same, same, TempEval1Options(relaxed=True)).counts == MatchCounts(1, 1, 1, 1)
    assert judge(same, other, TempEval1Options(relaxed=True)).counts == MatchCounts(0, 1, 0, 1)


def test_answers_about_one_entity_keep_their_direction():
    (answer,) = answers(side(("a", ("b", "m"), "a", "b|m", None))).values()
    assert answer == (3, "none")


def test_ratios_of_reductions_over_nothing():
    nothing = ReductionCounts(0, 0, 0, 0, 0, 0, 0, 0, 0)
    for empty in (0, 1):
        assert nothing.precision(empty) == empty
        assert nothing.major_recall(empty) == empty
        assert nothing.recall(empty) == empty
    assert nothing.minor_recall() == 0


def test_reductions_say_which_side_is_in_trouble_and_keep_to_the_budget():
    import pytest

    from temporacle.errors import BudgetExceeded

    reduction = metric_named("reduction")
    hard = document([("a", "b|bi", "b"), ("b", "b|bi", "c")])
    plain = document([("a", "BEFORE", "b")])
    for gold, system in ((hard, plain), (plain, hard)):
        with pytest.raises(BudgetExceeded):
            reduction.judge(gold, system, PairOptions(budget=-1))


def test_reductions_name_the_side_with_mere_differences():
    different = document([("a", Relation.of("b", "bi", "o", "oi", "d", "di", "m", "mi", "f", "fi"), "b")])
    plain = document([("a", "BEFORE", "b")])
    judged = metric_named("reduction").judge
    (gold,) = judged(different, plain, PairOptions()).warnings
    (system,) = judged(plain, different, PairOptions()).warnings
    assert gold.message.startswith("gold: 1 pair of endpoints")
    assert system.message.startswith("system: 1 pair of endpoints")


def test_confusions_know_who_mentions_what():
    links = document([("a", "BEFORE", "b"), ("p", "BEFORE", "q"), ("r", "AFTER", "s")]).links
    kinds = {"a": Kind.EVENT, "b": Kind.EVENT, "p": Kind.EVENT, "q": Kind.TIME}  # cases of one name, yet different
    gold = Document("d", links, body=Body(tuple(Entity(name, kind) for name, kind in kinds.items())))
    system = document([("a", "AFTER", "b"), ("p", "AFTER", "q"), ("x", "BEFORE", "y")])
    found = metric_named("closure").judge(gold, system, PairOptions(details=True)).confusion
    assert found == {
        ("BEFORE", "AFTER"): 2,
        ("AFTER", "(unknown entity)"): 1,
        ("(unknown entity)", "BEFORE"): 1,
    }
