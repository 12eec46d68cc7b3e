"""The walk through the links of a document against the growing graph asked link by link, and columns against a loop."""

from random import Random

import pytest
from naive import KINDS, network_of, random_network

from temporacle.model import Document, Link
from temporacle.reasoner.algebra import ALL
from temporacle.reasoner.linkgraph import GrowingGraph
from temporacle.reasoner.network import Budget, Network
from temporacle.relation import Relation
from temporacle.results import Verdict
from temporacle.scoring.side import Side


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_a_walk_judges_each_link_as_the_growing_graph_does(kind, seed):
    rng = Random(f"{kind}-{seed}")
    entities = [f"e{k}" for k in range(rng.choice((3, 6, 10)))]
    triples = random_network(rng, entities, kind, density=rng.choice((0.2, 0.5, 1.0)))
    triples += [(rng.choice(entities), Relation(rng.choice((1, 8, ALL))), rng.choice(entities)) for _ in range(3)]
    rng.shuffle(triples)
    network = network_of(triples)
    walked, asked = GrowingGraph(network, Budget()), GrowingGraph(network)
    for position, verdict in enumerate(walked.walk(range(len(network.links)))):
        assert verdict is asked.verdict(network.constraints[position])
        if verdict is Verdict.OPEN:
            asked.add(position)
    size = len(network.entities)
    questions = [(rng.randrange(size), rng.randrange(1, ALL + 1), rng.randrange(size)) for _ in range(60)]
    questions += [(source, asked.strongest(source, target), target) for source, _, target in questions]
    assert walked.entails_each(questions) == [asked.entails(question) for question in questions]


@pytest.mark.parametrize("seed", range(20))
def test_links_are_numbered_as_one_by_one(seed):
    rng = Random(seed)
    names = [f"e{k}" for k in range(8)]
    links = [Link(f"l{k}", rng.choice(names), Relation(rng.randrange(1, ALL)), rng.choice(names)) for k in range(12)]
    declared = rng.sample(names, rng.randrange(5))
    network = Network(iter(links), iter(declared))
    index: dict[str, int] = {}
    for name in [*declared, *(end for link in links for end in (link.source, link.target))]:
        index.setdefault(name, len(index))
    assert network.index == index
    assert network.entities == tuple(index)
    assert network.constraints == [(index[link.source], int(link.relation), index[link.target]) for link in links]
    assert {type(mask) for _, mask, _ in network.constraints} == {int}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_a_link_that_says_nothing_changes_nothing(kind, seed):
    """A document with such a link is walked in steps, and one without any in one go."""
    rng = Random(f"{kind}-{seed}")
    entities = [f"e{k}" for k in range(rng.choice((3, 5, 8)))]
    triples = random_network(rng, entities, kind, density=0.7)
    links = network_of([each for each in triples if int(each[1]) != ALL]).links
    if not links:
        return
    links = (*links, *rng.sample(links, min(2, len(links))))
    vague = Link("vague", links[0].source, Relation(ALL), links[0].target)
    plain, stepped = (Side(Document("d", each), Budget()) for each in (links, (*links, vague)))
    assert (plain.counted, plain.kept, plain.set_aside) == (stepped.counted, stepped.kept, stepped.set_aside)
    assert (plain.left_out, stepped.left_out) == (0, 1)
