"""A Dask cluster: the same chunks, worked on by whatever workers a scheduler has.

Files are read here and sent with their chunk, so workers need the program but not the corpus (formats that are a folder
excepted: their files must be found under the same path). When a worker dies, Dask gives its chunks to others; a chunk
that several workers died of is tried on this machine, piece by piece (``deaths``).
"""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.io.source import Source
from temporacle.runner.chunks import answers_of
from temporacle.runner.cores import Quarantine
from temporacle.runner.deaths import answers_despite_deaths
from temporacle.runner.order import in_order, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.runner.chunks import Answer, Chunk, Question, Result

_UNDER_WAY = 4  # chunks per thread of the cluster
_CONNECT = 20  # seconds


def run_on_cluster(
    chunks: Iterator[Chunk], function: Question[Result], address: str | None, workers: int | None
) -> Iterator[list[Answer[Result]]]:
    """The answers of each chunk, in order. Without an address, a cluster of processes on this machine."""
    with _client(address, workers) as client:

        def submit(chunk: Chunk) -> Any:
            return client.submit(answers_of, _with_data(chunk), function, pure=False)

        def settle(chunk: Chunk, future: Any) -> list[Answer[Result]]:
            return _settled(chunk, future, function, client)

        def width() -> int:  # workers may come and go
            threads: int = sum(client.nthreads().values())
            return _UNDER_WAY * max(1, threads)

        yield from in_order(chunks, submit, settle, width)


def _settled(chunk: Chunk, future: Any, function: Question[Result], client: Any) -> list[Answer[Result]]:
    from distributed import KilledWorker

    try:
        answers: list[Answer[Result]] = future.result()
    except KilledWorker:
        with closing(Quarantine()) as quarantine:
            return list(answers_despite_deaths(chunk, function, quarantine))
    except ImportError as error:
        raise UsageError(f"the workers of the cluster cannot work: {error}: install temporacle there") from error
    except Exception as error:
        if client.status != "running":
            raise UsageError("the Dask scheduler is gone; with --resume a new run goes on from here") from error
        raise
    return answers


@contextmanager
def _client(address: str | None, workers: int | None) -> Iterator[Any]:
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


def _with_data(chunk: Chunk) -> Chunk:
    """The same chunk, with the content of its files."""
    for part in chunk:
        if isinstance(part.source, Source):
            with suppress(InputError):  # a worker will say it
                part.source.data  # noqa: B018 - reads the file
    return chunk
