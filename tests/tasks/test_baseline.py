"""Baselines of documents that are edited at random, compared with all minimal conflicts, found by trying all sets."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from fuzz.replay import is_consistent
from temporacle.model import Document, Link
from temporacle.relation import ATOMS, Relation
from temporacle.tasks.check import check as checks
from temporacle.tasks.gate import Gate


def some_link(rng, number):
    source, target = rng.sample("abcd", 2)
    atoms = rng.sample(ATOMS, rng.choice((1, 1, 1, 2, 4)))
    relation = Relation.of(*atoms)
    return Link(f"l{number}", source, relation, target, str(relation), number)


def edited(rng, links):
    """Return the links with a few added, removed and relabelled, and new numbers."""
    kept = [link for link in links if rng.random() < 0.85]
    changed = [link._replace(**some_link(rng, 0)._asdict()) if rng.random() < 0.15 else link for link in kept]
    found = [*changed, *(some_link(rng, 0) for _ in range(rng.choice((0, 1, 1, 2))))]
    rng.shuffle(found)
    return [link._replace(id=f"n{place}", line=place) for place, link in enumerate(found[:7], 1)]


def minimal_conflicts(links):
    found = []
    for size in range(1, len(links) + 1):
        for chosen in combinations(links, size):
            if not any(set(known) <= set(chosen) for known in found) and not is_consistent(chosen):
                found.append(chosen)
    return found


def judged(links, gate):
    (check,) = checks([Document("d", tuple(links))], gate=gate)
    return list(check.findings)


def compare(seed, path):
    rng = Random(f"baseline {seed}")
    before = [some_link(rng, number) for number in range(1, rng.randint(4, 7))]
    first = Gate(write=str(path))
    known = [each.finding.sayings for each in judged(before, first)]
    first.write()
    after = edited(rng, before)
    gate = Gate(str(path))
    found = judged(after, gate)
    said, old = Counter(link.said for link in after), Counter(link.said for link in before)
    conflicts = minimal_conflicts(after)
    new = [each.finding for each in found if not each.known]
    assert known or bool(new) == bool(conflicts)  # in a document without known conflicts, every conflict is new
    for what in said - old if known else ():
        # of equal links only some are added: at least one of the new conflicts holds a link that says the same
        if any(what in {link.said for link in conflict} for conflict in conflicts):
            assert any(what in finding.sayings for finding in new), (before, after)
    if any(not each.known for each in found):
        assert conflicts
    for entry, _ in gate.fixed():
        is_there = not Counter(entry.links) - said
        chosen = [next(link for link in after if link.said == what) for what in entry.links if is_there]
        assert not is_there or is_consistent(chosen), (before, after)
    assert gate.known + sum(count for _, count in gate.fixed()) == len(known)
    assert all(not Counter(each.finding.sayings) - said for each in found)
    return bool(known), bool(conflicts), bool(new), gate.known > 0, bool(gate.fixed())


@pytest.mark.parametrize("seed", range(3))
def test_no_conflict_of_an_added_link_passes(seed, tmp_path):
    met = Counter(kind for number in range(15) for kind in enumerate(compare((seed, number), tmp_path / "known.json")))
    assert all(met[place, True] and met[place, False] for place in range(5))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_2_000_random_edits(seed, tmp_path):
    for number in range(200):
        compare((seed, number, "slow"), tmp_path / "known.json")
