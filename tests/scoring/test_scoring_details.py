"""Detailed tables of temporal awareness, and the names of their rows, worked out by hand."""

import json
from collections import Counter
from itertools import permutations

import pytest

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import BudgetExceeded, InputError
from temporacle.model import Body, Document, Entity, HowRead, Kind, Link
from temporacle.readings import Reading, load_reading
from temporacle.reasoner.network import Budget, PairTable
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EQUAL, Relation
from temporacle.results import MatchCounts
from temporacle.scoring.awareness import AwarenessOptions, judge
from temporacle.scoring.closed import core_of, judge_closure
from temporacle.scoring.metric import Contradictions, PairOptions, Vague
from temporacle.scoring.side import Side
from temporacle.scoring.tally import NOTHING, UNKNOWN, LabelNames, PairKinds

ATOMS = {"BEFORE": "b", "AFTER": "bi", "IS_INCLUDED": "d", "MEETS": "m", "SAME": "="}
BODY = Body(
    (
        *(Entity(name, Kind.EVENT) for name in ("e1", "e2", "e3")),
        Entity("t1", Kind.TIME),
        Entity("t0", Kind.TIME, is_dct=True),
    )
)


def document(*links, body=BODY, **more):
    made = (Link(f"l{k}", s, Relation.of(ATOMS[label]), t, label) for k, (s, label, t) in enumerate(links))
    return Document("d", tuple(made), body=body, **more)


GOLD = document(
    ("e1", "BEFORE", "e2"),
    ("e2", "AFTER", "t1"),
    ("t1", "BEFORE", "t0"),
    ("e3", "IS_INCLUDED", "u"),
    ("e1", "BEFORE", "t0"),
)
SYSTEM = document(
    ("e1", "BEFORE", "e2"),  # right
    ("e2", "BEFORE", "t1"),  # wrong
    ("e1", "IS_INCLUDED", "e3"),  # gold knows both, and relates them not
    ("x", "BEFORE", "e1"),  # gold does not know x
    body=Body(),
)


def test_awareness_by_kind_and_label():
    found = judge(GOLD, SYSTEM, AwarenessOptions(details=True))
    assert found.breakdown == {
        "kind": {
            "event-DCT": MatchCounts(0, 0, 0, 1),
            "event-event": MatchCounts(1, 2, 1, 1),
            "event-time": MatchCounts(0, 1, 0, 1),
            "other": MatchCounts(0, 1, 0, 1),
            "time-time": MatchCounts(0, 0, 0, 1),
        },
        "label": {
            "AFTER": MatchCounts(0, 0, 0, 1),
            "BEFORE": MatchCounts(1, 3, 1, 3),
            "IS_INCLUDED": MatchCounts(0, 1, 0, 1),
        },
    }
    for table in found.breakdown.values():
        assert list(table) == sorted(table)


def test_what_is_taken_for_what():
    assert judge(GOLD, SYSTEM, AwarenessOptions(details=True)).confusion == Counter(
        {
            ("BEFORE", "BEFORE"): 1,
            ("AFTER", "BEFORE"): 1,
            ("BEFORE", UNKNOWN): 2,
            ("IS_INCLUDED", UNKNOWN): 1,
            (NOTHING, "IS_INCLUDED"): 1,
            (UNKNOWN, "BEFORE"): 1,
        }
    )


def test_a_link_that_the_system_entails_is_taken_for_itself():
    """The system says more than gold does: that is not a confusion. Without details nothing of this is worked out."""
    gold = Document("d", (Link("1", "a", Relation.of("b", "m"), "b", "LOOSE"),))
    system = Document("d", (Link("1", "a", Relation.of("b"), "b", "BEFORE"),))
    assert judge(gold, system, AwarenessOptions(details=True)).confusion == Counter({("LOOSE", "LOOSE"): 1})
    plain = judge(gold, system, AwarenessOptions())
    assert (dict(plain.breakdown), dict(plain.confusion)) == ({}, {})


def test_a_vague_link_of_both_sides_is_one_agreement():
    vague = Document("d", (Link("v", "a", Relation.of(*Relation(8191).atoms), "b", "VAGUE"),))
    found = judge(vague, vague, AwarenessOptions(details=True, vague=Vague.COUNT))
    assert found.confusion == Counter({(NOTHING, NOTHING): 1})


