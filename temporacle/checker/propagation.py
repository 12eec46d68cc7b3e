"""Unit propagation, and lemmas that follow by it."""

from __future__ import annotations

from typing import Any

from .form import is_int, require


def is_clause(value: Any, variables: int) -> bool:
    """Return whether it is a list of literals: numbers of variables, negative for false."""
    return isinstance(value, list) and all(is_int(each) and 0 < abs(each) <= variables for each in value)


def check_lemmas(lemmas: list[list[int]], known: Propagation) -> None:
    """Check that each lemma follows from what is known and the lemmas before it, up to a contradiction."""
    for place, lemma in enumerate(lemmas):
        if known.contradictory:
            break
        require(known.refutes_negation(lemma), f"proof lemma {place} does not follow")
        known.add(lemma)
    require(known.contradictory, "the lemmas do not lead to a contradiction")


def check_hinted(clauses: list[list[int]], lemmas: list[list[int]], hints: list[list[int]]) -> None:
    """Check that the hints of each lemma show it, and that the last lemma is empty. Only clauses they name are read."""
    known = dict(enumerate(clauses))
    for place, (lemma, named) in enumerate(zip(lemmas, hints, strict=True)):
        require(follows_by_hints(lemma, named, known), f"proof lemma {place} does not follow by its hints")
        known[len(known)] = lemma
    require(bool(lemmas) and not lemmas[-1], "the lemmas do not lead to a contradiction")


def follows_by_hints(lemma: list[int], hints: list[int], known: dict[int, list[int]]) -> bool:
    """Return whether a lemma follows: all its literals are false, and each hint makes one more literal true.

    A hint names a clause of which all literals but one are false. The first one of which all are false ends the proof.
    """
    true = {-literal for literal in lemma}
    for hint in hints:
        require(hint in known, "a hint names no clause before the lemma")
        left = {literal for literal in known[hint] if -literal not in true}
        if not left:
            return True
        if len(left) > 1:
            return False
        true |= left
    return False


class Propagation:
    """Clauses under unit propagation. Of each clause two literals are watched: while neither is false, it is at rest.

    Lists are indexed by literals, negative ones from the end.
    """

    def __init__(self, variables: int) -> None:
        self.contradictory = False
        self._value = [0] * (2 * variables + 1)  # 1 true, -1 false, 0 open
        self._watching: list[list[list[int]]] = [[] for _ in self._value]
        self._trail: list[int] = []  # literals that are true, in the order in which they became so

    def add(self, clause: list[int]) -> None:
        """Believe a clause for good."""
        value = self._value
        if self.contradictory or any(value[literal] > 0 for literal in clause):
            return
        left = [literal for literal in dict.fromkeys(clause) if not value[literal]]
        if len(left) > 1:
            self._watching[left[0]].append(left)
            self._watching[left[1]].append(left)
            return
        if left:
            self._set(left[0])
        self.contradictory = not left or not self._propagate(len(self._trail) - 1)

    def refutes_negation(self, clause: list[int]) -> bool:
        """Return whether making every literal false ends in a contradiction. The state is restored."""
        value, trail = self._value, self._trail
        before = len(trail)
        refuted = False
        for literal in clause:
            if value[literal] > 0:
                refuted = True
                break
            if not value[literal]:
                self._set(-literal)
        refuted = refuted or not self._propagate(before)
        for literal in trail[before:]:
            value[literal] = value[-literal] = 0
        del trail[before:]
        return refuted

    def _set(self, literal: int) -> None:
        self._value[literal], self._value[-literal] = 1, -1
        self._trail.append(literal)

    def _propagate(self, place: int) -> bool:
        """Follow up the literals from a place in the trail on; False if a clause has none left that could be true."""
        value, watching, trail = self._value, self._watching, self._trail
        while place < len(trail):
            false = -trail[place]
            place += 1
            watchers = watching[false]
            watching[false] = kept = []
            for number, clause in enumerate(watchers):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if value[first] <= 0:
                    for other in range(2, len(clause)):
                        if value[clause[other]] >= 0:
                            clause[1], clause[other] = clause[other], false
                            watching[clause[1]].append(clause)
                            break
                    else:
                        kept.append(clause)
                        if value[first]:
                            kept += watchers[number + 1 :]
                            return False
                        self._set(first)
                    continue
                kept.append(clause)
        return True
