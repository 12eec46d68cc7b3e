"""Compute the scores and the answers of the systems that a report compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from temporacle.corpus.observer import Observer
from temporacle.corpus.pairing import pair_up
from temporacle.corpus.references import Reference
from temporacle.errors import InputError
from temporacle.io.source import Options
from temporacle.model import Unreadable
from temporacle.runner import work
from temporacle.runner.job import Applying
from temporacle.scoring.alignment import with_common_names
from temporacle.scoring.metric import metric_named
from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores
from temporacle.tasks.score_pair import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.corpus.inputs import Found
    from temporacle.corpus.pairing import Pairing
    from temporacle.report.systems.gather import MetricChoice, NamedCorpus
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.scoring.metric import MetricOptions
    from temporacle.scoring.options import Align

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
    standard = GoldStandard(list(gold.documents), Options(), Request(metrics, align), observer=quiet)
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
