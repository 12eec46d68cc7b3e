"""The graph of the TempEval-3 relation scorer, built link by link, and the questions it answers.

A link between entities of which one is new goes in unchecked. A link between known entities is put to the graph first:
confirmed, it is *redundant*; contradicted, it is *violated*; otherwise edges are *added*. Nothing is ever revised, so
the order of links matters. The *reduced* list is what is scored: accepted links without redundant ones, violated last.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.reasoner.network import Budget
from temporacle.scoring.official.tempeval3.state import OPEN, Interval, Note, Point, State, reaches
from temporacle.scoring.official.tempeval3.tlinks import Triple, graph_label, inverse_in_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# ----------------------------------------------------------------------------------------------------
# Add a link with a new entity as the TempEval-3 graph does: without any check.
#
# ``insert_both_new`` lays four points into a new chain; ``insert_first_new`` places X next to the known Y: in Y's chain
# if the notes say that the place is free, otherwise in a new chain connected by edges. ``EDGES`` are what a link
# between known entities adds. The faults of the program live here:
#
#     * BEFORE computes the start of X from an end that is not set yet: it always gets the stamp -1000.
#     * Equal points are often separate records, each with an open place of its own, so two neighbours get one stamp.
#     * Gaps are halved and cut in thirds as integers, until nothing is left of them.
#     * An unknown label lays all four points on stamp 0 of one chain: they look equal.

FIRST = 100_000  # the first stamp of every chain that two new entities open
GAP = 1_000


class _NewPoint(NamedTuple):
    stamp: int
    left: tuple[str, ...]
    right: tuple[str, ...]


# Per label the points Xs, Xe, Ys, Ye, each as "steps after the first stamp : left note : right note".
_BOTH_NEW_TABLE = """
BEFORE       | 0 : OPEN : Xe    | 1 : Xs : Ys       | 2 : Xe : Ye       | 3 : Ys : OPEN
AFTER        | 2 : Ye : Xe      | 3 : Xs : OPEN     | 0 : OPEN : Ye     | 1 : Ys : Xs
IBEFORE      | 0 : OPEN : Xe Ys | 1 : Xs : Ye       | 1 : Xs : Ye       | 2 : Ys Xe : OPEN
IAFTER       | 1 : Ys : Xe      | 2 : Xs Ye : OPEN  | 0 : OPEN : Ye Xs  | 1 : Ys : Xe
BEGINS       | 0 : OPEN : Xe    | 1 : Xs Ys : Ye    | 0 : OPEN : Xe     | 2 : Xe : OPEN
BEGUN_BY     | 0 : OPEN : Ye    | 2 : Ye : OPEN     | 0 : OPEN : Ye     | 1 : Xs Ys : Xe
ENDS         | 1 : Ys : Xe Ye   | 2 : Xs : OPEN     | 0 : OPEN : Xs     | 2 : Xs : OPEN
ENDED_BY     | 0 : OPEN : Ys    | 2 : Ys : OPEN     | 1 : Xs : Xe Ye    | 2 : Ys : OPEN
INCLUDES     | 0 : OPEN : Ys    | 3 : Ye : OPEN     | 1 : Xs : Ye       | 2 : Ys : Xe
IS_INCLUDED  | 1 : Ys : Xe      | 2 : Xs : Ye       | 0 : OPEN : Xs     | 3 : Xe : OPEN
SIMULTANEOUS | 0 : OPEN : Xe Ye | 1 : Xs Ys : OPEN  | 0 : OPEN : Xe Ye  | 1 : Xs Ys : OPEN
IDENTITY     | 0 : OPEN : Xe Ye | 1 : Xs Ys : OPEN  | 0 : OPEN : Xe Ye  | 1 : Xs Ys : OPEN
DURING       | 0 : OPEN : Ys    | 2 : Ys : Ye       | 1 : Xs : Xe       | 3 : Xe : OPEN
"""


def _parse_point(cell: str) -> _NewPoint:
    steps, left, right = cell.split(":")
    return _NewPoint(FIRST + GAP * int(steps), tuple(left.split()), tuple(right.split()))


_BOTH_NEW: dict[bytes, tuple[_NewPoint, ...]] = {
    label.strip().encode(): tuple(map(_parse_point, cells))
    for label, *cells in (line.split("|") for line in _BOTH_NEW_TABLE.strip().splitlines())
}
_UNKNOWN_LABEL = (_NewPoint(0, (), ()),) * 4

# What a link between known entities adds when it is neither confirmed nor contradicted.
EDGES: dict[bytes, tuple[tuple[str, str], ...]] = {
    b"BEFORE": (("Xe", "Ys"),),
    b"AFTER": (("Ye", "Xs"),),
    b"IBEFORE": (("Ys", "Xe"), ("Xe", "Ys")),
    b"IAFTER": (("Ye", "Xs"), ("Xs", "Ye")),
    b"BEGUN_BY": (("Ys", "Xs"), ("Xs", "Ys"), ("Ye", "Xe")),
    b"ENDS": (("Ys", "Xs"), ("Ye", "Xe"), ("Xe", "Ye")),
    b"ENDED_BY": (("Xs", "Ys"), ("Xe", "Ye"), ("Ye", "Xe")),
    b"INCLUDES": (("Xs", "Ys"), ("Ye", "Xe")),
    b"IS_INCLUDED": (("Ys", "Xs"), ("Xe", "Ye")),
    b"SIMULTANEOUS": (("Ys", "Xs"), ("Xs", "Ys"), ("Ye", "Xe"), ("Xe", "Ye")),
    b"IDENTITY": (("Ys", "Xs"), ("Xs", "Ys"), ("Ye", "Xe"), ("Xe", "Ye")),
    b"DURING": (("Xs", "Ys"), ("Xe", "Ye"), ("Ys", "Xe")),
}


def point_names(x: Interval, y: Interval) -> dict[str, bytes]:
    """Return the names for the letters of the tables."""
    return {"Xs": x.start, "Xe": x.end, "Ys": y.start, "Ye": y.end, "OPEN": OPEN}


def insert_both_new(state: State, x: Interval, y: Interval, label: bytes) -> bool:
    """Put X and Y into a new chain. Return False if the label is unknown; the points are made in any case.

    X may be Y (a link of an entity to itself); then the columns of Y remain.
    """
    chain = state.new_chain()
    names = point_names(x, y)
    for name, new in zip((*x, *y), _BOTH_NEW.get(label, _UNKNOWN_LABEL), strict=True):
        left, right = ([names[word] for word in note] for note in (new.left, new.right))
        state.points[name] = Point(chain, new.stamp, left, right)
    return label in _BOTH_NEW


def insert_first_new(state: State, x: Interval, y: Interval, label: bytes) -> bool:
    """Place X next to Y. Return False and do nothing if the label is unknown."""
    place = _PLACEMENTS.get(label)
    if place is None:
        return False
    place(_Neighbourhood(state, x, y))
    return True


def _is_open(note: Note) -> bool:
    return note == [OPEN]


class _Neighbourhood:
    """X new, Y known: the names of the four points, Y's records, and the moves that labels have in common."""

    def __init__(self, state: State, x: Interval, y: Interval) -> None:
        self.state = state
        self.xs, self.xe = x
        self.ys, self.ye = y
        self.start, self.end = state.points[y.start], state.points[y.end]  # Y's records
        self.gap = self.end.stamp - self.start.stamp
        self.middle = self.start.stamp + self.gap // 2

    @property
    def same_chain(self) -> bool:
        return self.start.chain == self.end.chain

    @property
    def adjacent(self) -> bool:
        """Return whether Y's points are neighbours in one chain, according to the notes."""
        return self.same_chain and self.ye in self.start.right and self.ys in self.end.left

    def put(self, name: bytes, chain: int, stamp: int, *, left: Note, right: Note) -> None:
        self.state.points[name] = Point(chain, stamp, left, right)

    def share(self, name: bytes, point: Point) -> None:
        self.state.points[name] = point

    def edge(self, source: bytes, target: bytes) -> None:
        self.state.add_edge(source, target)

    def put_before(self, name: bytes, anchor: bytes) -> None:
        point = self.state.points[anchor]
        if _is_open(point.left):
            self.put(name, point.chain, point.stamp - GAP, left=[OPEN], right=[anchor])
            point.left = [name]
        else:
            self.put(name, self.state.new_chain(), point.stamp - GAP, left=[OPEN], right=[OPEN])
            self.edge(name, anchor)

    def put_after(self, name: bytes, anchor: bytes) -> None:
        point = self.state.points[anchor]
        if _is_open(point.right):
            self.put(name, point.chain, point.stamp + GAP, left=[anchor], right=[OPEN])
            point.right = [name]
        else:
            self.put(name, self.state.new_chain(), point.stamp + GAP, left=[OPEN], right=[OPEN])
            self.edge(anchor, name)

    def put_between(self, name: bytes) -> None:
        """Put a point between Y's start and end."""
        start, end = self.start, self.end
        if self.adjacent:
            self.put(name, start.chain, self.middle, left=[self.ys], right=[self.ye])
            start.right = [name]
            end.left = [name]
        elif _is_open(start.right):
            self.put(name, start.chain, start.stamp + GAP, left=[self.ys], right=[OPEN])
            start.right = [name]
            self.edge(name, self.ye)
        elif _is_open(end.left):
            self.put(name, end.chain, end.stamp - GAP, left=[], right=[self.ye])
            end.left = [name]
            self.edge(self.ys, name)
        else:
            self.put(name, self.state.new_chain(), self.middle, left=[], right=[])
            self.edge(self.ys, name)
            self.edge(name, self.ye)


