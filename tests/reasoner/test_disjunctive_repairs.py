"""Repairs of disjunctions by core-guided search, against all models, and against the loop of hitting sets."""

import json
import shutil
import subprocess
from fractions import Fraction
from importlib.resources import files
from itertools import combinations, product
from random import Random

import pytest
from naive import network_of, random_network

from bench.direct_repair import least_weight_by_rc2
from bench.repair import HARD, hard, planted
from temporacle.checker import DOCUMENT, Rejected, verify
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Document
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.conflicts import conflicts
from temporacle.reasoner.conflicts import repair as repairing
from temporacle.reasoner.conflicts.repair import named_in, repair, whole_weights
from temporacle.reasoner.disjunctions import cores as optimum
from temporacle.reasoner.disjunctions.sat import is_available
from temporacle.reasoner.judged import is_consistent
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.proofs.certificate import to_json
from temporacle.reasoner.proofs.clausal import Derivation
from temporacle.relation import Relation, atom_holding
from temporacle.results import Repair, Unrepairable

pytestmark = pytest.mark.skipif(not is_available(), reason="python-sat is not installed")
THREE = ["a", "b", "c"]
ABOUT = dict.fromkeys(DOCUMENT) | {"id": "d"}


@pytest.fixture
def searched(monkeypatch):
    """Every network with a disjunction goes to the search."""
    monkeypatch.setattr(conflicts, "_MANY_DISJUNCTIONS", 0)


def scenarios():
    """The atoms between a and b, a and c, b and c, as masks, in every order of three intervals."""
    intervals = [pair for pair in product(range(6), repeat=2) if pair[0] < pair[1]]
    pairs = list(combinations(range(3), 2))
    atoms = {(x, y): int(Relation.of(atom_holding(x, y))) for x, y in product(intervals, repeat=2)}
    return {tuple(atoms[x[i], x[j]] for i, j in pairs) for x in product(intervals, repeat=3)}


ORDERS = scenarios()
PLACES = {pair: place for place, pair in enumerate(combinations(THREE, 2))}


def first_repair(network, protected=frozenset()):
    """The definition: a repair drops what does not hold in some order; the lightest, the fewest, the first."""
    impossible = []
    placed = []  # position, pair, mask
    for number, (source, relation, target) in enumerate((x.source, x.relation, x.target) for x in network.links):
        if source == target:
            impossible += [] if relation & Relation("=") else [number]
        elif (source, target) in PLACES:
            placed.append((number, PLACES[source, target], int(relation)))
        else:
            placed.append((number, PLACES[target, source], int(relation.converse())))
    every = {tuple(number for number, place, mask in placed if not mask & order[place]) for order in ORDERS}
    allowed = [sorted([*dropped, *impossible]) for dropped in every if protected.isdisjoint([*dropped, *impossible])]
    weights = [Fraction(str(link.weight)) for link in network.links]
    return min(allowed, key=lambda some: (sum(weights[number] for number in some), len(some), some), default=None)


def small_networks(seed, count):
    rng = Random(seed)
    for _ in range(count):
        triples = [triple for _ in range(rng.randint(1, 4)) for triple in random_network(rng, THREE, "arbitrary", 0.8)]
        triples = [
            (y, relation.converse(), x) if rng.random() < 0.3 else (x, relation, y) for x, relation, y in triples
        ]
        if rng.random() < 0.1:
            triples.append(("a", Relation(rng.choice(["b", "=", "b|="])), "a"))
        rng.shuffle(triples)
        network = network_of(triples, THREE)
        kind = rng.choice(["equal", "few", "long"])
        draw = {"equal": lambda: 1, "few": lambda: rng.choice((0, 0.1, 0.25, 1, 2)), "long": rng.random}[kind]
        yield Network([link._replace(weight=draw()) for link in network.links], THREE), rng


def by_hitting_sets(network, protected):
    """The naive twin: the loop that needs every conflict."""
    weights, _ = whole_weights(network.links)

    def find(dropped):
        return repairing.conflicts_without(network, dropped, Budget())

    found = repairing.grounds_of(network.links, weights, frozenset(protected), find, Budget())
    return found if isinstance(found, Unrepairable) else list(found.dropped)


def test_two_thousand_small_documents(searched):
    impossible = larger = 0
    for count, (network, rng) in enumerate(small_networks("small", 2000)):
        protected = {number for number in range(len(network.links)) if rng.random() < 0.15}
        names = {network.links[number].id for number in protected}
        found = repair(network, Budget(), named_in(names))
        expected = first_repair(network, protected)
        if isinstance(found, Unrepairable):
            impossible += 1
            assert expected is None
            assert {link.id for link in found.conflict} <= names
            assert not is_consistent(Network(found.conflict), Budget())
        else:
            assert [network.links.index(link) for link in found.dropped] == expected
            larger += len(expected) > 1
        if count % 10 == 0:
            twin = by_hitting_sets(network, protected)
            assert isinstance(found, Unrepairable) if isinstance(twin, Unrepairable) else twin == expected
    assert impossible > 50
    assert larger > 500


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weights", ["equal", "digits"])
def test_hard_networks_have_the_repair_of_the_old_loop(seed, weights):
    network = hard(9, 8, seed)
    rng = Random(seed)
    if weights == "digits":
        network = Network([link._replace(weight=rng.random()) for link in network.links], network.entities)
    protected = set(rng.sample(range(len(network.links)), 5))
    names = {network.links[number].id for number in protected}
    found = repair(network, Budget(), named_in(names))
    twin = by_hitting_sets(network, protected)
    if isinstance(twin, Unrepairable):
        assert isinstance(found, Unrepairable)
    else:
        assert [network.links.index(link) for link in found.dropped] == twin


