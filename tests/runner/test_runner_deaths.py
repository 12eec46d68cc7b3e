"""Workers that die over a document, or over nothing: simulated in this process, in many random ways."""

import json
import random

import pytest
from questions import size
from runs import line

from temporacle.io import sources
from temporacle.io.source import Options
from temporacle.model import Unreadable
from temporacle.runner.chunks import Part, answers_of
from temporacle.runner.deaths import CAUSE, Note, WorkerDiedError, answers_despite_deaths


class Mortal:
    """Attempts that end when they meet a deadly document, each time, or an unlucky one, the first time."""

    def __init__(self, deadly, unlucky, stillborn):
        self.deadly = deadly
        self.unlucky = set(unlucky)  # names; None stands for reading
        self.stillborn = stillborn  # so many attempts end before they begin
        self.deaths = 0

    def attempt(self, chunk, function, notes):
        if self.stillborn:
            self.stillborn -= 1
            self.die()

        def note(part, position, name):
            with open(notes, "w") as file:  # noqa: PTH123
                file.write(json.dumps(Note(part, position, name)) + "\n")
            if name in self.unlucky:
                self.unlucky.remove(name)
                self.die()
            if name in self.deadly:
                self.die()

        return answers_of(chunk, function, note)

    def die(self):
        self.deaths += 1
        raise WorkerDiedError


@pytest.mark.parametrize("seed", range(300))
def test_deadly_documents_are_found_and_no_other(tmp_path, seed):
    rng = random.Random(seed)
    names = []
    for number in range(rng.randint(1, 5)):
        here = [f"d{number}.{i}" for i in range(rng.randint(1, 6))]
        (tmp_path / f"{number}.jsonl").write_text("".join(map(line, here)))
        names += here
    deadly = set(rng.sample(names, rng.randint(0, min(3, len(names)))))
    # One at the beginning at most: whoever is there twice when a worker dies is taken for the culprit.
    beginning = rng.choice((None, names[0], "stillborn", "nothing"))
    unlucky = {*rng.sample(names[1:], rng.randint(0, min(4, len(names) - 1))), beginning}
    attempts = Mortal(deadly, unlucky, stillborn=beginning == "stillborn")
    chunk = tuple(Part(source) for source in sources([str(tmp_path)], Options()))
    found = list(answers_despite_deaths(chunk, size, attempts))
    assert [answer.document for answer in found] == names
    for answer in found:
        assert answer.result == (f"unreadable: {CAUSE}" if answer.document in deadly else 2)
        assert answer.readable == (answer.document not in deadly)
    assert attempts.deaths <= 2 * len(deadly) + len(unlucky)


def test_a_source_that_kills_its_reader_is_one_answer(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text(line(f"d{number}"))
    first, deadly, last = (Part(source) for source in sources([str(tmp_path)], Options()))

    class DeadlyToRead(Mortal):
        def attempt(self, chunk, function, notes):
            position = next((i for i, part in enumerate(chunk) if part.source is deadly.source), None)
            if position is None:
                return super().attempt(chunk, function, notes)
            with open(notes, "w") as file:  # noqa: PTH123
                file.write(json.dumps(Note(position, 0, None)) + "\n")
            return self.die()

    found = list(answers_despite_deaths((first, deadly, last), size, DeadlyToRead((), (), 0)))
    assert [(answer.document, answer.result) for answer in found] == [
        ("d0", 2),
        ("1", f"unreadable: {CAUSE}"),
        ("d2", 2),
    ]


def test_what_is_before_a_part_is_not_answered_again(tmp_path):
    """A chunk that begins in the middle of a source, and a worker that dies before it says where it is."""
    (tmp_path / "a.jsonl").write_text("".join(line(f"d{i}") for i in range(5)))
    (source,) = sources([str(tmp_path)], Options())
    assert not isinstance(source, Unreadable)
    found = answers_despite_deaths((Part(source, start=3),), size, Mortal((), (), stillborn=1))
    assert [answer.document for answer in found] == ["d3", "d4"]
