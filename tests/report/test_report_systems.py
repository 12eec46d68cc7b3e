"""Reports of systems: links judged as the metric judges them, and reasons that are true."""

import re
from pathlib import Path
from random import Random

import pytest
from naive import random_network

from temporacle.errors import UsageError
from temporacle.model import Document
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import ATOMS, Relation
from temporacle.report.document.values import LinkStatus
from temporacle.report.systems.gather import GoldWithAnswers, NamedCorpus, compared_page, judged_links
from temporacle.report.systems.page import compared_article
from temporacle.report.systems.values import PRF, ComparedPage, SystemAnswer
from temporacle.results import Verdict
from temporacle.scoring.side import Side
from temporacle.tasks.report import report_comparison
from temporacle.tasks.score import score
from temporacle.wording import in_words

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = [f"e{number}" for number in range(6)]


def document_of(statements, name="d"):
    return Document(name, Network.of(statements).links)


def random_pairs(kind, cases):
    rng = Random(11)
    for _ in range(cases):
        gold, system = (random_network(rng, NAMES[: rng.randint(3, 6)], kind, 0.45) for _ in range(2))
        yield document_of(gold), document_of([*gold[:1], *system])


def judged(gold, system):
    sides = [Side(side, Budget()) for side in (gold, system)]
    return sides, judged_links(*sides, Budget())


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_links_are_counted_as_temporal_awareness_counts_them(kind):
    for gold, system in random_pairs(kind, 40):
        _, links = judged(gold, system)
        counts = score(gold, system).counts
        found = {(side, status): 0 for side in ("gold", "system") for status in LinkStatus}
        for each in links:
            found[each.side, each.status] += 1
        assert found["gold", LinkStatus.RIGHT] == counts.recall_matched
        assert found["gold", LinkStatus.RIGHT] + found["gold", LinkStatus.MISSED] == counts.gold_total
        assert found["system", LinkStatus.RIGHT] == counts.precision_matched
        assert found["system", LinkStatus.RIGHT] + found["system", LinkStatus.WRONG] == counts.system_total


@pytest.mark.parametrize("kind", ["atomic", "convex", "arbitrary"])
def test_reasons_are_true(kind):
    kinds = set()
    for gold, system in random_pairs(kind, 40):
        sides, links = judged(gold, system)
        for each in links:
            own, other = sides if each.side == "gold" else reversed(sides)
            link = next(link for link in own.network.links if link.id == each.link.id)
            kinds.add(check_reason(link, each.reason, other))
    assert kinds == {"stated", "entailed", "unknown", "contradicted", "open"}


def test_a_self_link_is_stated_by_its_converse():
    gold, system = (Document("d", Network.of([("x", label, "x")]).links) for label in ("s", "si"))
    _, links = judged(gold, system)
    assert [(each.status, " states the same: " in each.reason) for each in links] == [
        (LinkStatus.RIGHT, True),
        (LinkStatus.RIGHT, True),
    ]


def check_reason(link, reason, other):
    """Checks one reason with the oracle; returns which kind it is."""
    kept = {other.link(position).id: other.link(position) for position in other.kept}
    premises = [kept[name] for name in re.findall(r"(l\d+) \(", reason) if name in kept]
    if " states the same: " in reason:
        return "stated"
    if "It follows from" in reason:
        assert Oracle(premises).entails(link.source, link.relation, link.target) is Verdict.ENTAILED
        return "entailed"
    if " has no link with " in reason:
        assert {link.source, link.target} - set(other.network.entities)
        return "unknown"
    if " excludes it: " in reason:
        assert Oracle(premises).entails(link.source, link.relation, link.target) is Verdict.REFUTED
        return "contradicted"
    said = [atom for atom in ATOMS if reason.endswith(f" {in_words(link.source, Relation.of(atom), link.target)}.")]
    (atom,) = said
    assert atom not in link.relation.atoms
    statements = [*kept.values(), (link.source, Relation.of(atom), link.target)]
    assert Oracle(statements).is_consistent()
    return "open"


