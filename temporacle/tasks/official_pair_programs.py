"""Original programs for pairwise scores that do not work on a matrix of links: graphs, MAVEN-ERE, sets, agreement."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from temporacle.errors import UsageError
from temporacle.results import harmonic_mean
from temporacle.scoring.official.pairs import OriginalStopsError, graphs
from temporacle.scoring.official.pairs.rules import differing, exact_figures
from temporacle.scoring.official.pairs.sets import (
    agreement_figures,
    cells,
    maven_lines,
    maven_matrix,
    set_counts,
    tieval_scores,
)
from temporacle.scoring.pairs.conventions import CONVENTIONS, Matrix
from temporacle.scoring.pairs.labels import NARRATIVETIME, TIEVAL, Missing
from temporacle.scoring.pairs.metric import rows_of
from temporacle.tasks import official_pair_files as files
from temporacle.tasks.official_pair_outcome import (
    PairOutcome,
    PairSources,
    counts_of,
    document_examples,
    from_matrix,
    matrix_of,
)


def score_graphs(sources: PairSources) -> PairOutcome:
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
        return PairOutcome({}, {}, labels.name, missing, stops=str(error))
    outcome = from_matrix(sources, Matrix.of(labels.labels, found.confusion), labels)
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


def score_maven(sources: PairSources) -> PairOutcome:
    documents = files.maven_documents(sources.gold, sources.systems[0])
    labels = CONVENTIONS[sources.convention].label_sets[0]
    try:
        matrix = maven_matrix(documents)
        mended = maven_matrix(documents, joined=False)
    except OriginalStopsError as error:
        return PairOutcome({}, {}, labels.name, "none", stops=str(error))
    exact = exact_figures(sources.convention, mended, labels)
    del exact["accuracy"]  # the program gives none
    values: dict[str, float | None] = {
        name: float(value) for name, value in exact_figures(sources.convention, matrix, labels).items() if name in exact
    }
    wrong = differing(values, exact, "pairs are found by their joined ids, and two pairs join to the same string")
    lines = maven_lines(matrix)
    size = len(documents)
    return PairOutcome({"lines": lines}, values, labels.name, "none", matrix, scored=size, faults=tuple(wrong))


def score_tieval(sources: PairSources) -> PairOutcome:
    documents = files.documents(sources.gold, sources.systems[0])
    found = document_examples(sources.convention, documents, TIEVAL, None)
    matrix = matrix_of(sources.convention, found, TIEVAL)
    outcome = PairOutcome({}, {}, TIEVAL.name, "none", matrix, counts_of(found), len(found), notes=documents.notes)
    if documents.gold_only:
        return outcome._replace(stops=f"the system has no document {documents.gold_only[0]!r}")
    counts = [set_counts(each) for each in found]
    try:
        scores = tieval_scores(counts)
    except OriginalStopsError as error:
        return outcome._replace(stops=str(error))

    size = len(counts)
    recall = sum((Fraction(each.right, each.gold) for each in counts), Fraction(0)) / size
    precision = sum((Fraction(each.right, each.system) for each in counts), Fraction(0)) / size
    exact = {"macro recall": recall, "macro f1": harmonic_mean(precision, recall)}
    given = {name: scores["macro"][name.split()[1]] for name in exact}
    wrong = differing(given, exact, "macro recall is computed with false positives, as macro precision is")
    return outcome._replace(printed=dict(scores), values=dict(scores["micro"]), faults=tuple(wrong))


def score_narrativetime(sources: PairSources) -> PairOutcome:

    documents = files.documents(sources.gold, sources.systems[0])
    size = len(documents.pairs)
    outcome = PairOutcome({}, {}, NARRATIVETIME.name, "none", scored=size, notes=documents.notes)
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
