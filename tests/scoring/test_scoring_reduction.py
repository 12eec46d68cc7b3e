"""Transitive-reduction recall and precision: the worked examples of the paper, and a brute-force twin."""

from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest
from naive import KINDS, brute_force, random_network
from scoring.sides import counts, document, links_of_order

from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.scoring.metric import PairOptions
from temporacle.scoring.reduction import ReductionCounts, compare, judge

CHAIN = [("A", "BEFORE", "B"), ("B", "BEFORE", "C"), ("C", "BEFORE", "D")]
K1 = links_of_order(["C1", "C2", "A1 B1 E1", "A2", "B2 D1 F1", "E2 D2 F2"])
G1 = links_of_order(["C1", "B1", "C2", "A1 B2", "A2", "D1 E1 F1", "E2 F2", "D2"])
# The interval relations of section 5, read as convex links.
K2 = [
    ("A", "s", "B"),
    ("A", "bi|mi|oi|fi|=|f|di|si", "C"),
    ("A", "b", "D"),
    ("A", "s", "E"),
    ("A", "b", "F"),
    ("B", "di|si|oi|mi|bi", "C"),
    ("B", "m", "D"),
    ("B", "s", "E"),
    ("B", "m", "F"),
    ("C", "b", "D"),
    ("C", "d|s|o|m|b", "E"),
    ("C", "b", "F"),
    ("D", "f", "E"),
    ("D", "s|=|si", "F"),
    ("E", "di|fi|o", "F"),
]
# C1 <= D1, D2 < C2, C2 <= A2, A1 = B1 <= E1, A2 < B2 = F1
G2 = [
    ("D", "s|d", "C"),
    ("C", "b|m|o|fi|s|=|d|f", "A"),
    ("A", "s", "B"),
    ("A", "b|m|o|fi|di|s|=|si", "E"),
    ("B", "m", "F"),
]


@pytest.mark.parametrize(
    ("key", "answer", "relaxed", "expected"),
    [
        (K1, G1, False, (8, 9, 5, 4, 2, "1/2", "1/4", "17/32", "5/9")),
        (K2, G2, True, (7, 7, 5, Fraction(5, 2), 0, "9/14", "0", "9/14", "5/7")),
        (K2, G2, False, (7, 7, 4, 3, 0, "4/7", "0", "4/7", "4/7")),
        (CHAIN, [CHAIN[0], CHAIN[2]], False, (3, 2, 2, 0, 0, "2/3", "0", "2/3", "1")),
        (CHAIN, [CHAIN[0], ("B", "b", "D")], False, (3, 2, 2, 0, 0, "1/3", "1/21", "22/63", "1")),
        (CHAIN, CHAIN[:2], False, (3, 2, 2, 0, 0, "2/3", "0", "2/3", "1")),
        (CHAIN, [*CHAIN[:2], ("B", "b", "D")], False, (3, 3, 3, 0, 0, "2/3", "1/21", "43/63", "1")),
    ],
    ids=["K1-G1", "K2-G2-relaxed", "K2-G2", "S1", "S2", "S3", "S4"],
)
def test_worked_examples(key, answer, relaxed, expected):
    found = counts("reduction", key, answer, relaxed=relaxed)
    v_key, v_answer, v_correct, splits, merges, major, minor, recall, precision = expected
    assert (found.v_key, found.v_answer, found.v_correct) == (v_key, v_answer, v_correct)
    assert (found.splits, found.merges) == (splits, merges)
    assert (str(found.major_recall(0)), str(found.minor_recall())) == (major, minor)
    assert (str(found.recall(0)), str(found.precision(0))) == (recall, precision)


def test_a_weak_and_a_strict_path_keep_the_strict_edge():
    """X <= y, y <= z, x < z between starts: the labelled reduction keeps x < z."""
    starts = "b|m|o|fi|di|s|=|si"
    strictly = "b|m|o|fi|di"
    links = [("x", starts, "y"), ("y", starts, "z"), ("x", strictly, "z")]
    assert counts("reduction", links, links).v_key == 3


def test_points_that_only_differ_are_no_edge_and_warned_about():
    links = [("a", "b|bi", "b")]
    judgement = judge(document(links), document(links), PairOptions())
    assert judgement.counts == ReductionCounts()
    assert "gold" in judgement.warnings[0].message


def test_an_entity_of_one_side_only_is_unrelated_on_the_other():
    found = counts("reduction", [("a", "b", "b")], [("a", "b", "b"), ("b", "b", "x")])
    assert (found.v_key, found.v_answer, found.errors, found.recall(0)) == (1, 2, 1, 1)


# --- the twin --------------------------------------------------------------------------------------------------------

