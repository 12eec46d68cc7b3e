"""The metric ``pairs``: labels of the same pairs, compared without inference, by a convention of published papers.

Only the names of labels matter, not what they mean. A label that the convention does not have, or a link that could
not be read, refuses the whole score: every original program stops there, and a score of the rest would be another
number under the same name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from temporacle.errors import UsageError, spelled
from temporacle.model import ANSWERS, IN_MEMORY, Remark
from temporacle.printing import shown
from temporacle.relation import Relation
from temporacle.results import Counts, PairRow, counts_by_label, grouped, ratio
from temporacle.rules import Trouble
from temporacle.scoring.metric import Judgement, Metric, MetricOptions, option
from temporacle.scoring.pairs.conventions import CONVENTIONS, Convention, ConventionName, Matrix
from temporacle.scoring.pairs.labels import (
    LABEL_SETS,
    MATRES,
    TBDENSE,
    VAGUE,
    Example,
    ExamplePairing,
    ExampleRow,
    Examples,
    LabelSet,
    Missing,
    examples,
    unanswered_words,
    vocabulary,
)
from temporacle.scoring.tally import PairKinds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from fractions import Fraction

    from temporacle.model import Document, Link

_STARTS = Relation.of("s")


class LabelSetName(StrEnum):
    """The label sets that a convention may leave open."""

    AUTO = "auto"  # six if gold has INCLUDES or IS_INCLUDED, or is read as TimeBank-Dense; else four
    MATRES = "matres"  # BEFORE, AFTER, EQUAL, VAGUE
    TBDENSE = "tbdense"  # and INCLUDES, IS_INCLUDED


@dataclass(frozen=True, slots=True)
class PairsOptions(MetricOptions):
    """The convention, the labels, and the treatment of missing pairs."""

    convention: ConventionName = option(  # noqa: RUF009
        ConventionName.MATRES, "By which convention pairs are counted.", several=True
    )
    label_set: LabelSetName = option(  # noqa: RUF009
        LabelSetName.AUTO,
        "The labels, for conventions that are used with four (matres) and with six (tbdense): auto looks at gold.",
    )
    missing: Missing = option(  # noqa: RUF009
        Missing.VAGUE, "A gold pair that the system does not answer: count VAGUE, skip the pair, or count BEFORE."
    )

    @classmethod
    def chosen(cls, metric: str, given: Mapping[str, Any], **common: Any) -> Self:
        """Return options from values or their names.

        Raise UsageError for a choice that the convention does not allow.
        """
        options = super(PairsOptions, cls).chosen(metric, given, **common)
        name, rules = options.convention.value, options.rules
        if rules.votes:
            raise UsageError(
                f"convention {name} is a vote over several runs: it has official digits only;"
                f' use temporacle official {name} GOLD SYSTEM..., or tp.official("{name}", gold, [run1, run2])'
            )
        if "missing" in given and rules.unanswered_counts:
            raise UsageError(f"convention {name} counts missing pairs as errors: leave out missing")
        chosen_labels(options.convention, options.label_set)
        return options

    @property
    def rules(self) -> Convention:
        return CONVENTIONS[self.convention]

    @property
    def labels(self) -> LabelSet | None:
        """Return the label set; None if gold has to decide."""
        return chosen_labels(self.convention, self.label_set)

    @property
    def signs_coverage(self) -> bool:
        return not self.rules.unanswered_counts

    def reads(self, label: str) -> bool:
        return self.labels is None or self.labels.label(label) is not None

    @property
    def variant(self) -> str:
        return self.convention.value

    def signature(self) -> dict[str, str]:
        """Return what was counted; if the user has no choice, what the convention does."""
        labels = "auto" if self.labels is None else self.labels.name
        return {"convention": self.convention.value, "label-set": labels, "missing": self.unanswered}

    @property
    def unanswered(self) -> str:
        """Return what becomes of missing pairs: vague, skip, before; none if they are errors."""
        return "none" if self.rules.unanswered_counts else self.missing.value


def chosen_labels(convention: ConventionName, label_set: LabelSetName) -> LabelSet | None:
    """Return the label set; None if the files decide. Raise UsageError for one that the convention does not have."""
    own = CONVENTIONS[convention].label_sets
    fits = [LabelSetName.AUTO.value, *(each.name for each in own)]
    if label_set.value not in fits:
        raise UsageError(
            f"convention {convention.value} has the labels of {fits[-1]}: leave out {spelled('label_set', label_set)}"
        )
    if len(own) == 1:
        return own[0]
    return None if label_set is LabelSetName.AUTO else LABEL_SETS[label_set.value]


def settled(options: PairsOptions, documents: Iterable[Document]) -> PairsOptions:
    """Return the options with the label set that gold's documents have."""
    if options.labels is not None:
        return options
    return replace(options, label_set=LabelSetName(label_set_of(documents).name))


