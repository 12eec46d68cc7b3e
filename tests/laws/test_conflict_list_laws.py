"""Laws of the list of conflicts: one for each link of the repair, each minimal, whatever the order of the links."""

from random import Random

import pytest

import temporacle as tp
from fuzz.replay import random_network
from temporacle.calendar.facts import CalendarFact
from temporacle.model import Body, Document, Link
from temporacle.relation import Relation

CONVEX = ["b", "bi", "m", "mi", "o", "d", "di", "=", "b|m", "bi|mi"]


def convex(rng):
    names = [f"e{number}" for number in range(rng.randint(3, 7))]
    links = []
    for number in range(rng.randint(3, 14)):
        source, target = rng.sample(names, 2)
        label = rng.choice(CONVEX)
        links.append(Link(f"l{number}", source, Relation(label), target, label, number + 1))
    return Document("convex", tuple(links))


def dated(rng):
    """A TimeML document with days, and links between them and events."""
    days = {f"t{number}": f"1998-02-{rng.randint(1, 9):02}" for number in range(1, rng.randint(3, 5))}
    events = [f"ei{number}" for number in range(1, 4)]
    links = []
    for number in range(rng.randint(3, 8)):
        source, target = rng.sample([*days, *events], 2)
        kinds = ["timeID" if source in days else "eventInstanceID"]
        kinds.append("relatedToTime" if target in days else "relatedToEventInstance")
        label = rng.choice(["BEFORE", "AFTER", "IS_INCLUDED", "INCLUDES", "SIMULTANEOUS"])
        links.append(f'<TLINK lid="l{number}" relType="{label}" {kinds[0]}="{source}" {kinds[1]}="{target}"/>')
    times = "".join(f'<TIMEX3 tid="{name}" type="DATE" value="{day}">{day}</TIMEX3> ' for name, day in days.items())
    made = "".join(f'<EVENT eid="{name[:1]}{name[2:]}" class="OCCURRENCE">left</EVENT> ' for name in events)
    instances = "".join(f'<MAKEINSTANCE eiid="{name}" eventID="e{name[2:]}"/>' for name in events)
    text = (
        f'<?xml version="1.0"?><TimeML><DOCID>d</DOCID><TEXT>{times}{made}</TEXT>{instances}{"".join(links)}</TimeML>'
    )
    return tp.read(text)


def is_inconsistent(document, facts, *, calendar):
    links = tuple(fact for fact in facts if isinstance(fact, Link))
    if not calendar:
        return not isinstance(tp.Oracle(Document("d", links)).consistency(explain=False), tp.Consistent)
    values = {fact.entity for fact in facts if isinstance(fact, CalendarFact)}
    times = [time if time.id in values else time._replace(value=None) for time in document.times]
    events = [entity for entity in document.entities if entity.id not in {time.id for time in times}]
    part = Document("d", links, document.entity_ids, how_read=document.how_read, body=Body((*times, *events)))
    return tp.check(part, calendar=True, explain=False)[0].verdict == "inconsistent"


def compare(document, rng, *, calendar=False):
    (check,) = tp.check(document, calendar=calendar or None)
    assert check.verdict in {"consistent", "inconsistent"}
    assert (check.verdict == "inconsistent") == bool(check.conflicts)
    removed = {fact.id for fact in check.to_drop}
    assert check.repair_status == "optimal"
    assert len(check.conflicts) == len(check.to_drop)
    for conflict, dropped in zip(check.conflicts, check.to_drop, strict=True):
        assert removed.intersection(fact.id for fact in conflict) == {dropped.id}
        assert is_inconsistent(document, conflict, calendar=calendar)
        for fact in conflict:
            rest = [other for other in conflict if other is not fact]
            assert not is_inconsistent(document, rest, calendar=calendar)
    if not calendar:
        turned = Document(document.id, tuple(rng.sample(document.links, len(document.links))))
        ids = [[fact.id for fact in conflict] for conflict in tp.check(turned)[0].conflicts]
        assert [sorted(each) for each in ids] == [sorted(fact.id for fact in each) for each in check.conflicts]
        if check.conflicts:
            listed = [sorted(link.id for link in each) for each in tp.Session(document).conflicts]
            assert listed == [sorted(fact.id for fact in each) for each in check.conflicts]
    return bool(check.conflicts)


KINDS = {"convex": convex, "disjunctive": lambda rng: random_network(rng, most=6), "dated": dated}


@pytest.mark.parametrize("kind", KINDS)
def test_one_minimal_conflict_for_each_removed_link(kind):
    rng = Random(f"list {kind}")
    met = [compare(KINDS[kind](rng), rng, calendar=kind == "dated") for _ in range(12)]
    assert any(met)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", range(7))
def test_2_000_documents(kind, part):
    rng = Random(f"list {kind} {part}")
    for _ in range(100):
        compare(KINDS[kind](rng), rng, calendar=kind == "dated")
