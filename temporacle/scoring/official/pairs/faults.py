"""Report where a fault of an original program changed a number: the number, the right one, and why they differ."""

from __future__ import annotations

from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from temporacle.results import harmonic_mean, ratio
from temporacle.scoring.official.pairs.rules import ORIGINALS, Figures, Scheme
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName
from temporacle.scoring.pairs.labels import TBDENSE, VAGUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.scoring.pairs.labels import LabelSet
    from temporacle.scoring.pairs.matrix import Matrix

_SAME = 1e-12
MEASURES = ("precision", "recall", "f1", "accuracy")


class Fault(NamedTuple):
    """A number that a program gets wrong. ``official`` None: it gives none."""

    measure: str
    official: float | None
    exact: Fraction
    cause: str

    def to_dict(self) -> dict[str, object]:
        """Return the JSON object."""
        exact = {"exact": float(self.exact), "exact_fraction": str(self.exact)}
        return {"measure": self.measure, "official": self.official, **exact, "cause": self.cause}


def exact_figures(convention: ConventionName, matrix: Matrix, labels: LabelSet) -> dict[str, Fraction]:
    """Return precision, recall, F1 and accuracy without the faults."""
    found = CONVENTIONS[convention].tallied(matrix, labels)
    precision, recall = ratio(found.correct, found.predicted, 0), ratio(found.correct, found.gold, 0)
    accuracy = ratio(found.agreed, found.examples, 0)
    return {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall), "accuracy": accuracy}


def differing(official: Mapping[str, float | None], exact: Mapping[str, Fraction], cause: str) -> Iterator[Fault]:
    """Yield the measures that differ, all for one cause. A measure that the program does not give differs."""
    for measure, value in exact.items():
        given = official.get(measure)
        if given is None or isnan(given) or abs(given - value) > _SAME:
            why = "0/0, which the program prints as nan" if given is not None and isnan(given) else cause
            yield Fault(measure, None if given is None or isnan(given) else given, value, why)


def faults(
    convention: ConventionName, matrix: Matrix, labels: LabelSet, found: Figures | None, stops: str | None
) -> list[Fault]:
    """Return what a program that works on the confusion matrix gets wrong."""
    exact = exact_figures(convention, matrix, labels)
    if found is None:
        return [Fault(measure, None, value, f"the program stops: {stops}") for measure, value in exact.items()]
    official: dict[str, float | None] = dict(zip(MEASURES, found, strict=True))
    if convention is ConventionName.MATRES_DISTANT:
        return [*differing(official, exact, ""), *_class_recalls(matrix)]
    if convention in _REPORTS and not matrix.row(VAGUE) and not matrix.column(VAGUE):
        official |= {"precision": None, "recall": None}
        return list(differing(official, exact, "no micro average is printed where VAGUE does not occur"))
    return list(differing(official, exact, _positions(convention, matrix, labels)))


_REPORTS = {ConventionName.MATRES_REPORT, ConventionName.TBDENSE_NO_VAGUE}


def _positions(convention: ConventionName, matrix: Matrix, labels: LabelSet) -> str:
    """Return what a matrix of the labels in use counts instead of the relations."""
    used = matrix.in_use().labels
    is_five = ORIGINALS[convention].scheme is Scheme.FIVE and labels is TBDENSE and len(used) >= 5
    counted = used[: 5 if is_five else 3]
    relations = CONVENTIONS[convention].relations(labels)
    unused = ", ".join(label for label in labels.labels if label not in used)
    wrong = [f"{label} counts as a relation" for label in counted if label not in relations]
    wrong += [f"{label} does not count" for label in used if label in relations and label not in counted]
    return f"no pair has {unused}, which moves the other labels in the program's matrix: {', '.join(wrong)}"


def _class_recalls(matrix: Matrix) -> Iterator[Fault]:
    """Yield the faults of the recall by class, which leaves out what was predicted VAGUE, and of the macro average made
    of it.
    """
    cause = "recall of a class leaves out the pairs that were predicted VAGUE"
    recalls, f1s, given, given_f1s = [], [], [], []
    for label in ("AFTER", "BEFORE", "EQUAL"):
        correct, predicted, gold = matrix.cell(label, label), matrix.column(label), matrix.row(label)
        precision, recall = ratio(correct, predicted, 0), ratio(correct, gold, 0)
        wrong = ratio(correct, gold - matrix.cell(label, VAGUE), 0)
        recalls.append(recall)
        given.append(wrong)
        f1s.append(harmonic_mean(precision, recall))
        given_f1s.append(harmonic_mean(precision, wrong))
        if wrong != recall:
            yield Fault(f"{label} recall", float(wrong), recall, cause)
            yield Fault(f"{label} F1", float(given_f1s[-1]), f1s[-1], cause)
    for name, wrong_values, values in (("recall", given, recalls), ("F1", given_f1s, f1s)):
        if sum(wrong_values) != sum(values):
            yield Fault(f"macro {name}", float(_mean(wrong_values)), _mean(values), cause)


def _mean(values: Iterable[Fraction]) -> Fraction:
    every = list(values)
    return sum(every, Fraction(0)) / len(every)