SIGN = {-1: "<", 0: "=", 1: ">"}
LABEL = {"<": "<", "=": "=", ">": ">", "<=": "<=", "=>": ">=", "<>": "!=", "<=>": None}


def twin(key, answer, entities, *, relaxed):
    """The definition, point by point, from the brute-force closure: no component, no bit set, no reduction code."""
    graphs = [_graph(links, entities) for links in (key, answer)]
    (k_label, k_nodes), (a_label, a_nodes) = graphs
    k_major, k_minor = _edges(*graphs[0])
    a_major, _ = _edges(*graphs[1])
    v_key = 2 * len(entities) - len(k_nodes) + len(k_major)
    v_answer = 2 * len(entities) - len(a_nodes) + len(a_major)
    misses = sum(1 - _found(edge, a_label, relaxed) for edge in k_major)
    errors = sum(1 - _found(edge, k_label, relaxed) for edge in a_major)
    splits = sum(_cut(node, a_nodes, a_label, relaxed) for node in k_nodes)
    merges = sum(_cut(node, k_nodes, k_label, relaxed) for node in a_nodes)
    minor_found = sum(
        any(x in X and y in Y and other == label for X, other, Y in a_major for x in source for y in target)
        for source, label, target in k_minor
    )
    return ReductionCounts(
        v_key, v_answer, v_answer - merges - errors, misses, errors, splits, merges, minor_found, len(k_minor)
    )


def _graph(links, entities):
    strongest = brute_force(links, entities)
    points = [(name, end) for name in entities for end in (0, 1)]
    label = {}
    for p, q in product(points, repeat=2):
        if p[0] == q[0]:
            label[p, q] = SIGN[(p[1] > q[1]) - (p[1] < q[1])]
            continue
        from temporacle.relation import EXAMPLES

        signs = set()
        for atom in strongest[p[0], q[0]].atoms:
            x, y = EXAMPLES[atom]
            signs.add((x[p[1]] > y[q[1]]) - (x[p[1]] < y[q[1]]))
        label[p, q] = LABEL["".join(SIGN[sign] for sign in sorted(signs))]
    nodes = {frozenset(q for q in points if label[p, q] == "=") for p in points}
    return label, nodes


def _edges(label, nodes):
    """Major and minor edges as (node, label, node)."""
    between = {}
    for X, Y in product(nodes, repeat=2):
        found = label[min(X), min(Y)]
        if X != Y and found in ("<", "<="):
            between[X, Y] = found
    major, minor = [], []
    for (X, Z), found in between.items():
        if any((name, 1) in Z for name, end in X if end == 0) and found == "<":
            continue  # trivial
        composed = {
            "<" if "<" in (between[X, Y], between[Y, Z]) else "<="
            for Y in nodes
            if (X, Y) in between and (Y, Z) in between
        }
        (minor if found in composed else major).append((X, found, Z))
    return major, minor


def _found(edge, label, relaxed):
    X, wanted, Y = edge
    compatible = {("<", "<="), ("<=", "<"), ("<=", "="), ("<=", ">=")}
    worth = [
        Fraction(1)
        if label[x, y] == wanted
        else Fraction(1, 2)
        if relaxed and (wanted, label[x, y]) in compatible
        else Fraction(0)
        for x in X
        for y in Y
    ]
    return max(worth)


def _cut(node, nodes, label, relaxed):
    """The cheapest spanning tree over the parts, by trying all of them."""
    parts = [other & node for other in nodes if other & node]
    if len(parts) == 1:
        return Fraction(0)
    cost = {
        (a, b): Fraction(1, 2) if relaxed and label[min(parts[a]), min(parts[b])] in ("<=", ">=") else Fraction(1)
        for a, b in combinations(range(len(parts)), 2)
    }
    return min(
        sum(cost[edge] for edge in tree) for tree in combinations(cost, len(parts) - 1) if _spans(tree, len(parts))
    )


def _spans(tree, size):
    reached = {0}
    for _ in range(size):
        for a, b in tree:
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == size


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_counts_are_those_of_the_brute_force_twin(kind, seed, relaxed):
    rng = Random(f"{kind}-{seed}-{relaxed}")
    entities = ["a", "b", "c", "d"][: rng.choice((2, 3, 4, 4))]
    sides = []
    while len(sides) < 2:
        links = random_network(rng, entities, kind, density=rng.choice((0.4, 0.7, 1.0)))
        if brute_force(links, entities) is not None:
            sides.append(links)
    key, answer = sides
    assert compare(_reduced(key, entities), _reduced(answer, entities), relaxed=relaxed) == twin(
        key, answer, entities, relaxed=relaxed
    )


def _reduced(links, entities):
    from naive import network_of

    return reduction_of(Oracle(network_of(links, entities)).minimal_network())