def _before(n: _Neighbourhood) -> None:
    joined = _is_open(n.start.left)
    chain = n.start.chain if joined else n.state.new_chain()
    n.put(n.xs, chain, -GAP, left=[OPEN], right=[n.xe])  # the fault: from an end that is still 0
    n.put(n.xe, chain, n.start.stamp - GAP, left=[n.xs], right=[n.ys])
    if joined:
        n.start.left = [n.xe]
    else:
        n.start.left.append(n.xe)
        n.edge(n.xe, n.ys)


def _after(n: _Neighbourhood) -> None:
    joined = _is_open(n.end.right)
    chain = n.end.chain if joined else n.state.new_chain()
    n.put(n.xs, chain, n.end.stamp + GAP, left=[n.ye], right=[n.xe])
    n.put(n.xe, chain, n.end.stamp + 2 * GAP, left=[n.xs], right=[OPEN])
    if joined:
        n.end.right = [n.xs]
    else:
        n.end.right.append(n.xs)
        n.edge(n.ye, n.xs)


def _ibefore(n: _Neighbourhood) -> None:
    joined = _is_open(n.start.left)
    if joined:
        n.start.left = [n.xs]
    else:
        n.start.left.append(n.xs)
    n.end.left.append(n.xe)
    left = [n.xs] if joined else list(n.start.left)
    n.put(n.xe, n.start.chain, n.start.stamp, left=left, right=list(n.start.right))
    chain = n.start.chain if joined else n.state.new_chain()
    n.put(n.xs, chain, n.start.stamp - GAP, left=[OPEN], right=[n.xe, n.ys])
    if not joined:
        n.edge(n.xs, n.xe)


