"""Scores of large documents, which are judged without a closure, have the same digits as with one."""

from __future__ import annotations

from random import Random

import pytest

from temporacle.model import Document, Link
from temporacle.reasoner import judged
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, Relation, atom_holding
from temporacle.scoring import reduction
from temporacle.scoring.awareness import AwarenessOptions, judge
from temporacle.scoring.metric import Contradictions, PairOptions, Vague
from temporacle.scoring.side import Side


def random_sides(rng: Random) -> tuple[Document, Document]:
    """Two documents with links in common, errors, duplicates, links of an entity with itself, and vague ones."""
    size = rng.randint(2, 12)
    times = [(start, start + rng.randint(1, 5)) for start in (rng.randint(0, 20) for _ in range(size))]
    sides: tuple[list[Link], list[Link]] = ([], [])
    for _ in range(rng.randint(1, 4 * size)):
        source, target = rng.randrange(size), rng.randrange(size)
        atom = atom_holding(times[source], times[target]) if rng.random() < 0.85 else rng.choice(ATOMS)
        relation = ~Relation(0) if rng.random() < 0.05 else Relation.of(atom)
        link = Link("l", f"e{source}", relation, f"e{target}", label=rng.choice(("X", "DURING", "")))
        for side in sides:
            if rng.random() < 0.7:
                side.append(link._replace(id=f"l{len(side)}"))
    return Document("d", sides[0]), Document("d", sides[1])


@pytest.mark.parametrize("contradictions", [Contradictions.SET_ASIDE, Contradictions.REPAIR])
@pytest.mark.parametrize("vague", Vague)
def test_the_same_judgement(contradictions: Contradictions, vague: Vague, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(f"{contradictions}{vague}")
    options = AwarenessOptions(contradictions=contradictions, vague=vague, details=True)
    for _ in range(60):
        gold, system = random_sides(rng)
        expected = judge(gold, system, options)
        with monkeypatch.context() as patched:
            patched.setattr(judged, "_MOST_ROWS", -1)
            found = judge(gold, system, options)
            assert type(Side(gold, Budget()).graph).__name__ == "LargeGraph"
        assert found == expected, (gold.links, system.links)


@pytest.mark.parametrize("relaxed", [False, True])
def test_the_same_reduction_scores(relaxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(relaxed)
    options = PairOptions(relaxed=relaxed)
    for _ in range(80):
        gold, system = random_sides(rng)
        expected = reduction.judge(gold, system, options)
        with monkeypatch.context() as patched:
            patched.setattr(judged, "_MOST_ROWS", rng.choice((0, 8)))
            assert reduction.judge(gold, system, options) == expected, (gold.links, system.links)
