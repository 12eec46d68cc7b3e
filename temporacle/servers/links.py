"""What the servers say about a document: its conflicts in words, and links that follow and are not stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.results import DocumentVerdict
from temporacle.tasks.check import check
from temporacle.tasks.oracle import DocumentOracle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from temporacle.checks import Check
    from temporacle.model import Document, Entity
    from temporacle.relation import Relation
    from temporacle.results import Fact

MOST_SUGGESTED = 50


class Suggested(NamedTuple):
    """A link that follows from the others."""

    source: str
    label: str
    target: str
    because: str  # the links that it follows from, in words


def judged(document: Document, seconds: float) -> Check:
    """Return the verdict on a document, with its conflicts."""
    (found,) = check([document], time_limit=seconds, jobs=1)
    return found


def said(document: Document, fact: Fact) -> str:
    """Return a link with the words of its entities, such as ``left BEFORE docked``; a value as it is."""
    if not isinstance(fact, Link):
        return str(fact.label)
    names = {entity.id: entity.text or entity.id for entity in document.entities}
    return f"{names[fact.source]} {fact.label or fact.relation} {names[fact.target]}"


def suggested(document: Document, labels: Mapping[str, Relation], seconds: float) -> list[Suggested]:
    """Return links that follow and are not stated, the nearest in the text first; none if the links contradict.

    A pair of entities is suggested if exactly one of ``labels`` follows, from the earlier to the later one, or else
    from the later to the earlier one. Labels that say nothing are left out. What cannot be decided within the time is
    not suggested.
    """
    if judged(document, seconds).verdict is not DocumentVerdict.CONSISTENT:
        return []
    meanings = {label: relation for label, relation in labels.items() if not relation.is_universal}
    oracle = DocumentOracle(document, budget=seconds)
    found: list[Suggested] = []
    try:
        for first, second in _nearest_first(document):
            for source, target in ((first, second), (second, first)):
                strongest = oracle.strongest(source.id, target.id)
                following = [label for label, meaning in meanings.items() if strongest <= meaning]
                if len(following) == 1:
                    reasons = oracle.why(source.id, following[0], target.id) or ()
                    words = "; ".join(said(document, each) for each in reasons)
                    found.append(Suggested(source.id, following[0], target.id, words))
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
