"""The parts of a decoding by themselves, on graphs of three entities: best labellings, conflicts, limits of time."""

from itertools import product
from random import Random

import pytest
from decode_twin import all_labellings, document_of, random_document
from naive import brute_force
from test_decode_twin import compared

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.decode import decode
from temporacle.reasoner.decode import decode as decodepart
from temporacle.reasoner.decode.conflicts import ConflictFinder
from temporacle.reasoner.decode.decode import Decoded, Impossible, Labelling, PartDecoder, decode_document
from temporacle.reasoner.decode.ranked import UNLABELLED, Conflict, RankedPair, independent_parts
from temporacle.reasoner.network import Budget
from temporacle.reasoner.optimise.choices import connected
from temporacle.reasoner.optimise.solver import Relaxed
from temporacle.scored import Objective

PROB = Objective.PROB


def scored(*pairs, links=(), reading="matres"):
    """A document from pairs such as ("a", "b", {"BEFORE": 0.9, "AFTER": 0.1})."""
    record = {
        "document": "d",
        "pairs": [{"source": source, "target": target, "scores": scores} for source, target, scores in pairs],
        "links": [{"source": source, "relation": label, "target": target} for source, label, target in links],
    }
    return document_of(record, reading)


def ring(*names, first=0.9):
    """Each before the next with falling certainty, and the last before the first."""
    following = [*names[1:], names[0]]
    return [
        (source, target, {"BEFORE": first - place / 10, "AFTER": 1 - first + place / 10})
        for place, (source, target) in enumerate(zip(names, following, strict=True))
    ]


RING = scored(*ring("a", "b", "c"))
EITHER = {"b|bi": 0.6, "m": 0.4}  # not convex
NOT_CONVEX = scored(("a", "b", EITHER), ("b", "c", EITHER), ("c", "a", {"m": 0.7, "=": 0.3}), reading="allen")


def decoders(document, budget=None):
    pairs = tuple(RankedPair.of(pair, PROB) for pair in document.pairs)
    parts = independent_parts(pairs, document.links)
    return [PartDecoder(part, pairs, document.links, budget or Budget()) for part in parts]


def possible(document):
    """The cost of each consistent labelling, by ranks."""
    pairs = [RankedPair.of(pair, PROB) for pair in document.pairs]
    best = sum(pair.best for pair in pairs)
    found = {}
    for value, places in all_labellings(document, PROB):
        labels = [pair.labels[place] for pair, place in zip(document.pairs, places, strict=True)]
        found[tuple(pair.labels.index(label) for pair, label in zip(pairs, labels, strict=True))] = best - value
    return found


@pytest.fixture
def enumeration(monkeypatch):
    """Branch and bound has no patience, and an enumeration takes the place of CP-SAT."""

    def relaxed(costs, conflicts, _budget):
        pairs = sorted({pair for blocked in conflicts for pair in blocked})
        found = []
        for ranks in product(*(range(len(costs[pair])) for pair in pairs)):
            chosen = dict(zip(pairs, ranks, strict=True))
            if all(any(not bits >> chosen[pair] & 1 for pair, bits in blocked.items()) for blocked in conflicts):
                found.append((sum(costs[pair][rank] for pair, rank in chosen.items()), chosen))
        if not found:
            return None
        cost = min(cost for cost, _ in found)
        return Relaxed(cost, cost, [ranks for own, ranks in found if own == cost][-1])  # the last of the equals

    def first(costs, conflicts, best, budget):
        pairs = sorted(best.ranks)
        for ranks in product(*(range(len(costs[pair])) for pair in pairs)):
            chosen = dict(zip(pairs, ranks, strict=True))
            if sum(costs[pair][rank] for pair, rank in chosen.items()) == best.cost and all(
                any(not bits >> chosen[pair] & 1 for pair, bits in blocked.items()) for blocked in conflicts
            ):
                return chosen
        raise AssertionError(budget)

    monkeypatch.setattr(decodepart, "_PATIENCE", 0)
    monkeypatch.setattr(decodepart, "_LESS_PATIENCE", 0)
    monkeypatch.setattr(decodepart, "relaxed_by_cpsat", relaxed)
    monkeypatch.setattr(decodepart, "first_of_equals", first)


