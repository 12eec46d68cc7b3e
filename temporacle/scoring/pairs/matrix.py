"""The confusion matrix that every pairwise score is computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


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