def label_set_of(documents: Iterable[Document]) -> LabelSet:
    """Return six labels if some document is read as TimeBank-Dense, or has INCLUDES or IS_INCLUDED; otherwise four."""
    own = set(TBDENSE.labels) - set(MATRES.labels)
    for document in documents:
        if document.reading.name == "dense" or any(TBDENSE.label(label) in own for label in _written(document)):
            return TBDENSE
    return MATRES


def _written(document: Document) -> set[str]:
    return {link.label for link in document.links}


@dataclass(frozen=True, slots=True)
class PairCounts(Counts):
    """Examples by what became of them."""

    correct: int = 0
    predicted: int = 0
    gold: int = 0
    agreed: int = 0  # examples with equal labels, be they relations or not
    examples: int = 0
    missing: int = 0
    extra: int = 0
    reversed: int = 0
    repeated: int = 0
    asked: int = 0  # pairs that gold asks about
    answered: int = 0
    answered_twice: int = 0

    _FIGURED = (("correct", "predicted"), ("correct", "gold"))

    def precision(self, empty: int) -> Fraction:
        return ratio(self.correct, self.predicted, empty)

    def recall(self, empty: int) -> Fraction:
        return ratio(self.correct, self.gold, empty)

    def gold_size(self) -> int:
        return self.gold

    def system_size(self) -> int:
        return self.predicted

    def coverage(self) -> dict[str, int]:
        return {"asked": self.asked, "answered": self.answered, "answered_twice": self.answered_twice}

    def beside(self, empty: int) -> dict[str, Fraction]:
        return {"accuracy": ratio(self.agreed, self.examples, empty)}


def judge(gold: Document, system: Document, options: PairsOptions) -> Judgement:
    """Return pairwise scores of one document."""
    rules = options.rules
    labels = options.labels or label_set_of((gold, system))
    key, answer = (rows_of(side, options.convention, labels) for side in (gold, system))
    missing = None if rules.unanswered_counts else options.missing
    found = examples(key, answer, labels, rules.pairing, missing)
    names = rules.matrix_labels(labels)
    matrix = Matrix.of(names, found.confusion)
    counts = PairCounts(
        *rules.tallied(matrix, labels),
        found.missing,
        found.extra,
        found.reversed,
        found.repeated,
        found.asked,
        found.answered,
        found.answered_twice,
    )
    warnings = _warnings(gold.id, found, options)
    if others := [link.label for link in system.links if labels.label(link.label) is None]:  # of an answer of a model
        message = f"{len(others)} answers have labels that the convention does not have, such as {shown(others[0])}"
        warnings = (*warnings, Remark("unknown-label", message, element=gold.id))
    rows: tuple[PairRow, ...] = ()
    breakdown = {}
    if options.details or options.rows:
        relations, kinds = rules.relations(labels), PairKinds((gold, system))
        counting = (each for each in found.every if rules.vague_gold or each.gold != VAGUE)
        rows = tuple(_row(each, relations, kinds if options.details else None) for each in counting)
    if options.details:
        breakdown = {"kind": grouped(rows, "kind"), "label": counts_by_label(found.confusion)}
    return Judgement(counts, breakdown, found.confusion, warnings, names, rows if options.rows else ())


