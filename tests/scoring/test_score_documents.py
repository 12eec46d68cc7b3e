"""``tp.score`` over documents and corpora: what it accepts, and what happens to what cannot be scored."""

import pytest
from scoring.sides import has_option

import temporacle as tp
from temporacle.errors import InputError, UsageError
from temporacle.model import Document, Unreadable
from temporacle.reasoner.network import Network
from temporacle.scoring.metric import METRICS

A = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
CYCLE = [*A, ("c", "BEFORE", "a")]


def document(name, links=A):
    return Document(name, Network.of(links).links)


def test_documents_lists_of_documents_and_triples():
    assert tp.score(A, A).f1 == 1
    assert tp.score(document("one"), document("two")).f1 == 1
    assert tp.score([document("x"), document("y")], iter([document("y"), document("x")])).f1 == 1
    assert tp.score(document("one"), A).f1 == 1


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("empty", [0, 1])
def test_nothing_against_nothing_is_what_was_chosen(metric, empty):
    found = tp.score([], [], metric=metric, empty=empty)
    assert (found.precision, found.recall) == (empty, empty)


@pytest.mark.parametrize("metric", METRICS)
def test_an_empty_side_has_no_recall_or_no_precision(metric):
    nothing_answered = tp.score(A, [], metric=metric)
    assert (nothing_answered.precision, nothing_answered.recall, nothing_answered.f1) == (0, 0, 0)
    options = {"convention": "end-to-end"} if metric == "pairs" else {}  # most conventions ignore extra pairs
    nothing_asked = tp.score([], A, metric=metric, empty=1, **options)
    assert (nothing_asked.precision, nothing_asked.recall) == (0, 1)


@pytest.mark.parametrize("metric", METRICS)
def test_contradictory_documents_have_defined_scores(metric):
    found = tp.score(CYCLE, CYCLE, metric=metric)
    assert found.f1 == 1
    if has_option(metric, "contradictions"):
        assert tp.score(CYCLE, CYCLE, metric=metric, contradictions="repair").f1 == 1
        refused = tp.score(CYCLE, A, metric=metric, contradictions="refuse")
        assert "contradicts itself" in refused.skipped[0].reason
        assert not refused.documents


def test_a_gold_document_without_answer_counts_in_recall_and_an_answer_without_question_does_not_count():
    found = tp.score([document("x"), document("y")], [document("x"), document("z")])
    assert (found.counts.gold_total, found.counts.recall_matched) == (4, 2)
    assert (found.counts.system_total, found.precision) == (2, 1)
    assert [each.document for each in found.skipped] == ["z"]


def test_unreadable_documents_are_skipped_and_the_others_go_on():
    broken = Unreadable("y", "y.tml", InputError("file is empty", path="y.tml"))
    found = tp.score([document("x"), document("y")], [document("x"), broken])
    assert (found.f1, len(found.documents)) == (1, 1)
    assert "file is empty" in found.skipped[0].reason


def test_no_common_documents_is_an_error():
    with pytest.raises(UsageError, match="no system document has the same name"):
        tp.score([document("x"), document("y")], [document("p"), document("q")])


def test_a_budget_that_runs_out_is_reported_never_scored():
    from random import Random

    from naive import random_network

    links = random_network(Random(3), [f"e{k}" for k in range(12)], "arbitrary", density=1.0)
    found = tp.score([document("x", links), document("y")], [document("x", links), document("y")], time_limit=1e-9)
    assert "x" in [each.document for each in found.skipped]
    assert all("undecided" in each.reason for each in found.skipped)


def test_macro_averages_documents_and_micro_their_counts():
    golds = [document("x", A), document("y", [("a", "BEFORE", "b")])]
    systems = [document("x", A), document("y", [("a", "AFTER", "b")])]
    assert str(tp.score(golds, systems, average="macro").recall) == "1/2"
    assert str(tp.score(golds, systems).recall) == "2/3"


def test_unknown_choices_and_options_without_meaning_are_refused():
    for wrong in (
        {"metric": "bleu"},
        {"average": "mean"},
        {"align": "names"},
        {"contradictions": "keep"},
        {"empty": 2},
    ):
        with pytest.raises(UsageError):
            tp.score(A, A, **wrong)
    with pytest.raises(UsageError, match="relaxed= has an effect only with metric='closure'"):
        tp.score(A, A, relaxed=True)
    with pytest.raises(UsageError, match="vague= has an effect only with metric='awareness'"):
        tp.score(A, A, metric="closure", vague="count")


def test_the_signature_names_everything_that_can_change_the_number():
    plain = tp.score(A, A).signature
    for word in ("awareness", "during:simultaneous", "engine:exact", "complete:yes", "contradictions:set-aside"):
        assert word in plain
    for word in ("align:ids", "average:micro", "empty:0", "vague:ignore", "version:"):
        assert word in plain
    signatures = {
        tp.score(A, A, **options).signature
        for options in (
            {},
            {"metric": "closure"},
            {"metric": "closure", "relaxed": True},
            {"average": "macro"},
            {"contradictions": "repair"},
            {"vague": "count"},
            {"empty": 1},
            {"during": "is_included"},
            {"metric": "timeline"},
            {"metric": "timeline", "ordering_only": True},
        )
    }
    assert len(signatures) == 10


def test_details_by_label_and_kind():
    found = tp.score(A, [("a", "AFTER", "b"), ("b", "BEFORE", "c")], details=True)
    assert str(found.breakdown["label"]["BEFORE"].recall(0)) == "1/2"
    assert found.confused["BEFORE", "AFTER"] == 1
    assert found.confused["BEFORE", "BEFORE"] == 1
