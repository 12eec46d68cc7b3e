"""The page about systems and a gold standard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from temporacle.corpus.inputs import documents, paths_of
from temporacle.corpus.observer import SILENT, Observer
from temporacle.corpus.options import reading_of
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import Reference
from temporacle.declared import refuse_a_second_reading
from temporacle.errors import InputError, UsageError
from temporacle.model import Document, Remark, Unreadable
from temporacle.report.html import short_names
from temporacle.report.systems.gather import (
    NamedCorpus,
    difference_rows,
    gold_with_answers,
    metric_choices,
    metric_row,
    system_page,
)
from temporacle.report.systems.page import comparison_page
from temporacle.report.systems.values import ComparisonPage
from temporacle.report.writing import PageWriter, failed_comparison, rendered_comparison
from temporacle.rules import Trouble, trouble_with
from temporacle.runner import work
from temporacle.runner.job import Applying
from temporacle.scoring.alignment import with_common_names
from temporacle.scoring.metric import Align, metric_named
from temporacle.tasks.report_work import LAYOUTS, ComparisonReport, chosen_from, heard
from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores
from temporacle.tasks.score_pair import Request
from temporacle.tasks.score_request import Scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.corpus.inputs import Found, Inputs, PathName
    from temporacle.corpus.options import Going
    from temporacle.corpus.pairing import Pairing
    from temporacle.io.source import Options
    from temporacle.report.systems.gather import MetricChoice
    from temporacle.report.systems.values import ComparedRow
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.scoring.metric import MetricOptions
    from temporacle.tasks.report import Systems

    Item = TypeVar("Item")
    Result = TypeVar("Result")


def scores_for_page(
    gold: NamedCorpus,
    system: NamedCorpus,
    choices: Sequence[MetricChoice],
    *,
    align: Align,
    budget: float | None,
    plan: Plan,
    observer: Observer,
) -> list[Score]:
    """Return the score of one system by every metric. Raise UsageError if a score would mislead."""
    metrics = tuple((choice.metric, _options(choice, budget)) for choice in choices)
    # What could not be read has been reported when the documents were read.
    quiet = _ProgressOnly(observer)
    scoring = Scoring(Request(metrics, align))
    standard = GoldStandard(list(gold.documents), scoring, observer=quiet, looks_for_same=False)
    return all_scores(ScoreRun(standard, list(system.documents), plan))


class _ProgressOnly(Observer):
    """Passes on how the work goes on, and nothing else."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def advanced(self, documents: int, size: int) -> None:
        self._observer.advanced(documents, size)


def _options(choice: MetricChoice, budget: float | None) -> MetricOptions:
    switches = {"relaxed": choice.relaxed, "ordering_only": choice.ordering_only}
    given = {name: True for name, is_on in switches.items() if is_on}
    return metric_named(choice.metric).options.chosen(choice.metric, given, budget=budget, details=choice.details)


def answers_by_gold(gold: NamedCorpus, system: NamedCorpus, align: Align) -> dict[int, Found]:
    """Return the system's document for each gold document, by its identity, with entities under gold's names."""
    found: dict[int, Found] = {}
    for pair in pairing_of(gold, system).pairs:
        if pair.gold is not None and pair.system is not None:
            key, answer = pair.gold.read(), pair.system.read()
            found[id(key)] = _under_common_names(key, answer, align)
    return found


def pairing_of(gold: NamedCorpus, system: NamedCorpus) -> Pairing:
    """Return the pairs of gold and system documents."""
    return pair_up([*map(Reference.to, gold.documents)], [*map(Reference.to, system.documents)], by_name=False)


def _under_common_names(key: Found, answer: Found, align: Align) -> Found:
    if isinstance(key, Unreadable) or isinstance(answer, Unreadable):
        return answer
    try:
        return with_common_names(key, answer, align).system
    except InputError as error:
        return Unreadable(answer.id, answer.path or answer.id, error)


def spread_over(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    failed: Callable[[Item, str], Any],
    plan: Plan,
    observer: Observer,
) -> Iterator[Result]:
    """Yield the results of a function for values, in order.

    ``failed`` makes the result for a value on which it fails.
    """
    job: Applying[Item, Result] = Applying(function, failed)
    for _, found in work(items, job, plan):
        observer.advanced(1, 1)
        yield from found


_KINDS = ("auto", "corpus", "comparison")


def comparison_report(
    gold: Inputs | NamedCorpus,
    systems: Systems,
    going: Going,
    observer: Observer,
    *,
    out: PathName,
    title: str | None,
    layout: str,
    align: str,
    seed: int,
) -> ComparisonReport:
    """Write a page about one or more systems against a gold standard."""
    options, budget, plan = going.options, going.limit, going.plan
    writer = PageWriter(out, linked=chosen_from("layout", layout, LAYOUTS))
    key = _named_corpus(gold, "gold", options, observer)
    sides = _named_systems(systems, _like_gold(options, key), observer)
    chosen = chosen_from("align", align, {"ids": Align.IDS, "spans": Align.SPANS})
    trouble = _unusable((key, *sides), observer)
    names = _names(sides)
    choices = metric_choices(key.formats)
    scored = [
        scores_for_page(key, side, choices, align=chosen, budget=budget, plan=plan, observer=observer) for side in sides
    ]
    metrics = [
        metric_row(number, choice, scores[place])
        for place, choice in enumerate(choices)
        for number, scores in enumerate(scored)
    ]
    first = next(place for place, choice in enumerate(choices) if choice.metric == "awareness")
    totals = [scores[first] for scores in scored]
    answers = [answers_by_gold(key, side, chosen) for side in sides]
    rows = []
    work = partial(rendered_comparison, names=names, budget=budget)
    failed = partial(failed_comparison, names=names)
    for row, article in spread_over(work, gold_with_answers(key, answers, totals), failed, plan, observer):
        writer.add(row.key, row.id, article)
        rows.append(row)
    summary = ComparisonPage(
        title=title or "",
        gold=_names([key])[0],
        systems=tuple(system_page(name, total) for name, total in zip(names, totals, strict=True)),
        metrics=tuple(metrics),
        differences=difference_rows(totals, seed),
    )
    writer.finish(comparison_page(summary, rows, writer.articles.values(), writer.href))
    trouble += _not_compared((key, *sides), rows, observer)
    written = tuple(map(str, writer.written))
    return ComparisonReport(os.fspath(out), written, key.name, tuple(names), tuple(metrics), tuple(rows), trouble)


