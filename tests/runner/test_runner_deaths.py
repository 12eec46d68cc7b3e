"""Workers that die over a result, or over nothing: simulated in this process, in many random ways."""

import random

import pytest
from questions import Numbers
from runs import line

from temporacle.corpus.inputs import Asking, pieces
from temporacle.io.source import Options
from temporacle.runner import Plan, work
from temporacle.runner.job import DIED, WorkerDiedError, results_despite_deaths, results_from


class Names:
    """A job whose results are the names."""

    def results(self, item, skip, tell):
        for name in item[skip:]:
            tell(name)
            yield name

    def failed(self, item, name, reason):
        return (name, reason)


class Mortal:
    """Attempts that end when they meet a deadly name, each time, or an unlucky one, the first time."""

    def __init__(self, job, deadly, unlucky, unlucky_reading, stillborn):
        self.job = job
        self.deadly = deadly
        self.unlucky = set(unlucky)
        self.unlucky_reading = set(unlucky_reading)  # numbers of results: dies before the next one is begun
        self.stillborn = stillborn  # so many attempts end before they begin
        self.deaths = 0

    def attempt(self, item, skip):
        if self.stillborn:
            self.stillborn -= 1
            self.die()
        messages = []
        results = results_from(self.job, item, skip, lambda name: messages.append((False, name)))
        number = skip
        while True:
            if number in self.unlucky_reading:
                self.unlucky_reading.remove(number)
                self.die()
            result = next(results, None)
            for message in messages:
                yield message
                if message[1] in self.unlucky:
                    self.unlucky.remove(message[1])
                    self.die()
                if message[1] in self.deadly:
                    self.die()
            messages.clear()
            if result is None:
                return
            yield True, result
            number += 1

    def die(self):
        self.deaths += 1
        raise WorkerDiedError


@pytest.mark.parametrize("seed", range(300))
def test_what_kills_is_found_and_nothing_else(seed):
    rng = random.Random(seed)
    names = [f"d{number}" for number in range(rng.randint(1, 12))]
    deadly = set(rng.sample(names, rng.randint(0, min(3, len(names)))))
    # A result at which a process dies twice, for whatever reason, is taken for the culprit: so once each.
    unlucky = set(rng.sample(names, rng.randint(0, min(4, len(names))))) - deadly
    others = [number for number, name in enumerate(names) if name not in deadly | unlucky]
    reading = set(rng.sample([*others, len(names)], rng.randint(0, min(3, len(others)))))
    stillborn = 0 in others and 0 not in reading and rng.random() < 0.5
    mortal = Mortal(Names(), deadly, unlucky, reading, stillborn)
    found = results_despite_deaths(Names(), names, mortal.attempt)
    assert found == [(name, DIED) if name in deadly else name for name in names]
    assert mortal.deaths == 2 * len(deadly) + len(unlucky) + len(reading) + stillborn


def test_an_item_that_kills_its_reader_is_one_result():
    mortal = Mortal(Names(), (), (), (), stillborn=2)
    assert results_despite_deaths(Names(), ["a", "b"], mortal.attempt) == [(None, DIED)]


def test_what_is_known_about_a_death_is_not_forgotten():
    """The first death happened over a name, the second before any: it is the result of that name that has failed."""

    class ThenStillborn(Mortal):
        def attempt(self, item, skip):
            if self.deaths == 1:
                self.die()
            yield from super().attempt(item, skip)

    mortal = ThenStillborn(Names(), {"b"}, (), (), stillborn=0)
    assert results_despite_deaths(Names(), ["a", "b", "c"], mortal.attempt) == ["a", ("b", DIED), "c"]


def test_real_processes_that_die_raise_talk_and_cannot_be_sent():
    items = [[1, 2], [3, 13, 4], [13], [17, 19], [23, 5], [13, 13, 6]]
    found = list(work(items, Numbers(), Plan(jobs=2)))
    unsendable = found[4][1][0]
    assert unsendable.startswith("23: internal error: ")
    assert "pickle" in unsendable
    dead = f"13: {DIED}"
    unlucky = "17: internal error: ValueError: an unlucky number"
    assert found == [
        ([1, 2], [1, 4]),
        ([3, 13, 4], [9, dead, 16]),
        ([13], [dead]),
        ([17, 19], [unlucky, 361]),
        ([23, 5], [unsendable, 25]),
        ([13, 13, 6], [dead, dead, 36]),
    ]


class DeadlyToRead(Asking):
    def results(self, item, skip, tell):
        if item.path.endswith("1.jsonl"):
            import os

            os._exit(4)
        return super().results(item, skip, tell)


def question(document):
    return document.id


def test_a_source_that_kills_its_reader_is_one_answer(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text(line(f"d{number}") + line(f"e{number}"))
    found = work(pieces([str(tmp_path)], Options()), DeadlyToRead(question), Plan(jobs=2))
    assert [results for _, results in found] == [["d0", "e0"], ["1"], ["d2", "e2"]]
