"""Unit propagation of the checker against a naive twin, on small random clauses."""

from random import Random

import pytest

from temporacle.checker import Rejected
from temporacle.checker.refutations import check_hinted, check_unhinted, contradicts, follows_by_hints


def naive(clauses, supposed=()):
    """Return whether unit propagation ends in a contradiction."""
    true = set(supposed)
    while True:
        if any(-literal in true for literal in true):
            return True
        before = len(true)
        for clause in clauses:
            left = {literal for literal in clause if -literal not in true}
            if not left:
                return True
            if len(left) == 1 and not left & true:
                true |= left
        if len(true) == before:
            return False


def clause(rng, variables, longest=4):
    return [
        rng.choice((1, -1)) * rng.randint(1, variables)
        for _ in range(rng.randint(0 if rng.random() < 0.03 else 1, longest))
    ]


@pytest.mark.parametrize("variables", [1, 2, 3, 5])
def test_against_the_twin(variables):
    """Also when clauses are added one by one, and what became true stays so."""
    rng = Random(f"propagation {variables}")
    answers = set()
    for _ in range(60):
        clauses, true = [], set()
        for _ in range(3 * variables + 2):
            clauses.append(clause(rng, variables))
            expected = naive(clauses)
            assert contradicts(list(map(frozenset, clauses)), true) is expected
            answers.add(expected)
            if expected:
                break
    assert answers == {True, False}


def accepts(check, *arguments):
    try:
        check(*arguments)
    except Rejected:
        return False
    return True


def test_lemmas_against_the_twin():
    rng = Random("lemmas")
    verdicts = set()
    for _ in range(150):
        clauses = [clause(rng, 3, 3) or [1] for _ in range(rng.randint(2, 9))]
        lemmas = [clause(rng, 3, 2) for _ in range(rng.randint(0, 4))]
        expected, so_far = True, list(clauses)
        for lemma in lemmas:
            if naive(so_far):
                break
            expected = expected and naive(so_far, [-literal for literal in lemma])
            so_far.append(lemma)
        expected = expected and naive(so_far)
        assert accepts(check_unhinted, clauses, lemmas) is expected
        verdicts.add(expected)
    assert verdicts == {True, False}


def test_hints():
    clauses = {0: [1, 2], 1: [1, -2], 2: [-1, 2], 3: [-1, -2]}
    assert follows_by_hints([1], [0, 1], clauses) is True
    assert follows_by_hints([1], [0], clauses) is False
    assert follows_by_hints([], [0, 1], clauses) is False
    assert follows_by_hints([1, -1], [3, 2], clauses) is True  # a lemma that always holds
    assert follows_by_hints([1, -1], [], clauses) is False
    with pytest.raises(Rejected, match="a hint names no clause before the lemma"):
        follows_by_hints([1], [4], clauses)
    check_hinted(list(clauses.values()), [[1], []], [[0, 1], [4, 2, 3]])
