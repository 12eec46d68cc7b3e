"""The oracle on fixed examples with known answers, and on every odd input that has a defined one."""

from itertools import combinations

import pytest
from naive import TRAP

from temporacle.errors import BudgetExceeded, InternalError, LabelError, UsageError
from temporacle.model import Document, Link
from temporacle.reasoner.judged import checked_witness, holds_in
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.published.propagation import closure as propagate
from temporacle.reasoner.reference.enumeration import closure as enumerate_all
from temporacle.relation import EVERYTHING, Relation
from temporacle.results import Consistent, Inconsistent, Undecided, Verdict

ALLEN_1983_FIGURE_5 = [
    ("A", "f|fi", "C"),
    ("D", "s|m", "A"),
    ("D", "s|m", "C"),
    ("A", "d|di", "B"),
    ("B", "d|di", "C"),
    ("D", "o", "B"),
]
CYCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]

INCONSISTENT = {
    "path consistency accepts it": (TRAP, 6),
    "Allen 1983, figure 5": (ALLEN_1983_FIGURE_5, 6),
    "two-cycle": ([("a", "BEFORE", "b"), ("b", "BEFORE", "a"), ("b", "BEFORE", "c")], 2),
    "equal and before": ([("a", "=", "b"), ("a", "BEFORE", "b"), ("b", "BEFORE", "c")], 2),
    "before itself": ([("a", "BEFORE", "a")], 1),
    "includes itself": ([("b", "BEFORE", "a"), ("a", "INCLUDES", "a")], 1),
    "disjoint from itself": ([("a", "b|bi", "a")], 1),
    "cycle beside a healthy part": ([*CYCLE, ("x", "BEFORE", "y"), ("y", "BEFORE", "z")], 3),
    "ends, equal, includes": ([("3", "=", "1"), ("0", "ENDS", "1"), ("0", "=", "3"), ("1", "INCLUDES", "2")], 3),
    "missed by pseudo-times": (
        [
            ("7", "=", "4"), ("6", "b", "7"), ("1", "b", "6"), ("1", "b", "2"), ("5", "d", "2"), ("2", "b", "6"),
            ("3", "b", "5"), ("3", "bi", "6"),
        ],
        4,
    ),
}  # fmt: skip

# links, pair, strongest relation
ENTAILED = {
    "includes through two neighbours": (
        [("a", "INCLUDES", "b"), ("a", "INCLUDES", "c"), ("b", "b", "d"), ("d", "b", "c")], "a", "d", "di",
    ),
    "minimal label missed by propagation": (
        [("0", "m|s|di", "1"), ("0", "o|bi", "2"), ("0", "di", "3"), ("1", "b|m|di", "2"), ("2", "oi", "3")],
        "1", "3", "b|m|o|s|d|di",
    ),
    "another one": (
        [("0", "oi", "2"), ("0", "f|o", "3"), ("1", "m|si", "2"), ("1", "fi|s", "3"), ("2", "b|d", "3"),
         ("0", "bi|d|f|oi", "1")],
        "0", "1", "bi|d",
    ),
    "unrelated pairs stay unrelated": ([("A", "b", "B"), ("C", "b", "D")], "A", "C", str(EVERYTHING)),
    "two parts of one whole": ([("A", "d", "B"), ("C", "d", "B")], "A", "C", str(EVERYTHING)),
    "starts is starts": ([("A", "s", "B")], "A", "B", "s"),
    "same time": ([("A", "SIMULTANEOUS", "B")], "B", "A", "="),
    "ends and begun by give overlaps": ([("2", "ENDS", "0"), ("3", "BEGUN_BY", "2")], "0", "3", "o"),
    "no meets out of nothing": ([("2", "s", "0"), ("1", "b", "2"), ("0", "d", "3")], "1", "3", "b|m|o|s|d"),
    "begins is inferred": ([("a", "=", "b"), ("b", "BEGINS", "c")], "a", "c", "s"),
    "consistent although reported as violated": (
        [("0", "di", "1"), ("2", "fi", "1"), ("2", "s", "0")], "0", "1", "di",
    ),
    "chain of eight": ([(f"e{k}", "BEFORE", f"e{k + 1}") for k in range(7)], "e0", "e7", "b"),
}  # fmt: skip


@pytest.mark.parametrize("case", INCONSISTENT)
def test_inconsistent_examples_with_the_size_of_their_conflict(case):
    links, size = INCONSISTENT[case]
    answer = Oracle(links).consistency()
    assert isinstance(answer, Inconsistent)
    assert len(answer.conflict) == size
    assert isinstance(Oracle(answer.conflict).consistency(), Inconsistent)
    for left_out in range(size):
        assert Oracle(answer.conflict[:left_out] + answer.conflict[left_out + 1 :]).is_consistent()
    assert Oracle(links).minimal_network() is None
    if len(Network.of(links).entities) <= 4:
        assert enumerate_all(Network.of(links), Budget()) is None


