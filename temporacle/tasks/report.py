"""``report``: a page about a corpus.

    report("corpus/", output="report.html")

It writes HTML that needs no network and returns what it wrote. For a page about systems and a gold standard see
``report_comparison``, whose modules take time to load.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from temporacle.corpus.inputs import paths_of, require_columns
from temporacle.corpus.observer import SILENT, Observer
from temporacle.errors import UsageError
from temporacle.io.source import Options
from temporacle.report.document.page import corpus_page, note_paragraph
from temporacle.report.html import common_root, short_names
from temporacle.report.writing import PageWriter
from temporacle.results import DocumentVerdict
from temporacle.runner import Plan
from temporacle.tasks.calendars import chosen_calendar
from temporacle.tasks.report_common import LAYOUTS, backend_named, chosen_from, heard
from temporacle.tasks.report_results import CorpusReport
from temporacle.tasks.report_work import Rendering, finished_documents

if TYPE_CHECKING:
    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs, PathName, ReadingOptions
    from temporacle.report.document.values import DocumentRow


def report(
    source: Inputs,
    *,
    output: PathName = "report.html",
    title: str | None = None,
    layout: str = "auto",
    all_details: bool = False,
    budget: float | None = 60,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    resume: str | None = None,
    certificates: PathName | None = None,
    calendar: str | bool | Calendar | None = None,
    hemisphere: str | None = None,
    zone: str | None = None,
    observer: Observer = SILENT,
    **reading: Unpack[ReadingOptions],
) -> CorpusReport:
    """Write a page about the documents of ``source``: verdicts, conflicts, repairs, texts and drawings.

    ``output``: the page; details of many documents go to a folder next to it
    ``title``: the heading of the page; by default the last parts of the paths
    ``layout``: "single": everything on one page, "linked": a page for each document, "auto": by their number
    ``all_details``: with more than 60 documents, documents that are consistent and have no remarks are only listed,
    and other consistent ones are not drawn, unless this is true
    ``budget``: seconds for a document; beyond it the verdict is undecided
    ``jobs``: worker processes; by default one for each core, if the work takes long
    ``backend``: "local" or "dask", with ``scheduler`` as the address of a Dask scheduler
    ``resume``: a file that keeps finished documents; a run that was stopped goes on from it (paths only)
    ``certificates``: certificates of the documents, a file or a folder. They are put on the page, and the browser of
    the reader checks them
    ``calendar``, ``hemisphere``, ``zone``: use the values of time expressions, as for ``Oracle``
    ``observer``: hears remarks about the corpus, what could not be read or decided, and how the work goes on

    Further keywords, such as ``during``, say how the source is read.

    Raise UsageError if no document could be read; then no page is written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     report([("left", "BEFORE", "docked")], output=f"{folder}/report.html").verdicts
    {'consistent': 1}
    """
    chosen = chosen_calendar(calendar, hemisphere, zone)
    options = replace(Options(**reading), values=chosen is not None)
    require_columns(options, source)
    if certificates is not None:
        from temporacle.tasks.page_certificates import refuse_unusable

        refuse_unusable([certificates], output)
    writer = PageWriter(output, linked=chosen_from("layout", layout, LAYOUTS))
    rows: list[DocumentRow] = []
    met: dict[str, str] = {}
    plan = Plan(jobs, backend_named(backend), scheduler)
    paths = paths_of(source) or []
    asked = Rendering(budget, common_root(paths), all_details=all_details, calendar=chosen)
    finished = finished_documents(source, options, asked, plan=plan, resume=resume, observer=observer)
    with closing(finished):
        for number, rendered in enumerate(finished, 1):
            row, article = rendered.named(f"d{number}")
            if row.verdict is not DocumentVerdict.UNREADABLE and (twin := met.setdefault(row.id, row.path)) != row.path:
                article = (
                    article and note_paragraph(f"A document of the same name was also read from {twin}:") + article
                )
            rows.append(row)
            writer.add(row.key, row.id, article)
    trouble = heard((each for row in rows for each in row.trouble), observer)
    if all(row.verdict is DocumentVerdict.UNREADABLE for row in rows):
        raise UsageError("no document could be read, so no page was written")
    heading = title or ", ".join(short_names(paths) or ["documents"])
    proofs = None
    if certificates is not None:
        from temporacle.tasks.page_certificates import certificates_for_page

        proofs = certificates_for_page([certificates], rows)
    writer.finish(corpus_page(heading, rows, writer.articles, writer.href, proofs))
    return CorpusReport(os.fspath(output), tuple(map(str, writer.written)), tuple(rows), trouble)
