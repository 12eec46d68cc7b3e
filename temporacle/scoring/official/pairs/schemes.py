"""The rules by which each original program turns a confusion matrix into its output: one table, faults included.

A scheme says which cells become precision and recall:

    FULL      the matrix has all labels: correct / predicted and correct / gold over the labels that count
    NEEDS_4   the same, but the program stops unless all four labels are in use
    THREE     a *compact* matrix: unused labels have no row and no column. The first three positions count,
              whatever labels stand there: without EQUAL, VAGUE counts as a relation
    FIVE      the same with the first five positions; with fewer than five labels in use, THREE

Numbers are computed in binary floating point, in the order of the originals.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.results import harmonic_mean, ratio
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName
from temporacle.scoring.pairs.labels import TBDENSE, VAGUE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.scoring.pairs.conventions import Matrix
    from temporacle.scoring.pairs.labels import LabelSet


NAN, INFINITY = float("nan"), float("inf")


class Scheme(Enum):
    """The cells of the matrix that count."""

    FULL = "full"
    NEEDS_4 = "needs four"
    THREE = "three"
    FIVE = "five"


class F1(Enum):
    """The formula of F1."""

    PRODUCT = "2PR / (P + R)"
    INVERSE = "2 / (1/P + 1/R)"
    COUNTS = "2 correct / (predicted + gold)"


class SchemeFigures(NamedTuple):
    """The numbers that a program computes."""

    precision: float
    recall: float
    f1: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class OriginalProgram:
    """The rules of one program."""

    lines: tuple[str, ...] = ()  # what it prints; none: it returns numbers
    scheme: Scheme = Scheme.FULL
    f1: F1 = F1.PRODUCT
    zero_by_zero: float = 0.0
    needs_examples: bool = True  # stops without any
    needs_success: bool = False  # stops where precision and recall are both 0
    short_zero: bool = False  # prints 0 for 0.0000


_PRF_ACC = "Prec={p:.4f}, Rec={r:.4f}, F1={f:.4f}, Acc={a:.4f}"
_OVERALL = ("Overall Precision: {p}", "Overall Recall: {r}", "Overall F1: {f}")
_TEST = ("TEST ACCURACY={a:.4f}", "TEST PRECISION={p:.4f}", "TEST RECALL={r:.4f}", "TEST F1={f:.4f}")
_ZERO_SHOT = OriginalProgram((f"{_PRF_ACC}, MICRO_F1={{a:.4f}}",), Scheme.FIVE, F1.INVERSE)
ORIGINALS: dict[ConventionName, OriginalProgram] = {
    ConventionName.MATRES: OriginalProgram(_TEST, zero_by_zero=NAN, needs_examples=False),
    ConventionName.MATRES_COMPACT: OriginalProgram((_PRF_ACC,), Scheme.THREE, F1.INVERSE),
    ConventionName.MATRES_JCL: OriginalProgram(
        ("P: {p:.3f} R: {r:.3f} F1: {f:.3f}",), Scheme.NEEDS_4, zero_by_zero=NAN
    ),
    ConventionName.MATRES_DISTANT: OriginalProgram(needs_success=True),
    ConventionName.MATRES_ECONET: OriginalProgram(_OVERALL, short_zero=True),
    ConventionName.MATRES_REPORT: OriginalProgram(f1=F1.COUNTS),
    ConventionName.MATRES_GOLD_NONVAGUE: OriginalProgram(),
    ConventionName.TBDENSE: OriginalProgram(("F1={f:.4f}, Acc={a:.4f}, Prec={p:.4f}, Recall={r:.4f}",), f1=F1.COUNTS),
    ConventionName.TBDENSE_ECONET: OriginalProgram(_OVERALL, short_zero=True),
    ConventionName.TBDENSE_NO_VAGUE: OriginalProgram(f1=F1.COUNTS),
    ConventionName.END_TO_END: OriginalProgram(
        ("Overall Precision: {p:.4f}\tRecall: {r:.4f}\tF1: {f:.4f}",), needs_examples=False
    ),
    ConventionName.GLOBAL_ZERO_SHOT: _ZERO_SHOT,
    ConventionName.GLOBAL_ZERO_SHOT_VOTED: _ZERO_SHOT,
}


def figures(convention: ConventionName, matrix: Matrix, labels: LabelSet) -> SchemeFigures:
    """Return the figures as the program computes them. Raise OriginalStopsError where it ends with an error."""
    original, rules = ORIGINALS[convention], CONVENTIONS[convention]
    if not rules.vague_gold:
        matrix = matrix.with_gold(label for label in labels.labels if label != VAGUE)
    if original.needs_examples and not matrix.total:
        raise OriginalStopsError("there is no example")
    if original.scheme in {Scheme.THREE, Scheme.FIVE}:
        size = 5 if original.scheme is Scheme.FIVE and labels is TBDENSE and len(matrix.in_use().labels) >= 5 else 3
        correct, predicted, gold = _by_position(matrix.in_use(), size)
    else:
        if original.scheme is Scheme.NEEDS_4 and len(matrix.in_use().labels) < 4:
            raise OriginalStopsError(f"only {len(matrix.in_use().labels)} of the 4 labels are in use")
        relations = rules.relations(labels)
        correct, predicted, gold = matrix.correct(relations), matrix.columns(relations), matrix.rows(relations)
    precision = _divided(correct, predicted, original.zero_by_zero)
    recall = _divided(correct, gold, original.zero_by_zero)
    if original.needs_success and precision + recall == 0:
        raise OriginalStopsError("precision and recall are 0")
    accuracy = _divided(matrix.trace, matrix.total, original.zero_by_zero)
    if original.f1 is F1.COUNTS:
        f1 = _divided(2 * correct, predicted + gold, original.zero_by_zero)
    elif original.f1 is F1.INVERSE:
        f1 = inverse_mean(precision, recall)
    else:
        f1 = _divided(2 * precision * recall, recall + precision, original.zero_by_zero)
    return SchemeFigures(precision, recall, f1, accuracy)


def _by_position(matrix: Matrix, size: int) -> tuple[int, int, int]:
    """Return correct, predicted and gold counts over the first positions of a compact matrix.

    Predicted also covers one more row, and gold one more column.
    """
    if len(matrix.labels) < size:
        raise OriginalStopsError(f"only {len(matrix.labels)} labels are in use, and it needs {size}")
    correct = sum(matrix.cells[place][place] for place in range(size))
    if not correct:
        return 0, 0, 0
    predicted = sum(sum(row[:size]) for row in matrix.cells[: size + 1])
    gold = sum(sum(row[: size + 1]) for row in matrix.cells[:size])
    return correct, predicted, gold


def _divided(part: float, whole: float, nothing: float) -> float:
    return part / whole if whole else nothing


def inverse_mean(precision: float, recall: float) -> float:
    """Return F1 with 1/0 as infinity: 0 if precision or recall is 0, unknown if one of them is unknown."""
    inverses = [1 / value if value else INFINITY for value in (precision, recall)]
    return 2 / (inverses[0] + inverses[1])


def printed(convention: ConventionName, matrix: Matrix, labels: LabelSet) -> dict[str, Any]:
    """Return the output of the program (``line`` or ``lines``), or the numbers it returns, by its own names."""
    original, found = ORIGINALS[convention], figures(convention, matrix, labels)
    if original.lines:
        values = dict(zip("prfa", map(_shown if original.short_zero else float, found), strict=True))
        lines = [line.format(**values) for line in original.lines]
        return {"line": lines[0]} if len(lines) == 1 else {"lines": lines}
    return _NUMBERS[convention](matrix, labels, found)


def _shown(value: float) -> str:
    return f"{value:.4f}" if value else "0"


def epoch_line(matrix: Matrix, labels: LabelSet) -> str:
    """Return the line that the program of ``matres`` prints after each epoch of training.

    Its F1 has another formula.
    """
    found = figures(ConventionName.MATRES, matrix, labels)
    f1 = inverse_mean(found.precision, found.recall)
    return f"Prec={found.precision:.4f}, Rec={found.recall:.4f}, F1={f1:.4f}"


# --- programs that return numbers -------------------------------------------------------------------------------------


def _report(matrix: Matrix, labels: LabelSet, found: SchemeFigures) -> dict[str, Any]:
    """Return the numbers of scikit-learn's report. It has no micro average if its labels are the only ones in use."""
    del labels
    if not matrix.row(VAGUE) and not matrix.column(VAGUE):
        return {"key": "accuracy", "f1-score": found.accuracy}
    return {"key": "micro avg", "precision": found.precision, "recall": found.recall, "f1-score": found.f1}


