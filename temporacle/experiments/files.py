"""An outcome on disk: a table, the claims in words, and figures where matplotlib is there to draw them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from temporacle.io.files import atomic

if TYPE_CHECKING:
    from pathlib import Path

    from temporacle.experiments.outcome import Outcome, Settings


def save_table(outcome: Outcome, folder: Path) -> Path:
    """Return every measurement, one in a row."""
    path = folder / f"{outcome.name}.csv"
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(outcome.columns)
        for row in outcome.rows:
            writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else _harmless(cell) for cell in row])
    return path


def _harmless(cell: str | int) -> str | int:
    """Return a cell that no spreadsheet takes for a formula, because names of documents come from other people."""
    if not isinstance(cell, str):
        return cell
    shown = cell.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair, as in undecodable file names
    return "'" + shown if shown[:1] in ("=", "+", "-", "@", "\t", "\r") else shown


def save_claims(outcome: Outcome, settings: Settings, folder: Path) -> Path:
    """Return the claims of the papers and the measured values."""
    path = folder / f"{outcome.name}.txt"
    chosen = f"seed {settings.seed}, {settings.graphs} graphs, {settings.samples} samples"
    source = (
        f"{len(settings.corpus)} documents given" if settings.corpus else f"generated, {settings.entities} entities"
    )
    lines = [f"{outcome.name}: {source}, {chosen}", *outcome.notes, *map(str, outcome.claims)]
    with atomic(path) as file:
        file.write("\n".join(lines) + "\n")
    return path


def save_figures(outcome: Outcome, folder: Path) -> list[Path] | None:
    """Return SVG and PNG files; None if matplotlib is not installed."""
    try:
        from temporacle.experiments.plotting import save
    except ModuleNotFoundError as missing:
        if missing.name != "matplotlib":
            raise
        return None
    return [path for figure in outcome.figures for path in save(figure, folder)]
