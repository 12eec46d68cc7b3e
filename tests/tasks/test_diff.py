"""Two versions of documents: compared with the enumeration of timelines, and case by case."""

import json
import random
from collections import Counter
from itertools import combinations

import pytest

import temporacle as tp
from temporacle.editing.versions import link_changes

LABELS = ["BEFORE", "AFTER", "IBEFORE", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "b|bi", "b|m|o", "o|oi|di"]
NAMES = "abcd"


def some_links(chance):
    pairs = [chance.sample(NAMES, 2) for _ in range(chance.randint(0, 4))]
    return [(source, chance.choice(LABELS), target) for source, target in pairs]


def edited(links, chance):
    """Return another version: links dropped, turned, relabelled, added, in another order."""
    converse = {"BEFORE": "AFTER", "AFTER": "BEFORE", "INCLUDES": "IS_INCLUDED", "IS_INCLUDED": "INCLUDES"}
    after = []
    for source, label, target in links:
        turn = chance.random()
        if turn < 0.15:
            continue
        if turn < 0.4 and label in converse:
            after.append((target, converse[label], source))
        else:
            after.append((source, label if turn < 0.8 else chance.choice(LABELS), target))
    if chance.random() < 0.3:
        after += some_links(chance)[:1]
    chance.shuffle(after)
    return after


def strongest(links):
    """Return the relation of every pair of the four names by enumeration; None if inconsistent."""
    padded = [*links, *((name, tp.Relation(tp.Relation("b") | ~tp.Relation("b")), "z") for name in NAMES)]
    found = tp.closure(padded, engine="enumeration", all=True)[0]
    if found.verdict == "inconsistent":
        return None
    return {pair: found.relation(*pair) for pair in combinations(NAMES, 2)}


@pytest.mark.parametrize("seed", range(60))
def test_meaning_is_what_the_enumeration_says(seed):
    chance = random.Random(seed)
    old = some_links(chance)
    new = edited(old, chance)
    found = tp.diff(old, new)[0]
    before, after = strongest(old), strongest(new)
    assert (found.old_verdict == "inconsistent", found.new_verdict == "inconsistent") == (before is None, after is None)
    if before is None or after is None:
        assert found.pairs is None
        assert found.no_closure
        return
    changed = {tuple(sorted((each.source, each.target))): each for each in found.pairs}
    assert set(changed) == {pair for pair in before if before[pair] != after[pair]}
    for pair, each in changed.items():
        turned = (each.source, each.target) != pair
        assert (each.old.converse() if turned else each.old) == before[pair]
        assert (each.new.converse() if turned else each.new) == after[pair]
        check_reasons(each, old, new)
    assert found.same_meaning is (not changed)


def check_reasons(change, old, new):
    """The links named entail the relation, and at least one of them is not in the other version."""
    for because, relation, other in ((change.old_because, change.old, new), (change.new_because, change.new, old)):
        if because is not None:
            oracle = tp.Oracle(tp.Document("d", because, entity_ids=tuple(NAMES)))
            assert oracle.entails(change.source, relation, change.target) is tp.Verdict.ENTAILED
            wanted = tp.Oracle(tp.Document("d", other, entity_ids=tuple(NAMES)))
            assert wanted.entails(change.source, relation, change.target) is not tp.Verdict.ENTAILED
    assert change.old_because is not None or change.new_because is not None


def normal(link):
    turned = link.source > link.target
    return tuple(sorted(link.entities)), str(link.relation.converse() if turned else link.relation)


@pytest.mark.parametrize("seed", range(60))
def test_links_are_matched_as_multisets(seed):
    chance = random.Random(seed)
    old = tp.Document("d", some_links(chance) + some_links(chance)).links
    new = tp.Document("d", edited([(a.source, a.label, a.target) for a in old], chance)).links
    found = link_changes(old, new)
    lost = Counter(map(normal, old)) - Counter(map(normal, new))
    gained = Counter(map(normal, new)) - Counter(map(normal, old))
    assert Counter(map(normal, (*found.removed, *(one for one, _ in found.relabelled)))) == lost
    assert Counter(map(normal, (*found.added, *(other for _, other in found.relabelled)))) == gained
    assert not {normal(link)[0] for link in found.removed} & {normal(link)[0] for link in found.added}
    assert all(normal(one) == normal(other) for one, other in found.reworded)
    assert all(one.said != other.said for one, other in found.reworded)


def test_ids_of_links_and_their_order_do_not_matter():
    links = tp.Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).links
    other = tuple(link._replace(id=f"x{number}") for number, link in enumerate(reversed(links)))
    found = tp.diff(tp.Document("d", links), tp.Document("d", other))
    assert found.same_meaning is True
    assert list(found[0].rows()) == []


