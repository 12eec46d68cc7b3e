"""Certificates about links and values, in the documented form (docs/certificates.md, version 2).

Times count in 1/unit of a second from the origin. ``temporacle.checker`` shares no code with this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.metric.choices import Model, judge
from temporacle.reasoner.metric.conflicts import conflict_among
from temporacle.reasoner.metric.model import witness_of
from temporacle.reasoner.metric.problem import Assumptions
from temporacle.reasoner.metric.proofs import MetricCycle, refute
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.reasoner.metric.problem import Problem
    from temporacle.reasoner.metric.weights import WeightedEdge
    from temporacle.reasoner.network import Budget
    from temporacle.reasoner.repair import GroundedRepair
    from temporacle.results import ProofSplit

_MOST_NEEDED = 64  # facts of a conflict; the models that show each to be needed take quadratic space


def certify(problem: Problem, calendar: Calendar, budget: Budget) -> Certificate:
    """Return a certificate of consistency or of inconsistency."""
    model = _model(problem, problem.every, budget)
    if model is None:
        return certify_conflict(problem, calendar, budget)
    return _certificate("consistent", problem, calendar, {"witness": model})


def certify_conflict(
    problem: Problem, calendar: Calendar, budget: Budget, conflict: Sequence[int] | None = None
) -> Certificate:
    """Return a certificate that facts contradict each other. ``conflict`` is a minimal one if it is already known."""
    numbers = list(conflict if conflict is not None else conflict_among(problem, problem.every, budget) or ())
    needed: list[dict[str, list[int]]] | None = []
    if len(numbers) > _MOST_NEEDED:
        needed = None
    for number in numbers if needed is not None else ():
        model = _model(problem, [other for other in numbers if other != number], budget)
        if model is None:
            raise InternalError("a conflict is not minimal")
        needed.append(model)  # type: ignore[union-attr]
    parts = {"conflict": _positions(problem, numbers), "needed": needed, "proof": _proof(problem, numbers, budget)}
    return _certificate("inconsistent", problem, calendar, parts)


def certify_entailment(problem: Problem, calendar: Calendar, query: Link, budget: Budget) -> Certificate:
    """Return a certificate about a link, or of the contradiction if the facts contradict each other."""
    dates = problem.values[problem.droppable - len(problem.document_links) :]
    with_query = problem.with_assumptions(Assumptions((query,), dates))
    without = problem.with_assumptions(Assumptions((query._replace(relation=~query.relation),), dates))
    holding, failing = (_model(world, world.every, budget) for world in (with_query, without))
    if holding is not None and failing is not None:
        parts: dict[str, Any] = {"witness": holding, "countermodel": failing}
        return _certificate("open", problem, calendar, parts, query)
    if holding is None and failing is None:
        return certify_conflict(problem, calendar, budget)
    claim, world = ("entailed", without) if holding is not None else ("refuted", with_query)
    numbers = conflict_among(world, world.every, budget) or []
    parts = {
        "witness": holding or failing,
        "conflict": [*_positions(world, numbers), "query"],
        "proof": _proof(world, numbers, budget),
    }
    return _certificate(claim, problem, calendar, parts, query)


def certify_repair(problem: Problem, calendar: Calendar, grounds: GroundedRepair, budget: Budget) -> Certificate:
    """Return a certificate of a repair, which may drop values, too."""
    from temporacle.reasoner.repairproof import CLAIM, repair_form

    gone = set(grounds.dropped)
    witness = _model(problem, [number for number in problem.every if number not in gone], budget)
    if witness is None:
        raise InternalError("a repaired document is not consistent")
    say = (lambda number: _position(problem, number), lambda conflict: _proof(problem, conflict, budget))
    facts = problem.facts[: problem.droppable]
    return _certificate(CLAIM, problem, calendar, repair_form(grounds, facts, witness, say, budget))


def _certificate(
    claim: str, problem: Problem, calendar: Calendar, parts: dict[str, Any], query: Link | None = None
) -> Certificate:
    own = problem.droppable - len(problem.document_links)
    records = [
        {**fact.to_record(), "fact": fact.id if number < own else None}
        for number, fact in enumerate(problem.values)
        if number < own or (query is not None and fact.entity in query.entities)
    ]
    form = {"calendar": calendar.to_dict(), "values": records, "unit": problem.unit, **parts}
    return Certificate(claim, problem.document_links, query, form=form)


def _model(problem: Problem, facts: Sequence[int], budget: Budget) -> dict[str, list[int]] | None:
    """Return times of the entities that the facts mention."""
    found = judge(problem, facts, budget)
    if not isinstance(found, Model):
        return None
    times = witness_of(problem, facts, found, budget)
    return {name: list(each) for name, each in times.items()}


def _positions(problem: Problem, numbers: Sequence[int]) -> list[Any]:
    return [_position(problem, number) for number in numbers]


def _position(problem: Problem, number: int) -> Any:
    """Return the place of a fact in the certificate: a position in links or values, or the query."""
    links = len(problem.document_links)
    if number < links:
        return number
    if number < problem.droppable:
        return ["value", number - links]
    if isinstance(problem.facts[number], Link):
        return "query"
    assumed_links = len(problem.network.links) - links
    return ["value", number - links - assumed_links]


def _proof(problem: Problem, numbers: Sequence[int], budget: Budget) -> list[dict[str, Any]]:
    return [_step(problem, step) for step in refute(problem, numbers, budget)]


def _step(problem: Problem, step: MetricCycle | ProofSplit) -> dict[str, Any]:
    if isinstance(step, MetricCycle):
        return {"cycle": [_edge(problem, edge) for edge in step.edges]}
    cases = [[list(relation.atoms), place] for relation, place in step.cases]
    return {"split": _position(problem, step.link), "cases": cases}


def _edge(problem: Problem, edge: WeightedEdge) -> list[Any]:
    seconds = -(-edge.weight // problem.unit)
    strict = edge.weight != seconds * problem.unit
    fact = None if edge.fact is None else _position(problem, edge.fact)
    return [problem.name(edge.left), problem.name(edge.right), seconds, strict, fact]
