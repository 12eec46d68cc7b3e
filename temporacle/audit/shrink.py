"""The smallest graph that still shows a fault: fewest entities, then fewest links, then the plainest relations.

    of a large graph, leave out each entity and each link once, if that can be done
    repeat until nothing changes:
        drop an entity with all its links; merge two entities into one; drop a link; as often as that helps
        look at all subsets of the links that are left, fewest entities first
        write each relation with fewer atoms, or as an earlier one of b, =, m, d, o, s, f and their converses

The question "does it still show the fault?" is asked of the implementation itself, so it is asked as seldom as can be:
no graph twice, and no more than ``most`` times in all. The first step leaves graphs of a handful of links; the second
makes sure that no subset of them, however chosen, would do.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from temporacle.audit.graphs import Graph, entities_of
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PLAIN_FIRST = tuple(
    Relation.of(atom) for atom in ("b", "=", "m", "d", "o", "s", "f", "bi", "mi", "di", "oi", "si", "fi")
)
_NAMES = "xyzuvw"
_SUBSETS_UP_TO = 8  # links: 255 subsets


def shrink(graph: Graph, shows_fault: Callable[[Graph], bool], most: int = 600) -> Graph:
    """Return a small graph that shows the fault. ``graph`` itself is known to show it.

    >>> links = tuple((x, Relation.of("m"), y) for x, y in ("ab", "bc", "cd", "xy"))
    >>> shrink(links, lambda graph: "c" in entities_of(graph) and len(graph) > 1)
    (('c', Relation('b'), 'd'), ('c', Relation('b'), 'd'))
    """
    ask = _Limited(shows_fault, most)
    if len(graph) > _SUBSETS_UP_TO:
        graph = _thinned(graph, ask)
    while True:
        smaller = _descend(graph, ask, _smaller)
        if len(smaller) <= _SUBSETS_UP_TO:
            smaller = next((subset for subset in _subsets(smaller) if ask(subset)), smaller)
        smaller = _descend(smaller, ask, _plainer)
        if smaller == graph:
            return graph
        graph = smaller


class _Limited:
    """Remembers answers, and says no once the limit is reached."""

    def __init__(self, question: Callable[[Graph], bool], most: int) -> None:
        self._question = question
        self._left = most
        self._known: dict[Graph, bool] = {}

    def __call__(self, graph: Graph) -> bool:
        if graph not in self._known:
            if self._left <= 0:
                return False
            self._left -= 1
            self._known[graph] = self._question(graph)
        return self._known[graph]


def _thinned(graph: Graph, ask: _Limited) -> Graph:
    """Return the graph without the entities and links that can be left out, with one question for each.

    The later search asks far more questions.
    """
    graph = _descend(graph, ask, _halves)
    for name in entities_of(graph):
        without = tuple(link for link in graph if name not in (link[0], link[2]))
        graph = without if ask(without) else graph
    for position in reversed(range(len(graph))):
        without = graph[:position] + graph[position + 1 :]
        graph = without if ask(without) else graph
    return graph


def _descend(graph: Graph, ask: _Limited, candidates: Callable[[Graph], Iterator[Graph]]) -> Graph:
    """Take the first candidate that shows the fault, and go on from there."""
    while True:
        better = next((candidate for candidate in candidates(graph) if ask(candidate)), None)
        if better is None:
            return graph
        graph = better


def _halves(graph: Graph) -> Iterator[Graph]:
    """Yield small parts of a large graph. Usually only a small part matters."""
    names = entities_of(graph)
    if len(names) > 8:
        for part in (set(names[: len(names) // 2]), set(names[len(names) // 2 :])):
            yield tuple(link for link in graph if link[0] not in part and link[2] not in part)


def _smaller(graph: Graph) -> Iterator[Graph]:
    names = entities_of(graph)
    for name in names:
        yield tuple(link for link in graph if name not in (link[0], link[2]))
    for kept, gone in combinations(names, 2):
        yield _merged(graph, kept, gone)
    for position in range(len(graph)):
        yield graph[:position] + graph[position + 1 :]


def _merged(graph: Graph, kept: str, gone: str) -> Graph:
    """Return the graph with two entities merged into one; links between them are left out."""
    between = {(kept, gone), (gone, kept)}
    return tuple(
        (kept if source == gone else source, relation, kept if target == gone else target)
        for source, relation, target in graph
        if (source, target) not in between
    )


def _subsets(graph: Graph) -> Iterator[Graph]:
    """Yield proper subsets of the links, fewest entities first, then fewest links."""
    subsets = (subset for size in range(len(graph)) for subset in combinations(graph, size))
    yield from sorted(subsets, key=lambda subset: (len(entities_of(subset)), len(subset)))


def _plainer(graph: Graph) -> Iterator[Graph]:
    for relation in dict.fromkeys(relation for _, relation, _ in graph):
        for plain in _plainer_relations(relation):
            candidate = _replaced(graph, relation, plain)
            if _plainness(candidate) < _plainness(graph):  # a converse may have become less plain
                yield candidate
    for position, (source, relation, target) in enumerate(graph):
        for plain in _plainer_relations(relation):
            yield (*graph[:position], (source, plain, target), *graph[position + 1 :])


def _replaced(graph: Graph, relation: Relation, plain: Relation) -> Graph:
    """Return the graph with a relation replaced everywhere, in either direction."""
    new = {relation.converse(): plain.converse(), relation: plain}
    return tuple((source, new.get(old, old), target) for source, old, target in graph)


def _plainness(graph: Graph) -> int:
    return sum(
        _PLAIN_FIRST.index(relation) if relation in _PLAIN_FIRST else len(_PLAIN_FIRST) + relation.bit_count()
        for _, relation, _ in graph
    )


def _plainer_relations(relation: Relation) -> Iterator[Relation]:
    for plain in _PLAIN_FIRST:
        if plain == relation:
            return
        yield plain
    for atom in relation.atoms:
        yield Relation(relation & ~Relation.of(atom))


# --- when are two minimal graphs the same? ---------------------------------------------------------------------------


def renamed(graph: Graph) -> Graph:
    """Return the graph with entities named x, y, z, ... in order of mention. These names are not atoms.

    >>> renamed((("e7", Relation.of("b"), "e2"),))
    (('x', Relation('b'), 'y'),)
    """
    name = {entity: _name(number) for number, entity in enumerate(entities_of(graph))}
    return tuple((name[source], relation, name[target]) for source, relation, target in graph)


def _name(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else f"x{number}"


def occurs_in(small: Graph, large: Graph) -> bool:
    """Return whether the links of ``small`` are among those of ``large`` under other names, in either direction.

    A search over the ways to place the small graph's links one after the other; small graphs have a few links.
    """
    places: dict[Relation, list[tuple[int, str, str]]] = {}
    for number, (source, relation, target) in enumerate(large):
        places.setdefault(relation, []).append((number, source, target))
        places.setdefault(relation.converse(), []).append((number, target, source))

    def place(position: int, name: dict[str, str], taken: frozenset[int]) -> bool:
        if position == len(small):
            return True
        source, relation, target = small[position]
        for number, first, second in places.get(relation, ()):
            if number in taken or (source == target) != (first == second):
                continue
            if name.get(source, first) != first or name.get(target, second) != second:
                continue
            wider = {**name, source: first, target: second}
            if len(set(wider.values())) == len(wider) and place(position + 1, wider, taken | {number}):
                return True
        return False

    return place(0, {}, frozenset())
