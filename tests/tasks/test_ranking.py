"""Several systems against one gold standard: ranks, intervals, and the documents that they are compared on."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import temporacle as tp
from temporacle.corpus.observer import Observer
from temporacle.errors import UsageError
from temporacle.model import Document
from temporacle.scoring.metric import Average
from temporacle.scoring.significance import f1_interval
from temporacle.tasks import compare as comparing
from temporacle.tasks import score_request
from temporacle.tasks.compare import named_systems, runs_of

CHAIN = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]


def corpus(*links, names="xyz"):
    """One document for each name; its links are the first so many of the chain."""
    return [Document(name, CHAIN[:number]) for name, number in zip(names, links, strict=True)]


GOLD = corpus(3, 3, 3)
GOOD, MIDDLING, POOR = corpus(3, 3, 2), corpus(3, 2, 1), corpus(1, 1, 1)


class Listening(Observer):
    """Keeps the warnings."""

    def __init__(self):
        self.remarks = []

    def warning(self, remark):
        self.remarks.append(remark)


def test_the_best_comes_first_and_the_others_are_compared_with_it():
    ranking = tp.compare(GOLD, {"poor": POOR, "good": GOOD, "middling": MIDDLING})
    assert [(each.rank, each.name) for each in ranking] == [(1, "good"), (2, "middling"), (3, "poor")]
    assert (ranking.resamples, ranking.seed, len(ranking)) == (9999, 0, 3)
    assert ranking[0].difference is None
    for each in ranking[1:]:
        assert each.difference.of("f1").observed == ranking[0].score.f1 - each.score.f1 > 0
        assert (each.difference.documents, each.difference.family) == (3, "all-pairs/holm")
    assert ranking.of("poor") is ranking[2]
    assert all(each.interval is None and each.of("f1").reason.startswith("too few documents (3)") for each in ranking)


def test_equal_scores_have_equal_ranks_in_the_order_of_their_names():
    ranking = tp.compare(GOLD, {"b": GOOD, "c": POOR, "a": GOOD})
    assert [(each.rank, each.name) for each in ranking] == [(1, "a"), (1, "b"), (3, "c")]
    assert ranking[0].difference is None
    assert ranking[1].difference.of("f1").observed == 0


def test_seeds_decide_only_where_swaps_are_drawn():
    """More than 20 documents that differ; intervals know no seed."""
    names = [f"d{k}" for k in range(24)]
    gold = corpus(*[3] * 24, names=names)
    systems = {
        "good": corpus(*[3, 2, 1, 1] * 6, names=names),
        "poor": corpus(*[2, 1, 2, 3] * 6, names=names),
    }
    one, same, other = (tp.compare(gold, systems, resamples=99, seed=seed) for seed in (1, 1, 2))
    assert one.to_dict() == same.to_dict()
    assert one[1].difference.method == "swap-99-seed1"
    assert "|p:swap-99-seed1|" in one.signature
    assert [each.interval for each in one] == [each.interval for each in other]
    with pytest.warns(DeprecationWarning, match="resamples"):
        assert tp.compare(gold, systems, samples=99, seed=1).to_dict() == one.to_dict()


def test_a_single_document_has_a_difference_but_no_interval():
    ranking = tp.compare(GOLD[:1], {"good": GOOD[:1], "poor": POOR[:1]})
    assert [each.interval for each in ranking] == [None, None]
    assert ranking[1].difference.of("f1").p_value == 1
    assert all("f1_interval" not in row for row in ranking.to_dict()["systems"])
    frame = ranking.to_frame()
    assert (
        frame[["precision_low", "precision_high", "recall_low", "recall_high", "f1_low", "f1_high"]].isna().all().all()
    )
    assert list(frame["p_adjusted"])[1] == 1
    assert any("p cannot be below 1" in note for note in ranking.notes)


def many(*numbers):
    return corpus(*numbers, names=[f"d{k}" for k in range(len(numbers))])


EIGHT = many(*[3] * 8)
BETTER, WORSE, WORST = many(3, 3, 2, 3, 2, 3, 3, 1), many(1, 2, 1, 2, 1, 1, 2, 1), many(1, 1, 1, 1, 1, 1, 2, 1)


def test_p_is_adjusted_for_all_pairs_or_for_those_with_the_baseline():
    systems = {"better": BETTER, "worse": WORSE, "worst": WORST}
    best = tp.compare(EIGHT, systems)
    assert [each.difference and each.difference.comparisons for each in best] == [None, 3, 3]
    against = tp.compare(EIGHT, systems, baseline="worst")
    assert [each.against for each in against] == ["worst", "worst", ""]
    assert against.signature.endswith("|p:swap-exact|family:baseline=worst/holm")
    alone = tp.compare(EIGHT, {"better": BETTER, "worst": WORST})
    p = alone[1].difference.of("f1").p_value
    assert against[0].difference.of("f1").observed == best[2].difference.of("f1").observed
    assert against[0].difference.of("f1").p_value == best[2].difference.of("f1").p_value == p
    assert against[0].difference.of("f1").p_adjusted == min(1, 2 * p)
    assert best[2].difference.of("f1").p_adjusted >= 3 * p
    with pytest.raises(UsageError, match="must be the name of a system: better, worse"):
        tp.compare(EIGHT, {"better": BETTER, "worse": WORSE}, baseline="base")


def test_runs_of_a_system_are_averaged():
    systems = {"ours": tp.Runs(BETTER, WORSE), "base": tp.Runs(WORST, WORSE)}
    ranking = tp.compare(EIGHT, systems, baseline="base")
    alone = [tp.score(EIGHT, run).f1 for run in (BETTER, WORSE)]
    ours = ranking.of("ours")
    assert ours.score.f1 == sum(alone) / 2
    assert [each.f1 for each in ours.runs] == alone
    assert ours.spread == pytest.approx(abs(float(alone[0] - alone[1])) / 2**0.5)
    assert ours.difference.method == "documents+runs"
    assert ranking.signature.endswith("|p:documents+runs|family:baseline=base/holm|runs:2,2")
    row = ranking.to_frame().set_index("system").loc["ours"]
    assert row["runs"] == 2
    assert row["p_value"] == ours.difference.of("f1").p_value
    assert tp.compare(EIGHT, {"ours": [BETTER, WORSE], "base": [WORST, WORSE]}, baseline="base") == ranking
    mixed = tp.compare(EIGHT, {"ours": [BETTER, WORSE], "base": WORST})
    assert "base: one run: how much its runs vary is not known" in mixed.notes
    with pytest.raises(UsageError, match="holds no run"):
        tp.Runs()


def test_what_is_a_run_and_what_is_one_source():
    triple = ("a", "BEFORE", "b")
    frame = tp.compare(EIGHT, {"x": BETTER}).to_frame()
    for source in ("a", ["a", "b"], [triple], [list(triple)], BETTER, BETTER[0], frame, tuple(BETTER), []):
        assert runs_of(source) == [source] or runs_of(source)[0] is source
    for source in ([[triple], [triple]], [BETTER, WORSE], [frame, frame], tp.Runs("a", "b"), (BETTER, WORSE)):
        assert len(runs_of(source)) == 2


# --- the documents that systems are compared on -----------------------------------------------------------------------

CONTRADICTORY = Document("z", [("a", "BEFORE", "b"), ("b", "BEFORE", "a")])


def test_systems_are_compared_on_the_documents_that_all_have_a_score_for():
    hears = Listening()
    ranking = tp.compare(
        GOLD,
        {"whole": GOOD, "part": [*MIDDLING[:2], CONTRADICTORY]},
        contradictions="refuse",
        observer=hears,
    )
    assert [[each.document for each in system.score.documents] for system in ranking] == [["x", "y"], ["x", "y"]]
    assert ranking.of("whole").score.f1 == 1  # of x and y alone
    assert all(each.score.signature.endswith("|shared:2/3") for each in ranking)
    assert ranking.of("part").difference.documents == 2
    (remark,) = [remark for remark in hears.remarks if remark.code == "documents-left-out"]
    assert remark.message == ("systems are compared on the 2 documents for which all of them have a score; left out: z")


def test_a_total_on_shared_documents_keeps_what_is_known_about_it():
    systems = {"whole": GOOD, "part": [*MIDDLING[:2], CONTRADICTORY]}
    whole = tp.score(GOLD, systems["part"], contradictions="refuse")
    part = tp.compare(GOLD, systems, contradictions="refuse").of("part").score
    assert (part.convention, part.skipped) == (whole.convention, whole.skipped)
    assert [each.code for each in part.warnings] == [*(each.code for each in whole.warnings), "documents-left-out"]
    assert part.skipped
    assert part.counts == whole.counts  # the refused document never counted


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_averages_are_those_that_were_asked_for(average):
    systems = {"whole": GOLD, "part": [*corpus(3, 1, names="xy"), CONTRADICTORY]}
    gold = corpus(3, 2, 1)
    ranking = tp.compare(gold, systems, average=average, contradictions="refuse")
    alone = tp.score(gold[:2], systems["part"][:2], average=average)
    assert ranking.of("part").score.f1 == alone.f1
    assert {average: alone.f1} != {"micro": tp.score(gold[:2], systems["part"][:2], average="macro").f1}


def test_without_a_shared_document_nothing_is_compared():
    bad = [Document(name, CONTRADICTORY.links) for name in "xyz"]
    with pytest.raises(UsageError):
        tp.compare(GOLD, {"one": [GOOD[0], *bad[1:]], "two": [bad[0], *GOOD[1:]]}, contradictions="refuse")


def test_the_same_documents_are_not_remarked_on():
    hears = Listening()
    ranking = tp.compare(GOLD, {"good": GOOD, "poor": POOR}, observer=hears)
    assert not hears.remarks
    assert "shared" not in ranking[0].score.signature


# --- names, metrics, output -------------------------------------------------------------------------------------------


def test_systems_are_named_by_keys_paths_or_numbers():
    assert named_systems({"ours": "run1"}) == {"ours": ["run1"]}
    assert named_systems(["run1", GOLD]) == {"run1": ["run1"], "system 2": [GOLD]}
    with pytest.raises(UsageError, match="named twice"):
        named_systems(["run1", "run1"])
    for wrong in ("run1", [], {}, 3):
        with pytest.raises(UsageError, match="systems must be a dict"):
            named_systems(wrong)


def test_one_metric_gives_a_ranking_and_several_give_a_list():
    systems = {"good": GOOD, "poor": POOR}
    assert tp.compare(GOLD, systems).title
    both = tp.compare(GOLD, systems, metric=["awareness", "closure"])
    assert [ranking[0].score.metric for ranking in both] == ["awareness", "closure"]
    assert len(tp.compare(GOLD, systems, metric=["closure"])) == 1


def test_a_ranking_is_shown_and_written():
    ranking = tp.compare(EIGHT, {"good": BETTER, "poor": WORSE})
    assert repr(ranking).startswith("Ranking(1. good 0.")
    assert repr(ranking[1]).startswith("RankedSystem(2, 'poor', F1 0.")
    written = ranking.to_dict()
    assert (written["resamples"], written["seed"], written["signature"]) == (9999, 0, ranking.signature)
    good, poor = written["systems"]
    assert (good["system"], good["rank"], poor["rank"]) == ("good", 1, 2)
    assert good["f1_interval"] == list(ranking[0].interval) == good["intervals"]["f1"]["interval"]
    assert poor["best_minus_this"] == ranking[1].difference.to_dict()
    assert poor["best_minus_this"]["differences"]["f1"]["p"] == str(ranking[1].difference.of("f1").p_value)
    assert "best_minus_this" not in good
    rows = ranking.to_frame().to_dict("records")
    assert [(row["rank"], row["system"], row["f1"]) for row in rows] == [
        (each.rank, each.name, float(each.score.f1)) for each in ranking
    ]
    assert rows[1]["p_value"] == float(ranking[1].difference.of("f1").p_value)
    assert (rows[1]["f1_low"], rows[1]["f1_high"]) == tuple(map(float, ranking[1].interval))
    shown = ranking._repr_html_()
    assert "<table" in shown
    assert f"{float(ranking[1].score.f1):.4f}" in shown
    assert f"{float(ranking[1].score.f1)}" not in shown or len(f"{float(ranking[1].score.f1)}") <= 6


def test_a_single_system_is_shown_with_its_signature():
    ranking = tp.compare(GOLD, {"good": GOOD})
    assert list(ranking.to_frame()["system"]) == ["good"]
    assert ranking.title == ranking[0].score.title
    assert ranking[0].score.signature in ranking._repr_html_()


def test_options_of_scores_are_passed_on():
    empty = [Document(name, ()) for name in "xyz"]
    assert tp.compare(GOLD, {"nothing": empty}, empty=1)[0].score.precision == 1
    assert tp.compare(GOLD, {"nothing": empty})[0].score.precision == 0
    with pytest.raises(UsageError, match="jobs is 0"):
        tp.compare(GOLD, {"good": GOOD}, jobs=0)
    with pytest.raises(UsageError, match="align"):
        tp.compare(GOLD, {"good": GOOD}, align="magic")
    (ranking,) = tp.compare(GOLD, {"good": GOOD}, metric="pairs", convention=["tbdense"])
    assert ranking[0].score.convention == "tbdense"
    assert tp.compare(GOLD, {"good": GOOD}, metric="pairs", convention="tbdense")[0].rank == 1


@pytest.mark.parametrize(("average", "empty"), [("micro", 0), ("macro", 0), ("micro", 1), ("macro", 1)])
def test_intervals_are_about_the_same_average_as_the_total(average, empty):
    system = [*many(3, 1, 2, 1, 3, 2, 1), Document("d7", ())]
    (found,) = tp.compare(EIGHT, {"some": system}, average=average, empty=empty)
    chosen = {"average": Average(average), "empty": empty}
    assert found.interval == f1_interval(found.score.documents, **chosen)
    assert len({f1_interval(found.score.documents, **chosen | {"average": each}) for each in Average}) == 2


def test_each_system_has_its_part_of_the_journal(monkeypatch):
    monkeypatch.setattr(comparing, "ScoreRun", lambda *given, **named: (given, named))
    monkeypatch.setattr(comparing, "all_scores", lambda run: run)
    assert comparing.scored_systems("gold", {"a": ["run1"], "b": ["run2", "run3"]}, "plan", "journal") == {
        "a": [(("gold", "run1", "plan"), {"journal": "journal", "part": "1"})],
        "b": [
            (("gold", "run2", "plan"), {"journal": "journal", "part": "2"}),
            (("gold", "run3", "plan"), {"journal": "journal", "part": "2.1"}),
        ],
    }


class Seen(Exception):  # noqa: N818 - it ends the work where the options have arrived
    """The options that a function was called with."""


def test_options_reach_the_request(monkeypatch):
    def request_for(metrics, _chosen, **named):
        raise Seen(metrics, named)

    monkeypatch.setattr(score_request, "request_for", request_for)
    with pytest.raises(Seen) as seen:
        tp.compare(GOLD, {"good": GOOD}, align="spans", empty=1, details=True, time_limit=3)
    shared = {"both_ways": False, "rows": False}
    asked = {"align": "spans", "empty": 1, "details": True, "budget": 3}
    assert seen.value.args == (["awareness"], asked | shared)
    with pytest.raises(Seen) as seen:
        tp.compare(GOLD, {"good": GOOD})
    asked = {"align": "ids", "empty": 0, "details": False, "budget": None}
    assert seen.value.args == (["awareness"], asked | shared)


def test_a_restricted_total_is_about_the_chosen_documents():
    gold = SimpleNamespace(request=SimpleNamespace(empty=0), average=Average.MICRO)
    total = replace(tp.score(GOLD, GOOD), convention="a convention", warnings=("odd",), skipped=("z",))
    found = comparing._restricted(gold, total, {"x", "y"}, 3)
    assert [each.document for each in found.documents] == ["x", "y"]
    assert (found.convention, found.warnings, found.skipped) == ("a convention", ("odd",), ("z",))
    assert (found.f1, found.signature) == (1, f"{total.signature}|shared:2/3")
