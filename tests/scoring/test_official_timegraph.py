"""The TempEval-3 graph: known vectors, and comparison with a slow twin that executes the specification's tables."""

import random
import re

import pytest
from official_twin import SpecTables, Twin
from shared_data import shared

from temporacle.scoring.official.tempeval3.graph import Fate, GraphAnswer, OfficialTimegraph
from temporacle.scoring.official.tempeval3.tlinks import Triple

LABELS = [
    *("BEFORE", "AFTER", "IBEFORE", "IAFTER", "BEGINS", "BEGUN_BY"),
    *("ENDS", "ENDED_BY", "INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "IDENTITY"),
]
QUERIES = [*LABELS, "DURING", "DURING_INV", "VAGUE", "before"]

# links | points as start and end, chain:stamp | edges. The last link of each takes another case of the placement.
VECTORS = """
A BEFORE B, C AFTER A | A 0:100000 0:101000, B 0:102000 0:103000, C 1:102000 1:103000 | Ae Cs
A BEFORE B, C AFTER B | A 0:100000 0:101000, B 0:102000 0:103000, C 0:104000 0:105000 |
A BEFORE B, C BEFORE B | A 0:100000 0:101000, B 0:102000 0:103000, C 1:-1000 1:101000 | Ce Bs
A BEFORE B, C BEFORE A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:-1000 0:99000 |
A BEFORE B, C BEGINS A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100000 0:100500 |
A IBEFORE B, C ENDED_BY B, D BEGINS C | A 0:100000 0:101000, B 0:101000 0:102000, C 1:100000 0:102000, D 1:100000 1:101000 | Cs Bs, De Ce
A IS_INCLUDED B, C BEGUN_BY A, D BEGINS C | A 0:101000 0:102000, B 0:100000 0:103000, C 0:101000 1:103000, D 0:101000 1:102000 | Ae Ce, Cs De
A BEGINS B, C BEGINS B | A 0:100000 0:101000, B 0:100000 0:102000, C 0:100000 1:101000 | Bs Ce, Ce Be
A BEFORE B, C BEGUN_BY A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100000 1:102000 | Ae Ce
A IBEFORE B, C ENDED_BY B, D BEGUN_BY C | A 0:100000 0:101000, B 0:101000 0:102000, C 1:100000 0:102000, D 1:100000 0:103000 | Cs Bs
A BEFORE B, C BEGUN_BY B | A 0:100000 0:101000, B 0:102000 0:103000, C 0:102000 0:104000 |
A BEFORE B, C ENDED_BY B | A 0:100000 0:101000, B 0:102000 0:103000, C 1:101000 0:103000 | Cs Bs
A BEFORE B, C BEGUN_BY A, D ENDED_BY C | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100000 1:102000, D 0:99000 1:102000 | Ae Ce
A BEFORE B, C ENDED_BY A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:99000 0:101000 |
A BEFORE B, C ENDS A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100500 0:101000 |
A INCLUDES B, C ENDED_BY B, D ENDS C | A 0:100000 0:103000, B 0:101000 0:102000, C 1:100000 0:102000, D 1:101000 0:102000 | Cs Bs, Ds Ce
A BEGUN_BY B, C BEGUN_BY B, D ENDS C | A 0:100000 0:102000, B 0:100000 0:101000, C 0:100000 1:102000, D 1:101000 1:102000 | Be Ce, Cs Ds
A BEGINS B, C ENDS B | A 0:100000 0:101000, B 0:100000 0:102000, C 1:101000 0:102000 | Bs Cs, Cs Be
A BEFORE B, C IAFTER A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:101000 1:102000 | Cs Ce
A BEFORE B, C IAFTER B | A 0:100000 0:101000, B 0:102000 0:103000, C 0:103000 0:104000 |
A BEFORE B, C IBEFORE B | A 0:100000 0:101000, B 0:102000 0:103000, C 1:101000 0:102000 | Cs Ce
A BEFORE B, C IBEFORE A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:99000 0:100000 |
A IAFTER B, C BEGUN_BY B, D INCLUDES C | A 0:101000 0:102000, B 0:100000 0:101000, C 0:100000 1:102000, D 0:99000 1:103000 | Be Ce
A BEFORE B, C INCLUDES A | A 0:100000 0:101000, B 0:102000 0:103000, C 1:99000 1:102000 | Ae Ce, Cs As
A BEGINS B, C INCLUDES B | A 0:100000 0:101000, B 0:100000 0:102000, C 0:99000 0:103000 |
A BEFORE B, C IS_INCLUDED A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100333 0:100666 |
A BEGINS B, C IS_INCLUDED B | A 0:100000 0:101000, B 0:100000 0:102000, C 1:100666 1:101333 | Bs Cs, Ce Be
A BEFORE B, C SIMULTANEOUS A | A 0:100000 0:101000, B 0:102000 0:103000, C 0:100000 0:101000 |
E BEFORE C, C AFTER F, E IS_INCLUDED A, F AFTER B, B BEGUN_BY A | A 2:99000 2:102000, B 1:-1000 1:-2000, C 0:102000 0:103000, E 0:100000 0:101000, F 1:-1000 1:101000 | Fe Cs, Bs As, As Es, As Bs, Ae Be, Ee Ae
D BEFORE E, C BEFORE D, B BEFORE C, A BEFORE B | A 0:-1000 0:-2000, B 0:-1000 0:-2000, C 0:-1000 0:99000, D 0:100000 0:101000, E 0:102000 0:103000 |
A VAGUE B | A 0:0 0:0, B 0:0 0:0 |
A AFTER A | A 0:100000 0:101000 |
"""  # noqa: E501 - one vector a line


def parse(text):
    return [
        Triple(x.encode(), y.encode(), label.encode()) for x, label, y in (part.split(" ") for part in text.split(", "))
    ]


def shown_points(graph):
    entities = sorted({name[:-2] for name in graph.state.points})
    places = [[graph.state.points[entity + end].place for end in (b"_s", b"_e")] for entity in entities]
    return ", ".join(
        f"{entity.decode()} {start.chain}:{start.stamp} {end.chain}:{end.stamp}"
        for entity, (start, end) in zip(entities, places, strict=True)
    )


def answers(links, *queries):
    graph = OfficialTimegraph(parse(links))
    return [graph.answer(query).value for text in queries for query in parse(text)]


@pytest.mark.parametrize("vector", VECTORS.strip().splitlines(), ids=lambda vector: vector.split(" |")[0])
def test_points_and_edges(vector):
    links, points, edges = (part.strip() for part in vector.split("|"))
    graph = OfficialTimegraph(parse(links))
    assert shown_points(graph) == points
    found = sorted(" ".join(name.decode().replace("_", "") for name in edge) for edge in graph.state.edges())
    assert found == sorted(filter(None, edges.split(", ")))


def test_path_enters_each_chain_once():
    links = "E BEFORE C, C AFTER F, E IS_INCLUDED A, F AFTER B, B BEGUN_BY A"
    assert answers(links, "A INCLUDES E", "E IS_INCLUDED A") == ["true", "true"]
    assert set(answers(links, "A IBEFORE E, A IAFTER E, A SIMULTANEOUS E, E SIMULTANEOUS A")) == {"false"}


def test_backward_chain_looks_simultaneous():
    links = "D BEFORE E, C BEFORE D, B BEFORE C, A BEFORE B"
    assert answers(links, "A BEFORE B, A SIMULTANEOUS B, C BEGUN_BY B") == ["true"] * 3


def test_unknown_label_makes_equal_points():
    graph = OfficialTimegraph(parse("A VAGUE B"))
    assert graph.fates == (Fate.VIOLATED,)
    assert answers("A VAGUE B", "A SIMULTANEOUS B, A IBEFORE B, A BEFORE B") == ["true", "true", "false"]


@pytest.mark.parametrize(
    ("links", "reduced"),
    [
        ("A BEFORE B, A before B", "A before B"),
        ("A BEFORE B, B before A", "A BEFORE B, B before A, B BEFORE A"),
        ("A AFTER A", "A AFTER A"),
        ("A SIMULTANEOUS A, A SIMULTANEOUS B, B IDENTITY B", "A SIMULTANEOUS A, A SIMULTANEOUS B"),
        ("A BEFORE B, B BEFORE C, C BEFORE A, A BEFORE C, C AFTER B", "A BEFORE B, B BEFORE C, C BEFORE A"),
        ("A BEFORE B, A BE B", "A BEFORE B"),  # a duplicate: BEFORE begins with BE
        ("A BEFORE B, B during C", "A BEFORE B, B during C, B DURING_DURING_INV C"),
    ],
)
def test_reduced_list(links, reduced):
    assert OfficialTimegraph(parse(links)).reduced() == parse(reduced)


def test_an_answer_needs_both_entities():
    assert answers("A BEFORE B", "A BEFORE C", "C VAGUE D") == ["unknown", "unknown"]
    assert answers("A BEFORE B, C BEFORE B", "A BEFORE C", "A INCLUDES C") == ["unknown", "false"]


def test_ids_inside_ids_lose_edges():
    """1_e is not listed as an exit, because 11_e is and contains its text."""
    links = "1 BEFORE 11, 2 BEFORE 3, 4 BEFORE 5, 11 BEFORE 2, 1 BEFORE 4"
    assert OfficialTimegraph(parse(links)).answer(*parse("1 BEFORE 5")) is GraphAnswer.UNKNOWN
    renamed = re.sub(r"\b1\b", "x", links)
    assert OfficialTimegraph(parse(renamed)).answer(*parse("x BEFORE 5")) is GraphAnswer.TRUE


# --- the twin -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables():
    return SpecTables(shared("spec", "official-timegraph.md").read_text(encoding="utf-8"))


def random_links(rng, names, labels, self_links):
    links = []
    for _ in range(rng.randint(2, 14)):
        x, y = rng.choice(names), rng.choice(names)
        if x != y or rng.random() < self_links:
            links.append((x, y, rng.choice(labels)))
    return links


KINDS = {
    "plain": (["e1", "e2", "e3", "e4", "t5", "t6"], LABELS, 0),
    "odd labels": (["e1", "e2", "e3", "t4"], [*LABELS, "VAGUE", "before", "Ends", "BE", "OVERLAP"], 0.1),
    "self links": (["e1", "e2", "e3", "e4"], LABELS, 1),
    "bare numbers": (["1", "11", "2", "12", "21", "111"], LABELS, 0.1),
    "during": (["e1", "e2", "e3", "e4"], [*LABELS, *["during", "During_inv"] * 6], 0.1),
    "many ties": (
        ["e1", "e2", "e3", "e4", "e5"],
        ["SIMULTANEOUS", "BEGINS", "ENDS", "IAFTER", "BEGUN_BY", "ENDED_BY"],
        0,
    ),
    "orders": (["e1", "e2", "e3", "e4", "e5", "e6", "e7"], ["BEFORE", "AFTER", "INCLUDES", "IS_INCLUDED"], 0),
}


@pytest.mark.corpora
@pytest.mark.parametrize("kind", KINDS)
def test_same_as_the_tables_executed_literally(kind, tables):
    rng = random.Random(f"timegraph {kind}")
    for _ in range(50):
        links = random_links(rng, *KINDS[kind])
        assert_same(links, Twin(tables, links))


@pytest.mark.corpora
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_same_as_the_tables_executed_literally_often(kind, tables):
    rng = random.Random(f"timegraph often {kind}")
    for _ in range(800):
        links = random_links(rng, *KINDS[kind])
        assert_same(links, Twin(tables, links))


def assert_same(links, twin):
    graph = OfficialTimegraph([Triple(*(text.encode() for text in link)) for link in links])
    records = {
        name.decode(): (
            point.chain,
            point.stamp,
            [word.decode() or "OPEN" for word in point.left],
            [word.decode() or "OPEN" for word in point.right],
        )
        for name, point in graph.state.points.items()
    }
    assert records == {name: (p.chain, p.stamp, p.left, p.right) for name, p in twin.points.items()}
    assert sorted((a.decode(), b.decode()) for a, b in graph.state.edges()) == twin.edges()
    for name in ("accepted", "redundant", "violated"):
        assert texts(getattr(graph, name)) == getattr(twin, name)
    assert texts(graph.reduced()) == twin.reduced()
    entities = sorted({entity for link in links for entity in link[:2]})
    for x in entities:
        for y in entities:
            for label in QUERIES:
                answer = graph.answer(Triple(x.encode(), y.encode(), label.encode()))
                assert answer.value == twin.decide(x, y, label, evaluating=True), (x, y, label)


def texts(links):
    return [tuple(text.decode() for text in link) for link in links]
