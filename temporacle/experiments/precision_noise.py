"""``precision-noise``: precision against the share of relations left as they were (Tannier & Muller 2011, figure 19).

The links of a graph of which none follows from the others are switched one after the other, each to an atom that the
original excludes and that the links now standing allow; so the disturbed graph stays consistent. A link without such an
atom stays as it is and counts as undisturbed. After every switch the graph is closed and compared with the original.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from temporacle.experiments.graphs import closed, independent_links, links_of, sampled_documents, uncertain_graph
from temporacle.experiments.outcome import (
    MEASURES,
    Key,
    Outcome,
    PaperClaim,
    PlottedFigure,
    Progress,
    Settings,
    averaged,
    column,
    line_of,
    off_diagonal,
    quiet,
)
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Link

_BINS = 20


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Switch links, close, and measure."""
    random = Random(settings.seed)
    rows: list[tuple[str | int | float, ...]] = []
    graphs = _graphs(settings, random)
    total = sum(len(links) for _, links, _ in graphs) * settings.samples
    done = 0
    for name, links, entities in graphs:
        key = Key(closed(Network(links, entities)))
        for sample in range(1, settings.samples + 1):
            for switched, disturbed in enumerate(disturbances(links, entities, random), 1):
                precision = key.precision(closed(Network(disturbed, entities)))
                rows.append((name, len(links), sample, switched, 1 - switched / len(links), *precision))
                progress(done + switched, total)
            done += len(links)
    return _outcome(rows)


def _graphs(settings: Settings, random: Random) -> list[tuple[str, list[Link], tuple[str, ...]]]:
    if settings.corpus:
        found = [(document.id, closed(Network(document.links)).entities, document.links) for document in
                 sampled_documents(settings, random)]  # fmt: skip
    else:
        tables = [uncertain_graph(random, settings.entities) for _ in range(settings.graphs)]
        found = [(f"graph{n}", table.entities, tuple(links_of(table))) for n, table in enumerate(tables, 1)]
    graphs = [(name, independent_links(links, entities, random), entities) for name, entities, links in found]
    return [graph for graph in graphs if graph[1]]


def disturbances(links: Sequence[Link], entities: tuple[str, ...], random: Random) -> Iterator[list[Link]]:
    """Yield the links after one switch, after two, and so on."""
    current = list(links)
    for position in random.sample(range(len(links)), len(links)):
        link = current[position]
        rest = current[:position] + current[position + 1 :]
        possible = Oracle(Network(rest, entities)).strongest(link.source, link.target) & ~link.relation
        if possible:
            current[position] = link._replace(relation=Relation.of(random.choice(possible.atoms)))
            yield list(current)


def _outcome(rows: list[tuple[str | int | float, ...]]) -> Outcome:
    curves = tuple(
        averaged(f"{measure} precision", column(rows, 4, 5 + k), _BINS)  # type: ignore[arg-type]
        for k, measure in enumerate(MEASURES)
    )
    distances = {curve.name: off_diagonal(curve) for curve in curves}
    strict, relaxed, point = curves
    line = line_of(point)
    return Outcome(
        name="precision-noise",
        columns=("graph", "links", "sample", "switched", "share_undisturbed", *(f"{m}_precision" for m in MEASURES)),
        rows=tuple(rows),
        figures=(
            PlottedFigure(
                "precision-noise",
                "Precision against the share of links left as they were",
                "share of links undisturbed",
                "precision",
                curves,
                diagonal=True,
            ),
        ),
        claims=(
            PaperClaim(
                "point precision follows y = x more closely than strict and relaxed precision",
                all(distances[point.name] < distances[other.name] for other in (strict, relaxed)),
                "root mean square distance: " + ", ".join(f"{name} {value:.3f}" for name, value in distances.items()),
            ),
            PaperClaim("point precision decreases almost linearly", line.is_straight, str(line)),
        ),
        notes=(f"{len(rows)} disturbed graphs",),
    )
