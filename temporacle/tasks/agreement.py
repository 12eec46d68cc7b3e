"""Agreement of annotators: any metric between every two of them, and coefficients over all pairs."""

from __future__ import annotations

from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

from temporacle.corpus.inputs import Inputs, paths_of
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import seconds_of
from temporacle.declared import About, whole_task_with
from temporacle.errors import BudgetExceeded, InputError, InternalError, TimeLimitError, UsageError
from temporacle.frames import digits, html_table, to_frame
from temporacle.model import Document, Unreadable, counted
from temporacle.reasoner.network import document_time
from temporacle.reasoner.reference.engines import TooLargeForEngine
from temporacle.results import Skipped, skipped_sides, warned_words
from temporacle.runner import work
from temporacle.scoring.agreement import Coefficients, Ratings, closed_ratings, coefficients, stated_ratings
from temporacle.scoring.alignment import with_common_names
from temporacle.scoring.metric import signature_of_all
from temporacle.tasks.score import GoldStandard, ScoreRun
from temporacle.tasks.score_request import ScoringOptions, metrics_of, own_metric_parameters, scoring_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from fractions import Fraction

    from temporacle.corpus.references import Reference
    from temporacle.model import Remark
    from temporacle.results import Score
    from temporacle.scoring.agreement import Kappa
    from temporacle.scoring.metric import Align
    from temporacle.tasks.score_request import Scoring


SIDES = ("gold", "system")


@dataclass(frozen=True, slots=True)
class TwoAnnotators:
    """The scores of two annotators, each with the other as the key."""

    names: tuple[str, str]
    forward: Score  # the first annotator as the key
    backward: Score


