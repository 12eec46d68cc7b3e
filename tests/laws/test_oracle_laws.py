"""Laws of closure and entailment that need no second implementation."""

from hypothesis import assume, given
from hypothesis import strategies as st

from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EVERYTHING, Relation, atom_holding
from temporacle.results import Consistent, Inconsistent, Verdict

NAMES = ("a", "b", "c", "d", "e", "f")
names = st.sampled_from(NAMES)
wide = st.integers(1, EVERYTHING).map(Relation)
narrow = st.lists(st.sampled_from(EVERYTHING.atoms), min_size=1, max_size=3).map(lambda atoms: Relation.of(*atoms))
links = st.lists(st.tuples(names, narrow | wide, names), max_size=9)


@st.composite
def consistent_links(draw):
    """Links that a hidden model makes true."""
    intervals = st.tuples(st.integers(0, 9), st.integers(1, 5)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    model = {name: draw(intervals) for name in NAMES}
    return [
        (source, relation | Relation.of(atom_holding(model[source], model[target])), target)
        for source, relation, target in draw(links)
    ]


def table(triples):
    """Strongest relations by pair of names; None if inconsistent."""
    found = Oracle(Network(Network.of(triples).links, NAMES)).minimal_network()
    return None if found is None else {(x, y): found.relation(x, y) for x in NAMES for y in NAMES}


def as_triples(found):
    return [(x, relation, y) for (x, y), relation in found.items() if x < y]


@given(links)
def test_an_answer_is_proved_either_way(triples):
    oracle = Oracle(triples)
    answer = oracle.consistency()
    if isinstance(answer, Consistent):
        assert all(holds_in(answer.witness, link) for link in oracle.network.links)
    else:
        assert isinstance(answer, Inconsistent)
        assert not Oracle(answer.conflict).is_consistent()
        for left_out in range(len(answer.conflict)):
            assert Oracle(answer.conflict[:left_out] + answer.conflict[left_out + 1 :]).is_consistent()


@given(consistent_links())
def test_what_has_a_model_is_consistent(triples):
    assert table(triples) is not None


@given(consistent_links())
def test_closure_is_extensive(triples):
    """Every link follows from the links."""
    found = table(triples)
    assert all(found[source, target] <= relation for source, relation, target in triples)


@given(consistent_links())
def test_closure_is_idempotent(triples):
    found = table(triples)
    assert table(as_triples(found)) == found


@given(links, links)
def test_closure_is_monotone(triples, more):
    before, after = table(triples), table(triples + more)
    if before is None:
        assert after is None
    elif after is not None:
        assert all(after[pair] <= before[pair] for pair in before)


@given(links, st.randoms(use_true_random=False))
def test_order_and_repetition_of_links_do_not_matter(triples, random):
    shuffled = triples + triples[:3]
    random.shuffle(shuffled)
    assert table(shuffled) == table(triples)


@given(links, st.sets(st.integers(0, 8)))
def test_the_direction_in_which_a_link_is_stated_does_not_matter(triples, turned):
    other = [(t, r.converse(), s) if k in turned else (s, r, t) for k, (s, r, t) in enumerate(triples)]
    assert table(other) == table(triples)


@given(links, st.permutations(NAMES))
def test_names_do_not_matter(triples, renamed):
    new = dict(zip(NAMES, renamed, strict=True))
    found = table(triples)
    other = table([(new[source], relation, new[target]) for source, relation, target in triples])
    assert (found is None) == (other is None)
    if found is not None:
        assert {(new[x], new[y]): relation for (x, y), relation in found.items()} == other


@given(consistent_links(), names, wide, names)
def test_verdicts_agree_with_the_strongest_relation(triples, source, relation, target):
    network = Network(Network.of(triples).links, NAMES)
    strongest = Oracle(network).strongest(source, target)
    verdict = Oracle(network).entails(source, relation, target)
    if strongest <= relation:
        assert verdict is Verdict.ENTAILED
    elif strongest & relation:
        assert verdict is Verdict.OPEN
    else:
        assert verdict is Verdict.REFUTED
    countermodel = Oracle(network).countermodel(source, relation, target)
    assert (countermodel is None) == (verdict is Verdict.ENTAILED)


@given(consistent_links(), names, names)
def test_each_atom_of_the_strongest_relation_is_possible_and_no_other(triples, source, target):
    assume(source != target)
    strongest = table(triples)[source, target]
    for atom in EVERYTHING.atoms:
        possible = Oracle([*triples, (source, Relation.of(atom), target)]).is_consistent()
        assert possible == (atom in strongest.atoms)


@given(consistent_links(), names, names, names)
def test_the_minimal_network_is_path_consistent(triples, x, y, z):
    from temporacle.reasoner.algebra import compose

    found = table(triples)
    assert found[x, z] <= Relation(compose(found[x, y], found[y, z]))
