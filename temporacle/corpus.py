"""Many documents: pair gold with system, score every pair, merge.

A document that cannot be read, decided or scored is reported among ``skipped``; the others go on. A gold document
without an answer counts in recall, as if the answer were empty. A system document that no gold document asks for is
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from temporacle.errors import BudgetExceeded, InputError, InternalError, UsageError
from temporacle.io.pairing import Pairing, pair_up
from temporacle.model import Document, Statement, Unreadable
from temporacle.readings import Reading  # noqa: TC001 - a field
from temporacle.reasoner.network import Network
from temporacle.results import Score, Skipped, Unmatched
from temporacle.scoring.aggregation import document_score, total_score
from temporacle.scoring.agreement import Kappa, kappa, paired_labels
from temporacle.scoring.alignment import align_by_spans
from temporacle.scoring.metrics import metric_named
from temporacle.scoring.options import Align, Average, Contradictions, ScoringOptions, Vague
from temporacle.signature import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from enum import StrEnum

    from temporacle.results import Counts

    Choice = TypeVar("Choice", bound=StrEnum)

Found: TypeAlias = Document | Unreadable
Side: TypeAlias = Document | Iterable[Found] | Iterable[Statement]
"""A document, documents, or the links of one: ``[("a", "BEFORE", "b"), ...]``."""
Spread: TypeAlias = (
    "Callable[[Callable[[tuple[Found, Found]], Score | str], Iterable[tuple[Found, Found]]], Iterable[Score | str]]"
)
NOT_ASKED = "no gold document asks for it"
NO_PAIR = "no document of the system answers a gold document: are these the right folders?"


@dataclass(frozen=True, slots=True)
class Request:
    """What to compute: everything that can change the number, and therefore the signature."""

    metric: str = "awareness"
    options: ScoringOptions = field(default_factory=ScoringOptions)
    average: Average = Average.MICRO
    align: Align = Align.IDS
    empty: int = 0  # the value of 0/0
    during: str = "simultaneous"  # how the documents were read
    reading: Reading | None = None

    def __post_init__(self) -> None:
        metric = metric_named(self.metric)
        if self.empty not in (0, 1):
            raise UsageError(f"0/0 is 0 or 1, not {self.empty!r}")
        if self.align is Align.TEMPEVAL3:
            raise UsageError("alignment tempeval3 belongs to the official digits: add --official")
        plain = ScoringOptions()
        for name in ("relaxed", "contradictions", "vague", "ordering_only"):
            if getattr(self.options, name) != getattr(plain, name) and name not in metric.options:
                raise UsageError(f"metric {self.metric} has no option {name.replace('_', ' ')}")

    def signature(self) -> str:
        """The line that goes with the number."""
        known = metric_named(self.metric).options
        reads = {} if self.reading is None else {"reading": self.reading.signed}
        options = self.options
        chosen = {
            **reads,
            "during": self.during,
            "engine": "exact" if "contradictions" in known else "none",
            "complete": "yes" if "contradictions" in known else "n/a",
            **({"scheme": "relaxed" if options.relaxed else "strict"} if "relaxed" in known else {}),
            **({"contradictions": options.contradictions.value} if "contradictions" in known else {}),
            **({"vague": options.vague.value} if "vague" in known else {}),
            **({"anchors": "no" if options.ordering_only else "yes"} if "ordering_only" in known else {}),
            "align": self.align.value,
            "average": self.average.value,
            "empty": str(self.empty),
        }
        return signature(self.metric, chosen)

    def unanswered(self) -> frozenset[str]:
        """Labels by which the chosen reading marks what nobody has answered."""
        return frozenset() if self.reading is None else self.reading.unanswered

    def zero(self) -> Counts:
        """What the metric counts in nothing at all."""
        return metric_named(self.metric).judge(Document(""), Document(""), self.options).counts


def score(
    gold: Side,
    system: Side,
    *,
    metric: str = "awareness",
    relaxed: bool = False,
    average: str = "micro",
    align: str = "ids",
    contradictions: str = "set-aside",
    empty: int = 0,
    vague: str = "ignore",
    ordering_only: bool = False,
    details: bool = False,
    budget: float | None = None,
    during: str = "simultaneous",
) -> Score:
    """Score a document against a document, or a corpus against a corpus.

    >>> chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
    >>> found = score(chain, [("a", "BEFORE", "b"), ("c", "BEFORE", "d")])
    >>> str(found.precision), str(found.recall), str(found.f1)
    ('1', '2/3', '4/5')
    """
    request = Request(
        metric=metric,
        options=ScoringOptions(
            relaxed=relaxed,
            contradictions=chosen(Contradictions, contradictions),
            vague=chosen(Vague, vague),
            ordering_only=ordering_only,
            budget=budget,
            details=details,
        ),
        average=chosen(Average, average),
        align=chosen(Align, align),
        empty=empty,
        during=during,
    )
    return score_pairs(pair_up(_documents(gold), _documents(system)), request)


def chosen(choices: type[Choice], value: str) -> Choice:
    """One of a closed set of names, UsageError with all of them otherwise."""
    try:
        return choices(value)
    except ValueError:
        names = ", ".join(choice.value for choice in choices)
        raise UsageError(f"unknown choice {value!r}: choose {names}") from None


def _documents(side: Side) -> list[Found]:
    if isinstance(side, Document):
        return [side]
    items: list[Found | Statement] = list(side)
    if items and all(isinstance(item, Document | Unreadable) for item in items):
        return items  # type: ignore[return-value]
    return [Document("document", Network.of(items).links)]  # type: ignore[arg-type]


def score_pairs(
    pairing: Pairing,
    request: Request,
    *,
    spread: Spread = map,
    progress: Callable[[str], None] = lambda _document: None,
) -> Score:
    """The score of paired corpora.

    ``spread`` applies a function to values, in order, like ``map``; it may do so in other processes. ``progress`` hears
    the id of every document when it is done.
    """
    if not pairing.pairs:
        raise UsageError(NO_PAIR)
    line = request.signature()
    scores: list[Score] = []
    skipped = [Skipped(each.id, NOT_ASKED) for each in pairing.system_only]
    results = spread(partial(score_or_reason, request=request, line=line), _questions(pairing))
    for (gold, _), result in zip(_questions(pairing), results, strict=True):
        if isinstance(result, Score):
            scores.append(result)
        else:
            skipped.append(Skipped(gold.id, result))
        progress(gold.id)
    return total_score(
        scores,
        request.zero(),
        metric=request.metric,
        signature=line,
        empty=request.empty,
        average=request.average,
        skipped=skipped,
        warnings=[remark.message for remark in pairing.warnings],
    )


def _questions(pairing: Pairing) -> Iterator[tuple[Found, Found]]:
    """Every gold document with its answer, an empty one where there is none."""
    yield from pairing.pairs
    for gold in pairing.gold_only:
        yield gold, Document(gold.id)


class Prepared(NamedTuple):
    """A pair of documents with common names for entities."""

    gold: Document
    system: Document
    unmatched: Unmatched | None
    warnings: tuple[str, ...]


def prepared(gold: Document, system: Document, align: Align) -> Prepared:
    """Align the entities of a pair as asked. InputError if that cannot be done."""
    if align is Align.IDS:
        doubt = f"{gold.id}: ids do not look aligned: under half of the system's occur in gold; try --align spans"
        return Prepared(gold, system, None, () if ids_look_aligned(gold, system) else (doubt,))
    if not system.links:
        return Prepared(gold, system, None, ())
    aligned = align_by_spans(gold, system)
    doubt = f"{gold.id}: the two texts differ; only entities in equal stretches are aligned"
    return Prepared(gold, aligned.system, aligned.unmatched, (doubt,) if aligned.texts_differ else ())


def score_or_reason(question: tuple[Found, Found], request: Request, line: str) -> Score | str:
    """The score of a pair, or why there is none."""
    gold, system = question
    metric = metric_named(request.metric)
    for side, document in (("gold", gold), ("system", system)):
        if isinstance(document, Unreadable):
            return f"{side} unreadable: {document.error}"
    assert isinstance(gold, Document)  # noqa: S101 - narrows the type only
    assert isinstance(system, Document)  # noqa: S101
    try:
        pair_of_documents = prepared(gold, system, request.align)
        options = replace(request.options, unanswered=request.unanswered())
        judgement = metric.judge(pair_of_documents.gold, pair_of_documents.system, options)
    except BudgetExceeded as limit:
        return f"undecided: {limit}"
    except InputError as error:
        return str(error)
    except InternalError as error:
        return f"internal error: {error}"
    return document_score(
        judgement,
        metric=request.metric,
        signature=line,
        empty=request.empty,
        document=gold.id,
        unmatched=pair_of_documents.unmatched,
        warnings=pair_of_documents.warnings,
    )


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two annotators: the score both ways, and kappa."""

    forward: Score  # the first annotator as the key
    backward: Score
    kappa: Kappa


def agreement(pairing: Pairing, request: Request) -> Agreement:
    """How far two annotators of the same documents agree."""
    turned = Pairing(tuple((system, gold) for gold, system in pairing.pairs), pairing.system_only, pairing.gold_only)
    labels: Counter[tuple[int, int]] = Counter()
    for gold, system in pairing.pairs:
        labels += labels_of(gold, system, request)
    return Agreement(score_pairs(pairing, request), score_pairs(turned, request), kappa(labels))


def labels_of(gold: Found, system: Found, request: Request) -> Counter[tuple[int, int]]:
    """What the two sides call the pairs of entities that both label."""
    if isinstance(gold, Document) and isinstance(system, Document):
        with suppress(InputError):  # what cannot be aligned is among the skipped documents of the scores
            common = prepared(gold, system, request.align)
            return paired_labels(common.gold, common.system, request.unanswered())
    return Counter()


def ids_look_aligned(gold: Document, system: Document) -> bool:
    """Whether at least half of the ids that the system's links use are known to the gold document."""
    used = {end for link in system.links for end in (link.source, link.target)}
    known = {end for link in gold.links for end in (link.source, link.target)} | set(gold.entity_ids)
    return 2 * len(used & known) >= len(used)
