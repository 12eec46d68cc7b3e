"""Compute the scores and the finished documents of a report."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from temporacle import __version__
from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Remark, Unreadable
from temporacle.report.rendering import rendered_document
from temporacle.report.values import limits
from temporacle.runner import work
from temporacle.runner.documents import Asking, documents_of, key_of, size_of
from temporacle.runner.job import Applying
from temporacle.scoring.metrics import metric_named
from temporacle.tasks.inputs import paths_of, pieces_of
from temporacle.tasks.observer import Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.report.gathering.scores import MetricChoice
    from temporacle.report.gathering.systems import NamedCorpus
    from temporacle.report.rendering import RenderedDocument
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.runner.documents import Piece
    from temporacle.scoring.metric import MetricOptions
    from temporacle.scoring.options import Align
    from temporacle.tasks.inputs import Found, Inputs
    from temporacle.tasks.pairing import Pairing

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
    from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores  # costs start-up time, like those below
    from temporacle.tasks.score_pair import Request

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
    from temporacle.tasks.pairing import pair_up
    from temporacle.tasks.references import Reference

    return pair_up([*map(Reference.to, gold.documents)], [*map(Reference.to, system.documents)], by_name=False)


def _under_common_names(key: Found, answer: Found, align: Align) -> Found:
    from temporacle.tasks.score_pair import with_common_names

    if isinstance(key, Unreadable) or isinstance(answer, Unreadable):
        return answer
    try:
        return with_common_names(key, answer, align).system
    except InputError as error:
        return Unreadable(answer.id, answer.path or answer.id, error)


_LARGE = 1 << 22  # bytes of a file that is not read twice


class Rendering(NamedTuple):
    """The choices about drawing documents."""

    budget: float | None  # seconds
    root: str | None = None  # what pages leave out at the beginning of paths
    all_details: bool = False  # however many documents there are
    calendar: Calendar | None = None  # how values of time expressions are read; None: they are not


def finished_documents(
    source: Inputs,
    options: Options,
    asked: Rendering,
    *,
    plan: Plan,
    resume: str | None,
    observer: Observer,
) -> Generator[RenderedDocument, None, None]:
    """Yield every document of a source, checked and drawn, in order.

    In a corpus of many documents, those that are consistent are not drawn unless all details are asked for.
    """
    if resume is not None and paths_of(source) is None:
        raise UsageError("resume works only with paths, not with documents in memory")
    with ExitStack() as stack:
        loaded = resume is not None or plan.works_elsewhere
        pieces = pieces_of(source, options, observer.corpus_remark, loaded=loaded)
        first = list(islice(pieces, limits.DOCUMENTS + 1))
        brief = not asked.all_details and _are_many(first)
        job = Asking(
            partial(rendered_document, budget=asked.budget, root=asked.root, brief=brief, calendar=asked.calendar),
            graphs=brief,
        )
        journal = None
        if resume is not None:
            from temporacle.runner.journal import Journal  # most runs have none

            run = repr((__version__, "report", options, asked, brief))
            journal = stack.enter_context(closing(Journal(resume, run, _Changed(observer))))
        items = chain(first, pieces)
        done = work(items, job, plan, journal=journal, key=key_of, size=size_of, progress=observer.advanced)
        for _, found in stack.enter_context(closing(done)):
            yield from found


def _are_many(pieces: Sequence[Piece]) -> bool:
    """Tell whether some pieces hold more documents than one page does. A large file counts as one: it is read later."""
    if len(pieces) > limits.DOCUMENTS:
        return True
    found = (each for piece in pieces for each in ([piece] if size_of(piece) > _LARGE else documents_of(piece)))
    return sum(1 for _ in islice(found, limits.DOCUMENTS + 1)) > limits.DOCUMENTS


class _Changed:
    """Reports files that have changed since an earlier run, each once."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._met: set[str] = set()

    def __call__(self, key: str) -> None:
        file = key.rpartition(":")[0] or key  # without the line that a slice begins at
        if file not in self._met:
            self._met.add(file)
            message = f"{file} has changed since the earlier run and is done again"
            self._observer.corpus_remark(Remark("changed-source", message))


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
