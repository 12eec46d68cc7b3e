"""``tp.repair``: what is left of a document, what may be protected, and when there is no repair."""

import pytest

import temporacle as tp
from temporacle.errors import BudgetExceeded, ContradictionError, UsageError
from temporacle.model import Document, Link
from temporacle.relation import Relation
from temporacle.tasks.oracle import protected

CIRCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a"), ("c", "AFTER", "d")]
DOCUMENT = Document("d", CIRCLE)


def kept(document=DOCUMENT, **options):
    return [link.id for link in tp.repair(document, **options).links]


def test_the_lightest_links_are_dropped():
    assert kept() == ["l2", "l3", "l4"]
    heavy = Document("d", [link._replace(weight=3 if link.id == "l1" else 1) for link in DOCUMENT.links])
    assert kept(heavy) == ["l1", "l3", "l4"]


def test_protected_links_stay():
    assert kept(protect="l1") == ["l1", "l3", "l4"]
    assert kept(protect={"l1", "l2"}) == ["l1", "l2", "l4"]
    assert kept(protect=["after"]) == ["l2", "l3", "l4"]


def test_protected_links_that_contradict_each_other_are_an_error():
    with pytest.raises(ContradictionError) as refused:
        tp.repair(DOCUMENT, protect=["before"])
    assert "d" in str(refused.value)


def test_a_consistent_document_comes_back_as_it_is():
    document = Document("d", CIRCLE[:2])
    assert tp.repair(document) is document


def test_no_entity_is_lost_with_its_links():
    first = Link("l1", "a", Relation.of("b"), "b")
    document = Document("d", (first, first._replace(id="l2", source="b", target="a")))
    stripped = Document("d", document.links, entity_ids=())
    assert tp.repair(stripped).entity_ids == ("a", "b")
    named = Document("d", document.links, entity_ids=("x", "a", "b"))
    assert tp.repair(named).entity_ids == ("x", "a", "b")


def test_a_link_that_is_given_twice_is_dropped_where_it_stands():
    twice = Document("d", (*DOCUMENT.links, *DOCUMENT.links[:1]))
    assert [link.id for link in tp.repair(twice).links] == ["l1", "l3", "l4", "l1"]


def test_the_time_is_limited():
    hard = [(f"x{i}", "b|bi|o|oi", f"x{j}") for i in range(9) for j in range(i)]
    with pytest.raises(BudgetExceeded):
        tp.repair([*hard, *CIRCLE], time_limit=0)


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_are_ids_labels_or_others_that_are_known():
    assert protected(DOCUMENT, "l1") == {"l1"}
    assert protected(DOCUMENT, ["l1", "before"]) == {"l1", "before"}
    assert protected(DOCUMENT, ["values"], ["values"]) == {"values"}
    assert protected(DOCUMENT, ()) == frozenset()


def test_names_are_not_split():
    document = Document("d", [DOCUMENT.links[0]._replace(id="x,1")])
    assert protected(document, "x,1") == {"x,1"}


@pytest.mark.parametrize(
    ("names", "unknown"), [("l9", "'l9'"), (["zz", "l1", "NEAR"], "'NEAR', 'zz'"), ("l1,l2", "'l1,l2'")]
)
def test_names_that_no_link_has_are_an_error(names, unknown):
    with pytest.raises(UsageError) as refused:
        protected(DOCUMENT, names)
    assert str(refused.value) == f"protect: no link of 'd' has the id or label {unknown}"


DAYS = """<?xml version="1.0"?><TimeML><DOCID>d</DOCID><TEXT><TIMEX3 tid="t1" type="DATE" value="1998-02-06">a</TIMEX3>
<TIMEX3 tid="t2" type="DATE" value="1998-02-09">b</TIMEX3></TEXT>
<TLINK lid="l1" timeID="t2" relatedToTime="t1" relType="BEFORE"/></TimeML>"""


@pytest.mark.parametrize(
    ("protect", "links", "values"),
    [
        ((), [], {"t1": "1998-02-06", "t2": "1998-02-09"}),
        ("links", ["l1"], {"t1": None, "t2": "1998-02-09"}),
        (["l1", "t1"], ["l1"], {"t1": "1998-02-06", "t2": None}),
    ],
)
def test_values_can_be_dropped_with_a_calendar(protect, links, values):
    document = tp.read(DAYS)
    assert tp.repair(document) is document
    repaired = tp.repair(document, calendar="within", protect=protect)
    assert [link.id for link in repaired.links] == links
    assert {each.id: each.value for each in repaired.times} == values
    assert tp.check(repaired, calendar="within")[0].verdict == "consistent"
    with pytest.raises(ContradictionError):
        tp.repair(document, calendar="within", protect=["links", "values"])