@pytest.mark.parametrize(
    "network", [hard(12, 11, 1), hard(20, 10, 6), planted(20, 100, 5, 0.3, 1), planted(15, 60, 8, 0.2, 2)]
)
def test_costs_are_those_of_rc2(network):
    rng = Random("weights")
    for weighted in (False, True):
        links = [link._replace(weight=rng.randint(1, 20) if weighted else 1) for link in network.links]
        stated = Network(links, network.entities)
        weights, _ = whole_weights(links)
        found = repair(stated, Budget())
        assert (found.weight,) == least_weight_by_rc2(stated, weights, 120)[:1]
        gone = set(map(id, found.dropped))
        assert is_consistent(Network(link for link in links if id(link) not in gone), Budget())


def test_certificates_rest_on_cores(searched):
    seen = 0
    for network, _ in small_networks("certificates", 40):
        found = check_document(Document("d", network.links, tuple(THREE)), CheckOptions(repair=True, certificate=True))
        if isinstance(found.repair, Repair):
            seen += 1
            record = verify(json.dumps(to_json(found.repair_certificate, ABOUT)))
            assert record["dropped"] == first_repair(network)
            assert record["bound"] == record["weight"]
            assert record["proof"]["cores"] or record["weight"] == "0"
    assert seen > 20


def test_a_repair_that_is_not_optimal_is_withdrawn(searched, monkeypatch):
    """The search for its certificate notices that there is a lighter one."""
    links = [("a", "b|bi", "b"), ("a", "m|mi", "b"), ("a", "m|mi", "b"), ("b", "b", "c")]
    network = Network.of(links)
    assert [link.id for link in repair(network, Budget()).dropped] == ["l1"]
    monkeypatch.setattr(optimum, "lightest_to_drop", lambda *_: [1, 2])
    with pytest.raises(InternalError, match="lighter"):
        Oracle(network).repair_certificate()
    found = check_document(Document("d", network.links), CheckOptions(repair=True, certificate=True))
    assert (found.repair, found.repair_certificate) == (None, None)


def test_what_is_kept_is_judged_again(searched, monkeypatch):
    network = Network.of([("a", "b|bi", "b"), ("a", "m|mi", "b")])
    monkeypatch.setattr(optimum, "lightest_to_drop", lambda *_: [])
    with pytest.raises(InternalError, match="inconsistent"):
        repair(network, Budget())


def test_a_consistent_network_is_not_searched(searched, monkeypatch):
    monkeypatch.setattr(optimum, "lightest_to_drop", None)
    assert repair(Network.of([("a", "b|bi", "b"), ("b", "b", "c")]), Budget()).dropped == ()


def test_no_time_no_repair():
    with pytest.raises(BudgetExceeded):
        repair(hard(40, 12, 14), Budget(0.2))


@pytest.mark.parametrize(
    "case", [(12, 11, 1), (25, 10, 7), *(pytest.param(case, marks=pytest.mark.slow) for case in HARD[1:6])]
)
def test_hard_repairs_are_proven_optimal(case, tmp_path):
    """Both checkers accept it; also with weights of 16 digits and protected links."""
    rng = Random("weights and protected links")
    network = hard(*case)
    heavy = Network([link._replace(weight=rng.random()) for link in network.links], network.entities)
    protected = rng.sample([link.id for link in heavy.links], len(heavy.links) // 5)
    for name, stated, protect in (("plain", network, ()), ("weighted", heavy, protected)):
        found = Oracle(stated).repair_certificate(protect=protect)
        if not isinstance(found, Unrepairable):
            record = verify(json.dumps(to_json(found, ABOUT)))
            assert record["bound"] == record["weight"] != "0"
            (tmp_path / f"{name}.json").write_text(json.dumps(record), "utf-8")
    if shutil.which("node") is not None:
        program = str(files("temporacle") / "data" / "checker.js")
        done = subprocess.run(["node", program, tmp_path], capture_output=True, text=True, check=False)
        assert done.stdout.count("is optimal") == len(list(tmp_path.iterdir()))


def test_a_proof_that_is_not_finished_has_a_lower_bound(monkeypatch):
    network = hard(12, 11, 1)
    derive = Derivation.add_target
    left = [None, None]

    def some(self, core):
        if not left:
            raise BudgetExceeded("no time")
        left.pop()
        return derive(self, core)

    monkeypatch.setattr(Derivation, "add_target", some)
    record = to_json(Oracle(network).repair_certificate(), ABOUT)
    assert (record["weight"], record["bound"]) == ("3", "2")
    assert verify(json.dumps(record))
    with pytest.raises(Rejected, match="may weigh 2 only"):
        verify(json.dumps(record | {"bound": "3"}))
