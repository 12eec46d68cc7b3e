"""``experiments``: run experiments by name and write what they find.

    for done in experiments("recall-decay", output="results"):
        print(done)

This is what ``temporacle experiment`` calls.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from temporacle.errors import UsageError
from temporacle.experiments.files import save_claims, save_figures, save_table
from temporacle.experiments.outcome import Settings
from temporacle.experiments.registry import EXPERIMENTS, run_experiment
from temporacle.io.source import Options
from temporacle.model import Document
from temporacle.tasks.inputs import documents
from temporacle.tasks.observer import SILENT, Observer
from temporacle.trouble import trouble_with

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from temporacle.experiments.outcome import Outcome
    from temporacle.tasks.inputs import Inputs, ReadingOptions


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
        raise UsageError(f"unknown experiment {name!r}: choose {', '.join(EXPERIMENTS)}, or all")
    options = Options(**reading)
    found = () if corpus is None else _readable(corpus, options, observer)
    if corpus is None and (idle := _chosen(options)):
        raise UsageError(f"{', '.join(idle)}: this is about reading documents, but no corpus was given")
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
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error
    return folder


def _run(name: str, settings: Settings, folder: Path, progress: Callable[[str, int, int], None]) -> ExperimentReport:
    outcome = run_experiment(name, settings, lambda done, total: progress(name, done, total))
    figures = save_figures(outcome, folder)
    written = (save_table(outcome, folder), save_claims(outcome, settings, folder), *(figures or ()))
    return ExperimentReport(outcome, tuple(map(str, written)), drawn=figures is not None)
