"""Figures of an outcome as SVG and PNG files. The only module that knows matplotlib, which is an extra."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure as Canvas

from temporacle.io.files import atomic_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from temporacle.experiments.outcome import PlottedFigure

COLOURS = ("#1f5fa8", "#b26a00", "#2f7d6b", "#7a4fb5")  # these differ for colour-blind readers, too
_STYLES = ("-", "--", "-.", ":")
_MARKERS = "o^sD"
_SIZE = (5.6, 3.8)
SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "svg.hashsalt": "temporacle",  # the same figure gives the same file
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "path.simplify": True,
}


def save(figure: PlottedFigure, folder: Path) -> list[Path]:
    """Draw a figure; returns the files written."""
    with mpl.rc_context(SETTINGS):
        canvas = _drawn(figure)
        files = [folder / f"{figure.name}.{kind}" for kind in ("svg", "png")]
        with atomic_bytes(files[0]) as file:
            canvas.savefig(file, format="svg", metadata={"Date": None})
        with atomic_bytes(files[1]) as file:
            canvas.savefig(file, format="png", dpi=160)
    return files


def _drawn(figure: PlottedFigure) -> Canvas:
    canvas = Canvas(figsize=_SIZE, layout="constrained")
    axes = canvas.subplots()
    looks = zip(figure.curves, cycle(COLOURS), cycle(_STYLES), cycle(_MARKERS), strict=False)
    for curve, colour, style, marker in looks:
        xs, ys = [point.x for point in curve.points], [point.y for point in curve.points]
        if figure.scatter:
            axes.plot(xs, ys, marker, color=colour, markersize=4, alpha=0.7, label=curve.name)
        else:
            axes.plot(xs, ys, style, color=colour, linewidth=2, label=curve.name)
    if figure.diagonal:
        axes.plot((0, 1), (0, 1), color="#888888", linewidth=1, linestyle=(0, (1, 3)), label="y = x")
    axes.set_title(figure.title, fontsize=11)
    axes.set_xlabel(figure.x_label)
    axes.set_ylabel(figure.y_label)
    axes.set_ylim(bottom=0)
    if len(figure.curves) > 1 or figure.diagonal:
        axes.legend(frameon=False)
    return canvas