def _by_class(matrix: Matrix, labels: LabelSet, found: SchemeFigures) -> dict[str, Any]:
    """Return scores by class. The recall of a class leaves out the pairs that were predicted VAGUE."""
    del labels
    classes = {}
    for label in ("AFTER", "BEFORE", "EQUAL"):
        correct = matrix.cell(label, label)
        precision = _divided(correct, matrix.column(label), 0.0)
        recall = _divided(correct, matrix.row(label) - matrix.cell(label, VAGUE), 0.0)
        f1 = _divided(2 * precision * recall, precision + recall, 0.0)
        classes[label] = {"Precision": precision, "Recall": recall, "F1": f1}
    macro = {name: sum(each[name] for each in classes.values()) / 3 for name in ("Precision", "Recall", "F1")}
    head = {"Accuracy": found.accuracy, "Precision": found.precision, "Recall": found.recall, "F1": found.f1}
    return {**head, **classes, "Macro": macro}


def _micro_and_macro(matrix: Matrix, labels: LabelSet, found: SchemeFigures) -> dict[str, Any]:
    """Return micro and macro F1 over pairs with a gold label other than VAGUE.

    A predicted VAGUE is a class with F1 0.
    """
    asked = matrix.with_gold(label for label in labels.labels if label != VAGUE).in_use()
    scores = [
        _divided(2 * asked.cell(label, label), asked.column(label) + asked.row(label), 0.0) for label in asked.labels
    ]
    return {"macro": f"{sum(scores) / len(scores):.3f}", "micro": f"{found.accuracy:.3f}"}


