"""What the servers say about a document: its conflicts in words, and links that follow and are not stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.results import DocumentVerdict
from temporacle.tasks.check import check
from temporacle.tasks.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.io.source import Options
    from temporacle.model import Document, Entity
    from temporacle.relation import Relation
    from temporacle.results import Fact

MOST_SUGGESTED = 50
_MOST_SAID = 20  # links of one conflict or reason


class Suggested(NamedTuple):
    """A link that follows from the others."""

    source: str
    label: str
    target: str
    because: str  # the links that it follows from, in words


@dataclass(frozen=True, slots=True)
class Asked:
    """How each document is read and judged."""

    options: Options
    seconds: float  # for each question
    calendar: Calendar | None = None

    def judged(self, document: Document) -> Check:
        """Return the verdict on a document, with its conflicts."""
        (found,) = check([document], time_limit=self.seconds, jobs=1, calendar=self.calendar_of(document))
        return found

    def calendar_of(self, document: Document) -> Calendar | None:
        """Return the calendar of a document with values."""
        return self.calendar if document.times else None


def said(document: Document, facts: Sequence[Fact], separator: str = ", ") -> str:
    """Return links with the words of their entities, such as ``left BEFORE docked``; values as they are.

    Of many links the first ones are said, and how many there are: a note has to stay readable.
    """
    names = {entity.id: entity.text or entity.id for entity in document.entities}
    shown = [
        f"{names[fact.source]} {fact.label or fact.relation} {names[fact.target]}"
        if isinstance(fact, Link)
        else str(fact.label)
        for fact in facts[:_MOST_SAID]
    ]
    if len(facts) > _MOST_SAID:
        shown.append(f"and {len(facts) - _MOST_SAID:,} more links")
    return separator.join(shown)


def suggested(document: Document, labels: Mapping[str, Relation], asked: Asked) -> list[Suggested]:
    """Return links that follow and are not stated, the nearest in the text first; none if the links contradict.

    A pair of entities is suggested if exactly one of ``labels`` follows, from the earlier to the later one, or else
    from the later to the earlier one. Labels that say nothing are left out. What cannot be decided within the time is
    not suggested.
    """
    if asked.judged(document).verdict is not DocumentVerdict.CONSISTENT:
        return []
    meanings = {label: relation for label, relation in labels.items() if not relation.is_universal}
    oracle = Oracle(document, time_limit=asked.seconds, calendar=asked.calendar_of(document))
    found: list[Suggested] = []
    try:
        for first, second in _nearest_first(document):
            for source, target in ((first, second), (second, first)):
                strongest = oracle.strongest(source.id, target.id)
                following = [label for label, meaning in meanings.items() if strongest <= meaning]
                if len(following) == 1:
                    reasons = oracle.why(source.id, following[0], target.id) or ()
                    found.append(Suggested(source.id, following[0], target.id, said(document, tuple(reasons), "; ")))
                if following:
                    break
            if len(found) == MOST_SUGGESTED:
                break
    except BudgetExceeded:
        pass  # what was found is right
    return found


def _nearest_first(document: Document) -> Iterator[tuple[Entity, Entity]]:
    """Yield the pairs of linked entities without a link of their own, by their distance in the text."""
    stated = {frozenset((link.source, link.target)) for link in document.links}
    linked = set().union(*stated)
    entities = sorted((each for each in document.entities if each.id in linked), key=lambda each: each.spans)
    for distance in range(1, len(entities)):
        for first, second in zip(entities, entities[distance:], strict=False):
            if frozenset((first.id, second.id)) not in stated:
                yield first, second


def known(labels: Iterable[str], document: Document) -> dict[str, Relation]:
    """Return what those of some labels mean that the label set of a document knows."""
    reading = document.reading
    return {label: reading.relation(label) for label in labels if reading is not None and reading.knows(label)}