def _iafter(n: _Neighbourhood) -> None:
    joined = _is_open(n.end.right)
    n.start.right.append(n.xs)
    if joined:
        n.end.right = [n.xe]
        n.put(n.xs, n.end.chain, n.end.stamp, left=list(n.end.left), right=[n.xe])
        chain = n.end.chain
    else:
        n.share(n.xs, n.end)
        n.end.right.append(n.xe)
        chain = n.state.new_chain()
    n.put(n.xe, chain, n.end.stamp + GAP, left=[n.xs, n.ye], right=[OPEN])
    if not joined:
        n.edge(n.xs, n.xe)


def _begins(n: _Neighbourhood) -> None:
    if n.adjacent:
        n.share(n.xs, n.start)
        n.put(n.xe, n.start.chain, n.middle, left=[n.xs, n.ys], right=[n.ye])
        # The names are replaced as text, so also inside longer names.
        n.start.right = [word.replace(n.ye, n.xe) for word in n.start.right]
        n.end.left = [word.replace(n.ys, n.xe) for word in n.end.left]
    else:
        n.put_between(n.xe)
        n.share(n.xs, n.start)


def _begun_by(n: _Neighbourhood) -> None:
    if _is_open(n.end.right) and n.same_chain:
        n.share(n.xs, n.start)
        n.put(n.xe, n.start.chain, n.end.stamp + GAP, left=[n.ye], right=[OPEN])
        n.end.left.append(n.xs)
        n.end.right = [n.xe]
    else:
        n.put_after(n.xe, n.ye)
        n.share(n.xs, n.start)


