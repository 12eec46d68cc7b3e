"""The output of the programs behind pairwise scores for two files or folders, byte for byte, and the same as values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from temporacle.scoring.metric import one_of
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName, Matrix
from temporacle.scoring.pairs.labels import Missing, examples
from temporacle.scoring.pairs.metric import LabelSetName, label_set_of, rows_of
from temporacle.signature import signature
from temporacle.tasks import official_pair_files as files
from temporacle.tasks import official_pair_programs as programs
from temporacle.tasks.official_pair_outcome import (
    PairOutcome,
    PairSources,
    counts_of,
    document_examples,
    from_matrix,
    matrix_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.scoring.official.pairs.rules import ProgramFault

    Row = dict[str, Any]

_ZERO_SHOT = {ConventionName.GLOBAL_ZERO_SHOT, ConventionName.GLOBAL_ZERO_SHOT_VOTED}


@dataclass(frozen=True, slots=True, repr=False)
class OfficialPairs:
    """The output or return value of an original program, and the same as values."""

    convention: str
    signature: str
    printed: Row  # ``line`` or ``lines``, or numbers by the program's own names
    figures: Row
    matrix: Matrix | None = None
    counts: Row | None = None
    scored: int = 0  # documents
    documents: tuple[Row, ...] = ()
    stops: str | None = None  # why the original ends with an error on this input
    notes: tuple[str, ...] = ()
    faults: tuple[ProgramFault, ...] = ()  # where they were asked for

    def __repr__(self) -> str:
        return f"OfficialPairs({self.convention}: {self.text().strip() or self.stops})"

    def text(self) -> str:
        """Return what the program prints. Numbers that it only returns are given as JSON."""
        if not self.printed:
            return ""
        lines = self.printed.get("lines") or [self.printed.get("line") or json.dumps(self.printed)]
        return "".join(f"{line}\n" for line in lines)

    def to_dict(self) -> Row:
        """Return the JSON object of the total."""
        matrix = {} if self.matrix is None else {"labels": self.matrix.labels, "matrix": self.matrix.cells}
        return {
            "total": True,
            "metric": "pairs",
            "convention": self.convention,
            **self.figures,
            "counts": self.counts or {},
            **matrix,
            "official": self.printed,
            "documents": self.scored,
            "skipped": [],  # a document that cannot be read refuses the whole score
            "stops": self.stops,
            "signature": self.signature,
        }


def official_pairs(
    gold: str,
    systems: Sequence[str],
    *,
    convention: str = "matres",
    missing: str | None = None,
    label_set: str = "auto",
    explain_difference: bool = False,
) -> OfficialPairs:
    """Score as the program of a convention does. Raise UsageError for input that no program can read."""
    name: ConventionName = one_of(ConventionName, convention, "convention")
    chosen_set: LabelSetName = one_of(LabelSetName, label_set, "label_set")
    policy = None if missing is None else one_of(Missing, missing, "missing")
    sources = PairSources(name, gold, tuple(systems), chosen_set, policy)
    sources.refuse()
    outcome = _scorer(sources)(sources)
    choices = {
        "official": "yes",
        "convention": name.value,
        "labels": outcome.labels,
        "missing": outcome.missing,
        "runs": str(len(systems)),
    }
    return OfficialPairs(
        name.value,
        signature("pairs", choices),
        outcome.printed,
        outcome.figures(),
        outcome.matrix,
        outcome.counts,
        outcome.scored,
        outcome.documents,
        outcome.stops,
        outcome.notes,
        outcome.faults if explain_difference else (),
    )


def _scorer(sources: PairSources) -> Callable[[PairSources], PairOutcome]:
    """Return the function that scores the files of a convention."""
    if sources.convention is ConventionName.MAVEN_ERE:
        return programs.score_maven
    if sources.convention is ConventionName.TIEVAL:
        return programs.score_tieval
    if sources.convention is ConventionName.NARRATIVETIME:
        return programs.score_narrativetime
    if sources.convention in _ZERO_SHOT and files.holds_graphs(sources.gold):
        return programs.score_graphs
    return _voted_links if CONVENTIONS[sources.convention].votes else _links


# --- programs that work on the confusion matrix -----------------------------------------------------------------------


def _links(sources: PairSources) -> PairOutcome:
    documents = files.documents(sources.gold, sources.systems[0])
    labels = sources.labels(lambda: label_set_of(documents.every()))
    convention = CONVENTIONS[sources.convention]
    missing = None if convention.unanswered_counts else sources.missing or Missing.VAGUE
    found = document_examples(sources.convention, documents, labels, missing)
    unasked = [rows_of(answer, sources.convention, labels) for answer in documents.system_only]
    if convention.unasked_documents:
        found += [examples([], rows, labels, convention.pairing, missing) for rows in unasked]
    outcome = from_matrix(sources, matrix_of(sources.convention, found, labels), labels)
    return outcome._replace(
        counts=counts_of(found),
        scored=len(found),
        missing="none" if missing is None else missing.value,
        notes=(*documents.notes, *sources.doubts(labels)),
    )


def _voted_links(sources: PairSources) -> PairOutcome:
    from temporacle.scoring.official.pairs.graphs import voted

    runs = [files.documents(sources.gold, system) for system in sources.systems]
    labels = sources.labels(lambda: label_set_of(document for run in runs for document in run.every()))

    def table(side: int, run: files.PairedDocuments) -> dict[tuple[str, str, str], str]:
        rows = ((pair[0].id, row) for pair in run.pairs for row in rows_of(pair[side], sources.convention, labels))
        return {(name, row.source, row.target): row.label for name, row in rows}

    found = voted(table(0, runs[0]), [table(1, run) for run in runs], labels)
    outcome = from_matrix(sources, Matrix.of(labels.labels, found.confusion), labels)
    return outcome._replace(missing="skip", counts={"missing": found.unanswered}, scored=len(runs[0].pairs))
