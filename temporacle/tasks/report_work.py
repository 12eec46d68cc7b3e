"""Check and draw the documents of a report about a corpus."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from temporacle import __version__
from temporacle.corpus.inputs import Asking, documents_of, key_of, paths_of, pieces_of, size_of
from temporacle.errors import UsageError
from temporacle.model import Remark
from temporacle.report.document import values
from temporacle.report.rendering import rendered_document
from temporacle.runner import work

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.corpus.inputs import Inputs, Piece
    from temporacle.corpus.observer import Observer
    from temporacle.io.source import Options
    from temporacle.report.rendering import RenderedDocument
    from temporacle.runner import Plan

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
