"""EventFull and OmniTemp JSON: read, written and changed; run files of models beside it."""

import json
from random import Random

import pytest
from shared_data import shared

import temporacle as tp
from temporacle.errors import UsageError
from temporacle.io import Source, read_source
from temporacle.io.edit import Edits, NewLink, changed
from temporacle.io.formats import WRITERS, example_of
from temporacle.io.recognise import recognise
from temporacle.io.source import Options

EXAMPLE = example_of("eventfull")


def read(text, name="ferry.json", **options):
    (document,) = read_source(Source(name, text.encode(), Options(**options)))
    return document


def written(document):
    said = []
    return WRITERS["eventfull"].text(document, said.append), said


def triples(document):
    return [(link.source, link.label, link.target) for link in document.links]


def naive_triples(text):
    pairs = [pair for pair in json.loads(text)["allPairs"] if pair.get("_relation")]
    return [(pair["_firstId"], pair["_relation"].split("/")[0], pair["_secondId"]) for pair in pairs]


def naive_is_consistent(links):
    """Start points on a line: before, after and equal can all hold iff no circle goes through a strict step."""
    steps = set()
    for first, label, second in links:
        if label == "before":
            steps.add((first, second, True))
        elif label == "after":
            steps.add((second, first, True))
        elif label == "equal":
            steps |= {(first, second, False), (second, first, False)}
    names = {name for step in steps for name in step[:2]}
    reach = {(one, two): strict for one, two, strict in sorted(steps, key=lambda step: step[2])}
    for middle in names:
        for one in names:
            for two in names:
                if (one, middle) in reach and (middle, two) in reach:
                    strict = reach[one, middle] or reach[middle, two]
                    reach[one, two] = reach.get((one, two), False) or strict
    return not any(strict for (one, two), strict in reach.items() if one == two)


def test_links_words_and_places():
    document = read(EXAMPLE)
    assert recognise(Source("x", EXAMPLE.encode())) == "eventfull"
    assert document.reading.name == "matres"
    assert (
        triples(document)
        == naive_triples(EXAMPLE)
        == [("1", "before", "2"), ("1", "before", "3"), ("2", "uncertain", "3")]
    )
    assert document.text == "The ferry left , docked and waited ."
    assert [[document.text[slice(*span)] for span in each.spans] for each in document.entities] == [
        ["left"],
        ["docked"],
        ["waited"],
    ]
    assert not document.remarks


def test_a_mention_may_have_gaps_and_tokens_may_have_blanks():
    record = {
        "tokens": ["took", "it  all", "off"],
        "allMentions": [{"m_id": 7, "tokens": "took off", "tokens_ids": [0, 2]}, {"m_id": "8", "tokens_ids": [9]}],
        "allPairs": [{"_firstId": 7, "_secondId": "8", "_relation": "after", "note": "x"}],
    }
    document = read(json.dumps(record))
    assert document.entities[0].spans == ((0, 4), (13, 16))
    assert (document.entities[1].spans, document.remarks[0].code) == ((), "span-outside")
    again = json.loads(written(document)[0])
    assert (again["tokens"], again["allPairs"][0]["note"]) == (record["tokens"], "x")
    assert again["allMentions"][0]["tokens_ids"] == [0, 2]


def test_pairs_that_wait_are_no_links_and_not_skipped():
    waiting = EXAMPLE.replace('"uncertain"', "null").replace('"before"}', '"unknown"}')
    document = read(waiting)
    assert triples(document) == [("1", "before", "2")]
    assert [(remark.code, remark.message) for remark in document.remarks] == [
        ("unanswered-pair", "2 pairs have no relation yet")
    ]
    assert not document.skipped_links


def test_what_cannot_be_used_is_counted():
    odd = EXAMPLE.replace('"before"}', '"befor"}').replace('"uncertain"', "3")
    assert read(odd).skipped_links == {"bad-link": 1, "unknown-label": 1}
    assert read(EXAMPLE.replace('"_secondId": "3"', '"_secondId": "9"')).skipped_links == {"dangling-id": 2}


def test_labels_of_intervals_get_a_hint_at_the_label_set_that_reads_them():
    text = EXAMPLE.replace('"before"}', '"is_included"}')
    (skipped,) = read(text).dropped
    assert "narrativetime would read 1 more link" in skipped.message
    assert str(read(text, reading="narrativetime").links[1].relation) == "d"


def test_a_project_is_refused_by_name():
    project = '{"main_doc": {"doc_id": "0", "tokens": []}, "sources": [], "clusters": []}'
    found = read(project)
    assert "project of EventFull" in str(found.error)
    for broken in ("[]", '{"allPairs": 3}', "{"):
        (found,) = read_source(Source("x.json", broken.encode(), format="eventfull"))
        assert found.error


