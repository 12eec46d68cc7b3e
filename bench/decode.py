"""How much faster decoding is than stating everything at once, and how far it goes.

The documents are those of the test set of MATRES with the scores of CogCompTime 2.0 (``../shared/corpora/scores``;
without that folder these rows are left out). Both sides get the same documents in the same process, and the optimum of
each is compared. The direct models need seconds for a document, so they get one run of the system; decode gets all 18.

A large document is made up: 500 entities in a hidden order, 5,000 scored pairs, scores that know the order more or
less.
"""

from __future__ import annotations

import json
from itertools import chain
from math import exp
from pathlib import Path
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING

from bench.direct_decode import best_by_cpsat, best_by_highs
from bench.harness import Row, in_turn
from temporacle.io.scores import document_of
from temporacle.io.source import Options
from temporacle.reasoner.decode.decode import Decoded, decode_document
from temporacle.reasoner.network import Budget
from temporacle.scored import Objective, Place, as_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.scored import ScoredDocument

SCORES = Path(__file__).resolve().parents[1].parent / "shared" / "corpora" / "scores"
RUN = "seed102.matres"
LIMIT = 30.0  # seconds for a document in a direct model
LARGE_LIMIT = 60.0  # seconds for the large document
OPTIONS = Options(reading="matres")


def documents(path: Path) -> list[ScoredDocument]:
    records = map(json.loads, path.read_text("utf-8").splitlines())
    return [document_of(record, record["document"], OPTIONS, Place(str(path))) for record in records]


def large(entities: int, pairs: int, noise: float, seed: int) -> ScoredDocument:
    """Scores as a model gives them: the nearer two events are, the less it knows about their order."""
    rng = Random(seed)
    place = [rng.random() for _ in range(entities)]
    listed = []
    for a, b in rng.sample([(a, b) for a in range(entities) for b in range(entities) if a != b], pairs):
        gap = 8 * (place[b] - place[a])
        logits = {"BEFORE": gap, "AFTER": -gap, "EQUAL": -2.0, "VAGUE": -0.5}
        powers = {label: exp(each + rng.gauss(0, noise)) for label, each in logits.items()}
        total = sum(powers.values())
        scores = {label: round(power / total, 6) for label, power in powers.items()}
        listed.append({"source": f"e{a}", "target": f"e{b}", "scores": scores})
    return document_of({"pairs": listed}, "large", OPTIONS, Place(None))


def rows() -> Iterator[Row]:
    return chain(_matres() if SCORES.is_dir() else (), _large())


def _matres() -> Iterator[Row]:
    one = documents(SCORES / f"{RUN}.jsonl")
    every = [each for path in sorted(SCORES.glob("*.matres*.jsonl")) for each in documents(path)]
    optima = [as_number(_decoded(each).value) for each in one]  # pays for imports, too
    all_of_one, all_of_every = in_turn(
        [lambda: list(map(_decoded, one)), lambda: list(map(_decoded, every))], least=3, seconds=5
    )
    for name, solve in (("CP-SAT", best_by_cpsat), ("HiGHS", best_by_highs)):
        solve(min(one, key=lambda each: len(each.pairs)), Objective.LOGPROB)
        seconds, unproven = 0.0, 0
        for each, optimum in zip(one, optima, strict=True):
            start = perf_counter()
            theirs = solve(each, Objective.LOGPROB, limit=LIMIT)
            seconds += perf_counter() - start
            unproven += theirs is None
            if theirs is not None and abs(theirs - optimum) > 1e-6:
                raise SystemExit(f"{each.id}: {optimum} decoded, {theirs} by {name}")
        left = f", {unproven} not proven in {LIMIT:g} s" if unproven else ""
        yield Row(
            f"{name}, all pairs and all transitivity stated",
            f"decode of {len(one)} MATRES documents",
            seconds / all_of_one,
            10,
            at_least=True,
            note=f"{seconds:.1f} s{left}, and {all_of_one:.3f} s; all {len(every)} documents {all_of_every:.2f} s",
        )


def _decoded(document: ScoredDocument) -> Decoded:
    found = decode_document(document, Objective.LOGPROB, Budget(), alternatives=0)
    assert isinstance(found, Decoded)
    assert found.optimal
    return found


def _large() -> Iterator[Row]:
    for noise in (0.5, 1.0, 1.5):
        document = large(500, 5000, noise, 1)
        start = perf_counter()
        found = decode_document(document, Objective.LOGPROB, Budget(LARGE_LIMIT), alternatives=0)
        seconds = perf_counter() - start
        gap = as_number(found.bound - found.value)
        yield Row(
            f"seconds for 500 entities, 5,000 pairs, noise {noise:g}",
            "one second",
            seconds,
            LARGE_LIMIT,
            note=f"{len(found.changes)} labels changed, {len(found.conflicts)} conflicts, gap {gap:g}",
        )
