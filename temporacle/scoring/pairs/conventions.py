"""The conventions by which pairwise scores are published: one table of rules over one confusion matrix.

For a set L of labels that count as relations:

    precision = correct / predicted     correct     examples whose gold label is in L and was predicted
    recall    = correct / gold          predicted   examples whose predicted label is in L
    accuracy  = agreed / examples       gold        examples whose gold label is in L

What the original programs compute differently, they compute by mistake: ``official.pairs`` has their rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from temporacle.scoring.pairs.labels import (
    MATRES,
    MAVEN,
    NARRATIVETIME,
    NONE,
    TBDENSE,
    TIEVAL,
    VAGUE,
    ExamplePairing,
    LabelSet,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ConventionName(StrEnum):
    """Every convention by its name."""

    MATRES = "matres"
    MATRES_COMPACT = "matres-compact"
    MATRES_JCL = "matres-jcl"
    MATRES_DISTANT = "matres-distant"
    MATRES_ECONET = "matres-econet"
    MATRES_REPORT = "matres-report"
    MATRES_GOLD_NONVAGUE = "matres-gold-nonvague"
    TBDENSE = "tbdense"
    TBDENSE_ECONET = "tbdense-econet"
    TBDENSE_NO_VAGUE = "tbdense-no-vague"
    END_TO_END = "end-to-end"
    GLOBAL_ZERO_SHOT = "global-zero-shot"
    GLOBAL_ZERO_SHOT_VOTED = "global-zero-shot-voted"
    MAVEN_ERE = "maven-ere"
    TIEVAL = "tieval"
    NARRATIVETIME = "narrativetime"


class Tallied(NamedTuple):
    """The counts that precision, recall and accuracy are computed from."""

    correct: int
    predicted: int
    gold: int
    agreed: int
    examples: int


@dataclass(frozen=True, slots=True)
class Convention:
    """The rules of one convention."""

    about: str
    label_sets: tuple[LabelSet, ...]
    vague_counts: frozenset[str] = frozenset()  # the label sets of which VAGUE counts as a relation
    vague_gold: bool = True  # whether pairs whose gold label is VAGUE are examples
    pairing: ExamplePairing = ExamplePairing.ROWS
    unanswered_counts: bool = False  # missing and extra pairs are examples; otherwise the user chooses what they are
    unasked_documents: bool = False  # so are the answers of documents that gold does not have
    votes: bool = False  # over several runs of a system

    def matrix_labels(self, labels: LabelSet) -> tuple[str, ...]:
        """Return the labels of the confusion matrix."""
        return (*labels.labels, NONE) if self.unanswered_counts else labels.labels

    def relations(self, labels: LabelSet) -> tuple[str, ...]:
        """Return the labels that count as relations."""
        return tuple(each for each in labels.labels if each != VAGUE or labels.name in self.vague_counts)

    def tallied(self, matrix: Matrix, labels: LabelSet) -> Tallied:
        """Return the counts of a confusion matrix."""
        if not self.vague_gold:
            matrix = matrix.with_gold(label for label in labels.labels if label != VAGUE)
        relations = self.relations(labels)
        examples = matrix.rows(labels.labels) if self.pairing is ExamplePairing.SETS else matrix.total
        predicted = matrix.columns(relations)
        return Tallied(matrix.correct(relations), predicted, matrix.rows(relations), matrix.trace, examples)


_FOUR, _SIX, _EITHER = (MATRES,), (TBDENSE,), (MATRES, TBDENSE)
_OF_FOUR, _OF_SIX = frozenset({MATRES.name}), frozenset({TBDENSE.name})
CONVENTIONS: dict[ConventionName, Convention] = {
    ConventionName.MATRES: Convention("BEFORE, AFTER and EQUAL count; VAGUE does not count as a relation", _FOUR),
    ConventionName.MATRES_COMPACT: Convention("the same; the original drops unused labels", _FOUR),
    ConventionName.MATRES_JCL: Convention("the same; the original stops unless all four labels are in use", _FOUR),
    ConventionName.MATRES_DISTANT: Convention("the same; the original has a macro average with a fault", _FOUR),
    ConventionName.MATRES_ECONET: Convention("all four labels count: P = R = F1 = accuracy", _FOUR, _OF_FOUR),
    ConventionName.MATRES_REPORT: Convention("as matres, by scikit-learn's report", _FOUR),
    ConventionName.MATRES_GOLD_NONVAGUE: Convention(
        "accuracy over the pairs whose gold label is not VAGUE", _FOUR, _OF_FOUR, vague_gold=False
    ),
    ConventionName.TBDENSE: Convention("all six labels count: P = R = F1 = accuracy", _SIX, _OF_SIX),
    ConventionName.TBDENSE_ECONET: Convention("the same number, printed otherwise", _SIX, _OF_SIX),
    ConventionName.TBDENSE_NO_VAGUE: Convention("the five labels other than VAGUE count", _SIX),
    ConventionName.END_TO_END: Convention(
        "missing and extra pairs are errors; VAGUE counts with six labels, not with four",
        _EITHER,
        _OF_SIX,
        unanswered_counts=True,
        unasked_documents=True,
    ),
    ConventionName.GLOBAL_ZERO_SHOT: Convention("as matres; graphs written by language models", _EITHER),
    ConventionName.GLOBAL_ZERO_SHOT_VOTED: Convention("the same, by a vote over several runs", _EITHER, votes=True),
    ConventionName.MAVEN_ERE: Convention(
        "ordered pairs of mentions; both directions are different pairs",
        (MAVEN,),
        pairing=ExamplePairing.CELLS,
        unanswered_counts=True,
    ),
    ConventionName.TIEVAL: Convention(
        "sets of links", (TIEVAL,), frozenset({TIEVAL.name}), pairing=ExamplePairing.SETS, unanswered_counts=True
    ),
    ConventionName.NARRATIVETIME: Convention(
        "two annotators of complete graphs; all labels count",
        (NARRATIVETIME,),
        frozenset({NARRATIVETIME.name}),
        pairing=ExamplePairing.CELLS,
        unanswered_counts=True,
    ),
}

# ----------------------------------------------------------------------------------------------------
# The confusion matrix that every pairwise score is computed from.


class Matrix(NamedTuple):
    """The number of examples for each gold label (row) and predicted label (column).

    >>> matrix = Matrix.of(("BEFORE", "AFTER", "VAGUE"), {("BEFORE", "BEFORE"): 2, ("BEFORE", "VAGUE"): 1})
    >>> matrix.cells, matrix.total, matrix.trace, matrix.column("VAGUE"), matrix.row("BEFORE")
    (((2, 0, 1), (0, 0, 0), (0, 0, 0)), 3, 2, 1, 3)
    >>> matrix.in_use().labels
    ('BEFORE', 'VAGUE')
    """

    labels: tuple[str, ...]
    cells: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, labels: tuple[str, ...], confusion: Mapping[tuple[str, str], int]) -> Matrix:
        """Return a matrix from counts by pairs of labels."""
        return cls(labels, tuple(tuple(confusion.get((gold, given), 0) for given in labels) for gold in labels))

    @property
    def total(self) -> int:
        return sum(map(sum, self.cells))

    @property
    def trace(self) -> int:
        return self.correct(self.labels)

    def correct(self, labels: Iterable[str]) -> int:
        """Return the number of examples that have one of these labels and got it."""
        return sum(self.cells[place][place] for place in map(self.labels.index, labels))

    def row(self, label: str) -> int:
        """Return the number of examples of this gold label."""
        return sum(self.cells[self.labels.index(label)])

    def column(self, label: str) -> int:
        """Return the number of examples for which this label was predicted."""
        place = self.labels.index(label)
        return sum(row[place] for row in self.cells)

    def rows(self, labels: Iterable[str]) -> int:
        return sum(map(self.row, labels))

    def columns(self, labels: Iterable[str]) -> int:
        return sum(map(self.column, labels))

    def cell(self, gold: str, given: str) -> int:
        return self.cells[self.labels.index(gold)][self.labels.index(given)]

    def with_gold(self, labels: Iterable[str]) -> Matrix:
        """Return the matrix with only the examples whose gold label is one of these."""
        kept = set(labels)
        nothing = (0,) * len(self.labels)
        return Matrix(
            self.labels,
            tuple(row if label in kept else nothing for label, row in zip(self.labels, self.cells, strict=True)),
        )

    def in_use(self) -> Matrix:
        """Return the matrix without the labels that occur neither in gold nor in the predictions."""
        used = tuple(label for label in self.labels if self.row(label) or self.column(label))
        return Matrix(used, tuple(tuple(self.cell(gold, given) for given in used) for gold in used))
