"""Proofs of any size that links cannot all be true: clauses, and what follows from them by unit propagation.

Some thousand cases are too many to write down as a tree (``disjunctions.cases``). A CDCL solver that refutes the links
learns clauses on the way, and each of them follows from those before it by *reverse unit propagation*: make all its
literals false, and unit propagation ends in a contradiction. The list of them, up to the empty clause, is a proof
(DRUP) that a short program can check without searching (``temporacle.checker``). ``with_hints`` leaves out what is not
needed, and adds why each lemma follows (as LRAT does: Cruz-Filipe et al. 2017).

The clauses are those of the search for conflicts (``disjunctions.cores``), without selectors: prime implicates of
single links, and what holds for all intervals (transitivity of three endpoints, and what is true of any two entities).
So each is justified on its own. Path consistency takes no part here: what it narrows follows from several links at
once.
"""

from __future__ import annotations

import json
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InternalError
from temporacle.reasoner.disjunctions.cores import SelectedLinks
from temporacle.reasoner.disjunctions.sat import Cdcl
from temporacle.results import ClausalProof

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.reasoner.disjunctions.completion import Triangles
    from temporacle.reasoner.network import Budget, Network

    Justified = tuple[tuple[int, ...], int | None]
    _Watched = tuple[int, list[int]]  # a clause by number, and its literals that were not false: two first are watched

_ENDS = ("start", "end")


class RecordingCdcl(Cdcl):
    """A solver that keeps its clauses, for a proof."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget, with_proof=True)
        self.clauses: list[list[int]] = []

    def add(self, clauses: Iterable[list[int]]) -> None:
        listed = list(clauses)
        self.clauses += listed
        super().add(listed)


def refute_by_clauses(network: Network, budget: Budget) -> ClausalProof | None:
    """Return a proof that the links cannot all be true; None if they can."""
    solver = RecordingCdcl(budget)
    try:
        links = SelectedLinks(len(network.entities), network.constraints, budget, solver, switched=False)
        if links.core(range(len(network.links))) is None:
            return None
        lemmas = [*solver.learnt(), ()]
    finally:
        solver.close()
    justified = zip(map(tuple, solver.clauses), chain(links.clause_links(), repeat(None)), strict=False)
    return _compact(list(justified), lemmas, variables_of(network, links.order, links.triangles), budget)


def variables_of(network: Network, order: Sequence[int], triangles: Triangles) -> list[tuple[str, str]]:
    """Return the meanings of the solver's variables, starting with the first."""
    found = []
    for x, y in zip(triangles.first.tolist(), triangles.second.tolist(), strict=True):
        first, second = network.entities[order[x]], network.entities[order[y]]
        for left_end in _ENDS:
            for right_end in _ENDS:
                left, right = f"{first}.{left_end}", f"{second}.{right_end}"
                found += [(left, right), (right, left)]
    return found


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


# ----------------------------------------------------------------------------------------------------
# Hints for clausal proofs: which clauses show that a lemma follows, and which lemmas are not needed at all.
#
# A solver writes down what it learns (DRUP), not why. Here each lemma is derived again by unit propagation, and the
# clauses that took part, in the order in which they become unit, are its hints (LRAT). With them a checker looks at
# each clause only where it is needed, so that it takes time about linear in the proof.
#
#     1  whatever follows at once from the clauses so far becomes a lemma of one literal, so that later hints name
#     that
#        lemma instead of everything behind it
#     2  the lemmas of the solver are taken as they are, until the empty lemma follows
#     3  from the last lemma to the first (Goldberg and Novikov 2003): each one that something rests on is derived from
#        what was known when it was added. Make its literals false, propagate, and go back from the contradiction
#        through the reasons. A lemma that nothing rests on is left out: most are
#
# Unit propagation watches two literals of each clause.


class Hinted(NamedTuple):
    """A proof of lemmas. Hints number the clauses from 0, and the lemmas after them."""

    clauses: list[int]  # positions of the clauses that are used
    lemmas: list[tuple[int, ...]]  # the last one is empty, if the clauses contradict each other
    hints: list[tuple[int, ...]]
    targets: list[int]  # positions of the lemmas that are wanted for themselves


