"""Answers of language models scored by every metric: what cannot be used is counted, and nothing is refused."""

import json
from fractions import Fraction
from random import Random

import pandas as pd
import pytest
from llm_twin import links_of
from shared_data import shared

import temporacle as tp
from temporacle.cli import run
from temporacle.scoring.metric import METRICS

ASKED = [["1", "2"], ["2", "3"]]
ANSWERS = [
    {
        "document": "d1",
        "labels": "matres",
        "asked": ASKED,
        "text": "left(1) before docked(2)\ndocked(2) after sailed(3)",
    },
    {"document": "d2", "labels": "matres", "text": "I am sorry, I cannot tell."},
    {"document": "d3", "labels": "matres", "text": ""},
    {"document": "d4", "labels": "matres", "text": "left(1) during docked(2)\nghost(9) before docked(2)"},
    {"document": "d5", "labels": "matres", "text": 12},
    {"document": "d6", "labels": "matres", "text": "ghost(8) before ghost(9)"},
]
GOLD = [("d1", "1", "BEFORE", "2"), ("d1", "2", "AFTER", "3")]
GOLD += [(f"d{number}", "1", "BEFORE", "2") for number in range(2, 7)]


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in ANSWERS))
    return path


def gold_frame(rows=GOLD):
    return pd.DataFrame(rows, columns=["document", "source", "relation", "target"])


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "timeline"])
def test_every_metric_scores_them(answers, metric):
    found = tp.score(gold_frame(), answers, metric=metric)
    assert found.scored == 6
    assert found.skipped == ()
    during = {"unknown-label": 1} if metric == "pairs" else {}  # no label of MATRES
    assert found.skipped_links["system"] == {"no-answer": 3, "unknown-id": 2, **during}
    assert found.documents[0].f1 == 1
    assert [each.f1 for each in found.documents if each.document != "d4"][1:] == [0] * 4
    assert f"skipped:0/{5 + len(during)}" in found.signature


def test_pairs_without_an_answer_are_missing(answers):
    found = tp.score(gold_frame(), answers, metric="pairs")
    assert found.counts.coverage() == {"asked": 7, "answered": 2, "answered_twice": 0}
    assert any("'DURING'" in remark.message for remark in found.warnings)
    assert tp.official("matres", gold_frame(), answers).total["answered"] == 2


def test_labels_are_those_of_gold(answers):
    rows = [
        (document, source, "b" if relation == "BEFORE" else "bi", target) for document, source, relation, target in GOLD
    ]
    assert tp.score(gold_frame(rows), answers).f1 == tp.score(gold_frame(), answers).f1 > 0


PIECES = [
    "", "(", "before", "}", "{", '"', "\n", "9", "--", "->", ";", "[", "]", "[rel=after]", "|", "e1", "</think>",
    "<think>", "graph {", "//", "/*", "*/", "#", "AFTER", "\u2014", "'", ":", "*", ",", "(2)", " ", "\t", "null",
    "VAGUE", "\x00", "\ud800",
]  # fmt: skip


def mutated(random, text):
    text = list(text)
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(text) + 1)
        text[place : place + random.choice([0, 1, 2, 9, 40])] = random.choice(PIECES)
    return "".join(text)


@pytest.mark.slow
@pytest.mark.corpora
def test_all_answers_and_10000_mutated_ones_are_read_scored_and_assessed(tmp_path):
    random = Random(37)
    lines = [json.loads(line) for line in shared("corpora", "llm", "outputs.jsonl").read_text("utf-8").splitlines()]
    given = [*lines, *({**each, "text": mutated(random, each["text"])} for each in random.choices(lines, k=10_000))]
    given = [{**each, "document": f"d{number}"} for number, each in enumerate(given)]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in given), "utf-8")
    expected = [links_of(each["text"], each["asked"]) for each in given]
    found = [[(x.source, x.label, x.target) for x in document.links] for document in tp.read_corpus(path)]
    assert found == expected
    assert sum(map(bool, found)) > 4_000
    gold = [(each["document"], *pair[:1], "BEFORE", *pair[1:]) for each in given for pair in each["asked"]]
    for metric in ("pairs", "awareness"):
        total = tp.score(gold_frame(gold), path, metric=metric)
        assert (total.scored, total.skipped) == (len(given), ())
    in_memory = tp.score(gold_frame(gold), {each["document"]: each["text"] for each in given}, metric="awareness")
    assert (in_memory.counts, in_memory.skipped) == (total.counts, ())
    for each, links in zip(given, expected, strict=True):
        pairs = [(first, "BEFORE", second) for first, second in each["asked"]]
        worth = tp.assess(each["text"], pairs)
        assert worth.parsed or (worth.reward, links) == (0, [])
        assert 0 <= worth.reward <= 1


