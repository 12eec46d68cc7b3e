"""Exact scores beside the clinical programs, and the programs' own algorithms against naive ones."""

import json
from itertools import product
from random import Random

import pytest
from shared_data import SHARED, shared

import temporacle as tp
from bench.direct_closure import LABELS, closure_in_rounds
from temporacle.relation import Relation
from temporacle.scoring import clinical
from temporacle.scoring.clinical import exact_patient, period_of
from temporacle.scoring.official.anafora import FACTS, AnaforaClosure, LinkKey
from temporacle.scoring.official.i2b2.links import I2b2Closure
from temporacle.tasks.official import exact_score, official

CASES = sorted(path.name for path in SHARED.glob("golden/clinical/i*") if path.is_dir()) or ["none"]


@pytest.mark.corpora
@pytest.mark.parametrize("name", CASES)
def test_an_exact_reasoner_in_place_of_the_graph(name):
    case = shared("golden", "clinical", name)
    expected = json.loads((case / "expected.json").read_text()).get("exact_reasoner_same_policy")
    if expected is None:
        pytest.skip("the case has no exact counts")
    counts = exact_score("i2b2", str(case / "gold"), str(case / "system")).total["counts"]
    keys = ("precision_matched", "system_total", "recall_matched", "gold_total")
    assert {key: counts[key] for key in keys} == {key: expected[key] for key in keys}


# --- i2b2's closure ---------------------------------------------------------------------------------------------------


def test_the_closure_of_i2b2_derives_what_all_rounds_derive():
    rng = Random(5)
    for _ in range(300):
        names = [f"E{number}".encode() for number in range(rng.randint(2, 7))]
        links = [(rng.choice(names), rng.choice(names), rng.choice(list(LABELS))) for _ in range(rng.randint(1, 9))]
        assert set(I2b2Closure(links).edges()) == closure_in_rounds(links)


# --- anaforatools' closure --------------------------------------------------------------------------------------------


def naive_facts(links):
    facts = {fact for link in links for fact in link.facts()}
    facts |= {((span, "s"), "<", (span, "e")) for link in links for span in link[:2]}
    while True:
        more = {
            (a, "=" if first == second == "=" else "<", d)
            for (a, first, b), (c, second, d) in product(facts, facts)
            if b == c
        }
        if more <= facts:
            return facts
        facts |= more


def test_the_closure_of_anaforatools_holds_what_the_fixpoint_holds():
    rng = Random(6)
    for _ in range(60):
        links = [
            LinkKey(rng.randint(0, 3), rng.randint(0, 3), rng.choice(list(FACTS))) for _ in range(rng.randint(1, 4))
        ]
        closure, facts = AnaforaClosure(link.facts() for link in links), naive_facts(links)
        points = list(product(range(4), "se"))
        for left, sign, right in product(points, "<=", points):
            assert closure.holds((left, sign, right)) == ((left, sign, right) in facts)


@pytest.mark.parametrize("label", FACTS)
def test_relations_are_the_facts_of_the_table(label):
    """Each atom is allowed exactly if its endpoints satisfy the facts."""
    spots = list(product(range(4), repeat=4))
    seen = set()
    for xs, xe, ys, ye in spots:
        if xs < xe and ys < ye:
            point = {"xs": xs, "xe": xe, "ys": ys, "ye": ye}
            holds = all(
                point[left] < point[right] if sign == "<" else point[left] == point[right]
                for left, sign, right in (fact.split() for fact in FACTS[label])
            )
            oracle = tp.Oracle([("x", Relation(clinical.RELATIONS[label]), "y")])
            atom = next(each for each in Relation("b|m|o|fi|di|s|=|si|d|f|oi|mi|bi").atoms if _is(each, xs, xe, ys, ye))
            seen.add(atom)
            assert holds == (atom in oracle.strongest("x", "y").atoms)
    assert len(seen) == 13


def _is(atom, xs, xe, ys, ye):
    return {
        "b": xe < ys,
        "m": xe == ys,
        "o": xs < ys < xe < ye,
        "fi": xs < ys and xe == ye,
        "di": xs < ys and ye < xe,
        "s": xs == ys and xe < ye,
        "=": xs == ys and xe == ye,
        "si": xs == ys and ye < xe,
        "d": ys < xs and xe < ye,
        "f": ys < xs and xe == ye,
        "oi": ys < xs < ye < xe,
        "mi": ye == xs,
        "bi": ye < xs,
    }[atom]


# --- timelines --------------------------------------------------------------------------------------------------------


def test_exact_timelines_count_what_the_program_excuses():
    gold = [("taxol", "contains-1", "2013-02-01"), ("taxol", "contains-1", "2013-02-02")]
    wrong_label = [("taxol", "begins-on", "2013-02-01"), ("taxol", "contains-1", "2013-02-02")]
    assert exact_patient("p", gold, wrong_label, "strict")[1:4] == (1, 1, 1)
    assert exact_patient("p", gold, wrong_label, "day")[1:4] == (2, 0, 0)  # begins-on agrees with contains-1
    span = [("taxol", "begins-on", "2013-01-01"), ("taxol", "ends-on", "2013-03-01")]
    inside = [("taxol", "contains-1", f"2013-02-0{day}") for day in range(1, 8)]
    assert exact_patient("p", span, inside, "day")[1:4] == (0, 0, 2)  # excused, and nothing was found


def test_swapping_the_sides_swaps_wrong_and_missed():
    rng = Random(9)
    for _ in range(200):
        sides = [
            [
                (rng.choice(["taxol", "chemo"]), rng.choice(["begins-on", "ends-on", "contains-1"]), date)
                for date in rng.choices(
                    ["2013", "2013-02", "2013-02-01", "2013-W06", "2013-03-09"], k=rng.randint(0, 4)
                )
            ]
            for _ in range(2)
        ]
        for mode in ("strict", "day", "month", "year"):
            there, back = exact_patient("p", *sides, mode), exact_patient("p", *reversed(sides), mode)
            assert (there.right, there.wrong, there.missed) == (back.right, back.missed, back.wrong)
            same = exact_patient("p", sides[0], sides[0], mode)
            assert (same.wrong, same.missed) == (0, 0)


@pytest.mark.parametrize("text", ["2013-W54", "2013-13", "2013-02-30", "spring", "", "99999"])
def test_an_impossible_date_is_no_period(text):
    assert period_of(text) is None
    assert exact_patient("p", [("taxol", "begins-on", text)], [("taxol", "begins-on", text)], "month")[1:4] == (1, 0, 0)


def test_differences_name_their_cause(tmp_path):
    gold = {"p": [["taxol", "contains-1", "2013-02-01"], ["taxol", "contains-1", "2013-02-02"]]}
    system = {"p": [["taxol", "begins-on", "2013-02-01"], ["taxol", "contains-1", "2013-02-02"]]}
    (tmp_path / "g.json").write_text(json.dumps(gold))
    (tmp_path / "s.json").write_text(json.dumps(system))
    (tmp_path / "ids.txt").write_text("p\n")
    paths = str(tmp_path / "g.json"), str(tmp_path / "s.json")
    options = {"ids": str(tmp_path / "ids.txt"), "explain_difference": True}
    found = {fault.measure: fault for fault in official("chemotimelines", *paths, **options).faults}
    assert found["precision"].official == 1
    assert float(found["precision"].exact) == 0.5
    assert "wrong label" in found["precision"].cause
