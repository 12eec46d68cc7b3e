"""The programs behind pairwise scores, one for each convention, faults included. Written from descriptions.

They read links, graphs of language models, or MAVEN-ERE.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError, one_of, spelled
from temporacle.model import Remark
from temporacle.results import harmonic_mean
from temporacle.scoring.metric import option
from temporacle.scoring.official.pairs import matrices, schemes
from temporacle.scoring.official.pairs.matrices import (
    LinkSets,
    MavenDocument,
    agreement_figures,
    cells,
    maven_coverage,
    maven_lines,
    maven_matrix,
    tieval_scores,
)
from temporacle.scoring.official.pairs.schemes import (
    MEASURES,
    OriginalStopsError,
    ProgramFault,
    differing,
    exact_figures,
    faults,
)
from temporacle.scoring.official.registry import Layout, Program, ProgramOptions, ProgramRequest, ProgramRun
from temporacle.scoring.pairs import LabelSetName, answered_twice, chosen_labels, label_set_of, rows_of
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName, Matrix
from temporacle.scoring.pairs.labels import (
    MATRES,
    NARRATIVETIME,
    NONE,
    TBDENSE,
    TIEVAL,
    Examples,
    LabelSet,
    Missing,
    examples,
    unanswered_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.model import Document

    Row = dict[str, Any]

# --- what is read -----------------------------------------------------------------------------------------------------


class PairedDocuments(NamedTuple):
    """Every gold document with its answer, and answers without a question."""

    pairs: list[tuple[Document, Document]]  # an answer that is missing has no links
    gold_only: list[str]
    system_only: list[Document]
    warnings: tuple[Remark, ...] = ()

    def every(self) -> Iterator[Document]:
        yield from (side for pair in self.pairs for side in pair)
        yield from self.system_only


class GraphFiles(NamedTuple):
    """Gold's pairs by file, and the texts of each run by name."""

    gold: dict[str, list[tuple[str, str, str]]]  # file -> first, second, relation as written
    runs: list[dict[str, str]]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.gold)

    def label_set(self) -> LabelSet:
        """Return six labels if gold has INCLUDES or IS_INCLUDED, otherwise four."""
        used = {relation.upper() for pairs in self.gold.values() for _, _, relation in pairs}
        return TBDENSE if used & (set(TBDENSE.labels) - set(MATRES.labels)) else MATRES

    def gold_table(self, labels: LabelSet) -> dict[tuple[str, str, str], str]:
        """Return gold by directed pair, with the last label.

        Raise OriginalStopsError for a label that the program does not know.
        """
        table = {}
        for name, pairs in self.gold.items():
            for first, second, relation in pairs:
                if relation.upper() not in labels.labels:
                    raise OriginalStopsError(f"gold has the relation {relation!r}")
                table[name, first, second] = relation.upper()
        return table


class PairFiles(NamedTuple):
    """The contents of the files: links of each run, graphs of language models, or documents of MAVEN-ERE."""

    runs: Sequence[PairedDocuments] = ()
    graphs: GraphFiles | None = None
    maven: Sequence[MavenDocument] = ()


@dataclass(frozen=True, slots=True)
class PairChoices(ProgramOptions):
    """Options of programs for pairwise scores."""

    missing: str = option("", "A gold pair without an answer: vague, skip or before. Default: as the program does.")
    label_set: LabelSetName = option(  # noqa: RUF009
        LabelSetName.AUTO, "The labels, for programs that are used with four (matres) and with six (tbdense)."
    )

    @property
    def policy(self) -> Missing | None:
        """Return what to do with missing pairs; None if nothing was chosen."""
        return one_of(Missing, self.missing, "missing") if self.missing else None