# --- best labellings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_small_documents_are_as_enumeration_says(seed):
    rng = Random(f"small {seed}")
    for number in range(3):
        compared(random_document(rng, ties=number % 2 == 0, entities=3, most_pairs=4), PROB)


@pytest.mark.parametrize("seed", range(6))
def test_the_solver_serves_as_well(enumeration, seed):
    rng = Random(f"solver {seed}")
    for number in range(3):
        compared(random_document(rng, ties=number % 2 == 0, entities=3, most_pairs=4), PROB)


@pytest.mark.parametrize("document", [RING, NOT_CONVEX])
def test_several_labellings_are_all_there_are_best_first(document):
    (decoder,) = decoders(document)
    best = decoder.best()
    assert best.is_best
    assert best.reason is None
    expected = possible(document)
    assert best.cost == best.lower == min(expected.values())
    for count in (1, 2, len(expected), len(expected) + 3):
        found = decoder.several(count, best)
        assert found[0] == best
        assert [each.cost for each in found] == sorted(expected.values())[:count]
        assert all(expected[tuple(rank for _, rank in sorted(each.ranks.items()))] == each.cost for each in found)
        assert len({tuple(sorted(each.ranks.items())) for each in found}) == len(found)


def test_another_label_of_one_pair():
    (decoder,) = decoders(RING)
    best = decoder.best()
    every = possible(RING)
    for pair in range(3):
        other = decoder.best_with_other(pair, best)
        assert other.ranks[pair] != best.ranks[pair]
        assert other.cost == min(cost for ranks, cost in every.items() if ranks[pair] != best.ranks[pair])
    fixed = scored(("a", "b", {"BEFORE": 0.6, "AFTER": 0.4}), links=[("a", "BEFORE", "b")])
    (decoder,) = decoders(fixed)
    assert decoder.best_with_other(0, decoder.best()) is None


@pytest.mark.parametrize("reason", ["too late", None])
def test_what_is_not_known_to_be_best_is_not_given(monkeypatch, reason):
    (decoder,) = decoders(RING)
    best = decoder.best()
    monkeypatch.setattr(decoder, "best", lambda *_, **__: best._replace(lower=best.cost - 1, reason=reason))
    with pytest.raises(BudgetExceeded, match=reason or "not known to be the best"):
        decoder.several(2, best)
    with pytest.raises(BudgetExceeded, match=reason or "is not known"):
        decoder.best_with_other(0, best)
    assert decoder.several(1, best) == [best]


def test_the_first_of_equally_good_labellings():
    even = {"BEFORE": 0.5, "AFTER": 0.5}
    document = scored(("a", "b", even), ("b", "c", even), ("c", "a", even))
    (decoder,) = decoders(document)
    best = decoder.best()
    assert best.ranks == {0: 0, 1: 0, 2: 1}
    assert decoder.best([{0: 1}]).ranks == {0: 1, 1: 0, 2: 0}
    assert decoder.best().ranks == best.ranks


def test_the_first_of_equally_good_labellings_with_the_solver(enumeration):
    test_the_first_of_equally_good_labellings()


def test_scores_that_the_solver_cannot_tell_apart(enumeration, monkeypatch):
    """Then the bound is below the cost, and the labelling is not called the best."""
    honest = decodepart.relaxed_by_cpsat

    def rounded(costs, conflicts, budget):
        found = honest(costs, conflicts, budget)
        return found._replace(lower=found.cost - 1)

    monkeypatch.setattr(decodepart, "relaxed_by_cpsat", rounded)
    (decoder,) = decoders(RING)
    found = decoder.best()
    assert found.lower == found.cost - 1 == min(possible(RING).values()) - 1
    assert "too long to be compared exactly" in found.reason
    assert not found.is_best


def test_labellings_that_cannot_be():
    impossible = scored(("a", "b", {"BEFORE": 1.0}), links=[("b", "BEFORE", "a")])
    assert [decoder.best() for decoder in decoders(impossible)] == [None]
    alone = scored(links=[("b", "BEFORE", "a"), ("a", "BEFORE", "b")])
    assert [decoder.best() for decoder in decoders(alone)] == [None]
    (decoder,) = decoders(RING)
    assert decoder.best([{0: 0b11}]) is None


# --- out of time ------------------------------------------------------------------------------------------------------


