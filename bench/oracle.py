"""The reasoner: closure against parsing, against CP-SAT, against scipy."""

from __future__ import annotations

import resource
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from bench.documents import as_timeml, layered_links, local_links
from bench.harness import Row, best, in_turn
from temporacle.model import Link
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import graph_of
from temporacle.reasoner.reference import cpsat
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """All ratios of this module."""
    yield from convex_document()
    yield from disjunctive_document()
    yield from large_document()
    yield from layered_document()


def tuned_query(links: list[Link]) -> Network:
    """One entailment question for CP-SAT on the full model: the links and one negated answer."""
    first, second = Network(links).entities[:2]
    return Network([*links, Link("query", first, Relation(0b1111111111110), second)])


def convex_document() -> Iterator[Row]:
    from lxml import etree

    links = local_links(Random(7), 95, 150)
    data = as_timeml(links, 30_000)
    network = Network(links)
    problem = tuned_query(links)

    def closure() -> None:
        graph_of(len(network.entities), network.constraints).close()

    def all_pairs() -> None:
        Oracle(network).minimal_network()

    parse, close, pairs, query = in_turn(
        [
            lambda: etree.fromstring(data),
            closure,
            all_pairs,
            lambda: cpsat.decider(problem, Budget()).model(),
        ],
        least=30,
    )
    what = f"95 entities, 150 links, {len(data) // 1000} kB"
    yield Row(f"closure, {what}", "lxml parse", close / parse, 2)
    yield Row(f"closure and all pairs, {what}", "lxml parse", pairs / parse, 4)
    yield Row(f"all entailment answers, {what}", "one tuned CP-SAT query", pairs / query, 1 / 3)


def disjunctive_document() -> Iterator[Row]:
    links = local_links(Random(11), 100, 200, disjunctions=5)
    problem = tuned_query(links)
    exact, query = in_turn(
        [
            lambda: Oracle(links).minimal_network(),
            lambda: cpsat.decider(problem, Budget()).model(),
        ],
    )
    yield Row("exact minimal network, 200 links, 5 disjunctions", "one tuned CP-SAT query", exact / query, 10)


def large_document() -> Iterator[Row]:
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    network = Network(local_links(Random(3), 10_000, 20_000))
    successors = graph_of(len(network.entities), network.constraints).successors
    edges = [(point, target >> 1) for point, targets in enumerate(successors) for target in targets]

    def scipy_components() -> None:
        heads, tails = zip(*edges, strict=True)
        matrix = csr_matrix((np.ones(len(edges), dtype=np.int8), (heads, tails)), shape=(len(successors),) * 2)
        connected_components(matrix, directed=True, connection="strong")

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    close, components = in_turn(
        [lambda: graph_of(len(network.entities), network.constraints).close(), scipy_components]
    )
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    yield Row(
        "closure, 10,000 entities, 20,000 local links",
        "scipy strong components from the same edges",
        close / components,
        10,
        note=f"at most {grown:.0f} MB more memory",
    )


def layered_document() -> Iterator[Row]:
    links = layered_links(3, 300)
    small = layered_links(3, 30)
    seconds = best(lambda: Oracle(links).minimal_network(), repeat=3)
    reference = best(lambda: Oracle(small).minimal_network(), repeat=5)
    pairs = sum(1 for _ in combinations(range(900), 2)) / sum(1 for _ in combinations(range(90), 2))
    yield Row(
        f"layered BEFORE graph, {len(links)} links: closure and all pairs",
        f"the same with {len(small)} links, per pair",
        seconds / reference / pairs,
        2,
        note=f"{seconds:.2f} s",
    )
