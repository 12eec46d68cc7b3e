"""The report of a corpus: every document checked, drawn and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.io import read_source, sources
from temporacle.io.report.pages import article, corpus_page
from temporacle.io.report.values import Verdict, summary_of
from temporacle.io.report.writer import Pages
from temporacle.model import Unreadable
from temporacle.reports.documents import page_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.io.report.values import Summary
    from temporacle.io.source import Options, Source


class Rendered(NamedTuple):
    """A document ready to be written: its row in the table and its part of a page."""

    row: Summary
    article: str


class Task(NamedTuple):
    """One source to be rendered, by this process or another."""

    number: int
    source: Source | Unreadable
    budget: float | None


def write_corpus_report(
    paths: Sequence[str],
    options: Options,
    target: str,
    *,
    linked: bool | None = None,
    budget: float | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _document: None,
) -> list[Summary]:
    """Write the report of all documents under the paths; returns the rows of its table.

    Without a single readable document no page is written.
    """
    pages = Pages(target, linked=linked)
    tasks = (Task(number, source, budget) for number, source in enumerate(sources(paths, options), 1))
    rows: list[Summary] = []
    for batch in _rendered(tasks, jobs):
        for row, text in batch:
            rows.append(row)
            pages.add(row.key, row.id, text)
            progress(row.id)
    if any(row.verdict != Verdict.UNREADABLE for row in rows):
        pages.finish(corpus_page(", ".join(paths), rows, pages.articles, pages.href))
    return rows


def _rendered(tasks: Iterator[Task], jobs: int) -> Iterable[list[Rendered]]:
    if jobs == 1:
        yield from map(render, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(render, list(tasks), chunksize=8)


def render(task: Task) -> list[Rendered]:
    """The documents of one source, each checked and drawn. Keys are unique over the corpus: source, then position."""
    found = [task.source] if isinstance(task.source, Unreadable) else list(read_source(task.source))
    result = []
    for position, document in enumerate(found, 1):
        key = f"d{task.number}" if len(found) == 1 else f"d{task.number}-{position}"
        page = page_of(document, task.budget)
        result.append(Rendered(summary_of(page, key), article(page, key)))
    return result
