"""Graphs made to hang, to fill the memory, or to overflow the stack.

Nothing here asserts how fast something is, except that a budget of seconds is held: an answer that comes later than
twice the budget (and a share for starting the solver) was not bounded by it.
"""

import ast
import resource
import sys
from pathlib import Path
from time import monotonic, process_time

import pytest
from graphs import chain, clique, hub, phase_transition, ring

import temporacle
from temporacle.cli import run
from temporacle.errors import BudgetExceeded
from temporacle.model import Link
from temporacle.reasoner import network
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.reasoner.conflicts import conflicts
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.conflicts.repair import repair
from temporacle.reasoner.judged import holds_in
from temporacle.reasoner.network import Budget, Network, document_time, reading_ends
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.graph import PointGraph
from temporacle.reasoner.published import propagation, timegraph
from temporacle.reasoner.reference import enumeration
from temporacle.reasoner.reference.engines import ENGINES, engine_named
from temporacle.relation import Relation
from temporacle.results import Consistent, Inconsistent, Undecided, Verdict

LONG = 100_000
START_UP = 5  # seconds: importing the solver, on a busy machine


def peak():
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def within(seconds, function, *arguments):
    """What the function returns, or the limit it ran into; fails if that came much too late."""
    start = process_time()  # not the clock on the wall: a busy machine must not fail the test
    try:
        answer = function(*arguments)
    except BudgetExceeded as limit:
        answer = limit
    assert process_time() - start < 2 * seconds + START_UP
    return answer


# --- the phase transition -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("entities", "degree"), [(50, 8.5), (70, 9), (100, 9)])
def test_the_phase_transition_is_decided_or_left_undecided_in_time(entities, degree):
    triples = phase_transition(entities, degree, 6.5, seed=1)
    before = peak()
    oracle = Oracle(triples, budget=2)
    answer = within(2, oracle.consistency)
    assert isinstance(answer, Consistent | Inconsistent | Undecided)
    if isinstance(answer, Consistent):
        assert all(holds_in(answer.witness, link) for link in oracle.network.links)
    assert peak() - before < 1500


@pytest.mark.parametrize("work", ["minimal_network", "entails", "certificate", "repair", "strongest"])
def test_no_question_about_the_phase_transition_outlives_its_budget(work):
    oracle = Oracle(phase_transition(40, 8, 6.5, seed=2), budget=1)
    first, second, *_ = oracle.network.entities
    question = {
        "minimal_network": oracle.minimal_network,
        "entails": lambda: oracle.entails(first, "b", second),
        "strongest": lambda: oracle.strongest(first, second),
        "certificate": oracle.certificate,
        "repair": lambda: repair(oracle.network, Budget(1)),
    }[work]
    within(2, question)


@pytest.mark.parametrize("engine", list(ENGINES))
def test_no_engine_outlives_its_budget(engine):
    if engine == "enumeration":
        triples = phase_transition(6, 2, 12, seed=1)
    elif engine == "timegraph":
        triples = [(f"x{i}", "b", f"x{j}") for i in range(250) for j in range(i)]
    else:
        triples = phase_transition(60, 9, 6.5, seed=1)
    within(1, engine_named(engine).closure, Network.of(triples), Budget(0.5))


def test_a_budget_of_nothing_is_undecided_wherever_search_is_needed():
    triples = phase_transition(30, 8, 6.5, seed=1)
    assert isinstance(Oracle(triples, budget=-1).consistency(), Undecided)
    assert Oracle(triples, budget=-1).entails("x0", "b", "x1") is Verdict.UNKNOWN
    for question in (
        lambda: minimal_conflict(Network(ring(10)), Budget(-1)),
        lambda: propagation.closure(Network.of(triples), Budget(-1)),
        lambda: enumeration.closure(Network.of(triples[:1]), Budget(-1)),
        lambda: timegraph.closure(Network(chain(3)), Budget(-1)),
        lambda: conflicts.shrink(Network.of(triples), [0, 1], Budget(-1)),
    ):
        with pytest.raises(BudgetExceeded):
            question()


def test_a_known_inconsistency_is_not_lost_with_the_search_for_its_conflict(monkeypatch):
    def out_of_time(*_):
        raise BudgetExceeded("too late")

    monkeypatch.setattr(conflicts, "conflict_numbers", out_of_time)
    assert Oracle(ring(3)).consistency() == Inconsistent((), "graph")


# --- large and odd shapes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [chain(LONG), hub(LONG), clique(300)], ids=["chain", "hub", "clique"])
def test_large_shapes_are_consistent(shape):
    before = peak()
    assert isinstance(Oracle(shape, budget=60).consistency(), Consistent)
    assert peak() - before < 700


