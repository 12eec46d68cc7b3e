"""Answers in words, to be read by people and to be fed back to a model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import ATOM_SIGNS, DIFFERENT, EQ, GT, LT, signs_of
from temporacle.relation import ATOMS
from temporacle.wording import in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.relation import Relation

_WHEN = {LT: "before", LT | EQ: "before or when", EQ: "when", GT | EQ: "after or when", GT: "after"}
_WHEN[DIFFERENT] = "not when"
_VERBS = (("starts", "starts"), ("starts", "ends"), ("ends", "starts"), ("ends", "ends"))  # as in CROSS_PAIRS
_DISPENSABLE = (1, 0, 3, 2)  # which comparison to leave out first
_FEW = 6  # alternatives that are listed; of more, those that are ruled out are


def relation_sentence(source: str, relation: Relation, target: str) -> str:
    """Return what a relation means, in terms of starts and ends.

    >>> from temporacle.relation import Relation
    >>> relation_sentence("x", Relation("b|m"), "y")
    'x ends before or when y starts'
    >>> relation_sentence("x", Relation("d"), "y")
    'x starts after y starts, and x ends before y ends'
    >>> relation_sentence("x", Relation("b|bi"), "y")
    'either x ends before y starts, or x starts after y ends'
    """
    if not relation:
        return f"{source} and {target} cannot have any relation"
    steps = _comparisons(int(relation))
    if steps is not None:
        said = [f"{source} {_VERBS[pair][0]} {when} {target} {_VERBS[pair][1]}" for pair, when in steps]
        return ", and ".join(said) or f"{source} and {target} can have any relation"
    if len(relation.atoms) <= _FEW:
        return "either " + ", or ".join(in_words(source, each, target) for each in _single(relation))
    ruled_out = "; ".join(in_words(source, each, target) for each in _single(~relation))
    return f"{source} and {target} can have any relation except: {ruled_out}"


def _single(relation: Relation) -> list[Relation]:
    return [type(relation)(atom) for atom in relation.atoms]


@cache
def _comparisons(mask: int) -> tuple[tuple[int, str], ...] | None:
    """Return the fewest comparisons of endpoints that mean a relation, in order; None if no set of them does."""
    signs = signs_of(mask)

    def meaning(pairs: Sequence[int]) -> int:
        fitting = (k for k in range(len(ATOMS)) if all(ATOM_SIGNS[k][pair] & signs[pair] for pair in pairs))
        return sum(1 << k for k in fitting)

    kept = list(range(4))
    if meaning(kept) != mask:
        return None
    for pair in _DISPENSABLE:
        others = [each for each in kept if each != pair]
        if meaning(others) == mask:
            kept = others
    return tuple((pair, _WHEN[signs[pair]]) for pair in kept)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "statement"), counted(2, "statement")
    ('1 statement', '2 statements')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
