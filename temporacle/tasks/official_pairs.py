"""What the programs behind pairwise scores print for two files or folders, byte for byte, and the same as values."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.scoring.metric import one_of
from temporacle.scoring.official.pairs import OriginalStopsError, rules
from temporacle.scoring.official.pairs.faults import MEASURES, Fault, differing, exact_figures, faults
from temporacle.scoring.pairs.conventions import CONVENTIONS, ConventionName
from temporacle.scoring.pairs.examples import Examples, Missing, examples
from temporacle.scoring.pairs.labels import LABEL_SETS, NARRATIVETIME, TIEVAL
from temporacle.scoring.pairs.matrix import Matrix
from temporacle.scoring.pairs.metric import LabelSetName, label_set_of, rows_of
from temporacle.signature import signature
from temporacle.tasks import official_pair_files as files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.scoring.pairs.labels import LabelSet

    Row = dict[str, Any]

_ZERO_SHOT = {ConventionName.GLOBAL_ZERO_SHOT, ConventionName.GLOBAL_ZERO_SHOT_VOTED}


@dataclass(frozen=True, slots=True, repr=False)
class OfficialPairs:
    """What an original program prints or returns, and the same as values."""

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
    faults: tuple[Fault, ...] = ()  # where they were asked for

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
    """Score as the program of a convention does. UsageError for what no program can read."""
    name: ConventionName = one_of(ConventionName, convention, "convention")
    chosen_set: LabelSetName = one_of(LabelSetName, label_set, "label_set")
    policy = None if missing is None else one_of(Missing, missing, "missing")
    sources = _Sources(name, gold, tuple(systems), chosen_set, policy)
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


class _Sources(NamedTuple):
    """What was asked for."""

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
        """Return what the user should check: a label set that was chosen because nothing shows that it is the larger
        one.
        """
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


class _Outcome(NamedTuple):
    """What a program makes of its input."""

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
    faults: tuple[Fault, ...] = ()

    def figures(self) -> Row:
        """Return precision, recall, F1 and accuracy; None for nan and for values that the program does not give."""
        return {name: _number(self.values.get(name)) for name in MEASURES}


def _number(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value


def _scorer(sources: _Sources) -> Callable[[_Sources], _Outcome]:
    """Return the function that scores the files of a convention."""
    if sources.convention is ConventionName.MAVEN_ERE:
        return _maven
    if sources.convention is ConventionName.TIEVAL:
        return _tieval
    if sources.convention is ConventionName.NARRATIVETIME:
        return _narrativetime
    if sources.convention in _ZERO_SHOT and files.holds_graphs(sources.gold):
        return _graphs
    return _voted_links if CONVENTIONS[sources.convention].votes else _links


# --- programs that work on the confusion matrix -----------------------------------------------------------------------


def _links(sources: _Sources) -> _Outcome:
    documents = files.documents(sources.gold, sources.systems[0])
    labels = sources.labels(lambda: label_set_of(documents.every()))
    convention = CONVENTIONS[sources.convention]
    missing = None if convention.unanswered_counts else sources.missing or Missing.VAGUE
    found = _examples(sources.convention, documents, labels, missing)
    unasked = [rows_of(answer, sources.convention, labels) for answer in documents.system_only]
    if convention.unasked_documents:
        found += [examples([], rows, labels, convention.pairing, missing) for rows in unasked]
    outcome = _from_matrix(sources, _matrix(sources.convention, found, labels), labels)
    return outcome._replace(
        counts=_counts(found),
        scored=len(found),
        missing="none" if missing is None else missing.value,
        notes=(*documents.notes, *sources.doubts(labels)),
    )


def _examples(
    name: ConventionName, documents: files.PairedDocuments, labels: LabelSet, missing: Missing | None
) -> list[Examples]:
    pairing = CONVENTIONS[name].pairing
    return [
        examples(rows_of(key, name, labels), rows_of(answer, name, labels), labels, pairing, missing)
        for key, answer in documents.pairs
    ]


def _matrix(convention: ConventionName, found: Sequence[Examples], labels: LabelSet) -> Matrix:
    confusion: Counter[tuple[str, str]] = Counter()
    for each in found:
        confusion.update(each.confusion)
    return Matrix.of(CONVENTIONS[convention].matrix_labels(labels), confusion)


def _counts(found: Sequence[Examples]) -> Row:
    return {name: sum(getattr(each, name) for each in found) for name in Examples._fields[1:]}


def _from_matrix(sources: _Sources, matrix: Matrix, labels: LabelSet) -> _Outcome:
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
    return _Outcome(printed, values, labels.name, "", matrix, stops=stops, faults=wrong)


def _voted_links(sources: _Sources) -> _Outcome:
    from temporacle.scoring.official.pairs.graphs import voted

    runs = [files.documents(sources.gold, system) for system in sources.systems]
    labels = sources.labels(lambda: label_set_of(document for run in runs for document in run.every()))

    def table(side: int, run: files.PairedDocuments) -> dict[tuple[str, str, str], str]:
        rows = ((pair[0].id, row) for pair in run.pairs for row in rows_of(pair[side], sources.convention, labels))
        return {(name, row.source, row.target): row.label for name, row in rows}

    found = voted(table(0, runs[0]), [table(1, run) for run in runs], labels)
    outcome = _from_matrix(sources, Matrix.of(labels.labels, found.confusion), labels)
    return outcome._replace(missing="skip", counts={"missing": found.unanswered}, scored=len(runs[0].pairs))


# --- programs with files of their own ---------------------------------------------------------------------------------


def _graphs(sources: _Sources) -> _Outcome:
    from temporacle.scoring.official.pairs import graphs

    if sources.missing not in {None, Missing.BEFORE}:
        raise UsageError("the program reads graphs with missing pairs as BEFORE: leave out missing")
    read = files.graph_files(sources.gold, sources.systems)
    labels = sources.labels(read.label_set)
    is_vote = CONVENTIONS[sources.convention].votes

    def confused(mend: graphs.Mend | None = None) -> graphs.Confused:
        gold = read.gold_table(labels)
        runs = [graphs.answers(texts, read.names, labels, mend) for texts in read.runs]
        return graphs.voted(gold, runs, labels) if is_vote else graphs.confused(gold, runs[0], labels)

    missing = "skip" if is_vote else Missing.BEFORE.value
    try:
        found = confused()
    except OriginalStopsError as error:
        return _Outcome({}, {}, labels.name, missing, stops=str(error))
    outcome = _from_matrix(sources, Matrix.of(labels.labels, found.confusion), labels)
    printed = outcome.printed if is_vote or not outcome.printed else {**outcome.printed, "nas": found.unanswered}
    wrong = list(outcome.faults)
    for mend in graphs.Mend:
        try:
            mended = Matrix.of(labels.labels, confused(mend).confusion)
        except OriginalStopsError:
            continue  # what would be read then cannot be scored either
        if mended != outcome.matrix and outcome.stops is None:
            wrong += differing(outcome.values, exact_figures(sources.convention, mended, labels), mend.value)
    return outcome._replace(
        printed=printed,
        missing=missing,
        counts={"missing": found.unanswered},
        scored=len(read.names),
        notes=sources.doubts(labels),
        faults=tuple(wrong),
    )


def _maven(sources: _Sources) -> _Outcome:
    from temporacle.scoring.official.pairs.maven import maven_lines, maven_matrix

    documents = files.maven_documents(sources.gold, sources.systems[0])
    labels = CONVENTIONS[sources.convention].label_sets[0]
    try:
        matrix = maven_matrix(documents)
        mended = maven_matrix(documents, joined=False)
    except OriginalStopsError as error:
        return _Outcome({}, {}, labels.name, "none", stops=str(error))
    exact = exact_figures(sources.convention, mended, labels)
    del exact["accuracy"]  # the program gives none
    values: dict[str, float | None] = {
        name: float(value) for name, value in exact_figures(sources.convention, matrix, labels).items() if name in exact
    }
    wrong = differing(values, exact, "pairs are found by their joined ids, and two pairs join to the same string")
    lines = maven_lines(matrix)
    size = len(documents)
    return _Outcome({"lines": lines}, values, labels.name, "none", matrix, scored=size, faults=tuple(wrong))


def _tieval(sources: _Sources) -> _Outcome:
    from temporacle.scoring.official.pairs.sets import set_counts, tieval_scores

    documents = files.documents(sources.gold, sources.systems[0])
    found = _examples(sources.convention, documents, TIEVAL, None)
    matrix = _matrix(sources.convention, found, TIEVAL)
    outcome = _Outcome({}, {}, TIEVAL.name, "none", matrix, _counts(found), len(found), notes=documents.notes)
    if documents.gold_only:
        return outcome._replace(stops=f"the system has no document {documents.gold_only[0]!r}")
    counts = [set_counts(each) for each in found]
    try:
        scores = tieval_scores(counts)
    except OriginalStopsError as error:
        return outcome._replace(stops=str(error))
    from fractions import Fraction

    from temporacle.results import harmonic_mean

    size = len(counts)
    recall = sum((Fraction(each.right, each.gold) for each in counts), Fraction(0)) / size
    precision = sum((Fraction(each.right, each.system) for each in counts), Fraction(0)) / size
    exact = {"macro recall": recall, "macro f1": harmonic_mean(precision, recall)}
    given = {name: scores["macro"][name.split()[1]] for name in exact}
    wrong = differing(given, exact, "macro recall is computed with false positives, as macro precision is")
    return outcome._replace(printed=dict(scores), values=dict(scores["micro"]), faults=tuple(wrong))


def _narrativetime(sources: _Sources) -> _Outcome:
    from fractions import Fraction

    from temporacle.scoring.official.pairs.complete import agreement_figures, cells

    documents = files.documents(sources.gold, sources.systems[0])
    size = len(documents.pairs)
    outcome = _Outcome({}, {}, NARRATIVETIME.name, "none", scored=size, notes=documents.notes)
    if lonely := [*documents.gold_only, *(each.id for each in documents.system_only)]:
        return outcome._replace(stops=f"one annotator has no document {lonely[0]!r}")
    every: Counter[tuple[str, str]] = Counter()
    without: Counter[tuple[str, str]] = Counter()
    figures: dict[str, dict[str, float]] = {}
    try:
        for pair in sorted(documents.pairs, key=lambda pair: pair[0].id):
            rows = [rows_of(side, sources.convention, NARRATIVETIME) for side in pair]
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
        faults=tuple(wrong),
    )
