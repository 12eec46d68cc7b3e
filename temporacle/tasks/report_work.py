"""Check and draw the documents of a report about a corpus."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from temporacle import __version__
from temporacle.corpus.inputs import Asking, documents_of, key_of, paths_of, pieces_of, size_of
from temporacle.errors import UsageError
from temporacle.frames import digits, html_table, to_frame
from temporacle.model import Remark, skipped_words
from temporacle.report.document import values
from temporacle.report.document.page import corpus_page, note_paragraph
from temporacle.report.html import common_root, short_names, shown_path
from temporacle.report.writing import PageWriter, rendered_document
from temporacle.results import DocumentVerdict, HasWarnings
from temporacle.runner import work

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs, PathName, Piece
    from temporacle.corpus.observer import Observer
    from temporacle.corpus.options import Going
    from temporacle.io.source import Options
    from temporacle.report.document.values import DocumentRow
    from temporacle.report.systems.values import PRF, ComparedRow, MetricRow
    from temporacle.report.writing import RenderedDocument
    from temporacle.rules import Trouble
    from temporacle.runner import Plan

    Chosen = TypeVar("Chosen")

_CORPUS_COLUMNS = ("document", "path", "verdict", "entities", "links", "conflict", "repair", "remarks")
_COMPARISON_COLUMNS = ("document", "system", "gold_links", "precision", "recall", "f1")
_counts = attrgetter(*_CORPUS_COLUMNS[3:])
_MOST_SHOWN = 50  # rows of a table in a notebook


class WrittenReport(HasWarnings):
    """What reports have in common."""

    __slots__ = ()
    trouble: tuple[Trouble, ...]  # what could not be read or decided

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return what could not be used, and what else there is to say."""
        return tuple(each.remark for each in self.trouble)


