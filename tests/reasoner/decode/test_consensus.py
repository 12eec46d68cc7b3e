"""Several runs vote; the consensus is consistent."""

import json
from itertools import combinations, starmap
from random import Random

import pytest
from naive import all_scenarios, atom_between

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.model import Body, Document, Entity, Kind
from temporacle.readings import load_reading


def document(*links, name="d"):
    return Document(name, list(links))


def labels(found):
    return {(link.source, link.target): link.label for link in found.to_document().links}


def test_the_majority_wins_where_it_is_consistent():
    first = document(("a", "BEFORE", "b"), ("b", "BEFORE", "c"))
    second = document(("a", "BEFORE", "b"), ("b", "AFTER", "c"))
    third = document(("b", "AFTER", "a"), ("c", "BEFORE", "b"))
    (found,) = tp.decode([first, second, third], consensus=True)
    assert labels(found) == {("a", "b"): "BEFORE", ("b", "c"): "AFTER"}
    assert found.objective == 5
    assert found.decoded.argmax == found.decoded.value


def test_a_majority_that_contradicts_itself_gives_way_at_the_lowest_price():
    runs = [
        document(("a", "BEFORE", "b"), ("b", "BEFORE", "c")),
        document(("a", "BEFORE", "b"), ("b", "BEFORE", "c")),
        document(("c", "BEFORE", "a"), ("a", "BEFORE", "b")),
    ]
    (found,) = tp.decode(runs, consensus=True)
    assert labels(found) == {("a", "b"): "BEFORE", ("b", "c"): "BEFORE"}  # c before a is left out
    assert found.objective == 5
    change = found.to_dict()["changed"][0]
    assert (change["from"], change["to"], change["price"]) == ("BEFORE", "NONE", 1)
    (found,) = tp.decode(runs, consensus=True, weight=[1, 1, 5])
    assert labels(found) == {("a", "b"): "BEFORE", ("c", "a"): "BEFORE"}


LABELS = {"BEFORE": "AFTER", "AFTER": "BEFORE", "SIMULTANEOUS": "SIMULTANEOUS", "INCLUDES": "IS_INCLUDED"}


@pytest.mark.parametrize("seed", range(30))
def test_the_consensus_has_the_most_votes_of_all_that_can_be(seed):
    rng = Random(seed)
    pairs = list(combinations("abc", 2))
    runs = [
        {pair: rng.choice(list(LABELS)) for pair in pairs if rng.random() < 0.8} for _ in range(rng.choice((2, 3, 5)))
    ]
    runs[0].update({pair: "BEFORE" for pair in pairs if not any(pair in run for run in runs)})
    stated = [
        [(x, label, y) if rng.random() < 0.5 else (y, LABELS[label], x) for (x, y), label in run.items()]
        for run in runs
    ]
    (found,) = tp.decode([document(*links) for links in stated], consensus=True)
    relation = load_reading("links").relation
    votes = {(pair, label): sum(run.get(pair) == label for run in runs) for pair in pairs for label in LABELS}

    def reached(scenario):
        true = dict(zip(pairs, starmap(atom_between, combinations(scenario, 2)), strict=True))
        return sum(count for (pair, label), count in votes.items() if true[pair] in str(relation(label)).split("|"))

    assert found.objective == max(map(reached, all_scenarios(3)))


def test_runs_that_do_not_link_a_pair_may_vote_for_leaving_it_out():
    runs = [document(("a", "BEFORE", "b")), document(("b", "BEFORE", "c")), document(("b", "BEFORE", "c"))]
    assert len(labels(tp.decode(runs, consensus=True)[0])) == 2
    assert labels(tp.decode(runs, consensus=True, absent=1)[0]) == {("b", "c"): "BEFORE"}


def test_a_run_votes_once_for_what_it_says_twice():
    runs = [document(("a", "BEFORE", "b"), ("b", "AFTER", "a"), ("a", "BEFORE", "b")), document(("a", "AFTER", "b"))]
    (found,) = tp.decode(runs, consensus=True, weight=[1, 2])
    assert labels(found) == {("a", "b"): "AFTER"}


def spanned(names, *links):
    text = "They left, docked and unloaded."
    words = {"left": (5, 9), "docked": (11, 17), "unloaded": (22, 30)}
    entities = tuple(Entity(own, Kind.EVENT, word, (words[word],)) for own, word in names.items())
    return Document("d", list(links), tuple(names), body=Body(entities, text))


def test_entities_are_matched_by_spans_also_between_later_runs():
    first = spanned({"e1": "left", "e2": "docked"}, ("e1", "BEFORE", "e2"))
    second = spanned({"x": "docked", "y": "unloaded"}, ("x", "BEFORE", "y"))
    third = spanned({"e2": "unloaded", "e1": "docked"}, ("e1", "BEFORE", "e2"))
    (found,) = tp.decode([first, second, third], consensus=True, align="spans")
    assert [link["score"] for link in found.to_dict()["links"]] == [1, 2]
    assert found.decoded.pairs[1].pair.source == "e2"
    document = found.to_document()
    assert len(document.entities) == 3
    assert document.text == first.text


def test_wrong_usage_is_refused(tmp_path, capsys):
    runs = [document(("a", "BEFORE", "b"))] * 2
    for wrong, said in [
        ({"weight": [1]}, "1 weights for 2 runs"),
        ({"weight": [1, -1]}, "above zero"),
        ({"align": "luck"}, "align='luck'"),
        ({"absent": 2}, "absent is 2"),
    ]:
        with pytest.raises(UsageError, match=said):
            tp.decode(runs, consensus=True, **wrong)
    with pytest.raises(UsageError, match="at least two runs"):
        tp.decode(runs[:1], consensus=True)
    with pytest.raises(UsageError, match="only with consensus"):
        tp.decode([("a", "b", {"BEFORE": 1})], absent=1)
    path = tmp_path / "r.tsv"
    path.write_text("a\tBEFORE\tb\n", "utf-8")
    assert run(["decode", str(path), str(path), "--weight", "2"]) == 2
    assert run(["decode", "--consensus", str(path), str(path), "--objective", "prob"]) == 2
    assert "leave out --objective" in capsys.readouterr().err


def test_from_files(tmp_path, capsys):
    for number, relation in enumerate(("BEFORE", "BEFORE", "AFTER")):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        (folder / "d.tsv").write_text(f"a\t{relation}\tb\n", "utf-8")
    (tmp_path / "run2" / "e.tsv").write_text("a\tBEFORE\tb\n", "utf-8")
    (tmp_path / "run1" / "e.tsv").write_text("", "utf-8")
    runs = [str(tmp_path / f"run{number}") for number in range(3)]
    out = tmp_path / "consensus.jsonl"
    assert run(["decode", "--consensus", *runs, "--output", "json", "-o", str(out)]) == 3
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["objective"] for row in rows] == [2, 1]
    assert [len(each.links) for each in tp.read_corpus(out)] == [1, 1]
