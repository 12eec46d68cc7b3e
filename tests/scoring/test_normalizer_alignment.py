"""Pairing and renumbering against naive twins, on many random annotations of random texts."""

import random

import pytest

from temporacle.readings import load_reading
from temporacle.scoring.official.normalizer import (
    NormalizedMention,
    normalize_pair,
    number_events,
    number_instances,
    number_timexes,
)

LABELS = ("BEFORE", "AFTER", "IBEFORE", "IAFTER", "INCLUDES", "IS_INCLUDED", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY")
EQUALITIES = ("SIMULTANEOUS", "IDENTITY", "DURING", "DURING_INV")
PLAIN = (*LABELS, "SIMULTANEOUS")
SEEDS = range(200)


def random_mentions(rng, length, prefix):
    """Mentions that do not overlap, in reading order, with ids in no order at all."""
    mentions, token = [], 0
    while token < length:
        if rng.random() < 0.4:
            last = min(length - 1, token + rng.choice((0, 0, 1, 3)))
            mentions.append((token, last))
            token = last
        token += 1
    ids = rng.sample(range(1, 10 * length + 1), len(mentions))
    return [NormalizedMention(f"{prefix}{number}", *span) for number, span in zip(ids, mentions, strict=True)]


def naive_event_numbers(gold, system):
    starts = sorted({mention.first for mention in (*gold, *system)})
    return tuple({mention.id: starts.index(mention.first) + 1 for mention in side} for side in (gold, system))


def naive_timex_numbers(gold, system):
    """Token by token: who begins here, and who of the others covers this token?"""
    sides, numbers = (gold, system), ({}, {})
    for token in range(1 + max((mention.last for mention in (*gold, *system)), default=-1)):
        for own, other in ((0, 1), (1, 0)):
            for mention in sides[own]:
                if mention.first != token:
                    continue
                covering = (
                    numbers[other][timex.id]
                    for timex in sides[other]
                    if timex.id in numbers[other] and timex.first <= token <= timex.last
                )
                unused = [number for number in covering if number not in numbers[own].values()]
                everything = [*numbers[0].values(), *numbers[1].values(), 0]
                numbers[own][mention.id] = unused[0] if unused else max(everything) + 1
    return numbers


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_are_those_of_the_naive_twins(seed):
    rng = random.Random(seed)
    length = rng.randrange(1, 40)
    gold, system = random_mentions(rng, length, "x"), random_mentions(rng, length, "x")
    assert number_events(gold, system) == naive_event_numbers(gold, system)
    assert number_timexes(gold, system) == naive_timex_numbers(gold, system)
    assert number_timexes(system, gold) == number_timexes(gold, system)[::-1]


def test_events_that_begin_inside_one_token_are_paired_in_order():
    gold = [NormalizedMention("a", 3, 3), NormalizedMention("b", 3, 3)]
    assert number_events(gold, [NormalizedMention("c", 3, 3), NormalizedMention("d", 4, 4)]) == (
        {"a": 1, "b": 2},
        {"c": 1, "d": 3},
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_instances_take_the_first_free_number(seed):
    rng = random.Random(seed)
    events = {f"e{number}": number for number in range(1, 6)}
    instances = [(f"i{position}", rng.choice(list(events))) for position in range(rng.randrange(30))]
    naive = {}
    for instance, event in instances:
        candidates = [events[event], *range(1_000_000 + events[event], 1_000_100)]
        naive[instance] = next(number for number in candidates if number not in naive.values())
    assert number_instances(instances, events) == naive


class Annotation:
    """One side of a random document: where its mentions are, its instances and its links."""

    def __init__(self, rng, length):
        self.events = random_mentions(rng, length, "e")
        self.times = [time for time in random_mentions(rng, length, "t") if not self._is_taken(time)]
        self.instances = {f"ei{event.id}": event.id for event in self.events}
        if self.events:
            self.instances |= {f"again{count}": rng.choice(self.events).id for count in range(rng.randrange(3))}
        entities = [*self.instances, *(time.id for time in self.times), "dct"]
        self.links = [
            (rng.choice(entities), rng.choice(LABELS + EQUALITIES), rng.choice(entities))
            for _ in range(rng.randrange(12))
        ]

    def _is_taken(self, time):
        return any(event.first <= time.last and time.first <= event.last for event in self.events)

    def xml(self, rng, words, renamed=str):
        opening, closing = {}, {}
        for tag, key, mentions in (("EVENT", "eid", self.events), ("TIMEX3", "tid", self.times)):
            for mention in mentions:
                opening[mention.first] = f'<{tag} {key}="{renamed(mention.id)}">'
                closing[mention.last] = f"</{tag}>"
        text = "".join(
            f"{opening.get(place, '')}{word}{closing.get(place, '')}{rng.choice((' ', '  ', chr(10)))}"
            for place, word in enumerate(words)
        )
        instances = "".join(
            f'<MAKEINSTANCE eiid="{renamed(instance)}" eventID="{renamed(event)}"/>'
            for instance, event in self.instances.items()
        )
        links = "\n".join(self._tag(number, *link, renamed) for number, link in enumerate(self.links))
        dct = f'<DCT><TIMEX3 tid="{renamed("dct")}">now</TIMEX3></DCT>'
        return f"<TimeML>{dct}<TEXT>{text}</TEXT>{instances}{links}</TimeML>"

    def _tag(self, number, source, label, target, renamed):
        first = "eventInstanceID" if source in self.instances else "timeID"
        second = "relatedToEventInstance" if target in self.instances else "relatedToTime"
        return f'<TLINK {first}="{renamed(source)}" lid="l{number}" {second}="{renamed(target)}" relType="{label}"/>'

    def expected(self, events, times):
        """The links under the naive numbers: names first, then direction, then label."""
        instances = number_instances(self.instances.items(), events)
        place = {instance: ("ei", number) for instance, number in instances.items()}
        place |= {time: ("t", number) for time, number in times.items()} | {"dct": ("t", 0)}
        reading = load_reading("timeml")
        for source, label, target in self.links:
            ends = place[source], place[target]
            if (ends[0][0], ends[1][0]) == ("ei", "t"):  # only these keep the special labels of equality
                yield ends, label
                continue
            relation = reading.relation(label).converse() if ends[0] > ends[1] else reading.relation(label)
            yield tuple(sorted(ends)), next(plain for plain in PLAIN if reading.relation(plain) == relation)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_documents(seed):
    rng = random.Random(seed)
    words = [rng.choice(("it", "rained", "a", "lot", "of", "water", "fell", ".")) for _ in range(rng.randrange(1, 30))]
    gold, system = Annotation(rng, len(words)), Annotation(rng, len(words))
    documents = gold.xml(rng, words), system.xml(rng, words)
    pair = normalize_pair(*documents)
    events = naive_event_numbers(gold.events, system.events)
    times = naive_timex_numbers(gold.times, system.times)
    for side, document, own in ((0, pair.gold, gold), (1, pair.system, system)):
        expected = [
            ("{}{}".format(*first), label, "{}{}".format(*second))
            for (first, second), label in own.expected(events[side], times[side])
        ]
        assert list(document.links) == expected

    swapped = normalize_pair(*reversed(documents))
    assert (swapped.system, swapped.gold) == (pair.gold, pair.system)
    other_names = system.xml(rng, words, renamed=lambda name: f"other-{name}")
    renamed = normalize_pair(documents[0], other_names)
    assert (renamed.gold.links, renamed.system.links) == (pair.gold.links, pair.system.links)
