"""Laws of reasoning with dates and lengths, whatever the document."""

import re

import naive_calendar as naive
from calendar_documents import LENGTHS, random_document, random_options
from hypothesis import given
from hypothesis import strategies as st
from library import oracle_of
from naive_values import DAY, day_number

import temporacle as tp

CYCLE = 146_097 * DAY  # 400 years
YEAR = re.compile(r"^(FY)?([0-9]{4}|[0-9]{1,3}(?=X)|[0-9]{2,3}$)")

randoms = st.randoms(use_true_random=False)
policies = st.sampled_from(naive.POLICIES)


def is_consistent(record, policy, options):
    return isinstance(oracle_of(record, policy, **options).consistency(explain=False), tp.Consistent)


@given(randoms)
def test_each_policy_adds_contradictions(rng):
    record, options = random_document(rng), random_options(rng)
    within, document, exact = (is_consistent(record, policy, options) for policy in ("within", "document", "exact"))
    assert within >= document >= exact


@given(randoms, policies)
def test_dropping_a_fact_makes_nothing_inconsistent(rng, policy):
    record, options = random_document(rng), random_options(rng)
    if not is_consistent(record, policy, options):
        return
    for link in record["links"]:
        fewer = {**record, "links": [other for other in record["links"] if other is not link]}
        assert is_consistent(fewer, policy, options)
    for entity in record["entities"]:
        for attribute in entity.keys() & {"beginPoint", "endPoint"}:
            less = {name: value for name, value in entity.items() if name != attribute}
            assert is_consistent(replaced(record, entity, less), policy, options)
        # Without its value a time no longer says where others begin or end, either.
        silent = {**entity, "value": "PRESENT_REF"} if "value" in entity else entity
        assert is_consistent(replaced(record, entity, silent), policy, options)


def replaced(record, entity, other):
    return {**record, "entities": [other if each is entity else each for each in record["entities"]]}


def later(value):
    """The value 400 years later; lengths and what is not on the calendar stay."""
    found = YEAR.match(value)
    if found is None:
        return value
    digits = found[2]
    moved = str(int(digits) + 400 // 10 ** (4 - len(digits))).zfill(len(digits))
    return value[: found.start(2)] + moved + value[found.end(2) :]


@given(randoms, policies)
def test_four_hundred_years_later_everything_is_the_same(rng, policy):
    record, options = random_document(rng), random_options(rng)
    for entity in record["entities"]:
        if entity.get("value", "").startswith("-"):
            entity["value"] = "1998"
    moved = {**record, "entities": [each | {"value": later(each.get("value", ""))} for each in record["entities"]]}
    here, there = oracle_of(record, policy, **options), oracle_of(moved, policy, **options)
    first, second = here.consistency(), there.consistency()
    assert type(first) is type(second)
    if isinstance(first, tp.Inconsistent):
        assert [fact.id for fact in first.conflict] == [fact.id for fact in second.conflict]
        return
    names = [entity["id"] for entity in record["entities"]]
    assert [here.strongest(names[0], name) for name in names[1:]] == [
        there.strongest(names[0], name) for name in names[1:]
    ]
    for name in names:
        expected, found = here.bounds(name), there.bounds(name)
        for before, after in ((expected.start, found.start), (expected.end, found.end)):
            for one, other in zip(before, after, strict=True):
                assert (one is None) == (other is None)
                assert one is None or (one.seconds + CYCLE, one.attained) == tuple(other)


BACKWARDS = {"b": "bi", "m": "mi", "o": "oi", "s": "f", "si": "fi", "d": "d", "di": "di", "=": "="}
BACKWARDS |= {other: one for one, other in BACKWARDS.items()}
MODS = {"BEFORE": "AFTER", "ON_OR_BEFORE": "ON_OR_AFTER", "AFTER": "BEFORE", "ON_OR_AFTER": "ON_OR_BEFORE"}


def mirrored(record):
    """The document with time running backwards: days change places, starts and ends too."""
    entities = []
    for entity in record["entities"]:
        twin = dict(entity)
        if entity.get("value", "").startswith("1998"):
            twin["value"] = f"1998-02-{29 - int(entity['value'][-2:]):02}"
        if "mod" in entity:
            twin["mod"] = MODS.get(entity["mod"], entity["mod"])
        for name, other in (("beginPoint", "endPoint"), ("endPoint", "beginPoint")):
            twin.pop(name, None)
            if other in entity:
                twin[name] = entity[other]
        entities.append(twin)
    links = [
        link | {"relation": "|".join(BACKWARDS[atom] for atom in link["relation"].split("|"))}
        for link in record["links"]
    ]
    return {**record, "entities": entities, "links": links}


@given(randoms, policies)
def test_backwards_everything_is_mirrored(rng, policy):
    record = random_document(rng)
    for entity in record["entities"]:
        if "value" in entity:
            entity["value"] = rng.choice((f"1998-02-{rng.randint(10, 19)}", rng.choice(LENGTHS)))
    forwards, backwards = oracle_of(record, policy), oracle_of(mirrored(record), policy)
    first, second = forwards.consistency(), backwards.consistency()
    assert type(first) is type(second)
    if isinstance(first, tp.Inconsistent):
        return
    middle = day_number(1998, 2, 1) + day_number(1998, 3, 1)  # 1 and 28 February change places
    names = [entity["id"] for entity in record["entities"]]
    for name in names:
        here, there = forwards.bounds(name), backwards.bounds(name)
        for one, other in ((here.start, there.end), (here.end, there.start)):
            assert mirror(one.earliest, middle) == (other.latest and tuple(other.latest))
            assert mirror(one.latest, middle) == (other.earliest and tuple(other.earliest))
        found = {BACKWARDS[atom] for atom in forwards.strongest(names[0], name).atoms} if name != names[0] else None
        assert found is None or found == set(backwards.strongest(names[0], name).atoms)


def mirror(limit, middle):
    return None if limit is None else (middle * DAY - limit.seconds, limit.attained)


@given(randoms, policies)
def test_what_follows_changes_nothing_when_stated(rng, policy):
    """A strongest relation, added as a link, leaves all bounds as they were."""
    record, options = random_document(rng), random_options(rng)
    names = [entity["id"] for entity in record["entities"]]
    if len(names) < 2 or not is_consistent(record, policy, options):
        return
    source, target = rng.sample(names, 2)
    before = oracle_of(record, policy, **options)
    stated = {"id": "added", "source": source, "relation": str(before.strongest(source, target)), "target": target}
    after = oracle_of({**record, "links": [*record["links"], stated]}, policy, **options)
    assert [after.bounds(name) for name in names] == [before.bounds(name) for name in names]
