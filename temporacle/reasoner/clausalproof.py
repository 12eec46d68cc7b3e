"""Proofs of any size that links cannot all be true: clauses, and what follows from them by unit propagation.

Some thousand cases are too many to write down as a tree (``proofs``). A CDCL solver that refutes the links learns
clauses on the way, and each of them follows from those before it by *reverse unit propagation*: make all its literals
false, and unit propagation ends in a contradiction. The list of them, up to the empty clause, is a proof (DRUP) that a
short program can check without searching (``temporacle.checker``). ``hints`` leaves out what is not needed, and adds
why each lemma follows.

The clauses it starts from are prime implicates of single links, or hold for all intervals: transitivity of three
endpoints, and what is true of any two entities. So each is justified on its own. Path consistency takes no part here:
what it narrows follows from several links at once.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from temporacle.errors import InternalError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.cdcl import Cdcl
from temporacle.reasoner.chordal import complete
from temporacle.reasoner.clausearrays import broken_rows, codes_of, implicate_clauses, open_rows, row_clauses
from temporacle.reasoner.clauses import LOCAL, implicates
from temporacle.reasoner.hints import with_hints
from temporacle.reasoner.network import TooLarge
from temporacle.reasoner.search import MOST_TRIANGLES, TIGHT
from temporacle.reasoner.triangles import Triangles
from temporacle.results import ClausalProof

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from temporacle.reasoner.masktables import Masks
    from temporacle.reasoner.network import Budget, Network

    Justified = tuple[tuple[int, ...], int | None]

_ENDS = ("start", "end")


def refute_by_clauses(network: Network, budget: Budget) -> ClausalProof | None:
    """Return a proof that the links cannot all be true; None if they can."""
    size = len(network.entities)
    completion = complete(size, ((source, target) for source, _, target in network.constraints))
    if completion.count_triangles() > MOST_TRIANGLES:
        raise TooLarge(f"{completion.count_triangles():,} triangles of entities are too many to search")
    triangles = Triangles(completion)
    bases = LOCAL * np.arange(triangles.pairs, dtype=np.int32)
    solver = Cdcl(budget, with_proof=True)
    clauses: list[Justified] = []

    def add(some: Iterable[list[int]], link: int | None = None) -> None:
        listed = list(some)
        clauses.extend((tuple(clause), link) for clause in listed)
        solver.add(listed)

    try:
        labels = _add_links(network, completion.order, triangles, add)
        for some in implicate_clauses(bases, np.full(triangles.pairs, ALL, np.uint16)):
            add(some)
        sizes = np.bitwise_count(labels)
        ij, jk, ik = triangles.sides
        tight = np.flatnonzero(sizes[ij] + sizes[jk] + sizes[ik] <= TIGHT)
        rows = open_rows(np.full(triangles.pairs, ALL, np.uint16), triangles)
        for some in row_clauses(triangles, bases, tight, rows[tight]):
            add(some)
        while solver.solve():
            codes = codes_of(np.array(solver.values(LOCAL * triangles.pairs), bool), bases)
            broken = broken_rows(codes, triangles)
            if not broken.any():
                return None
            violated = np.flatnonzero(broken)
            for some in row_clauses(triangles, bases, violated, broken[violated]):
                budget.check()
                add(some)
        return _compact(clauses, _lemmas(solver.proof()), _variables(network, completion.order, triangles), budget)
    finally:
        solver.close()


def _add_links(
    network: Network, order: Sequence[int], triangles: Triangles, add: Callable[[Iterable[list[int]], int | None], None]
) -> Masks:
    """Return the prime implicates of every link, and the relation of every pair."""
    place = {entity: position for position, entity in enumerate(order)}
    universal = set(implicates(ALL))
    labels = np.full(triangles.pairs, ALL, np.uint16)
    for number, (source, mask, target) in enumerate(network.constraints):
        if source == target:
            continue
        first, second = place[source], place[target]
        stated = mask if first < second else converse(mask)
        pair = int(triangles.number[min(first, second), max(first, second)])
        labels[pair] &= stated
        base = LOCAL * pair
        add(
            (
                [literal + base if literal > 0 else literal - base for literal in clause]
                for clause in implicates(stated)
                if clause not in universal
            ),
            number,
        )
    return labels


def _variables(network: Network, order: Sequence[int], triangles: Triangles) -> list[tuple[str, str]]:
    """Return the meanings of the solver's variables, starting with the first."""
    found = []
    for x, y in zip(triangles.first.tolist(), triangles.second.tolist(), strict=True):
        first, second = network.entities[order[x]], network.entities[order[y]]
        for left_end in _ENDS:
            for right_end in _ENDS:
                left, right = f"{first}.{left_end}", f"{second}.{right_end}"
                found += [(left, right), (right, left)]
    return found


def _lemmas(lines: Iterable[str]) -> list[tuple[int, ...]]:
    """Return the learnt clauses, up to the empty one. Deletions are ignored; they only save memory."""
    lemmas = []
    for line in lines:
        if not line.startswith("d"):
            *literals, zero = map(int, line.split())
            if zero:
                raise InternalError("the solver wrote a proof in an unknown form")
            lemmas.append(tuple(literals))
            if not literals:
                return lemmas
    return [*lemmas, ()]  # clauses that contradict each other by unit propagation need no lemma but the empty one


def _compact(
    clauses: list[Justified], lemmas: list[tuple[int, ...]], meanings: list[tuple[str, str]], budget: Budget
) -> ClausalProof:
    """Return the clauses and lemmas that are needed, with hints, and only variables that occur, numbered from 1."""
    different = list(dict.fromkeys(clauses))
    needed = with_hints([clause for clause, _ in different], lemmas, len(meanings), budget)
    kept = [different[number] for number in needed.clauses]
    used = {abs(literal) for literal in chain(*(clause for clause, _ in kept), *needed.lemmas)}
    number = {variable: position for position, variable in enumerate(sorted(used), 1)}

    def renumbered(clause: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(number[literal] if literal > 0 else -number[-literal] for literal in clause)

    return ClausalProof(
        tuple(meanings[variable - 1] for variable in sorted(used)),
        tuple((renumbered(clause), link) for clause, link in kept),
        tuple(map(renumbered, needed.lemmas)),
        tuple(needed.hints),
    )