def _ends(n: _Neighbourhood) -> None:
    if n.adjacent:
        n.put(n.xs, n.start.chain, n.middle, left=[n.ys], right=[n.xe])
        n.put(n.xe, n.start.chain, n.end.stamp, left=[n.xs], right=list(n.end.right))
        n.start.right = [n.xs]
        n.end.left = [n.xs]
    else:
        n.share(n.xe, n.end)
        n.put_between(n.xs)


def _ended_by(n: _Neighbourhood) -> None:
    if _is_open(n.start.left) and n.same_chain:
        n.put(n.xs, n.start.chain, n.start.stamp - GAP, left=[OPEN], right=[n.ys])
        n.put(n.xe, n.start.chain, n.end.stamp, left=list(n.end.left), right=list(n.end.right))
        n.start.left = [n.xs]
        n.start.right.append(n.xe)
    else:
        n.share(n.xe, n.end)
        n.put_before(n.xs, n.ys)


def _includes(n: _Neighbourhood) -> None:
    both_open = _is_open(n.start.left) and _is_open(n.end.right)
    if both_open and n.same_chain:
        n.put(n.xs, n.start.chain, n.start.stamp - GAP, left=[OPEN], right=[n.ys])
        n.put(n.xe, n.start.chain, n.end.stamp + GAP, left=[n.ye], right=[OPEN])
        n.start.left = [n.xs]
        n.end.right = [n.xe]
    elif both_open:
        n.put_before(n.xs, n.ys)
        n.put_after(n.xe, n.ye)
    else:
        chain = n.state.new_chain()
        n.put(n.xs, chain, n.start.stamp - GAP, left=[OPEN], right=[])
        n.put(n.xe, chain, n.end.stamp + GAP, left=[n.xs], right=[OPEN])
        n.edge(n.xs, n.ys)
        n.edge(n.ye, n.xe)


def _is_included(n: _Neighbourhood) -> None:
    first, second = n.start.stamp + n.gap // 3, n.start.stamp + 2 * n.gap // 3
    if n.adjacent:
        n.put(n.xs, n.start.chain, first, left=[n.ys], right=[n.xe])
        n.put(n.xe, n.start.chain, second, left=[n.xs], right=[n.ye])
        n.start.right = [n.xs]  # the note left of Y's end stays as it is
    else:
        chain = n.state.new_chain()
        n.put(n.xs, chain, first, left=[OPEN], right=[n.xe])
        n.put(n.xe, chain, second, left=[n.xs], right=[OPEN])
        n.edge(n.ys, n.xs)
        n.edge(n.xe, n.ye)


def _simultaneous(n: _Neighbourhood) -> None:
    n.share(n.xs, n.start)
    n.share(n.xe, n.end)


def _during(n: _Neighbourhood) -> None:
    """Place X as "overlaps": Xs < Ys < Xe < Ye. Only labels in lower or mixed case lead here."""
    left_open, end_right_of_start = _is_open(n.start.left), n.ye in n.start.right
    if left_open and end_right_of_start and n.same_chain:
        n.put(n.xs, n.start.chain, n.start.stamp - GAP, left=[OPEN], right=[n.ys])
        n.start.left = [n.xs]
        n.put(n.xe, n.start.chain, n.middle, left=[n.ys], right=list(n.start.right))
        n.start.right.append(n.xe)
    elif not left_open and not end_right_of_start:
        chain = n.state.new_chain()
        n.put(n.xs, chain, n.start.stamp - GAP, left=[OPEN], right=[n.xe])
        n.put(n.xe, chain, n.middle, left=[n.xs], right=[OPEN])
        n.edge(n.xs, n.ys)
        n.edge(n.xe, n.ye)
        n.edge(n.ys, n.xe)
    else:
        n.put_before(n.xs, n.ys)
        n.put_between(n.xe)