def test_out_of_time_some_labelling_and_a_bound():
    (decoder,) = decoders(RING, Budget(-1))
    found = decoder.best()
    assert found.cost == possible(RING)[tuple(found.ranks[pair] for pair in range(3))]
    assert found.lower <= min(possible(RING).values())
    assert not found.is_best
    assert "not decided within" in found.reason
    with pytest.raises(BudgetExceeded):
        decoder.best([{0: 1}])


def test_out_of_time_and_still_the_best():
    """A labelling that costs nothing cannot be beaten."""
    (decoder,) = decoders(scored(("a", "b", {"BEFORE": 0.9, "AFTER": 0.1})), Budget(-1))
    found = decoder.best()
    assert found == Labelling(0, {0: 0}, 0)
    assert found.is_best


def test_out_of_time_where_only_a_search_helps(monkeypatch):
    monkeypatch.setattr(ConflictFinder, "some_labelling", lambda *_: None)
    (decoder,) = decoders(NOT_CONVEX, Budget(-1))
    with pytest.raises(BudgetExceeded):
        decoder.best()


def test_a_labelling_for_want_of_time_is_asked_for_once_and_not_believed(monkeypatch):
    asked = []

    def answer(_finder, _costs, budget):
        asked.append(budget.seconds)
        return {0: 1, 1: 1, 2: 1}

    monkeypatch.setattr(ConflictFinder, "some_labelling", answer)
    (decoder,) = decoders(NOT_CONVEX, Budget(60))
    with pytest.raises(InternalError, match="not consistent"):
        decoder.best()
    assert 0 < asked[0] <= 12
    asked.clear()
    monkeypatch.setattr(ConflictFinder, "some_labelling", lambda *_: asked.append(1))
    (decoder,) = decoders(NOT_CONVEX, Budget(60))
    assert decoder.best().cost == min(possible(NOT_CONVEX).values())
    decoder.best()
    assert len(asked) == 1
    (decoder,) = decoders(NOT_CONVEX)  # without a limit of time there is no need to ask
    decoder.best()
    (decoder,) = decoders(RING, Budget(60))
    decoder.best()
    assert len(asked) == 1


def test_what_was_found_in_good_time_is_given_when_time_is_over(monkeypatch):
    ranks = next(ranks for ranks, cost in possible(NOT_CONVEX).items() if cost > min(possible(NOT_CONVEX).values()))
    budget = Budget(60)
    (decoder,) = decoders(NOT_CONVEX, budget)

    def late(*_):
        raise BudgetExceeded("too late")

    monkeypatch.setattr(ConflictFinder, "some_labelling", lambda *_: dict(enumerate(ranks)))
    monkeypatch.setattr(decodepart, "cheapest", late)
    monkeypatch.setattr(PartDecoder, "_mended", late)
    found = decoder.best()
    assert found.ranks == dict(enumerate(ranks))
    assert found.cost == possible(NOT_CONVEX)[ranks]
    assert (found.lower, found.reason) == (0, "too late")


# --- groups -----------------------------------------------------------------------------------------------------------


def test_groups_are_connected_by_shared_pairs():
    rng = Random("groups")
    for _ in range(60):
        conflicts = [dict.fromkeys(rng.sample(range(9), rng.randint(0, 3)), 1) for _ in range(rng.randint(0, 6))]
        expected = []
        for number, blocked in enumerate(conflicts):
            joined = [group for group in expected if any(conflicts[other].keys() & blocked.keys() for other in group)]
            expected = [group for group in expected if group not in joined]
            expected.append(sorted([number, *(other for group in joined for other in group)]))
        assert list(connected(conflicts)) == sorted(expected)


# --- conflicts --------------------------------------------------------------------------------------------------------


def finder_of(document, budget=None):
    pairs = tuple(RankedPair.of(pair, PROB) for pair in document.pairs)
    part = independent_parts(pairs, document.links)[0]
    return ConflictFinder(part, pairs, document.links, budget or Budget()), part, pairs


def is_possible(document, pairs, ranks, hard):
    names = sorted({end for each in (*document.pairs, *document.links) for end in (each.source, each.target)})
    links = [pairs[pair].link(rank) for pair, rank in ranks.items()] + [document.links[number] for number in hard]
    return brute_force([(link.source, link.relation, link.target) for link in links], names) is not None


