"""What is done only for large documents says the same as the plain way."""

import json
from collections import Counter
from random import Random

import pytest

from temporacle.io.builder import repeated_pairs
from temporacle.io.source import Source
from temporacle.io.tools import json_file


def plainly(sources, targets):
    pairs = [tuple(sorted(pair)) for pair in zip(sources, targets, strict=True)]
    uses = Counter(pairs)
    return [place for place, (one, other) in enumerate(pairs) if uses[one, other] > 1 or one == other]


@pytest.mark.parametrize("seed", range(300))
def test_repeated_pairs_are_those_that_counting_finds(seed):
    rng = Random(seed)
    names = [f"e{number}" for number in range(rng.randint(2, 12))]
    sources, targets = ([rng.choice(names) for _ in range(rng.randint(0, 12))] for _ in range(2))
    size = min(len(sources), len(targets))
    assert repeated_pairs(sources[:size], targets[:size]) == plainly(sources[:size], targets[:size])


def test_texts_of_large_json_are_shared_and_nothing_else_changes(monkeypatch):
    record = {"links": [{"source": "left", "target": "docked", "line": 1, "more": ["left", {"a": "left"}]}] * 3}
    text = json.dumps(record)
    monkeypatch.setattr(json_file, "_LARGE", 10)
    found = json_file.parsed(text, Source("a.jsonl", b""), "bad JSON", "")
    assert found == json.loads(text)
    first, second, _ = found["links"]
    assert first["source"] is second["source"]
    assert first["source"] is first["more"][1]["a"]
