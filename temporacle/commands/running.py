"""Shared by commands over whole corpora: where the work is done, the journal, the progress bar."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal


class Backend(StrEnum):
    """The place where work is done.

    It repeats the runner's choices, because the command line starts without the runner.
    """

    LOCAL = "local"
    DASK = "dask"


JobsOption = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        min=1,
        metavar="N",
        help="Worker processes (default: one per core).",
    ),
]
BackendOption = Annotated[Backend, typer.Option("--backend", help="On this machine or Dask.")]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Dask's address, such as tcp://host:8786.",
    ),
]
ResumeOption = Annotated[
    str | None,
    typer.Option("--resume", metavar="FILE", help="Keep results in FILE, or continue from there."),
]


def plan_of(jobs: int | None, backend: Backend, scheduler: str | None) -> Plan:
    """Return the options in the form that the runner needs."""
    from temporacle.errors import UsageError
    from temporacle.runner import Backend as Processes
    from temporacle.runner import Plan

    if scheduler is not None and backend is not Backend.DASK:
        raise UsageError("--scheduler works only with --backend dask")
    return Plan(jobs, Processes(backend.value), scheduler)


def journal_for(path: str, run: tuple[object, ...]) -> Journal:
    """Return a journal. ``run`` holds everything, except the files, that can change the results."""
    from temporacle import __version__
    from temporacle.runner.journal import Journal

    def changed(name: str) -> None:
        complain(f"note: {name} has changed since the earlier run and is done again")

    return Journal(path, repr((__version__, *run)), changed)


@contextmanager
def telling_of_interrupts(resume: str | None = None) -> Iterator[None]:
    """Print a message when the user presses Ctrl-C, and how to continue with the journal at ``resume``."""
    try:
        yield
    except KeyboardInterrupt:
        complain(
            "interrupted" if resume is None else f"interrupted; run the same command again to continue from {resume}"
        )
        raise
