"""Laws of sessions: what they say depends on the present links alone, and undo brings everything back."""

from dataclasses import replace
from random import Random

import pytest
from dated import DAYS, facts_of, fits, times
from shares import few

import temporacle as tp
from fuzz.replay import random_network, shown
from temporacle.model import Link
from temporacle.reasoner.oracle import Oracle


def edits(session, rng):
    """Make a random edit of several parts."""
    links = session.document.links
    chosen = rng.sample(links, min(len(links), rng.randint(0, 3)))
    source, target = rng.sample(session.document.entity_ids, 2)
    session.edit(
        add=[(source, rng.choice(session.labels), target)],
        remove=[link.id for link in chosen[:1]],
        relabel={link.id: rng.choice(session.labels) for link in chosen[1:]},
        comment={link.id: "look again" for link in chosen[1:2]},
    )


@pytest.fixture(params=range(8))
def edited(request):
    """A session with a history, and its random numbers."""
    rng = Random(f"laws {request.param}")
    session = tp.Session(random_network(rng, most=7))
    for _ in range(4):
        edits(session, rng)
    return session, rng


def test_undo_and_redo_walk_through_the_same_states(edited):
    session, rng = edited
    states = [shown(session)]
    for _ in range(5):
        edits(session, rng)
        states.append(shown(session))
    for state in reversed(states[:-1]):
        session.undo()
        assert shown(session) == state
    for state in states[1:]:
        session.redo()
        assert shown(session) == state


def test_a_session_opened_on_the_same_links_says_the_same(edited):
    session, rng = edited
    fresh = tp.Session(session.document)
    if session.state().repair_kept:  # the list of conflicts is told by another repair of the same weight
        assert fresh.repair().weight == session.repair().weight
        return
    assert fresh.state() == session.state()
    for _ in range(5):
        source, target = rng.sample(session.document.entity_ids, 2)
        mine, other = session.pair(source, target), fresh.pair(source, target)
        assert (mine.stated, mine.strongest, mine.because) == (other.stated, other.strongest, other.because)
        known = {each.label: each for each in other.labels}  # some labels are offered because the document has them
        assert all(known.get(each.label, each) == each for each in mine.labels)


def test_leaving_links_out_is_like_removing_them(edited):
    session, rng = edited
    session.edit(remove=[link.id for link in session.repair().dropped])
    gone = [link.id for link in rng.sample(session.document.links, 2)]
    source, target = rng.sample(session.document.entity_ids, 2)
    without = session.pair(source, target, without=gone)
    stated = without.stated
    session.edit(remove=gone)
    removed = session.pair(source, target)
    assert (without.strongest, without.because, without.labels) == (removed.strongest, removed.because, removed.labels)
    assert set(removed.stated) <= set(stated)


def test_a_label_is_possible_iff_stating_it_is_consistent_without_the_repair(edited):
    require_right_labels(*edited)


def require_right_labels(session, rng):
    """Compare what a session says of the labels of a pair with fresh oracles about the links without the repair."""
    gone = {link.id for link in session.repair().dropped}
    document, calendar = session.document, session.calendar
    source, target = rng.sample(document.entity_ids, 2)
    pair = session.pair(source, target)
    kept = [fact for fact in facts_of(document, calendar) if fact.id not in gone]
    assert [link.id for link in pair.in_repair] == [link.id for link in pair.stated if link.id in gone]
    for label, possible, conflict in pair.labels:
        stated = session.document.reading.relation(label)
        assert possible == fits(document, [*kept, Link("new", source, stated, target)], calendar)
        assert bool(conflict) != possible
        refuted = not fits(document, [*kept, Link("new", source, ~stated, target)], calendar)
        assert (label in pair.follows) == refuted


def remove(session, rng):
    links = session.document.links
    session.edit(remove=[link.id for link in rng.sample(links, min(len(links), rng.randint(1, 3)))])


def relabel(session, rng):
    session.edit(relabel={link.id: rng.choice(session.labels) for link in session.document.links[:1]})


def undo(session, _rng):
    if session.undo_count:
        session.undo()


def set_value(session, rng):
    if times_with_values := [time.id for time in session.document.times if time.value]:
        session.edit(set_value={rng.choice(times_with_values): rng.choice(DAYS)})


def dated(rng):
    """A session with three days, two events, and a few links."""
    document = random_network(rng, most=5)
    days = {name: rng.choice(DAYS) for name in document.entity_ids[:3]}
    links = tuple(document.links[:6])
    return tp.Session(replace(document, links=links, known_times=times(days)), calendar="within")


def undated(rng):
    return tp.Session(random_network(rng, most=7))


def require_honest_edits(seed, draw=undated, count=10):
    """Compare what a session says of an edit with the links and values before and after it."""
    rng = Random(f"honest {seed}")
    session = draw(rng)
    calendar = session.calendar
    kinds = (edits, edits, edits, remove, remove, relabel, undo, *([set_value] * 3 if calendar else []))

    def fit(facts):
        return fits(session.document, facts, calendar)

    def is_minimal(conflict):
        fewer = ([*conflict[:place], *conflict[place + 1 :]] for place in range(len(conflict)))
        return not fit(conflict) and all(map(fit, fewer))

    for _ in range(count):
        old = {fact.id: fact for fact in facts_of(session.document, calendar)}
        before = session.conflicts
        rng.choice(kinds)(session, rng)
        now = {fact.id: fact for fact in facts_of(session.document, calendar)}
        if old == now:
            continue
        touched = {name for name, fact in now.items() if old.get(name) != fact}
        edit = session.last_edit
        assert edit.unfinished is None
        dropped = {fact.id for fact in session.repair().dropped}
        first = tp.Oracle(session.document, calendar=calendar).repair()
        assert session.repair().weight == first.weight
        assert fit([fact for fact in now.values() if fact.id not in dropped])
        assert len(edit.conflicts) == len(dropped)
        for conflict in edit.conflicts:
            assert len(dropped.intersection(fact.id for fact in conflict)) == 1
            assert is_minimal(conflict)
        for conflict in edit.new_conflicts:
            assert touched.intersection(fact.id for fact in conflict)
            assert is_minimal(conflict)
        assert len(edit.resolved_conflicts) + len(edit.remaining_conflicts) == len(before)
        for conflict in before:
            present = [now[fact.id] for fact in conflict if fact.id in now]
            still = len(present) == len(conflict) and not fit(present)
            listed = edit.remaining_conflicts if still else edit.resolved_conflicts
            assert {fact.id for fact in conflict} in [{fact.id for fact in each} for each in listed]
        require_right_labels(session, rng)
        told = {fact.id for conflict in (*edit.new_conflicts, *edit.remaining_conflicts) for fact in conflict}
        untold = touched - told if calendar is None else set()
        every = list(Oracle(session.document.links).conflicts(30)) if untold else []
        for name in untold:
            assert not any(name in {link.id for link in each} for each in every)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("draw", [undated, dated])
def test_an_edit_is_told_as_it_is(draw, seed):
    require_honest_edits(seed, draw, count=10 if draw is undated else 4)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_edits_of_dated_documents_are_told_as_they_are(part):
    for seed in range(30 * part, 30 * part + 30):
        require_honest_edits(f"dated {seed}", dated)


@pytest.mark.parametrize("part", few(range(10), always=0, long=range(2, 10)))
def test_10_000_edits_are_told_as_they_are(part):
    for seed in range(100 * part, 100 * part + 100):
        require_honest_edits(f"slow {seed}")