_NUMBERS = {
    ConventionName.MATRES_DISTANT: _by_class,
    ConventionName.MATRES_REPORT: _report,
    ConventionName.TBDENSE_NO_VAGUE: _report,
    ConventionName.MATRES_GOLD_NONVAGUE: _micro_and_macro,
}

# ----------------------------------------------------------------------------------------------------
# Report where a fault of an original program changed a number: the number, the right one, and why they differ.

_SAME = 1e-12
MEASURES = ("precision", "recall", "f1", "accuracy")


class ProgramFault(NamedTuple):
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


def differing(
    official: Mapping[str, float | None], exact: Mapping[str, Fraction], cause: str
) -> Iterator[ProgramFault]:
    """Yield the measures that differ, all for one cause. A measure that the program does not give differs."""
    for measure, value in exact.items():
        given = official.get(measure)
        if given is None or isnan(given) or abs(given - value) > _SAME:
            why = "0/0, which the program prints as nan" if given is not None and isnan(given) else cause
            yield ProgramFault(measure, None if given is None or isnan(given) else given, value, why)


def differing_figures(
    official: Mapping[str, Any], exact: Mapping[str, Any], causes: Iterable[str]
) -> Iterator[ProgramFault]:
    """Yield precision, recall and F1 where they differ, with all that the program treats wrongly in the input."""
    known = {name: Fraction(exact[name]) for name in ("precision", "recall", "f1") if exact.get(name) is not None}
    yield from differing(official, known, "; ".join(causes) or "rounding")


def faults(
    convention: ConventionName, matrix: Matrix, labels: LabelSet, found: SchemeFigures | None, stops: str | None
) -> list[ProgramFault]:
    """Return what a program that works on the confusion matrix gets wrong."""
    exact = exact_figures(convention, matrix, labels)
    if found is None:
        return [ProgramFault(measure, None, value, f"the program stops: {stops}") for measure, value in exact.items()]
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


def _class_recalls(matrix: Matrix) -> Iterator[ProgramFault]:
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
            yield ProgramFault(f"{label} recall", float(wrong), recall, cause)
            yield ProgramFault(f"{label} F1", float(given_f1s[-1]), f1s[-1], cause)
    for name, wrong_values, values in (("recall", given, recalls), ("F1", given_f1s, f1s)):
        if sum(wrong_values) != sum(values):
            yield ProgramFault(f"macro {name}", float(_mean(wrong_values)), _mean(values), cause)


def _mean(values: Iterable[Fraction]) -> Fraction:
    every = list(values)
    return sum(every, Fraction(0)) / len(every)


class OriginalStopsError(Exception):
    """The original program ends with an exception on this input; the message says why."""
