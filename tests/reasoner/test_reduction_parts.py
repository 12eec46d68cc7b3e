"""Edges of the minimal graph in single cases: labels both ways, minor edges, ends that differ, looks at the time."""

from itertools import combinations
from random import Random

import pytest
from naive import KINDS, network_of, random_network

import temporacle as tp
from temporacle.corpus.observer import Observer
from temporacle.errors import BudgetExceeded
from temporacle.reasoner.network import Budget
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.minimal_graph import Reduction, reduction_of
from temporacle.results import DocumentVerdict
from temporacle.tasks.closure import reduce

ENTITIES = ["a", "b", "c", "d"]
TURNED = {"<": ">", "<=": ">=", "=": "=", None: None}


class Counting(Budget):
    """Counts the looks at the time, and ends after some."""

    def __init__(self, most=None):
        super().__init__()
        self.looks, self.most = 0, most

    def check(self):
        self.looks += 1
        if self.most is not None and self.looks > self.most:
            raise BudgetExceeded("over")


def graph(links):
    return reduction_of(Oracle(links).minimal_network())


def graphs(seed, count):
    rng = Random(seed)
    while count:
        table = Oracle(network_of(random_network(rng, ENTITIES, rng.choice(KINDS), 0.6), ENTITIES)).minimal_network()
        if table is not None:
            count -= 1
            yield reduction_of(table)


def test_all_edges_are_major_minor_or_trivial():
    labels = set()
    for found in graphs("edges", 25):
        edges = list(found.edges())
        trivial = found.trivial_pairs()
        minor = [e for e in edges if e not in found.major and (e.source, e.target) not in trivial]
        assert list(found.minor()) == minor
        assert found.count_minor() == len(minor)
        assert found.count_edges() == len(edges)
        assert all((edge.source, edge.target) in trivial for edge in found.trivial)
        assert all(edge.source < edge.target for edge in edges)
        labels |= {edge.label for edge in minor}
        for one, other in combinations(range(len(found.nodes)), 2):
            label = next((edge.label for edge in edges if (edge.source, edge.target) == (one, other)), None)
            assert found.label(one, other) == label
            assert found.label(other, one) == TURNED[label]
            assert found.label(one, one) == "="
    assert labels == {"<", "<="}


def test_trivial_pairs_are_the_ends_of_entities():
    found = graph([("a", "MEETS", "b")])
    assert found.nodes == (("a.start",), ("a.end", "b.start"), ("b.end",))
    assert found.trivial_pairs() == {(0, 1), (1, 2)}
    assert found.major == ()
    assert len(found.trivial) == 2


@pytest.mark.parametrize(
    ("relation", "different"), [("b", 0), ("b|m", 0), ("b|bi", 4), ("b|m|mi|bi", 2), ("m|mi", 2), ("o|oi", 2)]
)
def test_endpoints_that_only_differ_are_counted(relation, different):
    """They are before each other in one case and after each other in another, and equal in none."""
    sides = [
        {(x > y) - (x < y) for atom in relation.split("|") for x, y in [(ENDS[atom][one], ENDS[atom][other])]}
        for one in (0, 1)
        for other in (2, 3)
    ]
    assert graph([("a", relation, "b")]).different == sides.count({-1, 1}) == different


ENDS = {  # start and end of a, start and end of b
    "b": (0, 1, 2, 3),
    "bi": (2, 3, 0, 1),
    "m": (0, 1, 1, 2),
    "mi": (1, 2, 0, 1),
    "o": (0, 2, 1, 3),
    "oi": (1, 3, 0, 2),
}


def test_the_time_is_looked_at_for_every_edge():
    table = Oracle([(f"e{k}", "BEFORE", f"e{k + 1}") for k in range(6)]).minimal_network()
    counting = Counting()
    found = reduction_of(table, counting)
    assert counting.looks >= len(found.major) + len(found.trivial) + 3  # and for every block of rows
    for most in range(counting.looks):
        with pytest.raises(BudgetExceeded):
            reduction_of(table, Counting(most))
    assert reduction_of(table, Counting(counting.looks)) == found == reduction_of(table)


# --- the task ---------------------------------------------------------------------------------------------------------


def test_a_reduction_lists_its_edges_by_name():
    (found,) = tp.reduce([("a", "MEETS", "b"), ("b", "BEFORE", "c")])
    assert found.nodes == [["a.start"], ["a.end", "b.start"], ["b.end"], ["c.start"], ["c.end"]]
    assert found.major == [("b.end", "<", "c.start")]
    assert found.trivial == [("a.start", "<", "a.end"), ("a.end", "<", "b.end"), ("c.start", "<", "c.end")]
    assert len(found.minor) == 6
    assert repr(found).endswith("5 nodes, 1 major edges)")
    rows = list(found.edges())
    assert [row["kind"] for row in rows] == ["major"] + ["minor"] * 6 + ["trivial"] * 3
    assert rows[0] == {
        "document": found.document, "kind": "major", "left": "b.end", "label": "<", "right": "c.start",
    }  # fmt: skip
    assert rows[-2]["left"] == "a.end = b.start"
    assert list(found.edges(only_major=True)) == rows[:1]
    assert found.to_dict()[0]["major"] == [["b.end", "<", "c.start"]]


def test_edges_are_listed_within_the_time():
    (found,) = tp.reduce([("a", "BEFORE", "b")])
    counting = Counting()
    assert len(list(found.edges(counting))) == counting.looks == 6
    with pytest.raises(BudgetExceeded):
        list(found.edges(Counting(3)))


def test_an_inconsistent_document_has_no_graph():
    (found,) = tp.reduce([("a", "BEFORE", "b"), ("b", "BEFORE", "a")])
    assert found.verdict is DocumentVerdict.INCONSISTENT
    assert (found.nodes, found.major, found.minor, found.trivial, list(found.edges())) == ([], [], [], [], [])
    assert "inconsistent" in repr(found)


def test_budgets_remarks_and_paths_are_passed_on(tmp_path):
    (tmp_path / "d.tsv").write_text("a\tb\tb\na\tNEAR\tb\n")
    (tmp_path / ".hidden").write_text("")
    remarks = []
    heard = Observer()
    heard.corpus_remark = remarks.append
    (found,) = reduce.each(str(tmp_path), observer=heard)
    assert (found.document, found.path) == ("d", str(tmp_path / "d.tsv"))
    assert [remark.code for remark in found.dropped] == ["unknown-label"]
    assert [remark.code for remark in remarks] == ["skipped-junk"]
    (late,) = tp.reduce([("a", "BEFORE", "b")], time_limit=0)
    assert late.verdict is DocumentVerdict.UNDECIDED
    assert isinstance(found.graph, Reduction)
