"""Judge the claims about documents in worker processes, with a journal."""

from __future__ import annotations

from contextlib import closing, nullcontext
from typing import TYPE_CHECKING

from temporacle import __version__
from temporacle.runner import work
from temporacle.runner.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.audit.documents import ClaimedDocument, ClaimsJob, JudgedDocument
    from temporacle.runner import Plan


def judged_documents(
    items: Sequence[ClaimedDocument],
    job: ClaimsJob,
    plan: Plan,
    *,
    resume: str | None = None,
    changed: Callable[[str], None] = lambda _document: None,
) -> Iterator[JudgedDocument]:
    """Yield the documents judged, in order.

    What the journal has already is taken from there; ``changed`` gets documents that differ from what the journal
    knows.
    """
    kept = nullcontext() if resume is None else closing(Journal(resume, repr((__version__, "audit", job)), changed))
    with kept as journal:
        for _, (judged,) in work(items, job, plan, journal=journal, key=lambda item: (item.name, item.digest)):
            yield judged
