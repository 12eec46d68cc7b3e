"""Temporal awareness: the definition case by case, a CP-SAT twin, and the exact counts of the golden cases."""

import json
from itertools import permutations
from random import Random

import pytest
from naive import KINDS, network_of, random_network
from scoring.sides import counts, document
from shared_data import SHARED
from shares import few

import temporacle as tp
from temporacle.errors import BudgetExceeded, InputError
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.reference import cpsat
from temporacle.relation import EVERYTHING, Relation
from temporacle.scoring.awareness import AwarenessOptions, judge
from temporacle.scoring.metric import Contradictions, Vague
from temporacle.scoring.side import Side

K = [("A", "BEFORE", "B"), ("B", "BEFORE", "C"), ("C", "BEFORE", "D")]
CYCLE = [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "a")]


def figures(gold, system, **options):
    """Precision and recall as (matched, total)."""
    found = counts("awareness", gold, system, **options)
    return (found.precision_matched, found.system_total), (found.recall_matched, found.gold_total)


@pytest.mark.parametrize(
    ("system", "precision", "recall"),
    [
        ([K[0], K[2]], (2, 2), (2, 3)),
        ([K[0], ("B", "BEFORE", "D")], (2, 2), (1, 3)),
        (K[:2], (2, 2), (2, 3)),
    ],
    ids=["S1", "S2", "S3"],
)
def test_figure_1_of_the_paper(system, precision, recall):
    assert figures(K, system) == (precision, recall)


def test_a_redundant_link_is_dropped_and_an_earlier_one_is_not():
    chain_first = [*K[:2], ("A", "BEFORE", "C")]
    closure_first = [("A", "BEFORE", "C"), *K[:2]]
    assert figures(chain_first, K[:1]) == ((1, 1), (1, 2))
    assert figures(closure_first, K[:1]) == ((1, 1), (1, 3))


def test_exact_duplicates_are_skipped_also_under_another_spelling_or_as_during():
    links = [("a", "SIMULTANEOUS", "b"), ("a", "simultaneous", "b"), ("a", "BEFORE", "b"), ("a", "before", "b")]
    assert figures(links, links) == ((2, 2), (2, 2))
    during = document([("a", "BEFORE", "b"), ("a", "=", "b")])
    renamed = [during.links[0], *(during.links[1]._replace(label=label) for label in ("DURING", "SIMULTANEOUS"))]
    assert figures(renamed, renamed) == ((2, 2), (2, 2))


def test_two_labels_of_one_relation_are_no_duplicates_but_state_each_other():
    aside = document([("a", "BEFORE", "b"), ("a", "=", "b"), ("a", "=", "b")]).links
    both = [aside[0], aside[1]._replace(label="IDENTITY"), aside[2]._replace(label="SIMULTANEOUS")]
    found = counts("awareness", both, both[:2])
    assert (found.gold_set_aside, found.gold_total, found.recall_matched) == (2, 3, 3)


def test_a_contradictory_link_counts_but_takes_no_part():
    system = [*CYCLE, ("c", "BEFORE", "d")]
    found = counts("awareness", [("a", "BEFORE", "c"), ("c", "BEFORE", "d")], system)
    assert (found.system_total, found.system_set_aside, found.recall_matched) == (4, 1, 2)


def test_what_was_set_aside_is_still_stated_in_either_direction():
    """The system keeps a < b < c, and states c < a: gold's own a > c is verified, a > b is not."""
    found = counts("awareness", [("a", "AFTER", "c"), ("a", "AFTER", "b")], CYCLE)
    assert (found.recall_matched, found.gold_total) == (1, 2)


def test_links_between_entities_the_other_side_does_not_know_stay_in_the_denominator():
    assert figures(K, [("x", "BEFORE", "y"), K[0]]) == ((1, 2), (1, 3))


def test_a_self_link_with_equality_is_news_about_a_new_entity_only():
    same = ("a", "SIMULTANEOUS", "a")
    assert figures([same], [same]) == ((1, 1), (1, 1))
    assert figures([same], [("a", "BEFORE", "b")]) == ((0, 1), (1, 1))
    assert figures([("a", "BEFORE", "b"), same], []) == ((0, 0), (0, 1))


