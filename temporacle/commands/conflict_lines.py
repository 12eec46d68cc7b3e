"""A document that is not consistent, as lines for people: its conflicts, and the links that a repair removes.

    These 2 links contradict each other. Removing any one of them resolves this conflict.
      l1 (line 9): "left" BEFORE "docked"
      l2 (line 10): "left" AFTER "docked"
    Text:
      The ferry [left] and [docked].
    Why:
      ei1 "left" ends before ei2 "docked" starts (l1, line 9)
      ...
    The document needs 1 link removed; for example l1.
      Remove l1 (l2 would also do)

Long lists are shortened; JSON has them whole.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from temporacle.results import DocumentVerdict, Repair, RepairStatus, Unrepairable
from temporacle.wording import Names, fact_line, kind_of, needs_removed, to_remove

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
    for words in islice(check.in_words(), _CONFLICTS):
        yield words.headline
        yield from listed(words.facts)
        if words.quotations:
            yield "Text:"
            yield from listed([each.marked for each in words.quotations])
        yield "Why:"
        yield from listed(words.derivation, last=_ENTRIES // 4)
    count = len(check.conflicts)
    if count > _CONFLICTS:
        yield f"{count - _CONFLICTS} more conflicts; --output json lists them."
    if check.all_conflicts is not None and check.verdict is DocumentVerdict.INCONSISTENT:
        yield f"Minimal conflicts found, which may share links: {len(check.all_conflicts)}."
        yield from listed([" ".join(fact.id for fact in conflict) for conflict in check.all_conflicts])


def _repair(check: Check) -> Iterator[str]:
    names = Names(check.excerpts)
    if isinstance(check.repair, Unrepairable):
        yield f"No repair: these protected {kind_of(check.repair.conflict)} contradict each other."
        yield from listed([fact_line(link, names) for link in check.repair.conflict])
    if check.repair_status is RepairStatus.UNDECIDED and check.verdict is DocumentVerdict.INCONSISTENT:
        yield "No smallest repair was found in time; there may be more conflicts. --repair searches longer."
    if not isinstance(check.repair, Repair):
        return
    better_of = {id(each.link): each for each in check.relabellings or ()}
    yield needs_removed(check.to_drop)
    instead = check.repair.alternatives or ((),) * len(check.to_drop)
    for fact, others in zip(check.to_drop, instead, strict=True):
        yield f"  {to_remove(fact, others)}"
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
