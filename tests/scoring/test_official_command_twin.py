"""``score --official`` on new random documents, against counts from the slow graph that executes the specification."""

import json
import random

import pytest
from official_twin import SpecTables, Twin, twin_inverse
from shared_data import shared

from temporacle.cli import run

pytestmark = pytest.mark.corpora
LABELS = [
    *("BEFORE", "AFTER", "IBEFORE", "IAFTER", "BEGINS", "BEGUN_BY", "ENDS", "ENDED_BY"),
    *("INCLUDES", "IS_INCLUDED", "SIMULTANEOUS", "IDENTITY", "DURING", "VAGUE"),
]
TAG = '<TLINK lid="l{}" relType="{}" eventInstanceID="{}" relatedToEventInstance="{}"/>\n'


def random_links(rng):
    entities = [f"ei{number}" for number in range(rng.randint(2, 9))]
    labels = LABELS if rng.random() < 0.6 else ["BEFORE", "AFTER", "SIMULTANEOUS", "INCLUDES"]
    return [(*rng.sample(entities, 2), rng.choice(labels)) for _ in range(rng.randint(1, 20))]


def twin_counts(tables, gold, system):
    """Precision and recall counts of the default method, by definition."""
    gold, system = (
        [(x, y, label.replace("DURING", "SIMULTANEOUS")) for x, y, label in side] for side in (gold, system)
    )
    graphs = [Twin(tables, side) for side in (gold, system)]
    texts = [set(side) | {(y, x, text_inverse(label)) for x, y, label in side} for side in (gold, system)]

    def matched(items, other):
        return sum(item in texts[other] or graphs[other].decide(*item, evaluating=True) == "true" for item in items)

    gold_items, system_items = (graph.reduced() for graph in graphs)
    return [matched(system_items, 0), len(system_items), matched(gold_items, 1), len(gold_items)]


def text_inverse(label):
    return label if label == "IDENTITY" else twin_inverse(label)


def test_random_documents(tmp_path, capsys):
    tables = SpecTables(shared("spec", "official-timegraph.md").read_text("utf-8"))
    rng = random.Random(7)
    stories = {f"d{number:03}.tml": (random_links(rng), random_links(rng)) for number in range(200)}
    folders = []
    for side, name in enumerate(("gold", "system")):
        (tmp_path / name).mkdir()
        folders.append(str(tmp_path / name))
        for document, story in stories.items():
            text = "".join(TAG.format(number, label, x, y) for number, (x, y, label) in enumerate(story[side]))
            (tmp_path / name / document).write_text(text)
    assert run(["score", *folders, "--official", "--output", "json"]) == 0
    *documents, total = map(json.loads, capsys.readouterr().out.splitlines())
    names = ("precision_matched", "system_total", "recall_matched", "gold_total")
    for row in documents:
        assert [row["counts"][name] for name in names] == twin_counts(tables, *stories[row["document"]]), row
    assert len(documents) == len(stories)
    assert 0 < total["f1"] < 1
