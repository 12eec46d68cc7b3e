"""Where entities stand on a timeline, as far as links decide it: nothing that is drawn is a mere possibility.

In a lane, the longest chain of starts and ends that are certainly one after the other gives the columns 0, 1, 2, ...;
every start and end lies between two columns, as near as the closure of the links says. If one of them is drawn left of
another, a column is between them, so that the order follows. Entities that are in no certain order with any column have
further lanes, in the same way.

Links with disjunctions count by their convex hull: what that says follows from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.reasoner.points.graph import PointGraph

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from temporacle.reasoner.network import Network

COLUMN = 4  # steps from a column to the next; one step beside a column means: certainly not on it


class DrawnPlace(NamedTuple):
    """The first and last possible place of a start and of an end, in steps; None without limit."""

    lane: int
    earliest: int | None  # start
    start: int | None  # latest start
    end: int | None  # earliest end
    latest: int | None  # end

    @property
    def core(self) -> tuple[int, int] | None:
        """Return the stretch in which the entity certainly lasts; None if it is not known."""
        if self.start is None or self.end is None or self.start >= self.end:
            return None
        return self.start, self.end

    @property
    def words(self) -> str:
        """Return the place by columns: "from 0 to 3", "starts after 2, ends before 5"."""
        first = _limit(self.earliest, self.start, ("from", "starts at or after", "starts after"))
        last = _limit(self.latest, self.end, ("to", "ends at or before", "ends before"))
        exact = first.startswith("from") and last.startswith("to")
        return (" " if exact else ", ").join(filter(None, (first, last))) or "anywhere"


def date_of(time: int, unit: int) -> str:
    """Return a time on the calendar, as short as it can be; ``unit``: its steps of a second."""
    from temporacle.calendar.civil import iso_time

    return iso_time(time // unit).removesuffix(":00").removesuffix("T00:00")


def dated_words(place: DrawnPlace, unit: int) -> str:
    """Return when an entity can have been: "from 1998-02-06 until 1998-02-07"."""
    since = "at any time" if place.earliest is None else f"from {date_of(place.earliest, unit)}"
    return since if place.latest is None else f"{since} until {date_of(place.latest, unit)}"


def _limit(outer: int | None, inner: int | None, words: tuple[str, str, str]) -> str:
    if outer is None:
        return ""
    on_column = outer % COLUMN == 0
    return f"{words[0 if outer == inner and on_column else 1 if on_column else 2]} {(outer + 1) // COLUMN}"


def places_of(network: Network) -> dict[str, DrawnPlace]:
    """Return the places of all entities; the hulls of the links must be consistent. Large lanes come first.

    Entities without any certain order have the last lane, without limits.

    >>> from temporacle.reasoner.network import Network
    >>> found = places_of(Network.of([("a", "BEFORE", "b"), ("c", "BEFORE", "b"), ("x", "INCLUDES", "y")]))
    >>> [f"{place.lane} {name} {place.words}" for name, place in found.items()]
    ['0 a ends before 2', '0 b from 2 to 3', '0 c from 0 to 1', '1 x from 0 to 3', '1 y from 1 to 2']
    """
    graph = PointGraph(len(network.entities))
    graph.add_all(network.constraints)
    order = _Order(graph)
    found: dict[int, DrawnPlace] = {}
    waiting = order.parts(range(len(order.points)))
    lane = 0
    while waiting:
        part = waiting.pop()
        entities = dict.fromkeys(point >> 1 for node in part for point in order.points[node] if point >> 1 not in found)
        if len(entities) < 2:
            continue
        lower, upper = order.limits(part, entities)
        for entity in entities:
            start, end = order.node[2 * entity], order.node[2 * entity + 1]
            place = DrawnPlace(lane, lower.get(start), upper.get(start), lower.get(end), upper.get(end))
            if any(limit is not None for limit in place[1:]):
                found[entity] = place
        lane += 1
        waiting += order.parts([node for node in part if lower[node] is None and upper[node] is None])
    alone = DrawnPlace(lane, None, None, None, None)
    return {name: found.get(entity, alone) for entity, name in enumerate(network.entities)}


class _Order:
    """Starts and ends that are equal as one node. A later node has a lower number."""

    def __init__(self, graph: PointGraph) -> None:
        self.node = graph.condense()
        count = max(self.node, default=-1) + 1
        self.points: list[list[int]] = [[] for _ in range(count)]
        self.after: list[list[tuple[int, bool]]] = [[] for _ in range(count)]  # node -> later nodes, strictly or not
        self.before: list[list[tuple[int, bool]]] = [[] for _ in range(count)]
        for point, targets in enumerate(graph.successors):
            one = self.node[point]
            self.points[one].append(point)
            for target in targets:
                other = self.node[target >> 1]
                if one != other:
                    self.after[one].append((other, bool(target & 1)))
                    self.before[other].append((one, bool(target & 1)))

    def parts(self, nodes: Iterable[int]) -> list[list[int]]:
        """Return the parts of some nodes that no order among them joins, small ones first."""
        left = set(nodes)
        found = []
        while left:
            part, new = [], [max(left)]
            left.discard(new[0])
            while new:
                part.append(new.pop())
                near = {node for node, _ in (*self.after[part[-1]], *self.before[part[-1]])} & left
                left -= near
                new += near
            found.append(sorted(part, reverse=True))
        return sorted(found, key=lambda part: (sum(len(self.points[node]) for node in part), part[0]))

    def limits(
        self, part: Sequence[int], entities: Container[int]
    ) -> tuple[dict[int, int | None], dict[int, int | None]]:
        """Return between which columns each node of a part lies; the columns are starts and ends of some entities.

        ``part`` has the earlier nodes first.
        """
        chain = self._longest(part, entities)
        column = {node: COLUMN * number for number, node in enumerate(chain)}
        lower: dict[int, int | None] = {}
        upper: dict[int, int | None] = {}
        for node in part:
            lower[node] = _nearest(column.get(node), self.before[node], lower, 1)
        for node in reversed(part):
            upper[node] = _nearest(column.get(node), self.after[node], upper, -1)
        return lower, upper

    def _longest(self, part: Sequence[int], entities: Container[int]) -> list[int]:
        """Return nodes that are strictly one after the other, with as many starts and ends of entities as possible."""
        strictly: dict[int, tuple[int, int]] = {}  # node -> size of the longest chain strictly before it, its last node
        weakly: dict[int, tuple[int, int]] = {}  # the same with the node itself, or one that may be equal to it
        previous: dict[int, int] = {}
        for node in part:
            known = [(other, strict) for other, strict in self.before[node] if other in weakly]
            strictly[node] = max([(weakly if strict else strictly)[other] for other, strict in known], default=(0, -1))
            length, previous[node] = strictly[node]
            size = sum(point >> 1 in entities for point in self.points[node])
            own = (length + size, node) if size else strictly[node]
            weakly[node] = max([own, *(weakly[other] for other, strict in known if not strict)])
        last = max(weakly.values())[1]
        chain = []
        while last != -1:
            chain.append(last)
            last = previous[last]
        return chain[::-1]


def _nearest(
    own: int | None, known: Sequence[tuple[int, bool]], limits: Mapping[int, int | None], sign: int
) -> int | None:
    """Return the own column, or the nearest limit among the neighbours on one side; if strict, beside the column."""
    if own is not None:
        return own
    found = [
        limit + sign if strict and limit % COLUMN == 0 else limit
        for other, strict in known
        if (limit := limits.get(other)) is not None
    ]
    return max(found, key=lambda limit: sign * limit, default=None)
