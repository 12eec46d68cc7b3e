"""Models for CP-SAT are those that OR-Tools' own module builds."""

import subprocess
import sys
from random import Random

import pytest

from temporacle.reasoner.optimise.solver import load_solver

cp_model = pytest.importorskip("ortools.sat.python.cp_model")


class Theirs:
    """OR-Tools' own model, asked in the same way."""

    def __init__(self):
        self.model = cp_model.CpModel()

    def __getattr__(self, name):
        return getattr(self.model, name)

    def new_int_vars(self, number, least, most):
        return [self.model.new_int_var(least, most, "") for _ in range(number)]

    def new_bool_var(self):
        return self.model.new_bool_var("")

    def add_order(self, first, second, gap):
        return self.model.add(first + gap <= second)


def build(model, rng):
    """Random statements of every kind that is used; the same for the same random numbers."""
    numbers = [*model.new_int_vars(3, -rng.randint(0, 5), 9), *model.new_int_vars(3, 0, rng.randint(0, 9))]
    truths = [model.new_bool_var() for _ in range(5)]

    def literal():
        found = rng.choice(truths)
        return rng.choice((found, found.negated(), True, False, found))

    def term():
        return sum(rng.randint(-3, 3) * each for each in rng.sample([*numbers, *truths], rng.randint(0, 4)))

    for _ in range(rng.randint(1, 12)):
        kind = rng.randrange(8)
        if kind == 0:
            stated = model.add_order(rng.choice(numbers), rng.choice(numbers), rng.randint(0, 2))
        elif kind == 1:
            left, right = term(), rng.choice((rng.randint(-9, 9), term()))
            stated = model.add(rng.choice((left <= right, left == right, left < right, left >= right)))
        elif kind == 2:
            stated = model.add_exactly_one([literal() for _ in range(rng.randint(1, 4))])
        elif kind == 3:
            stated = model.add_implication(rng.choice(truths), literal())
        elif kind == 4:
            truths.append(model.new_constant(rng.randint(0, 1)))
            continue
        elif kind == 5:
            model.add_hint(rng.choice(numbers), rng.randint(0, 4))
            continue
        else:
            stated = model.add_bool_or([literal() for _ in range(rng.randint(0, 4))])
        if rng.random() < 0.4:
            stated.only_enforce_if(rng.choice(truths))
    for _ in range(rng.choice((0, 1, 1, 2))):  # a second objective replaces the first
        rng.choice((model.minimize, model.maximize))(rng.choice((term(), term(), 3)))
    return numbers, truths


@pytest.mark.parametrize("seed", range(400))
def test_models_are_the_same(seed):
    ours, theirs = load_solver().CpModel(), Theirs()
    build(ours, Random(seed))
    build(theirs, Random(seed))
    assert str(ours.proto) == str(theirs.model.proto)
    assert ours.validate() == theirs.validate()


@pytest.mark.parametrize("seed", range(40))
def test_answers_are_the_same(seed):
    ours, theirs = load_solver().CpModel(), Theirs()
    found = build(ours, Random(seed))
    expected = build(theirs, Random(seed))
    solvers = load_solver().CpSolver(), cp_model.CpSolver()
    for solver in solvers:
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
    first, second = solvers[0].solve(ours), solvers[1].solve(theirs.model)
    assert first == second
    if first in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        assert [solvers[0].value(each) for each in found[0]] == [solvers[1].value(each) for each in expected[0]]
        truths = [solvers[0].boolean_value(each) for each in found[1]]
        assert truths == [solvers[1].boolean_value(each) for each in expected[1]]
        assert solvers[0].objective_value == solvers[1].objective_value
        assert solvers[0].best_objective_bound == solvers[1].best_objective_bound


def test_pandas_is_not_loaded():
    code = (
        "import sys; from temporacle.reasoner.reference import cpsat;"
        "from temporacle.reasoner.network import Budget, Network;"
        "network = Network.of([('a', 'b|bi', 'b'), ('b', 'o|oi', 'c'), ('c', 'b|bi', 'a')]);"
        "assert cpsat.decider(network, Budget()).model() is not None;"
        "assert 'ortools' in sys.modules and 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