@pytest.mark.parametrize("links", [TRAP, ALLEN_1983_FIGURE_5])
def test_propagation_accepts_what_the_oracle_refutes(links):
    assert propagate(Network.of(links), Budget()) is not None
    oracle = Oracle(links)
    assert not oracle.is_consistent()
    assert oracle.decided_by == "cases"


@pytest.mark.parametrize("case", ENTAILED)
def test_strongest_relations(case):
    links, source, target, strongest = ENTAILED[case]
    oracle = Oracle(links)
    wanted = Relation.of(*strongest.split("|"))
    assert oracle.strongest(source, target) == wanted
    assert oracle.strongest(target, source) == wanted.converse()
    assert oracle.minimal_network().relation(source, target) == wanted
    assert oracle.entails(source, wanted, target) is Verdict.ENTAILED
    if wanted != EVERYTHING:
        assert oracle.entails(source, ~wanted, target) is Verdict.REFUTED
    if wanted.bit_count() > 1:
        assert oracle.entails(source, wanted.atoms[0], target) is Verdict.OPEN
    if len(oracle.network.entities) <= 4:
        assert enumerate_all(oracle.network, Budget()).relation(source, target) == wanted


def test_propagation_misses_a_minimal_label():
    links, source, target, strongest = ENTAILED["minimal label missed by propagation"]
    loose = propagate(Network.of(links), Budget()).relation(source, target)
    assert Relation.of(*strongest.split("|")) < loose == Relation.of("b", "m", "o", "s", "d", "oi", "si", "di")


@pytest.mark.parametrize("case", ENTAILED)
def test_cpsat_alone_gives_the_same_answers(case):
    links, source, target, strongest = ENTAILED[case]
    alone = Oracle(links, engine="cpsat")
    assert isinstance(alone.consistency(), Consistent)
    assert alone.decided_by == "cpsat"
    assert alone.strongest(source, target) == Relation.of(*strongest.split("|"))
    assert alone.entails(source, strongest, target) is Verdict.ENTAILED
    assert alone.entails(source, "=", source) is Verdict.ENTAILED


@pytest.mark.parametrize("case", INCONSISTENT)
def test_cpsat_alone_refutes_the_same_documents(case):
    alone = Oracle(INCONSISTENT[case][0], engine="cpsat")
    assert isinstance(alone.consistency(), Inconsistent)
    assert alone.minimal_network() is None
    with pytest.raises(UsageError, match="inconsistent"):
        alone.witness()


def test_the_oracle_has_two_engines():
    with pytest.raises(UsageError, match="propagation"):
        Oracle([], engine="propagation")


def test_several_links_on_one_pair_are_all_believed_in_both_directions():
    oracle = Oracle([("a", "b|m|o", "b"), ("b", "mi|oi|d", "a"), ("a", "b|o", "b")])
    assert oracle.strongest("a", "b") == Relation.of("o")
    assert not Oracle([("a", "b|m", "b"), ("b", "oi|bi|d", "a"), ("a", "m|o", "b")]).is_consistent()


def test_a_self_link_that_allows_equal_says_nothing():
    oracle = Oracle([("a", "SIMULTANEOUS", "a"), ("b", "OVERLAP", "b"), ("c", "VAGUE", "c"), ("d", "=|b", "d")])
    assert isinstance(oracle.consistency(), Consistent)
    assert oracle.strongest("a", "b") == EVERYTHING
    assert oracle.strongest("a", "a") == Relation.of("=")
    assert oracle.entails("a", "=", "a") is Verdict.ENTAILED
    assert oracle.entails("a", "BEFORE", "a") is Verdict.REFUTED


def test_self_entailment_with_open_disjunctions():
    oracle = Oracle([("a", "b|bi", "b"), ("b", "b|bi", "c")])
    assert oracle.entails("a", "=", "a") is Verdict.ENTAILED
    assert oracle.entails("a", "b|bi", "a") is Verdict.REFUTED
    assert oracle.strongest("b", "b") == Relation.of("=")


def test_an_empty_document():
    oracle = Oracle([])
    assert oracle.consistency() == Consistent({})
    assert list(oracle.minimal_network().pairs(universal=True)) == []
    with pytest.raises(UsageError, match="no entities"):
        oracle.entails("a", "BEFORE", "b")


