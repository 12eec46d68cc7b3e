"""Where work is done: in this process, on all cores of this machine, or on a cluster."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeVar

from temporacle.errors import UsageError
from temporacle.runner.order import number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.runner.cores import Quarantine

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

PATIENCE = 0.5  # seconds of work in this process before other processes are started


class Backend(StrEnum):
    """Whose processes they are."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is carried out. Nothing here can change an answer."""

    jobs: int | None = None  # None: all cores, once the work has gone on for a while
    backend: Backend = Backend.LOCAL
    scheduler: str | None = None  # address of a Dask scheduler; None: a cluster on this machine

    def __post_init__(self) -> None:
        if self.jobs is not None and self.jobs < 1:
            raise UsageError(f"cannot work with {self.jobs} processes: give 1 or more")
        if self.scheduler is not None and self.backend is not Backend.DASK:
            raise UsageError("--scheduler belongs to --backend dask")


class Place:
    """The workers of a run, for one round of work after the other. A cluster is started when it is first needed."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()

    def work(
        self,
        pieces: Iterator[Piece],
        do: Callable[[Piece], Outcome],
        salvage: Callable[[Piece, Quarantine], Outcome],
        load: Callable[[Piece], object] = lambda _piece: None,
    ) -> Iterator[tuple[Piece, Outcome]]:
        """Every piece with what ``do`` makes of it, in order. ``do`` can be sent to another process.

        ``salvage`` is asked instead if a worker died over the piece, or over another one that it worked on; it may try
        again in a quarantine. ``load`` puts into a piece what only this machine can read.
        """
        if self._plan.backend is Backend.DASK:
            yield from self._on_cluster(pieces, do, salvage, load)
            return
        jobs = number_of_cores() if self._plan.jobs is None else self._plan.jobs
        if self._plan.jobs is None or jobs == 1:
            # Starting processes takes longer than most inputs, so work starts here; what is left soon moves to them.
            start = monotonic()
            for piece in pieces:
                yield piece, do(piece)
                if jobs > 1 and monotonic() - start > PATIENCE:
                    break
            else:
                return
        from temporacle.runner.cores import run_on_cores

        yield from run_on_cores(pieces, do, lambda piece: salvage(piece, self._quarantine), jobs)

    def _on_cluster(
        self,
        pieces: Iterator[Piece],
        do: Callable[[Piece], Outcome],
        salvage: Callable[[Piece, Quarantine], Outcome],
        load: Callable[[Piece], object],
    ) -> Iterator[tuple[Piece, Outcome]]:
        from temporacle.runner.cluster import run_on_cluster

        for first in pieces:
            every = chain((first,), pieces)
            yield from run_on_cluster(every, do, lambda piece: salvage(piece, self._quarantine), load, self._client)

    @cached_property
    def _client(self) -> Any:
        from temporacle.runner.cluster import connected

        return self._open.enter_context(connected(self._plan.scheduler, self._plan.jobs))

    @cached_property
    def _quarantine(self) -> Quarantine:
        from temporacle.runner.cores import Quarantine

        return self._open.enter_context(closing(Quarantine()))
