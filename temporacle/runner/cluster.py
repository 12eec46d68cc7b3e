"""A Dask cluster: the same pieces of work, done by whatever workers a scheduler has.

Files are read here and sent with their piece, so workers need the program but not the corpus (formats that are a folder
excepted: their files must be found under the same path). When a worker dies, Dask gives its pieces to others; one
that several workers died of is tried on this machine, piece by piece (``deaths``).
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.io.source import Source
from temporacle.runner.order import Outcome, Piece, in_order, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from temporacle.model import Unreadable

_UNDER_WAY = 4  # pieces per thread of the cluster
_CONNECT = 20  # seconds


def run_on_cluster(
    pieces: Iterator[Piece],
    do: Callable[[Piece], Outcome],
    salvage: Callable[[Piece], Outcome],
    load: Callable[[Piece], object],
    client: Any,
) -> Iterator[tuple[Piece, Outcome]]:
    """Every piece with its outcome, in order. ``load`` makes a piece carry what workers cannot read."""

    def submit(piece: Piece) -> Any:
        load(piece)
        return client.submit(do, piece, pure=False)

    def settle(piece: Piece, future: Any) -> tuple[Piece, Outcome]:
        return piece, _settled(piece, future, salvage, client)

    def width() -> int:  # workers may come and go
        threads: int = sum(client.nthreads().values())
        return _UNDER_WAY * max(1, threads)

    return in_order(pieces, submit, settle, width)


def _settled(piece: Piece, future: Any, salvage: Callable[[Piece], Outcome], client: Any) -> Outcome:
    from distributed import KilledWorker

    try:
        outcome: Outcome = future.result()
    except KilledWorker:
        return salvage(piece)
    except ImportError as error:
        raise UsageError(f"the workers of the cluster cannot work: {error}: install temporacle there") from error
    except Exception as error:
        if client.status != "running":
            raise UsageError("the Dask scheduler is gone; with --resume a new run goes on from here") from error
        raise
    return outcome


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """The client of a scheduler. Without an address, of a cluster of processes on this machine."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UsageError("--backend dask needs more: pip install 'temporacle[cluster]'") from error
    dask.config.set({"distributed.logging.distributed": "error"})
    if address is not None:
        try:
            client = Client(address, timeout=_CONNECT)
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(f"no Dask scheduler answers at {address}: {error}") from error
        with client:
            yield client
        return
    cluster = LocalCluster(
        n_workers=workers or number_of_cores(), threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
    )
    with cluster, Client(cluster) as client:
        yield client


def load_source(source: Source | Unreadable) -> None:
    """Read a file, so that it travels with its content."""
    if isinstance(source, Source):
        with suppress(InputError):  # a worker will say it
            source.data  # noqa: B018 - reads the file
