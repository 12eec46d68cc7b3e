"""Score a system against a gold standard: one path for the command line, for Python and for reports.

GoldStandard   the documents of gold by name, and what its labels mean
ScoreRun       one system: pairs are read and scored wherever the runner works, scores come in the order of gold
score()        all of it in one call
"""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, overload

from temporacle.corpus.inputs import Inputs, paths_of, refuse_label_columns
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import USUAL, Going
from temporacle.corpus.pairing import Pair, pair_up, read_id_map
from temporacle.corpus.references import references
from temporacle.declared import READING, About, task
from temporacle.errors import UsageError, one_of, spelled
from temporacle.model import Action, Document, Remark, Unreadable, skipped_links, unchecked_words
from temporacle.reasoner.reference.engines import refusal_of
from temporacle.results import Score, Skipped
from temporacle.rules import UNCHECKED
from temporacle.runner import Plan, work
from temporacle.scoring.metric import WITH_EXACT_SCORE, Average, metric_named
from temporacle.scoring.tally import Tally
from temporacle.tasks.score_answers import COVERAGE, AnswerScores, scored_answers
from temporacle.tasks.score_pair import (
    PairFinding,
    Request,
    ScoreCertificates,
    ScoreJob,
    certified,
    counts_unasked,
)
from temporacle.tasks.score_request import (
    SAME_INPUT,
    ColumnNames,
    Gold,
    LabelMeaning,
    ScoringOptions,
    are_same,
    given_options,
    metric_parameters,
    metrics_of,
    no_pair,
    nothing_in_common,
    score_signature,
    scoring_of,
    two_meanings,
    vocabulary,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.corpus.pairing import IdMap
    from temporacle.corpus.references import Reference
    from temporacle.io.source import Options
    from temporacle.model import HowRead
    from temporacle.runner.journal import Journal
    from temporacle.scoring.metric import MetricOptions
    from temporacle.tasks.official import OfficialScore
    from temporacle.tasks.score_request import Scoring

_HELD_BACK = 2000  # documents that are scored before the first score is given out
_DIGITS = re.compile(r"\d+")


NOT_ASKED = "no gold document has this name"
Scores: TypeAlias = "tuple[Score | None, ...]"
"""Scores of a document by each metric; None where a metric has none."""


def _collected(
    run: ScoreRun | ExactRun | AnswersRun,
) -> Score | AnswerScores | OfficialScore | list[Score] | list[AnswerScores]:
    """Return the totals of a run."""
    if isinstance(run, ExactRun):
        return run.score
    totals = run.scores if isinstance(run, AnswersRun) else all_scores(run)
    return totals if run.is_list else totals[0]


@overload
def score(gold: Inputs, system: Inputs, *, metric: str = "awareness", **options: Any) -> Score: ...
@overload
def score(gold: Inputs, system: Inputs, *, metric: Sequence[str], **options: Any) -> list[Score]: ...
@task(_collected, metric_parameters)
def score(
    gold: Gold,
    system: Annotated[
        Inputs, About("Files or folders to score; several are ranked.", value="[SYSTEM...]", path="read")
    ] = None,
    *,
    details: Annotated[
        bool,
        About(
            "Also count by label and by kind of pair, and give pairs() words, sentences and distances.",
            only_python=True,
        ),
    ] = False,
    rows: Annotated[
        bool,
        About("Keep a row for each pair that counts, for pairs() and what is made from it.", only_python=True),
    ] = True,
    answers: Annotated[
        bool,
        About("Documents of one name are several answers of models: mean, best, consensus, agreement."),
    ] = False,
    id_map: Annotated[
        str | PathLike[str] | None,
        About(
            "Rename documents and entities of SYSTEM: CSV with document, id, gold_document, gold_id.",
            value="FILE",
            path="read",
            group=READING,
        ),
    ] = None,
    certificate: Annotated[
        str | PathLike[str] | None,
        About("Write a proof of the score of the only document (awareness).", value="FILE", path="file"),
    ] = None,
    certificates: Annotated[
        str | PathLike[str] | None, About("Write proofs of all documents and of the total.", value="DIR", path="folder")
    ] = None,
    observer: Observer = SILENT,
    **shared: Annotated[Any, ScoringOptions],
) -> Any:
    """Score a document against a document, or a corpus against a corpus. ``tp.verify`` checks the certificates.

    A list of metrics, or of conventions, gives a list of scores. With ``answers``, the result has three scores:
    ``mean``, ``best`` and ``consensus``. The last keywords are options of metrics, which they name.

    Args:
        observer: Gets warnings and progress.

    Returns:
        The score, with exact fractions, counts, messages and a signature; a list of scores for a list of metrics.

    Raises:
        UsageError: The two sides do not fit together; the message says what to do.

    Examples:
        >>> chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
        >>> found = score(chain, [("a", "BEFORE", "b"), ("c", "BEFORE", "d")])
        >>> str(found.precision), str(found.recall), str(found.f1)
        ('1', '2/3', '4/5')
    """
    metrics = metrics_of(shared)
    if program := next((each for each in metrics if each in WITH_EXACT_SCORE), None):
        if len(metrics) > 1:
            raise UsageError(f"metric {program} reads a format of its own: score one SYSTEM with this metric alone")
        refused = {"answers": answers, "id_map": id_map, "certificate": certificate, "certificates": certificates}
        refused["details"] = details
        return ExactRun(_exact(program, gold, system, shared, refused))
    if shared.get("resume") is not None and (certificate is not None or certificates is not None):
        raise UsageError("certificates and resume cannot be combined: a proof needs the whole run")
    scoring = scoring_of(gold, [system], shared, details=details, rows=rows)
    if answers:
        for name, value in {"id_map": id_map, "certificate": certificate, "certificates": certificates}.items():
            if value is not None or shared.get("resume") is not None:
                raise UsageError("cannot be combined with answers", option="resume" if value is None else name)
        return _answered(gold, system, scoring, observer)
    mapped = None if id_map is None else read_id_map(fspath(id_map))
    request, proofs = certified(scoring.request, scoring.reading, certificates, certificate, id_map=mapped is not None)
    scoring = replace(scoring, request=request)
    standard = GoldStandard(gold, scoring, id_map=mapped, observer=observer)
    journal = scoring.journal(observer, None if mapped is None else mapped.mark)
    return ScoreRun(standard, system, scoring.going.plan, journal=journal, certificates=proofs)


@dataclass(frozen=True)
class AnswersRun:
    """The scores of several answers about each document, by each metric."""

    scores: list[AnswerScores]
    is_list: bool
    trouble: bool  # something could not be read, used or decided

    def __iter__(self) -> Iterator[AnswerScores]:
        return iter(self.scores)


def _answered(gold: Inputs, system: Inputs, scoring: Scoring, observer: Observer) -> AnswersRun:
    whole = GoldStandard(gold, scoring, observer=observer)
    scoring = replace(scoring, request=whole.request)
    parts: list[GoldStandard] = []

    def compared(golds: Sequence[Document], systems: Sequence[Document]) -> list[Score]:
        parts.append(GoldStandard(golds, scoring, looks_for_same=False))
        return all_scores(ScoreRun(parts[-1], systems, scoring.going.plan))

    found = scored_answers(
        list(whole.documents()),
        system,
        replace(whole.reading_of_systems(), on_error="skip"),
        whole.request.metrics,
        compared,
        average=whole.average,
        empty=whole.request.empty,
        limit=scoring.going.limit,
    )
    for remark in dict.fromkeys(remark for each in found for remark in each.warnings):
        if remark.action is Action.DROPPED:
            observer.unusable(None, remark)
        else:
            observer.warning(remark)
    return AnswersRun(found, scoring.is_list, any(part.trouble for part in parts))


@dataclass(frozen=True)
class ExactRun:
    """The exact score of the files of a program."""

    score: OfficialScore

    def __iter__(self) -> Iterator[OfficialScore]:
        yield self.score


def _exact(
    program: str, gold: Inputs, system: Inputs, shared: Mapping[str, Any], refused: Mapping[str, object]
) -> OfficialScore:
    """Return the exact score of the files of a program. Refuse what it does not have."""
    from temporacle.tasks.official import exact_score

    own, usual = given_options(shared), {"average": "micro", "align": "ids", **USUAL}
    used = {"metric", "allow", "time_limit", "jobs", "backend", "scheduler", *own}
    others = {name: value for name, value in shared.items() if name not in used and value != usual.get(name)}
    if unused := [name for name, value in {**refused, **others}.items() if value not in (None, False, 0, (), [])]:
        raise UsageError(f"metric {program} has no such option: leave out {', '.join(map(spelled, unused))}")
    going = Going.over((), {name: value for name, value in shared.items() if name in used})
    return exact_score(program, gold, system, budget=going.limit, plan=going.plan, **own)


def all_scores(run: ScoreRun) -> list[Score]:
    """Return the totals of a run, by each metric, with the scores of their documents."""
    kept = list(run.documents())
    return [
        replace(
            total,
            documents=tuple(replace(own, signature=total.signature) for each in kept if (own := each[place])),
        )
        for place, total in enumerate(run.totals())
    ]


class GoldStandard:
    """One gold standard, against which any number of systems are scored."""

    def __init__(
        self,
        source: Inputs,
        scoring: Scoring,
        *,
        id_map: IdMap | None = None,
        observer: Observer = SILENT,
        looks_for_same: bool = True,
    ) -> None:
        request = scoring.request
        self.source, self.reading = source, scoring.reading
        refuse_label_columns(source, self.reading)
        self.is_list = scoring.is_list
        self.system_columns: ColumnNames = scoring.system_columns
        self.allowed = scoring.allow
        self.looks_for_same = looks_for_same and "same-input" not in scoring.allow  # warns if both sides are one
        self.id_map = id_map  # of the systems
        self.average: Average = one_of(Average, scoring.average, "average")
        self.observer = observer
        self.paths = paths_of(source)
        self.merges = all(metric_named(name).merges for name, _ in request.metrics)
        self.references = references(source, self.reading, observer, merge=self.merges)
        self.request = replace(request, metrics=tuple(self._settled(*each) for each in request.metrics))
        self.heard = False  # remarks about it have been made
        self.trouble = False  # something about a system could not be read, used or decided

    @property
    def name(self) -> str:
        """Return the paths of gold, or what it is called without any."""
        return ", ".join(self.paths) if self.paths else "gold"

    def _settled(self, name: str, options: MetricOptions) -> tuple[str, MetricOptions]:
        """Return a metric with the options that gold decides about."""
        settle = metric_named(name).settle
        return name, options if settle is None else settle(options, self.documents())

    def documents(self) -> Iterator[Document]:
        """Return the documents that can be read."""
        found = (reference.read() for reference in self.references)
        return (document for document in found if isinstance(document, Document))

    def reading_of_systems(self) -> Options:
        """Return the options for reading systems.

        If their format has no reading of its own, they are read with gold's reading.
        """
        reading = self.reading
        if self.system_columns is not None:
            reading = replace(reading, columns=self.system_columns)
        if reading.reading:
            return reading
        first = next(self.documents(), None)
        meaning = None if first is None else first.reading
        return replace(reading, labels_like=vocabulary(self.request, meaning) or meaning)


class ScoreRun:
    """One system scored against gold: scores of documents as they come, then the totals."""

    def __init__(
        self,
        gold: GoldStandard,
        system: Inputs,
        plan: Plan = Plan(),  # noqa: B008 - an immutable value
        *,
        journal: Journal | None = None,
        part: str = "",
        certificates: ScoreCertificates | None = None,
    ) -> None:
        self.gold, self.is_list = gold, gold.is_list
        self.pairs: Sequence[Pair] = ()  # what is scored, once the work has begun
        self._forward, self._backward = (ScoreSums(gold.request, gold.average) for _ in range(2))
        self._plan, self._journal, self._part = plan, journal, part
        self._certificates = certificates
        self._paths = paths_of(system)
        reading = gold.reading_of_systems()
        refuse_label_columns(system, reading)
        self._is_gold = reading.columns == gold.reading.columns and are_same(gold.source, system)
        found = references(system, reading, gold.observer, merge=gold.merges)
        self._references = found if gold.id_map is None else gold.id_map.applied_to(found)
        self._mapped: set[str] = set()  # ids that the map renames in every document, and that were met
        self._read: tuple[set[HowRead], set[HowRead]] = (set(), set())
        self._meanings: tuple[dict[str, LabelMeaning], dict[str, LabelMeaning]] = ({}, {})
        self._unrelated: PairFinding | None = None  # the first pair without a common id
        self._related = False  # a pair has one
        self._readable = [False, False]
        self._has_links = [False, False]
        self._skipped_links: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._warnings: list[Remark] = []  # about the pairs of documents
        self._told: list[Remark] = []  # every warning
        self._unusable: dict[str, list[Remark]] = {}  # by code
        self._habits: Counter[str] = Counter()  # warnings about documents that differ in numbers only, by the first
        self._examples: dict[str, Remark] = {}  # the first of them, by the message without numbers

    @property
    def name(self) -> str:
        """Return the paths of the system, or what it is called without any."""
        return ", ".join(self._paths) if self._paths else "system"

    def __iter__(self) -> Iterator[Score]:
        """Yield the scores of documents as they come, then the totals."""
        yield from (each for found in self.documents() for each in found if each is not None)
        yield from self.totals()

    def documents(self) -> Iterator[Scores]:
        """Yield the scores of every document that has them, by each metric, in the order of gold.

        Scores are held back until one pair has an id in common: without any, they would all be meaningless. Those of
        the first documents are held back longer, because a refusal prints nothing.
        """
        kept = nullcontext() if self._journal is None or self._part else closing(self._journal)
        with kept:  # the checkpoint of several runs is closed by those who opened it
            yield from self._each()

    def _each(self) -> Iterator[Scores]:
        held: list[Scores] = []
        taken = 0
        try:
            for finding in self._findings():
                found = self._take(finding)
                taken += 1
                if any(found):
                    held.append(found)
                if taken > _HELD_BACK and (self._related or self._unrelated is None):
                    yield from held
                    held.clear()
        except KeyboardInterrupt:
            yield from held
            raise
        if self._unrelated is not None and not self._related:
            raise UsageError(nothing_in_common(self._unrelated, self.gold.request.align))
        yield from held
        self._finish()
        if self._certificates is not None:
            self._miss(self._certificates.finish(self.gold.request, self.gold.average.value, self.totals()[0]))

    def totals(self) -> tuple[Score, ...]:
        """Return the scores of all documents, by each metric, when all are done."""
        return self._signed(self._forward, self._read, self._skipped_links)

    def backward_totals(self) -> tuple[Score, ...]:
        """Return the scores of all documents with the sides exchanged."""
        return self._signed(self._backward, self._read[::-1], self._skipped_links[::-1])

    # --- how ----------------------------------------------------------------------------------------------------------

    def _findings(self) -> Iterator[PairFinding]:
        job = ScoreJob(self.gold.request)
        observer = self.gold.observer
        pairs: Iterable[Pair] = self._pairs()
        if self._plan.works_elsewhere or self._journal is not None:  # else lines are read where they are scored
            pairs = (pair.loaded() for pair in pairs)
        done = work(
            pairs,
            job,
            self._plan,
            journal=self._journal,
            key=self._key,
            size=_size,
            progress=observer.advanced,
        )
        for _, findings in done:
            yield from findings

    def _key(self, pair: Pair) -> tuple[str, str]:
        sides = ["" if side is None else side.digest() for side in (pair.gold, pair.system)]
        return f"{self._part}:{pair.name}", "|".join(sides)

    def _pairs(self) -> Sequence[Pair]:
        gold = self.gold
        for name, side in ((gold.name, gold.references), (self.name, self._references)):
            if not side:
                raise UsageError(f"{name}: no document")
        folders = any(os.path.isdir(path) for path in (*(gold.paths or ()), *(self._paths or ())))  # noqa: PTH112
        try:
            found = pair_up(gold.references, self._references, by_name=folders)
        except UsageError as error:
            hint = (
                f"; score several answers of a model with {spelled('answers', True)}"
                if "the system side has" in str(error)
                else ""
            )
            raise UsageError(f"{error}{hint if not self._part else ''}") from None
        if not found.pairs:
            self._refuse_if_unreadable()
            if not any(document.links for each in self._references if isinstance(document := each.read(), Document)):
                raise UsageError(f"{self.name} has no link: it answers nothing, and nothing can be scored")
            raise UsageError(no_pair(gold.references, self._references))
        self._warnings += found.warnings
        if self._is_gold and gold.looks_for_same:
            self._warnings.append(SAME_INPUT)
        for unreadable in found.unread:
            self._complain(unreadable.path, Remark("unreadable", str(unreadable.error)))
        self._forward.leave_out(found.system_only)
        self.pairs = found.asked
        return self.pairs

    def _refuse_if_unreadable(self) -> None:
        """Raise an error if no document can be read."""
        for name, side in ((self.gold.name, self.gold.references), (self.name, self._references)):
            found = [each.read() for each in side]
            if not any(isinstance(each, Document) for each in found):
                errors = [str(each.error) for each in found if isinstance(each, Unreadable)]
                for each, error in zip(found, errors, strict=True):
                    self._complain(each.path, Remark("unreadable", error))
                raise UsageError(f"{name}: no readable document ({errors[0]})")

    def _take(self, finding: PairFinding) -> Scores:
        """Take note of everything about a pair. Its scores, of the metrics that have one."""
        if finding.refused is not None:
            raise UsageError(finding.refused)
        if len(self.pairs) == 1:
            for reason in finding.scores:
                if isinstance(reason, str) and (why := refusal_of(reason)) is not None:
                    raise UsageError(why)
        for number, facts in enumerate((finding.gold, finding.system)):
            self._readable[number] |= facts.readable
            self._has_links[number] |= facts.has_links or bool(facts.dropped)
            if facts.how_read is not None:
                self._read[number].add(facts.how_read)
            self._skipped_links[number].update(skipped_links(facts.dropped))
            unchecked = [Remark(UNCHECKED, unchecked_words(facts.dropped))] if facts.is_unchecked else []
            for remark in (*facts.dropped, *unchecked):
                self.gold.trouble |= remark.code not in self.gold.allowed
                if number or not self.gold.heard:
                    self._complain(facts.path, remark)
        self._mapped |= finding.system.mapped
        self._compare_meanings(finding)
        if finding.share_ids is not None:
            self._related |= finding.share_ids
            if not finding.share_ids and self._unrelated is None:
                self._unrelated = finding
        if self._certificates is not None:
            self._miss(self._certificates.add(finding))
        self._backward.add(finding.document, finding.backward)
        scores = self._forward.add(finding.document, finding.scores)
        for remark in dict.fromkeys(remark for each in scores if each for remark in each.warnings):
            if remark.code != COVERAGE:  # the total has it
                self._warn_once(finding.document, remark)
        return scores

    def _miss(self, remark: Remark | None) -> None:
        """Take note of a certificate that could not be written."""
        if remark is not None:
            self.gold.trouble = True
            self.gold.observer.warning(remark)

    def _warn_once(self, document: str, remark: Remark) -> None:
        """Warn about a habit of a whole corpus at its first document, and count the others."""
        habit = _DIGITS.sub("#", remark.message)
        self._habits[habit] += 1
        if self._habits[habit] == 1:
            self._examples[habit] = remark
            self._warn(remark._replace(element=document))

    def _warn(self, remark: Remark) -> None:
        self._told.append(remark)
        self.gold.observer.warning(remark)

    def _complain(self, path: str | None, remark: Remark) -> None:
        self.gold.trouble |= remark.code not in self.gold.allowed
        self._unusable.setdefault(remark.code, []).append(remark)
        self.gold.observer.unusable(path, remark)

    def _compare_meanings(self, finding: PairFinding) -> None:
        """Refuse to compare labels that mean different things on the two sides."""
        for own, facts in zip(self._meanings, (finding.gold, finding.system), strict=True):
            for label, mask in facts.labels.items():
                own.setdefault(label, LabelMeaning(mask, facts))
        for label in finding.gold.labels.keys() | finding.system.labels.keys():
            gold, system = (side.get(label) for side in self._meanings)
            if gold is None or system is None or gold.is_name or system.is_name:
                continue
            if gold.mask != system.mask:
                raise UsageError(two_meanings(label, gold, system))

    def _finish(self) -> None:
        for name, readable in zip((self.gold.name, self.name), self._readable, strict=True):
            if not readable:
                reasons = self._unusable.get("unreadable", [])
                raise UsageError(f"{name}: no readable document{f' ({reasons[0].message})' if reasons else ''}")
        if self.gold.id_map is not None and (unknown := sorted(self.gold.id_map.everywhere.keys() - self._mapped)):
            raise UsageError(f"{self.gold.id_map.source}: no document of the system has an entity {unknown[0]!r}")
        self.gold.heard = True
        for habit, number in self._habits.items():
            if number > 1:
                example = self._examples[habit]
                message = f"{number - 1} more documents have the same warning: {example.message}"
                self._warn(Remark(example.code, message))
        self.gold.trouble |= any((*self._forward.skipped, *self._forward.strangers))
        said = [
            remark
            for (name, options), tally in zip(self.gold.request.metrics, self._forward.tallies, strict=True)
            for remark in _about_total(name, options, tally.total())
        ]
        for side, has_links in zip(("gold", "the system"), self._has_links, strict=True):
            if not has_links:
                said.append(Remark("no-links", f"{side} has no link in any document"))
        for remark in dict.fromkeys((*self._warnings, *said)):
            self._warn(remark)
        for remarks in self._unusable.values():  # printed one by one
            more = f", and {len(remarks) - 1} more" * (len(remarks) > 1)
            self._told.append(remarks[0]._replace(message=f"{remarks[0].message}{more}"))

    def _signed(
        self,
        sums: ScoreSums,
        read: tuple[set[HowRead], set[HowRead]],
        skipped_links: tuple[Counter[str], Counter[str]],
    ) -> tuple[Score, ...]:
        request, totals = self.gold.request, []
        for place, (name, options) in enumerate(request.metrics):
            skipped = sums.skipped[place]
            undecided = [each.document for each in skipped if each.reason.startswith("undecided")]
            total = sums.tallies[place].total()
            line = score_signature(
                name,
                options,
                read,
                align=request.align,
                average=self.gold.average,
                empty=request.empty,
                undecided=undecided,
                skipped_links=(skipped_links[0].total(), skipped_links[1].total()),
                coverage=total.counts.coverage() if options.signs_coverage else None,
            )
            totals.append(
                replace(
                    total,
                    signature=line,
                    convention=options.variant,
                    skipped=(*sums.strangers[place], *skipped),
                    confused=total.confused if options.details or total.labels else {},
                    warnings=tuple(self._told),
                    skipped_links={
                        side: dict(sorted(codes.items()))
                        for side, codes in zip(("gold", "system"), skipped_links, strict=True)
                    },
                )
            )
        return tuple(totals)


class ScoreSums:
    """The scores of one direction, added up for each metric."""

    def __init__(self, request: Request, average: Average) -> None:
        self.tallies = [Tally(metric_named(name), request.empty, average) for name, _ in request.metrics]
        self.skipped: list[list[Skipped]] = [[] for _ in request.metrics]
        self.strangers: list[list[Skipped]] = [[] for _ in request.metrics]  # documents that gold does not ask for
        self._unasked = [counts_unasked(*each) for each in request.metrics]

    def leave_out(self, documents: Sequence[Reference]) -> None:
        """Take note of documents that gold does not ask for, for the metrics that do not count them."""
        for strangers, counted in zip(self.strangers, self._unasked, strict=True):
            strangers.extend(Skipped(each.name, NOT_ASKED) for each in documents if not counted)

    def add(self, document: str, scores: Sequence[Score | str | None]) -> Scores:
        """Take the scores of a document in, and why it has none by some metric."""
        for tally, skipped, each in zip(self.tallies, self.skipped, scores, strict=False):
            if isinstance(each, Score):
                tally.add(each)
            elif each is not None:
                skipped.append(Skipped(document, each))
        return tuple(each if isinstance(each, Score) else None for each in scores)


def _about_total(name: str, options: MetricOptions, total: Score) -> tuple[Remark, ...]:
    said = metric_named(name).about_total
    return () if said is None else said(total.counts, options)


def _size(pair: Pair) -> int:
    return pair.size
