"""Kinds of damaged values x functions x metrics: a refusal, or with ``on_error="skip"`` a number that is visible."""

import re
import tempfile
import warnings

import pandas as pd
import pytest

import temporacle as tp
from temporacle.results import Score
from temporacle.scoring.metric import METRICS

COLUMNS = ["document", "source", "relation", "target"]
ROWS = [("d1", "a", "BEFORE", "b"), ("d1", "b", "BEFORE", "c"), ("d2", "x", "AFTER", "y")]
WHOLE = pd.DataFrame(ROWS, columns=COLUMNS)
# kind -> the row in place of the second one
ROWS_NOBODY_CAN_USE = {
    "nan": ("d1", "b", float("nan"), "c"),
    "none": ("d1", "b", None, "c"),
    "pandas' own nothing": ("d1", "b", pd.NA, "c"),
    "empty label": ("d1", "b", "", "c"),
    "blank label": ("d1", "b", "  ", "c"),
    "typo": ("d1", "b", "BEFOR", "c"),
    "other label set": ("d1", "b", "CONTINUES", "c"),
    "number as label": ("d1", "b", 3, "c"),
    "half known": ("d1", "b", "BEFORE|SOON", "c"),
    "swapped columns": ("d1", "BEFORE", "docked", "c"),
    "float id": ("d1", 12.0, "BEFORE", "c"),
    "boolean id": ("d1", True, "BEFORE", "c"),
    "missing source": ("d1", None, "BEFORE", "c"),
    "missing target": ("d1", "b", "BEFORE", float("nan")),
    "empty source": ("d1", "", "BEFORE", "c"),
}
SHOWN = r"'skipped_links': {.{0,40}'[a-z-]+': 1"  # perhaps by side
INFERS = [name for name in METRICS if name != "timeline"]  # it reads timelines


def frame(row):
    return pd.DataFrame([ROWS[0], row, *ROWS[2:]], columns=COLUMNS, dtype=object)


def triples(row):
    return [each[1:] for each in (ROWS[0], row)]


ONE = triples(ROWS[1])
ON_FRAMES = {
    "check": tp.check,
    "closure": tp.closure,
    "reduce": tp.reduce,
    "bounds": tp.bounds,
    "stats": tp.stats,
    "fix": lambda source, **named: tp.fix(source, dry_run=True, **named),
    "diff, new": lambda source, **named: tp.diff(WHOLE, source, **named),
    "agree": lambda source, **named: tp.agree(WHOLE, source, **named),
    "compare": lambda source, **named: tp.compare(WHOLE, {"one": source, "other": WHOLE}, **named),
    "compare, gold": lambda source, **named: tp.compare(source, {"one": WHOLE, "other": WHOLE}, **named),
    "report": lambda source, **named: tp.report(source, out=f"{tempfile.mkdtemp()}/report.html", **named),
    "convert": lambda source, **named: tp.convert(source, f"{tempfile.mkdtemp()}/documents.jsonl", **named),
    "decode, hard": lambda source, **named: tp.decode(
        {"d1": [("a", "b", {"BEFORE": 1})], "d2": [("x", "y", {"AFTER": 1})]}, hard=source, **named
    ),
    "decode, votes": lambda source, **named: tp.decode([WHOLE, source], consensus=True, **named),
    **{
        f"official {name}": lambda source, name=name, **named: tp.official(name, WHOLE, source, **named)
        for name in ("matres", "tieval")
    },
    **{
        f"{name}, {side}": lambda source, name=name, side=side, **named: (
            tp.score(source, WHOLE, metric=name, **named)
            if side == "gold"
            else tp.score(WHOLE, source, metric=name, **named)
        )
        for name in INFERS
        for side in ("gold", "system")
    },
}
ON_TRIPLES = {
    "Oracle": tp.Oracle,
    "Session": tp.Session,
    "entails": lambda source, **named: tp.entails(source, "a", "BEFORE", "b", **named),
    "ask": lambda source, **named: tp.ask(source, ["IS a BEFORE b"], **named),
    "score": lambda source, **named: tp.score(ONE, source, **named),
}