@dataclass(frozen=True, slots=True, repr=False)
class Agreement:
    """Annotators of the same documents: scores of every two, and agreement about pairs as stated and as they follow."""

    annotators: tuple[str, ...]
    between: tuple[TwoAnnotators, ...]
    stated: Coefficients
    closed: Coefficients | None  # None if a document could not be closed in time
    skipped: tuple[Skipped, ...] = ()  # documents that are not in the coefficients

    @property
    def forward(self) -> Score:
        """Return the score of two annotators with the first one as the key."""
        return self._only.forward

    @property
    def backward(self) -> Score:
        """Return the score of two annotators with the second one as the key."""
        return self._only.backward

    @property
    def kappa(self) -> Kappa:
        """Return Cohen's kappa of two annotators, over links as stated."""
        (found,) = self.stated.kappas if len(self.between) == 1 else self._refuse()
        return found

    @property
    def _only(self) -> TwoAnnotators:
        return self.between[0] if len(self.between) == 1 else self._refuse()

    def _refuse(self) -> NoReturn:
        raise UsageError("there are more than two annotators: look at between, stated and closed")

    def __repr__(self) -> str:
        found = "undefined" if self.stated.kappa is None else digits(self.stated.kappa)
        metric = self.between[0].forward.title
        pairs = counted(self.stated.pairs, "pair")
        warned = f"{skipped_sides(self.skipped_links)}{warned_words(self.warnings)}"
        if len(self.between) > 1:
            alpha = "undefined" if self.stated.krippendorff is None else digits(self.stated.krippendorff)
            return f"Agreement({len(self.annotators)} annotators, alpha {alpha} of {pairs}{warned})"
        figures = f"{digits(self.forward.f1)} and {digits(self.backward.f1)}"
        return f"Agreement({metric} F1 {figures}, kappa {found} of {pairs}{warned})"

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return the warnings about all annotators."""
        return tuple(dict.fromkeys(remark for two in self.between for remark in two.forward.warnings))

    @property
    def signature(self) -> str:
        """Return the signature of the scores, with the first annotator of every two as the key."""
        return signature_of_all([two.forward.signature for two in self.between])

    @property
    def skipped_links(self) -> dict[str, dict[str, int]]:
        """Return how many links of each annotator could not be used, by code."""
        found: dict[str, dict[str, int]] = {name: {} for name in self.annotators}
        for two in self.between:
            found |= {name: dict(two.forward.skipped_links[side]) for name, side in zip(two.names, SIDES, strict=True)}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of the total: the score of the first two annotators, and the agreement of all."""
        first = self.between[0]
        agreed: dict[str, Any] = {
            "annotators": list(self.annotators),
            "skipped_links": self.skipped_links,
            "backward": {**first.backward.figures(), "counts": first.backward.all_counts()},
            **_figures(self.stated),
            "closure": None if self.closed is None else _figures(self.closed),
            "between": [self._between(place) for place in range(len(self.between))],
        }
        return {**first.forward.to_dict(), "signature": self.signature, "agreement": agreed}

    def _between(self, place: int) -> dict[str, Any]:
        two = self.between[place]
        closed = None if self.closed is None else _number(self.closed.kappas[place].kappa)
        return {
            "annotators": list(two.names),
            "f1": [float(two.forward.f1), float(two.backward.f1)],
            "kappa": _number(self.stated.kappas[place].kappa),
            "closure_kappa": closed,
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each direction of every two annotators."""
        rows = self._rows()
        return to_frame(rows, list(rows[0]))

    def _repr_html_(self) -> str:
        rows = self._rows()
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
        kinds = {"as stated": self.stated} | ({} if self.closed is None else {"after closure": self.closed})
        agreed = [
            [links, each.pairs, each.by_all, *map(_digits, (each.kappa, each.fleiss, each.krippendorff))]
            for links, each in kinds.items()
        ]
        names = ("links", "pairs", "by all", "Cohen's kappa", "Fleiss' kappa", "Krippendorff's alpha")
        return html_table(list(rows[0]), cells, repr(self)) + html_table(names, agreed, self.signature)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "key": key,
                "answer": answer,
                "precision": float(each.precision),
                "recall": float(each.recall),
                "f1": float(each.f1),
            }
            for two in self.between
            for key, answer, each in zip(two.names, two.names[::-1], (two.forward, two.backward), strict=True)
        ]


def _digits(value: Fraction | None) -> str:
    return "undefined" if value is None else digits(value)


def _figures(found: Coefficients) -> dict[str, Any]:
    """Return the coefficients by name. Observed and expected agreement belong to Cohen's kappa of two annotators."""
    of_two = found.kappas[0] if len(found.kappas) == 1 else None
    return {
        "pairs": found.pairs,
        "observed": None if of_two is None else _number(of_two.observed),
        "expected": None if of_two is None else _number(of_two.expected),
        "kappa": _number(found.kappa),
        "fleiss": _number(found.fleiss),
        "krippendorff": _number(found.krippendorff),
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


@whole_task_with(own_metric_parameters)
def agree(
    *annotators: Annotated[
        Inputs, About("Files or folders, one for each annotator: two or more.", value="A B ...", path="read")
    ],
    name: Annotated[
        Sequence[str], About("Name of each annotator in tables and JSON, in order; repeatable.", value="NAME")
    ] = (),
    observer: Observer = SILENT,
    **shared: Annotated[Any, ScoringOptions],
) -> Agreement:
    """Return the agreement of two or more annotators of the same documents.

    Every two of them are scored by one metric, each with the other as the key. ``gold_columns`` is about the first
    annotator, ``system_columns`` about all others. The last keywords are options of metrics, which they name.

    Args:
        observer: Gets warnings and progress.

    Returns:
        Scores in both directions, kappa and alpha, before and after closure.

    Raises:
        UsageError: The annotations do not fit together; the message says what to do.

    Examples:
        >>> agree([("a", "BEFORE", "b"), ("b", "AFTER", "c")], [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
        Agreement(awareness F1 0.5000 and 0.5000, kappa 0.0000 of 2 pairs)
    """
    if len(annotators) < 2:
        raise UsageError("agreement needs two or more annotators: temporacle agree A B")
    if name and (len(name) != len(annotators) or len(set(name)) < len(name)):
        raise UsageError(f"name must have a different name for each of the {len(annotators)} annotators")
    if len(metrics_of(shared)) > 1:
        raise UsageError("agreement is computed by one metric at a time")
    if (limit := seconds_of(shared.get("time_limit"))) is not None:
        pairs = len(annotators) * (len(annotators) - 1) // 2
        shared["time_limit"] = limit / (pairs + 1)  # for a document in each score, and in the coefficients
    scoring = scoring_of(annotators[0], annotators[1:], shared, both_ways=True)
    paths = dict.fromkeys(path for each in annotators for path in (paths_of(each) or ())[:1])
    usual = ("first", "second", *(f"annotator {number}" for number in range(3, len(annotators) + 1)))
    names = name or (list(paths) if len(paths) == len(annotators) else usual)
    run = AgreementRun(names, annotators, scoring, observer)
    return run.result()


class AgreementRun:
    """Every two annotators scored both ways, then the coefficients of all."""

    def __init__(self, names: Sequence[str], sources: Sequence[Inputs], scoring: Scoring, observer: Observer) -> None:
        if scoring.request.metrics[0][0] == "pairs":  # labels have no meaning there, so all of them would agree
            raise UsageError(
                "agreement compares what links mean, and metric pairs compares labels only: choose metric awareness,"
                " or use the program narrativetime of temporacle official for kappa and alpha of labels"
            )
        self.names = tuple(names)
        self._plan = scoring.going.plan
        others = scoring.reading
        if scoring.system_columns is not None:
            others = replace(others, columns=scoring.system_columns)
        self._standards = [
            GoldStandard(source, scoring if not place else replace(scoring, reading=others), observer=observer)
            for place, source in enumerate(sources[:-1])
        ]
        journal = scoring.journal(observer)
        self._runs = {
            (one, other): ScoreRun(
                self._standards[one], sources[other], self._plan, journal=journal, part=f"{one}-{other}"
            )
            for one, other in combinations(range(len(sources)), 2)
        }
        self._documents: dict[tuple[int, int], tuple[Score, ...]] = {}
        self._skipped: list[Skipped] = []
        with nullcontext() if journal is None else closing(journal):
            for two, run in self._runs.items():
                self._documents[two] = tuple(each for scores in run.documents() for each in scores if each)

    def result(self) -> Agreement:
        """Return the agreement, after everything is scored."""
        between = []
        for (one, other), run in self._runs.items():
            (forward,), (backward,) = run.totals(), run.backward_totals()
            forward = replace(forward, documents=self._documents[one, other])
            between.append(TwoAnnotators((self.names[one], self.names[other]), forward, backward))
        stated, closed = self._coefficients()
        return Agreement(self.names, tuple(between), stated, closed, tuple(self._skipped))

    def _coefficients(self) -> tuple[Coefficients, Coefficients | None]:
        request = self._standards[0].request
        options = request.metrics[0][1]
        job = AgreementJob(request.align, options.budget, str(getattr(options, "engine", "exact")))
        stated: Ratings = Counter()
        closed: Ratings | None = Counter()
        for _, findings in work(self._items(), job, self._plan):
            for finding in findings:
                stated.update(finding.stated)
                if finding.reason is not None:
                    self._skipped.append(Skipped(finding.document, finding.reason))
                    closed = None
                elif closed is not None:
                    closed.update(finding.closed)
        size = len(self.names)
        return coefficients(stated, size), None if closed is None else coefficients(closed, size)

    def _items(self) -> list[AnnotatedDocument]:
        """Return the documents of the first annotator, each with those of the others."""
        items = []
        runs = [self._runs[0, other].pairs for other in range(1, len(self.names))]
        for pairs in zip(*runs, strict=False):  # each run begins with all documents of the first, in their order
            first, others = pairs[0].gold, tuple(pair.system for pair in pairs)
            if first is not None and any(others):
                items.append(AnnotatedDocument(first, others))
        return items


class AnnotatedDocument(NamedTuple):
    """A document of the first annotator, and of each other annotator who has it."""

    first: Reference
    others: tuple[Reference | None, ...]


class AgreementFinding(NamedTuple):
    """The ratings of a document; and why it has none after closure, if so."""

    document: str
    stated: Ratings
    closed: Ratings
    reason: str | None = None


class AgreementJob(NamedTuple):
    """Collects the ratings of documents: a job for the runner."""

    align: Align
    budget: float | None
    engine: str

    def results(self, item: AnnotatedDocument, skip: int, tell: Callable[[str], None]) -> Iterator[AgreementFinding]:
        """Yield the finding about a document."""
        if not skip:
            tell(item.first.name)
            with document_time(self.budget):
                found = self._finding(item)
            yield found

    def failed(self, item: AnnotatedDocument, name: str | None, reason: str) -> AgreementFinding:  # noqa: ARG002
        """Return the finding about a document that could not be judged."""
        return AgreementFinding(item.first.name, Counter(), Counter(), reason)

    def _finding(self, item: AnnotatedDocument) -> AgreementFinding:
        name = item.first.name
        first = item.first.read()
        if not isinstance(first, Document):  # the scores say why, unless they had just enough time
            late = str(first.error) if isinstance(first.error, TimeLimitError) else None
            return AgreementFinding(name, Counter(), Counter(), late)
        try:
            documents = [first, *(self._renamed(first, other) for other in item.others)]
        except InputError as error:
            return AgreementFinding(name, Counter(), Counter(), str(error))
        stated = stated_ratings(documents)
        try:
            return AgreementFinding(name, stated, closed_ratings(documents, self.budget, self.engine))
        except (BudgetExceeded, TooLargeForEngine) as limit:
            return AgreementFinding(name, stated, Counter(), f"undecided: {limit}")
        except (InputError, InternalError) as error:
            return AgreementFinding(name, stated, Counter(), str(error))

    def _renamed(self, first: Document, other: Reference | None) -> Document:
        """Return another annotator's document under the names of the first one; without links if there is none."""
        found = None if other is None else other.read()
        if isinstance(found, Unreadable) and isinstance(found.error, TimeLimitError):
            raise found.error
        return with_common_names(first, found, self.align).system if isinstance(found, Document) else Document(first.id)
