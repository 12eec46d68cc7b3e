"""One run: items in, their results out, in the order of the items, wherever the work is done."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from itertools import chain
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.runner.job import Item, Job, Result, all_results
from temporacle.runner.plan import Plan, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from temporacle.runner.journal import Journal

PATIENCE = 0.5  # seconds of work in this process before other processes are started
UNDER_WAY = 4  # chunks per worker that are sent before the first answer is taken: workers never wait

# Sending a chunk costs the parent almost a millisecond; a megabyte is worked on for some thirty.
_LARGEST_CHUNK = 200  # items
_ENOUGH_BYTES = 1 << 20
_GROWTH = 8  # a chunk is at most an eighth of what went before it


class _Known(NamedTuple):
    """An item with what the journal knows of it."""

    item: Any
    key: tuple[str, str]
    results: list[Any] | None


def work(
    items: Iterable[Item],
    job: Job[Item, Result],
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    *,
    journal: Journal | None = None,
    key: Callable[[Item], tuple[str, str]] | None = None,
    size: Callable[[Item], int] = lambda _item: 0,
    progress: Callable[[int, int], None] | None = None,
) -> Generator[tuple[Item, list[Result]], None, None]:
    """Yield every item with its results, in order.

    Short work is done in this process; what takes longer moves to other processes, unless ``jobs`` is 1. The journal
    keeps results, and gives those of an earlier run for items whose ``key`` (identity, digest of the content) is the
    same. ``size`` is the bytes that an item stands for. ``progress`` hears how many results, of how many bytes, are
    done since it last heard.
    """
    if journal is None:
        done = _worked(_grouped(iter(items), size), job, plan)
    elif key is None:
        raise UsageError("a journal needs to know the items by their keys")
    else:
        done = _journalled(items, job, plan, journal=journal, key=key, size=size)
    with closing(done):  # at once, when the rest is not wanted: what is left to the interpreter cannot be interrupted
        for chunk, found in done:
            if progress is not None:
                progress(sum(map(len, found)), sum(map(size, chunk)))
            yield from zip(chunk, found, strict=True)


def _journalled(
    items: Iterable[Item],
    job: Job[Item, Result],
    plan: Plan,
    *,
    journal: Journal,
    key: Callable[[Item], tuple[str, str]],
    size: Callable[[Item], int],
) -> Generator[tuple[Sequence[Item], list[list[Result]]], None, None]:
    """Yield chunks with their results, including those of an earlier run.

    All are in the journal before they are yielded.
    """

    def known() -> Iterator[_Known]:
        for item in items:
            identity = key(item)
            yield _Known(item, identity, journal.find(*identity))

    chunks: deque[Sequence[_Known]] = deque()  # under way

    def unknown() -> Iterator[Sequence[Item]]:
        for chunk in _grouped(known(), lambda each: size(each.item) if each.results is None else 0):
            chunks.append(chunk)
            yield [each.item for each in chunk if each.results is None]

    with closing(_worked(unknown(), job, plan)) as done:
        for new, found in done:
            chunk = chunks.popleft()
            fresh = iter(found)
            every = [next(fresh) if each.results is None else each.results for each in chunk]
            if new:
                pairs = zip(chunk, every, strict=True)
                journal.add((*each.key, results) for each, results in pairs if each.results is None)
            yield [each.item for each in chunk], every


def _worked(
    chunks: Iterator[Sequence[Item]], job: Job[Item, Result], plan: Plan
) -> Generator[tuple[Sequence[Item], list[list[Result]]], None, None]:
    if plan.works_elsewhere:
        from temporacle.runner.cluster import on_cluster

        for first in chunks:  # for no chunks nothing is started
            yield from on_cluster(chain((first,), chunks), job, plan)
        return
    jobs = number_of_cores() if plan.jobs is None else plan.jobs
    if plan.jobs is None or jobs == 1:
        # Starting processes takes longer than most inputs, so work starts here; what is left soon moves to them.
        start = monotonic()
        for chunk in chunks:
            yield chunk, all_results(job, chunk)
            if jobs > 1 and monotonic() - start > PATIENCE:
                break
        else:
            return
    for first in chunks:
        from temporacle.runner.cores import Cores

        left = chain((first,), chunks)
        with Cores(job, jobs) as cores:
            if plan.jobs is None:
                # Work goes on here until the processes are ready, so that they never make a run longer.
                starting = cores.start()
                for chunk in left:
                    if all(each.done() for each in starting):
                        left = chain((chunk,), left)
                        break
                    yield chunk, all_results(job, chunk)
            yield from in_order(left, cores.submit, lambda _chunk, found: found.result(), lambda: UNDER_WAY * jobs)


def in_order(
    chunks: Iterator[Sequence[Item]],
    submit: Callable[[Sequence[Item]], Future[Any]],
    settle: Callable[[Sequence[Item], Future[Any]], list[list[Result]]],
    width: Callable[[], int],
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    """Yield every chunk with its results, in order, with at most ``width()`` chunks in progress."""
    under_way: deque[tuple[Sequence[Item], Future[Any]]] = deque()
    more = True
    while more or under_way:
        while more and len(under_way) < width():
            for chunk in chunks:
                under_way.append((chunk, submit(chunk)))
                break
            else:
                more = False
        if under_way:
            chunk, future = under_way.popleft()
            yield chunk, settle(chunk, future)


def _grouped(items: Iterator[Item], size: Callable[[Item], int]) -> Iterator[Sequence[Item]]:
    """Yield items in chunks: single items first, so that a few large ones are spread evenly, then more and more."""
    chunk: list[Item] = []
    carried = sent = 0
    for item in items:
        chunk.append(item)
        carried += size(item)
        if carried >= _ENOUGH_BYTES or len(chunk) >= min(_LARGEST_CHUNK, 1 + sent // _GROWTH):
            yield tuple(chunk)
            sent += len(chunk)
            chunk, carried = [], 0
    if chunk:
        yield tuple(chunk)
