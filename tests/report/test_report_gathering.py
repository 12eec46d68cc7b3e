"""What a report gathers about a document, against the oracle and against the document itself."""

from pathlib import Path
from random import Random

import pytest
from naive import random_network

from temporacle.calendar.policy import Calendar
from temporacle.corpus.read import read
from temporacle.model import Body, Document, Entity, Kind, Link
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import NOTHING, Relation
from temporacle.report.document.gather import conflict_of, page_of
from temporacle.report.document.page import document_article
from temporacle.report.drawings import draw_conflict
from temporacle.report.layout import places_of
from temporacle.results import DocumentVerdict

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "corpus"


def document_of(statements, **fields):
    return Document("d", Network.of(statements).links, **fields)


def random_documents(kind, cases):
    rng = Random(5)
    for _ in range(cases):
        names = [f"e{number}" for number in range(rng.randint(2, 6))]
        yield document_of(random_network(rng, names, kind, rng.choice((0.3, 0.6, 0.9))))


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_pages_of_random_documents_agree_with_the_oracle(kind):
    seen = set()
    for document in random_documents(kind, 60):
        page = page_of(document)
        consistent = Oracle(document).is_consistent()
        seen.add(page.verdict)
        assert page.verdict is (DocumentVerdict.CONSISTENT if consistent else DocumentVerdict.INCONSISTENT)
        dropped = {fact.link.id for fact in page.repair}
        kept = [link for link in document.links if link.id not in dropped]
        if page.timeline is not None:
            assert {bar.entity.id: bar.place for bar in page.timeline.bars} == places_of(Network(kept))
        if consistent:
            assert page.conflict is None
            assert not dropped
        else:
            named = {row.id for row in page.conflict.links}
            blamed = [link for link in document.links if link.id in named]
            assert not Oracle(blamed).is_consistent()
            for link in blamed:
                assert Oracle([other for other in blamed if other is not link]).is_consistent()
            assert Oracle(kept).is_consistent()
    assert seen == {DocumentVerdict.CONSISTENT, DocumentVerdict.INCONSISTENT}


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_a_conflict_is_drawn_as_a_closed_walk_that_needs_all_its_links(kind):
    cycles = 0
    for document in random_documents(kind, 80):
        page = page_of(document)
        if page.conflict is None:
            continue
        arrows = page.conflict.arrows
        assert {arrow.link.id for arrow in arrows if arrow.link} == {row.id for row in page.conflict.links}
        if page.conflict.is_cycle:
            cycles += 1
            ends = [arrow.target for arrow in arrows]
            assert [arrow.source for arrow in arrows] == [ends[-1], *ends[:-1]]
            assert any(arrow.label == "<" for arrow in arrows)
            for arrow in arrows:
                if arrow.link is None:
                    assert arrow.source.removesuffix(".start") == arrow.target.removesuffix(".end")
                else:
                    assert_ordering_follows(document, arrow)
    assert cycles >= 5


def assert_ordering_follows(document, arrow):
    """The link alone must entail the ordering that its arrow shows."""
    link = next(each for each in document.links if each.id == arrow.link.id)
    left, right = (point.rpartition(".") for point in (arrow.source, arrow.target))
    times = {"start": 0, "end": 1}
    from temporacle.relation import EXAMPLES as ATOMS

    for atom in link.relation.atoms:
        where = dict(zip((link.source, link.target), ATOMS[atom], strict=True))
        x, y = (where[name][times[end]] for name, _, end in (left, right))
        assert x < y or (arrow.label == "<=" and x == y)


def test_a_conflict_of_disjunctions_has_no_cycle_and_is_drawn_over_entities():
    page = page_of(read(EXAMPLES / "puzzle.tsv"))
    assert page.verdict is DocumentVerdict.INCONSISTENT
    assert not page.conflict.is_cycle
    assert {(arrow.source, arrow.target) for arrow in page.conflict.arrows} == {
        (row.source, row.target) for row in page.conflict.links
    }


def test_impossible_links_are_conflicts_by_themselves():
    alone = page_of(document_of([("a", "BEFORE", "a"), ("a", "BEFORE", "b")]))
    assert [row.source for row in alone.conflict.links] == ["a"]
    assert [fact.link.id for fact in alone.repair] == ["l1"]
    empty = conflict_of((Link("l1", "a", NOTHING, "b"),))
    assert not empty.is_cycle


def test_the_example_names_its_conflict_with_lines():
    page = page_of(read(EXAMPLES / "council.tml"))
    assert {(row.id, row.line) for row in page.conflict.links} >= {("l6", 18), ("l2", 14)}
    assert len(page.repair) == 1
    assert page.instead == ("l2, l3, l4, l5 or l6 would also do; or label it AFTER",)
    assert next(row for row in page.entities if row.id == "t0").kind == "dct"