def test_a_pair_answered_both_ways_with_one_label_is_contradictory(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"document": "d1", "labels": "matres", "text": "a(1) before b(2)\nb(2) before a(1)"}))
    found = tp.score(gold_frame([("d1", "1", "BEFORE", "2")]), path, metric="pairs")
    assert (found.f1, found.counts.answered_twice) == (0, 1)


SEVERAL = [
    ("d1", "a(1) before b(2)\nb(2) before c(3)"),
    ("d1", "a(1) after b(2)\nb(2) before c(3)"),
    ("d1", "I cannot tell."),
    ("d2", "x(1) before y(2)\nghost(9) before y(2)"),
    ("d2", "x(1) before y(2)"),
]
ASKED_OF = [
    ("d1", "1", "BEFORE", "2"),
    ("d1", "2", "BEFORE", "3"),
    ("d2", "1", "BEFORE", "2"),
    ("d3", "1", "AFTER", "2"),
]


@pytest.fixture
def several(tmp_path):
    path = tmp_path / "several.jsonl"
    path.write_text("".join(json.dumps({"document": d, "labels": "matres", "text": t}) + "\n" for d, t in SEVERAL))
    return path


@pytest.mark.parametrize("metric", [name for name in METRICS if name != "timeline"])
def test_several_answers_are_scored_one_by_one(several, tmp_path, metric):
    found = tp.score(gold_frame(ASKED_OF), several, metric=metric, answers=True)
    alone = []
    for document, text in SEVERAL:
        path = tmp_path / "alone.jsonl"
        path.write_text(json.dumps({"document": document, "labels": "matres", "text": text}))
        rows = [row for row in ASKED_OF if row[0] == document]
        alone.append(tp.score(gold_frame(rows), path, metric=metric).documents[0])
    assert [each.counts for one in found.documents[:2] for each in one.answers] == [each.counts for each in alone]
    assert [(each.document, len(each.answers)) for each in found.documents] == [("d1", 3), ("d2", 2), ("d3", 1)]
    first, second, third = found.documents
    assert (first.best.f1, second.best.f1, third.best.f1) == (1, 1, 0)
    assert (first.agreement, second.agreement, third.agreement) == (Fraction(1, 6), Fraction(1, 2), None)
    assert (found.agreement, found.answers) == (Fraction(1, 3), 6)
    # Each document weighs the same: its answers count 6 times together, 6 being the smallest common multiple.
    missing = found.documents[2].answers[0].counts
    assert (
        found.mean.counts
        == sum((each.counts * 2 for each in alone[:3]), missing * 6) + alone[3].counts * 3 + alone[4].counts * 3
    )
    assert found.best.f1 == found.consensus.f1
    assert found.consensus.documents[0].f1 == 1
    assert found.mean.skipped_links["system"] == {"no-answer": 1, "unknown-id": 1}
    assert "|skipped:0/2|answers:1-3-mean|" in found.mean.signature
    assert found.to_dict()["mean"]["f1"] == float(found.mean.f1)
    assert len(found.to_frame()) == 3
    assert "consensus" in found._repr_html_()


def test_macro_averages_are_means_over_documents(several):
    found = tp.score(gold_frame(ASKED_OF), several, metric="pairs", answers=True, average="macro")
    assert found.mean.f1 == sum(each.mean for each in found.documents) / 3


def test_answers_from_runs_and_frames_are_taken_together(several):
    both = tp.score(gold_frame(ASKED_OF), tp.Runs(gold_frame(ASKED_OF), gold_frame(ASKED_OF[:2])), answers=True)
    assert [len(each.answers) for each in both.documents] == [2, 1, 1]
    assert both.mean.f1 == both.best.f1 == both.consensus.f1 == 1
    found = tp.score(gold_frame(ASKED_OF), several, metric=["pairs", "awareness"], answers=True)
    assert [each.mean.metric for each in found] == ["pairs", "awareness"]


