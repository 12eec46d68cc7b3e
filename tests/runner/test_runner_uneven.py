"""Uneven work: however hard single items are, any number of processes gives what one process gives."""

import json
import pickle
import random

import pytest
from shares import few

import temporacle as tp
from temporacle import runner
from temporacle.corpus.references import StoredLines
from temporacle.io.source import Options
from temporacle.runner import Plan, work


class Counting:
    """A job whose items say how long they take, and how many results they have."""

    def results(self, item, skip, tell):
        number, steps, results = item
        for place in range(skip, results):
            tell(f"{number}.{place}")
            yield number, place, sum(range(steps))

    def failed(self, item, name, reason):
        return name, reason


@pytest.mark.usefixtures("started_as")
@pytest.mark.parametrize("seed", few(range(6)))
def test_uneven_items_give_the_same_in_the_same_order(seed, monkeypatch):
    rng = random.Random(seed)
    items = [
        (number, rng.choice([0, 10, 1000, 20_000, 300_000 if rng.random() < 0.1 else 1]), rng.choice([0, 1, 1, 1, 3]))
        for number in range(rng.choice([1, 2, 7, 400]))
    ]
    monkeypatch.setattr(runner, "COPY_PATIENCE", rng.choice([0.0, 0.01, 0.04]))
    monkeypatch.setattr(runner, "PATIENCE", 0.05)
    monkeypatch.setattr(runner, "number_of_cores", lambda: 2)
    expected = list(work(items, Counting(), Plan(jobs=1)))
    assert list(work(items, Counting(), Plan(jobs=2))) == expected
    assert list(work(items, Counting(), Plan(), size=lambda item: item[1])) == expected


def chain(rng, length):
    return [
        {"source": f"e{k}", "relation": rng.choice(["BEFORE"] * 9 + ["AFTER", "INCLUDES"]), "target": f"e{k + 1}"}
        for k in range(length)
    ] + ([{"source": f"e{length}", "relation": "BEFORE", "target": "e0"}] if rng.random() < 0.3 else [])


@pytest.mark.parametrize("seed", few(range(2)))
def test_checks_and_scores_of_uneven_documents_are_the_same(seed, tmp_path, monkeypatch):
    rng = random.Random(seed)
    monkeypatch.setattr(runner, "COPY_PATIENCE", 0.0)
    lengths = [rng.choice([1, 2, 5, 10, 200]) for _ in range(60)]
    for side in ("gold", "system"):
        lines = ({"document": f"d{number}", "links": chain(rng, length)} for number, length in enumerate(lengths))
        (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    gold, system = (str(tmp_path / f"{side}.jsonl") for side in ("gold", "system"))
    one, two = ([{**each, "seconds": 0} for each in tp.check(gold, jobs=jobs).to_dict()] for jobs in (1, 2))
    assert one == two
    assert {each["verdict"] for each in one} == {"consistent", "inconsistent"}
    assert tp.score(gold, system, jobs=1) == tp.score(gold, system, jobs=2)


def test_explained_changes_are_the_same_wherever_they_are_explained():
    from temporacle.tasks.decode import decode

    rng = random.Random(4)
    given = []
    for number in range(8):
        pairs = [
            {"source": a, "target": b, "scores": {"BEFORE": (p := rng.random()), "AFTER": 1 - p}}
            for place, a in enumerate("abcde")
            for b in "abcde"[place + 1 :]
        ]
        given.append({"document": f"d{number}", "reading": "matres", "pairs": pairs})
    late, here, there = (
        [{**found.to_dict(), "seconds": 0} for found in decode.each(given, jobs=jobs, explained=explained)]
        for jobs, explained in ((1, False), (1, True), (2, True))
    )
    assert late == here == there
    assert any(change["explanation"] for each in late for change in each["changed"])


def test_a_line_of_a_file_travels_alone(tmp_path):
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"first\nsecond\n" + b"more\n" * 1000)
    lines = StoredLines(str(path), Options())
    first, second = lines.add(0, b"first", 1), lines.add(6, b"second", 2)
    for number in range(1000):
        lines.add(13 + 5 * number, b"more", 3 + number)
    travelled = pickle.loads(pickle.dumps(second))
    assert travelled.source().first_line == 2
    assert (travelled.size, travelled.source().data) == (6, b"second")
    assert len(pickle.dumps(second)) < 1000
    path.write_bytes(b"first\nSECOND\n")
    with pytest.raises(tp.InputError, match="changed"):
        travelled.source()
    assert pickle.loads(pickle.dumps(first)).source().data == b"first"