def test_a_self_link_without_equality_contradicts():
    links = [("a", "BEFORE", "a"), ("a", "SIMULTANEOUS", "a")]
    found = counts("awareness", links, links)
    assert (found.gold_total, found.gold_set_aside, found.recall_matched) == (1, 1, 1)


def test_an_entity_of_a_set_aside_link_is_known():
    """The system mentions x only in a self-link that contradicts: it knows x, and entails x = x."""
    assert figures([("x", "SIMULTANEOUS", "x")], [("x", "BEFORE", "x")]) == ((0, 1), (1, 1))


@pytest.mark.parametrize(
    ("vague", "precision", "recall", "left_out"),
    [(Vague.IGNORE, (1, 1), (1, 1), (2, 2)), (Vague.COUNT, (2, 3), (2, 3), (0, 0))],
)
def test_links_that_constrain_nothing(vague, precision, recall, left_out):
    gold = [("a", "BEFORE", "b"), ("b", EVERYTHING, "c"), ("c", EVERYTHING, "d")]
    system = [("a", "BEFORE", "b"), ("c", EVERYTHING, "b"), ("x", EVERYTHING, "y")]
    found = counts("awareness", gold, system, vague=vague)
    assert figures(gold, system, vague=vague) == (precision, recall)
    assert (found.gold_vague_left_out, found.system_vague_left_out) == left_out


def test_refusing_contradictions_names_the_document_and_the_cure():
    with pytest.raises(InputError, match=r"contradicts itself.*contradictions set-aside"):
        judge(document(CYCLE), document(CYCLE), AwarenessOptions(contradictions=Contradictions.REFUSE))


