"""Until the score and the audit call ``work`` themselves: a function applied to values that are at hand already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from temporacle.runner.job import Item, Result
from temporacle.runner.run import work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.runner.place import Place


@dataclass(frozen=True)
class _Applying(Generic[Item, Result]):
    function: Callable[[Item], Result]
    failure: Callable[[Item, str], Result]

    def results(self, item: Item, skip: int, tell: Callable[[str], None]) -> Iterator[Result]:
        if not skip:
            tell("")
            yield self.function(item)

    def failed(self, item: Item, name: str | None, reason: str) -> Result:  # noqa: ARG002 - as jobs are called
        return self.failure(item, reason)


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
    """The items with their results, in order. Whatever goes wrong with an item, ``failed`` makes its result."""

    def loaded() -> Iterator[Item]:
        for item in items:
            if place.plan.works_elsewhere:
                load(item)
            yield item

    for item, (result,) in work(loaded(), _Applying(function, failed), place.plan, size=size):
        keep([(item, result)])
        yield item, result