def test_a_report_of_two_systems_and_a_missing_answer(tmp_path):
    gold = [document_of([("a", "BEFORE", "b"), ("b", "BEFORE", "c")], name) for name in ("one", "two", "three")]
    perfect = [document_of([("a", "BEFORE", "b"), ("b", "BEFORE", "c")], name) for name in ("one", "two", "three")]
    partial = [document_of([("a", "BEFORE", "c")], "one"), document_of([("c", "BEFORE", "b")], "two")]
    sides = [NamedCorpus("gold", gold), NamedCorpus("runs/best", perfect), NamedCorpus("runs/worst", partial)]
    target = tmp_path / "r.html"
    written = report_comparison(sides[0], sides[1:], out=target, seed=1, jobs=1)
    assert written.systems == ("best", "worst")
    assert written.written == (str(target),)
    rows = written.documents
    assert [(row.id, row.gold_links) for row in rows] == [("one", 2), ("two", 2), ("three", 2)]
    assert [row.figures[0].f1 for row in rows] == [1.0, 1.0, 1.0]
    assert [row.figures[1].f1 for row in rows] == [0.0, 0.0, 0.0]
    text = target.read_text("utf-8")
    for words in ("reduction, relaxed", "best", "worst", "Differences", "Confusions", "<svg"):
        assert words in text
    assert text.count("awareness|") == 1


def test_a_page_shows_no_whole_number_for_what_is_none():
    answer = SystemAnswer(PRF(0.9997, 1.0, 0.99984), ())
    page = compared_article(ComparedPage("d", "", (), (answer,), ()), "d1", ["system"])
    assert re.findall(r'<td class="number">([^<]*)</td>', page)[:3] == ["0.9997", "1.000", "0.9998"]


def test_alignment_by_spans_reaches_links_and_scores(tmp_path):
    timeml = """<TimeML><DOCID>d</DOCID><DCT><TIMEX3 tid="t0" type="DATE" value="2020-01-01"
functionInDocument="CREATION_TIME">today</TIMEX3></DCT><TEXT><EVENT eid="e1" class="OCCURRENCE">Rain</EVENT> came before
the <EVENT eid="e2" class="OCCURRENCE">flood</EVENT>.</TEXT><MAKEINSTANCE eiid="ei1" eventID="e1"/><MAKEINSTANCE
eiid="ei2" eventID="e2"/><TLINK lid="l1" relType="BEFORE" eventInstanceID="ei1" relatedToEventInstance="ei2"/>
</TimeML>"""
    sides = []
    for name, text in (("gold", timeml), ("system", timeml.replace("ei1", "ei7").replace("ei2", "ei8"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tml").write_text(text)
        sides.append(tmp_path / name)
    with pytest.raises(UsageError, match="no entity id in common"):
        report_comparison(*sides, out=tmp_path / "r.html", jobs=1)
    assert not (tmp_path / "r.html").exists()
    by_spans = report_comparison(*sides, out=tmp_path / "r.html", align="spans", jobs=1).documents
    assert by_spans[0].figures[0].f1 == 1.0
    assert "align:spans" in (tmp_path / "r.html").read_text("utf-8")


def test_disagreements_are_the_pairs_with_something_missed_or_wrong():
    for gold, system in random_pairs("convex", 40):
        other = document_of([("e0", "BEFORE", "e1"), ("e2", "AFTER", "e0")])
        scores = [next(iter(score(gold, each).documents)) for each in (system, other)]
        page = compared_page(GoldWithAnswers("d1", gold, [system, other], scores))
        wanted = {
            frozenset((each.link.source, each.link.target))
            for answer in page.answers
            for each in answer.links
            if each.status is not LinkStatus.RIGHT
        }
        found = [frozenset((each.source.id, each.target.id)) for each in page.disagreements]
        assert len(found) == len(set(found))
        assert set(found) == wanted
        for each in page.disagreements:
            pair = {each.source.id, each.target.id}
            assert {link.id for link in each.gold} == {
                link.id for link in gold.links if {link.source, link.target} == pair
            }
            for links, answer in zip(each.answers, page.answers, strict=True):
                bad = [one for one in links if one.status is not LinkStatus.RIGHT]
                assert bad == [
                    one
                    for one in answer.links
                    if one.status is not LinkStatus.RIGHT and {one.link.source, one.link.target} == pair
                ]
            if page.timeline is not None:
                near = page.timeline.around(each.source.id, each.target.id, each.number, most=4)
                shown = {bar.entity.id for bar in near.bars}
                assert len(shown) <= 4
                assert pair & {bar.entity.id for bar in page.timeline.bars} <= shown
                assert all({one.link.source, one.link.target} <= shown for one in near.connections)
                assert all(
                    one.disagreement == each.number or {one.link.source, one.link.target} & pair
                    for one in near.connections
                )
