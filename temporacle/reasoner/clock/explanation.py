"""A conflict of links and values as a chain of sentences that a person can follow.

A negative cycle is read against its edges, from the earlier to the later point. Two steps through the origin, up to a
date and on from a date, are one sentence: ``t3 "Friday" = 1998-02-06 ends before t5 "Monday" = 1998-02-09 starts``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.calendar.civil import DAY, HOUR, MINUTE, iso_time
from temporacle.calendar.said import UTC
from temporacle.model import Link
from temporacle.reasoner.clock.problem import Problem
from temporacle.reasoner.clock.weights import NegativeCycle, potentials
from temporacle.reasoner.conflicts.explanation import NO_TEXTS, link_step, named, place, statement_of
from temporacle.reasoner.network import Budget, Network

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.calendar.facts import CalendarFact
    from temporacle.reasoner.clock.weights import WeightedEdge
    from temporacle.results import Fact

_VERBS = ("starts", "ends")


def explain_facts(conflict: Sequence[Fact], zone: int | None, texts: Mapping[str, str] = NO_TEXTS) -> list[str]:
    """Return one sentence for each step. ``texts`` has the words of entities, if they are known."""
    links = [fact for fact in conflict if isinstance(fact, Link)]
    problem = Problem(Network(links), [fact for fact in conflict if not isinstance(fact, Link)], zone)
    found = potentials(problem.graph(problem.every), Budget())
    if not isinstance(found, NegativeCycle):
        said = (
            statement_of(fact, texts) if isinstance(fact, Link) else f"{_dated(fact, texts)} ({place(fact)})"
            for fact in conflict
        )
        return [*said, "no choice among these alternatives fits together"]
    return list(_Chain(problem, found.edges, texts).sentences())


class _Chain:
    """A cycle, told from its first point that is not an origin."""

    def __init__(self, problem: Problem, cycle: Sequence[WeightedEdge], texts: Mapping[str, str]) -> None:
        self._problem = problem
        self._texts = texts
        steps = list(reversed(cycle))  # a step leads from edge.right, which is earlier, to edge.left
        first = min(range(len(steps)), key=lambda k: (self._is_origin(steps[k].right), self._order(steps[k])))
        self._steps = [*steps[first:], *steps[:first]]
        self._has_lengths = any(
            edge.fact is not None
            and not isinstance(problem.facts[edge.fact], Link)
            and not self._is_origin(edge.left)
            and not self._is_origin(edge.right)
            for edge in steps
        )

    def _order(self, edge: WeightedEdge) -> int:
        """Return the facts first, in their order, then what always holds."""
        return len(self._problem.facts) if edge.fact is None else edge.fact

    def _is_origin(self, point: int) -> bool:
        return point >= self._problem.local

    def sentences(self) -> Iterator[str]:
        steps = iter(self._steps)
        for step in steps:
            if self._is_origin(step.left):  # up to a date; on from a date
                through = [step]
                while self._is_origin(through[-1].left):
                    through.append(next(steps))
                yield from self._through_origin(through)
            elif step.fact is None:
                yield f"{self._point(step.right)} before it ends"
            else:
                yield self._fact_step(step)
        start = self._steps[0].right
        verb = _VERBS[start & 1]
        yield f"so {self._name(start >> 1)} would {verb[:-1]} before it {verb}"

    def _through_origin(self, steps: Sequence[WeightedEdge]) -> Iterator[str]:
        """Yield steps from an endpoint to a date that it is not after, perhaps to another clock, and on to a later
        endpoint.
        """
        up, *between, down = steps
        before, after = self._fact(up), self._fact(down)
        left = f"{self._dated(before)} {_VERBS[up.right & 1]}"
        right = f"{self._dated(after)} {_VERBS[down.left & 1]}"
        until, since = -(-up.weight // self._problem.unit), -(down.weight // self._problem.unit)
        if not between and until <= since and not self._has_lengths:
            yield f"{left} {'before' if until < since else 'when or before'} {right}"
            return
        yield f"{left} at {self._time(until, up.left)} or before"
        for _ in between:
            yield (
                "clocks differ from UTC by at most 14 hours ahead and 12 hours behind"
                if (self._problem.zone is None)
                else "the document's clock has the zone that was given"
            )
        yield f"{right} at {self._time(since, down.right)} or after"

    def _time(self, seconds: int, origin: int) -> str:
        time = iso_time(seconds).removesuffix("T00:00:00")
        return time + (" UTC" if self._problem.name(origin) == UTC else "")

    def _fact_step(self, step: WeightedEdge) -> str:
        fact = self._problem.facts[step.fact or 0]
        if isinstance(fact, Link):
            relation = self._problem.relation(step.fact or 0)
            assert relation is not None  # noqa: S101 - of a link
            names = [self._name(number) for number in range(len(self._problem.network.entities))]
            return link_step(fact, relation, (step.right, step.left), names, strict=step.weight < 0)
        seconds = -(-step.weight // self._problem.unit)
        is_strict = step.weight != seconds * self._problem.unit
        if step.right & 1:  # the end comes no later than so long after the start
            return f"{self._dated(fact)} lasts {'less than' if is_strict else 'at most'} {duration(seconds)}"
        return f"{self._dated(fact)} lasts {'more than' if is_strict else 'at least'} {duration(-seconds)}"

    def _fact(self, step: WeightedEdge) -> CalendarFact:
        fact = self._problem.facts[step.fact or 0]
        assert not isinstance(fact, Link)  # noqa: S101 - links do not lead to origins
        return fact

    def _dated(self, fact: CalendarFact) -> str:
        return _dated(fact, self._texts)

    def _name(self, number: int) -> str:
        return named(self._problem.network.entities[number], self._texts)

    def _point(self, point: int) -> str:
        return f"{self._name(point >> 1)} {_VERBS[point & 1]}"


def _dated(fact: CalendarFact, texts: Mapping[str, str]) -> str:
    """Return a time with its value: ``t3 "Friday" = 1998-02-06``."""
    name = named(fact.entity, texts)
    return f"{name} = {fact.label}" if fact.attribute == "value" else f"{name} ({fact.attribute} = {fact.label})"


def duration(seconds: int) -> str:
    """Return a number of seconds in words.

    >>> duration(90_000), duration(0)
    ('1 day 1 hour', '0 seconds')
    """
    parts = []
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (1, "second")):
        count, seconds = divmod(seconds, unit)
        if count:
            parts.append(f"{count:,} {name}{'s' if count != 1 else ''}")
    return " ".join(parts) or "0 seconds"