class _Asked(NamedTuple):
    """The convention, and what the caller chose."""

    convention: ConventionName
    label_set: LabelSetName
    missing: Missing | None

    def refuse(self) -> None:
        """Refuse what the convention leaves no room for."""
        name, convention = self.convention.value, CONVENTIONS[self.convention]
        if self.missing is not None and (convention.unanswered_counts or convention.votes):
            raise UsageError(f"convention {name} decides itself about missing pairs: leave out missing")
        chosen_labels(self.convention, self.label_set)

    def doubts(self, labels: LabelSet) -> tuple[str, ...]:
        """Return what the user should check: a label set that nothing in the files shows."""
        own = CONVENTIONS[self.convention].label_sets
        if len(own) == 1 or self.label_set is not LabelSetName.AUTO or labels is own[-1]:
            return ()
        six = f"with {spelled('label_set', 'tbdense')}, six are"
        return (f"no label is INCLUDES or IS_INCLUDED, so four labels are used; {six}",)

    def labels(self, found: Callable[[], LabelSet]) -> LabelSet:
        """Return the label set: the only one of the convention, the chosen one, or the one that the files show."""
        return chosen_labels(self.convention, self.label_set) or found()


class Coverage(NamedTuple):
    """How many of the pairs that gold asks about are answered."""

    asked: int
    answered: int
    answered_twice: int = 0  # answered more than once; the program decides which answer counts

    @property
    def signed(self) -> str:
        return f"{self.answered}/{self.asked}"

    def said(self, missing: str) -> str:
        """Return a sentence about missing pairs; empty if there are none."""
        return unanswered_words(self.asked, self.answered, missing)


class PairOutcome(NamedTuple):
    """The result of a program for its input."""

    printed: Row  # ``line`` or ``lines``, or numbers by the program's own names
    values: dict[str, float | None]
    labels: str
    missing: str
    matrix: Matrix | None = None
    counts: Row | None = None
    coverage: Coverage | None = None
    scored: int = 0
    documents: tuple[Row, ...] = ()
    stops: str | None = None
    notes: tuple[str, ...] = ()
    faults: tuple[ProgramFault, ...] = ()
    warnings: tuple[Remark, ...] = ()

    def text(self) -> str:
        """Return what the program prints. Numbers that it only returns are given as JSON."""
        if not self.printed:
            return ""
        lines = self.printed.get("lines") or [self.printed.get("line") or json.dumps(self.printed)]
        return "".join(f"{line}\n" for line in lines)

    def total(self) -> Row:
        """Return the figures (None for nan and for values that the program does not give), counts and matrix."""
        values = {name: self.values.get(name) for name in MEASURES}
        figures = {name: None if value is None or isnan(value) else value for name, value in values.items()}
        matrix = {} if self.matrix is None else {"labels": self.matrix.labels, "matrix": self.matrix.cells}
        coverage = {} if self.coverage is None else self.coverage._asdict()
        return {**figures, **coverage, "counts": self.counts or {}, **matrix, "official": self.printed}


def _run(read: PairFiles, choices: PairChoices, request: ProgramRequest) -> ProgramRun:
    name = ConventionName(request.name)
    asked = _Asked(name, choices.label_set, choices.policy)
    asked.refuse()
    found = _program(name, read)(asked, read)
    request.notes.extend(found.notes)
    request.warnings.extend(found.warnings)
    decided = CONVENTIONS[name].unanswered_counts
    if found.coverage is not None and (said := found.coverage.said(found.missing)):
        request.warnings.append(Remark("unanswered-pairs", said))
    runs = len(read.graphs.runs) if read.graphs is not None else len(read.runs) or 1
    signed = {
        "official": "yes",
        "convention": name.value,
        "labels": found.labels,
        "missing": found.missing,
        "runs": str(runs),
        **({} if decided or found.coverage is None else {"coverage": found.coverage.signed}),
    }
    return ProgramRun(
        found.text().encode(),
        found.documents,
        found.total(),
        signed,
        scored=found.scored,
        stops=found.stops,
        faults=found.faults,
    )


def _program(name: ConventionName, read: PairFiles) -> Callable[[_Asked, PairFiles], PairOutcome]:
    """Return the function that scores the files of a convention."""
    if name is ConventionName.MAVEN_ERE:
        return _maven
    if name is ConventionName.TIEVAL:
        return _tieval
    if name is ConventionName.NARRATIVETIME:
        return _narrativetime
    if read.graphs is not None:
        return _graphs
    return _voted_links if CONVENTIONS[name].votes else _links


# --- programs that work on the confusion matrix of links --------------------------------------------------------------


