"""Where a report gets its scores and its finished documents from.

Three functions stand between a report and the scorer or the runner: another of these changes nothing else.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from temporacle.errors import InputError, UsageError
from temporacle.io.source import Options
from temporacle.model import Action, Remark, Unreadable
from temporacle.report.rendering import RenderedDocument, rendered_document
from temporacle.report.values.document import DocumentRow
from temporacle.results import DocumentVerdict
from temporacle.runner.place import Place
from temporacle.scoring.metrics import metric_named
from temporacle.tasks.inputs import documents, paths_of
from temporacle.tasks.pairing import pair_up
from temporacle.tasks.references import Reference
from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores
from temporacle.tasks.score_pair import Request, with_common_names
from temporacle.trouble import Trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from temporacle.report.gathering.scores import MetricChoice
    from temporacle.report.gathering.systems import NamedCorpus
    from temporacle.results import Score
    from temporacle.runner.place import Plan
    from temporacle.runner.resume import Journal
    from temporacle.scoring.metric import MetricOptions
    from temporacle.scoring.options import Align
    from temporacle.tasks.inputs import Found, Inputs
    from temporacle.tasks.observer import Observer
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
    """The score of one system by every metric. UsageError where a score would mislead."""
    metrics = tuple((choice.metric, _options(choice, budget)) for choice in choices)
    standard = GoldStandard(list(gold.documents), Options(), Request(metrics, align), observer=observer)
    return all_scores(ScoreRun(standard, list(system.documents), plan))


def _options(choice: MetricChoice, budget: float | None) -> MetricOptions:
    switches = {"relaxed": choice.relaxed, "ordering_only": choice.ordering_only}
    given = {name: True for name, is_on in switches.items() if is_on}
    return metric_named(choice.metric).options.chosen(choice.metric, given, budget=budget, details=choice.details)


def answers_by_gold(gold: NamedCorpus, system: NamedCorpus, align: Align) -> dict[int, Found]:
    """The answer to each gold document, by its identity, with entities under gold's names."""
    found: dict[int, Found] = {}
    for pair in pairing_of(gold, system).pairs:
        if pair.gold is not None and pair.system is not None:
            key, answer = pair.gold.read(), pair.system.read()
            found[id(key)] = _under_common_names(key, answer, align)
    return found


def pairing_of(gold: NamedCorpus, system: NamedCorpus) -> Pairing:
    """Which document of a system answers which gold document."""
    return pair_up([*map(Reference.to, gold.documents)], [*map(Reference.to, system.documents)], by_name=False)


def _under_common_names(key: Found, answer: Found, align: Align) -> Found:
    if isinstance(key, Unreadable) or isinstance(answer, Unreadable):
        return answer
    try:
        return with_common_names(key, answer, align).system
    except InputError as error:
        return Unreadable(answer.id, answer.path or answer.id, error)


def finished_documents(
    source: Inputs,
    options: Options,
    *,
    budget: float | None,
    plan: Plan,
    resume: str | None,
    observer: Observer,
) -> Generator[RenderedDocument, None, None]:
    """Every document of a source, checked and drawn, in order."""
    paths = paths_of(source)
    work = partial(rendered_document, budget=budget)
    if paths is None:
        if resume is not None:
            raise UsageError("resume needs paths: documents in memory leave nothing to go on from")
        with Place(plan) as place:
            found = documents(source, options, report=observer.corpus_remark)
            yield from spread_over(work, found, _failed_document, place, observer)
        return
    from temporacle.runner import run_over

    journal = None if resume is None else _journal(resume, paths, options, budget)
    try:
        answers = run_over(
            paths,
            options,
            work,
            plan,
            journal=journal,
            report=observer.corpus_remark,
            progress=observer.advanced,
        )
        with closing(answers):
            for answer in answers:
                yield answer.result
    finally:
        if journal is not None:
            journal.close()


def _failed_document(found: Found, reason: str) -> RenderedDocument:
    """What stands in place of a document whose process died or that raised an unexpected error."""
    path = found.path or found.id
    return rendered_document(Unreadable(found.id, path, InputError(reason, path=path)))


def spread_over(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    failed: Callable[[Item, str], Any],
    place: Place,
    observer: Observer,
) -> Iterator[Result]:
    """What a function makes of values, in order; ``failed`` makes the result of a value that it fails for."""
    from temporacle.runner.spread import spread

    for _, result in spread(function, items, place, failed=failed):
        observer.advanced(1, 1)
        yield result


def _journal(path: str, paths: Sequence[str], options: Options, budget: float | None) -> Journal[RenderedDocument]:
    from temporacle import __version__
    from temporacle.runner.resume import Journal

    return Journal(path, repr((__version__, "report", list(paths), options, budget)), _encoded, _decoded)


def _encoded(rendered: RenderedDocument) -> str:
    import json

    trouble = [each.to_dict() for each in rendered.row.trouble]
    row = {**rendered.row._asdict(), "verdict": rendered.row.verdict.value, "trouble": trouble}
    return json.dumps({"document": rendered.row.id, "row": row, "article": rendered.article})


def _decoded(row: dict[str, Any]) -> RenderedDocument:
    found = DocumentRow(**row["row"])
    return RenderedDocument(
        found._replace(
            verdict=DocumentVerdict(found.verdict),
            labels=tuple((label, number) for label, number in found.labels),
            trouble=tuple(map(_trouble, row["row"]["trouble"])),
        ),
        row["article"],
    )


def _trouble(row: dict[str, Any]) -> Trouble:
    remark = Remark(row["code"], row["message"], row["line"], row["element"], Action(row["action"]))
    return Trouble(row["path"], remark)