def test_the_command_prints_mean_best_consensus_and_agreement(several, tmp_path, capsys):
    gold = tmp_path / "gold.csv"
    gold_frame(ASKED_OF).to_csv(gold, index=False)
    assert run(["score", str(gold), str(several), "--answers", "--metric", "pairs"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["document", "answers", "mean", "best", "consensus", "agreement"]
    assert lines[1].split() == ["d1", "3", "0.5000", "1.0000", "1.0000", "0.1667"]
    assert run(["score", str(gold), str(several), "--answers", "--output", "json"]) == 3
    *documents, total = map(json.loads, capsys.readouterr().out.splitlines())
    assert [each["document"] for each in documents] == ["d1", "d2", "d3"]
    assert (total["answers"], total["consensus"]["total"]) == (6, True)
    for wrong in (["--by", "label"], ["--compare", str(several)], ["--resume", "x.journal"], ["--id-map", str(gold)]):
        assert run(["score", str(gold), str(several), "--answers", *wrong]) == 2


def test_two_answers_are_refused_with_the_cure(several):
    with pytest.raises(tp.UsageError, match="score several answers of a model with answers=True"):
        tp.score(gold_frame(ASKED_OF), several)


# ----------------------------------------------------------------------------------------------------
# In memory

TEXTS = {"d1": "a(1) before b(2)\nb(2) after c(3)", "d2": "I cannot tell.", "d4": ""}
KEYS = {"d1": [("1", "BEFORE", "2"), ("2", "AFTER", "3")], "d2": [("1", "BEFORE", "2")], "d4": [("1", "AFTER", "2")]}
SHAPES = {
    "texts by name": TEXTS,
    "lists by name": {name: [text] for name, text in TEXTS.items()},
    "records": [{"document": name, "text": text} for name, text in TEXTS.items()],
    "records of another key": [{"document": name, "completion": text, "seed": 1} for name, text in TEXTS.items()],
    "records with labels": [{"document": name, "text": text, "labels": "matres"} for name, text in TEXTS.items()],
    "run file": {f"{name}.json": {"target": text} for name, text in TEXTS.items()},
    "columns": {"document": list(TEXTS), "answer": list(TEXTS.values())},
    "frame": pd.DataFrame({"document": list(TEXTS), "response": list(TEXTS.values())}),
    "JSON Lines": "".join(json.dumps({"document": name, "text": text}) + "\n" for name, text in TEXTS.items()),
    "JSON Lines with ids": "".join(json.dumps({"id": name, "response": text}) + "\n" for name, text in TEXTS.items()),
    "JSON by name": json.dumps(TEXTS),
    "missing": {"d1": TEXTS["d1"], "d2": None, "d4": float("nan")},
    "statements and texts": {"d1": KEYS["d1"], "d2": "no", "d4": None},
    "messages": {
        name: [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for name, text in TEXTS.items()
    },
    "replies": {
        name: {"choices": [{"message": {"role": "assistant", "content": text}}]} for name, text in TEXTS.items()
    },
    "objects": {
        "d1": {"relations": [dict(zip(("e1", "label", "e2"), each, strict=True)) for each in KEYS["d1"]]},
        "d2": {},
        "d4": {},
    },
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("metric", ["pairs", "awareness"])
def test_answers_in_memory_are_scored_and_never_raise(shape, metric):
    found = tp.score(KEYS, SHAPES[shape], metric=metric)
    assert (found.scored, found.skipped) == (3, ())
    assert [float(each.f1) for each in found.documents] == [1, 0, 0]
    assert found.skipped_links["system"] == {"no-answer": 2}


@pytest.mark.parametrize(
    "text",
    [
        "sailed(1) before docked(2)",
        "sailed(1) before docked(2)\n",
        '```json\n[{\'source\': \'1\'}]\n[{"source": "1", "relation": "before", "target": "2"}]',
        '{"relations": [{"event1": "1", "relation": "before", "event2": "2"}]}',
        "| sailed(1) | docked(2) | before |",
    ],
)
def test_one_text_is_an_answer_about_the_only_document(text):
    gold = [("1", "BEFORE", "2"), ("2", "BEFORE", "3")]
    assert tp.score(gold, text, metric="pairs").f1 == Fraction(2, 3)
    assert tp.score(gold, text, metric="pairs", format="llm").f1 == Fraction(2, 3)
    assert tp.score(gold, {"role": "assistant", "content": text}, metric="pairs").f1 == Fraction(2, 3)


def test_a_text_in_tags_tabs_or_like_a_path_is_an_answer_among_others():
    texts = {
        "d1": "</think>\na(1) before b(2)\nb(2) after c(3)",
        "d2": "<answer>\na(1) before b(2)\n</answer>",
        "d4": "a/b",
    }
    assert tp.score(KEYS, texts, metric="pairs").counts.answered == 3
    assert tp.score(KEYS, {**texts, "d4": "I cannot\tsay\tthis"}, metric="pairs").counts.answered == 3


def test_texts_without_statements_are_answers_and_files_are_not():
    gold = [("1", "BEFORE", "2")]
    for text in ("I cannot tell.\nSorry.", "I cannot tell."):
        assert tp.score(gold, text).skipped_links["system"] == {"no-answer": 1}
    assert tp.score(gold, "", format="llm").skipped_links["system"] == {"no-answer": 1}
    one = {"d1": "BEFORE", "d2": "unclear"}
    assert tp.score(dict.fromkeys(one, gold), one, metric="pairs").counts.missing == 2
    for source in ("", "<TimeML>\n</TimeM", "source,target\na,b\n", {"d1": "gold/d1.tml"}, {"d1": "d1.tml"}, {"d1": 3}):
        with pytest.raises(tp.UsageError):
            tp.score(gold, source)


@pytest.mark.parametrize("odd", [{}, {"text": "a(1) before b(2)", "asked": "y"}, {"reply": "a(1) before b(2)"}])
@pytest.mark.parametrize("in_memory", [True, False])
def test_an_unreadable_answer_has_all_pairs_missing(odd, in_memory, tmp_path):
    records = [{"document": "d1", "text": TEXTS["d1"]}, {"document": "d2", **odd}]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    gold = {name: KEYS[name] for name in ("d1", "d2")}
    found = tp.score(gold, records if in_memory else path, metric="pairs")
    assert (found.scored, found.counts.asked, found.counts.answered, found.f1) == (2, 3, 2, Fraction(4, 5))
    assert "unreadable" in {each.code for each in found.warnings}
    assert run(["score", str(path), str(path), "--metric", "pairs", "--allow", "same-input"]) == 3


def test_no_value_ends_a_score_of_several_answers():
    links = [("1", "BEFORE", "2")]
    odd = {"a": 3, "b": True, "c": [{"relations": []}], "d": object(), "e": {"x": 1}, "f": [3, "4", ("5",)]}
    gold = dict.fromkeys((*odd, "right"), links)
    found = tp.score(gold, {**odd, "right": links}, metric="pairs", answers=True)
    assert (found.answers, found.mean.counts.answered) == (7, 1)
    assert found.mean.skipped_links["system"] == {"no-answer": 6}
    with pytest.raises(tp.UsageError):
        tp.score(gold, odd, metric="pairs")


def test_a_record_with_a_name_and_a_text_is_one_answer():
    (found,) = tp.read_corpus({"document": "harbour", "text": "sailed(1) before docked(2)"})
    assert (found.id, len(found.links)) == ("harbour", 1)


def test_pairwise_scores_go_by_names_also_of_documents():
    system = [tp.Document(name, links[:1]) for name, links in KEYS.items()]
    assert tp.score(KEYS, system, metric="pairs").f1 == Fraction(6, 7)
    gold = [tp.Document(name, links) for name, links in KEYS.items()]
    assert tp.score(gold, {name: links[:1] for name, links in KEYS.items()}, metric="pairs").f1 == Fraction(6, 7)
    runs = {"ours": [system, gold], "base": {name: links[:1] for name, links in KEYS.items()}}
    assert [each.score.f1 for each in tp.compare(KEYS, runs, metric="pairs")] == [Fraction(13, 14), Fraction(6, 7)]


def test_several_answers_in_memory():
    texts = {"d1": [TEXTS["d1"], "no"], "d2": ["", "x(1) before y(2)"], "d4": [""]}
    found = tp.score(KEYS, texts, metric="pairs", answers=True)
    assert [(len(each.answers), each.mean, each.best.f1) for each in found.documents] == [
        (2, Fraction(1, 2), 1),
        (2, Fraction(1, 2), 1),
        (1, 0, 0),
    ]
    frame = pd.DataFrame([(name, text) for name, own in texts.items() for text in own], columns=["document", "text"])
    assert repr(tp.score(KEYS, frame, metric="pairs", answers=True)) == repr(found)
    assert repr(tp.score(KEYS, json.dumps(texts), metric="pairs", answers=True)) == repr(found)
    runs = [{"d1": TEXTS["d1"], "d2": "", "d4": ""}, {"d1": "no", "d2": "x(1) before y(2)"}]
    assert repr(tp.score(KEYS, runs, metric="pairs", answers=True)) == repr(found)
    assert [len(each.runs) for each in tp.compare(KEYS, {"ours": runs, "other": runs[0]}, metric="pairs")] == [1, 2]
    with pytest.raises(tp.UsageError, match="answers=True"):
        tp.score(KEYS, texts)
    links = {"d1": [KEYS["d1"], []], "d2": [[], KEYS["d2"]], "d4": [[]]}
    again = tp.score(KEYS, links, metric="pairs", answers=True)
    assert (again.mean.f1, again.best.f1) == (found.mean.f1, found.best.f1)


@pytest.mark.parametrize(
    "source", [{"a": "b"}, {"a": ["x", "BEFORE", "y"]}, {"a": "gold/d1.tml"}, {"a": 3, "b": "c d"}]
)
def test_names_and_statements_are_no_answers(source):
    with pytest.raises(tp.UsageError):
        list(tp.read_corpus(source))