@pytest.mark.parametrize("name", [*ON_FRAMES, *ON_TRIPLES])
@pytest.mark.parametrize("kind", ROWS_NOBODY_CAN_USE)
def test_a_row_that_cannot_be_used(kind, name):
    row = ROWS_NOBODY_CAN_USE[kind]
    call, source = (ON_FRAMES[name], frame(row)) if name in ON_FRAMES else (ON_TRIPLES[name], triples(row))
    with pytest.raises((tp.LabelError, tp.InputError), match=r"row 2: .*1 of [23] rows cannot be used"):
        call(source)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = call(source, on_error="skip")
    said = [str(each.message) for each in told if issubclass(each.category, tp.InputWarning)]
    assert sum("cannot be used" in each for each in said) == 1
    assert "skipped: 1" in repr(found)
    data = found.to_dict() if hasattr(found, "to_dict") else None
    assert data is None or re.search(SHOWN, str(data))
    if isinstance(found, Score):
        assert f"|skipped:{'1/0' if 'gold' in name else '0/1'}|" in found.signature


BOTH_SIDES = {
    "score": tp.score,
    "score, pairs": lambda gold, system, **named: tp.score(gold, system, metric="pairs", **named),
    "agree": tp.agree,
    "compare": lambda gold, system, **named: tp.compare(gold, {"one": system, "other": system}, **named),
    "diff": tp.diff,
    "official matres": lambda gold, system, **named: tp.official("matres", gold, system, **named),
}


