"""Test doubles: closures that are wrong on purpose, each in one way, and one that is right.

All follow the contract of a live implementation: ``f(links) -> closure``, relations as atoms joined by ``|``, None for
"inconsistent". The right one is path consistency, which is exact for atomic links; the broken ones are the same with
one mistake.
"""

from __future__ import annotations

import os
import signal
import time
from itertools import permutations

from temporacle.reasoner.algebra import ALL, compose, converse
from temporacle.relation import Relation

EQUAL = int(Relation.of("="))


def mask(relation):
    return int(Relation.of(*relation.split("|")))


def entities(links):
    return list(dict.fromkeys(end for source, _, target in links for end in (source, target)))


def start(links, *, read=mask, flip=converse):
    """The table of what is stated."""
    names = entities(links)
    table = {(x, y): EQUAL if x == y else ALL for x in names for y in names}
    for source, relation, target in links:
        table[source, target] &= read(relation)
        table[target, source] &= flip(read(relation))
    return names, table


def propagate(names, table, *, composed=compose, rounds=None):
    """To the fixpoint, or for some rounds."""
    while rounds is None or rounds > 0:
        before = dict(table)
        for x, y, z in permutations(names, 3):
            table[x, z] &= composed(table[x, y], table[y, z])
        if table == before:
            break
        rounds = None if rounds is None else rounds - 1
    return table


def answer(names, table):
    if not all(table.values()):
        return None
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    return [(x, str(Relation(table[x, y])), y) for x, y in pairs if table[x, y] != ALL]


def right(links):
    names, table = start(links)
    return answer(names, propagate(names, table))


# --- broken ----------------------------------------------------------------------------------------------------------


def wrong_composition(links):
    """One entry of the composition table lacks an atom: x overlaps y, y during z gives {o, s}, without d."""
    o, d = mask("o"), mask("d")

    def composed(first, second):
        return mask("o|s") if (first, second) == (o, d) else compose(first, second)

    names, table = start(links)
    return answer(names, propagate(names, table, composed=composed))


def dropped_converse(links):
    """What a link says is not entered from its other end."""
    names, table = start(links, flip=lambda _: ALL)
    return answer(names, propagate(names, table))


def no_self_check(links):
    """Links of an entity to itself are ignored."""
    names = entities(links)
    found = right([link for link in links if link[0] != link[2]])
    return found if names else []


def meets_as_before(links):
    """Off by one in <=: "meets" is taken for "before"."""
    names, table = start(
        links, read=lambda relation: mask("|".join({"m": "b", "mi": "bi"}.get(a, a) for a in relation.split("|")))
    )
    return answer(names, propagate(names, table))


def last_link_wins(links):
    """A second link on a pair overwrites the first: the answer depends on the order."""
    kept = {frozenset((source, target)): (source, relation, target) for source, relation, target in links}
    return right(list(kept.values()))


def greedy(links):
    """A link that contradicts the ones before is dropped without a word."""
    kept = []
    for link in links:
        if right([*kept, link]) is not None:
            kept.append(link)
    return right(kept)


def one_round(links):
    """No fixpoint: only one step of composition."""
    names, stated = start(links)
    table = dict(stated)
    for x, y, z in permutations(names, 3):
        table[x, z] &= compose(stated[x, y], stated[y, z])
    return answer(names, table)


def singleton_compositions(links):
    """Only compositions with a single atom as the result are kept, as closures by a table of rules do."""

    def composed(first, second):
        found = compose(first, second)
        return found if found.bit_count() == 1 else ALL

    names, table = start(links)
    return answer(names, propagate(names, table, composed=composed))


_seen = []


def leaking(links):
    """Links of the previous call are still there."""
    joined = [*_seen, *links]
    _seen[:] = list(links)
    found = right(joined)
    names = set(entities(links))
    return None if found is None else [claim for claim in found if {claim[0], claim[2]} <= names]


def prefix_names(links):
    """Entities are distinguished by their first three characters only."""
    return right([(source[:3], relation, target[:3]) for source, relation, target in links])


def false_alarm(links):
    """Two links on a pair are taken for a contradiction."""
    pairs = [frozenset((source, target)) for source, _, target in links]
    return None if len(set(pairs)) < len(pairs) else right(links)


def rejects_nothing(links):
    """No links are taken for a contradiction."""
    return right(links) if links else None


def rejects_nothing_and_repetition(links):
    """The same, and two links on a pair are, too: two causes of one sort."""
    return false_alarm(links) if links else None


def explosion(links):
    """After a contradiction everything follows."""
    found = right(links)
    if found is not None:
        return found
    names = entities(links)
    return [(x, relation, y) for x in names for y in names if x != y for relation in ("b", "bi")]


def empties(links):
    """After a contradiction nothing follows, and nothing is said."""
    found = right(links)
    return [] if found is None else found


def forgets_stated(links):
    """Only what was inferred is returned."""
    found = right(links)
    stated = {frozenset((source, target)) for source, _, target in links}
    return None if found is None else [claim for claim in found if frozenset((claim[0], claim[2])) not in stated]


def crashes_on_equal(links):
    names = [source for source, relation, _ in links if relation == "="]
    if names:
        raise KeyError(names[0])
    return right(links)


class ContradictoryError(Exception):
    """What ``raising`` says instead of None."""


def raising(links):
    """Right, and says "inconsistent" by an exception."""
    found = right(links)
    if found is None:
        raise ContradictoryError
    return found


# --- broken so that they need a process of their own ------------------------------------------------------------------


def hangs(links):
    if right(links) is None:
        time.sleep(600)
    return right(links)


def exits(links):
    if right(links) is None:
        os._exit(0)
    return right(links)


def segfaults(links):
    if right(links) is None:
        os.kill(os.getpid(), signal.SIGSEGV)
    return right(links)


def talks(links):
    """Right, but noisy."""
    print("thinking about", links, flush=True)
    return right(links)


def malformed(links):
    return [("a", "sooner", "b")]


def declines(links):
    if len(links) > 2:
        raise NotImplementedError("only two links")
    return right(links)


def counts(links):
    return len(links)


def declines_all(links):
    raise NotImplementedError("not today")
