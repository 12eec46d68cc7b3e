"""The work on each item of a run, and the treatment of items on which it fails.

A *job* makes the results of one item (a file, a pair of documents): a file may hold many documents, so an item has many
results. A job is a value that can be sent to another process. Whatever goes wrong with one result, ``failed`` makes the
value that stands in its place, and the run goes on:

    the job raises             the result it was at has failed
    its process dies           the item is tried again, carefully: the worker says what it is about to do. The result
                               that it died over is tried once more. If the worker dies again there, it has failed
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")
Item_contra = TypeVar("Item_contra", contravariant=True)
Result_co = TypeVar("Result_co", covariant=True)

Promise = TypeVar("Promise")  # results that will be there
UNDER_WAY = 4  # chunks per worker that are sent before the first answer is taken: workers never wait

DIED = "the process that worked on it died"


class Job(Protocol[Item_contra, Result_co]):
    """The work to do. It must be possible to pickle it."""

    def results(self, item: Item_contra, skip: int, tell: Callable[[str], None]) -> Iterator[Result_co]:
        """Return the results of an item, from number ``skip`` on.

        ``tell`` gets the name of each before work on it begins.
        """

    def failed(self, item: Item_contra, name: str | None, reason: str) -> Result_co:
        """Return the entry that stands for a missing result. Without a name, the item itself could not be read."""


class WorkerDiedError(Exception):
    """A process ended without an answer."""


class StoppedError(Exception):
    """Another thread has ended the run."""


def all_results(job: Job[Item, Result], items: Iterable[Item]) -> list[list[Result]]:
    """Return the results of each item."""
    return [list(results_from(job, item)) for item in items]


def results_from(
    job: Job[Item, Result], item: Item, skip: int = 0, tell: Callable[[str], None] = lambda _name: None
) -> Iterator[Result]:
    """Yield the results of an item, from number ``skip`` on. Exceptions are caught."""
    begun: list[str] = []  # the name of what is being done

    def begin(name: str) -> None:
        begun[:] = [name]
        tell(name)

    while True:
        begun.clear()
        try:
            for result in job.results(item, skip, begin):
                skip += 1
                begun.clear()
                yield result
        except Exception as error:  # noqa: BLE001 - one bad document never stops a run
            yield job.failed(item, begun[0] if begun else None, unexpected(error))
            if not begun:
                return
            skip += 1
        else:
            return


def unexpected(error: Exception) -> str:
    """Return a message about an unexpected exception."""
    return f"internal error: {type(error).__name__}: {error}".rstrip(": ")


def results_despite_deaths(
    job: Job[Item, Result], item: Item, attempt: Callable[[Item, int], Iterable[tuple[bool, object]]]
) -> list[Result]:
    """Return the results of an item that may kill the process that works on it.

    ``attempt`` works on the item in a process, from some number on: pairs ``(False, name)`` of what is begun and
    ``(True, result)`` of what is done. It raises WorkerDiedError if the process dies.
    """
    found: list[Result] = []
    suspect = -1  # the number of the result that a process died over
    name: str | None = None
    while True:
        try:
            for is_result, value in attempt(item, len(found)):
                if is_result:
                    found.append(value)  # type: ignore[arg-type]
                name = None if is_result else str(value)
        except WorkerDiedError:
            if suspect != len(found):
                suspect = len(found)
                continue
            found.append(job.failed(item, name, DIED))
            if name is None:
                return found
            name = None
        else:
            return found


@dataclass(frozen=True)
class Applying(Generic[Item, Result]):
    """The job of applying a function to values: one result each."""

    function: Callable[[Item], Result]
    failure: Callable[[Item, str], Result]  # the result in place of one that could not be had

    def results(self, item: Item, skip: int, tell: Callable[[str], None]) -> Iterator[Result]:
        if not skip:
            tell("")
            yield self.function(item)

    def failed(self, item: Item, name: str | None, reason: str) -> Result:  # noqa: ARG002 - as jobs are called
        return self.failure(item, reason)


def number_of_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    chunks: Iterator[Sequence[Item]],
    submit: Callable[[Sequence[Item]], Promise],
    settle: Callable[[Sequence[Item], Promise], list[list[Result]]],
    width: Callable[[], int],
    begun: tuple[Sequence[Item], Promise] | None = None,
) -> Iterator[tuple[Sequence[Item], list[list[Result]]]]:
    """Yield every chunk with its results, in order, with at most ``width()`` chunks in progress.

    ``begun`` is the chunk before them, if it is in progress.
    """
    under_way: deque[tuple[Sequence[Item], Promise]] = deque(() if begun is None else (begun,))
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
