"""``minimal-growth``: minimal graph and closure against the number of events (Tannier & Muller 2011, section 6.1).

The size of the minimal graph is its value: equalities between endpoints and major edges. The size of the closure is the
number of pairs of events that are related.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from temporacle.experiments.graphs import closed, sampled_documents, uncertain_graph
from temporacle.experiments.outcome import (
    Outcome,
    PaperClaim,
    PlottedFigure,
    Progress,
    Settings,
    averaged,
    column,
    exponent,
    line_through,
    quiet,
)
from temporacle.reasoner.network import Network
from temporacle.reasoner.points.minimal_graph import reduction_of
from temporacle.scoring.reduction import value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.network import PairTable

_LARGEST = 60
_STEP = 5
_LARGEST_DOCUMENT = 400
_PARABOLA = 2  # degree of the polynomial that growth is compared with


def run(settings: Settings, progress: Progress = quiet) -> Outcome:
    """Measure graphs of growing size, or the documents of a corpus."""
    random = Random(settings.seed)
    total = settings.graphs if settings.corpus else settings.graphs * (_LARGEST // _STEP)
    rows: list[tuple[str | int | float, ...]] = []
    for name, table in _graphs(settings, random):
        reduced = reduction_of(table)
        related = sum(1 for _ in table.pairs())
        points = sum(reached.bit_count() for reached in reduced.reach)
        rows.append((name, len(table.entities), value(reduced), len(reduced.major), related, points))
        progress(len(rows), max(total, len(rows)))
    return _outcome(rows, is_corpus=bool(settings.corpus))


def _graphs(settings: Settings, random: Random) -> Iterator[tuple[str, PairTable]]:
    if settings.corpus:
        for document in sampled_documents(settings, random, largest=_LARGEST_DOCUMENT):
            yield document.id, closed(Network(document.links))
        return
    for entities in range(_STEP, _LARGEST + 1, _STEP):
        for number in range(1, settings.graphs + 1):
            yield f"graph{entities}-{number}", uncertain_graph(random, entities, related=False)


def _outcome(rows: list[tuple[str | int | float, ...]], *, is_corpus: bool) -> Outcome:
    minimal, related = column(rows, 1, 2), column(rows, 1, 4)
    powers = exponent(minimal), exponent(related)  # type: ignore[arg-type]
    line = line_through(minimal)  # type: ignore[arg-type]
    spreads = _spread(minimal), _spread(related)
    return Outcome(
        name="minimal-growth",
        columns=("graph", "events", "minimal_value", "major_edges", "related_pairs", "ordered_node_pairs"),
        rows=tuple(rows),
        figures=(
            PlottedFigure(
                "minimal-growth",
                "Size of the minimal graph and of the closure",
                "events",
                "relations",
                (averaged("minimal graph", minimal), averaged("closure", related)),  # type: ignore[arg-type]
                scatter=is_corpus,
            ),
        ),
        claims=(
            PaperClaim(
                "the minimal graph grows roughly linearly with the number of events",
                powers[0] < 1.5,
                f"grows like events^{powers[0]:.2f}; {line}",
            ),
            PaperClaim("the closure grows faster", powers[1] > powers[0], f"grows like events^{powers[1]:.2f}"),
            PaperClaim(
                "the closure varies more between graphs",
                spreads[1] > spreads[0],
                f"mean distance from the best parabola: closure {spreads[1]:.1f}, minimal graph {spreads[0]:.1f}",
            ),
        ),
    )


def _spread(points: list[tuple[float, ...]]) -> float:
    """Return the mean distance from the best parabola over the number of events: the variation that size does not
    explain.
    """
    import numpy as np

    xs, ys = np.array(points).T
    if len(set(xs)) <= _PARABOLA:
        return 0.0
    return float(np.abs(ys - np.polyval(np.polyfit(xs, ys, _PARABOLA), xs)).mean())
