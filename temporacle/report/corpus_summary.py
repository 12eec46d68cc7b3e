"""The report of a corpus: every document checked, drawn and listed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.report.documents import page_of
from temporacle.report.pages import article, corpus_page, paragraph
from temporacle.report.values import Summary, Verdict, summary_of
from temporacle.report.writer import Pages
from temporacle.runner import Plan, run_over

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.io.source import Options
    from temporacle.model import Document, Remark, Unreadable
    from temporacle.runner.resume import Journal

# Documents are drawn in other processes, which do not know their place in the corpus. Until it is known, this stands
# for the name under which a page keeps a document. A text that contains it only sees it replaced by such a name.
_SOME_KEY = "\ue000key\ue000"


class Rendered(NamedTuple):
    """A document ready to be written: its row in the table and its part of a page."""

    row: Summary
    article: str

    def named(self, key: str) -> Rendered:
        """The same under the name that it has in the report."""
        return Rendered(self.row._replace(key=key), self.article.replace(_SOME_KEY, key))


def write_corpus_report(
    paths: Sequence[str],
    options: Options,
    target: str,
    *,
    linked: bool | None = None,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    journal: Journal[Rendered] | None = None,
    report: Callable[[Remark], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Summary]:
    """Write the report of all documents under the paths; returns the rows of its table.

    Without a single readable document no page is written. For the last four see ``run_over``.
    """
    pages = Pages(target, linked=linked)
    rows: list[Summary] = []
    question = partial(render, budget=budget)
    answers = run_over(paths, options, question, plan, journal=journal, report=report, progress=progress)
    for number, answer in enumerate(answers, 1):
        row, text = answer.result.named(f"d{number}")
        if answer.twin is not None:
            text = paragraph(f"A document of the same name was also read from {answer.twin}:") + text
        rows.append(row)
        pages.add(row.key, row.id, text)
    if any(row.verdict != Verdict.UNREADABLE for row in rows):
        pages.finish(corpus_page(", ".join(paths), rows, pages.articles, pages.href))
    return rows


def rendered_row(rendered: Rendered) -> dict[str, Any]:
    """For a journal."""
    return {"document": rendered.row.id, "row": rendered.row._asdict(), "article": rendered.article}


def rendered_of(row: dict[str, Any]) -> Rendered:
    """The same again."""
    summary = Summary(**row["row"])
    labels = tuple((label, number) for label, number in summary.labels)
    return Rendered(summary._replace(labels=labels, trouble=tuple(summary.trouble)), row["article"])


def render(document: Document | Unreadable, budget: float | None) -> Rendered:
    """One document, checked and drawn: a function of values, for this process or another."""
    page = page_of(document, budget)
    return Rendered(summary_of(page, _SOME_KEY), article(page, _SOME_KEY))
