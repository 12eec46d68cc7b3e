"""Does the same job with many items: in this process, on all cores, or on a cluster.

    work(items, job, Plan(jobs=8))      every item with its results, in the order of the items

Items are cut into chunks, worked on somewhere, and taken back in order as soon as all earlier ones are there.

job        what is done with an item, and what stands in the place of a result that could not be had
copies     copies of this process that take chunks, asked from one thread; processes: started ones; cluster: on Dask
journal    results kept in a file, for a run that goes on after an end
"""

from __future__ import annotations

import select
from collections import deque
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from temporacle.errors import UsageError
from temporacle.runner import processes
from temporacle.runner.job import Item, Job, Result, all_results, in_order, number_of_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

    from temporacle.runner.copies import Cores, Task
    from temporacle.runner.journal import Journal


# ----------------------------------------------------------------------------------------------------
# The way a run is carried out. Nothing here can change an answer.


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
        if self.jobs is not None and not (isinstance(self.jobs, int) and self.jobs >= 1):
            raise UsageError(f"jobs is {self.jobs!r}; it must be a whole number, 1 or more")
        if self.backend not in list(Backend):
            raise UsageError(option="backend", value=self.backend, allowed=Backend)
        object.__setattr__(self, "backend", Backend(self.backend))
        if self.scheduler is not None and self.backend is not Backend.DASK:
            raise UsageError("scheduler works only with the backend dask")

    @property
    def works_elsewhere(self) -> bool:
        """Return whether work may be done on machines without the files. Then items must carry their content."""
        return self.backend is Backend.DASK


# ----------------------------------------------------------------------------------------------------

PATIENCE = 0.5  # seconds of work in this process before interpreters are started, which takes some tenths
COPY_PATIENCE = 0.02  # the same before copies of this process are started, which takes a millisecond
WORTHWHILE = 0.05  # seconds of work ahead that make it worth while to start processes
AHEAD = 16  # the same for copies, which get small chunks: a hard document does not make the others wait


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
        pace = Pace(size)
        done = _worked(pace.chunks(items), job, plan, pace)
    elif key is None:
        raise UsageError("a checkpoint needs to know the items by their keys")
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
    pace = Pace(size)

    def unknown() -> Iterator[Sequence[Item]]:
        for chunk in pace.chunks_by(known(), lambda each: size(each.item) if each.results is None else 0):
            chunks.append(chunk)
            yield [each.item for each in chunk if each.results is None]

    with closing(_worked(unknown(), job, plan, pace)) as done:
        for new, found in done:
            chunk = chunks.popleft()
            fresh = iter(found)
            every = [next(fresh) if each.results is None else each.results for each in chunk]
            if new:
                pairs = zip(chunk, every, strict=True)
                journal.add((*each.key, results) for each, results in pairs if each.results is None)
            yield [each.item for each in chunk], every


def _worked(
    chunks: Iterator[Sequence[Item]], job: Job[Item, Result], plan: Plan, pace: Pace[Item]
) -> Generator[tuple[Sequence[Item], list[list[Result]]], None, None]:
    if plan.works_elsewhere:
        from temporacle.runner.cluster import on_cluster

        for first in chunks:  # for no chunks nothing is started
            yield from on_cluster(chain((first,), chunks), job, plan)
        return
    jobs = number_of_cores() if plan.jobs is None else plan.jobs
    if jobs == 1 or not hasattr(select, "poll"):  # on Windows one process does all
        for chunk in chunks:
            yield chunk, all_results(job, chunk)
        return
    ahead = _Ahead(chunks, pace)
    work_on = _by_this_process_first if plan.jobs is None else _by_one_worker_first
    yield from work_on(ahead, job, jobs, pace)


class _Ahead(Generic[Item]):
    """Chunks with a look at those that come next."""

    def __init__(self, chunks: Iterator[Sequence[Item]], pace: Pace[Item]) -> None:
        self._chunks, self._pace = chunks, pace
        self._seen: deque[Sequence[Item]] = deque()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Sequence[Item]:
        return self._seen.popleft() if self._seen else next(self._chunks)

    def is_worth_while(self) -> bool:
        """Return whether so much work is left, by what the pace expects, that starting processes makes it shorter."""
        expected = sum(map(self._pace.seconds_of, self._seen))
        while expected < WORTHWHILE:
            chunk = next(self._chunks, None)
            if chunk is None:
                return False
            self._seen.append(chunk)
            expected += self._pace.seconds_of(chunk)
        return True


