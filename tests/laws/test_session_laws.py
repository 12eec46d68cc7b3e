"""Laws of sessions: what they say depends on the present links alone, and undo brings everything back."""

from random import Random

import pytest

import temporacle as tp
from fuzz.replay import random_network, shown


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
    session = tp.Session(random_network(rng))
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
    assert fresh.state() == session.state()
    for _ in range(5):
        source, target = rng.sample(session.document.entity_ids, 2)
        mine, other = session.pair(source, target), fresh.pair(source, target)
        assert (mine.stated, mine.strongest, mine.because) == (other.stated, other.strongest, other.because)
        known = {each.label: each for each in other.labels}  # some labels are offered because the document has them
        assert all(known.get(each.label, each) == each for each in mine.labels)


def test_leaving_links_out_is_like_removing_them(edited):
    session, rng = edited
    gone = [link.id for link in rng.sample(session.document.links, 2)]
    source, target = rng.sample(session.document.entity_ids, 2)
    without = session.pair(source, target, without=gone)
    stated = without.stated
    session.edit(remove=gone)
    removed = session.pair(source, target)
    assert (without.strongest, without.because, without.labels) == (removed.strongest, removed.because, removed.labels)
    assert set(removed.stated) <= set(stated)


def test_a_label_is_possible_iff_stating_it_is_consistent(edited):
    session, rng = edited
    source, target = rng.sample(session.document.entity_ids, 2)
    for label, possible, conflict in session.pair(source, target).labels:
        judged = session.judge(add=[(source, label, target)])
        assert possible == (judged.verdict == "consistent")
        assert bool(conflict) != possible
