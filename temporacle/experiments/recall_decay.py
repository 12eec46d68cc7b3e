"""``recall-decay``: recall against the share of relations kept (Tannier & Muller 2011, figures 17 and 18).

A closed graph of N relations loses R of them at random, and is closed again; strict and relaxed recall compare closed
interval graphs, point recall transitive reductions.

Generated graphs: ``samples`` incomplete graphs for every R from 1 to N - 2, and the one with nothing left. For ten
events (N = 45) and five samples these are 43 * 5 + 1 = 216 a graph, 2,160 for ten graphs: the numbers of the paper's
footnote, which does not say which values of R they are. Corpora: at most 20 values of R, spread evenly.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from temporacle.experiments.graphs import closed, links_of, sampled_documents, uncertain_graph
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

if TYPE_CHECKING:
    from temporacle.reasoner.network import PairTable

_STEPS = 20  # values of R for documents of a corpus


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Remove relations, close, and measure."""
    random = Random(settings.seed)
    graphs = _graphs(settings, random)
    plans = [(name, table, removals(sum(1 for _ in table.pairs()), settings)) for name, table in graphs]
    total = sum(len(plan) for _, _, plan in plans)
    rows: list[tuple[str | int | float, ...]] = []
    for name, table, plan in plans:
        key, links = Key(table), links_of(table)
        for removed in plan:
            kept = random.sample(links, len(links) - removed)
            recall = key.recall(closed(Network(kept, table.entities)))
            rows.append((name, len(links), removed, 1 - removed / len(links), *recall))
            progress(len(rows), total)
    return _outcome(settings, rows)


def _graphs(settings: Settings, random: Random) -> list[tuple[str, PairTable]]:
    if settings.corpus:
        return [(document.id, closed(Network(document.links))) for document in sampled_documents(settings, random)]
    return [(f"graph{number}", uncertain_graph(random, settings.entities)) for number in range(1, settings.graphs + 1)]


def removals(relations: int, settings: Settings) -> list[int]:
    """Return the number of relations that each incomplete graph loses."""
    if not settings.corpus:
        return [removed for removed in range(1, relations - 1) for _ in range(settings.samples)] + [relations]
    values = sorted({round(relations * step / _STEPS) for step in range(1, _STEPS)} - {0, relations})
    return [removed for removed in values for _ in range(settings.samples)] + [relations]


def _outcome(settings: Settings, rows: list[tuple[str | int | float, ...]]) -> Outcome:
    bins = _STEPS if settings.corpus else None
    curves = tuple(
        averaged(f"{measure} recall", column(rows, 3, 4 + k), bins)  # type: ignore[arg-type]
        for k, measure in enumerate(MEASURES)
    )
    lines = {curve.name: line_of(curve) for curve in curves}
    strict, relaxed, point = curves
    distances = {curve.name: off_diagonal(curve) for curve in curves}
    return Outcome(
        name="recall-decay",
        columns=("graph", "relations", "removed", "share_kept", *(f"{measure}_recall" for measure in MEASURES)),
        rows=tuple(rows),
        figures=(
            PlottedFigure(
                "recall-decay",
                "Recall against the share of relations kept",
                "share of relations kept",
                "recall",
                curves,
                diagonal=True,
            ),
        ),
        claims=(
            PaperClaim(
                "point recall decreases almost linearly as relations are removed",
                lines[point.name].is_straight,
                f"{lines[point.name]}",
            ),
            PaperClaim(
                "strict and relaxed recall on closed graphs bend more",
                all(lines[point.name].r_squared > lines[other.name].r_squared for other in (strict, relaxed)),
                f"strict: {lines[strict.name]}; relaxed: {lines[relaxed.name]}",
            ),
            PaperClaim(
                "point recall is nearest to y = x",
                all(distances[point.name] < distances[other.name] for other in (strict, relaxed)),
                "root mean square distance: " + ", ".join(f"{name} {value:.3f}" for name, value in distances.items()),
            ),
        ),
        notes=(f"{len(rows)} incomplete graphs",),
    )
