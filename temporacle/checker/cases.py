"""Proofs by cases: a tree of splits whose leaves are cycles."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .atoms import follows
from .form import as_atoms, as_list, is_int, is_list, is_number, require

if TYPE_CHECKING:
    from .clock import Clock
    from .facts import Fact


def check(steps: list[Any], facts: dict[Any, Fact], clock: Clock | None) -> None:
    """Check that each step is reached once, by an earlier split, with the atoms that split links still allow there."""
    allowed: dict[int, dict[Any, frozenset[str]]] = {0: {}}
    for place, step in enumerate(steps):
        require(place in allowed, f"proof step {place} is not used")
        atoms = allowed.pop(place)
        if "cycle" in step:
            if clock is None:
                _check_cycle(step["cycle"], facts, atoms, place)
            else:
                from .seconds import add_up

                add_up(step["cycle"], facts, atoms, clock, f"proof step {place}")
            continue
        number = step["split"]
        require(number in facts, f"proof step {place} splits a link that is not in the conflict")
        before = atoms.get(number, facts[number][1])
        covered = frozenset(atom for relation, _ in step["cases"] for atom in relation)
        require(before <= covered, f"proof step {place} leaves out a case")
        for relation, later in step["cases"]:
            require(place < later < len(steps) and later not in allowed, f"proof step {place} names a wrong step")
            allowed[later] = atoms | {number: before & frozenset(relation)}


def _check_cycle(edges: list[list[Any]], facts: dict[Any, Any], atoms: dict[Any, frozenset[str]], place: int) -> None:
    for (left, sign, right, number), following in pairwise([*edges, *edges[:1]]):
        step = f"proof step {place}: {left} {sign} {right}"
        require(right == following[0], f"{step} is not continued")
        if number is None:
            entity = left.removesuffix(".start")
            require((left, right) == (f"{entity}.start", f"{entity}.end"), f"{step} is not based on a link")
        else:
            require(number in facts, f"{step} is based on a link that is not in the conflict")
            still = atoms.get(number, facts[number][1])
            require(follows(left, sign, right, facts[number], still), f"{step} does not follow")
    require(any(edge[1] == "<" for edge in edges), f"proof step {place}: the cycle is not strict")


def check_form(steps: Any, *, with_seconds: bool) -> None:
    """Check that every step is a cycle or a split."""
    for place, step in enumerate(as_list(steps, "proof")):
        _check_step(step, f"proof step {place}", with_seconds=with_seconds)


def _check_step(step: Any, name: str, *, with_seconds: bool) -> None:
    require(isinstance(step, dict) and set(step) in ({"cycle"}, {"split", "cases"}), f"{name}: neither cycle nor split")
    if with_seconds:
        from .seconds import check_edges

        check_edges(step.get("cycle", []), name)
    for edge in as_list(step.get("cycle", []), name) if not with_seconds else ():
        require(is_list(edge, 4) and all(isinstance(part, str) for part in edge[:3]), f"{name}: a bad edge")
        require(edge[1] in ("<", "<=") and (edge[3] is None or is_number(edge[3])), f"{name}: a bad edge")
    require("split" not in step or is_number(step["split"]), f"{name}: splits no link")
    for case in as_list(step.get("cases", []), name):
        require(is_list(case, 2) and is_int(case[1]), f"{name}: a bad case")
        as_atoms(case[0], name)