def test_closed_graphs_by_kind():
    """Unrelated pairs are in no row; rows may be of one side alone."""
    gold = document(("e1", "BEFORE", "e2"), ("e1", "MEETS", "t0"), ("t1", "SAME", "t1"), ("u", "SAME", "u"))
    system = document(("e1", "BEFORE", "e2"), ("t1", "BEFORE", "t0"), ("u", "SAME", "u"), ("x", "SAME", "x"))
    found = judge_closure(gold, system, PairOptions(details=True))
    later = str(Relation.of("d", "f", "oi", "mi", "bi"))
    assert found.counts == MatchCounts(1, 2, 1, 3)  # gold entails how e2 lies to t0, too
    assert found.breakdown == {
        "kind": {
            "event-DCT": MatchCounts(0, 0, 0, 2),
            "event-event": MatchCounts(1, 1, 1, 1),
            "time-time": MatchCounts(0, 1, 0, 0),
        },
        "label": {
            "BEFORE": MatchCounts(1, 1, 1, 1),
            "MEETS": MatchCounts(0, 0, 0, 1),
            later: MatchCounts(0, 0, 0, 1),
            "bi": MatchCounts(0, 1, 0, 0),
        },
    }
    assert list(found.breakdown["kind"]) == ["event-DCT", "event-event", "time-time"]
    assert found.confusion == Counter(  # a pair is seen from the entity that gold mentions first: t0 after t1
        {("BEFORE", "BEFORE"): 1, ("MEETS", NOTHING): 1, (later, NOTHING): 1, (NOTHING, "bi"): 1}
    )
    plain = judge_closure(gold, system, PairOptions())
    assert (plain.counts, dict(plain.breakdown), dict(plain.confusion)) == (found.counts, {}, {})


def test_names_of_labels():
    same, before = Relation.of("="), Relation.of("b")

    def names(*sides):
        documents = [
            Document(
                "d",
                tuple(Link("l", "a", relation, "b", label) for relation, label in links),
                how_read=reading and HowRead("tsv", reading),
            )
            for reading, *links in sides
        ]
        return LabelNames(documents)

    own = Reading("my own", {})
    written = names((None, (same, "identity"), (before, "")), (own, (before, "Earlier"), (before, "later on")))
    assert written.of(int(same)) == "IDENTITY"
    assert written.of(int(before)) == "EARLIER"  # the first that has a label
    assert written.of(int(Relation.of("m"))) == "m"
    assert written.of(8191) == NOTHING
    timeml, allen = load_reading("timeml"), load_reading("allen")
    read = names((None, (same, "x")), (timeml, (same, "IDENTITY")), (allen, (same, "y")))
    assert read.of(int(same)) == "SIMULTANEOUS"  # the first document that was read tells
    assert read.of(int(Relation.of("b", "m"))) == "b|m"  # it has no label for that


def test_kinds_of_pairs():
    def side(**kinds):
        return Document("d", (), body=Body(tuple(Entity(name, kind) for name, kind in kinds.items())))

    kinds = PairKinds([side(a=Kind.UNKNOWN, b=Kind.EVENT), side(a=Kind.EVENT, b=Kind.TIME, c=Kind.TIME)])
    assert kinds.of("a", "b") == "event-event"  # gold has the first word, where it knows
    assert kinds.of("a", "c") == kinds.of("c", "b") == "event-time"
    assert kinds.of("c", "c") == "time-time"
    assert kinds.of("a", "z") == kinds.of("z", "a") == "other"


# --- annotations ------------------------------------------------------------------------------------------------------


def walked(*links, **options):
    made = tuple(Link(str(k), s, Relation.of(*r.split("|")), t) for k, (s, r, t) in enumerate(links))
    return Side(Document("d", made), Budget(), **options)


ANYTHING = str(Relation(8191))


def test_links_of_an_entity_with_itself():
    """The first mention of an entity is news; that it equals itself is none, and that it does not is absurd."""
    side = walked(
        ("x", "=", "x"), ("x", "=", "x"), ("a", "b", "b"), ("b", "=|b", "b"), ("a", "=", "a"), ("y", "b|=", "y")
    )
    assert side.kept == side.counted == [0, 2, 5]
    side = walked(("a", "b", "b"), ("x", "b", "x"), ("a", "m", "a"))
    assert (side.kept, side.set_aside, side.counted) == ([0], [1, 2], [0, 1, 2])
    for vague, counted in ((Vague.IGNORE, []), (Vague.COUNT, [0])):
        side = walked(("x", ANYTHING, "x"), vague=vague)
        assert (side.kept, side.counted, side.left_out) == ([], counted, 1 - len(counted))


