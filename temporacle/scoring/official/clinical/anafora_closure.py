"""The temporal closure of anaforatools: facts between endpoints, closed under < and =.

Each label stands for facts about the starts and ends of its two spans. A fact is entailed if it can be reached by a
chain of facts: by equalities alone for =, by at least one < for <. Contradictions are not noticed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

Point: TypeAlias = "tuple[Hashable, str]"
Fact: TypeAlias = tuple[Point, str, Point]

# x is the source and y the target; s is a start, e an end.
FACTS: dict[str, tuple[str, ...]] = {
    "BEFORE": ("xe < ys",),
    "AFTER": ("ye < xs",),
    "IBEFORE": ("xe = ys",),
    "IAFTER": ("xs = ye",),
    "CONTAINS": ("xs < ys", "ye < xe"),
    "INCLUDES": ("xs < ys", "ye < xe"),
    "IS_INCLUDED": ("ys < xs", "xe < ye"),
    "BEGINS-ON": ("xs = ys",),
    "ENDS-ON": ("xe = ye",),
    "BEGINS": ("xs = ys", "xe < ye"),
    "BEGUN_BY": ("xs = ys", "ye < xe"),
    "ENDS": ("ys < xs", "xe = ye"),
    "ENDED_BY": ("xs < ys", "xe = ye"),
    "SIMULTANEOUS": ("xs = ys", "xe = ye"),
    "IDENTITY": ("xs = ys", "xe = ye"),
    "DURING": ("xs = ys", "xe = ye"),
    "DURING_INV": ("xs = ys", "xe = ye"),
    "OVERLAP": ("xs < ye", "ys < xe"),
}


class LinkKey(NamedTuple):
    """A link between two spans."""

    source: Hashable
    target: Hashable
    label: Hashable

    def facts(self) -> frozenset[Fact]:
        """Return what the label says, equalities in both directions."""
        points = {
            f"{name}{end}": (span, end) for name, span in (("x", self.source), ("y", self.target)) for end in "se"
        }
        found = set()
        for left, sign, right in (text.split() for text in FACTS[str(self.label)]):
            found.add((points[left], sign, points[right]))
            if sign == "=":
                found.add((points[right], sign, points[left]))
        return frozenset(found)


def closure_counts(reference: Sequence[LinkKey], predicted: Sequence[LinkKey]) -> tuple[int, int, int, int]:
    """Return the numbers of links of both sides, and how many of each follow from the other: predicted, reference."""
    gold, system = _fact_sets(reference), _fact_sets(predicted)
    gold_closure, system_closure = Closure(gold), Closure(system)
    precise = sum(all(map(gold_closure.holds, facts)) for facts in system)
    recalled = sum(all(map(system_closure.holds, facts)) for facts in gold)
    return len(gold), len(system), precise, recalled


def _fact_sets(links: Iterable[LinkKey]) -> list[frozenset[Fact]]:
    """Return the facts of each link with a known label; links with the same facts count once."""
    known = (link for link in links if isinstance(link.label, str) and link.label in FACTS)
    return list(dict.fromkeys(link.facts() for link in known))


class Closure:
    """The facts that follow from the facts of some links. Each point is searched from at most once."""

    def __init__(self, links: Iterable[frozenset[Fact]]) -> None:
        self._next: defaultdict[Point, set[tuple[str, Point]]] = defaultdict(set)
        for facts in links:
            for left, sign, right in facts:
                self._next[left].add((sign, right))
                for span in (left[0], right[0]):
                    self._next[span, "s"].add(("<", (span, "e")))
        self._reached: dict[Point, set[tuple[str, Point]]] = {}

    def holds(self, fact: Fact) -> bool:
        left, sign, right = fact
        if left not in self._reached:
            self._reached[left] = self._search(left)
        return (sign, right) in self._reached[left]

    def _search(self, start: Point) -> set[tuple[str, Point]]:
        found: set[tuple[str, Point]] = set()
        waiting = list(self._next.get(start, ()))
        while waiting:
            sign, point = waiting.pop()
            if (sign, point) not in found:
                found.add((sign, point))
                waiting += [
                    ("=" if sign == other == "=" else "<", further) for other, further in self._next.get(point, ())
                ]
        return found
