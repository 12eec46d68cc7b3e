"""Anafora's second layer of links, and the choice of reading for CAT."""

import pytest
from test_io_tab_golden import GOLDEN

from temporacle.io import Options, read


def sample(name, **options):
    (path,) = (GOLDEN / name / "input").iterdir()
    return read(path, Options(**options))


def test_document_time_relations_are_links_if_asked_for():
    plain, both = sample("anafora/note"), sample("anafora/note", doctimerel=True)
    assert both.links[: len(plain.links)] == plain.links
    (added,) = both.links[len(plain.links) :]
    assert added.id == "DocTimeRel:2@e@visit9@gold"
    assert (added.source, str(added.relation), added.target) == ("2@e@visit9@gold", "b|m", "1@e@visit9@gold")
    assert added.line == 5


def test_document_time_relations_need_a_document_time(tmp_path):
    path = tmp_path / "n.xml"
    path.write_text(
        "<data><annotations><entity><id>1@e@n@gold</id><span>0,1</span><type>EVENT</type>"
        "<properties><DocTimeRel>AFTER</DocTimeRel></properties></entity></annotations></data>"
    )
    assert read(path).remarks == ()
    document = read(path, Options(doctimerel=True))
    assert document.links == ()
    assert [remark.code for remark in document.remarks] == ["no-dct"]


@pytest.mark.parametrize(
    ("name", "chosen", "relation"),
    [
        ("cat/meantime", None, "d"),
        ("cat/story", None, "b|m"),
        ("cat/story", "timeml", "b"),
    ],
)
def test_the_vocabulary_of_a_cat_corpus_chooses_its_reading(name, chosen, relation):
    document = sample(name, reading=chosen)
    assert str(document.links[0].relation) == relation
    assert document.reading == chosen or (document.reading == "thyme") == (name == "cat/story")
