"""Agreement of annotators: coefficients against their definitions, and figures that depend on no name."""

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from scoring.sides import document

import temporacle as tp
from temporacle.cli import run
from temporacle.errors import UsageError
from temporacle.model import Body, Document, Entity
from temporacle.reasoner.algebra import ALL
from temporacle.relation import Relation
from temporacle.scoring.agreement import closed_ratings, coefficients, kappa, stated_ratings
from temporacle.tasks.agreement import agree as agreement

# --- definitions, written out over lists of ratings -------------------------------------------------------------------


def defined_cohen(items):
    """Two lists of labels: agreement seen, and agreement of every first label with every second label."""
    first, second = zip(*items, strict=True)
    observed = Fraction(sum(a == b for a, b in items), len(items))
    expected = Fraction(sum(a == b for a in first for b in second), len(items) ** 2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def defined_fleiss(items):
    """Two different ratings of an item, and any two ratings at all."""
    size = len(items[0])
    agree = [Fraction(sum(a == b for a, b in permutations(item, 2)), size * (size - 1)) for item in items]
    observed = sum(agree) / len(items)
    every = [label for item in items for label in item]
    expected = Fraction(sum(a == b for a in every for b in every), len(every) ** 2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def defined_krippendorff(items):
    """The coincidence matrix, cell by cell."""
    coincidences = Counter()
    for item in items:
        given = [label for label in item if label is not None]
        for a, b in permutations(range(len(given)), 2):
            coincidences[given[a], given[b]] += Fraction(1, len(given) - 1)
    total = sum(coincidences.values())
    by_label = Counter()
    for (label, _), number in coincidences.items():
        by_label[label] += number
    observed = sum(number for (a, b), number in coincidences.items() if a != b) / total
    expected = Fraction(0)
    for a, b in permutations(by_label, 2):
        expected += by_label[a] * by_label[b] / (total * (total - 1))
    return None if expected == 0 else 1 - observed / expected


@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_coefficients_are_what_their_definitions_say(annotators):
    random = Random(annotators)
    compared = Counter()
    for _ in range(150):
        labels = random.choice([(1,), (1, 2), (1, 2, 4, None)])
        items = [tuple(random.choice(labels) for _ in range(annotators)) for _ in range(random.randint(1, 12))]
        ratings = Counter({item: 2 * number for item, number in Counter(items).items()})  # of half pairs
        found = coefficients(ratings, annotators)
        complete = [item for item in items if None not in item]
        several = [item for item in items if len(item) - item.count(None) > 1]
        assert (found.pairs, found.by_all) == (len(several), len(complete))
        assert found.fleiss == (defined_fleiss(complete) if complete else None)
        assert found.krippendorff == (defined_krippendorff(several) if several else None)
        for place, (one, other) in enumerate((a, b) for a in range(annotators) for b in range(a + 1, annotators)):
            both = [(item[one], item[other]) for item in items if None not in (item[one], item[other])]
            assert found.kappas[place].pairs == len(both)
            assert found.kappas[place].kappa == (defined_cohen(both) if both else None)
        compared.update(each is not None for each in (found.fleiss, found.krippendorff))
    assert compared[True] > 100
    assert compared[False] > 10


# --- neither names nor directions matter ------------------------------------------------------------------------------


def annotated(random, names, places):
    """An annotation with entities at these places in the text; None: no place is known."""
    links = []
    for _ in range(random.randint(1, 6)):
        source, target = random.sample(range(len(names)), 2)
        links.append((source, random.choice(("b", "bi", "=", "di")), target))
    return links, places


def as_document(links, names, places):
    entities = [
        Entity(name, spans=() if place is None else ((place, place + 1),))
        for name, place in zip(names, places, strict=True)
    ]
    triples = [(names[source], relation, names[target]) for source, relation, target in links]
    made = document(triples)
    return Document("d", made.links, tuple(names), body=Body(tuple(entities)))


def turned(links):
    return [(target, str(Relation(relation).converse()), source) for source, relation, target in links]


@pytest.mark.parametrize("has_places", [True, False], ids=["with text", "without text"])
def test_renaming_entities_and_turning_links_round_change_nothing(has_places):
    random = Random(7)
    names = ["a", "b", "c", "d"]
    for _ in range(60):
        places = random.sample(range(20), 4) if has_places else [None] * 4
        sides = [annotated(random, names, places)[0] for _ in range(3)]

        def figures(sides, names, places=places):
            documents = [as_document(links, names, places) for links in sides]
            return [coefficients(ratings(documents), 3) for ratings in (stated_ratings, closed_ratings)]

        expected = figures(sides, names)
        assert figures(sides, ["z", "y", "x", "w"]) == expected
        assert figures(sides, ["b", "d", "a", "c"]) == expected
        assert figures([turned(links) for links in sides], names) == expected
        assert figures([sides[0], turned(sides[1]), sides[2]], names) == expected


def test_pairs_are_taken_in_the_order_of_the_text():
    """Two annotators who always say that what is mentioned first happens first leave nothing to chance."""
    places = [30, 10, 20]
    one = as_document([(1, "b", 2), (2, "b", 0)], ["a", "b", "c"], places)
    other = as_document([(2, "bi", 1), (0, "bi", 2)], ["a", "b", "c"], places)
    ratings = stated_ratings([one, other])
    assert ratings == Counter({(1, 1): 4})  # BEFORE in the order of the text, two pairs
    assert coefficients(ratings, 2).kappas[0].kappa is None
    without = [as_document([(1, "b", 2), (2, "b", 0)], ["a", "b", "c"], [None] * 3) for _ in range(2)]
    assert coefficients(stated_ratings(without), 2).kappas[0].expected == Fraction(1, 2)


def test_the_creation_time_stands_before_the_text():
    first = document([("e", "bi", "t")])
    body = Body((Entity("t", is_dct=True), Entity("e", spans=((5, 6),))))
    sides = [Document("d", first.links, ("t", "e"), body=body)] * 2
    assert stated_ratings(sides) == Counter({(1, 1): 2})


def test_what_follows_is_compared_after_closure():
    first = document([("a", "b", "b"), ("b", "b", "c"), ("a", "b", "c")])
    second = document([("a", "b", "b"), ("b", "b", "c")])
    assert coefficients(stated_ratings([first, second]), 2).pairs == 2
    closed = coefficients(closed_ratings([first, second]), 2)
    assert (closed.pairs, closed.kappas[0].observed) == (3, 1)
    assert all(ALL not in rated for rated in closed_ratings([first, second]))  # pairs about which nothing follows


# --- from the outside -------------------------------------------------------------------------------------------------


def test_pairs_are_compared_in_either_direction_and_only_where_both_labelled_them():
    first = document([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d")])
    second = document([("b", "bi", "a"), ("b", "=", "c"), ("x", "b", "y")])
    found = agreement(first, second)
    assert (found.kappa.pairs, found.kappa.observed) == (2, Fraction(1, 2))


def test_kappa_is_one_for_equal_labels_and_undefined_without_choice():
    links = document([("a", "b", "b"), ("b", "=", "c")])
    assert agreement(links, links).kappa.kappa == 1
    one_label = document([("a", "=", "b"), ("b", "=", "c")])
    assert agreement(one_label, one_label).kappa.kappa is None
    assert kappa(Counter()).pairs == 0


def test_scores_are_given_both_ways():
    first = document([("a", "b", "b"), ("b", "b", "c"), ("c", "b", "d")])
    second = document([("a", "b", "b")])
    found = agreement(first, second)
    assert (found.forward.precision, found.forward.recall) == (1, Fraction(1, 3))
    assert (found.backward.precision, found.backward.recall) == (Fraction(1, 3), 1)


def test_three_annotators():
    sides = [document([("a", relation, "b"), ("b", "b", "c")]) for relation in ("b", "b", "=")]
    found = tp.agreement(*sides)
    assert len(found.between) == len(found.stated.kappas) == 3
    assert (found.stated.pairs, found.stated.by_all) == (2, 2)
    assert found.stated.kappas[0].kappa == 1
    with pytest.raises(UsageError, match="more than two annotators"):
        _ = found.forward
    with pytest.raises(UsageError, match="more than two annotators"):
        _ = found.kappa
    assert "3 annotators" in repr(found)
    assert len(found.to_frame()) == 6


@pytest.fixture
def three(tmp_path):
    texts = {"one": "a\tBEFORE\tb\nb\tBEFORE\tc\n", "two": "b\tAFTER\ta\n", "three": "a\tSIMULTANEOUS\tb\n"}
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.tsv").write_text(text)
    return [str(tmp_path / name) for name in texts]


def test_the_command_line_takes_several_annotators(three, capsys):
    assert run(["score", *three, "--agreement", "--output", "json"]) == 0
    total = json.loads(capsys.readouterr().out.splitlines()[-1])
    found = total["agreement"]
    assert found["annotators"] == three
    assert [each["annotators"] for each in found["between"]] == [three[:2], three[::2], three[1:]]
    assert (found["pairs"], found["observed"]) == (1, None)
    assert {"kappa", "fleiss", "krippendorff"} <= set(found["closure"])
    names = [flag for name in "xyz" for flag in ("--name", name)]
    assert run(["score", *three, "--agreement", *names]) == 0
    printed = capsys.readouterr().out
    assert "Krippendorff" in printed
    assert [line.split()[:2] for line in printed.splitlines()[1:4]] == [["x", "y"], ["y", "x"], ["x", "z"]]


def test_without_time_there_are_no_figures_after_closure(capsys, tmp_path):
    random = Random(3)
    names = [f"e{k}" for k in range(14)]
    rows = [
        (a, "|".join(random.sample(("b", "m", "o", "d", "di", "oi", "mi", "bi"), 4)), b)
        for k, a in enumerate(names)
        for b in names[k + 1 :]
    ]
    path = tmp_path / "d.tsv"
    path.write_text("".join(f"{a}\t{r}\t{b}\n" for a, r, b in rows))
    options = ["--agreement", "--metric", "tempeval1", "--time-limit", "0.001", "--output", "json"]
    assert run(["score", str(path), str(path), *options]) == 3
    printed = capsys.readouterr()
    total = json.loads(printed.out.splitlines()[-1])
    assert (total["agreement"]["closure"], total["agreement"]["observed"]) == (None, 1)
    assert "undecided" in printed.err