def test_entities_without_links_are_part_of_the_answer():
    document = Document("d", (Link("l1", "a", Relation.of("b"), "b"),), entity_ids=("lone", "a", "b"))
    oracle = Oracle(document)
    assert set(oracle.witness()) == {"lone", "a", "b"}
    assert oracle.strongest("a", "lone") == EVERYTHING
    assert list(oracle.minimal_network().pairs()) == [("a", Relation.of("b"), "b")]
    assert len(list(oracle.minimal_network().pairs(universal=True))) == 3


def test_links_that_constrain_nothing():
    oracle = Oracle([("a", "VAGUE", "b"), ("b", "NONE", "c")])
    assert oracle.decided_by == "graph"
    assert oracle.strongest("a", "c") == EVERYTHING


def test_an_empty_relation_is_a_conflict_of_one_link():
    links = [Link("l1", "a", Relation.of("b"), "b"), Link("l2", "b", Relation(0), "c")]
    answer = Oracle(links).consistency()
    assert isinstance(answer, Inconsistent)
    assert [link.id for link in answer.conflict] == ["l2"]


def test_unknown_entities_and_labels_are_refused_by_name():
    oracle = Oracle([("a", "BEFORE", "b")])
    with pytest.raises(UsageError, match="'zz'"):
        oracle.entails("zz", "BEFORE", "a")
    for query in (("zz", "BEFORE", "a"), ("a", "BEFORE", "zz")):
        with pytest.raises(UsageError, match="unknown entity 'zz'"):
            oracle.certificate(query)
    with pytest.raises(LabelError, match="unknown label 'FOO'"):
        oracle.entails("a", "FOO", "b")
    with pytest.raises(LabelError, match="unknown label"):
        Oracle([("a", "FOO", "b")])


def test_an_inconsistent_document_entails_nothing_useful():
    oracle = Oracle(CYCLE)
    assert oracle.strongest("a", "b") == Relation(0)
    assert oracle.entails("a", "BEFORE", "b") is Verdict.REFUTED


@pytest.mark.parametrize("links", [CYCLE[:2], *(links for links, *_ in ENTAILED.values())])
def test_same_input_same_witness(links):
    witnesses = {tuple(sorted(Oracle(links).witness().items())) for _ in range(3)}
    assert len(witnesses) == 1
    assert all(holds_in(Oracle(links).witness(), link) for link in Network.of(links).links)


def test_a_wrong_witness_is_never_handed_out():
    network = Network.of([("a", "BEFORE", "b")])
    with pytest.raises(InternalError):
        checked_witness(network, [2, 3, 0, 1])
    with pytest.raises(InternalError):
        checked_witness(Network((), ("a",)), [1, 1])
    assert checked_witness(network, [0, 1, 2, 3]) == {"a": (0, 1), "b": (2, 3)}


def test_out_of_budget_is_unknown_and_never_no():
    hard = [(f"x{i}", "b|bi|o|oi", f"x{j}") for i, j in combinations(range(8), 2)]
    oracle = Oracle(hard, budget=0)
    answer = oracle.consistency()
    assert isinstance(answer, Undecided)
    assert "0 s" in answer.reason
    assert oracle.entails("x0", "BEFORE", "x1") is Verdict.UNKNOWN
    with pytest.raises(BudgetExceeded):
        oracle.minimal_network()
    assert isinstance(Oracle(hard).consistency(), Consistent)


def test_countermodels_break_the_relation_and_keep_the_links():
    links = [("a", "b|m", "b"), ("b", "b|di", "c"), ("c", "b|bi", "d")]
    oracle = Oracle(links)
    model = oracle.countermodel("a", Relation.of("b"), "b")
    assert all(holds_in(model, link) for link in oracle.network.links)
    assert not holds_in(model, Link("q", "a", Relation.of("b"), "b"))
    assert oracle.countermodel("a", Relation.of("b"), "c") is None
    assert oracle.countermodel("a", Relation.of("b", "m"), "b") is None
    assert oracle.countermodel("a", EVERYTHING, "d") is None


def test_layered_before_graph_closes():
    """Width 3, 300 layers, 2,691 links: polynomial, where a depth-first search over paths takes for ever."""
    links = [
        (f"{layer}.{i}", Relation.of("b"), f"{layer + 1}.{j}")
        for layer in range(299)
        for i in range(3)
        for j in range(3)
    ]
    oracle = Oracle(links)
    assert len(links) == 2691
    assert oracle.entails("0.0", "BEFORE", "299.2") is Verdict.ENTAILED
    assert oracle.strongest("7.0", "7.2") == EVERYTHING
    assert len(list(oracle.minimal_network().pairs())) == 9 * 300 * 299 // 2
