"""What users send between processes: their own functions that mention the package, and everything it gives them."""

import copy
import pickle
import subprocess
import sys

import cloudpickle
import pytest

import temporacle as tp

CYCLE = [("left", "BEFORE", "docked"), ("docked", "BEFORE", "unloaded"), ("unloaded", "BEFORE", "left")]
CHAIN = CYCLE[:2]
GOLD, SYSTEM, FERRY = "examples/gold", "examples/system", "examples/corpus/ferry.tml"
CANDIDATES = [("left", "docked", {"BEFORE": 0.9, "AFTER": 0.1}), ("docked", "left", {"BEFORE": 0.6, "AFTER": 0.4})]
RESULTS = {
    "check": lambda: tp.check("examples/corpus"),
    "check with everything": lambda: tp.check("examples/corpus", all_conflicts="all", relabel=True),
    "check of values": lambda: tp.check("examples/calendar", calendar=True),
    "consistent": lambda: tp.Oracle(CHAIN).consistency(),
    "inconsistent": lambda: tp.Oracle(CYCLE).consistency(),
    "repair": lambda: tp.Oracle(CYCLE).repair(),
    "certificate": lambda: tp.Oracle(CYCLE).repair_certificate(),
    "oracle's closure": lambda: tp.Oracle(FERRY).closure(),
    "why": lambda: tp.Oracle(CHAIN).why("left", "BEFORE", "unloaded"),
    "document": lambda: tp.read(FERRY),
    "documents": lambda: list(tp.read_corpus("examples/corpus")),
    "repaired document": lambda: tp.repair(CYCLE),
    "score": lambda: tp.score(GOLD, SYSTEM),
    "official score": lambda: tp.official_score(GOLD, SYSTEM, metric="awareness"),
    "comparison": lambda: tp.compare(GOLD, {"ours": SYSTEM, "theirs": GOLD}),
    "agreement": lambda: tp.agreement(GOLD, SYSTEM),
    "closure": lambda: tp.closure(CHAIN),
    "reduction": lambda: tp.reduce(CHAIN),
    "bounds": lambda: tp.bounds(CHAIN),
    "answers": lambda: tp.ask(FERRY, "IS ei1 BEFORE ei2"),
    "assessment": lambda: tp.assess("left before docked", CHAIN),
    "diff": lambda: tp.diff(GOLD, SYSTEM),
    "stats": lambda: tp.stats(GOLD),
    "decoding": lambda: tp.decode(CANDIDATES),
    "audit": lambda: tp.audit_claims(CHAIN, CYCLE),
    "crosscheck": lambda: tp.crosscheck(cases=2, medium=0, engine="propagation"),
    "label set": lambda: tp.load_reading("timeml"),
    "relation": lambda: tp.Relation.of("b", "m"),
    "date": lambda: tp.date("2026-01-02"),
    "value": lambda: tp.read_value("2026-W03"),
    "runs": lambda: tp.Runs(SYSTEM, GOLD),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_can_be_sent_to_another_process(name):
    made = RESULTS[name]()
    sent = pickle.loads(pickle.dumps(made))
    assert repr(sent) == repr(made)
    assert str(sent) == str(made)
    assert content_of(sent) == content_of(made)


def content_of(value):
    """What a value holds: of those that are not compared by value, what they tell."""
    if isinstance(value, tp.Runs):
        return value.sources
    return value.to_dict() if type(value).__eq__ is object.__eq__ else value


@pytest.mark.parametrize("source", [CHAIN, CYCLE, FERRY, "examples/calendar/harbour.tml"])
def test_an_oracle_answers_the_same_after_it_was_sent(source):
    oracle = tp.Oracle(source, time_limit=60, calendar=str(source).startswith("examples/calendar") or None)
    oracle.consistency()  # it keeps what it has found
    sent = pickle.loads(pickle.dumps(oracle))
    assert sent.consistency() == oracle.consistency()
    first, *others = oracle.entities
    for other in others:
        assert sent.entails(first, "BEFORE", other) == oracle.entails(first, "BEFORE", other)


def test_a_session_keeps_its_steps_when_it_was_sent():
    session = tp.Session(CHAIN)
    session.add("unloaded", "BEFORE", "left")
    sent = pickle.loads(pickle.dumps(session))
    assert repr(sent) == repr(session)
    sent.undo()
    assert (len(sent.document.links), len(session.document.links)) == (2, 3)
    assert (sent.verdict, session.verdict) == ("consistent", "inconsistent")


def test_the_time_of_a_budget_begins_where_it_arrives():
    budget = tp.Budget(50)
    budget._deadline = -1e9  # as by the clock of another machine
    sent = pickle.loads(pickle.dumps(budget))
    sent.check()
    assert 49 < sent.remaining() <= 50


@pytest.mark.parametrize("name", [name for name in tp.__all__ if isinstance(getattr(tp, name), type)])
def test_errors_keep_what_they_know(name):
    kind = getattr(tp, name)
    if issubclass(kind, tp.InputError):
        error = kind("no", path="a.tsv", line=3, column=1, element="l1", cure="do")
    elif issubclass(kind, tp.TemporacleError):
        error = kind("no")
    else:
        return
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), vars(sent)) == (kind, str(error), vars(error))


def test_a_function_that_mentions_the_package_is_sent_by_value():
    namespace = {"tp": tp}
    exec("def verdicts(source): return [str(each.verdict) for each in tp.check(source)]", namespace)
    sent = pickle.loads(cloudpickle.dumps(namespace["verdicts"]))
    assert sent(CYCLE) == ["inconsistent"]
    assert cloudpickle.dumps(namespace["verdicts"]) == cloudpickle.dumps(namespace["verdicts"])
    assert pickle.loads(pickle.dumps(tp)) is copy.deepcopy(tp) is copy.copy(tp) is tp


def test_every_public_name_stays_what_it_was_when_all_modules_are_imported():
    script = """
import importlib, pkgutil, sys, temporacle as tp
def foreign(name):  # a program, or the door to one that is not installed
    return "__main__" in name or name.startswith("temporacle.audit.subjects.peers.")
before = {name: getattr(tp, name) for name in tp.__all__}
names = [each.name for each in pkgutil.walk_packages(tp.__path__, "temporacle.") if not foreign(each.name)]
for name in names:
    importlib.import_module(name)
assert len(names) > 200
assert {"temporacle.audit", "temporacle.report"} <= set(names)
changed = [name for name in tp.__all__ if getattr(tp, name) is not before[name]]
assert not changed, changed
"""
    subprocess.run([sys.executable, "-c", script], check=True)
