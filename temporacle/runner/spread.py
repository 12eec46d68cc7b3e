"""A function applied to values that are at hand already, on all cores: for scoring, where documents come in pairs."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from temporacle.runner.cores import Pool, Quarantine
from temporacle.runner.deaths import CAUSE, WorkerDiedError
from temporacle.runner.order import in_order, number_of_cores
from temporacle.runner.run import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")
_GROUP = 8  # items that are sent together


def spread(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    failed: Callable[[Item, str], Result],
    jobs: int | None = None,
) -> Iterator[Result]:
    """The results in the order of the items. Whatever goes wrong with an item, ``failed`` makes its result.

    ``jobs`` None: all cores, once the work has gone on for a while.
    """
    waiting = iter(items)
    cores = number_of_cores() if jobs is None else jobs
    attempt = partial(_attempt, function, failed)
    if jobs is None or cores == 1:
        start = monotonic()
        for item in waiting:
            yield attempt(item)
            if cores > 1 and monotonic() - start > PATIENCE:
                break
        else:
            return
    pool, quarantine = Pool(cores), Quarantine()

    def settle(group: list[Item], future: Future[list[Result]]) -> list[Result]:
        try:
            return future.result()
        except Exception:  # noqa: BLE001 - somebody's worker died: each is tried alone
            return [alone(item) for item in group]

    def alone(item: Item) -> Result:
        try:
            return quarantine.run(attempt, item)
        except WorkerDiedError:
            return failed(item, CAUSE)

    try:
        for results in in_order(
            _groups(waiting), lambda group: pool.submit(_attempt_all, attempt, group), settle, lambda: 4 * cores
        ):
            yield from results
    except BaseException:  # also when nobody wants the rest
        pool.kill()
        raise
    finally:
        quarantine.close()


def _attempt(function: Callable[[Item], Result], failed: Callable[[Item, str], Result], item: Item) -> Result:
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001 - one bad document never stops a run
        return failed(item, f"internal error: {type(error).__name__}: {error}")


def _attempt_all(attempt: Callable[[Item], Result], group: list[Item]) -> list[Result]:
    return [attempt(item) for item in group]


def _groups(items: Iterator[Item]) -> Iterator[list[Item]]:
    group: list[Item] = []
    for item in items:
        group.append(item)
        if len(group) == _GROUP:
            yield group
            group = []
    if group:
        yield group
