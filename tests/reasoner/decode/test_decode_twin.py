"""The decoder against every labelling, and against a mixed integer program with all transitivity."""

from random import Random

import pytest
from decode_twin import all_labellings, document_of, random_document, rank_of

from bench.direct_decode import best_by_highs
from temporacle.reasoner.decode import decode as parts
from temporacle.reasoner.decode.decode import Impossible, decode_document
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Budget, Network
from temporacle.scored import UNIT, Objective

ALTERNATIVES = 3


def compared(document, objective):
    """Check everything that is said about a document; returns whether it is possible."""
    every = all_labellings(document, objective)
    found = decode_document(document, objective, Budget(), alternatives=ALTERNATIVES, margins=True)
    if not every:
        assert isinstance(found, Impossible)
        assert not is_consistent(Network(found.because), Budget())
        for link in found.because:
            assert is_consistent(Network(other for other in found.because if other is not link), Budget())
        return False
    best = max(value for value, _ in every)
    assert found.value == found.bound == best
    assert not found.undecided
    first = min(
        [rank_of(pair, place, objective) for pair, place in zip(document.pairs, places, strict=True)]
        for value, places in every
        if value == best
    )
    places = tuple(place for _, place in first)
    assert tuple(link.label for link in found.links()) == tuple(
        pair.labels[place].label for pair, place in zip(document.pairs, places, strict=True)
    )
    ranked = sorted((value for value, _ in every), reverse=True)
    assert [other.value for other in found.alternatives] == ranked[1 : ALTERNATIVES + 1]
    for number, margin in enumerate(found.margins):
        others = [value for value, own in every if own[number] != places[number]]
        assert margin == (best - max(others) if others else None)
    check_changes(document, found)
    return True


def check_changes(document, found):
    """A reason is a minimal conflict: the best label of its pair with hard labels and those of other pairs."""
    assert [change.pair for change in found.changes] == [pair for pair, rank in found.ranks.items() if rank]
    for change in found.changes:
        others = [link for number, link in enumerate(found.links()) if number != change.pair]
        given = {*others, *document.links}
        pair = found.pairs[change.pair]
        own = pair.link(0)
        assert own in change.because
        assert all(link in given for link in change.because if link != own)
        assert not is_consistent(Network(change.because), Budget())
        for link in change.because:
            assert is_consistent(Network(other for other in change.because if other != link), Budget())


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("objective", [Objective.LOGPROB, Objective.PROB])
def test_everything_is_as_enumeration_says(objective, ties):
    rng = Random(f"{objective} {ties}")
    possible = sum(compared(random_document(rng, ties=ties), objective) for _ in range(150))
    assert 75 < possible < 150


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_everything_is_as_enumeration_says_in_many_cases(seed):
    rng = Random(seed)
    for number in range(1000):
        compared(random_document(rng, ties=number % 3 == 0), rng.choice((Objective.LOGPROB, Objective.WEIGHT)))


def test_cpsat_gives_the_same_when_branch_and_bound_has_no_patience(monkeypatch):
    monkeypatch.setattr(parts, "_PATIENCE", 0)
    monkeypatch.setattr(parts, "_LESS_PATIENCE", 0)
    rng = Random(5)
    for number in range(25):
        compared(random_document(rng, ties=number % 2 == 0), Objective.PROB)


def medium_record(rng, entities, pairs):
    """Entities in a hidden order, scores that know it more or less."""
    place = [rng.random() for _ in range(entities)]
    listed = []
    for _ in range(pairs):
        a, b = rng.sample(range(entities), 2)
        right = max(0.05, min(0.9, 0.5 + (place[b] - place[a]) + rng.gauss(0, 0.35)))
        scores = {"BEFORE": right, "AFTER": 0.95 - right, "EQUAL": 0.02 + 0.1 * rng.random(), "VAGUE": rng.random() / 3}
        listed.append({"source": f"e{a}", "target": f"e{b}", "scores": {k: round(v, 6) for k, v in scores.items()}})
    return {"document": "medium", "pairs": listed}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_a_mixed_integer_program_finds_the_same_optimum(seed):
    rng = Random(seed)
    document = document_of(medium_record(rng, 6 + seed, 25 + 3 * seed), "matres")
    for objective in (Objective.LOGPROB, Objective.PROB):
        found = decode_document(document, objective, Budget(), alternatives=0)
        assert found.optimal
        assert found.value / UNIT == pytest.approx(best_by_highs(document, objective), abs=1e-6)
        assert found.changes
