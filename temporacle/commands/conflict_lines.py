"""A document that is not consistent, as lines for people: its conflicts, and the links that a repair removes.

    These 2 links contradict each other. Removing any one of them resolves the contradiction.
      l1 (line 9): "left" BEFORE "docked"
      l2 (line 10): "left" AFTER "docked"
    Text:
      The ferry [left] and [docked].
    Why:
      ei1 "left" ends before ei2 "docked" starts (l1, line 9)
      ...
    Repair: remove 1 link.
      l1 (line 9): "left" BEFORE "docked"

Long lists are shortened; JSON has them whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.results import Unrepairable
from temporacle.wording import Names, counted, fact_line, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.checks import Check

_CONFLICTS = 10  # shown of one document
_ENTRIES = 20  # shown of one list


def lines_about(check: Check) -> Iterator[str]:
    """Yield the reason why the document is undecided or unreadable, its conflicts, and its repair."""
    if check.error is not None:
        yield check.error
    yield from _conflicts(check)
    yield from _repair(check)


def _conflicts(check: Check) -> Iterator[str]:
    count = len(check.conflicts)
    for number, words in zip(range(1, _CONFLICTS + 1), check.in_words(), strict=False):
        place = f"Conflict {number} of {count}: " if count > 1 else ""
        yield place + words.headline
        yield from listed(words.facts)
        if words.quotations:
            yield "Text:"
            yield from listed([each.marked for each in words.quotations])
        yield "Why:"
        yield from listed(words.derivation, last=_ENTRIES // 4)
    if count > _CONFLICTS:
        yield f"{count - _CONFLICTS} more conflicts; --output json lists them."


def _repair(check: Check) -> Iterator[str]:
    names = Names(check.excerpts)
    if isinstance(check.repair, Unrepairable):
        yield f"No repair: these protected {kind_of(check.repair.conflict)} contradict each other."
        yield from listed([fact_line(link, names) for link in check.repair.conflict])
    if not check.to_drop:
        return
    better_of = {id(each.link): each for each in check.relabellings or ()}
    yield f"Repair: remove {counted(check.to_drop)}."
    for fact in check.to_drop:
        yield f"  {fact_line(fact, names)}"
        if (better := better_of.get(id(fact))) is not None:
            yield f"    or relabel it as one of {', '.join(better.labels) or 'no label of this reading'}"


def listed(lines: Sequence[str], last: int = 0) -> Iterator[str]:
    """Yield indented lines. A long list is shortened to its first lines, and its ``last`` ones if the end matters."""
    hidden = len(lines) - _ENTRIES
    if hidden <= 1:
        yield from (f"  {line}" for line in lines)
        return
    yield from (f"  {line}" for line in lines[: _ENTRIES - last])
    yield f"  ... and {hidden} more; --output json has all of them"
    yield from (f"  {line}" for line in lines[len(lines) - last :])