def _links(asked: _Asked, read: PairFiles) -> PairOutcome:
    documents = read.runs[0]
    labels = asked.labels(lambda: label_set_of(documents.every()))
    convention = CONVENTIONS[asked.convention]
    missing = None if convention.unanswered_counts else asked.missing or Missing.VAGUE
    found = _document_examples(asked.convention, documents, labels, missing)
    coverage = _coverage_of(found)
    unasked = [rows_of(answer, asked.convention, labels) for answer in documents.system_only]
    if convention.unasked_documents:
        found += [examples([], rows, labels, convention.pairing, missing, as_program=True) for rows in unasked]
    outcome = _from_matrix(asked, _matrix_of(asked.convention, found, labels), labels)
    return outcome._replace(
        counts=_counts_of(found),
        coverage=coverage,
        scored=len(found),
        missing="none" if missing is None else missing.value,
        notes=asked.doubts(labels),
        warnings=(
            *documents.warnings,
            *(
                remark
                for (key, _), each in zip(documents.pairs, found, strict=False)
                for remark in answered_twice(key.id, each, "the program decides which one counts")
            ),
        ),
        faults=(*outcome.faults, *_missing_pairs(asked, documents, labels, outcome, coverage)),
    )


def _missing_pairs(
    asked: _Asked, documents: PairedDocuments, labels: LabelSet, outcome: PairOutcome, coverage: Coverage
) -> Iterator[ProgramFault]:
    """Yield what missing pairs change: the figures as they are if each missing pair is an error."""
    convention = CONVENTIONS[asked.convention]
    if coverage.answered == coverage.asked or convention.unanswered_counts:
        return
    policy = (asked.missing or Missing.VAGUE).value
    yield ProgramFault("answered", None, Fraction(coverage.answered, coverage.asked), coverage.said(policy))
    found = _document_examples(asked.convention, documents, labels, None)
    confusion = Counter((pair.gold, pair.system) for each in found for pair in each.every if pair.gold != NONE)
    errors = exact_figures(asked.convention, Matrix.of((*labels.labels, NONE), confusion), labels)
    given = {} if outcome.matrix is None else exact_figures(asked.convention, outcome.matrix, labels)
    changed = {name: value for name, value in errors.items() if given.get(name) != value}
    yield from differing(outcome.values, changed, "missing pairs; the exact value counts each of them as an error")


def _voted_links(asked: _Asked, read: PairFiles) -> PairOutcome:
    labels = asked.labels(lambda: label_set_of(document for run in read.runs for document in run.every()))

    def table(side: int, run: PairedDocuments) -> dict[tuple[str, str, str], str]:
        rows = ((pair[0].id, row) for pair in run.pairs for row in rows_of(pair[side], asked.convention, labels))
        return {(name, row.source, row.target): row.label for name, row in rows}

    found = matrices.voted(table(0, read.runs[0]), [table(1, run) for run in read.runs], labels)
    outcome = _from_matrix(asked, Matrix.of(labels.labels, found.confusion), labels)
    return outcome._replace(
        missing="skip",
        counts={"missing": found.unanswered},
        coverage=Coverage(found.confusion.total() + found.unanswered, found.confusion.total()),
        scored=len(read.runs[0].pairs),
    )


def _document_examples(
    name: ConventionName, documents: PairedDocuments, labels: LabelSet, missing: Missing | None
) -> list[Examples]:
    pairing = CONVENTIONS[name].pairing
    return [
        examples(rows_of(key, name, labels), rows_of(answer, name, labels), labels, pairing, missing, as_program=True)
        for key, answer in documents.pairs
    ]


def _matrix_of(convention: ConventionName, found: Sequence[Examples], labels: LabelSet) -> Matrix:
    confusion: Counter[tuple[str, str]] = Counter()
    for each in found:
        confusion.update(each.confusion)
    return Matrix.of(CONVENTIONS[convention].matrix_labels(labels), confusion)


def _counts_of(found: Sequence[Examples]) -> Row:
    names = ("gold", "missing", "reversed", "extra", "repeated")
    return {name: sum(getattr(each, name) for each in found) for name in names}


def _coverage_of(found: Sequence[Examples]) -> Coverage:
    return Coverage(*(sum(getattr(each, name) for each in found) for name in Coverage._fields))


