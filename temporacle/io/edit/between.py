"""The edits that lead from some links to others."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from temporacle.io.edit.edits import Edits, NewLink

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from temporacle.model import Link

_NO_COMMENTS: Mapping[str, str] = MappingProxyType({})


def edits_between(before: Iterable[Link], after: Iterable[Link], comments: Mapping[str, str] = _NO_COMMENTS) -> Edits:
    """Return the edits that make the links before state what the links after state, as few as possible.

    Links are compared by what they state. Their ids only decide between equal ones, because in some formats an id is
    a position. A pair of entities that gets another label is relabelled. ``comments``: notes by ids of links after.
    No two links of one version have the same id.

    >>> from temporacle.model import Document
    >>> one = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).links
    >>> other = Document("d", [("b", "BEFORE", "c"), ("a", "AFTER", "b"), ("a", "BEFORE", "c")]).links
    >>> edits = edits_between(one, other)
    >>> edits.drop, edits.relabel, edits.add[0].said
    (frozenset(), {'l1': 'AFTER'}, 'a BEFORE c')
    """
    old, new = list(before), list(after)
    stated = {link.id: link for link in new}
    partners: dict[str, Link] = {}
    for key in (_same, _statement, _identity, _ends):
        new = _matched(old, new, key, partners)
        taken = {link.id for link in partners.values()}
        old = [link for link in old if link.id not in taken]
    relabelled = {own.id: stated[name].label for name, own in partners.items() if own.label != stated[name].label}
    return Edits(
        drop=frozenset(link.id for link in old),
        relabel=relabelled,
        comment={partners[name].id: text for name, text in comments.items() if name in partners},
        add=tuple(NewLink(link.source, link.label, link.target, link.id, comments.get(link.id)) for link in new),
    )


def _matched(
    old: Iterable[Link], new: Iterable[Link], key: Callable[[Link], Hashable], partners: dict[str, Link]
) -> list[Link]:
    """Match links of equal keys, each at most once and in order. Return the new links that are left over."""
    free: dict[Hashable, list[Link]] = {}
    for link in old:
        free.setdefault(key(link), []).append(link)
    left = []
    for each in free.values():
        each.reverse()  # the first is taken first
    for link in new:
        found = free.get(key(link))
        if found:
            partners[link.id] = found.pop()
        else:
            left.append(link)
    return left


def _same(link: Link) -> Hashable:
    return link.id, link.source, link.label, link.target


def _statement(link: Link) -> Hashable:
    return link.source, link.label, link.target


def _identity(link: Link) -> Hashable:
    return link.id, link.source, link.target


def _ends(link: Link) -> Hashable:
    return link.source, link.target
