"""``tieval``: links as sets. Its macro recall is computed with false positives, as its macro precision is: a fault."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.scoring.official.pairs import OriginalStopsError
from temporacle.scoring.pairs.conventions import Matrix
from temporacle.scoring.pairs.labels import MAVEN, NONE

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from temporacle.scoring.pairs.labels import ExampleRow, Examples


class SetCounts(NamedTuple):
    """The links of a document that both sides have, and those of each side."""

    right: int
    gold: int
    system: int


def set_counts(found: Examples) -> SetCounts:
    """Return the scores from the examples of a document (``Pairing.SETS``)."""
    right = sum(number for (key, given), number in found.confusion.items() if key == given)
    system = found.confusion.total() - found.missing
    return SetCounts(right, found.gold, system)


def tieval_scores(documents: Sequence[SetCounts]) -> dict[str, dict[str, float]]:
    """Return micro and macro scores, as the program computes them."""
    if not documents:
        raise OriginalStopsError("there is no document")
    if any(not each.gold or not each.system for each in documents):
        raise OriginalStopsError("a document has no links on one side")
    right, gold, system = (sum(column) for column in zip(*documents, strict=True))
    size = len(documents)
    precision = sum(each.right / each.system for each in documents) / size
    return {
        "micro": _figures(right / gold, right / system, right / gold),
        "macro": _figures(sum(each.right / each.gold for each in documents) / size, precision, precision),
    }


def _figures(accuracy: float, precision: float, recall: float) -> dict[str, float]:
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": f1}


# ----------------------------------------------------------------------------------------------------
# ``narrativetime``: agreement of two annotators of complete graphs, the diagonal included.
#
# Each annotator states every pair of the n entities of a document in both directions. The notebook compares all n*n
# cells, among them n of an entity with itself, which always agree. ``diagonal=False`` leaves these out.

_ITSELF = "(itself)"


def cells(
    first: Sequence[ExampleRow], second: Sequence[ExampleRow], *, diagonal: bool = True
) -> Counter[tuple[str, str]]:
    """Return how often each pair of labels was given to a cell. Raise OriginalStopsError if a graph is not complete."""
    entities = {end for row in (*first, *second) for end in (row.source, row.target)}
    tables = []
    for side in (first, second):
        table = {(row.source, row.target): row.label for row in side}
        if len(side) != len(entities) * (len(entities) - 1):
            raise OriginalStopsError(f"a graph of {len(entities)} entities has {len(side)} links")
        if len(table) < len(side) or any(source == target for source, target in table):
            raise OriginalStopsError("a pair is stated twice, or an entity is related to itself")
        tables.append(table)
    found = Counter((label, tables[1][pair]) for pair, label in tables[0].items())
    if diagonal:
        found[_ITSELF, _ITSELF] += len(entities)
    return found


def agreement_figures(found: Counter[tuple[str, str]]) -> dict[str, float]:
    """Return accuracy, Cohen's kappa and Krippendorff's alpha (nominal, two coders)."""
    total = found.total()
    if not total:
        raise OriginalStopsError("there is no cell")
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    for (own, other), number in found.items():
        first[own] += number
        second[other] += number
    observed = sum(number for (own, other), number in found.items() if own == other) / total
    expected = sum(number * second[label] for label, number in first.items()) / total**2
    values = 2 * total
    alike = values * values - sum(number * number for number in (first + second).values())
    nothing = float("nan")
    return {
        "accuracy": observed,
        "kappa": 1 - (1 - observed) / (1 - expected) if expected != 1 else nothing,
        "krippendorff": 1 - (1 - observed) * values * (values - 1) / alike if alike else nothing,
    }


# ----------------------------------------------------------------------------------------------------
# ``maven-ere``: temporal relations between mentions, as the task's program scores them.
#
# Every ordered pair of different mentions (of events, then TIMEX) is a cell. Gold relates events and times: the label
# holds between all their mentions. Answers relate mentions; answers with other ids are ignored. The program finds cells
# by the joined ids of the pair, so ``a`` + ``bc`` and ``ab`` + ``c`` share one cell, which is a fault. ``joined=False``
# gives each pair its own cell, also the pair of a mention with itself.

_LABELS = MAVEN.labels


class MavenDocument(NamedTuple):
    """The parts of a gold document and of its answer that the score needs."""

    mentions: tuple[str, ...]
    ends: Mapping[str, tuple[str, ...]]  # events and times -> their mentions
    gold: tuple[tuple[str, str, str], ...]  # label, event or time, event or time; in order
    answers: tuple[tuple[str, str, str], ...]  # label, mention, mention; in order


def maven_document(gold: Mapping[str, Any], answer: Mapping[str, Any] | None) -> MavenDocument:
    """Return the examples from the objects of the two files.

    Raise KeyError or TypeError if gold does not have the form of the task.
    """
    ends: dict[str, tuple[str, ...]] = {}
    mentions: list[str] = []
    for event in gold["events"]:
        own = tuple(mention["id"] for mention in event["mention"])
        mentions += own
        ends[event["id"]] = own
    for timex in gold["TIMEX"]:
        mentions.append(timex["id"])
        ends[timex["id"]] = (timex["id"],)
    answered = (answer or {}).get("temporal_relations", {})
    return MavenDocument(tuple(mentions), ends, _triples(gold["temporal_relations"]), _triples(answered))


def _triples(relations: Mapping[str, Iterable[tuple[str, str]]]) -> tuple[tuple[str, str, str], ...]:
    return tuple((label, first, second) for label, pairs in relations.items() for first, second in pairs)


def maven_matrix(documents: Iterable[MavenDocument], *, joined: bool = True) -> Matrix:
    """Return the confusion matrix without the cells that neither side relates.

    Raise OriginalStopsError where the program ends.
    """
    confusion: Counter[tuple[str, str]] = Counter()
    has_cells = False
    for document in documents:
        has_cells |= len(set(document.mentions)) > 1
        cells = _Cells(document.mentions, joined=joined)
        gold, given = _gold(document, cells), _answers(document, cells)
        confusion.update((gold.get(cell, NONE), given.get(cell, NONE)) for cell in {**gold, **given})
    if not has_cells:
        raise OriginalStopsError("no document has two mentions")
    return Matrix.of((*_LABELS, NONE), confusion)


def maven_coverage(documents: Iterable[MavenDocument]) -> tuple[int, int, int]:
    """Return how many pairs of mentions gold relates, how many of them are answered, and how many more than once."""
    asked = answered = twice = 0
    for document in documents:
        rows = Counter((first, second) for _, first, second in document.answers)
        pairs = {
            (one, other)
            for _, first, second in document.gold
            for one in document.ends.get(first, ())
            for other in document.ends.get(second, ())
        }
        asked += len(pairs)
        answered += sum(pair in rows for pair in pairs)
        twice += sum(rows[pair] > 1 for pair in pairs)
    return asked, answered, twice


class _Cells:
    """Finds the cell of a pair of mentions."""

    def __init__(self, mentions: tuple[str, ...], *, joined: bool) -> None:
        self._mentions, self._joined = mentions, joined

    def of(self, first: str, second: str) -> Hashable:
        if not self._joined:
            return (first, second)
        if first == second and not self._is_another_pair(first + second):
            raise OriginalStopsError(f"the mention {first!r} is related to itself")
        return first + second

    def _is_another_pair(self, name: str) -> bool:
        """Return whether two different mentions join to this name."""
        return any(first + second == name for first, second in permutations(dict.fromkeys(self._mentions), 2))


def _gold(document: MavenDocument, cells: _Cells) -> dict[Hashable, str]:
    found: dict[Hashable, str] = {}
    for label, first, second in document.gold:
        if label not in _LABELS:
            raise OriginalStopsError(f"unknown label {label!r} in gold")
        for end in (first, second):
            if end not in document.ends:
                raise OriginalStopsError(f"gold relates {end!r}, which is neither an event nor a time of the document")
        for one in document.ends[first]:
            for other in document.ends[second]:
                found[cells.of(one, other)] = label
    return found


def _answers(document: MavenDocument, cells: _Cells) -> dict[Hashable, str]:
    known = set(document.mentions)
    found: dict[Hashable, str] = {}
    for label, first, second in document.answers:
        if first in known and second in known:
            if label not in _LABELS:
                raise OriginalStopsError(f"unknown label {label!r} in the answers")
            found[cells.of(first, second)] = label
    return found


def maven_lines(matrix: Matrix) -> list[str]:
    """Return the lines of the program about temporal relations."""
    correct, predicted, gold = matrix.correct(_LABELS), matrix.columns(_LABELS), matrix.rows(_LABELS)
    figures = {
        "precision": correct / predicted if predicted else 0.0,
        "recall": correct / gold if gold else 0.0,
        "f1": 2 * correct / (predicted + gold) if predicted + gold else 0.0,
    }
    return [f"temporal_{name}: {100 * value:.2f}" for name, value in figures.items()]
