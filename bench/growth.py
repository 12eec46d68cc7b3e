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
from temporacle.reasoner.points.closure import graph_of

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


def draw(name: str, curves: dict[str, Curve], what: str, *, logarithmic: bool) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = name  # the same picture gives the same file
    mpl.rcParams["svg.fonttype"] = "none"  # letters as letters: a tenth of the size
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.2))
    for label, (sizes, times) in curves.items():
        axes.plot(sizes, [1000 * time for time in times], marker="o", label=label)
    axes.set_xscale("log" if logarithmic else "linear")
    axes.set_yscale("log")
    axes.set_xlabel(what)
    axes.set_ylabel("milliseconds")
    axes.legend()
    axes.grid(visible=True, alpha=0.3)
    figure.tight_layout()
    figure.savefig(FIGURES / f"performance-{name}.svg", metadata={"Date": None})


def main() -> None:
    for name, curves, what, logarithmic in (
        ("links", by_links(), "links, half as many entities", True),
        ("entities", by_entities(), "entities, 1,000 links", True),
        ("disjunctions", by_disjunctions(), "links with three atoms among 200", False),
    ):
        draw(name, curves, what, logarithmic=logarithmic)
        for label, (sizes, times) in curves.items():
            print(name, label, *(f"{size}:{1000 * time:.2f}ms" for size, time in zip(sizes, times, strict=True)))


if __name__ == "__main__":
    main()
