"""The way a run is carried out. Nothing here can change an answer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

from temporacle.errors import UsageError


class Backend(StrEnum):
    """Whose processes they are."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class Plan:
    """The place where work is done.

    >>> Plan(jobs=4), Plan(backend="dask").works_elsewhere
    (Plan(jobs=4, backend=<Backend.LOCAL: 'local'>, scheduler=None), True)
    """

    jobs: int | None = None  # None: all cores, once the work has gone on for a while
    backend: Backend = Backend.LOCAL
    scheduler: str | None = None  # address of a Dask scheduler; None: a cluster on this machine

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"jobs is {self.jobs}; it must be 1 or more")
        if self.backend not in list(Backend):
            raise UsageError(f"unknown backend {self.backend!r}: choose {' or '.join(Backend)}")
        object.__setattr__(self, "backend", Backend(self.backend))
        if self.scheduler is not None and self.backend is not Backend.DASK:
            raise UsageError("scheduler works only with the backend dask")

    @property
    def works_elsewhere(self) -> bool:
        """Return whether work may be done on machines without the files. Then items must carry their content."""
        return self.backend is Backend.DASK


def number_of_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
