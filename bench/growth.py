"""How cost grows with links, entities and disjunctions: draws docs/figures/performance-*.svg.

python -m bench.growth        (needs matplotlib: the extra temporacle[figures])
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import process_time
from typing import TYPE_CHECKING

from bench.documents import local_links
from bench.harness import in_turn
from temporacle.model import Document
from temporacle.reasoner.check import check_document
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.hulls import graph_of

if TYPE_CHECKING:
    from collections.abc import Callable

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
Curve = tuple[list[int], list[float]]


def seconds(work: Callable[[], object]) -> float:
    return in_turn([work], process_time, least=3, seconds=0)[0]


def by_links() -> dict[str, Curve]:
    """Two links for each entity, as in annotated text."""
    curves: dict[str, Curve] = {"consistency": ([], []), "closure": ([], []), "closure and all pairs": ([], [])}
    for links in (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000):
        network = Network(local_links(Random(links), links // 2, links))
        document = Document("d", network.links)
        work = {
            "consistency": lambda document=document: check_document(document),
            "closure": lambda network=network: graph_of(len(network.entities), network.constraints).close(),
            "closure and all pairs": lambda network=network: Oracle(network).minimal_network(),
        }
        limits = {"consistency": 100_000, "closure": 30_000, "closure and all pairs": 10_000}
        for name, function in work.items():
            if links <= limits[name]:
                curves[name][0].append(links)
                curves[name][1].append(seconds(function))
    return curves


def by_entities() -> dict[str, Curve]:
    """A thousand links over more and more entities."""
    sizes = [60, 120, 250, 500, 1_000]
    networks = [Network(local_links(Random(size), size, 1_000)) for size in sizes]
    return {
        "consistency": (sizes, [seconds(lambda n=n: check_document(Document("d", n.links))) for n in networks]),
        "closure and all pairs": (sizes, [seconds(lambda n=n: Oracle(n).minimal_network()) for n in networks]),
    }


def by_disjunctions() -> dict[str, Curve]:
    """Two hundred links over a hundred entities, some of them with three atoms."""
    counts = [0, 5, 10, 20, 40, 80]
    networks = [Network(local_links(Random(7), 100, 200, disjunctions=count)) for count in counts]
    return {
        "consistency": (counts, [seconds(lambda n=n: Oracle(n).is_consistent()) for n in networks]),
        "exact minimal network": (counts, [seconds(lambda n=n: Oracle(n).minimal_network()) for n in networks]),
    }


def draw(name: str, title: str, curves: dict[str, Curve], what: str, *, logarithmic: bool) -> None:
    """Draw curves in the style of the figures of experiments."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from temporacle.experiments.plotting import COLOURS, SETTINGS

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.6, 3.8), layout="constrained")
        axes = figure.subplots()
        for colour, (label, (sizes, times)) in zip(COLOURS, curves.items(), strict=False):
            axes.plot(sizes, [1000 * time for time in times], marker="o", markersize=4, color=colour, label=label)
        axes.set_xscale("log" if logarithmic else "linear")
        axes.set_yscale("log")
        axes.set_title(title, fontsize=11)
        axes.set_xlabel(what)
        axes.set_ylabel("processor time (ms)")
        axes.legend(frameon=False)
        figure.savefig(FIGURES / f"performance-{name}.svg", metadata={"Date": None})


def main() -> None:
    for name, curves, what, logarithmic in (
        ("links", by_links(), "links of one document (half as many entities)", True),
        ("entities", by_entities(), "entities of one document (1,000 links)", True),
        ("disjunctions", by_disjunctions(), "disjunctions among 200 links", False),
    ):
        draw(name, f"Time by number of {name}", curves, what, logarithmic=logarithmic)
        for label, (sizes, times) in curves.items():
            print(name, label, *(f"{size}:{1000 * time:.2f}ms" for size, time in zip(sizes, times, strict=True)))


if __name__ == "__main__":
    main()
