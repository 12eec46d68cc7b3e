"""Laws of the list of conflicts: one for each link of the repair, each minimal, whatever the order of the links."""

from dataclasses import replace
from random import Random

import pytest

import temporacle as tp
from bench.corpora import CORPORA, Corpus
from fuzz.replay import random_network
from temporacle.calendar.facts import values_of
from temporacle.calendar.policy import Calendar, Policy
from temporacle.model import Document, Link
from temporacle.reasoner.clock.oracle import CalendarOracle
from temporacle.relation import Relation
from tests.shared_data import shared

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
    calendar = Calendar(Policy.WITHIN)
    values = values_of(document, calendar)._replace(facts=tuple(fact for fact in facts if not isinstance(fact, Link)))
    return not CalendarOracle(replace(document, links=links), calendar, values=values).is_consistent()


def compare(document, rng, *, calendar=False):
    (check,) = tp.check(document, calendar=calendar or None, repair=True)  # without a time limit of its own
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
    other = replace(document, links=tuple(rng.sample(document.links, len(document.links))))
    (turned,) = tp.check(other, calendar=calendar or None, repair=True)
    assert ids(turned.conflicts) == ids(check.conflicts)
    assert sorted(fact.id for fact in turned.conflict) == sorted(fact.id for fact in check.conflict)
    assert [fact.id for fact in turned.to_drop] == [fact.id for fact in check.to_drop]
    session = tp.Session(document, calendar=calendar or None)
    assert ids(session.conflicts) == ids(check.conflicts)
    instead = (check.repair.alternatives if check.conflicts else None) or ()  # None: not found in time
    for dropped, others in zip(check.to_drop, instead, strict=False):
        kept = [fact for fact in facts_of(document, check, session) if fact.id not in removed]
        for other in others:
            rest = [fact for fact in (*kept, dropped) if fact.id != other.id]
            assert not is_inconsistent(document, rest, calendar=calendar)
    return bool(check.conflicts)


def ids(conflicts):
    return [sorted(fact.id for fact in conflict) for conflict in conflicts]


def facts_of(document, check, session):
    """The links of a document, and its values where there is a calendar."""
    return [*document.links, *(() if check.calendar is None else session.values)]


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


# --- every corpus in ../shared ----------------------------------------------------------------------------------------

SYSTEMS = Corpus("TempEval-3 systems", ("te3-systems/*/*/*/*.tml", "te3-systems/*/*/*.tml"), "timeml", dated=True)
MOST = 60  # inconsistent documents of a corpus and calendar, evenly chosen


def inconsistent_documents(corpus, calendar):
    """The inconsistent documents of a corpus; evenly chosen ones where there are many."""
    paths = [str(path) for pattern in corpus.patterns for path in sorted(shared("corpora").glob(pattern))]
    if not paths:
        pytest.skip(f"{corpus.name} is not in ../shared")
    found = []
    for path in paths:  # one by one: documents of different files may have one name
        documents = [each for each in tp.read_corpus(path, **corpus.options) if isinstance(each, Document)]
        checks = tp.check(documents, calendar=calendar, explain=False, jobs=1) if documents else ()
        found += [each for each, check in zip(documents, checks, strict=True) if check.verdict == "inconsistent"]
    return found[:: max(1, len(found) // MOST)]


def laws_of_corpus(corpus, calendar):
    """Compare the list of each inconsistent document with the laws. Return how many documents there were."""
    documents = inconsistent_documents(corpus, calendar)
    rng = Random(corpus.name)
    for document in documents:
        assert compare(document, rng, calendar=bool(calendar))
    return len(documents)


@pytest.mark.corpora
@pytest.mark.parametrize("corpus", [*CORPORA, SYSTEMS], ids=lambda corpus: corpus.name)
@pytest.mark.parametrize("calendar", [None, "within"], ids=["links", "dates"])
def test_corpora(corpus, calendar):
    if calendar and not corpus.dated:
        pytest.skip("no values")
    laws_of_corpus(corpus, calendar)
