"""Rewards for answers of models: total, deterministic, picklable, and what the sum says."""

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from textwrap import dedent
from types import ModuleType

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import temporacle as tp
from temporacle.errors import UsageError

GOLD = [("1", "BEFORE", "2"), ("2", "BEFORE", "3")]
CHAIN = "a(1) before b(2)\nb(2) before c(3)"
CYCLE = f"{CHAIN}\nc(3) before a(1)"


def test_values_of_a_right_answer():
    found = tp.assess(CHAIN, GOLD)
    assert (found.parsed, found.consistent, found.links, found.missing, found.f1) == (True, True, 2, 0, 1.0)
    assert (found.skipped_links, found.conflicts, found.feedback(), found.reward) == ({}, (), "", 1.0)
    assert tp.assess(CHAIN).reward == pytest.approx(0.3)


def test_a_contradiction_is_said_in_words():
    found = tp.assess(CYCLE, GOLD)
    assert found.consistent is False
    assert "1 BEFORE 2" in found.conflicts[0]
    assert found.feedback() == found.conflicts[0]
    assert found.reward == pytest.approx(0.1 + 0.7 * found.f1)


@pytest.mark.parametrize(
    "answer",
    [CHAIN, CHAIN.encode(), GOLD, [list(each) for each in GOLD], {"text": CHAIN}, tp.Document("x", GOLD),
     {"role": "assistant", "content": CHAIN},
     [{"role": "user", "content": "?"}, {"role": "assistant", "content": CHAIN}],
     {"role": "assistant", "content": [{"type": "text", "text": part} for part in CHAIN.splitlines()]},
     {"completion": CHAIN}, [(1, "BEFORE", 2), (2, "BEFORE", 3)],
     {"links": [{"source": "1", "relation": "before", "target": "2"}, {"e1": "2", "label": "before", "e2": "3"}]}],
    ids=lambda answer: type(answer).__name__,
)  # fmt: skip
def test_known_shapes_are_worth_the_same(answer):
    assert tp.assess(answer, GOLD).reward == 1.0


def test_one_statement_is_an_answer():
    found = tp.assess({"source": "1", "target": "2", "relation": "before"}, GOLD)
    assert (found.parsed, found.missing) == (True, 1)


def test_words_are_ids_in_triples():
    assert tp.assess([("left", "precedes", "docked")], [("left", "BEFORE", "docked")]).f1 == 1.0


def test_frames_are_read_row_by_row():
    rows = [("1", "BEFORE", "2"), ("2", "BEFORE", "3"), ("3", "nothing", "1"), (None, "AFTER", "2")]
    frame = pd.DataFrame(rows, columns=["source", "relation", "target"])
    assert tp.assess(frame[:2], GOLD) == tp.assess(rows[:2], GOLD)
    with pytest.warns(tp.InputWarning):
        found = tp.assess(frame, GOLD)
    assert (found.links, sum(found.skipped_links.values()), found.f1) == (2, 2, 1.0)
    assert not tp.assess(frame[["source"]], GOLD).parsed


def test_skipped_and_missing_are_counted_and_weighed():
    found = tp.assess("a(1) before b(2)\nb(2) beside c(3)", GOLD)
    assert (found.skipped_links, found.missing) == ({"unknown-label": 1}, 1)
    assert "1 unknown-label" in found.feedback()
    assert "Pairs without an answer: 1." in found.feedback()
    weights = {"parsed": 1, "skipped": -0.5, "missing": -0.25}
    assert tp.assess("a(1) before b(2)\nb(2) beside c(3)", GOLD, weights=weights).reward == 1 - 0.25 - 0.125
    assert tp.assess("nothing", GOLD, weights=weights).reward == 0.0


def test_invented_entities_are_worth_nothing():
    found = tp.assess("x(8) before y(9)", GOLD)
    assert (found.parsed, found.f1, found.missing, found.links, found.skipped_links) == (
        True,
        0,
        2,
        0,
        {"unknown-id": 1},
    )
    some = tp.assess("x(8) before y(1)\na(1) before b(2)", GOLD, weights={"skipped": -1})
    assert (some.links, some.skipped_links, some.reward) == (1, {"unknown-id": 1}, -0.5)


class Hostile:
    """An object that fails at everything."""

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __iter__(self):
        raise RuntimeError

    __str__ = __repr__ = __len__ = __eq__ = __bool__ = __iter__


class BadText(str):
    """A text that fails where it is used."""

    __slots__ = ()

    def replace(self, *_arguments):
        raise RuntimeError


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