@dataclass(frozen=True, slots=True, repr=False)
class CorpusReport(WrittenReport):
    """The report that was written about a corpus."""

    page: str
    written: tuple[str, ...]  # the page, and the pages linked from it
    documents: tuple[DocumentRow, ...]
    trouble: tuple[Trouble, ...]  # what could not be read or decided

    @property
    def verdicts(self) -> dict[str, int]:
        """Return how many documents got each verdict. Verdicts that did not occur are left out."""
        counted = Counter(row.verdict for row in self.documents)
        return {verdict.value: counted[verdict] for verdict in DocumentVerdict if verdict in counted}

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{number} {verdict}" for verdict, number in self.verdicts.items())
        return f"CorpusReport({self.page!r}: {len(self.documents)} documents, {verdicts}{_skipped(self.skipped_links)})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "page": self.page,
            "written": list(self.written),
            "verdicts": self.verdicts,
            "documents": self._rows(),
            "skipped_links": self.skipped_links,
            "trouble": [each.to_dict() for each in self.trouble],
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each document."""
        return to_frame(self._rows(), _CORPUS_COLUMNS)

    def _repr_html_(self) -> str:
        rows = [[row[column] for column in _CORPUS_COLUMNS] for row in self._rows()[:_MOST_SHOWN]]
        return _caption(repr(self)) + html_table(_CORPUS_COLUMNS, rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            dict(zip(_CORPUS_COLUMNS, (row.id, row.path or None, row.verdict.value, *_counts(row)), strict=True))
            for row in self.documents
        ]


@dataclass(frozen=True, slots=True, repr=False)
class ComparisonReport(WrittenReport):
    """The report that was written about systems and a gold standard."""

    page: str
    written: tuple[str, ...]
    gold: str
    systems: tuple[str, ...]
    metrics: tuple[MetricRow, ...]  # every metric of every system
    documents: tuple[ComparedRow, ...]
    trouble: tuple[Trouble, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.systems)
        skipped = _skipped(self.skipped_links)
        return f"ComparisonReport({self.page!r}: {len(self.documents)} gold documents, systems {names}{skipped})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON. Scores are those of temporal awareness; None if a system has none."""
        return {
            "page": self.page,
            "written": list(self.written),
            "gold": self.gold,
            "systems": list(self.systems),
            "documents": [
                {
                    "document": row.id,
                    "gold_links": row.gold_links,
                    "scores": {
                        name: None if figures is None else figures._asdict()
                        for name, figures in zip(self.systems, row.figures, strict=True)
                    },
                }
                for row in self.documents
            ],
            "skipped_links": self.skipped_links,
            "trouble": [each.to_dict() for each in self.trouble],
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each gold document and system: temporal awareness."""
        return to_frame(self._rows(), _COMPARISON_COLUMNS)

    def _repr_html_(self) -> str:
        rows = [
            [self.systems[row.system], row.metric, *(map(digits, row.figures) if row.figures else ("", "", ""))]
            for row in self.metrics
        ]
        return _caption(repr(self)) + html_table(("system", "metric", "precision", "recall", "f1"), rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "document": row.id,
                "system": name,
                "gold_links": row.gold_links,
                **_measures(figures),
            }
            for row in self.documents
            for name, figures in zip(self.systems, row.figures, strict=True)
        ]


def _measures(figures: PRF | None) -> dict[str, float | None]:
    return {"precision": None, "recall": None, "f1": None} if figures is None else dict(figures._asdict())


def _skipped(links: dict[str, int]) -> str:
    words = skipped_words(links)
    return f"; links{words[1:]}" if words else ""


def _caption(text: str) -> str:
    return f"<p>{escape(text)}</p>"


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
        first = list(islice(pieces, values.DOCUMENTS + 1))
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
    if len(pieces) > values.DOCUMENTS:
        return True
    found = (each for piece in pieces for each in ([piece] if size_of(piece) > _LARGE else documents_of(piece)))
    return sum(1 for _ in islice(found, values.DOCUMENTS + 1)) > values.DOCUMENTS


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


# --- the page ---------------------------------------------------------------------------------------------------------


def corpus_report(
    source: Inputs,
    going: Going,
    observer: Observer,
    out: PathName,
    *,
    title: str | None,
    layout: str,
    certificates: PathName | None,
    all_details: bool,
) -> CorpusReport:
    """Write a page about the documents of a source."""
    if certificates is not None:
        from temporacle.tasks.verify import refuse_unusable

        refuse_unusable([certificates], out)
    writer = PageWriter(out, linked=chosen_from("layout", layout, LAYOUTS))
    rows: list[DocumentRow] = []
    met: dict[str, str] = {}
    paths = paths_of(source) or []
    asked = Rendering(going.limit, common_root(paths), all_details=all_details, calendar=going.calendar)
    finished = finished_documents(source, going.options, asked, plan=going.plan, resume=going.resume, observer=observer)
    with closing(finished):
        for number, rendered in enumerate(finished, 1):
            row, article = rendered.named(f"d{number}")
            if row.verdict is not DocumentVerdict.UNREADABLE and (twin := met.setdefault(row.id, row.path)) != row.path:
                other = shown_path(twin, asked.root)
                article = article and note_paragraph(f"Another document of this name was read from {other}.") + article
            rows.append(row)
            writer.add(row.key, row.id, article)
    trouble = heard((each for row in rows for each in row.trouble), observer)
    if all(row.verdict is DocumentVerdict.UNREADABLE for row in rows):
        raise UsageError("no document could be read, so no page was written")
    heading = title or ", ".join(short_names(paths) or ["documents"])
    proofs = None
    if certificates is not None:
        from temporacle.tasks.verify import certificates_for_page

        proofs = certificates_for_page([certificates], rows)
    writer.finish(corpus_page(heading, rows, writer.articles, writer.href, proofs))
    return CorpusReport(os.fspath(out), tuple(map(str, writer.written)), tuple(rows), trouble)


LAYOUTS = {"auto": None, "single": False, "linked": True}


def heard(trouble: Iterable[Trouble], observer: Observer) -> tuple[Trouble, ...]:
    """Return what could not be used, after the observer has heard of it."""
    every = tuple(trouble)
    for each in every:
        observer.unusable(*each)
    return every


def chosen_from(argument: str, value: str, choices: Mapping[str, Chosen]) -> Chosen:
    """Return the choice of a name. Raise UsageError for other names."""
    if value not in choices:
        raise UsageError(option=argument, value=value, allowed=choices)
    return choices[value]
