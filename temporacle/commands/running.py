"""What commands over whole corpora share: where the work is done, the journal, the progress bar."""

from __future__ import annotations

from contextlib import closing, contextmanager
from enum import StrEnum
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from temporacle.commands.common import complain, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.commands.check_rows import Outcome
    from temporacle.io.source import Options
    from temporacle.model import Document, Unreadable
    from temporacle.runner import Answer, Plan
    from temporacle.runner.resume import Journal, NamedJournal

    Result = TypeVar("Result")


class Backend(StrEnum):
    """Where the work is done. (The runner has the same; the command line starts without it.)"""

    LOCAL = "local"
    DASK = "dask"


JobsOption = Annotated[
    int | None, typer.Option("--jobs", min=1, metavar="N", help="Processes; default: all cores, for long work.")
]
BackendOption = Annotated[Backend, typer.Option("--backend", help="Processes of this machine, or a Dask cluster.")]
SchedulerOption = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Dask scheduler, e.g. tcp://host:8786; default: a local one."),
]
ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="FILE", help="Keep answers in FILE, and go on from there if it exists."),
]


def plan_of(jobs: int | None, backend: Backend, scheduler: str | None) -> Plan:
    """The options as the runner wants them."""
    from temporacle.runner import Plan
    from temporacle.runner.place import Backend as Place

    return Plan(jobs, Place(backend.value), scheduler)


def journal_of_rows(path: str, run: tuple[object, ...]) -> Journal[Outcome]:
    """A journal of rows. ``run`` holds all that decides about them."""
    from temporacle import __version__
    from temporacle.commands.check_rows import Outcome
    from temporacle.runner.resume import Journal

    return Journal(path, repr((__version__, *run)), attrgetter("text"), Outcome.of)


def results(
    paths: Sequence[str],
    options: Options,
    question: Callable[[Document | Unreadable], Result],
    plan: Plan,
    *,
    settle: Callable[[Answer[Result]], Result] | None = None,
    journal: Journal[Result] | None = None,
) -> Iterator[Result]:
    """The answer about every document, with a progress bar for people."""
    from temporacle.commands.progress import Bar
    from temporacle.runner import run_over

    with Bar.over(*paths) as bar:
        progress = bar.advance if bar.wanted else None  # the sizes of files are asked for only where they are shown
        answers = run_over(
            paths, options, question, plan, settle=settle, journal=journal, report=note, progress=progress
        )
        with closing(answers):
            for answer in answers:
                yield answer.result


@contextmanager
def telling_of_interrupts(journal: Journal[Any] | NamedJournal[Any] | None = None) -> Iterator[None]:
    """Tells somebody who presses Ctrl-C that the run has noticed, wherever it was, and how to go on.

    The journal is closed with the run, however it ends.
    """
    try:
        yield
    except KeyboardInterrupt:
        complain("interrupted" if journal is None else f"interrupted; the same command goes on from {journal.path}")
        raise
    finally:
        if journal is not None:
            journal.close()
