"""The charts on the pages of results: ``python -m bench.charts`` draws docs/figures/*.svg from tables in bench/results.

The charts about audits take their figures from the tables in docs/audits.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"
AUDITS = ROOT / "docs" / "audits"
Bars = dict[str, tuple[float, ...]]


def rows(path: Path, first: str) -> list[list[str]]:
    """Return the cells of the first table whose first column is called ``first``."""
    table = re.search(rf"^\| {first} \|.*\n\|[-|: ]+\n((?:\|.*\n)*)", path.read_text("utf-8"), re.MULTILINE)
    assert table is not None, path
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].splitlines()]


def corpora() -> Bars:
    """Return the share of inconsistent documents, for corpora that have one."""
    counts = [(row[0], int(row[4]), int(row[1].replace(",", ""))) for row in rows(RESULTS / "corpora.md", "corpus")]
    return {
        name: (100 * wrong / of,) for name, wrong, of in sorted(counts, key=lambda each: -each[1] / each[2]) if wrong
    }


def tempeval3() -> Bars:
    """Return F1 of each run by the program of the task, and by complete inference, in the order of the first."""
    found = {row[0]: (float(row[1].split(" / ")[0]), float(row[3].split(" / ")[0])) for row in _runs()}
    return dict(sorted(found.items(), key=lambda each: -each[1][0]))


def _runs() -> list[list[str]]:
    return rows(RESULTS / "te3-runs.md", "run")


def audits() -> Bars:
    """Return the share of contradictory graphs that each closure takes for consistent ones."""
    found = {}
    for path in sorted(AUDITS.glob("*.md")):
        missed = re.search(r"inconsistencies missed \|.*?([\d.]+) %", path.read_text("utf-8"))
        if missed is not None:
            found[path.stem] = (float(missed[1]),)
    return dict(sorted(found.items(), key=lambda each: -each[1][0]))


def draw(name: str, title: str, bars: Bars, axis: str, legend: tuple[str, ...] = ()) -> None:
    """Draw horizontal bars, the first on top, in the style of the figures of experiments."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from temporacle.experiments.plotting import COLOURS, SETTINGS

    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(6.4, 0.3 * len(bars) * (1 + len(legend) / 4) + 1.1), layout="constrained")
        axes = figure.subplots()
        width = 0.8 / len(next(iter(bars.values())))
        for place, values in enumerate(zip(*bars.values(), strict=True)):
            heights = [number + place * width for number in range(len(bars))]
            drawn = axes.barh(heights, values, width, color=COLOURS[place], label=legend[place] if legend else None)
            axes.bar_label(drawn, fmt="%.1f", padding=3, fontsize=8)
        axes.set_yticks([number + 0.4 - width / 2 for number in range(len(bars))], bars, fontsize=9)
        axes.set_title(title, fontsize=11)
        axes.set_xlabel(axis)
        axes.margins(x=0.12)
        axes.invert_yaxis()
        if legend:
            axes.legend(frameon=False, loc="lower right", fontsize=9)
        figure.savefig(ROOT / "docs" / "figures" / f"{name}.svg", metadata={"Date": None})


def main() -> None:
    share = "share of documents (%)"
    draw("corpora", "Documents that contradict themselves", corpora(), share)
    both = ("program of the task", "complete inference")
    draw("tempeval3", "Runs of TempEval-3, temporal awareness", tempeval3(), "F1 (%)", both)
    draw("audits", "Contradictions that a closure does not notice", audits(), "share of inconsistent graphs (%)")


if __name__ == "__main__":
    main()