@pytest.mark.parametrize("name", BOTH_SIDES)
def test_damaged_values_on_both_sides_give_one_warning_for_each_code(name):
    damaged = [ROWS[0], ROWS_NOBODY_CAN_USE["typo"], ROWS_NOBODY_CAN_USE["float id"], ROWS[2]]
    sides = [pd.DataFrame(damaged, columns=COLUMNS, dtype=object) for _ in range(2)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        BOTH_SIDES[name](*sides, on_error="skip")
    said = [each for each in told if issubclass(each.category, tp.InputWarning) and "skipped" in str(each.message)]
    assert sorted(str(each.message).rpartition(" ")[2] for each in said) == ["(bad-link)", "(unknown-label)"]
    assert all(each.filename == __file__ for each in said)
    if name != "compare":  # it has three sides
        assert all(str(each.message).startswith("2 of 8 rows cannot be used and were skipped") for each in said)


def test_a_damaged_file_beside_damaged_values_gives_one_warning(tmp_path):
    (tmp_path / "gold.csv").write_text("source,relation,target\na,BEFOR,c\na,BEFORE,b\n")
    with pytest.warns(tp.InputWarning, match=r"2 links could not be used and were skipped \(unknown-label\)") as told:
        tp.score(str(tmp_path / "gold.csv"), [*ONE, ("a", "BEFOR", "c")], on_error="skip")
    assert sum("skipped" in str(each.message) for each in told) == 1


# --- what is missing or there twice -----------------------------------------------------------------------------------

MORE = {
    "missing document": (WHOLE.iloc[:2], "1 without a system document", "unpaired-gold"),
    "further document": (
        pd.concat([WHOLE, pd.DataFrame([("d3", "b", "AFTER", "a")], columns=COLUMNS)]),
        "1 without a gold document",
        "unpaired-system",
    ),
}


@pytest.mark.parametrize("metric", INFERS)
@pytest.mark.parametrize("kind", MORE)
def test_documents_without_a_partner(kind, metric):
    system, words, code = MORE[kind]
    with pytest.warns(tp.InputWarning, match=code):
        found = tp.score(WHOLE, system, metric=metric)
    assert words in repr(found)
    assert code in {each.code for each in found.warnings}
    assert code in str(found.to_dict()) or "warnings" in found.to_dict()


@pytest.mark.parametrize("metric", INFERS)
def test_an_answer_without_links(metric):
    with pytest.warns(tp.InputWarning, match="the system has no link"):
        found = tp.score(ONE, [], metric=metric)
    assert "no-links" in repr(found)
    assert found.f1 == 0
    with pytest.raises(tp.UsageError, match="has no link: it answers nothing"):
        tp.score(WHOLE, WHOLE.iloc[:0], metric=metric)


@pytest.mark.parametrize("rows", [ROWS[:1], [*ROWS, ("d1", "a", "AFTER", "b")], [("d1", "a", "AFTER", "b"), *ROWS]])
def test_pairs_that_are_not_answered_or_answered_twice(rows):
    system = pd.DataFrame(rows, columns=COLUMNS)
    twice = len(rows) > len(ROWS)
    with pytest.warns(tp.InputWarning):
        found = tp.score(WHOLE, system, metric="pairs")
    answered = 3 if twice else 1
    assert f"{answered} of 3 pairs answered" in repr(found)
    assert f"|coverage:{answered}/3|" in found.signature
    total = found.to_dict()
    assert (total["asked"], total["answered"], total["answered_twice"]) == (3, answered, int(twice))
    if twice:
        assert "BEFORE and AFTER" in str(found.warnings) or "AFTER and BEFORE" in str(found.warnings)
        assert found.counts.correct == 2


# --- columns that the caller names ------------------------------------------------------------------------------------

TWO_LABELS = WHOLE.rename(columns={"relation": "gold"}).assign(pred=["AFTER", "BEFORE", "AFTER"])
NAMED = {
    "check": lambda named: tp.check(TWO_LABELS, columns=named),
    "Oracle": lambda named: tp.Oracle(TWO_LABELS.iloc[:2], columns=named),
    "Session": lambda named: tp.Session(TWO_LABELS.iloc[:2], columns=named),
    "check, records": lambda named: tp.check(TWO_LABELS.to_dict("records"), columns=named),
    "score": lambda named: tp.score(TWO_LABELS, TWO_LABELS, gold_columns="relation=gold", system_columns=named),
    "agree": lambda named: tp.agree(TWO_LABELS, TWO_LABELS, gold_columns={"relation": "gold"}, system_columns=named),
    "agree, same": lambda named: tp.agree(TWO_LABELS, WHOLE, columns=named),
    "compare": lambda named: tp.compare(
        TWO_LABELS, {"one": TWO_LABELS, "other": TWO_LABELS}, gold_columns={"relation": "gold"}, system_columns=named
    ),
    "official": lambda named: tp.official("matres", TWO_LABELS, TWO_LABELS, gold_columns=named, system_columns=named),
}


@pytest.mark.parametrize("name", NAMED)
def test_columns_of_values_are_chosen_or_refused(name):
    for misspelled in ("relation=prde", {"relation": "prde"}, {"source": "prde"}):
        with pytest.raises(tp.UsageError, match="no input has a column 'prde'"):
            NAMED[name](misspelled)
    for shape in (5, [], ["relation", "pred"], [{"relation": "pred"}], "relation"):
        with pytest.raises(tp.UsageError, match="columns"):
            NAMED[name](shape)
    with pytest.raises(tp.UsageError, match="several columns of labels: 'gold', 'pred'; choose one"):
        tp.check(TWO_LABELS)
    NAMED[name]({"relation": "pred"})


def test_both_sides_of_one_frame_are_scored_by_the_columns_that_are_chosen():
    chosen = {"gold_columns": {"relation": "gold"}, "system_columns": {"relation": "pred"}}
    assert tp.score(TWO_LABELS, TWO_LABELS, metric="pairs", **chosen).f1 == pytest.approx(2 / 3)
    assert tp.agree(TWO_LABELS, TWO_LABELS, **chosen).forward.f1 < 1
    assert tp.compare(TWO_LABELS, {"one": TWO_LABELS, "other": WHOLE}, **chosen).of("one").score.f1 < 1
