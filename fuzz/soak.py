"""``python -m fuzz.soak --minutes N``: everything that can disagree, over and over with new seeds, until time is up.

    crosscheck      every engine against the others, and certificates against the oracle, on generated graphs
    fuzz            every fuzz target in turn, with blind mutation; certificates are mutated there, too
    transition      hard random networks under a budget: decided by both encodings alike, or undecided in time

One line of figures at the end; exit code 1 and the seed at the first finding.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections import Counter
from random import Random
from time import monotonic

from fuzz.mutate import variant
from fuzz.seeds import seeds
from fuzz.targets import TARGETS
from temporacle.errors import BudgetExceeded

CASES = 60  # of a round, for each engine
INPUTS = 300  # of a round, for each fuzz target
SECONDS = 2  # for one network at the phase transition


class FoundError(Exception):
    """Something is wrong."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    start = monotonic()
    figures: Counter[str] = Counter()
    number = chosen.seed
    try:
        while monotonic() - start < 60 * chosen.minutes:
            for part in (crosscheck, fuzz, transition):
                part(number, figures)
            number += 1
            figures["rounds"] += 1
    except FoundError as finding:
        print(f"round {number}: {finding}")
        return 1
    figures["minutes"] = round((monotonic() - start) / 60)
    figures["peak memory in MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figures["findings"] = 0
    print(json.dumps(dict(sorted(figures.items())), indent=1))
    return 0


def crosscheck(seed: int, figures: Counter[str]) -> None:
    """Audit our own engines."""
    from temporacle.audit.answers import Vocabulary
    from temporacle.audit.engines import CHECKED, check_engine
    from temporacle.audit.generate import CasePlan

    for vocabulary in Vocabulary:
        plan = CasePlan(CASES, 1000 + seed, vocabulary, 4, large=0)
        for name, complete in CHECKED.items():
            found = check_engine(name, plan)
            if not (found.clean if complete else found.is_sound):
                raise FoundError(f"{name} is wrong about {vocabulary} graphs of seed {plan.seed}")
            figures[f"crosschecked graphs, {name}"] += CASES


def fuzz(seed: int, figures: Counter[str]) -> None:
    """All targets for a while."""
    for name, target in TARGETS.items():
        rng = Random(f"soak {name} {seed}")
        for _ in range(INPUTS):
            data = variant(rng, name, seeds(name))
            try:
                target(data)
            except BudgetExceeded:
                figures["undecided"] += 1
            except Exception as error:
                raise FoundError(f"{name}: {type(error).__name__}: {error} on {data!r}") from error
        figures[f"inputs, {name}"] += INPUTS


def transition(seed: int, figures: Counter[str]) -> None:
    """Networks where search is hardest: all engines decide alike, and in time."""
    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.oracle import Oracle
    from temporacle.reasoner.reference import cpsat
    from temporacle.relation import ATOMS, Relation

    rng = Random(f"transition {seed}")
    entities = rng.choice((12, 20, 30, 50))
    degree = rng.uniform(7, 10.5)
    triples = [
        (f"x{i}", Relation(rng.randrange(1, 1 << len(ATOMS))), f"x{j}")
        for i in range(entities)
        for j in range(i)
        if rng.random() < degree / (entities - 1)
    ]
    if not triples:
        return
    network = Network.of(triples)
    answers = []
    for decide in (
        lambda: Oracle(network, budget=SECONDS).is_consistent(),
        lambda: cpsat.decider(network, Budget(SECONDS)).model() is not None,
    ):
        begun = monotonic()
        try:
            answers.append(decide())
        except BudgetExceeded:
            figures["hard networks, answers left undecided"] += 1
        late = monotonic() - begun - SECONDS
        figures["hard networks, worst lateness in ms"] = max(
            figures["hard networks, worst lateness in ms"], int(1000 * late)
        )
    if len(set(answers)) > 1:
        raise FoundError(f"a network of {entities} entities is decided both ways")
    figures["hard networks"] += 1
    figures["hard networks, answers decided"] += len(answers)


if __name__ == "__main__":
    sys.exit(main())
