"""The graph of the TempEval-3 relation scorer, built link by link, and the questions it answers.

A link between entities of which one is new goes in unchecked. A link between known entities is put to the graph first:
confirmed, it is *redundant*; contradicted, it is *violated*; otherwise edges are *added*. Nothing is ever revised, so
the order of links matters. The *reduced* list is what is scored: accepted links without redundant ones, violated last.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from temporacle.reasoner.network import Budget
from temporacle.scoring.official.tempeval3.insertion import EDGES, insert_both_new, insert_first_new, point_names
from temporacle.scoring.official.tempeval3.state import Interval, State, reaches
from temporacle.scoring.official.tempeval3.tlinks import Triple, graph_label, inverse_in_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
