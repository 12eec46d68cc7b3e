"""Proofs with values of time expressions: circles of edges that say how many seconds lie between two endpoints."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .atoms import EXAMPLES, follows
from .clock import is_edge
from .form import as_list, check_fields, is_int, is_list, is_number, key, require
from .propagation import Propagation, check_lemmas, is_clause

if TYPE_CHECKING:
    from .clock import Clock
    from .facts import Fact

CHOICES = {"choices", "cycles", "lemmas"}


def add_up(edges: list[list[Any]], facts: dict[Any, Fact], atoms: dict[Any, Any], clock: Clock, name: str) -> None:
    """Check that edges with seconds form a circle, each implied by its fact, whose sum is impossible."""
    for (left, right, seconds, strict, number), following in pairwise([*edges, *edges[:1]]):
        step, fact_key = f"{name}: {left} to {right}", key(number)
        require(right == following[0], f"{step} is not continued")
        if fact_key is None:
            entity = left.removesuffix(".end")
            own = (f"{entity}.end", f"{entity}.start", 0) == (left, right, seconds)
            require(own or (left, right, seconds, strict) in clock.zone, f"{step} rests on no fact")
            continue
        require(fact_key in facts, f"{step} rests on a fact that is not in the conflict")
        fact = facts[fact_key]
        if isinstance(fact, list):
            require((left, right, seconds, strict) in fact, f"{step}: the value does not say this")
        else:
            still = atoms.get(fact_key, fact[1])
            if fact[0] == fact[2]:  # an entity equals itself, and nothing else
                still &= {"="}
            holds = follows(right, "<" if strict else "<=", left, fact, still)
            require(seconds == 0 and holds, f"{step} does not follow")
    total = sum(edge[2] for edge in edges)
    require(total < 0 or (total == 0 and any(edge[3] for edge in edges)), f"{name}: the circle is possible")


def check_choices(proof: dict[str, Any], facts: dict[Any, Fact], clock: Clock) -> None:
    """Check that every circle excludes its choices of atoms, and that the lemmas leave no choice."""
    chosen: dict[Any, dict[int, str]] = {}  # by link: the atoms of its variables
    atoms: dict[Any, frozenset[str]] = {}
    extended = dict(facts)
    for variable, (number, atom) in enumerate(proof["choices"], 1):
        require(number in facts, f"choice {variable} is of a link that is not in the conflict")
        chosen.setdefault(number, {})[variable] = atom
        extended["choice", variable] = facts[number]
        atoms["choice", variable] = frozenset({atom})
    known = Propagation(len(proof["choices"]))
    for number, variables in chosen.items():
        offered = frozenset(variables.values())
        require(facts[number][1] <= offered, f"the choices of link {number} leave out an atom")
        known.add(list(variables))
    for place, edges in enumerate(proof["cycles"]):
        add_up(edges, extended, atoms, clock, f"proof cycle {place}")
        used = {edge[4][1] for edge in edges if is_list(edge[4], 2) and edge[4][0] == "choice"}
        known.add([-variable for variable in sorted(used)])
    check_lemmas(proof["lemmas"], known)


def check_choices_form(proof: Any) -> None:
    """Check the form of a proof by choices."""
    check_fields(proof, CHOICES, "proof")
    for entry in as_list(proof["choices"], "proof choices"):
        good = is_list(entry, 2) and is_number(entry[0]) and isinstance(entry[1], str) and entry[1] in EXAMPLES
        require(good, "proof: a bad choice")
    require(len({tuple(entry) for entry in proof["choices"]}) == len(proof["choices"]), "proof: a choice twice")
    most = len(proof["choices"])
    for cycle in as_list(proof["cycles"], "proof cycles"):
        check_edges(cycle, "proof cycle", most)
    for lemma in as_list(proof["lemmas"], "proof lemmas"):
        require(is_clause(lemma, most), "proof: a bad lemma")


def check_edges(edges: Any, name: str, choices: int = 0) -> None:
    """Check the form of edges with seconds."""
    for edge in as_list(edges, name):
        require(is_list(edge, 5) and is_edge(edge), f"{name}: a bad edge")
        fact = edge[4]
        if isinstance(fact, list):
            good = len(fact) == 2 and fact[0] in ("value", "choice") and is_int(fact[1])
            require(good and (fact[0] == "value" or 1 <= fact[1] <= choices), f"{name}: a bad edge")
        else:
            require(fact is None or is_number(fact), f"{name}: a bad edge")
