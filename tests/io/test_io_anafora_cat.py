"""Anafora's second layer of links, the choice of reading for CAT, and ids that are missing, repeated or of others."""

import pytest
from test_io_tab_golden import GOLDEN

import temporacle as tp
from temporacle.io import Options, Source, read_source, sources


def sample(name, **options):
    (path,) = (GOLDEN / name / "input").iterdir()
    return tp.read(path, **options)


def test_document_time_relations_are_links_if_asked_for():
    plain, both = sample("anafora/note"), sample("anafora/note", doctimerel=True)
    assert both.links[: len(plain.links)] == plain.links
    (added,) = both.links[len(plain.links) :]
    assert added.id == "DocTimeRel:2@e@visit9@gold"
    assert (added.source, str(added.relation), added.target) == ("2@e@visit9@gold", "b|m", "1@e@visit9@gold")
    assert added.line == 5


def test_a_document_time_is_made_where_there_is_none(tmp_path):
    path = tmp_path / "n.xml"
    path.write_text(
        "<data><annotations><entity><id>1@e@n@gold</id><span>0,1</span><type>EVENT</type>"
        "<properties><DocTimeRel>AFTER</DocTimeRel></properties></entity></annotations></data>"
    )
    assert tp.read(path).remarks == ()
    document = tp.read(path, doctimerel=True)
    (link,) = document.links
    assert (link.source, str(link.relation), link.target) == ("1@e@n@gold", "mi|bi", "DOCTIME")
    assert document.entity_ids == tuple(entity.id for entity in document.entities) == ("1@e@n@gold", "DOCTIME")
    assert document.entities[-1].is_dct
    assert [remark.code for remark in document.remarks] == ["no-dct"]


def test_a_property_called_entity_is_not_an_entity(tmp_path):
    path = tmp_path / "n.xml"
    event = "<entity><id>{}@e</id><span>0,1</span><type>EVENT</type></entity>"
    path.write_text(
        f"<data><annotations>{event.format(1)}{event.format(2)}"
        "<relation><id>1@r</id><type>TLINK</type><properties><Source>1@e</Source><Type>BEFORE</Type>"
        "<Target>2@e</Target><entity></entity><relation/></properties></relation></annotations></data>"
    )
    document = tp.read(path)
    assert document.remarks == ()
    assert len(document.links) == 1


def test_only_the_temporal_layer_of_an_anafora_document_is_read(tmp_path):
    note = tmp_path / "note7"
    note.mkdir()
    empty = "<data><annotations></annotations></data>"
    for schema in ("Coreference", "Temporal-Relation", "Temporal-Entity", "UMLS"):
        (note / f"note7.{schema}.gold.completed.xml").write_text(empty)
    (note / "other.UMLS.gold.completed.xml").write_text(empty)  # nothing temporal beside it
    remarks = []
    found = [source.path.rpartition("/")[2] for source in sources(tmp_path, Options(), report=remarks.append)]
    assert found == ["note7.Temporal-Relation.gold.completed.xml", "other.UMLS.gold.completed.xml"]
    assert [remark.code for remark in remarks] == ["skipped-layer"]


@pytest.mark.parametrize(
    ("name", "chosen", "relation"),
    [
        ("cat/meantime", None, "d"),
        ("cat/story", None, "b|m"),
        ("cat/story", "timeml", "b"),
    ],
)
def test_the_vocabulary_of_a_cat_corpus_chooses_its_reading(name, chosen, relation):
    document = sample(name, labels=chosen)
    assert str(document.links[0].relation) == relation
    assert document.reading.name == chosen or (document.reading.name == "thyme") == (name == "cat/story")


def only(text, **options):
    (document,) = read_source(Source("kite.xml", text.encode(), Options(**options)))
    return document


def cat(markables, links=""):
    return only(
        '<Document><token t_id="1" sentence="0">It</token><token t_id="2" sentence="0">rose</token>'
        f"<Markables>{markables}</Markables>\n<Relations>{links}</Relations></Document>"
    )


TIME = '<TIMEX3 m_id="5"/>'
CAT_LINK = '<TLINK r_id="1" relType="BEFORE"><source m_id="4"/><target m_id="5"/></TLINK>'


def test_an_event_of_cat_is_one_in_the_text():
    """Causal-TimeBank calls them EVENT, MEANTIME calls so what stands for several mentions."""
    document = cat('<EVENT m_id="4"><token_anchor t_id="2"/></EVENT>' + TIME, CAT_LINK)
    assert [(link.source, link.target) for link in document.links] == [("m4", "m5")]
    assert document.entities[0].spans == ((3, 7),)
    document = cat('<EVENT m_id="4" TAG_DESCRIPTOR="rise"/>' + TIME, CAT_LINK)
    assert [remark.code for remark in document.dropped] == ["not-an-entity"]


def test_older_cat_files_call_every_id_id():
    new = (
        '<Document><token t_id="1" sentence="0">It</token><token t_id="2" sentence="0">rose</token><Markables>'
        f'<EVENT m_id="4"><token_anchor t_id="2"/></EVENT>{TIME}</Markables>\n<Relations>{CAT_LINK}</Relations>'
        "</Document>"
    )
    old = new.replace("t_id", "id").replace("m_id", "id").replace("r_id", "id")
    assert only(new).links == only(old).links != ()
    assert only(new).entities == only(old).entities


def test_of_two_markables_with_one_number_the_first_counts():
    mention = '<EVENT_MENTION m_id="4"><token_anchor t_id="2"/></EVENT_MENTION>'
    document = cat(mention + '<ENTITY m_id="4"/>' + TIME, CAT_LINK)
    assert len(document.links) == 1
    document = cat('<ENTITY m_id="4"/>' + mention + TIME, CAT_LINK)
    assert [remark.code for remark in document.remarks] == ["duplicate-id", "not-an-entity"]
    assert [entity.id for entity in document.entities] == list(document.entity_ids) == ["m5"]


def test_things_without_an_id_are_told():
    document = cat('<EVENT_MENTION><token_anchor t_id="2"/></EVENT_MENTION>' + TIME)
    assert [remark.code for remark in document.remarks] == ["missing-id"]
    document = only("<data><annotations><entity><type>EVENT</type></entity></annotations></data>")
    assert [remark.code for remark in document.remarks] == ["missing-id"]
    document = only(
        '<root xmlns="http://chambers.com/corpusinfo"><file name="kite"><entry><events><event string="rose"/>'
        '<event id="e1" eiid=" "/></events><timexes><timex/></timexes></entry></file></root>'
    )
    assert [remark.code for remark in document.remarks] == ["missing-id", "missing-id"]
    assert document.entity_ids == ("e1",)


def test_a_link_of_anafora_to_something_that_is_no_interval():
    document = only(
        "<data><annotations><entity><id>1</id><type>EVENT</type></entity><entity><id>2</id><type>PERSON</type></entity>"
        "<relation><id>r</id><type>TLINK</type><properties><Source>1</Source><Type>BEFORE</Type><Target>2</Target>"
        "</properties></relation></annotations></data>"
    )
    assert [(remark.code, remark.message) for remark in document.dropped] == [
        ("not-an-entity", "'2' is an entity of type PERSON: neither an event nor a time")
    ]


def test_a_relation_of_anafora_without_type_is_told():
    document = only("<data><annotations><relation><id>r</id></relation></annotations></data>")
    assert [(remark.code, remark.element) for remark in document.dropped] == [("missing-type", "r")]
