"""Why something follows: few links of a consistent document from which a relation of two entities already follows.

Convex links. What they entail for a pair is convex again, so they entail a relation iff they entail one of the largest
convex relations inside it. Such a relation is a conjunction of at most four ``x <= y`` and ``x < y`` between endpoints
(*orders*), and an order follows iff a path of edges leads from x to y. The answer is a set of links of the least
possible size:

    one order       a path with the fewest links. In a consistent document a shortest path passes each entity once, so
                    it uses as many links as edges
    several orders  implicit hitting sets. Links with an edge out of a closed set of points that holds x and not y are a
                    *cut*: every answer has a link of every cut.
                    cuts = the layers of distance around each x
                    repeat  chosen = minimum hitting set of cuts
                            cuts += for each order that does not follow from chosen, the cut around what x reaches
                    until   every order follows from chosen

Other links: a minimal conflict of the links and the negated relation, without the latter (``conflicts``).

Every answer is put to the oracle again before it is handed out.

Reference: Ignatiev, Previti, Liffiton and Marques-Silva (2015), "Smallest MUS extraction with minimal hitting set
dualization".
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, atoms_in, convex_pieces, subrelations_of_class
from temporacle.reasoner.conflicts.conflicts import conflict_numbers, shrink
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Network, TooLarge
from temporacle.reasoner.optimise.choices import minimum_hitting_set
from temporacle.reasoner.points.graph import edges_between
from temporacle.reasoner.points.hulls import is_convex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from temporacle.reasoner.disjunctions.cores import SelectedLinks
    from temporacle.reasoner.network import Budget
    from temporacle.relation import Relation


class PointOrder(NamedTuple):
    """``from_point <= to_point`` or ``<`` between endpoints, by number."""

    from_point: int
    to_point: int
    strict: bool


class PathEdge(NamedTuple):
    """A step that a link allows."""

    to_point: int
    strict: bool
    link: int


def links_behind(network: Network, source: str, relation: Relation, target: str, budget: Budget) -> tuple[Link, ...]:
    """Return links from which ``source relation target`` follows; it must follow from all links, which must be
    consistent.

    The smallest such set where all links are convex; otherwise a set of which every link is needed. In the order of
    the document.

    >>> from temporacle.reasoner.network import Budget
    >>> from temporacle.relation import Relation
    >>> network = Network.of([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d"), ("a", "b", "c")])
    >>> [link.id for link in links_behind(network, "a", Relation("b"), "d", Budget())]
    ['l3', 'l4']
    """
    return PairReasons(network, source, target, budget).behind(relation)


class PairReasons:
    """The links behind any relation that follows for one pair of entities of a consistent network.

    Several questions about a pair share the paths between its endpoints, and the solver.
    """

    def __init__(self, network: Network, source: str, target: str, budget: Budget) -> None:
        self._network = network
        self._source, self._target = source, target
        self._ends = network.number(source), network.number(target)
        self._budget = budget
        self._searches: dict[PointOrder, tuple[PathSearch, list[int] | None]] = {}

    def behind(self, relation: Relation) -> tuple[Link, ...]:
        """Return few links from which a relation of the pair follows, in the order of the document."""
        numbers: Sequence[int] = ()
        if self._ends[0] != self._ends[1] and not relation.is_universal:
            numbers = sorted(self._smallest(relation) if self._is_convex else self._minimal(relation))
        found = tuple(self._network.links[number] for number in numbers)
        if not follows_from(found, self._source, relation, self._target, self._budget):
            raise InternalError("a relation does not follow from the links that were found for it")
        return found

    @cached_property
    def _is_convex(self) -> bool:
        return is_convex(self._network.constraints)

    @cached_property
    def _edges(self) -> list[list[PathEdge]]:
        return link_edges(len(self._network.entities), enumerate(self._network.constraints))

    def _orders(self, convex: int) -> list[PointOrder]:
        """Return the orders of endpoints that a convex relation of the pair stands for."""
        source, target = self._ends
        return [PointOrder(*edge) for edge in edges_between(source, convex, target)]

    def _searched(self, order: PointOrder) -> tuple[PathSearch, list[int] | None]:
        """Return the search for one order among the hulls of the links, and its shortest path."""
        if order not in self._searches:
            search = PathSearch(order, self._edges)
            self._searches[order] = search, search.run(self._budget)
        return self._searches[order]

    # --- convex links -----------------------------------------------------------------------------------------------

    def _smallest(self, relation: Relation) -> list[int]:
        best: list[int] | None = None
        for convex in _largest_convex(int(relation)):
            found = self._fewest_links(self._orders(convex))
            if found is not None and (best is None or (len(found), found) < (len(best), best)):
                best = found
        if best is None:
            raise InternalError("a relation was said to follow, and does not")
        return best

    def _fewest_links(self, orders: Sequence[PointOrder]) -> list[int] | None:
        """Return the fewest links from which all orders follow; None if they do not follow from all links."""
        found = [self._searched(order) for order in orders]
        together: set[int] = set()
        longest = 0
        for _, path in found:
            if path is None:
                return None
            together.update(path)
            longest = max(longest, len(path))
        if len(together) == longest:
            return sorted(together)  # one order alone needs as many
        edges, budget = self._edges, self._budget
        cuts = [cut for search, _ in found for cut in search.layers()]
        weights = {number: 1 for outgoing in edges for number in {edge.link for edge in outgoing}}
        while True:
            budget.check()
            chosen = minimum_hitting_set(cuts, weights, budget, any_will_do=True)
            if len(chosen) == len(together):  # no answer is smaller than this, and one of this size is known
                return sorted(together)
            allowed = set(chosen)
            again = [PathSearch(order, edges, allowed) for order in orders]
            new = [search.cut_around() for search in again if search.run(budget) is None]
            if not new:
                return chosen
            cuts += new

    # --- other links ------------------------------------------------------------------------------------------------

    def _minimal(self, relation: Relation) -> list[int]:
        """Return a minimal conflict of the links and the negated relation, without the latter."""
        network = self._network
        whole = Network((*network.links, _negated(self._source, relation, self._target)), network.entities)
        last = len(network.links)
        by_hulls = self._behind_hulls(relation)
        if by_hulls is not None:
            numbers = shrink(whole, [*by_hulls, last], self._budget)
        elif self._selected is None:
            numbers = conflict_numbers(whole, self._budget)
        else:
            numbers = _by_search(self._selected, whole)
        return [number for number in numbers if number != last]

    def _behind_hulls(self, relation: Relation) -> list[int] | None:
        """Return links whose hulls contradict every convex part of the negated relation; None if there are none.

        A part contradicts them if a path leads back from the end of one of its edges to its beginning.
        """
        together: set[int] = set()
        for piece in convex_pieces(ALL & ~relation):
            back = [PointOrder(y, x, not strict) for x, y, strict in self._orders(piece)]
            paths = [path for order in back if (path := self._searched(order)[1]) is not None]
            if not paths:
                return None
            together.update(min((len(path), path) for path in paths)[1])
        return sorted(together)

    @cached_property
    def _selected(self) -> SelectedLinks | None:
        """Return one solver for all questions; None if it is not installed or would be too large."""
        if not is_available():
            return None
        from temporacle.reasoner.disjunctions.cores import SelectedLinks

        with suppress(TooLarge):
            network = self._network
            nothing = (self._ends[0], ALL, self._ends[1])  # brings the two entities together
            return SelectedLinks(len(network.entities), [*network.constraints, nothing], self._budget)
        return None


def _by_search(links: SelectedLinks, whole: Network) -> list[int]:
    """Return a minimal conflict of a network whose last link is not among the solver's links yet."""
    from temporacle.reasoner.disjunctions.cores import shrink_core

    last = len(whole.links) - 1
    own = links.add(whole.constraints[last])
    core = links.core([*range(last), own])
    if core is None:
        raise InternalError("a relation was said to follow, and does not")
    return [last if number == own else number for number in shrink_core(links, whole, core)]


def follows_from(links: Collection[Link], source: str, relation: Relation, target: str, budget: Budget) -> bool:
    """Return whether some links alone imply a relation: the oracle decides whether they are consistent with its
    opposite.
    """
    return not is_consistent(Network((*links, _negated(source, relation, target))), budget)


def _negated(source: str, relation: Relation, target: str) -> Link:
    return Link("negated", source, ~relation, target)


@cache
def _largest_convex(relation: int) -> list[int]:
    """Return the largest convex relations inside the given one."""
    inside = {
        convex for atom in atoms_in(relation) for convex in subrelations_of_class(relation, atom, pointisable=False)
    }
    return sorted(one for one in inside if not any(one != other and one & ~other == 0 for other in inside))


def link_edges(entities: int, constraints: Iterable[tuple[int, tuple[int, int, int]]]) -> list[list[PathEdge]]:
    """Return the steps from each point, by numbered links.

    Links of an entity to itself give none, because they mean "equal".
    """
    edges: list[list[PathEdge]] = [[] for _ in range(2 * entities)]
    for number, (source, mask, target) in constraints:
        if source != target:
            for x, y, strict in edges_between(source, mask, target):
                edges[x].append(PathEdge(y, strict, number))
    return edges


class PathSearch:
    """Breadth first from one point, by number of links, over states 2 * point + (was there a strict edge).

    A state with a strict edge does all that the state without one does.
    """

    def __init__(self, order: PointOrder, edges: Sequence[Sequence[PathEdge]], allowed: set[int] | None = None) -> None:
        self.order = order
        self.edges = edges
        self.allowed = allowed  # None: all links
        self.reached: dict[int, tuple[int, int | None] | None] = {}  # state -> where it was reached from, by which link
        self.distance: dict[int, int] = {}

    def run(self, budget: Budget, *, shorter_than: int | None = None) -> list[int] | None:
        """Return the links of a path with the fewest links; None if there is no path, or none with fewer links than
        given.

        Goes through all states if there is no path.
        """
        start = 2 * self.order.from_point
        goal = 2 * self.order.to_point + self.order.strict
        frontier: list[int] = []
        self._reach(start, None, 0, frontier)
        steps = 0
        while frontier and goal not in self.reached:
            budget.check()
            steps += 1
            if shorter_than is not None and steps >= shorter_than:
                return None
            following: list[int] = []
            for state in frontier:
                for to_point, strict, link in self.edges[state >> 1]:
                    if self.allowed is None or link in self.allowed:
                        self._reach(2 * to_point + (state & 1 | strict), (state, link), steps, following)
            frontier = following
        return self._path(goal) if goal in self.reached else None

    def _reach(self, state: int, came_by: tuple[int, int | None] | None, steps: int, frontier: list[int]) -> None:
        """Note a state with all that it includes or leads to for nothing: the weaker state, and the entity's end."""
        waiting = [(state, came_by)]
        while waiting:
            each, came = waiting.pop()
            if each in self.reached:
                continue
            self.reached[each] = came
            self.distance[each] = steps
            frontier.append(each)
            if each & 1:
                waiting.append((each - 1, (each, None)))
            if not each >> 1 & 1:  # a start is before its end
                waiting.append((2 * (each >> 1) + 3, (each, None)))

    def _path(self, goal: int) -> list[int]:
        links: list[int] = []
        step = self.reached[goal]
        while step is not None:
            state, link = step
            if link is not None:
                links.append(link)
            step = self.reached[state]
        return links[::-1]

    def first_shortest(self, links: int) -> list[int]:
        """Return, after a path was found, the path with as few links whose sorted links come first; sorted.

        ``links``: how many there are. A set of links is a number with a bit for each, the highest for the first link;
        so the greatest number of a path with the fewest links is the first set. Round by round, with the free steps
        of a round in an order in which none leads back.
        """
        goal = 2 * self.order.to_point + self.order.strict
        rounds: list[list[int]] = [[] for _ in range(self.distance[goal] + 1)]
        for state, distance in self.distance.items():
            if distance < len(rounds):
                rounds[distance].append(state)
        best = {2 * self.order.from_point: 0}
        for steps, states in enumerate(rounds):
            if steps:
                best = self._one_link_further(best, steps, links)
            for state in sorted(states, key=lambda state: (state >> 1, -(state & 1))):
                sets = best[state]
                weaker = [state - 1] if state & 1 else []
                for free in [*weaker, *([] if state >> 1 & 1 else [2 * (state >> 1) + 3])]:
                    if self.distance[free] == steps and best.get(free, -1) < sets:
                        best[free] = sets
        found, sets = [], best[goal]
        while sets:
            highest = sets.bit_length() - 1
            found.append(links - highest)
            sets ^= 1 << highest
        return found

    def _one_link_further(self, best: dict[int, int], steps: int, links: int) -> dict[int, int]:
        further: dict[int, int] = {}
        for state, sets in best.items():
            for to_point, strict, link in self.edges[state >> 1]:
                reached = 2 * to_point + (state & 1 | strict)
                if self.distance.get(reached) == steps and (self.allowed is None or link in self.allowed):
                    further[reached] = max(further.get(reached, -1), sets | 1 << links - link)
        return further

    def layers(self) -> list[frozenset[int]]:
        """Return, for each distance short of the goal, the links that lead further.

        Every path has one link of each set.
        """
        length = self.distance[2 * self.order.to_point + self.order.strict]
        leaving: list[set[int]] = [set() for _ in range(length)]
        for state, distance in self.distance.items():
            if distance < length:
                for to_point, strict, link in self.edges[state >> 1]:
                    if self.distance.get(2 * to_point + (state & 1 | strict), length) > distance:
                        leaving[distance].add(link)
        return list(map(frozenset, leaving))

    def cut_around(self) -> frozenset[int]:
        """Return the links that lead out of the set of reached points."""
        return frozenset(
            link
            for state in self.reached
            for to_point, strict, link in self.edges[state >> 1]
            if 2 * to_point + (state & 1 | strict) not in self.reached
        )