def test_other_links_may_mean_the_same():
    old = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    found = tp.diff(old, [*old, ("a", "BEFORE", "c")])
    assert found.same_meaning is True
    assert [link.said for link in found[0].links.added] == ["a BEFORE c"]
    assert found[0].pairs == ()


def test_an_inconsistent_version_has_no_closure():
    cycle = [("a", "BEFORE", "b"), ("b", "BEFORE", "a")]
    found = tp.diff(cycle, cycle[:1])
    assert found.same_meaning is False
    assert found[0].no_closure == ("old",)
    assert found[0].to_dict()["pairs"] is None
    assert tp.diff(cycle, cycle).same_meaning is True
    assert tp.diff(cycle, [*cycle, ("a", "BEFORE", "c")]).same_meaning is False


def test_a_changed_verdict_names_a_conflict():
    ring = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]
    (found,) = tp.diff(ring[:2], ring)
    assert [link.id for link in found.conflicts["new"]] == ["l1", "l2", "l3"]
    assert next(found.rows())["why"] == "conflict in new: l1 l2 l3"
    assert set(found.to_dict()["conflicts"]) == {"new"}
    assert tp.diff(ring[:2], ring, why=False)[0].conflicts == {}
    assert tp.diff(ring[:2], ring, most_explained=0)[0].conflicts == found.conflicts


def test_reworded_links_are_rows_only_where_something_changed():
    (found,) = tp.diff([("a", "BEFORE", "b")], [("b", "AFTER", "a")])
    assert list(found.rows(20)) == []
    assert [row["change"] for row in found.rows()] == ["reworded"]


def test_a_time_limit_is_not_a_no():
    rng = random.Random(4)
    names = [f"e{i}" for i in range(40)]
    links = [(*rng.sample(names, 2), "b|bi|m") for _ in range(200)]
    old = [(a, label, b) for a, b, label in links]
    found = tp.diff(old, [*old, ("e1", "BEFORE", "new")], time_limit=0)
    assert found.same_meaning is None
    assert found[0].status == "undecided"
    assert found[0].reason


def test_entities_are_matched_by_their_places_if_ids_differ(tmp_path):
    text = '<TimeML><TEXT>They <EVENT eid="{0}1" class="OCCURRENCE">left</EVENT> and <EVENT eid="{0}2" \
class="OCCURRENCE">docked</EVENT>.</TEXT>{1}</TimeML>'
    instances = '<MAKEINSTANCE eventID="{0}1" eiid="{0}i1"/><MAKEINSTANCE eventID="{0}2" eiid="{0}i2"/>'
    tlink = '<TLINK lid="l1" relType="{1}" eventInstanceID="{0}i1" relatedToEventInstance="{0}i2"/>'
    for name, prefix, label in (("old", "e", "BEFORE"), ("new", "x", "BEFORE"), ("other", "x", "AFTER")):
        inner = (instances + tlink).format(prefix, label)
        (tmp_path / f"{name}.tml").write_text(text.format(prefix, inner))
    old, new, other = (str(tmp_path / f"{name}.tml") for name in ("old", "new", "other"))
    assert tp.diff(old, new).same_meaning is True
    assert tp.diff(old, other)[0].pairs[0].source == "ei1"
    assert tp.diff(old, new, align="ids").same_meaning is False


def test_the_result_in_other_forms():
    found = tp.diff([("a", "BEFORE", "b")], [("a", "MEETS", "b")])
    assert list(found.to_frame()["change"]) == ["relabelled", "pair"]
    assert found.to_frame()["why"][1] == "relabelled l1"
    assert found.to_dict()[0]["pairs"][0]["new_because"] == ["l1"]
    assert "relabelled l1" in found._repr_html_()
    assert repr(found).startswith("Diff(1 document: 1 different")


def test_wrong_usage():
    with pytest.raises(tp.UsageError, match=r"align=.*choose ids or spans"):
        tp.diff([("a", "BEFORE", "b")], [("a", "BEFORE", "b")], align="tempeval3")


def test_the_same_in_two_processes_and_from_a_checkpoint(tmp_path):
    def lines(**how):
        return [json.dumps(each.to_dict()) for each in tp.diff("examples/gold", "examples/system", **how)]

    expected = lines(jobs=1)
    assert len(expected) == 2
    assert lines(jobs=2) == expected
    kept = str(tmp_path / "done")
    assert lines(resume=kept) == expected
    size = (tmp_path / "done").stat().st_size
    assert lines(resume=kept) == expected
    assert (tmp_path / "done").stat().st_size == size  # nothing was compared again