def _row(example: Example, relations: Collection[str], kinds: PairKinds | None) -> PairRow:
    """Return a pair as a row. A label without a relation, such as VAGUE of MATRES, does not count."""
    source, target, asked, given, _ = example
    right = asked == given
    kind = "" if kinds is None else kinds.of(source, target)
    in_gold, in_system = (right if label in relations else None for label in (given, asked))
    return PairRow(source, target, asked, given, in_gold, in_system, kind=kind)


def about_total(counts: PairCounts, options: PairsOptions) -> tuple[Remark, ...]:
    """Return a warning if not all pairs are answered."""
    message = unanswered_words(counts.asked, counts.answered, options.unanswered)
    return (Remark("unanswered-pairs", message),) if message else ()


def _warnings(document: str, found: Examples, options: PairsOptions) -> tuple[Remark, ...]:
    """Return what a reader of the score should know about the examples."""
    said = []
    if message := unanswered_words(found.asked, found.answered, options.unanswered):
        said.append(Remark("unanswered-pairs", message, element=document))
    if options.rules.pairing is not ExamplePairing.SETS:
        said += answered_twice(document, found, "which is wrong")
    if found.repeated and options.rules.pairing is ExamplePairing.ROWS:
        message = f"{found.repeated} gold links are about a pair that an earlier one is about; each is an example"
        said.append(Remark("repeated-pairs", message, element=document))
    return tuple(said)


def answered_twice(document: str, found: Examples, what: str) -> Iterator[Remark]:
    """Yield a warning if pairs are answered with different labels, and what that means."""
    if twice := found.contradictory:
        source, target, _, _, given = twice[0]
        more = f"; so are {len(twice) - 1} more pairs" * (len(twice) > 1)
        message = f"{source} {target} is answered with {' and '.join(given)}, {what}{more}"
        yield Remark("answered-twice", message, element=document)


def rows_of(document: Document, convention: ConventionName, labels: LabelSet) -> list[ExampleRow]:
    """Return the links of a document with labels of the set.

    Raise UsageError if one has another label, or was dropped. In an answer of a language model, such a link is no
    answer to its pair. Rows of values are dropped only if the caller says so.
    """
    is_answer = document.format == ANSWERS
    for remark in () if document.format in (ANSWERS, *IN_MEMORY) else document.dropped:
        trouble = Trouble(document.path or document.id, remark)
        raise UsageError(f"{trouble}; pairs are scored only if every link is read")
    label = lru_cache(maxsize=None)(labels.label)
    rows = []
    for link in document.links:
        name = label(link.label)
        if name is None or (link.relation == _STARTS and len(link.label.strip()) == 1):
            if is_answer:
                continue
            raise UsageError(_foreign(document, link, convention, labels))
        rows.append(ExampleRow(link.source, name, link.target))
    return rows


def _foreign(document: Document, link: Link, convention: ConventionName, labels: LabelSet) -> str:
    line = "" if link.line is None else f":{link.line}"
    where = f"{document.path or document.id}{line}"
    if labels.label(link.label) is not None:
        return (
            f'{where}: label {shown(link.label)} is read as Allen\'s "starts" here: give {spelled("labels", "dense")}'
        )
    known = f"convention {convention.value} has {', '.join(labels.labels)}"
    cure = "rename the label, or leave such links out"
    if labels is MATRES and TBDENSE.label(link.label) is not None:
        is_open = len(CONVENTIONS[convention].label_sets) > 1
        cure = (
            f"choose {spelled('label_set', 'tbdense')}"
            if is_open
            else f"choose a convention of six labels, such as {spelled('convention', 'tbdense')}"
        )
    return f"{where}: unknown label {shown(link.label)}: {known}; {cure}"


METRIC = Metric(
    "pairs",
    "labels of the same pairs, by a published convention",
    judge,
    PairsOptions,
    PairCounts,
    groups=frozenset({"label", "kind"}),
    infers=False,
    vocabulary=vocabulary,
    settle=settled,
    unasked=lambda options: options.rules.unasked_documents,
    about_total=about_total,
)