def with_hints(
    clauses: Sequence[Sequence[int]], lemmas: Iterable[Sequence[int]], variables: int, budget: Budget
) -> Hinted:
    """Return the part of a DRUP proof that is needed, with hints. Raise InternalError if it is not a proof."""
    derivation = Derivation(variables)
    for number, clause in enumerate(clauses):
        if number % 1024 == 0:
            budget.check()
        derivation.add_clause(clause)
        if derivation.is_done:
            break
    for number, lemma in enumerate(lemmas):
        if derivation.is_done:
            break
        if number % 64 == 0:
            budget.check()
        derivation.add_lemma(lemma)
    if not derivation.is_done:
        raise InternalError("the solver's proof ends without a contradiction")
    return derivation.needed(budget=budget)


class Derivation:
    """Clauses and lemmas by number, under unit propagation. Lists indexed by literals have negative ones at the end."""

    def __init__(self, variables: int) -> None:
        self.is_done = False
        self._literals: list[Sequence[int]] = []
        self._hints: list[tuple[int, ...] | None] = []  # None: a clause
        self._pending: set[int] = set()  # lemmas that have not been derived
        # By number: how long the trail was when a clause or lemma was added, and what watches it.
        self._added: dict[int, tuple[int, _Watched | None]] = {}
        self._clauses: list[int] = []  # their numbers; lemmas stand between them
        self._value = [0] * (2 * variables + 1)  # 1 true, -1 false, 0 open
        self._watching: list[list[_Watched]] = [[] for _ in self._value]
        self._trail: list[int] = []  # literals that are true, in the order in which they became so
        self._reason: dict[int, int] = {}  # by true literal: the clause that made it true
        self._settled: dict[int, int] = {}  # by literal that is true for good: the lemma or clause that says so

    def add_clause(self, clause: Sequence[int]) -> None:
        """Add a clause to start from."""
        self._clauses.append(self._write(clause, None))
        self._attach(self._clauses[-1], clause)

    def add_lemma(self, lemma: Sequence[int]) -> None:
        """Add a lemma that should follow, unless it says less than what is known. ``needed`` derives it."""
        if not any(literal in self._settled for literal in lemma):
            number = self._write(tuple(lemma), ())
            self._pending.add(number)
            self._attach(number, lemma)

    def add_target(self, lemma: Sequence[int]) -> int:
        """Derive a lemma that is wanted for itself, add it, and return its number."""
        known = next((self._settled[literal] for literal in lemma if literal in self._settled), None)
        if known is not None:
            return self._write(tuple(lemma), (known,))
        number = self._write(tuple(lemma), self._derived(lemma))
        self._attach(number, lemma)
        return number

    def _derived(self, lemma: Sequence[int]) -> tuple[int, ...]:
        """Return the clauses that show that a lemma follows."""
        start = len(self._trail)
        for literal in lemma:
            if not self._value[literal]:
                self._set(-literal)
        conflict = self._propagate(start)
        if conflict is None:
            raise InternalError("a lemma of the solver's proof does not follow")
        hints = self._behind(conflict, start, {-literal for literal in lemma})
        self._open(start)
        return hints

    def _open(self, start: int) -> None:
        """Forget which literals became true from a place in the trail on."""
        for literal in self._trail[start:]:
            self._value[literal] = self._value[-literal] = 0
            self._reason.pop(literal, None)
            self._settled.pop(literal, None)
        del self._trail[start:]

    def _take_back(self, number: int) -> None:
        """Return to what was known before a clause or lemma was added, if all after it have been taken back."""
        start, entry = self._added.pop(number, (None, None))
        if start is not None:
            self._open(start)
        if entry is not None:
            for literal in entry[1][:2]:
                self._watching[literal].remove(entry)

    def needed(self, targets: Sequence[int] = (-1,), budget: Budget | None = None) -> Hinted:
        """Return what lemmas rest on: the last one, which is empty, or those with these numbers.

        This is the end of a derivation: it is taken back, down to the first lemma that was not derived.
        """
        used = [False] * len(self._literals)
        for target in targets:
            used[target] = True
        first = min(self._pending, default=len(used))
        for number in range(len(used) - 1, -1, -1):
            if number >= first:
                self._take_back(number)
            if used[number]:
                if number in self._pending:
                    if budget is not None:
                        budget.check()
                    self._hints[number] = self._derived(self._literals[number])
                for hint in self._hints[number] or ():
                    used[hint] = True
        clauses = [number for number in self._clauses if used[number]]
        lemmas = [number for number, is_used in enumerate(used) if is_used and self._hints[number] is not None]
        place = {number: position for position, number in enumerate((*clauses, *lemmas))}
        return Hinted(
            [position for position, number in enumerate(self._clauses) if used[number]],
            [tuple(self._literals[number]) for number in lemmas],
            [tuple(place[hint] for hint in self._hints[number] or ()) for number in lemmas],
            [place[target] - len(clauses) for target in targets if target >= 0],
        )

    def _write(self, literals: Sequence[int], hints: tuple[int, ...] | None) -> int:
        self._literals.append(literals)
        self._hints.append(hints)
        return len(self._literals) - 1

    def _attach(self, number: int, clause: Sequence[int]) -> None:
        """Use a clause from now on, and settle what follows from it at once."""
        if any(literal in self._settled for literal in clause):
            return
        start = len(self._trail)
        self._added[number] = start, None
        left = [literal for literal in dict.fromkeys(clause) if not self._value[literal]]
        if len(left) > 1:
            entry = number, left
            self._added[number] = start, entry
            self._watching[left[0]].append(entry)
            self._watching[left[1]].append(entry)
            return
        conflict: int | None = number
        if left:
            self._set(left[0], number)
            conflict = self._propagate(start)
        for literal in self._trail[start:]:
            self._settle(literal, self._reason[literal])
        if conflict is not None:
            self._write((), (*self._settling(self._literals[conflict]), conflict))
            self.is_done = True

    def _settle(self, literal: int, reason: int) -> None:
        """Write a lemma that says that a literal is true for good, unless a clause says just that."""
        others = self._settling(other for other in self._literals[reason] if other != literal)
        self._settled[literal] = self._write((literal,), (*others, reason)) if others else reason

    def _settling(self, literals: Iterable[int]) -> list[int]:
        """Return what settles that literals are false."""
        return list(dict.fromkeys(self._settled[-literal] for literal in literals))

    def _behind(self, conflict: int, start: int, assumed: set[int]) -> tuple[int, ...]:
        """Return the clauses behind a contradiction: settled literals, then reasons as they became unit."""
        needed = {-literal for literal in self._literals[conflict]}
        reasons = [conflict]
        for literal in reversed(self._trail[start:]):
            if literal in needed and literal in self._reason:
                reason = self._reason[literal]
                reasons.append(reason)
                needed.update(-other for other in self._literals[reason] if other != literal)
        settled = dict.fromkeys(
            self._settled[literal] for literal in sorted(needed - assumed) if literal in self._settled
        )
        return (*settled, *reversed(reasons))

    def _set(self, literal: int, reason: int | None = None) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._trail.append(literal)
        if reason is not None:
            self._reason[literal] = reason

    def _propagate(self, place: int) -> int | None:
        """Follow up the literals from a place in the trail on. Return a clause without a literal that can be true."""
        value, watching, trail = self._value, self._watching, self._trail
        while place < len(trail):
            false = -trail[place]
            place += 1
            watchers = watching[false]
            watching[false] = kept = []
            for position, entry in enumerate(watchers):
                number, clause = entry
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] <= 0:
                    for other in range(2, len(clause)):
                        if value[clause[other]] >= 0:
                            clause[1], clause[other] = clause[other], false
                            watching[clause[1]].append(entry)
                            break
                    else:
                        kept.append(entry)
                        if value[first]:
                            kept += watchers[position + 1 :]
                            return number
                        self._set(first, number)
                    continue
                kept.append(entry)
        return None


# ----------------------------------------------------------------------------------------------------
# Clausal proofs as lines, for a file of their own that a checker reads without holding it as a whole.
#
# A clause is written just before the first lemma that needs it, and given up after the last one, so that few are in use
# at any line. docs/checker.md has the form.


def proof_lines(proof: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a clausal proof with hints that is in the documented form."""
    clauses, lemmas, hints = proof["clauses"], proof["lemmas"], proof["hints"]
    for left, right in proof["variables"]:
        yield _line("v", left, right)
    last_use = {number: place for place, named in enumerate(hints) for number in named}
    place_of: dict[int, int] = {}  # by number in the proof, the number in the file
    for place, (lemma, named) in enumerate(zip(lemmas, hints, strict=True)):
        for number in named:
            if number not in place_of:
                place_of[number] = len(place_of)
                yield _line("c", *clauses[number])
        yield _line("l", lemma, [place_of[number] for number in named])
        place_of[len(clauses) + place] = len(place_of)
        done = sorted(place_of[number] for number in set(named) if last_use[number] == place)
        if done and place < len(lemmas) - 1:  # the empty lemma is the last line
            yield _line("d", done)


def _line(*parts: Any) -> str:
    return json.dumps(parts, separators=(",", ":")) + "\n"