def gold_and_systems(
    paths: Sequence[str], kind: str = "auto", shared: Mapping[str, Any] | None = None, observer: Observer = SILENT
) -> list[NamedCorpus] | None:
    """Return the documents under each path if the first is a gold standard and the others are systems; None otherwise.

    ``kind`` "auto" decides by the names of documents: every path after the first must hold a document with the name
    of a document under the first. "comparison" and "corpus" decide without looking.
    """
    if kind not in _KINDS:
        raise UsageError(option="kind", value=kind, allowed=_KINDS)
    if kind == "comparison" and len(paths) < 2:
        raise UsageError("a comparison needs the path of gold and the path of at least one system")
    if kind == "corpus" or len(paths) < 2:
        return None
    refuse_a_second_reading(paths)
    heard = _CorpusRemarks()
    options = reading_of(paths, shared or {})
    gold = _named_corpus(paths[0], paths[0], options, heard)
    sides = [gold, *(_named_corpus(path, path, _like_gold(options, gold), heard) for path in paths[1:])]
    if kind == "auto" and not all(pairing_of(sides[0], side).pairs for side in sides[1:]):
        return None
    for remark in heard.remarks:
        observer.corpus_remark(remark)
    return sides


def _like_gold(options: Options, gold: NamedCorpus) -> Options:
    """Return the options for reading systems.

    If their format has no reading of its own, they are read with gold's reading.
    """
    first = next((found for found in gold.documents if isinstance(found, Document)), None)
    return options if first is None or options.reading else replace(options, labels_like=first.reading)


class _CorpusRemarks(Observer):
    """Keeps remarks: those about one corpus come again when it is read again."""

    def __init__(self) -> None:
        self.remarks: list[Remark] = []

    def corpus_remark(self, remark: Remark) -> None:
        self.remarks.append(remark)


def steps(gold: NamedCorpus, systems: Sequence[NamedCorpus]) -> int:
    """Return the approximate number of steps of a comparison. A gold document without an answer takes fewer."""
    return len(gold.documents) * (1 + len(systems) * len(metric_choices(gold.formats)))


def _named_corpus(source: Inputs | NamedCorpus, name: str, options: Options, observer: Observer) -> NamedCorpus:
    """Return the documents of a source under the path that they were read from, or under a name."""
    if isinstance(source, NamedCorpus):
        return source
    found = list(documents(source, options, report=observer.corpus_remark))
    return NamedCorpus(", ".join(paths_of(source) or [name]), found)


def _named_systems(systems: Systems, options: Options, observer: Observer) -> list[NamedCorpus]:
    if isinstance(systems, Mapping):
        given = [
            _named_corpus(each, name, options, observer)._replace(name=name, is_chosen=True)
            for name, each in systems.items()
        ]
    elif isinstance(systems, list | tuple) and systems and all(isinstance(each, NamedCorpus) for each in systems):
        given = list(systems)
    elif (paths := paths_of(systems)) is not None:
        given = [_named_corpus(path, path, options, observer) for path in paths]
    else:
        given = [_named_corpus(systems, "system", options, observer)]
    if not given:
        raise UsageError("a comparison needs at least one system")
    return given


def _names(sides: Sequence[NamedCorpus]) -> list[str]:
    """Return the names of gold or the systems on the page: chosen names, or paths without their common part."""
    short = iter(short_names([side.name for side in sides if not side.is_chosen]))
    return [side.name if side.is_chosen else next(short) for side in sides]


def _unusable(sides: Sequence[NamedCorpus], observer: Observer) -> tuple[Trouble, ...]:
    """Return what could not be read. Raise UsageError for a side with nothing readable."""
    trouble = heard((each for side in sides for found in side.documents for each in trouble_with(found)), observer)
    for side in sides:
        if all(isinstance(each, Unreadable) for each in side.documents):
            raise UsageError(f"{side.name}: no readable document")
    return trouble


def _not_compared(sides: Sequence[NamedCorpus], rows: Sequence[ComparedRow], observer: Observer) -> tuple[Trouble, ...]:
    """Return gold documents without a score for every system, unless they were already reported as unreadable."""
    unreadable = {each.id for side in sides for each in side.documents if isinstance(each, Unreadable)}
    missing = [row.id for row in rows if None in row.figures and row.id not in unreadable]
    reason = "not every system has a score for it; the page says why"
    return heard((Trouble(None, Remark("not-compared", reason, element=name)) for name in missing), observer)
