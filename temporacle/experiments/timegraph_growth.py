"""``timegraph-growth``: time to build and to search a timegraph (UzZaman & Allen 2011, figures 6 to 8).

    figure 6   construction time against nodes and edges (points, chains, links between chains)
    figure 7   nodes and edges against the number of links
    figure 8   time of an evaluation of a document by itself (two constructions, one search a link) against the links

Each time is the least of a few runs. Times are seconds of the processor
that runs this: the only figures the seed does not fix.
"""

from __future__ import annotations

import gc
from math import inf
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.experiments.graphs import sampled_documents, text_like_graph
from temporacle.experiments.outcome import (
    Curve,
    CurvePoint,
    Outcome,
    PaperClaim,
    PlottedFigure,
    Progress,
    Settings,
    column,
    exponent,
    line_through,
    quiet,
)
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.hulls import is_convex
from temporacle.reasoner.published.timegraph import Timegraph

if TYPE_CHECKING:
    from collections.abc import Callable

    from temporacle.model import Document

_SIZES = (10, 20, 40, 60, 80, 100, 140, 180, 220, 260)
_RUNS = 8
_ROUGHLY = 0.9  # of the variance explained: times on a busy machine scatter
_STRAIGHT_POWER = 1.5


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Time timegraphs of growing size."""
    documents = _documents(settings, Random(settings.seed))
    networks = [Network(document.links) for document in documents]
    times = [(inf, inf)] * len(networks)
    for turn in range(_RUNS):  # all documents in turn: whatever disturbs the machine for a while hits none in all runs
        for position, network in enumerate(networks):
            building, evaluation = times[position]
            times[position] = min(building, _time(network, _build)), min(evaluation, _time(network, _evaluate))
            progress(turn * len(networks) + position + 1, _RUNS * len(networks))
    rows: list[tuple[str | int | float, ...]] = []
    for document, network, measured in zip(documents, networks, times, strict=True):
        graph = _build(network)
        size = graph.points + graph.chains + graph.cross_links
        rows.append((document.id, len(network.entities), len(network.links), size, *measured))
    return _outcome(rows)


def _documents(settings: Settings, random: Random) -> list[Document]:
    if not settings.corpus:
        return [
            text_like_graph(random, size, f"graph{size}-{number}")
            for size in _SIZES
            for number in range(1, settings.graphs + 1)
        ]
    sampled = sampled_documents(settings, random, largest=None)
    convex = [document for document in sampled if is_convex(Network(document.links).constraints)]
    if not convex:
        raise UsageError("no document of the corpus can be used: a timegraph holds only convex links")
    return convex


def _build(network: Network) -> Timegraph:
    return Timegraph(network, Budget())


def _evaluate(network: Network) -> None:
    """Do the work of scoring a document against itself: two graphs, and every link of one looked up in the other."""
    _build(network)
    graph = _build(network)
    for link in network.links:
        graph.relation(link.source, link.target)


def _time(network: Network, task: Callable[[Network], object]) -> float:
    """Return the processor time in seconds. The garbage collector is off, since it would affect only some runs."""
    gc.disable()
    try:
        start = process_time()
        task(network)
        return process_time() - start
    finally:
        gc.enable()


def _outcome(rows: list[tuple[str | int | float, ...]]) -> Outcome:
    views = (
        ("timegraph-construction", "PlottedFigure 6: construction", "nodes and edges", "seconds", (3, 4),
         "construction time grows linearly with nodes and edges"),
        ("timegraph-size", "PlottedFigure 7: size", "links", "nodes and edges", (2, 3),
         "nodes and edges grow linearly with the number of links"),
        ("timegraph-evaluation", "PlottedFigure 8: evaluation by itself", "links", "seconds", (2, 5),
         "the time of searching grows linearly with the number of links"),
    )  # fmt: skip
    figures, claims = [], []
    for name, title, x_label, y_label, positions, text in views:
        points = sorted(column(rows, *positions))
        line, power = line_through(points), exponent(points)  # type: ignore[arg-type]
        curve = Curve(y_label, tuple(CurvePoint(x, y) for x, y in points))
        figures.append(PlottedFigure(name, title, x_label, y_label, (curve,), scatter=True))
        holds = line.r_squared >= _ROUGHLY and power < _STRAIGHT_POWER
        claims.append(PaperClaim(text, holds, f"R² = {line.r_squared:.3f}, grows like x^{power:.2f}"))
    return Outcome(
        name="timegraph-growth",
        columns=("document", "entities", "links", "nodes_and_edges", "construction_seconds", "evaluation_seconds"),
        rows=tuple(rows),
        figures=tuple(figures),
        claims=tuple(claims),
    )
