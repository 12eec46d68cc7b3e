"""Links by the pair of entities that they join, whatever their direction, and what they mean together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from temporacle.relation import EVERYTHING, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Link

Pair: TypeAlias = tuple[str, str]
"""Two entities in the order of their names: one name for both directions."""


def pair_of(source: str, target: str) -> Pair:
    """Return the pair of two entities."""
    return (source, target) if source <= target else (target, source)


def by_pair(links: Iterable[Link]) -> dict[Pair, list[Link]]:
    """Return links by pair, in the order in which pairs are first mentioned."""
    found: dict[Pair, list[Link]] = {}
    for link in links:
        found.setdefault(pair_of(*link.entities), []).append(link)
    return found


def statements(links: Iterable[Link]) -> tuple[tuple[str, str, str], ...]:
    """Return what links state, word for word, without regard to order and ids."""
    return tuple(sorted((link.source, link.label, link.target) for link in links))


def meaning(links: Sequence[Link]) -> Relation | None:
    """Return the relation that links of one pair state together, in the direction of the pair; None without links.

    >>> from temporacle.model import Document
    >>> str(meaning(Document("d", [("b", "AFTER", "a")]).links))
    'b'
    """
    if not links:
        return None
    together = EVERYTHING
    for link in links:
        together &= link.relation if pair_of(*link.entities)[0] == link.source else link.relation.converse()
    return together


def mean_the_same(one: Sequence[Link], other: Sequence[Link]) -> bool:
    """Return whether links of one pair mean the same in two versions. Links that contradict each other mean nothing.

    >>> from temporacle.model import Document
    >>> mean_the_same(*(Document("d", [link]).links for link in [("a", "BEFORE", "b"), ("b", "AFTER", "a")]))
    True
    """
    return statements(one) == statements(other) or (meaning(one) == meaning(other) and bool(meaning(one)))
