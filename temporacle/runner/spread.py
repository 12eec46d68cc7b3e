"""A function applied to values that are at hand already, wherever work is done: for documents that come in pairs."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from temporacle.runner.chunks import grouped
from temporacle.runner.deaths import CAUSE, WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.runner.cores import Quarantine
    from temporacle.runner.place import Place

Item = TypeVar("Item")
Result = TypeVar("Result")
_LARGEST_GROUP = 64  # items that are sent together
_TRIALS = 2  # of an item alone: the first death may have had another cause


def spread(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    place: Place,
    *,
    failed: Callable[[Item, str], Result],
    size: Callable[[Item], int] = lambda _item: 0,
    load: Callable[[Item], object] = lambda _item: None,
    keep: Callable[[Sequence[tuple[Item, Result]]], None] = lambda _done: None,
) -> Iterator[tuple[Item, Result]]:
    """The items with their results, in order. Whatever goes wrong with an item, ``failed`` makes its result.

    ``size`` is the bytes an item carries with it, ``load`` makes it carry all it needs. ``keep`` gets the results of a
    group that was worked on together, before anybody else does.
    """
    attempt = partial(_attempt, function, failed)

    def alone(group: Sequence[Item], quarantine: Quarantine) -> list[Result]:
        """Some worker died: each item is tried by itself."""
        return [_survived(attempt, failed, item, quarantine) for item in group]

    def load_all(group: Sequence[Item]) -> None:
        for item in group:
            load(item)

    groups = grouped(iter(items), size, _LARGEST_GROUP)
    for group, results in place.work(groups, partial(_attempt_all, attempt), alone, load_all):
        done = list(zip(group, results, strict=True))
        keep(done)
        yield from done


def _attempt(function: Callable[[Item], Result], failed: Callable[[Item, str], Result], item: Item) -> Result:
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - one bad document never stops a run
        return failed(item, f"internal error: {type(error).__name__}: {error}")


def _attempt_all(attempt: Callable[[Item], Result], group: Sequence[Item]) -> list[Result]:
    return [attempt(item) for item in group]


def _survived(
    attempt: Callable[[Item], Result], failed: Callable[[Item, str], Result], item: Item, quarantine: Quarantine
) -> Result:
    for _ in range(_TRIALS):
        with suppress(WorkerDiedError):
            return quarantine.run(attempt, item)
    return failed(item, CAUSE)