@pytest.mark.parametrize("seed", range(10))
def test_conflicts_are_what_a_labelling_violates_and_nothing_can_meet(seed):
    rng = Random(f"conflicts {seed}")
    for _ in range(4):
        document = random_document(rng, ties=False, entities=3, most_pairs=4)
        finder, part, pairs = finder_of(document)
        ranks = {pair: rng.randrange(len(pairs[pair].labels)) for pair in part.pairs}
        own = list(finder.by_themselves())
        found = finder.find(ranks)
        loops = [pair for pair in part.pairs if pairs[pair].pair.source == pairs[pair].pair.target]
        others = {pair: rank for pair, rank in ranks.items() if pair not in loops}
        assert bool(found) is not is_possible(document, pairs, others, part.hard)
        for conflict in [*own, *found]:
            assert set(conflict.hard) <= set(part.hard)
            assert all(0 < bits < 1 << len(pairs[pair].labels) for pair, bits in conflict.blocked.items())
            choices = [
                [(pair, rank) for rank in range(len(pairs[pair].labels)) if bits >> rank & 1]
                for pair, bits in conflict.blocked.items()
            ]
            assert not any(is_possible(document, pairs, dict(each), conflict.hard) for each in product(*choices))
        assert all(bits >> ranks[pair] & 1 for conflict in found for pair, bits in conflict.blocked.items())
        assert sorted(pair for conflict in own for pair in conflict.blocked) == [
            pair for pair in loops if any("=" not in label.relation.atoms for label in pairs[pair].labels)
        ]
        assert finder.find(dict.fromkeys(part.pairs, UNLABELLED)) == [] or not is_possible(
            document, pairs, {}, part.hard
        )


def test_conflicts_are_as_wide_as_can_be():
    """Equal is as impossible as before, except for the pair that costs most."""
    scores = [{"BEFORE": 0.8, "EQUAL": 0.2 - place / 20, "AFTER": place / 20} for place in range(3)]
    names = "abca"
    document = scored(*((names[place], names[place + 1], scores[place]) for place in range(3)))
    finder, _, pairs = finder_of(document)
    assert finder.find({0: 0, 1: 0, 2: 0}) == [Conflict({0: 0b11, 1: 0b11, 2: 0b01})]
    assert [pairs[pair].costs[1] for pair in range(3)] == sorted(pairs[pair].costs[1] for pair in range(3))


def test_conflicts_of_alternatives_are_wide_and_share_no_pair():
    """No cycle shows them: whether a meets b or is met by it, it is neither before nor after."""
    scores = {"m|mi": 0.5, "o|oi": 0.3, "b": 0.2}
    one = scored(("a", "b", scores), links=[("a", "b|bi", "b")], reading="allen")
    assert finder_of(one)[0].find({0: 0}) == [Conflict({0: 0b011}, (0,))]
    assert finder_of(one)[0].find({0: 2}) == []
    two = scored(("a", "b", scores), ("b", "a", scores), links=[("a", "b|bi", "b")], reading="allen")
    found = finder_of(two)[0].find({0: 0, 1: 0})
    assert sorted(found, key=lambda conflict: sorted(conflict.blocked)) == [
        Conflict({0: 0b011}, (0,)),
        Conflict({1: 0b011}, (0,)),
    ]
    hard = scored(("a", "b", {"b|bi": 1.0}), links=[("a", "b|bi", "b"), ("a", "m|mi", "b")], reading="allen")
    assert Conflict({}, (0, 1)) in finder_of(hard)[0].find({0: UNLABELLED})


@pytest.mark.parametrize(
    ("best", "links", "reason"),
    [
        ("b", [("b", "b", "c"), ("c", "b", "a"), ("b", "b", "a")], ["p1", "h3"]),
        ("b", [("b", "b", "c"), ("c", "b", "a")], ["p1", "h1", "h2"]),
        ("m|mi", [("b", "b", "c"), ("a", "b|bi", "b")], ["p1", "h2"]),
        ("b|bi", [("b", "m", "c"), ("a", "m|mi", "b")], ["p1", "h2"]),
    ],
)
def test_the_reason_of_a_change_is_a_smallest_conflict(best, links, reason):
    document = scored(("a", "b", {best: 0.9, "b|m|o|fi|di|s|=|si|d|f|oi|mi|bi": 0.1}), links=links, reading="allen")
    found = decode_document(document, PROB, Budget())
    (change,) = found.changes
    assert change.because[0].id == "p1"
    assert sorted(link.id for link in change.because) == sorted(reason)