ODD = [
    None, 3, 2.5, float("nan"), b"\xff\x00", object(), Hostile(), BadText("a(1) before b(2)"), nested(100_000), {1: 2},
    [Hostile()], {"text": 3}, {"text": None}, "\ud800", "\x00", [("a", "BEFORE")], [("a", "", "b")], lambda: 1, int,
    [("a", "BEFORE", "a")], ["a", "BEFORE", "b"], {"links": Hostile()}, set(), range(3), "", " ", [], (), {},
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ODD)))
def test_odd_objects_are_assessed(number):
    for gold in (None, GOLD):
        found = tp.assess(ODD[number], gold)
        assert isinstance(found.parsed, bool)
        assert found.reward == 0.0 or found.parsed


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
    | st.sampled_from(["1", "2", "3", "BEFORE", "AFTER", "text", "links", CHAIN]),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_any_value_is_assessed_and_always_the_same(answer):
    found = tp.assess(answer, GOLD)
    assert found == tp.assess(answer, GOLD)
    assert 0 <= found.reward <= 1
    assert found.parsed or found.reward == 0
    assert found.consistent in (True, False, None)
    assert pickle.loads(pickle.dumps(found)) == found


def test_mutated_answers_are_assessed():
    random = Random(1)
    for _ in range(300):
        text = list(CYCLE)
        for _ in range(random.randint(1, 8)):
            place = random.randrange(len(text))
            text[place : place + random.randint(0, 3)] = random.choice("()[]{}\n\"'`|<>before1234 ;,\\\u2014\0")
        found = tp.assess("".join(text), GOLD)
        assert 0 <= found.reward <= 1
        assert found.to_dict()["reward"] == found.reward


def test_a_batch_and_threads_give_the_same():
    answers = [CHAIN, CYCLE, "", None] * 5
    golds = [GOLD] * len(answers)
    expected = [tp.assess(answer, GOLD) for answer in answers]
    assert tp.assess_all(answers, golds) == expected
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda answer: tp.assess(answer, GOLD), answers)) == expected
    with pytest.raises(UsageError, match="give one for each"):
        tp.assess_all(answers, golds[1:])


def test_mistakes_of_the_caller_are_refused():
    for wrong in (
        {"weights": {"f2": 1}},
        {"metric": "magic"},
        {"labels": "magic"},
        {"time_limit": -1},
        {"weights": {"f1": "a"}},
        {"weights": {"f1": float("nan")}},
    ):
        with pytest.raises(tp.TemporacleError):
            tp.assess(CHAIN, GOLD, **wrong)
    with pytest.raises(UsageError, match="two meanings"):
        tp.assess(CHAIN, tp.read_corpus("examples/gold").__next__(), labels="matres")


def test_labels_mean_the_same_in_answer_and_gold():
    for labels in (None, "matres", "timeml"):
        assert tp.assess(CHAIN, GOLD, labels=labels).f1 == 1.0


def test_scores_are_formatted_like_numbers():
    found = tp.score(GOLD, GOLD[:1])
    assert (f"{found.f1:.3f}", f"{found.precision:.1%}", f"{found.recall}") == ("0.667", "100.0%", "1/2")
    assert pickle.loads(pickle.dumps(found.f1)) == found.f1


def test_gold_is_read_once_for_all_answers_about_it():
    gold = iter([("1", "BEFORE", "2")])  # can be read only once
    answers = ["a(1) before b(2)", "a(1) after b(2)", ""]
    assert [each.f1 for each in tp.assess_all(answers, [gold] * 3)] == [1, 0, 0]


def test_unknown_keywords_are_refused_with_the_nearest():
    for function, answer in ((tp.assess, ""), (tp.assess_all, [""])):
        with pytest.raises(tp.UsageError, match="did you mean metric"):
            function(answer, metrc="pairs")
        with pytest.warns(DeprecationWarning, match="budget is now time_limit"):
            function(answer, budget=1)


def test_the_adapters_of_the_page_give_the_reward(monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
    lines = page[page.index("    import json\n") : page.index("## Several answers")]
    names = {}
    exec(dedent(lines), names)
    torch = ModuleType("torch")
    torch.tensor = list
    monkeypatch.setitem(sys.modules, "torch", torch)
    gold, prompt, message = [list(each) for each in GOLD], "Order the events.\n", [{"content": CHAIN}]
    expected = tp.assess(CHAIN, GOLD).reward
    assert names["temporal_reward"]([message, CHAIN], gold=[gold, gold], prompts=[prompt] * 2) == [expected] * 2
    assert names["compute_score"]("matres", CHAIN, json.dumps(gold)) == expected
    assert names["reward_func"]([prompt + CHAIN], [prompt], [json.dumps(gold)])["rewards"] == [expected]
    assert names["temporal_rubric"](message, {"gold": gold}, state={}) == expected
