"""Which differences between annotators are settled by what was decided, and which one to ask about first.

What is decided is kept as a closure that grows (``IncrementalClosure``). It says for each open question which of its
answers are still possible and which already follow. Links that are not convex count by their convex hulls: what is
found is true, and something may be missed; ``Settling.is_possible`` is exact for all links.

A *forecast* tells how many other questions an answer would settle. It works on sets of questions as bits of integers:
for each point x, the questions whose source starts at or before x, and so on. A new order a <= b between two points
then orders p and q of exactly the questions in "p at or before a" and "q at or after b".

``SettledOutcome`` says what became of a difference, ``SettlingPlan`` what an answer changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from temporacle.editing.session import Session
from temporacle.errors import ContradictionError
from temporacle.reasoner.algebra import ALL, CROSS_PAIRS, EQ, GT, LT, RelationClass, classify, convex_hull, signs_of
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Network
from temporacle.reasoner.points.graph import LocalEdge, hull_edges
from temporacle.reasoner.points.growing import IncrementalClosure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from temporacle.editing.history import Step, Triple
    from temporacle.model import Link
    from temporacle.reasoner.network import Budget


_AT_ONCE = 300  # questions that are weighed again after an answer; the others keep their last weight
_SOURCE, _TARGET = (0, 1), (2, 3)  # the points of the two entities of a question
_CROSSING = (*product(_SOURCE, _TARGET), *product(_TARGET, _SOURCE))


class Answer(NamedTuple):
    """What one side says about a pair. ``mask`` is ALL if it says nothing."""

    mask: int
    is_stated: bool  # the side has a link


class OpenQuestion(NamedTuple):
    """Two entities about which sides differ, with the answer of each side in this direction."""

    source: int
    target: int
    answers: tuple[Answer, ...]


class Settled(NamedTuple):
    """The answer that is left: the number of a side, from 0, or None if no side is possible."""

    side: int | None
    why: str  # FOLLOWS, ONLY or NONE


FOLLOWS = "follows"  # what the side states follows
ONLY = "only"  # every other answer contradicts what is decided
NONE = "none"  # every answer does


class Settling:
    """The links that are decided, and what follows from them about questions. The links must be consistent.

    >>> network = Network.of([("a", "b", "b"), ("b", "b", "c")])
    >>> question = OpenQuestion(0, 2, (Answer(1, True), Answer(1 << 12, True)))  # before, after
    >>> Settling(network.links, network.entities, [question]).judged(0)
    Settled(side=0, why='follows')
    """

    def __init__(self, links: Iterable[Link], entities: Iterable[str], questions: Sequence[OpenQuestion]) -> None:
        network = Network(links, entities)
        self._entities, self.links = network.entities, list(network.links)
        self._questions = questions
        masks = {mask for _, mask, _ in network.constraints}
        masks.update(answer.mask for question in questions for answer in question.answers)
        self.is_exact = all(not mask or classify(mask) is RelationClass.CONVEX for mask in masks)
        self._closure = IncrementalClosure(len(network.entities))
        for source, mask, target in network.constraints:
            self._closure.add(source, mask, target)
        self._weights: dict[int, int] = {}  # of open questions, as last worked out
        self._needs = _Needs(questions)

    def add(self, number: int, side: int, links: Iterable[Link]) -> None:
        """Put in the links of a side, which must be possible."""
        question = self._questions[number]
        self.links += links
        self._closure.add(question.source, question.answers[side].mask, question.target)

    def relation(self, number: int) -> int:
        """Return the strongest relation that is known to follow for the pair of a question."""
        question = self._questions[number]
        return self._closure.relation(question.source, question.target)

    def judged(self, number: int) -> Settled | None:
        """Return the answer that is left for a question; None if it is open."""
        known, answers = self.relation(number), self._questions[number].answers
        following = [answer.mask for answer in answers if answer.mask != ALL and not known & ~answer.mask]
        if following:
            strongest = min(following, key=int.bit_count)
            return Settled([answer.mask for answer in answers].index(strongest), FOLLOWS)
        left = {answer for answer in answers if answer.mask & known}
        if len(left) > 1:
            return None
        return Settled(answers.index(left.pop()), ONLY) if left else Settled(None, NONE)

    def is_possible(self, number: int, side: int, links: Sequence[Link], budget: Budget) -> bool:
        """Return whether a side can be put in. Raise BudgetExceeded if undecided."""
        if not self._questions[number].answers[side].mask & self.relation(number):
            return False
        return self.is_exact or is_consistent(Network((*self.links, *links), self._entities), budget)

    # --- which question to ask ----------------------------------------------------------------------------------------

    def ranked(self, numbers: Sequence[int]) -> list[int]:
        """Return open questions, those first whose answers settle most others. Equal ones keep their order."""
        self._weights = {number: self._weights[number] for number in numbers if number in self._weights}
        new = [number for number in numbers if number not in self._weights]
        old = sorted(self._weights, key=self._weights.__getitem__, reverse=True)
        if numbers:
            forecast = Forecast(self._closure, self._questions, numbers, self._needs)
            for number in (*new, *old[: max(0, _AT_ONCE - len(new))]):
                answers = self._questions[number].answers
                counts = {mask: forecast.settled_by(number, mask) for mask in {answer.mask for answer in answers}}
                self._weights[number] = sum(counts[answer.mask] for answer in answers)
        return sorted(numbers, key=lambda number: -self._weights[number])

    def weight(self, number: int) -> int:
        """Return how many other questions the answers of all sides settle together, as last worked out."""
        return self._weights.get(number, 0)


# ----------------------------------------------------------------------------------------------------


class _Needs:
    """What the answers of questions need to be true, as columns over all questions. It never changes.

    Answers of a question that are the same count once: they stand in the slots 0, 1, ...
    """

    def __init__(self, questions: Sequence[OpenQuestion]) -> None:
        size = len(questions)
        self.ends = np.array(
            [(2 * each.source, 2 * each.source + 1, 2 * each.target, 2 * each.target + 1) for each in questions],
            np.intp,
        ).reshape(size, 4)
        self.edges: dict[tuple[int, LocalEdge], NDArray[np.bool_]] = {}
        self.stated: list[NDArray[np.bool_]] = []  # by slot: the answer says something
        self.possible: list[NDArray[np.bool_]] = []  # by slot: there is an answer, and it is not a contradiction
        for place, question in enumerate(questions):
            for slot, answer in enumerate(dict.fromkeys(question.answers)):
                if slot == len(self.stated):
                    self.stated.append(np.zeros(size, np.bool_))
                    self.possible.append(np.zeros(size, np.bool_))
                self.stated[slot][place] = 0 < answer.mask < ALL
                self.possible[slot][place] = answer.mask > 0
                for edge in hull_edges(answer.mask) if answer.mask else ():
                    column = self.edges.setdefault((slot, edge), np.zeros(size, np.bool_))
                    column[place] = True


class Forecast:
    """Which open questions an answer to one of them would settle."""

    def __init__(
        self, closure: IncrementalClosure, questions: Sequence[OpenQuestion], numbers: Sequence[int], needs: _Needs
    ) -> None:
        self._closure, self._questions = closure, questions
        chosen = np.array(numbers, np.intp)
        self._place = {number: place for place, number in enumerate(numbers)}
        self._all = (1 << len(numbers)) - 1
        weak, strict = closure.orders()
        ends = needs.ends[chosen].T
        self._until = [[_rows(order[points].T) for order in (weak, strict)] for points in ends]
        self._since = [[_rows(order[:, points]) for order in (weak, strict)] for points in ends]
        self._known = {
            LocalEdge(a, b, is_strict): _bits((strict if is_strict else weak)[ends[a], ends[b]])
            for a, b in _CROSSING
            for is_strict in (False, True)
        }
        self._slots = [
            (
                [
                    (edge, bits)
                    for (own, edge), column in needs.edges.items()
                    if own == slot and (bits := _bits(column[chosen]))
                ],
                _bits(stated[chosen]),
                _bits(possible[chosen]),
            )
            for slot, (stated, possible) in enumerate(zip(needs.stated, needs.possible, strict=True))
        ]
        used = {edge for edges, _, _ in self._slots for edge, _ in edges}
        self._used = used | set(map(_against, used))

    def settled_by(self, number: int, mask: int) -> int:
        """Return how many other questions an answer would settle; 0 for an answer that is impossible."""
        source, target, _ = self._questions[number]
        before = self._closure.relation(source, target)
        edges = _new_edges(before, before & convex_hull(mask)) if mask & before else ()
        if not edges:
            return 0
        points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
        known = {edge: self._known[edge] | self._ordered(edge, edges, points) for edge in self._used}
        settled = once = twice = 0
        for needed, stated, possible in self._slots:
            missing = refuted = 0
            for edge, bits in needed:
                missing |= bits & ~known[edge]
                refuted |= bits & known[_against(edge)]
            settled |= stated & ~missing
            left = possible & ~refuted
            twice |= once & left
            once |= left
        settled |= self._all & ~twice
        return (settled & ~(1 << self._place[number])).bit_count()

    def _ordered(self, edge: LocalEdge, edges: Iterable[LocalEdge], points: Sequence[int]) -> int:
        """Return the questions two points of which get into an order by new edges between four points."""
        found = 0
        (until, strictly_until), (since, strictly_since) = self._until[edge.from_point], self._since[edge.to_point]
        for a, b, is_strict in edges:
            x, y = points[a], points[b]
            if is_strict or not edge.strict:
                found |= until[x] & since[y]
            else:
                found |= strictly_until[x] & since[y] | until[x] & strictly_since[y]
        return found


@cache
def _against(edge: LocalEdge) -> LocalEdge:
    """Return the order that an order contradicts."""
    return LocalEdge(edge.to_point, edge.from_point, not edge.strict)


@cache
def _orders(mask: int) -> frozenset[LocalEdge]:
    """Return all orders of the points of two entities that a convex relation says, with what these imply."""
    found = {LocalEdge(0, 1, strict=True), LocalEdge(2, 3, strict=True)}
    for (x, y), signs in zip(CROSS_PAIRS, signs_of(mask), strict=True):
        if not signs & GT:
            found.add(LocalEdge(x, y, not signs & EQ))
        if not signs & LT:
            found.add(LocalEdge(y, x, not signs & EQ))
    return frozenset(found | {LocalEdge(edge.from_point, edge.to_point, strict=False) for edge in found})


@cache
def _new_edges(before: int, after: int) -> tuple[LocalEdge, ...]:
    """Return the orders of four points that are new, without those that others bring with what was known before."""
    old = _orders(before)
    new = sorted(_orders(after) - old, reverse=True)

    def brings(one: LocalEdge, other: LocalEdge) -> bool:
        ways = [(other.from_point, one.from_point), (one.to_point, other.to_point)]
        if not all(a == b or LocalEdge(a, b, strict=False) in old for a, b in ways):
            return False
        return not other.strict or one.strict or any(LocalEdge(a, b, strict=True) in old for a, b in ways)

    kept: list[LocalEdge] = list(new)
    for edge in new:
        rest = [other for other in kept if other != edge]
        if any(brings(other, edge) for other in rest):
            kept = rest
    return tuple(kept)


def _bits(column: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(column, bitorder="little").tobytes(), "little")


def _rows(table: NDArray[np.bool_]) -> list[int]:
    packed = np.packbits(np.ascontiguousarray(table), axis=1, bitorder="little")  # the copy is quicker than to jump
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


Side: TypeAlias = int | str
"""The number of a side from 1 on, or its name; 0 or "neither": no link of either side."""
NEITHER = 0
DECIDED = "decided"  # by a person
BY_HAND = "edited"  # the links of the pair were edited
WHY = {
    DECIDED: "decided",
    BY_HAND: "edited by hand",
    FOLLOWS: "follows from what was decided before",
    ONLY: "all other sides contradict what was decided before",
    NONE: "all sides contradict what was decided before",
}


class SettledOutcome(NamedTuple):
    """What became of a difference."""

    side: int  # from 1 on; 0: neither
    why: str  # a key of WHY
    order: int  # outcomes are numbered as they come
    after: int | None = None  # the difference whose decision settled this one; None: the agreed links did, or a person
    who: str = ""
    when: str = ""
    links: tuple[str, ...] = ()  # ids of the links that it brought


class LogEntry(NamedTuple):
    """A line of the log."""

    difference: int
    source: str
    target: str
    side: str  # the name of the side, or "neither"
    links: str  # what was taken
    why: str
    after: int | None
    who: str
    when: str


@dataclass(frozen=True)
class SettlingPlan:
    """The edit that takes a side, with all that it settles. ``outcomes`` has what changes; None: open again."""

    number: int
    outcomes: Mapping[int, SettledOutcome | None]
    add: tuple[Triple, ...]
    remove: tuple[str, ...]
    owners: tuple[int, ...]  # the difference that each added link is for

    @property
    def settled(self) -> tuple[int, ...]:
        return tuple(number for number, found in self.outcomes.items() if found and found.why in {FOLLOWS, ONLY, NONE})

    def to_dict(self) -> dict[str, Any]:
        """Return what the edit itself does not say, for a journal."""
        rows = {str(number): each and [*each[:-1], list(each.links)] for number, each in self.outcomes.items()}
        return {"number": self.number, "outcomes": rows, "owners": list(self.owners)}

    @classmethod
    def repeated(cls, noted: Mapping[str, Any], add: tuple[Triple, ...], remove: tuple[str, ...]) -> SettlingPlan:
        """Return the plan that ``to_dict`` was asked about."""
        rows = noted["outcomes"].items()
        outcomes = {int(number): row and SettledOutcome(*row)._replace(links=tuple(row[-1])) for number, row in rows}
        return cls(noted["number"], outcomes, add, remove, tuple(noted["owners"]))


class SideRefusedError(ContradictionError):
    """A side of a difference contradicts what was taken before."""

    @property
    def claim(self) -> str:
        return f"this side contradicts the third version of {self.document!r}"


class Result(Session):
    """The session of the result. It tells the adjudication of every step, whoever makes it."""

    notice: Callable[[str, Step], None] | None = None

    def _take(self, step: Step) -> None:
        super()._take(step)
        self._notify("edit")

    def undo(self) -> None:
        super().undo()
        self._notify("undo")

    def redo(self) -> None:
        super().redo()
        self._notify("redo")

    def _notify(self, kind: str) -> None:
        if self.notice is not None and self._last is not None:
            self.notice(kind, self._last)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "notice"}  # copies tell no one