def test_the_reason_of_a_pair_of_one_entity_is_the_pair():
    document = scored(("a", "a", {"BEFORE": 0.9, "EQUAL": 0.1}), ("a", "b", {"BEFORE": 1.0}))
    (change,) = decode_document(document, PROB, Budget()).changes
    assert [link.id for link in change.because] == ["p1"]


def test_convex_parts():
    assert finder_of(RING)[0].is_convex
    assert not finder_of(NOT_CONVEX)[0].is_convex
    one = scored(("a", "b", {"b": 0.6, "b|bi": 0.4}), reading="allen")
    assert not finder_of(one)[0].is_convex
    hard = scored(("a", "b", {"b": 1.0}), links=[("a", "b|bi", "b")], reading="allen")
    assert not finder_of(hard)[0].is_convex


def test_a_finder_looks_at_the_time_and_at_its_own_work():
    late, _, _ = finder_of(RING, Budget(-1))
    with pytest.raises(BudgetExceeded):
        late.find({0: 0, 1: 0, 2: 0})
    finder, _, _ = finder_of(RING)
    right = Conflict({0: 1, 1: 1, 2: 1})
    assert finder._checked(right) == right
    for wrong in (Conflict({0: 1, 1: 1, 2: 3}), Conflict({0: 1, 1: 1}), Conflict({})):
        with pytest.raises(InternalError, match="does not contradict itself"):
            finder._checked(wrong)


# --- the whole document -----------------------------------------------------------------------------------------------


def test_who_decided(enumeration):
    assert decode_document(RING, PROB, Budget()).decided_by == "cpsat"


def test_who_decided_without_a_solver():
    assert decode_document(RING, PROB, Budget()).decided_by == "search"
    argmax = scored(*ring("a", "b", "c")[:2])
    found = decode_document(argmax, PROB, Budget(), alternatives=0)
    assert (found.decided_by, found.value, found.changes, found.conflicts) == ("argmax", found.argmax, (), ())
    assert (found.alternatives, found.margins) == (None, None)
    found = decode_document(argmax, PROB, Budget(), alternatives=0, margins=True)
    assert found.alternatives is None
    assert all(margin > 0 for margin in found.margins)
    found = decode_document(argmax, PROB, Budget(), alternatives=2)
    assert len(found.alternatives) == 2
    assert found.margins is None


@pytest.mark.parametrize(("name", "step"), [("alternatives", "next_best"), ("margins", "part_margins")])
def test_more_that_is_not_known_in_time(monkeypatch, name, step):
    def late(*_):
        raise BudgetExceeded("too late")

    monkeypatch.setattr(decode, step, late)
    found = decode_document(RING, PROB, Budget(), alternatives=1, margins=True)
    assert found.optimal
    assert found.undecided == {name: "too late"}
    assert (found.alternatives is None) is (name == "alternatives")
    assert (found.margins is None) is (name == "margins")


def test_without_an_optimum_there_is_nothing_more():
    found = decode._Decoding(RING, PROB, Budget())
    late = decoders(RING, Budget(-1))
    unfinished = found._optimum(late, [late[0].best()])
    assert isinstance(unfinished, Decoded)
    assert not unfinished.optimal
    more = found._with_more(unfinished, late, 1, margins=False)
    assert more.undecided.keys() == {"optimal", "alternatives"}
    assert more.undecided["alternatives"] == "the optimum is not known"


def test_a_document_whose_time_is_over_is_not_decided():
    with pytest.raises(BudgetExceeded):
        decode_document(NOT_CONVEX, PROB, Budget(-1))


def test_impossible_is_checked(monkeypatch):
    impossible = scored(("a", "b", {"BEFORE": 1.0}), links=[("b", "BEFORE", "a")])
    found = decode_document(impossible, PROB, Budget())
    assert isinstance(found, Impossible)
    assert len(found.because) == 2
    monkeypatch.setattr(PartDecoder, "best", lambda *_, **__: None)
    with pytest.raises(InternalError, match="a document that has one"):
        decode_document(RING, PROB, Budget())
