"""What commands over whole corpora share: where the work is done, the journal, the progress bar."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner import Plan
    from temporacle.runner.resume import Journal, NamedJournal


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
    from temporacle.errors import UsageError
    from temporacle.runner import Backend as Processes
    from temporacle.runner import Plan

    if scheduler is not None and backend is not Backend.DASK:
        raise UsageError("--scheduler belongs to --backend dask")
    return Plan(jobs, Processes(backend.value), scheduler)


@contextmanager
def telling_of_interrupts(
    journal: Journal[Any] | NamedJournal[Any] | None = None, resume: str | None = None
) -> Iterator[None]:
    """Tells somebody who presses Ctrl-C that the run has noticed, wherever it was, and how to go on.

    The journal, if there is one, is closed with the run, however it ends; ``resume`` is the path of one that closes by
    itself.
    """
    path = resume if journal is None else journal.path
    try:
        yield
    except KeyboardInterrupt:
        complain("interrupted" if path is None else f"interrupted; the same command goes on from {path}")
        raise
    finally:
        if journal is not None:
            journal.close()