def _from_matrix(asked: _Asked, matrix: Matrix, labels: LabelSet) -> PairOutcome:
    convention = asked.convention
    printed: Row = {}
    found = stops = None
    try:
        found, printed = schemes.figures(convention, matrix, labels), schemes.printed(convention, matrix, labels)
    except OriginalStopsError as error:
        stops = str(error)
    if convention is ConventionName.MATRES:
        printed = {**printed, "epoch_line": schemes.epoch_line(matrix, labels), "confusion": matrix.cells}
    values: dict[str, float | None] = {} if found is None else dict(zip(MEASURES, found, strict=True))
    wrong = tuple(faults(convention, matrix, labels, found, stops))
    return PairOutcome(printed, values, labels.name, "", matrix, stops=stops, faults=wrong)


# --- other programs: graphs, MAVEN-ERE, sets, agreement ---------------------------------------------------------------


def _graphs(asked: _Asked, files: PairFiles) -> PairOutcome:
    if asked.missing not in {None, Missing.BEFORE}:
        raise UsageError("the program reads graphs with missing pairs as BEFORE: leave out missing")
    read = files.graphs or GraphFiles({}, [])
    labels = asked.labels(read.label_set)
    is_vote = CONVENTIONS[asked.convention].votes

    def confused(mend: matrices.Mend | None = None) -> matrices.Confused:
        gold = read.gold_table(labels)
        runs = [dict(matrices.each_answer(texts, read.names, labels, mend)) for texts in read.runs]
        return matrices.voted(gold, runs, labels) if is_vote else matrices.confused(gold, runs[0], labels)

    missing = "skip" if is_vote else Missing.BEFORE.value
    try:
        found = confused()
    except OriginalStopsError as error:
        return PairOutcome({}, {}, labels.name, missing, stops=str(error))
    outcome = _from_matrix(asked, Matrix.of(labels.labels, found.confusion), labels)
    printed = outcome.printed if is_vote or not outcome.printed else {**outcome.printed, "nas": found.unanswered}
    wrong = list(outcome.faults)
    for mend in matrices.Mend:
        try:
            mended = Matrix.of(labels.labels, confused(mend).confusion)
        except OriginalStopsError:
            continue  # what would be read then cannot be scored either
        if mended != outcome.matrix and outcome.stops is None:
            wrong += differing(outcome.values, exact_figures(asked.convention, mended, labels), mend.value)
    return outcome._replace(
        printed=printed,
        missing=missing,
        counts={"missing": found.unanswered},
        coverage=_coverage_of_graphs(read, labels),
        scored=len(read.names),
        notes=asked.doubts(labels),
        faults=tuple(wrong),
    )


def _coverage_of_graphs(read: GraphFiles, labels: LabelSet) -> Coverage:
    """Return how many pairs of gold some run answers in either direction, and how many one answers twice."""
    gold = read.gold_table(labels)
    answered: set[tuple[str, str, str]] = set()
    twice: set[tuple[str, str, str]] = set()
    for texts in read.runs:
        rows = Counter(pair for pair, _ in matrices.each_answer(texts, read.names, labels))
        for file, first, second in gold:
            sizes = rows[file, first, second], rows[file, second, first]
            if any(sizes):
                answered.add((file, first, second))
            if max(sizes) > 1:
                twice.add((file, first, second))
    return Coverage(len(gold), len(answered), len(twice))


def _maven(asked: _Asked, read: PairFiles) -> PairOutcome:
    labels = CONVENTIONS[asked.convention].label_sets[0]
    try:
        matrix = maven_matrix(read.maven)
        mended = maven_matrix(read.maven, joined=False)
    except OriginalStopsError as error:
        return PairOutcome({}, {}, labels.name, "none", stops=str(error))
    exact = exact_figures(asked.convention, mended, labels)
    del exact["accuracy"]  # the program gives none
    values: dict[str, float | None] = {
        name: float(value) for name, value in exact_figures(asked.convention, matrix, labels).items() if name in exact
    }
    wrong = differing(values, exact, "pairs are found by their joined ids, and two pairs join to the same string")
    lines, size = maven_lines(matrix), len(read.maven)
    coverage = Coverage(*maven_coverage(read.maven))
    return PairOutcome(
        {"lines": lines}, values, labels.name, "none", matrix, coverage=coverage, scored=size, faults=tuple(wrong)
    )