def test_only_contradictions_are_refused():
    assert walked(("a", "b", "b"), contradictions=Contradictions.REFUSE).kept == [0]
    with pytest.raises(InputError, match="contradicts itself"):
        walked(("a", "b", "b"), ("b", "b", "a"), contradictions=Contradictions.REFUSE)


def turned(link):
    source, atom, target = link
    return target, atom[:-1] if atom.endswith("i") else f"{atom}i", source


@pytest.mark.parametrize(
    "ring", [[("a", "b", "b"), ("b", "b", "c"), ("c", "b", "a")], [("x", "d", "y"), ("x", "o", "y")]]
)
def test_a_repair_sets_the_same_aside_in_whatever_order_links_stand(ring):
    """All links weigh the same, so each alone would do: the choice must rest on what they say."""
    found = set()
    for order in permutations(ring):
        for way in range(1 << len(ring)):
            links = [turned(link) if way >> k & 1 else link for k, link in enumerate(order)]
            made = tuple(Link(str(k), s, Relation.of(atom), t) for k, (s, atom, t) in enumerate(links))
            side = Side(Document("d", made), Budget(), Contradictions.REPAIR)
            assert len(side.set_aside) == 1
            found.add(order[side.set_aside[0]])
    assert len(found) == 1


def test_a_contradiction_that_is_stated_twice_counts_once_whatever_the_spelling():
    """DURING is read as SIMULTANEOUS here, and counts as it; an IDENTITY is something else to state."""
    before = Link("1", "a", Relation.of("b"), "b", "BEFORE")
    labels = ["SIMULTANEOUS", "DURING", "during inv", "simultaneous", "IDENTITY", "Identity"]
    links = (before, *(Link(label, "a", Relation(EQUAL), "b", label) for label in labels))
    side = Side(Document("d", links), Budget())
    assert side.set_aside == [1, 5]


def test_the_closure_of_a_side_keeps_to_its_budget():
    links = [("a", "b|bi", "b"), ("b", "b|bi", "c"), ("c", "b|bi", "a"), ("c", "b|bi", "d")]
    made = tuple(Link(str(k), s, Relation.of(*r.split("|")), t) for k, (s, r, t) in enumerate(links))
    side = Side(Document("d", made), Budget())
    assert side.closed().relation("a", "b") == Relation.of("b", "bi")
    side.graph.budget = Budget(-1)
    with pytest.raises(BudgetExceeded):
        side.closed()


def test_the_core_of_little():
    """Of nothing, of one entity, of two; and the diagonal stays what it is."""
    assert core_of(PairTable((), []), Budget()).entities == ()
    assert core_of(PairTable(("a",), [[int(EQUAL)]]), Budget()).relation("a", "a") == EQUAL
    table = Oracle([("a", "=", "b"), ("b", "b", "c")]).minimal_network()
    core = core_of(table, Budget())
    assert all(core.relation(name, name) == EQUAL for name in "abc")
    with pytest.raises(BudgetExceeded):
        core_of(table, Budget(-1))


@pytest.mark.parametrize("metric", ["awareness", "closure", "core", "tempeval1"])
def test_labels_count_in_the_direction_of_gold_on_every_surface(metric, capsys, tmp_path):
    """What the system states the other way round, or is right in part, is one figure for the command and for Python."""
    gold, system = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")], [("b", "AFTER", "a"), ("b", "b|o", "c")]
    for name, links in (("gold", gold), ("system", system)):
        (tmp_path / f"{name}.tsv").write_text("".join("\t".join(link) + "\n" for link in links))
    options = {} if metric == "awareness" else {"relaxed": True}
    score = tp.score(tmp_path / "gold.tsv", tmp_path / "system.tsv", metric=metric, details=True, **options)
    labels = score.by_label().set_index("label")
    assert "AFTER" not in labels.index
    assert labels.loc["BEFORE", "system_total"] == labels.loc["BEFORE", "precision_matched"] > 0
    arguments = [str(tmp_path / "gold.tsv"), str(tmp_path / "system.tsv"), "--metric", metric, "--output", "json"]
    run(["score", *arguments, "--by", "label", *(["--relaxed"] if options else [])])
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])["by_label"]
    assert list(printed) == list(labels.index)
    for name, counts in printed.items():
        assert counts == {each: value for each, value in labels.loc[name].items() if each in counts}
    assert sum(counts["system_total"] for counts in printed.values()) == score.counts.system_total