def _by_this_process_first(
    chunks: _Ahead[Item], job: Job[Item, Result], jobs: int, pace: Pace[Item]
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    """Work here for a while: most inputs take less time than starting processes. What is left moves to them."""

    def here(chunk: Sequence[Item]) -> list[list[Result]]:
        start = perf_counter()
        found = all_results(job, chunk)
        pace.measured(chunk, perf_counter() - start)
        return found

    start = monotonic()
    for chunk in chunks:
        yield chunk, here(chunk)
        spent = monotonic() - start
        if spent > COPY_PATIENCE and (spent > PATIENCE or processes.can_copy()) and chunks.is_worth_while():
            break
    for first in chunks:
        from temporacle.runner.copies import Cores

        left = chain((first,), chunks)
        with Cores(job, jobs, pace.measured) as cores:
            # Work goes on here until the processes are ready, so that they never make a run longer.
            cores.start()
            for chunk in left:
                if cores.are_ready():
                    left = chain((chunk,), left)
                    break
                yield chunk, here(chunk)
            yield from _by_all(left, cores, jobs)


def _by_one_worker_first(
    chunks: _Ahead[Item], job: Job[Item, Result], jobs: int, pace: Pace[Item]
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    """Work in other processes from the beginning, so that no document can end this one. Start with one of them."""
    for first in chunks:
        from temporacle.runner.copies import Cores

        left = chain((first,), chunks)
        with Cores(job, jobs, pace.measured) as cores:
            begun = None
            if cores.copy(1):
                start = monotonic()
                for chunk in left:
                    task = cores.give(chunk)
                    if not task.is_done_within(WORTHWHILE):
                        begun = chunk, task
                        break
                    yield chunk, task.result()
                    if monotonic() - start > COPY_PATIENCE and chunks.is_worth_while():
                        begun = next(((more, cores.give(more)) for more in left), None)  # one works meanwhile
                        break
                else:
                    return
                cores.copy()
            yield from _by_all(left, cores, jobs, begun)


def _by_all(
    chunks: Iterator[Sequence[Item]],
    cores: Cores[Item, Result],
    jobs: int,
    begun: tuple[Sequence[Item], Task[Item, Result]] | None = None,
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    return in_order(chunks, cores.give, lambda _chunk, task: task.result(), lambda: AHEAD * jobs, begun)


# ----------------------------------------------------------------------------------------------------
# The size of chunks, by what their work has cost so far.
#
# A chunk should cost far more than sending it (some tenths of a millisecond), and far less than the whole run, or the
# processes would not end together. The end of the items is not known before it is reached, so a chunk is a small part
# of the work that is done.

Paced = TypeVar("Paced")
Other = TypeVar("Other")

_SHORTEST, _LONGEST = 0.008, 0.05  # seconds for a chunk
_PART = 1 / 32  # a chunk, of the work that is done
_MEMORY = 1.0  # seconds of work: what was measured before counts less and less
_LARGEST_CHUNK = 200  # items
_ENOUGH_BYTES = 1 << 20
_GROWTH = 8  # as long as nothing is measured, a chunk is at most an eighth of what went before it


class Pace(Generic[Paced]):
    """How many seconds items cost, by their number and their bytes."""

    def __init__(self, size: Callable[[Paced], int]) -> None:
        self._size = size
        self._done = self._seconds = 0.0  # of all work, and of what is remembered
        self._items = self._bytes = 0.0
        self._measurements = 0

    def measured(self, items: Sequence[Paced], seconds: float) -> None:
        """Take note of what some items have cost."""
        size = sum(map(self._size, items))
        self._measurements += 1
        if self._measurements == 2:  # the first one has loaded what all items need
            self._seconds = self._items = self._bytes = 0.0
        self._done += seconds
        fades = min(1.0, _MEMORY / (self._seconds + seconds or 1.0))
        self._seconds = (self._seconds + seconds) * fades
        self._items = (self._items + len(items)) * fades
        self._bytes = (self._bytes + size) * fades

    def seconds(self, items: int, size: int) -> float | None:
        """Return what some items of so many bytes will cost; None if nothing is measured.

        Bytes alone would say little: some of the smallest documents are the hardest.
        """
        if not self._items:
            return None
        by_number = items / self._items
        return self._seconds * ((by_number + size / self._bytes) / 2 if self._bytes else by_number)

    def seconds_of(self, items: Sequence[Paced]) -> float:
        """Return what some items will cost; 0 if nothing is measured."""
        return self.seconds(len(items), sum(map(self._size, items))) or 0.0

    def chunks(self, items: Iterable[Paced]) -> Iterator[Sequence[Paced]]:
        """Yield items in chunks."""
        return self.chunks_by(items, self._size)

    def chunks_by(self, items: Iterable[Other], size: Callable[[Other], int]) -> Iterator[Sequence[Other]]:
        """Yield things that stand for items of some size in chunks.

        Single items come first, so that a few hard ones are spread evenly, then more and more at once.
        """
        chunk: list[Other] = []
        carried = sent = 0
        for item in items:
            chunk.append(item)
            carried += size(item)
            if self._is_enough(len(chunk), carried, sent):
                yield tuple(chunk)
                sent += len(chunk)
                chunk, carried = [], 0
        if chunk:
            yield tuple(chunk)

    def _is_enough(self, items: int, size: int, sent: int) -> bool:
        if items >= _LARGEST_CHUNK or size >= _ENOUGH_BYTES:
            return True
        expected = self.seconds(items, size)
        if expected is None:
            return items >= 1 + sent // _GROWTH
        return expected >= min(max(self._done * _PART, _SHORTEST), _LONGEST)