def test_what_was_written_reads_as_the_same():
    document = read(EXAMPLE)
    text, said = written(document)
    assert not said
    assert json.loads(text) == json.loads(EXAMPLE)
    again = read(text)
    assert (again.links, again.entities, again.text) == (document.links, document.entities, document.text)


def test_through_json_lines_and_back(tmp_path):
    (tmp_path / "ferry.json").write_text(EXAMPLE)
    documents = list(tp.read_corpus(tmp_path))
    tp.write(documents, tmp_path / "all.jsonl")
    tp.write(tp.read_corpus(tmp_path / "all.jsonl"), tmp_path / "back", format="eventfull")
    assert json.loads((tmp_path / "back" / "ferry.json").read_text()) == json.loads(EXAMPLE)


def test_what_the_format_cannot_hold_is_said():
    made = tp.Document("d", [("a", "b", "b"), ("a", "b|m|o|fi|di", "c")])
    text, said = written(made)
    assert [(remark.code, remark.element) for remark in said] == [("not-written", "l1")]
    assert triples(read(text)) == [("a", "before", "c")]


def edited(text, **edits):
    return changed(Source("ferry.json", text.encode()), {"ferry": Edits(**edits)}).decode()


def test_changes_touch_what_was_asked():
    second = '    {"_firstId": "1", "_secondId": "3", "_relation": "before"},\n'
    assert edited(EXAMPLE, drop={"p2"}) == EXAMPLE.replace(second, "")
    assert edited(EXAMPLE, relabel={"p1": "EQUAL"}) == EXAMPLE.replace("before/cause", "equal/cause")
    new = edited(EXAMPLE, add=[NewLink("3", "AFTER", "1")])
    assert new == EXAMPLE.replace(
        '"uncertain"}', '"uncertain"},\n    {"_firstId": "3", "_secondId": "1", "_relation": "after"}'
    )
    with pytest.raises(UsageError, match="no place for notes"):
        edited(EXAMPLE, comment={"p1": "why"})


def test_random_files_agree_with_a_naive_reader():
    rng = Random("eventfull")
    for _ in range(150):
        names = [str(k) for k in range(rng.randint(2, 5))]
        pairs = [
            {
                "_firstId": first,
                "_secondId": second,
                "_relation": rng.choice(["before", "after/effect", "equal/coref", "vague", "uncertain/cause", None]),
            }
            for first in names
            for second in names
            if first < second and rng.random() < 0.8
        ]
        text = json.dumps({"allPairs": pairs})
        document = read(text)
        assert triples(document) == naive_triples(text)
        assert (tp.check(document)[0].verdict.value == "consistent") is naive_is_consistent(naive_triples(text))
        assert triples(read(written(document)[0])) == triples(document)


# --- run files --------------------------------------------------------------------------------------------------------

RUN = {
    "ferry.json": {"target": '<think>hm</think>\nstrict graph {\n"left(1)" -- "docked(2)" [rel=before];\n}'},
    "storm.json": {"target": None},
}


def test_a_run_file_is_one_answer_for_each_document(tmp_path):
    text = json.dumps(RUN, indent=4)
    assert recognise(Source("run.json", text.encode())) == "llm"
    assert recognise(Source("run.json", b'{"ferry.json": {"target": "' + b"x" * (1 << 21) + b'"}}')) == "llm"
    ferry, storm = read_source(Source("run.json", text.encode()))
    assert (ferry.id, triples(ferry)) == ("ferry", [("1", "BEFORE", "2")])
    assert (storm.id, storm.links) == ("storm", ())
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "ferry.json").write_text(EXAMPLE)
    (tmp_path / "run.json").write_text(text)
    score = tp.score(tmp_path / "gold", tmp_path / "run.json", metric="pairs")
    assert (score.precision, score.recall) == (1, pytest.approx(1 / 2))


@pytest.mark.corpora
def test_the_example_of_the_tool():
    folder = shared("corpora", "eventfull")
    for name, expected in json.loads((folder / "expected.json").read_text()).items():
        text = (folder / name).read_text()
        document = read(text, name)
        assert len(document.entities) == expected["mentions"]
        assert len(json.loads(text)["allPairs"]) == expected["pairs"]
        assert len(document.links) == expected["links"]
        labels = [link.label for link in document.links]
        assert {label: labels.count(label) for label in labels} == expected["labels"]
        (check,) = tp.check(document)
        assert check.verdict.value == expected["verdict"]
        assert triples(document) == naive_triples(text)
        assert json.loads(written(document)[0]) == json.loads(text)