def _during_inv(n: _Neighbourhood) -> None:
    """Place X as "overlapped by". Only labels in lower or mixed case lead here."""
    right_open, end_right_of_start = _is_open(n.end.right), n.ye in n.start.right
    if right_open and end_right_of_start and n.same_chain:
        n.put(n.xs, n.start.chain, n.middle, left=[n.ys], right=list(n.start.right))
        n.start.right.append(n.xs)
        n.end.left = [n.xs]
        n.put(n.xe, n.start.chain, n.end.stamp + GAP, left=[n.ye], right=[OPEN])
        n.end.right = [n.xe]
    elif right_open and not end_right_of_start:
        chain = n.state.new_chain()
        n.put(n.xs, chain, n.middle, left=[n.ys], right=list(n.start.right))
        n.put(n.xe, chain, n.end.stamp + GAP, left=[n.ye], right=[])
        n.start.right = [n.xs]
        n.end.left = [n.xs]
        n.edge(n.ys, n.xs)
        n.edge(n.ye, n.xe)
        n.edge(n.xs, n.ye)
    else:
        n.put_between(n.xs)
        n.put_after(n.xe, n.ye)


_Placement: TypeAlias = "Callable[[_Neighbourhood], None]"
_PLACED: tuple[_Placement, ...] = (
    *(_before, _after, _ibefore, _iafter, _begins, _begun_by, _ends, _ended_by),
    *(_includes, _is_included, _simultaneous, _during, _during_inv),
)
_PLACEMENTS = {place.__name__[1:].upper().encode(): place for place in _PLACED} | {b"IDENTITY": _simultaneous}


# ----------------------------------------------------------------------------------------------------
# The graph that the insertions make, and questions to it.


_EQUALITIES = frozenset({b"SIMULTANEOUS", b"IDENTITY"})
_DURING = b"DURING"


class Order(Enum):
    """The order of two points in the graph."""

    BEFORE = "<"
    EQUAL = "="
    AFTER = ">"
    UNKNOWN = "?"


class Fate(Enum):
    """The result of inserting a link."""

    DUPLICATE = "duplicate"  # skipped: an earlier link says the same
    TAKEN = "taken"  # it brought a new entity; nothing was checked
    REDUNDANT = "redundant"
    VIOLATED = "violated"
    ADDED = "added"