def _tieval(asked: _Asked, read: PairFiles) -> PairOutcome:
    documents = read.runs[0]
    found = _document_examples(asked.convention, documents, TIEVAL, None)
    matrix = _matrix_of(asked.convention, found, TIEVAL)
    counted = _counts_of(found), _coverage_of(found), len(found)
    outcome = PairOutcome({}, {}, TIEVAL.name, "none", matrix, *counted, warnings=documents.warnings)
    if documents.gold_only:
        return outcome._replace(stops=f"the system has no document {documents.gold_only[0]!r}")
    sets = [LinkSets.of(*(rows_of(side, asked.convention, TIEVAL) for side in pair)) for pair in documents.pairs]
    try:
        scores = tieval_scores(sets)
    except OriginalStopsError as error:
        return outcome._replace(stops=str(error))

    size = len(sets)
    recall = sum((Fraction(each.right, len(each.gold)) for each in sets), Fraction(0)) / size
    precision = sum((Fraction(each.right, len(each.system)) for each in sets), Fraction(0)) / size
    exact = {"macro recall": recall, "macro f1": harmonic_mean(precision, recall)}
    given = {name: scores["macro"][name.split()[1]] for name in exact}
    wrong = [*differing(given, exact, "macro recall is computed with false positives, as macro precision is")]
    for average, figures in scores.items():
        names = [f"{average} temporal_{measure}" for measure in ("precision", "recall")]
        values = [figures[name.split()[1]] for name in names]
        turned = dict(zip(names, map(Fraction, reversed(values)), strict=True))
        wrong += differing(dict(zip(names, values, strict=True)), turned, "temporal precision and recall are exchanged")
    return outcome._replace(printed=dict(scores), values=dict(scores["micro"]), faults=tuple(wrong))


def _narrativetime(asked: _Asked, read: PairFiles) -> PairOutcome:
    documents = read.runs[0]
    size = len(documents.pairs)
    outcome = PairOutcome({}, {}, NARRATIVETIME.name, "none", scored=size, warnings=documents.warnings)
    if lonely := [*documents.gold_only, *(each.id for each in documents.system_only)]:
        return outcome._replace(stops=f"one annotator has no document {lonely[0]!r}")
    every: Counter[tuple[str, str]] = Counter()
    without: Counter[tuple[str, str]] = Counter()
    figures: dict[str, dict[str, float]] = {}
    try:
        for pair in sorted(documents.pairs, key=lambda pair: pair[0].id):
            rows = [rows_of(side, asked.convention, NARRATIVETIME) for side in pair]
            found = cells(rows[0], rows[1])
            figures[pair[0].id] = agreement_figures(found)
            every += found
            without += cells(rows[0], rows[1], diagonal=False)
        total = agreement_figures(every)
    except OriginalStopsError as error:
        return outcome._replace(stops=str(error))
    right = sum(number for (own, other), number in without.items() if own == other)
    exact = {"accuracy": Fraction(right, without.total())}
    wrong = differing({"accuracy": total["accuracy"]}, exact, "an entity and itself count as a pair that is agreed on")
    return outcome._replace(
        printed={"documents": figures, "total": total},
        values={"accuracy": total["accuracy"]},
        documents=tuple({"document": name, **each} for name, each in figures.items()),
        coverage=Coverage(without.total(), without.total()),
        faults=tuple(wrong),
    )


_FILES = {
    ConventionName.MAVEN_ERE: Layout.MAVEN,
    ConventionName.GLOBAL_ZERO_SHOT: Layout.GRAPHS,
    ConventionName.GLOBAL_ZERO_SHOT_VOTED: Layout.GRAPHS,
}
PROGRAMS = {
    name.value: Program(
        name.value,
        f"pairs: {convention.about}",
        PairChoices,
        _FILES.get(name, Layout.ROWS),
        _run,
        votes=convention.votes,
        metric="pairs",
    )
    for name, convention in CONVENTIONS.items()
}
