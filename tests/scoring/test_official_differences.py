"""The report of differences: known examples of each cause, and counts that the differences explain completely."""

import json
from pathlib import Path

import pytest
from shared_data import shared

from temporacle.reasoner.oracle import Oracle
from temporacle.results import Verdict
from temporacle.scoring.official.awareness import Side, score_links
from temporacle.scoring.official.differences import Cause, Judgement, Question, differences
from temporacle.scoring.official.timegraph import Fate
from temporacle.scoring.official.tlinks import Triple, read_links

COUNTS = ("precision_matched", "system_total", "recall_matched", "gold_total")
CASES = sorted((Path(__file__).resolve().parents[1] / "golden" / "official" / "tempeval3").iterdir())


def triples(text):
    return [Triple(x.encode(), y.encode(), label.encode()) for x, label, y in map(str.split, text.split(", "))]


def causes(gold, system):
    found = differences(triples(gold), triples(system), Oracle)
    return [(found.side, found.position, found.question.value, found.cause) for found in found]


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        # a chain listed backwards: all starts get one stamp
        ("d BEFORE e, c BEFORE d, b BEFORE c, a BEFORE b", "a SIMULTANEOUS b", [("system", 0, "match", Cause.UNSOUND)]),
        # equal points, each with a free place before it
        ("a SIMULTANEOUS b, c BEFORE a, d BEFORE b", "c SIMULTANEOUS d", [("system", 0, "match", Cause.UNSOUND)]),
        ("d BEGUN_BY g, d AFTER a, a AFTER f, f IAFTER e", "a AFTER e", [("system", 0, "match", Cause.INCOMPLETE)]),
        ("a BEFORE c, b IBEFORE c, b IAFTER a", "b BEGINS b", []),
        ("a BEFORE b, a BEFORE c, b BEGINS c", "x BEFORE y", [("gold", 2, "reduction", Cause.BEGINS)]),
        ("b BEGUN_BY a, b BEFORE c, c BEFORE d", "a BEGINS b, d AFTER b", []),
        ("11 BEFORE 2", "1 BEFORE 2", [("system", 0, "match", Cause.TEXT_MATCH)]),
        ("a BEFORE b, b BEFORE c", "a before c", [("system", 0, "match", Cause.LABEL)]),
        (
            "a SIMULTANEOUS b, c BEFORE a, d BEFORE b, c BEFORE d, e IS_INCLUDED c",
            "e BEFORE d, a SIMULTANEOUS b",
            [("gold", 3, "reduction", Cause.UNSOUND), ("system", 0, "match", Cause.ORDER)],
        ),
    ],
)
def test_causes(gold, system, expected):
    assert causes(gold, system) == expected


def test_agreement_on_ordinary_links():
    links = "a BEFORE b, b BEFORE c, c BEFORE a, a BEFORE c, b INCLUDES d, d AFTER a, d AFTER d, a SIMULTANEOUS a"
    assert causes(links, links) == []


def test_undecided_is_reported_as_such():
    class Tired:
        def __init__(self, statements):
            pass

        def entails(self, source, relation, target):
            return Verdict.UNKNOWN

    [found] = differences(triples("a BEFORE b, b BEFORE c"), triples("a BEFORE c"), Tired)
    assert (found.exact, found.cause) == (Judgement.UNDECIDED, Cause.UNDECIDED)


def test_nothing_is_open_after_an_undecided_link():
    class TiredOnce(Oracle):
        def entails(self, source, relation, target):
            return Verdict.UNKNOWN if (source, target) == ("a", "d") else super().entails(source, relation, target)

    gold = triples("a BEFORE b, c BEFORE d, a BEFORE d, c BEFORE b, x BEFORE a, a BEFORE x")
    found = differences(gold, gold, TiredOnce)
    gold_found = [(f.position, f.cause) for f in found if f.side == "gold" and f.question is Question.REDUCTION]
    assert gold_found == [(2, Cause.UNDECIDED), (3, Cause.UNDECIDED)]


def corrected_counts(pairs):
    """Official counts of the default method, corrected by the differences."""
    counts = dict.fromkeys(COUNTS, 0)
    for gold, system in pairs:
        corrected = {
            (found.side, found.position, found.question): found.exact for found in differences(gold, system, Oracle)
        }
        for name, own, other in (("gold", gold, system), ("system", system, gold)):
            matched = "recall_matched" if name == "gold" else "precision_matched"
            own_side, other_side = Side(own), Side(other)
            for position, (link, fate) in enumerate(zip(own, own_side.graph.fates, strict=True)):
                official = Judgement.ENTAILED if fate is Fate.REDUNDANT else None
                if fate is Fate.DUPLICATE:
                    continue
                if corrected.get((name, position, Question.REDUCTION), official) is Judgement.ENTAILED:
                    continue
                counts[f"{name}_total"] += 1
                official = Judgement.STATED if other_side.matches(link) else None
                exact = corrected.get((name, position, Question.MATCH), official)
                counts[matched] += exact in {Judgement.STATED, Judgement.ENTAILED}
    return counts


def linked_pairs(folder):
    for path in sorted((folder / "gold").iterdir()):
        gold, system = (read_links((folder / side / path.name).read_bytes()).links for side in ("gold", "system"))
        yield gold, system


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_differences_explain_the_exact_counts(case):
    """Official counts, corrected by the differences, are the counts of an exact reasoner with the same policy."""
    expected = json.loads((case / "expected.json").read_text()).get("exact_reasoner_same_policy")
    if expected is None:
        pytest.skip("no exact counts for this case")
    assert corrected_counts(linked_pairs(case)) == {name: expected[name] for name in COUNTS}


@pytest.mark.parametrize("name", ["tipsem", "navytime-1", "key"])
def test_differences_explain_the_exact_counts_of_participants(name):
    run = shared("golden", "te3_runs", name)
    expected = json.loads((run / "expected.json").read_text())["exact_same_policy"]["default"]
    keys = ("prec_matched", "sys_total", "rec_matched", "gold_total")
    assert list(corrected_counts(linked_pairs(run)).values()) == [expected[key] for key in keys]


def test_no_differences_no_change():
    gold, system = triples("a BEFORE b, b BEFORE c"), triples("a BEFORE c")
    assert differences(gold, system, Oracle) == []
    assert score_links([(gold, system)]).total.precision_matched == 1
