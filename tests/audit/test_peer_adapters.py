"""Adapters are translations only: with a right implementation behind it, each returns the right closure.

The peers themselves are not needed here: doubles with their names and forms stand in for them.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from itertools import product
from types import ModuleType, SimpleNamespace

import pytest

from temporacle.audit.answers import Closed, plain
from temporacle.audit.engines import engine_function
from temporacle.audit.generate import CasePlan
from temporacle.audit.judge import judge, network_of
from temporacle.audit.subjects.peers import PEERS, TIMEML, label_of
from temporacle.reasoner.judged import closure as exact_closure
from temporacle.reasoner.network import Budget
from temporacle.relation import ATOMS, Relation

right = engine_function("exact")


def adapter(name, **modules):
    """Return an adapter that was imported with a double in place of the peer's modules."""
    doubles = {}
    for path, content in modules.items():
        parts = path.split("__")
        for place in range(1, len(parts) + 1):
            module = doubles.setdefault(".".join(parts[:place]), ModuleType(".".join(parts[:place])))
        vars(module).update(content)
    with pytest.MonkeyPatch.context() as patch:
        for path, module in doubles.items():
            patch.setitem(sys.modules, path, module)
        return import_module(f"temporacle.audit.subjects.peers.{name}")


def consistent_cases(atoms):
    """Graphs of these atoms that do not contradict themselves."""
    for case in CasePlan(60, seed=4, entities=4, large=0):
        links = plain(case.links)
        if {relation for _, relation, _ in links} <= set(atoms) and right(links) is not None:
            yield case.links


def faults(graph, claims):
    network = network_of(graph)
    claimed = Closed(tuple((source, Relation(relation), target) for source, relation, target in claims))
    return judge(network, claimed, exact_closure(network, Budget())).faults


def test_every_peer_has_a_name_for_what_it_can_be_asked():
    assert {target.partition(":")[0].rpartition(".")[2] for target in PEERS.values()} == {
        "tieval",
        "anaforatools",
        "timegraph",
        "i2b2",
    }
    assert label_of("b", TIMEML) == "BEFORE"
    with pytest.raises(NotImplementedError, match="no label for o"):
        label_of("o", TIMEML)


# --- tieval ----------------------------------------------------------------------------------------------------------

TIEVAL = {**TIMEML, "o": "OVERLAP", "oi": "OVERLAPPED"}


class TLink:
    """As in tieval: a source, a target, and a relation with a name."""

    def __init__(self, source, target, label):
        self.source, self.target = source, target
        self.relation = SimpleNamespace(interval=label)


def tieval_closure(tlinks):
    """A right closure with tieval's labels. What has none is left out; a contradiction is a warning."""
    atoms = {label: atom for atom, label in TIEVAL.items()}
    found = right([(link.source, atoms[link.relation.interval], link.target) for link in tlinks])
    if found is None:
        warnings.warn("the graph is not a DAG", stacklevel=2)
        return set()
    labels = {**TIEVAL, "b|m|o": "BEFORE-OR-OVERLAP", "oi|mi|bi": "OVERLAP-OR-AFTER"}
    return {TLink(source, target, labels[relation]) for source, relation, target in found if relation in labels}


tieval = adapter("tieval", tieval__closure={"temporal_closure": tieval_closure}, tieval__links={"TLink": TLink})


def test_tieval():
    peer = tieval
    asked = 0
    for graph in consistent_cases(ATOMS):
        assert {fault.exact.bit_count() > 1 for fault in faults(graph, peer.closure(plain(graph)))} <= {True}
        assert faults(graph, peer.result(plain(graph))) == faults(graph, peer.closure(plain(graph)))
        asked += 1
    assert asked > 20
    contradiction = [("x", "b", "y"), ("y", "b", "x")]
    assert peer.closure(contradiction) is None
    with pytest.warns(UserWarning, match="not a DAG"):
        assert peer.result(contradiction) == []
    for relation in ("o", "oi"):
        graph = (("x", Relation(relation), "y"), ("y", Relation(relation), "z"))
        assert faults(graph, peer.closure(plain(graph))) == ()  # its two disjunctions are understood
    with pytest.raises(NotImplementedError):
        peer.closure([("x", "b|m", "y")])


