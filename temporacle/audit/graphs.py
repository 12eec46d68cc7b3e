"""Graphs as an implementation under audit gets them: links of source, relation and target."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Mapping

Triple: TypeAlias = tuple[str, Relation, str]
Graph: TypeAlias = tuple[Triple, ...]


class Vocabulary(StrEnum):
    """The relations that links of generated graphs may have."""

    ATOMIC = "atomic"
    CONVEX = "convex"
    ANY = "any"


def entities_of(graph: Graph) -> tuple[str, ...]:
    """Return every entity in order of first mention."""
    return tuple(dict.fromkeys(end for source, _, target in graph for end in (source, target)))


def with_names(graph: Graph, names: Mapping[str, str]) -> Graph:
    """Return the graph with other names for those entities that are given one."""
    return tuple((names.get(source, source), relation, names.get(target, target)) for source, relation, target in graph)


def plain(graph: Graph) -> list[list[str]]:
    """Return links as lists of strings, for JSON.

    >>> plain((("a", Relation("b|m"), "c"),))
    [['a', 'b|m', 'c']]
    """
    return [[source, str(relation), target] for source, relation, target in graph]
