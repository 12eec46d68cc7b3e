"""Score a system against a gold standard: one path for the command line, for Python and for reports.

GoldStandard   the documents of gold by name, and what its labels mean
ScoreRun       one system: pairs are read and scored wherever the runner works, scores come in the order of gold
score()        all of it in one call
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from os import fspath
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from temporacle.corpus.inputs import Inputs, paths_of, refuse_label_columns
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.pairing import Pair, pair_up, read_id_map
from temporacle.corpus.references import references
from temporacle.errors import InputWarning, UsageError, warn_caller
from temporacle.model import Action, Document, Remark, Unreadable, skipped_links
from temporacle.runner import Plan, work
from temporacle.scoring.metric import metric_named, one_of
from temporacle.scoring.options import Average
from temporacle.tasks.score_certificates import ScoreCertificates, certified
from temporacle.tasks.score_pair import TOO_LARGE, PairFinding, Request, ScoreJob
from temporacle.tasks.score_refusals import LabelMeaning, no_pair, nothing_in_common, two_meanings
from temporacle.tasks.score_request import reading_for, request_for, split_options, vocabulary, wants_list
from temporacle.tasks.score_signature import score_signature
from temporacle.tasks.score_sums import Scores, ScoreSums

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from temporacle.corpus.pairing import IdMap
    from temporacle.io.source import Options
    from temporacle.model import HowRead
    from temporacle.results import Score
    from temporacle.runner.journal import Journal
    from temporacle.scoring.metric import MetricOptions

_HELD_BACK = 2000  # documents that are scored before the first score is given out
_COVERAGE = "unanswered-pairs"
ColumnNames: TypeAlias = "str | Mapping[str, str] | None"
_DIGITS = re.compile(r"\d+")


@overload
def score(
    gold: Inputs, system: Inputs, *, metric: str = "awareness", convention: str | None = None, **options: Any
) -> Score: ...
@overload
def score(
    gold: Inputs,
    system: Inputs,
    *,
    metric: str | Sequence[str],
    convention: str | Sequence[str] | None = None,
    **options: Any,
) -> list[Score]: ...
def score(
    gold: Inputs,
    system: Inputs,
    *,
    metric: str | Sequence[str] = "awareness",
    convention: str | Sequence[str] | None = None,
    average: str = "micro",
    align: str = "ids",
    empty: int = 0,
    details: bool = False,
    id_map: str | PathLike[str] | None = None,
    gold_columns: ColumnNames = None,
    system_columns: ColumnNames = None,
    allow: str | Sequence[str] = (),
    budget: float | None = None,
    jobs: int | None = None,
    observer: Observer = SILENT,
    certificate: str | PathLike[str] | None = None,
    certificates: str | PathLike[str] | None = None,
    **options: Any,
) -> Score | list[Score]:
    """Score a document against a document, or a corpus against a corpus.

    ``gold`` and ``system`` are paths, documents, statements or frames. ``metric`` is awareness, closure, core,
    reduction, tempeval1, timeline or pairs; a list of metrics gives a list of scores. ``convention`` belongs to pairs;
    a list of conventions gives a list of scores, too. ``average`` "micro" adds counts up, "macro" averages the scores
    of documents. ``align`` says how entities are matched: by "ids", or by "spans" of the
    text. ``empty`` is the value of 0/0. ``details`` also counts by label and by kind of
    pair, and gives ``pairs()`` words, sentences and distances. ``id_map`` is a
    file that maps ids of the system to ids of gold (docs/formats.md). ``gold_columns`` and ``system_columns`` name the
    columns of one side, such as ``{"relation": "pred"}``. ``allow`` has codes of warnings that are expected.
    ``budget`` is in seconds for each document. ``jobs`` is the number of worker processes; None starts one per core,
    unless the work is short. ``observer`` gets warnings and progress. ``certificate`` is a file for a proof of the
    score of the only document, ``certificates`` a folder for proofs of all documents and of the total (awareness only);
    ``tp.verify`` checks them. The other keywords are the options of the metric
    (``relaxed``, ``contradictions``, ``engine``, ``vague``, ``calendar`` with ``hemisphere`` and ``zone``,
    ``ordering_only``, ``missing``, ``label_set``) and those of reading (``reading``, ``during``, ...).

    Raise UsageError if the two sides do not fit together: see docs/metrics.md.

    >>> chain = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")]
    >>> found = score(chain, [("a", "BEFORE", "b"), ("c", "BEFORE", "d")])
    >>> str(found.precision), str(found.recall), str(found.f1)
    ('1', '2/3', '4/5')
    """
    names = [metric] if isinstance(metric, str) else list(metric)
    reading, chosen = split_options(options, gold, system)
    if gold_columns is not None:
        reading = replace(reading, columns=gold_columns)
    if convention is not None:
        chosen["convention"] = convention
    request = request_for(names, chosen, align=align, empty=empty, details=details, budget=budget, rows=True)
    request, proofs = certified(request, reading, certificates, certificate, id_map=id_map is not None)
    standard = GoldStandard(
        gold,
        reading_for(request, reading),
        request,
        average=average,
        id_map=None if id_map is None else read_id_map(fspath(id_map)),
        observer=observer,
        system_columns=system_columns,
        allow=[allow] if isinstance(allow, str) else allow,
    )
    run = ScoreRun(standard, system, Plan(jobs), certificates=proofs)
    totals = all_scores(run)
    warn_of(*totals)
    return totals if wants_list(metric, convention) else totals[0]


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
        reading: Options,
        request: Request,
        *,
        average: str = "micro",
        id_map: IdMap | None = None,
        observer: Observer = SILENT,
        system_columns: ColumnNames = None,
        allow: Collection[str] | None = None,
    ) -> None:
        refuse_label_columns(source, reading)
        self.source = source
        self.system_columns = system_columns
        self.allow = allow  # codes of warnings that are not told; None: whether both sides are one is not looked at
        self.reading = reading
        self.id_map = id_map  # of the systems
        self.average: Average = one_of(Average, average, "average")
        self.observer = observer
        self.paths = paths_of(source)
        self.merges = all(metric_named(name).merges for name, _ in request.metrics)
        self.references = references(source, reading, observer, merge=self.merges)
        self.request = replace(request, metrics=tuple(self._settled(*each) for each in request.metrics))
        self.heard = False  # remarks about it have been made
        self.trouble = False  # something about a system could not be read, used or decided

    @property
    def name(self) -> str:
        return ", ".join(self.paths) if self.paths else "gold"

    def _settled(self, name: str, options: MetricOptions) -> tuple[str, MetricOptions]:
        """Return a metric with the options that gold decides about."""
        settle = metric_named(name).settle
        return name, options if settle is None else settle(options, self._documents())

    def _documents(self) -> Iterator[Document]:
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
        first = next(self._documents(), None)
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
        self.gold = gold
        self.pairs: Sequence[Pair] = ()  # what is scored, once the work has begun
        self._forward, self._backward = (ScoreSums(gold.request, gold.average) for _ in range(2))
        self._plan, self._journal, self._part = plan, journal, part
        self._certificates = certificates
        self._paths = paths_of(system)
        reading = gold.reading_of_systems()
        refuse_label_columns(system, reading)
        self._is_gold = reading.columns == gold.reading.columns and _are_same(gold.source, system)
        found = references(system, reading, gold.observer, merge=gold.merges)
        self._references = found if gold.id_map is None else gold.id_map.applied_to(found)
        self._mapped: set[str] = set()  # ids that the map renames in every document, and that were met
        self._read: tuple[set[HowRead], set[HowRead]] = (set(), set())
        self._meanings: tuple[dict[str, LabelMeaning], dict[str, LabelMeaning]] = ({}, {})
        self._unrelated: PairFinding | None = None  # the first pair without a common id
        self._related = False  # a pair has one
        self._readable = [False, False]
        self._skipped_links: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        self._warnings: list[Remark] = []  # about the pairs of documents
        self._told: list[Remark] = []  # every warning
        self._unusable: dict[str, list[Remark]] = {}  # by code
        self._habits: Counter[str] = Counter()  # warnings about documents that differ in numbers only, by the first
        self._examples: dict[str, Remark] = {}  # the first of them, by the message without numbers

    @property
    def name(self) -> str:
        return ", ".join(self._paths) if self._paths else "system"

    def documents(self) -> Iterator[Scores]:
        """Yield the scores of every document that has them, by each metric, in the order of gold.

        Scores are held back until one pair has an id in common: without any, they would all be meaningless. Those of
        the first documents are held back longer, because a refusal prints nothing.
        """
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
        """Return the same with the sides exchanged."""
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
        found = pair_up(gold.references, self._references, by_name=folders)
        if not found.pairs:
            self._refuse_if_unreadable()
            raise UsageError(no_pair(gold.references, self._references))
        self._warnings += found.warnings
        if self._is_gold and gold.allow is not None and "same-input" not in gold.allow:
            self._warnings.append(
                Remark("same-input", "gold and system are the same input, so they agree in everything")
            )
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
                if isinstance(reason, str) and reason.startswith(TOO_LARGE):
                    raise UsageError(reason.removeprefix(TOO_LARGE))
        for number, facts in enumerate((finding.gold, finding.system)):
            self._readable[number] |= facts.readable
            if facts.how_read is not None:
                self._read[number].add(facts.how_read)
            self._skipped_links[number].update(skipped_links(facts.dropped))
            for remark in facts.dropped:
                self.gold.trouble = True
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
            if remark.code != _COVERAGE:  # the total has it
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
        self.gold.trouble = True
        self._unusable.setdefault(remark.code, []).append(remark)
        self.gold.observer.unusable(path, remark)

    def _compare_meanings(self, finding: PairFinding) -> None:
        """Refuse to compare labels that mean different things on the two sides."""
        for own, facts in zip(self._meanings, (finding.gold, finding.system), strict=True):
            for label, mask in facts.labels.items():
                own.setdefault(label, LabelMeaning(mask, facts))
        for label in finding.gold.labels.keys() | finding.system.labels.keys():
            gold, system = (side.get(label) for side in self._meanings)
            if gold is not None and system is not None and gold.mask != system.mask:
                raise UsageError(two_meanings(label, gold, system))

    def _finish(self) -> None:
        for name, readable in zip((self.gold.name, self.name), self._readable, strict=True):
            if not readable:
                raise UsageError(f"{name}: no readable document")
        if self.gold.id_map is not None and (unknown := sorted(self.gold.id_map.everywhere.keys() - self._mapped)):
            raise UsageError(f"{self.gold.id_map.source}: no document of the system has an entity {unknown[0]!r}")
        self.gold.heard = True
        for habit, number in self._habits.items():
            if number > 1:
                example = self._examples[habit]
                message = f"{number - 1} more documents have the same warning: {example.message}"
                self._warn(Remark(example.code, message))
        self.gold.trouble |= bool(self._forward.skipped or any(self._forward.strangers))
        said = [
            remark
            for (name, options), tally in zip(self.gold.request.metrics, self._forward.tallies, strict=True)
            for remark in _about_total(name, options, tally.total())
        ]
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
            skipped = sums.skipped_by(place)
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


def _are_same(gold: Inputs, system: Inputs) -> bool:
    """Return whether both sides are the same files, or the same object."""
    paths = [paths_of(side) for side in (gold, system)]
    if paths[0] is None or paths[1] is None:
        return gold is system
    return [*map(os.path.realpath, paths[0])] == [*map(os.path.realpath, paths[1])]


def _about_total(name: str, options: MetricOptions, total: Score) -> tuple[Remark, ...]:
    said = metric_named(name).about_total
    return () if said is None else said(total.counts, options)


def warn_of(*scores: Score) -> None:
    """Issue the warnings of results as warnings of Python, each code once.

    Skipped links are left to what read them: it has warned, or the results of files count them.
    """
    told: dict[str, Remark] = {}
    for remark in (remark for score in scores for remark in score.warnings):
        if remark.action is not Action.DROPPED:
            told.setdefault(remark.code, remark)
    for remark in told.values():
        warn_caller(InputWarning(f"{remark.sentence()} ({remark.code})"))


def _size(pair: Pair) -> int:
    return pair.size