def test_other_warnings_of_tieval_mean_nothing(monkeypatch):
    def warning(tlinks):
        warnings.warn("this will change", DeprecationWarning, stacklevel=2)
        return tlinks

    monkeypatch.setattr(tieval, "temporal_closure", warning)
    assert tieval.closure([("x", "b", "y")]) == [("x", "b", "y")]


# --- anaforatools ----------------------------------------------------------------------------------------------------


class TemporalClosureScores:
    """As in anaforatools: annotations are a span, a type and a property with its value."""

    def _closure(self, annotations):
        atoms = {label: atom for atom, label in TIMEML.items()}
        found = right([(source, atoms[label], target) for (source, target), _, (_, label) in annotations])
        return {
            ((source, target), "TLINK", ("Type", TIMEML[relation]))
            for source, relation, target in found or ()
            if relation in TIMEML
        }


anaforatools = adapter("anaforatools", anafora__evaluate={"TemporalClosureScores": TemporalClosureScores})


def test_anaforatools():
    peer = anaforatools
    asked = 0
    for graph in consistent_cases(TIMEML):
        found = faults(graph, peer.closure(plain(graph)))
        assert all(str(fault.exact) not in TIMEML for fault in found)
        asked += 1
    assert asked > 10
    with pytest.raises(NotImplementedError):
        peer.closure([("x", "o", "y")])


# --- timegraph -------------------------------------------------------------------------------------------------------


STEPS = {"before-1": [(0, 1)], "same-time": [(0, 0), (1, 0)], "after-1": [(1, 1)]}  # turned round? strict?


class TimeGraph:
    """As in timegraph: relations of points go in and come out. What follows is found by the shortest way."""

    def __init__(self):
        self._points, self._steps = [], {}

    def enter(self, left, relation, right):
        for point in (left, right):
            if point not in self._points:
                self._points.append(point)
        for turned, strict in STEPS[relation]:
            pair = (right, left) if turned else (left, right)
            self._steps[pair] = max(strict, self._steps.get(pair, 0))
        for middle, first, last in product(self._points, repeat=3):
            if (first, middle) in self._steps and (middle, last) in self._steps:
                strict = max(self._steps[first, middle], self._steps[middle, last])
                self._steps[first, last] = max(strict, self._steps.get((first, last), 0))

    def relation(self, left, right):
        forward, backward = self._steps.get((left, right)), self._steps.get((right, left))
        if forward == backward == 0:
            return "same-time"
        if forward is not None:
            return "before-1" if forward else "before"
        if backward is not None:
            return "after-1" if backward else "after"
        return "unknown"


timegraph = adapter("timegraph", timegraph__timegraph={"TimeGraph": TimeGraph})


def test_timegraph():
    peer = timegraph
    graphs = list(consistent_cases(ATOMS))
    for graph in graphs:
        assert faults(graph, peer.closure(plain(graph))) == ()
    assert len(graphs) > 20
    for atom in ATOMS:
        claims = peer.closure([("x", atom, "y")])
        assert len(claims) == 4
        assert faults((("x", Relation(atom), "y"),), claims) == ()
    with pytest.raises(NotImplementedError):
        peer.closure([("x", "b|m", "y")])


def test_timegraph_is_told_that_entities_start_before_they_end(monkeypatch):
    entered = []

    class Recording(TimeGraph):
        def enter(self, *relation):
            entered.append(relation)
            super().enter(*relation)

    monkeypatch.setattr(timegraph, "TimeGraph", Recording)
    timegraph.closure([("x", "m", "y")])
    assert entered[:2] == [("x.start", "before-1", "x.end"), ("y.start", "before-1", "y.end")]
    assert len(entered) == 6


# --- i2b2 ------------------------------------------------------------------------------------------------------------


def test_i2b2():
    """The emulation belongs to us, so it is asked itself."""
    from temporacle.audit.subjects.peers.i2b2 import closure

    assert set(closure([("x", "b", "y"), ("y", "b", "z")])) >= {("x", "b", "z")}
    (overlap,) = {relation for source, relation, target in closure([("x", "d", "y")]) if (source, target) == ("x", "y")}
    assert set(overlap.split("|")) == set(ATOMS) - {"b", "m", "mi", "bi"}
    with pytest.raises(NotImplementedError):
        closure([("x", "m", "y")])