def test_a_long_ring_is_one_conflict():
    answer = Oracle(ring(LONG // 5), budget=120).consistency()
    assert isinstance(answer, Inconsistent)
    assert len(answer.conflict) == LONG // 5


def test_a_clique_of_equals_with_one_slip():
    links = [*clique(120), Link("slip", "x3", Relation.of("b"), "x90")]
    answer = Oracle(links).consistency()
    assert isinstance(answer, Inconsistent)
    assert len(answer.conflict) == 2
    assert len(Oracle(clique(120)).minimal_network().rows) == 120


def test_check_takes_large_documents():
    from temporacle.model import Document

    result = check_document(Document("d", tuple(ring(5_000))), CheckOptions(budget=60))
    assert result.verdict.value == "inconsistent"
    assert len(result.conflicts[0]) == 5_000


def test_no_table_is_begun_that_would_fill_the_memory(monkeypatch):
    monkeypatch.setattr(network, "_MOST_MEMORY", 1 << 20)
    disjunctive = [*chain(3000), Link("d", "x0", Relation.of("b", "bi"), "y")]
    answer = Oracle(disjunctive).consistency()
    assert isinstance(answer, Undecided)
    assert "GiB of memory" in answer.reason
    convex = Network(chain(3000))
    for engine in ("exact", "propagation", "timegraph"):
        with pytest.raises(BudgetExceeded, match="GiB of memory"):
            engine_named(engine).closure(convex, Budget())


def test_tables_are_refused_by_their_size_alone(monkeypatch):
    monkeypatch.setattr(network, "_MOST_MEMORY", 1000)
    with pytest.raises(BudgetExceeded):
        Oracle(chain(100)).minimal_network()
    closure = PointGraph(10).close()
    monkeypatch.setattr(network, "_MOST_MEMORY", 100)
    with pytest.raises(BudgetExceeded):
        closure.table_by_arrays()


def test_cases_that_are_forgotten_change_no_answer(monkeypatch):
    triples = [(f"x{i}", "b|bi", f"x{(i + 1) % 5}") for i in range(5)] + [("x0", "o|oi|s", "x2")]
    everything = list(Oracle(triples).minimal_network().pairs(universal=True))
    monkeypatch.setattr("temporacle.reasoner.disjunctions.residual._MEMORY_FOR_CASES", 0)
    oracle = Oracle(triples)
    assert list(oracle.minimal_network().pairs(universal=True)) == everything
    assert len(oracle.judged.decider.cases) <= 2


# --- recursion ------------------------------------------------------------------------------------------------------


ONCE = {
    ("timegraph.py", "_sign"),  # the same question seen from the other side
    ("minimal_graph.py", "label"),  # likewise
    ("conflicts.py", "needed"),  # as deep as links can be halved
    ("kernel.py", "digest"),  # of a folder, then of the files in it
    ("explanation.py", "_story"),  # as deep as a proof of twelve cases
    ("explanation.py", "_size"),  # likewise
    ("shrink.py", "place"),  # as deep as a shrunk example has entities
}


def functions(body, *, of_class=False):
    """Functions and methods with whether they are methods; what is nested in a function belongs to it."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, of_class=True)
        elif isinstance(node, ast.FunctionDef):
            yield node, of_class
            yield from functions(node.body)


def calls_itself(function, *, is_method):
    for call in ast.walk(function):
        if isinstance(call, ast.Call):
            called = ast.unparse(call.func)
            if called == (f"self.{function.name}" if is_method else function.name):
                return True
    return False


def test_no_function_of_the_reasoner_or_the_scorers_calls_itself():
    """What a hostile graph would drive to the limit of the stack."""
    root = Path(temporacle.__file__).parent
    found = {
        (path.name, function.name)
        for path in [*root.glob("reasoner/**/*.py"), *root.glob("scoring/*.py"), *root.glob("checker/**/*.py")]
        for function, is_method in functions(ast.parse(path.read_text()).body)
        if calls_itself(function, is_method=is_method)
    }
    assert found <= ONCE


def test_a_small_stack_is_enough_for_a_long_document():
    limit = sys.getrecursionlimit()
    depth = len(__import__("inspect").stack())
    try:
        sys.setrecursionlimit(depth + 60)
        links = chain(2000)
        assert Oracle(links).entails("x0", "b", "x2000") is Verdict.ENTAILED
        assert len(Oracle(ring(2000)).consistency().conflict) == 2000
        assert timegraph.Timegraph(Network(links), Budget()).relation("x0", "x2000") == Relation.of("b")
        assert len(repair(Network(ring(50)), Budget()).dropped) == 1
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["score", "FILE", "FILE"], 3),
        (["agree", "FILE", "FILE"], 3),
        (["diff", "FILE", "FILE"], 3),
        (["audit", "FILE", "FILE"], 3),
        (["official", "awareness", "FILE", "FILE"], 3),
        (["stats", "FILE"], 3),
        (["check", "FILE"], 3),
    ],
)
def test_reading_and_comparing_count_as_time_of_the_document(command, code, tmp_path, capsys):
    """Without any time left, two documents are neither unreadable nor different: nothing is decided."""
    path = tmp_path / "chain.tsv"
    path.write_text("".join(f"x{k}\tb\tx{k + 1}\n" for k in range(5_000)))
    arguments = [str(path) if each == "FILE" else each for each in command]
    assert run([*arguments, "--time-limit", "0"]) == code
    output = capsys.readouterr()
    said = output.out + output.err
    assert "unreadable:" not in said
    assert "undecided" in said or "within" in said


def test_the_time_of_a_document_begins_before_it_is_read():
    with document_time(5, took=2):
        assert Budget.of_document(5).remaining() < 3
        assert Budget(5).remaining() > 3
        assert reading_ends() - monotonic() < 3
    assert reading_ends() is None
    assert Budget.of_document(None).remaining() is None
