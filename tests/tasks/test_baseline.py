"""Baselines of documents that are edited at random, compared with all minimal conflicts, found by trying all sets."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from dated import DAYS, facts_of, fits, times

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


def undated(rng):
    """Return a document before and after an edit, and that there is no calendar."""
    before = [some_link(rng, number) for number in range(1, rng.randint(4, 7))]
    return Document("d", tuple(before)), Document("d", tuple(edited(rng, before))), None


def dated(rng):
    """The same for a document in which two or three entities are days; an edit may set other days."""
    days = {name: rng.choice(DAYS) for name in "abc"[: rng.randint(2, 3)]}
    before = [some_link(rng, number) for number in range(1, rng.randint(3, 5))]
    set_anew = {name: day if rng.random() < 0.7 else rng.choice(DAYS) for name, day in days.items()}
    documents = ((before, days), (edited(rng, before)[:4], set_anew))
    return (*(Document("d", tuple(links), known_times=times(known)) for links, known in documents), "within")


def minimal_conflicts(document, calendar):
    found, facts = [], facts_of(document, calendar)
    for size in range(1, len(facts) + 1):
        for chosen in combinations(facts, size):
            if not any(set(known) <= set(chosen) for known in found) and not fits(document, chosen, calendar):
                found.append(chosen)
    return found


def judged(document, gate, calendar):
    (check,) = checks([document], gate=gate, calendar=calendar)
    return [each for each in check.findings if each.finding.links]


def compare(seed, path, draw=undated):
    rng = Random(f"baseline {seed}")
    before, after, calendar = draw(rng)
    first = Gate(write=str(path))
    known = [each.finding.sayings for each in judged(before, first, calendar)]
    first.write()
    gate = Gate(str(path))
    found = judged(after, gate, calendar)
    facts = facts_of(after, calendar)
    said, old = Counter(fact.said for fact in facts), Counter(fact.said for fact in facts_of(before, calendar))
    conflicts = minimal_conflicts(after, calendar)
    new = [each.finding for each in found if not each.known]
    assert known or bool(new) == bool(conflicts)  # in a document without known conflicts, every conflict is new
    for what in said - old if known else ():
        # of equal links only some are added: at least one of the new conflicts holds a link that says the same
        if any(what in {fact.said for fact in conflict} for conflict in conflicts):
            assert any(what in finding.sayings for finding in new), (before, after)
    if any(not each.known for each in found):
        assert conflicts
    fixed = [entry for entry, _ in gate.fixed() if entry.links]
    for entry in fixed:
        is_there = not Counter(entry.links) - said
        chosen = [next(fact for fact in facts if fact.said == what) for what in entry.links if is_there]
        assert not is_there or fits(after, chosen, calendar), (before, after)
    assert len(known) == sum(each.known for each in found) + sum(count for entry, count in gate.fixed() if entry.links)
    assert all(not Counter(each.finding.sayings) - said for each in found)
    return bool(known), bool(conflicts), bool(new), gate.known > 0, bool(fixed)


@pytest.mark.parametrize("draw", [undated, dated])
@pytest.mark.parametrize("seed", range(3))
def test_no_conflict_of_an_added_link_passes(seed, draw, tmp_path):
    path = tmp_path / "known.json"
    met = Counter(kind for number in range(25) for kind in enumerate(compare((seed, number), path, draw)))
    assert all(met[place, True] and met[place, False] for place in range(5))


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "seed"), [*((undated, seed) for seed in range(10)), (dated, 0), (dated, 1)])
def test_2_400_random_edits(draw, seed, tmp_path):
    for number in range(200):
        compare((seed, number, "slow"), tmp_path / "known.json", draw)
