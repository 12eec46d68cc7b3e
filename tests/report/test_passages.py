"""Sentences around mentions: where they begin and end, and what is cut."""

from random import Random

import pytest

from temporacle.model import Body, Document, Entity
from temporacle.passages import LONGEST, REACH, excerpts_of, sentence_around


def around(text, words):
    start = text.index(words)
    return sentence_around(text, start, start + len(words))


@pytest.mark.parametrize(
    ("text", "words", "sentence"),
    [
        ("It rained. The ferry docked. It left.", "docked", "The ferry docked."),
        ("It rained. The ferry docked", "docked", "The ferry docked"),
        ("Mr. Lee of the U.S. Navy sailed on.", "sailed", "Mr. Lee of the U.S. Navy sailed on."),
        ('He asked: "Who sailed?" Nobody knew.', "sailed", 'He asked: "Who sailed?"'),
        ("It rose by 3.5 points. then it fell.", "fell", "It rose by 3.5 points. then it fell."),
        ("STORM HITS COAST\n\nIt began at noon . It ended .", "began", "It began at noon ."),
        ("A ship\nof two masts\nsank off the coast", "sank", "A ship\nof two masts\nsank off the coast"),
        ("船は出た。嵐が来た！船は沈んだ。", "来た", "嵐が来た！"),
        ("sank", "sank", "sank"),
    ],
)
def test_sentences(text, words, sentence):
    found = around(text, words)
    assert (found.raw, found.begins_earlier, found.goes_on) == (sentence, False, False)


def test_texts_without_punctuation_are_cut_at_spaces():
    text = "word " * 500 + "sank" + " word" * 500
    found = around(text, "sank")
    assert (found.begins_earlier, found.goes_on) == (True, True)
    assert set(found.raw.split()) == {"word", "sank"}
    assert REACH < len(found.raw) <= 2 * REACH + 4


def test_any_stretch_of_any_text_has_a_passage_around_it():
    rng = Random(1)
    for _ in range(2000):
        text = "".join(rng.choice("aB .!?\n\"'”。é") for _ in range(rng.randint(1, 700)))
        start = rng.randrange(len(text))
        end = rng.randint(start + 1, len(text))
        found = sentence_around(text, start, end)
        assert 0 <= found.start <= start < found.end <= len(text)
        assert min(end, start + REACH) <= found.end
        assert found.raw == text[found.start : found.end]
        assert len(found.raw) <= 3 * REACH
        assert found.begins_earlier or found.start == 0 or not text[found.start - 1].isalpha()


def test_a_sentence_with_several_mentions_is_quoted_once():
    text = "The ferry left. The storm began and the ship sank. All swam."
    places = {word: text.index(word) for word in ("left.", "began", "sank.", "swam.")}
    entities = [Entity(word, text=word, spans=((place, place + len(word)),)) for word, place in places.items()]
    entities.append(Entity("dct", text="5 May"))
    entities.append(Entity("broken", text="no such place", spans=((50, 5000),)))
    document = Document("d", body=Body(tuple(entities), text))
    found = excerpts_of(document, {"began", "sank.", "left.", "dct", "broken"})
    quoted = found.quotations(["sank.", "began", "dct", "broken"])
    assert [each.marked for each in quoted] == ["The storm [began] and the ship [sank.]"]
    assert quoted[0].to_dict()["entities"] == ["began", "sank."]
    assert (found.texts["dct"], found.texts["broken"], "swam." in found.texts) == ("5 May", "no such place", False)
    assert found.places.keys() == {"began", "sank.", "left."}
    assert excerpts_of(Document("empty"), {"a"}).quotations(["a"]) == []


def test_long_passages_are_joined_only_as_far_as_they_stay_short():
    text = "word " * 2000
    entities = tuple(Entity(f"e{k}", text="word", spans=((50 * k, 50 * k + 4),)) for k in range(200))
    found = excerpts_of(Document("d", body=Body(entities, text)), {each.id for each in entities})
    assert max(len(passage.raw) for passage in found.passages) <= LONGEST
    for quotation in found.quotations(each.id for each in entities):
        for mention in quotation.mentions:
            assert quotation.passage.start <= mention.spans[0][0] < quotation.passage.end
    assert sum(len(each.mentions) for each in found.quotations(each.id for each in entities)) == 200
