"""Answers of language models: tolerant in form, strict in meaning."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_data import shared

import temporacle as tp
from temporacle.errors import InputError
from temporacle.io import Options, Source, read_source
from temporacle.io.llm import known_label, statements_in
from temporacle.readings import load_reading

OWN_CODES = {"reasoning-skipped", "reasoning-not-closed", "several-graphs", "no-graph", "no-answer", "cut-off"}


def answers(path):
    return {document.id: document for document in tp.read_corpus(str(path))}


@pytest.mark.corpora
def test_samples_are_read_as_expected():
    folder = shared("corpora", "llm")
    found = answers(folder / "outputs.jsonl")
    for expected in json.loads((folder / "expected.json").read_text()):
        document = found[expected["document"]]
        assert document.format == "llm"
        links = [[link.source, link.label, link.target] for link in document.links]
        assert links == expected["links"], expected["document"]
        codes = [remark.code for remark in document.remarks if remark.code != "unanswered-pair"]
        assert sorted(codes) == sorted(problem.split()[0] for problem in expected["problems"]), expected["document"]
        messages = " ".join(remark.message for remark in document.remarks)
        for problem in expected["problems"]:
            code, *about = problem.split()
            if code not in OWN_CODES:
                assert all(word in messages for word in about), problem
        unanswered = [remark for remark in document.remarks if remark.code == "unanswered-pair"]
        assert bool(unanswered) == bool(expected["missing"])
        if document.links:
            consistent = isinstance(tp.Oracle(document).consistency(), tp.Consistent)
            assert consistent is expected["consistent"], expected["document"]


def text_links(text, **options):
    (document,) = read_source(Source("answer.txt", text.encode(), Options(format="llm", **options), format="llm"))
    return [(link.source, link.label, link.target) for link in document.links], document


@pytest.mark.parametrize(
    "text",
    [
        "e1 BEFORE e2",
        "1. e1 before e2.",
        "- **e1 before e2**, since the ship left",
        "(left(e1)) -- nothing\nleft(e1) -> docked(e2) [label=before]",
        '[["e1", "before", "e2"]]',
        '[["left(e1)", "docked(e2)", "BEFORE"]]',
        'Here: ```json\n{"relations": [{"source": "e1", "target": "e2", "label": "before"}]}\n```',
        "| e1 | before | e2 |",
    ],
)
def test_many_forms_mean_the_same(text):
    assert text_links(text)[0] == [("e1", "BEFORE", "e2")]


def test_words_of_prose_are_not_statements():
    links, document = text_links("The ship left before it docked, and after that the fish was sold.")
    assert links == []
    assert [remark.code for remark in document.dropped] == ["no-answer"]


def test_labels_are_those_of_the_reading():
    links, document = text_links("e1 INCLUDES e2\ne1 contains e3", reading="timeml")
    assert links == [("e1", "INCLUDES", "e2")]
    assert [remark.code for remark in document.dropped] == ["unknown-label"]
    assert known_label("simultaneous", load_reading("timeml")) == "SIMULTANEOUS"
    assert known_label("equal", load_reading("timeml")) == "SIMULTANEOUS"
    assert known_label("simultaneous", load_reading("matres")) == "EQUAL"


@pytest.mark.parametrize("record", [{"text": "x", "asked": [1]}, {"text": "x", "asked": "y"}])
def test_bad_records_are_unreadable(record, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    (found,) = tp.read_corpus(str(tmp_path / "a.jsonl"))
    assert isinstance(found.error, InputError)


def test_an_answer_that_is_no_text_has_nothing_to_read(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"document": "d", "text": 3, "asked": []}')
    (found,) = tp.read_corpus(str(tmp_path / "a.jsonl"))
    assert (found.links, found.skipped_links) == ((), {"no-answer": 1})


@given(st.text(alphabet='e1(2)-->[]rel=before;"\n{}|:graph<think>/* ', max_size=80))
def test_no_text_breaks_the_reader(text):
    for statement in statements_in(text).statements:
        assert all(isinstance(part, str) for part in statement)


def test_a_conflict_can_be_fed_back():
    (check,) = tp.check([("1", "BEFORE", "2"), ("2", "BEFORE", "3"), ("3", "BEFORE", "1")])
    sentence = check.feedback()
    assert all(name in sentence for name in ("1 BEFORE 2", "2 BEFORE 3", "3 BEFORE 1"))
    assert sentence.endswith(".")
    (fine,) = tp.check([("1", "BEFORE", "2")])
    assert fine.feedback() == ""


def test_entities_have_the_words_that_the_model_wrote(tmp_path):
    (tmp_path / "answer.md").write_text(
        'graph {\n"left(1)" -- "set sail (2)" [rel=before];\n2 after 1\ne3 -- e4 [rel=equal]\n}'
    )
    document = tp.read(tmp_path / "answer.md", format="llm")
    assert {each.id: each.text for each in document.entities} == {"1": "left", "2": "set sail", "e3": None, "e4": None}
