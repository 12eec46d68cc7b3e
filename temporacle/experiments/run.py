"""``experiments``: run experiments by name and write what they find.

    for done in experiments("recall-decay", output="results"):
        print(done)

This is what ``temporacle experiment`` calls.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.corpus.inputs import documents
from temporacle.corpus.observer import SILENT, Observer
from temporacle.errors import UsageError, spelled, unknown
from temporacle.experiments.outcome import Settings
from temporacle.io.files import atomic
from temporacle.io.source import Options
from temporacle.model import Document
from temporacle.rules import trouble_with

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from temporacle.corpus.inputs import Inputs, ReadingOptions
    from temporacle.experiments.outcome import Outcome, Progress


@dataclass(frozen=True, slots=True, repr=False)
class ExperimentReport:
    """The findings of an experiment, and the files that contain them."""

    outcome: Outcome
    written: tuple[str, ...]
    drawn: bool  # False: matplotlib is not installed, so there are no figures

    def __repr__(self) -> str:
        outcome = self.outcome
        held = sum(claim.holds for claim in outcome.claims)
        rows = f"{len(outcome.rows)} rows"
        return f"ExperimentReport({outcome.name}: {rows}, {held} of {len(outcome.claims)} claims hold)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        outcome = self.outcome
        return {
            "experiment": outcome.name,
            "claims": [{"text": each.text, "holds": each.holds, "measured": each.measured} for each in outcome.claims],
            "notes": list(outcome.notes),
            "rows": [dict(zip(outcome.columns, row, strict=True)) for row in outcome.rows],
            "written": list(self.written),
        }


def experiments(
    name: str,
    *,
    output: str | os.PathLike[str],
    corpus: Inputs | None = None,
    seed: int = 0,
    entities: int = 10,
    graphs: int = 10,
    samples: int = 5,
    observer: Observer = SILENT,
    progress: Callable[[str, int, int], None] = lambda _name, _done, _total: None,
    **reading: Unpack[ReadingOptions],
) -> Iterator[ExperimentReport]:
    """Run one experiment, or "all" of them, one after the other.

    output      a folder for tables, claims and figures; it is made if it is missing
    corpus      documents to draw from; without it graphs are generated
    seed        decides everything except measured seconds
    entities    events of a generated graph
    graphs      how many graphs are generated, or how many documents are drawn from the corpus
    samples     changed copies of a graph for every step
    observer    gets remarks about the corpus, and what could not be read
    progress    is called with the name of the experiment, how much is done, and of how much

    UsageError for an unknown name, for options about reading without a corpus, and for a corpus that cannot be read.
    """
    if name != "all" and name not in EXPERIMENTS:
        raise unknown("experiment", name, [*EXPERIMENTS, "all"])
    options = Options(**reading)
    found = () if corpus is None else _readable(corpus, options, observer)
    if corpus is None and (idle := _chosen(options)):
        names = [spelled("labels" if name == "reading" else name) for name in idle]
        raise UsageError(f"{', '.join(names)}: this is about reading documents, but no corpus was given")
    settings = Settings(seed, entities, graphs, samples, found)
    folder = _folder(output)
    return (_run(each, settings, folder, progress) for each in (EXPERIMENTS if name == "all" else (name,)))


def _chosen(options: Options) -> list[str]:
    """Return the arguments that were given."""
    plain = Options()
    return [each.name for each in fields(options) if getattr(options, each.name) != getattr(plain, each.name)]


def _readable(corpus: Inputs, options: Options, observer: Observer) -> tuple[Document, ...]:
    found: list[Document] = []
    for document in documents(corpus, options, report=observer.corpus_remark):
        for trouble in trouble_with(document):
            observer.unusable(*trouble)
        if isinstance(document, Document):
            found.append(document)
    if not found:
        raise UsageError("nothing readable under the corpus")
    return tuple(found)


def _folder(output: str | os.PathLike[str]) -> Path:
    folder = Path(output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from error
    return folder


def _run(name: str, settings: Settings, folder: Path, progress: Callable[[str, int, int], None]) -> ExperimentReport:
    outcome = run_experiment(name, settings, lambda done, total: progress(name, done, total))
    figures = save_figures(outcome, folder)
    written = (save_table(outcome, folder), save_claims(outcome, settings, folder), *(figures or ()))
    return ExperimentReport(outcome, tuple(map(str, written)), drawn=figures is not None)


# ----------------------------------------------------------------------------------------------------
# An outcome on disk: a table, the claims in words, and figures where matplotlib is there to draw them.


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


# ----------------------------------------------------------------------------------------------------
# The experiments, by name. A new experiment is one file and one line here.

_HERE = "temporacle.experiments"
EXPERIMENTS = {
    "recall-decay": f"{_HERE}.recall_decay:run",
    "precision-noise": f"{_HERE}.precision_noise:run",
    "minimal-growth": f"{_HERE}.minimal_growth:run",
    "awareness-decay": f"{_HERE}.awareness_decay:run",
    "timegraph-growth": f"{_HERE}.timegraph_growth:run",
    "phase-transition": f"{_HERE}.phase_transition:run",
}


def run_experiment(name: str, settings: Settings, progress: Progress) -> Outcome:
    """Return the outcome of the experiment of that name. Raise UsageError with the known names if there is none."""
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    module, function = EXPERIMENTS[name].split(":")
    outcome: Outcome = getattr(import_module(module), function)(settings, progress)
    return outcome
