"""Tiny random documents with values whose verdict is known: the reference's view of each, and the problem."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import naive_calendar as naive
from calendar_documents import random_document
from library import read

from temporacle.calendar.policy import Calendar, Policy
from temporacle.reasoner.clock.oracle import CalendarOracle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.clock.problem import CalendarProblem

CONVEX, ANY = ("atom", "convex"), ("any", "pointisable", "atom")


def problem_of(record: dict, policy: str = "within") -> CalendarProblem:
    return CalendarOracle(read(record), Calendar(Policy(policy))).problem


def documents(
    seed: str, count: int, kinds: tuple[str, ...], *, consistent: bool, entities: tuple[int, ...] = (2, 3, 3)
) -> Iterator[tuple[naive.Calendar, CalendarProblem, tuple[dict, str]]]:
    """Yield the calendar of the reference, the problem, and record and policy for messages."""
    rng = Random(f"{seed} {kinds} {consistent}")
    while count:
        record = random_document(rng, entities=rng.choice(entities), kinds=kinds)
        policy = rng.choice(naive.POLICIES)
        reference = naive.calendar_of(record, policy)
        if naive.is_consistent(reference) is consistent and len(reference.facts) > 1:
            count -= 1
            yield reference, problem_of(record, policy), (record, policy)


def name_of(problem: CalendarProblem, number: int) -> str:
    return problem.facts[number].id