class GraphAnswer(Enum):
    """The answer of the graph about a link. Only TRUE scores."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "unknown"


_LESS, _SAME = Order.BEFORE, Order.EQUAL

# The facts a label needs, in the order in which they are tested. BEGINS has none: its test cannot succeed.
_FACTS: dict[bytes, tuple[tuple[str, str, Order], ...]] = {
    b"BEFORE": (("Xe", "Ys", _LESS),),
    b"AFTER": (("Ye", "Xs", _LESS),),
    b"IBEFORE": (("Xe", "Ys", _SAME),),
    b"IAFTER": (("Ye", "Xs", _SAME),),
    b"BEGUN_BY": (("Xs", "Ys", _SAME), ("Ye", "Xe", _LESS)),
    b"ENDS": (("Xe", "Ye", _SAME), ("Ys", "Xs", _LESS)),
    b"ENDED_BY": (("Xe", "Ye", _SAME), ("Xs", "Ys", _LESS)),
    b"INCLUDES": (("Xs", "Ys", _LESS), ("Ye", "Xe", _LESS)),
    b"IS_INCLUDED": (("Ys", "Xs", _LESS), ("Xe", "Ye", _LESS)),
    b"SIMULTANEOUS": (("Xs", "Ys", _SAME), ("Xe", "Ye", _SAME)),
    b"IDENTITY": (("Xs", "Ys", _SAME), ("Xe", "Ye", _SAME)),
}
LABELS = frozenset({*_FACTS, b"BEGINS"})  # those the program knows, in the only spelling it confirms


class OfficialTimegraph:
    """The graph of one document and side.

    >>> links = [Triple(b"a", b"b", b"BEFORE"), Triple(b"b", b"c", b"BEFORE"), Triple(b"a", b"c", b"BEFORE")]
    >>> graph = OfficialTimegraph(links)
    >>> [fate.value for fate in graph.fates], graph.answer(Triple(b"c", b"a", b"AFTER")).value
    (['taken', 'taken', 'redundant'], 'true')
    """

    def __init__(
        self,
        links: Iterable[Triple],
        budget: Budget | None = None,
        *,
        label_of: Callable[[bytes], bytes] = graph_label,
    ) -> None:
        links = [Triple(link.source, link.target, label_of(link.label)) for link in links]
        self.budget = budget or Budget()
        self.state = State({entity for link in links for entity in (link.source, link.target)})
        self.accepted: list[Triple] = []
        self.redundant: list[Triple] = []  # with upper-case labels, like the violated ones
        self.violated: list[Triple] = []
        self._labels: dict[tuple[bytes, bytes], list[bytes]] = {}  # of accepted links, by pair
        self.fates: tuple[Fate, ...] = tuple(map(self._insert, links))

    def reduced(self) -> list[Triple]:
        """Return what is scored.

        Labels are compared as written with upper-case ones, so a redundant ``before`` stays.
        """
        gone = {*self.redundant, *self.violated}
        return [*(link for link in self.accepted if link not in gone), *self.violated]

    def answer(self, link: Triple) -> GraphAnswer:
        """Return whether the graph confirms the link. Lower-case labels are unknown here."""
        if not (self.state.knows(link.source) and self.state.knows(link.target)):
            return GraphAnswer.UNKNOWN
        fate = self._judge(link)
        if fate is Fate.REDUNDANT:
            return GraphAnswer.TRUE
        facts = _FACTS.get(link.label, ())
        return GraphAnswer.UNKNOWN if fate is Fate.ADDED and len(facts) == 1 else GraphAnswer.FALSE

    def compare(self, first: bytes, second: bytes) -> Order:
        """Return the order of two points. A path of "not later" in one direction only is read as "earlier"."""
        p, q = self.state.points[first].place, self.state.points[second].place
        self.budget.check()
        if p.chain == q.chain:
            return Order.EQUAL if p.stamp == q.stamp else Order.BEFORE if p.stamp < q.stamp else Order.AFTER
        up = reaches(self.state.ways, p, q, self.budget)
        down = reaches(self.state.ways, q, p, self.budget)
        if up:
            return Order.EQUAL if down else Order.BEFORE
        return Order.AFTER if down else Order.UNKNOWN

    def _insert(self, link: Triple) -> Fate:
        self.budget.check()
        source, target, written = link
        labels = self._labels.setdefault((source, target), [])
        if any(label.startswith(written) for label in labels):
            return Fate.DUPLICATE
        labels.append(written)
        self.accepted.append(link)
        label = written.upper()
        fate = None if source != target or label in _EQUALITIES else Fate.VIOLATED
        if not self.state.knows(source):
            second = insert_first_new if self.state.knows(target) else insert_both_new
            taken = second(self.state, Interval.of(source), Interval.of(target), label)
        elif not self.state.knows(target):
            label = inverse_in_graph(label)
            taken = insert_first_new(self.state, Interval.of(target), Interval.of(source), label)
        else:
            taken = False
        if fate is None and taken:
            return Fate.TAKEN
        stored = Triple(source, target, label)
        fate = fate or self._judge(stored)
        if fate is Fate.REDUNDANT:
            self.redundant.append(stored)
        elif fate is Fate.VIOLATED:
            self.violated.append(stored)
        else:
            self._add_edges(stored)
        return fate

    def _judge(self, link: Triple) -> Fate:
        """Return whether a link is redundant, violated or added, by what is known so far."""
        if not (self.state.knows(link.source) and self.state.knows(link.target)):
            return Fate.VIOLATED
        names = point_names(Interval.of(link.source), Interval.of(link.target))
        if link.label == _DURING:
            return self._judge_during(names)
        facts = _FACTS.get(link.label)
        if facts is None:
            return Fate.VIOLATED
        fate = Fate.REDUNDANT
        for first, second, wanted in facts:
            order = self.compare(names[first], names[second])
            if order is Order.UNKNOWN:
                fate = Fate.ADDED
            elif order is not wanted:
                return Fate.VIOLATED
        return fate

    def _judge_during(self, names: dict[str, bytes]) -> Fate:
        """Return the judgement for labels in lower or mixed case.

        Two of the facts must be known; the third one is never refuted.
        """
        overlaps = all(
            self.compare(names[first], names[second]) is Order.BEFORE for first, second in (("Xs", "Ys"), ("Xe", "Ye"))
        )
        if not overlaps:
            return Fate.VIOLATED
        return Fate.REDUNDANT if self.compare(names["Ys"], names["Xe"]) is Order.BEFORE else Fate.ADDED

    def _add_edges(self, link: Triple) -> None:
        names = point_names(Interval.of(link.source), Interval.of(link.target))
        for first, second in EDGES[link.label]:
            self.state.add_edge(names[first], names[second])