def test_a_repair_sets_aside_the_fewest_links_whatever_their_order():
    """One wrong link that comes first would cost two others if links were set aside in order."""
    wrong_first = [("c", "BEFORE", "a"), ("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("a", "BEFORE", "c")]
    wrong_first += [("a", "BEFORE", "d"), ("d", "BEFORE", "c")]
    in_order = counts("awareness", wrong_first, K)
    assert in_order.gold_set_aside > 1
    for seed in range(8):
        links = list(wrong_first)
        Random(seed).shuffle(links)
        annotation = Side(document(links), Budget(), Contradictions.REPAIR)
        assert [annotation.link(position).source for position in annotation.set_aside] == ["c"]


@pytest.mark.parametrize("twice", ["b", "bi"])
def test_a_repair_weighs_what_is_stated_twice_twice(twice):
    once = {"b": "bi", "bi": "b"}[twice]
    for labels in set(permutations([twice, twice, once])):
        annotation = Side(document([("x", label, "y") for label in labels]), Budget(), Contradictions.REPAIR)
        assert [annotation.link(position).label for position in annotation.set_aside] == [once]


def test_a_budget_of_nothing_is_undecided_not_a_guess():
    rng = Random(1)
    links = random_network(rng, [f"e{k}" for k in range(12)], "arbitrary", density=1.0)
    with pytest.raises(BudgetExceeded):
        judge(document(links), document(links), AwarenessOptions(budget=0))


# --- the twin --------------------------------------------------------------------------------------------------------


class Twin:
    """The definition in the order of its sentences; every question about inference is a CP-SAT model of its own."""

    def __init__(self, links):
        self.links = links
        self.counted, self.kept, self.aside, mentioned, seen = [], [], [], set(), set()
        for link in links:
            key = (link.source, link.target, link.label)
            if key in seen or int(link.relation) == ALL:
                mentioned |= {link.source, link.target}
                continue
            seen.add(key)
            verdict = self._verdict(link, mentioned)
            mentioned |= {link.source, link.target}
            if verdict == "entailed":
                continue
            self.counted.append(link)
            (self.aside if verdict == "refuted" else self.kept).append(link)
        self.known = mentioned

    def _verdict(self, link, known):
        network = Network(self.kept, sorted(known | {link.source, link.target}))
        full = cpsat.decider(network, Budget())
        source, target, mask = network.index[link.source], network.index[link.target], int(link.relation)
        if not full.possible(source, target, mask):
            return "refuted"
        if link.source == link.target:
            return "entailed" if link.source in known else "open"
        return "open" if full.possible(source, target, ALL & ~mask) else "entailed"

    def verifies(self, link):
        stated = {(each.source, int(each.relation), each.target) for each in self.links}
        mask = int(link.relation)
        if (link.source, mask, link.target) in stated or (link.target, converse(mask), link.source) in stated:
            return True
        return {link.source, link.target} <= self.known and self._verdict(link, self.known) == "entailed"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", few(range(60), 12))
def test_counts_are_those_of_the_cpsat_twin(kind, seed):
    rng = Random(f"awareness-{kind}-{seed}")
    entities = [f"e{k}" for k in range(rng.choice((3, 4, 5)))]
    sides = []
    for _ in range(2):
        links = random_network(rng, entities, kind, density=rng.choice((0.4, 0.7, 1.0)))
        links += rng.sample(links, k=min(len(links), rng.randrange(2)))
        if rng.random() < 0.3:
            links.append((rng.choice(entities), rng.choice((Relation.of("="), Relation.of("b"))), rng.choice(entities)))
        sides.append(list(network_of(links).links))
    if rng.random() < 0.5:  # systems usually repeat much of the gold standard
        sides[1] = [*rng.sample(sides[0], k=len(sides[0]) // 2), *sides[1][:2]]
    gold, system = sides
    key, answer = Twin(gold), Twin(system)
    found = counts("awareness", gold, system)
    assert (found.system_total, found.system_set_aside) == (len(answer.counted), len(answer.aside))
    assert (found.gold_total, found.gold_set_aside) == (len(key.counted), len(key.aside))
    assert found.precision_matched == sum(map(key.verifies, answer.counted))
    assert found.recall_matched == sum(map(answer.verifies, key.counted))


# --- golden cases ----------------------------------------------------------------------------------------------------

GOLDEN = SHARED / "golden" / "official"


def _exact_cases():
    for folder in sorted(GOLDEN.glob("r*")):
        expected = json.loads((folder / "expected.json").read_text("utf-8"))
        if "exact_reasoner_same_policy" in expected:
            yield pytest.param(folder, expected["exact_reasoner_same_policy"], id=folder.name)


@pytest.mark.corpora
@pytest.mark.skipif(not GOLDEN.exists(), reason="needs ../shared/golden/official, which is not part of the project")
@pytest.mark.parametrize(("folder", "expected"), list(_exact_cases()))
def test_golden_counts_of_an_exact_reasoner(folder, expected):
    total = tp.score(str(folder / "gold"), str(folder / "system"))
    found = dict(total.counts.items())
    assert {name: found[name] for name in found if name in expected} == {
        name: value for name, value in expected.items() if name != "f1"
    }
    assert round(100 * float(total.f1), 3) == pytest.approx(expected["f1"], abs=1e-3)


RUNS = SHARED / "golden" / "te3_runs"


@pytest.mark.corpora
@pytest.mark.skipif(not RUNS.exists(), reason="needs ../shared/golden/te3_runs, which is not part of the project")
@pytest.mark.parametrize("run", sorted(path.name for path in RUNS.glob("*") if path.is_dir()))
def test_counts_of_participants_of_tempeval_3_after_normalising(run):
    expected = json.loads((RUNS / run / "expected.json").read_text("utf-8"))["exact_same_policy"]
    found = tp.score(str(RUNS / run / "gold"), str(RUNS / run / "system")).counts
    wanted = expected["default"]
    assert (found.precision_matched, found.system_total) == (wanted["prec_matched"], wanted["sys_total"])
    assert (found.recall_matched, found.gold_total) == (wanted["rec_matched"], wanted["gold_total"])
    assert (found.gold_set_aside, found.system_set_aside) == (expected["gold_violated"], expected["system_violated"])