def test_graph_ranks_grow_along_every_edge_and_nodes_hold_all_endpoints():
    page = page_of(read(EXAMPLES / "ferry.tml"))
    for edge in page.graph.edges:
        assert page.graph.nodes[edge.source].rank < page.graph.nodes[edge.target].rank
    points = [point for node in page.graph.nodes for point in node.points]
    linked = {end for row in page.links for end in (row.source, row.target)}
    assert sorted(points) == sorted(f"{name}.{end}" for name in linked for end in ("start", "end"))


def test_text_is_cut_at_overlapping_nested_and_interrupted_spans():
    text = "abcdefghij"
    entities = (
        Entity("outer", Kind.EVENT, spans=((1, 8),)),
        Entity("inner", Kind.TIME, spans=((3, 5),)),
        Entity("cross", Kind.EVENT, spans=((6, 9),)),
        Entity("gaps", Kind.EVENT, spans=((0, 1), (9, 10))),
        Entity("outside", Kind.EVENT, spans=((8, 99),)),
    )
    document = Document("d", (), tuple(entity.id for entity in entities), body=Body(entities, text))
    pieces = page_of(document).pieces
    assert "".join(piece.text for piece in pieces) == text
    covered = {
        name: "".join(piece.text for piece in pieces if name in {row.id for row in piece.entities})
        for name in ("outer", "inner", "cross", "gaps", "outside")
    }
    assert covered == {"outer": "bcdefgh", "inner": "de", "cross": "ghi", "gaps": "aj", "outside": ""}


def test_running_out_of_time_is_undecided_and_never_a_verdict():
    page = page_of(read(EXAMPLES / "puzzle.tsv"), budget=0)
    assert page.verdict is DocumentVerdict.UNDECIDED
    assert page.reason
    assert page.timeline is None
    assert page.conflict is None


def test_an_inconsistency_without_time_to_explain_it_stays_one():
    page = page_of(document_of([("a", "BEFORE", "b"), ("b", "b|m", "c"), ("c", "BEFORE|EQUAL", "a")]), budget=0)
    assert page.verdict in {DocumentVerdict.INCONSISTENT, DocumentVerdict.UNDECIDED}
    assert not page.repair


def test_what_is_too_large_to_draw_is_said_not_drawn():
    chain = [(f"e{number}", Relation.of("b"), f"e{number + 1}") for number in range(500)]
    page = page_of(document_of(chain))
    assert page.verdict is DocumentVerdict.CONSISTENT
    assert page.timeline is None
    assert "501" in page.timeline_note
    assert page.graph is None
    assert page.graph_note


def test_entities_without_links_are_counted_but_not_placed():
    page = page_of(document_of([("a", "BEFORE", "b")], entity_ids=("a", "b", "c")))
    assert len(page.entities) == 3
    assert {bar.entity.id for bar in page.timeline.bars} == {"a", "b"}
    assert "1 without links" in page.timeline_note


def test_a_conflict_is_drawn_with_the_words_of_its_entities_and_with_ids_where_words_are_shared():
    words = {"e1": "said", "e2": "said", "e3": "left"}
    entities = tuple(Entity(name, Kind.EVENT, text=text) for name, text in words.items())
    document = document_of(
        [("e1", "BEFORE", "e2"), ("e2", "BEFORE", "e3"), ("e3", "BEFORE", "e4"), ("e4", "BEFORE", "e1")],
        entity_ids=tuple(words),
        body=Body(entities),
    )
    conflict = page_of(document).conflict
    assert dict(conflict.texts) == words
    drawn = str(draw_conflict(conflict, "d"))
    shown = {"e1 said ends", "e2 said starts", "left starts", "left ends", "e4 ends"}
    assert all(f">{caption}</text>" in drawn for caption in shown)


def test_a_conflict_with_values_shows_links_and_values_in_words():
    times = (
        Entity("t1", Kind.TIME, text="Wednesday", value="2021-03-03", type="DATE"),
        Entity("t2", Kind.TIME, text="Thursday", value="2021-03-04", type="DATE"),
    )
    document = document_of([("t2", "BEFORE", "t1")], entity_ids=("t1", "t2"), body=Body(times))
    check = check_document(document, CheckOptions(repair=True, calendar=Calendar()))
    page = page_of(document, check=check)
    facts = page.conflict.facts
    assert {(fact.link.id, fact.link.label, fact.target is None) for fact in facts} == {
        ("l1", "BEFORE", False),
        ("t1", "2021-03-03", True),
        ("t2", "2021-03-04", True),
    }
    assert page.conflict.arrows == ()
    article = document_article(page, "d1")
    assert "= <strong><bdi>2021-03-03</bdi></strong>" in article
    assert page.conflict.derivation[-1].startswith("so ")
