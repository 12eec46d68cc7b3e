"""Remarks on links of a document that can be read but are odd.

Nothing is changed here but names: a contradiction is a result for the checker, never repaired by a reader.

    duplicate-link       the same source, label and target again
    self-link            an entity linked to itself by a relation that contains '=': no effect
    self-contradiction   the same by any other relation: no interval can do that
    contradictory-pair   links about one pair that share no atom; the remark names the earlier ones

One pass over the links finds out whether there is anything to say; only then does a second one look for places.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from temporacle.model import Remark
from temporacle.printing import LONGEST_NAME, shortened
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.model import Link

Name = TypeVar("Name", str, bytes)  # of an entity

_id = itemgetter(0)
_relation = itemgetter(2)
_ends = itemgetter(1, 3)
_source, _target = itemgetter(1), itemgetter(3)
_short = partial(shortened, longest=LONGEST_NAME)


def with_unique_ids(links: Sequence[Link]) -> Sequence[Link]:
    """Return the links with unique ids. A repeated id gets its line, and a number if that is not enough."""
    if len(set(map(_id, links))) == len(links):
        return links
    taken = {link.id for link in links}
    met: set[str] = set()
    result = []
    for link in links:
        name = link.id
        if name in met:
            has_line = link.line is None or link.id == f"line{link.line}"
            name = stem = link.id if has_line else f"{link.id}@{link.line}"
            count = 1
            while name in taken:
                count += 1
                name = f"{stem}#{count}"
            taken.add(name)
        met.add(name)
        result.append(link if name == link.id else link._replace(id=name))
    return result


def remarks_about(links: Sequence[Link]) -> tuple[Remark, ...]:
    """Return all remarks, in the order of the links. The time is linear in their number.

    >>> from temporacle.model import Link
    >>> [remark.code for remark in remarks_about([Link("l1", "a", EQUAL, "a"), Link("l2", "a", EQUAL, "a")])]
    ['self-link', 'self-link', 'duplicate-link']
    """
    repeated = repeated_pairs(list(map(_source, links)), list(map(_target, links)))
    return remarks_about_repeated([links[position] for position in repeated]) if repeated else ()


def remarks_about_repeated(links: Sequence[Link]) -> tuple[Remark, ...]:
    """Return the same for those links of a document that ``repeated_pairs`` finds."""
    return () if _is_only_stated_both_ways(links) else tuple(_remarks(links))


def repeated_pairs(sources: Sequence[Name], targets: Sequence[Name]) -> list[int]:
    """Return the positions of links about a pair of entities that occurs more than once, and of self-links.

    Remarks are about these only.

    >>> repeated_pairs(["a", "b", "c", "d"], ["b", "c", "b", "d"])
    [1, 2, 3]
    """
    pairs = list(zip(sources, targets, strict=True))
    distinct = set(pairs)
    if len(distinct) == len(pairs) and distinct.isdisjoint(zip(targets, sources, strict=True)):
        return []  # a self-link is its own reversal
    both_ways = [pair if pair[0] < pair[1] else pair[::-1] for pair in pairs]
    uses = Counter(both_ways)
    return [position for position, pair in enumerate(both_ways) if uses[pair] > 1 or pair[0] == pair[1]]


def _is_only_stated_both_ways(links: Sequence[Link]) -> bool:
    """Return whether the only repeated pairs are stated once in each direction, by relations that fit."""
    stated: dict[tuple[str, str], Relation] = dict(zip(map(_ends, links), map(_relation, links), strict=True))
    if len(stated) < len(links):
        return False
    for (source, target), relation in stated.items():
        other = stated.get((target, source))
        if other is not None and (source == target or not _fit(relation, other)):
            return False
    return True


def _remarks(links: Iterable[Link]) -> Iterator[Remark]:
    stated: dict[tuple[str, str, str], Link] = {}
    pairs: dict[tuple[str, str], _Pair] = {}
    for link in links:
        if link.source == link.target:
            yield _about_self_link(link)
        first = stated.setdefault((link.source, link.label, link.target), link)
        if first is not link:
            message = f"{_name(link)} repeats {_placed(first)} and is counted once"
            yield Remark("duplicate-link", message, link.line, link.id)
        elif link.source != link.target:
            reversed_pair = pairs.get((link.target, link.source))
            pair = reversed_pair or pairs.setdefault((link.source, link.target), _Pair())
            if against := pair.narrow(link, is_reversed=reversed_pair is not None):
                others = " and ".join(map(_placed, against))
                said = f"{_said(link)}, but {' and '.join(map(_said, against))}"
                message = f"{_name(link)} contradicts {others}: {said}"
                yield Remark("contradictory-pair", message, link.line, link.id)


class _Pair:
    """The links between two entities, in one direction."""

    __slots__ = ("links", "possible")

    def __init__(self) -> None:
        self.possible: Relation | None = None
        self.links: list[tuple[Relation, Link]] = []

    def narrow(self, link: Link, *, is_reversed: bool) -> list[Link]:
        """Take another link into account. The earlier links that it contradicts, when nothing is left at first."""
        relation = _converse(link.relation) if is_reversed else link.relation
        before = self.possible
        self.possible = relation if before is None else relation & before
        against = self._against(relation) if before and not self.possible else []
        self.links.append((relation, link))
        return against

    def _against(self, left: Relation) -> list[Link]:
        """Return earlier links that leave no atom: one if one alone does, otherwise at most one for each atom, since
        each removes one.
        """
        found = []
        while left:
            relation, link = min(self.links, key=lambda each: len((each[0] & left).atoms))  # the first of the best
            left &= relation
            found.append(link)
        return found


def _name(link: Link) -> str:
    """Return a link as the subject of a sentence. One without an id is named by its number."""
    return f"link {link.id}" if link.id.isdigit() else _short(link.id)


def _placed(link: Link) -> str:
    return _name(link) if link.line is None or link.id == str(link.line) else f"{_name(link)} (line {link.line})"


def _said(link: Link) -> str:
    return " ".join(map(_short, (link.source, link.label or str(link.relation), link.target)))


@cache
def _fit(relation: Relation, of_reversed_pair: Relation) -> bool:
    return bool(relation & of_reversed_pair.converse())


@cache
def _converse(relation: Relation) -> Relation:
    return relation.converse()


def _about_self_link(link: Link) -> Remark:
    if link.relation & EQUAL:
        message = f"{_name(link)} links {_short(link.source)} to itself and has no effect"
        return Remark("self-link", message, link.line, link.id)
    message = f"{_name(link)} says {_said(link)}, which cannot be true"
    return Remark("self-contradiction", message, link.line, link.id)
