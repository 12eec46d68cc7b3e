"""Fragments for notebooks: escaped, without scripts, and true."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from report.hostile import ATTACK
from report.seen import assert_inert, seen

from temporacle.corpus.read import read
from temporacle.model import Document, Link
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import NOTHING, Relation
from temporacle.report.notebook import conflict_html, timeline_html
from temporacle.results import Inconsistent
from temporacle.tasks.oracle import Oracle as DocumentOracle

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"


class Check(SimpleNamespace):
    """What a fragment needs of a result."""


def fragment(html):
    page = seen(html)
    assert_inert(page)
    assert not [tag for tag, _ in page.elements if tag in {"script", "a"}]
    assert page.elements[0] == ("div", {"class": "temporacle"})
    return page


def test_a_timeline_has_a_bar_for_every_linked_entity():
    document = read(CORPUS / "ferry.tml")
    page = fragment(timeline_html(document))
    linked = {end for link in document.links for end in (link.source, link.target)}
    assert sum(tag == "g" for tag, _ in page.elements) == len(linked)


def test_a_timeline_that_cannot_be_drawn_says_so():
    chain = [(f"e{number}", "BEFORE", f"e{number + 1}") for number in range(500)]
    for document in (Document("empty"), Document("long", chain)):
        page = fragment(timeline_html(document))
        assert not [tag for tag, _ in page.elements if tag == "svg"]
        assert any(document.id in text for text in page.texts)


@pytest.mark.parametrize("name", ["council.tml", "puzzle.tsv"])
def test_a_conflict_shows_its_links_and_sentences(name):
    document = read(CORPUS / name)
    answer = Oracle(document).consistency()
    assert isinstance(answer, Inconsistent)
    page = fragment(conflict_html(Check(document=document.id, conflict=answer.conflict)))
    texts = " ".join(page.texts)
    assert all(link.id in texts for link in answer.conflict)
    items = sum(tag == "li" for tag, _ in page.elements)
    assert items > len(answer.conflict)
    assert sum(tag == "svg" for tag, _ in page.elements) == 1


def test_a_checked_document_shows_words_and_sentences():
    page = fragment(DocumentOracle(CORPUS / "council.tml")._repr_html_())
    assert 'l1 (line 13): "voted" IS_INCLUDED "Wednesday"' in page.texts
    assert "The council [voted] on [Wednesday], right after a long [debate]." in page.texts
    assert "voted starts" in page.texts


def test_sentences_of_a_check_are_shown_as_they_are():
    links = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]).links
    page = fragment(conflict_html(Check(document="d", conflict=links, chain=("one", "two"))))
    assert {"one", "two"} <= set(page.texts)


def test_fragments_escape_everything():
    links = tuple(
        Link(f"l{ATTACK}", source, Relation.of("b"), target, label=ATTACK)
        for source, target in ((ATTACK, f"x{ATTACK}"), (f"x{ATTACK}", ATTACK))
    )
    page = fragment(conflict_html(Check(document=ATTACK, conflict=links)))
    assert sum(ATTACK in text for text in page.texts) >= 6
    document = Document(ATTACK, links[:1])
    assert any(ATTACK in text for text in fragment(timeline_html(document)).texts)


def test_a_check_without_a_conflict_has_no_fragment_and_an_impossible_link_has_one():
    assert conflict_html(Check(document="d", conflict=())) == ""
    assert fragment(conflict_html(Check(document="d", conflict=(Link("l1", "a", NOTHING, "b"),))))


def test_the_style_of_a_fragment_says_nothing_about_the_rest_of_a_notebook():
    document = Document("d", [("a", "BEFORE", "b")])
    style = timeline_html(document).partition("<style>")[2].partition("</style>")[0]
    for rule in style.split("}")[:-1]:
        for selector in rule.split("{")[0].split(","):
            assert selector.strip().startswith((".temporacle", "svg.drawing"))
