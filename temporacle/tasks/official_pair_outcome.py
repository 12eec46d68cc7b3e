"""The request to an original program for pairwise scores, and its result for a confusion matrix."""

from __future__ import annotations

from collections import Counter
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.scoring.official.pairs import OriginalStopsError, rules
from temporacle.scoring.official.pairs.rules import MEASURES, ProgramFault, faults
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName, Matrix
from temporacle.scoring.pairs.labels import LABEL_SETS, Examples, Missing, examples
from temporacle.scoring.pairs.metric import LabelSetName, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.scoring.pairs.labels import LabelSet
    from temporacle.tasks.official_pair_files import PairedDocuments

    Row = dict[str, Any]


class PairSources(NamedTuple):
    """The request of the caller."""

    convention: ConventionName
    gold: str
    systems: tuple[str, ...]
    label_set: LabelSetName
    missing: Missing | None

    def refuse(self) -> None:
        """Refuse what the convention leaves no room for."""
        name, convention = self.convention.value, CONVENTIONS[self.convention]
        if len(self.systems) > 1 and not convention.votes:
            raise UsageError("official digits are those of one system: name one SYSTEM")
        if self.missing is not None and (convention.unanswered_counts or convention.votes):
            raise UsageError(f"convention {name} decides itself about missing pairs: leave out missing")
        fits = [LabelSetName.AUTO.value, *(each.name for each in convention.label_sets)]
        if self.label_set.value not in fits:
            raise UsageError(f'convention {name} has the labels of {fits[-1]}: leave out label_set="{self.label_set}"')

    def doubts(self, labels: LabelSet) -> tuple[str, ...]:
        """Return what the user should check: a label set that nothing in the files shows."""
        own = CONVENTIONS[self.convention].label_sets
        if len(own) == 1 or self.label_set is not LabelSetName.AUTO or labels is own[-1]:
            return ()
        return ("no label is INCLUDES or IS_INCLUDED, so four labels are used; with --label-set tbdense, six are",)

    def labels(self, found: Callable[[], LabelSet]) -> LabelSet:
        """Return the label set: the only one of the convention, the chosen one, or the one that the files show."""
        own = CONVENTIONS[self.convention].label_sets
        if len(own) == 1:
            return own[0]
        return found() if self.label_set is LabelSetName.AUTO else LABEL_SETS[self.label_set.value]


class PairOutcome(NamedTuple):
    """The result of a program for its input."""

    printed: Row
    values: dict[str, float | None]
    labels: str
    missing: str
    matrix: Matrix | None = None
    counts: Row | None = None
    scored: int = 0
    documents: tuple[Row, ...] = ()
    stops: str | None = None
    notes: tuple[str, ...] = ()
    faults: tuple[ProgramFault, ...] = ()

    def figures(self) -> Row:
        """Return precision, recall, F1 and accuracy; None for nan and for values that the program does not give."""
        return {name: _number(self.values.get(name)) for name in MEASURES}


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value


def document_examples(
    name: ConventionName, documents: PairedDocuments, labels: LabelSet, missing: Missing | None
) -> list[Examples]:
    pairing = CONVENTIONS[name].pairing
    return [
        examples(rows_of(key, name, labels), rows_of(answer, name, labels), labels, pairing, missing)
        for key, answer in documents.pairs
    ]


def matrix_of(convention: ConventionName, found: Sequence[Examples], labels: LabelSet) -> Matrix:
    confusion: Counter[tuple[str, str]] = Counter()
    for each in found:
        confusion.update(each.confusion)
    return Matrix.of(CONVENTIONS[convention].matrix_labels(labels), confusion)


def counts_of(found: Sequence[Examples]) -> Row:
    return {name: sum(getattr(each, name) for each in found) for name in Examples._fields[1:]}


def from_matrix(sources: PairSources, matrix: Matrix, labels: LabelSet) -> PairOutcome:
    convention = sources.convention
    printed: Row = {}
    found = stops = None
    try:
        found, printed = rules.figures(convention, matrix, labels), rules.printed(convention, matrix, labels)
    except OriginalStopsError as error:
        stops = str(error)
    if convention is ConventionName.MATRES:
        printed = {**printed, "epoch_line": rules.epoch_line(matrix, labels), "confusion": matrix.cells}
    values: dict[str, float | None] = {} if found is None else dict(zip(MEASURES, found, strict=True))
    wrong = tuple(faults(convention, matrix, labels, found, stops))
    return PairOutcome(printed, values, labels.name, "", matrix, stops=stops, faults=wrong)
