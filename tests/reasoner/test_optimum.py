"""Lower bounds of choice problems: found by the reasoner, accepted by the checker, and never too high."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from temporacle.checker import Rejected
from temporacle.checker.optima import as_fraction, check_parts_form, lower_bound
from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.network import Budget
from temporacle.reasoner.proofs import least_cost
from temporacle.reasoner.proofs.least_cost import CoverProblem, OptionNames, parts_form, prove_bound


def cheapest(problem):
    """The naive twin: every choice. The cost of the cheapest one that meets all conflicts, and one such choice."""
    slots = list(problem.costs)
    best = None
    for options in product(*(range(len(problem.costs[slot])) for slot in slots)):
        choice = dict(zip(slots, options, strict=True))
        if all(any(not bits >> choice[slot] & 1 for slot, bits in each.items()) for each in problem.conflicts):
            cost = sum(problem.costs[slot][option] for slot, option in choice.items())
            if best is None or cost < best[0]:
                best = cost, choice
    return best


def random_problem(rng, *, most_options):
    slots = range(rng.randint(2, 6))
    costs = {}
    for slot in slots:
        others = [rng.choice((0, 1, 1, 2, 5, 999_983)) for _ in range(rng.randint(1, most_options - 1))]
        costs[slot] = rng.sample([0, *others], len(others) + 1)
    conflicts = []
    for _ in range(rng.randint(1, 9)):
        chosen = rng.sample(slots, rng.randint(1, min(3, len(slots))))
        conflicts.append({slot: rng.randrange(1, (1 << len(costs[slot])) - 1) for slot in chosen})
    return CoverProblem(costs, conflicts)


def checked(problem, parts, unit=Fraction(1)):
    """The bound that the checker accepts."""
    names = OptionNames(
        {slot: slot for slot in problem.costs},
        {slot: range(len(costs)) for slot, costs in problem.costs.items()},
        {number: number for number in range(len(problem.conflicts))},
        unit,
    )
    form = parts_form(parts, names)
    check_parts_form(form)
    return form, bound_of(form, problem, unit)


def bound_of(form, problem, unit=Fraction(1)):
    costs = {slot: {option: cost * unit for option, cost in enumerate(each)} for slot, each in problem.costs.items()}
    conflicts = [
        {slot: frozenset(option for option in costs[slot] if bits >> option & 1) for slot, bits in each.items()}
        for each in problem.conflicts
    ]
    return lower_bound(form, costs, conflicts)


@pytest.mark.parametrize(
    ("table", "few"), [(10**6, 25), (10**6, 1), (0, 25)], ids=["exact prices", "conflicts join later", "greedy prices"]
)
@pytest.mark.parametrize("most_options", [2, 4])
def test_the_bound_is_the_cost_of_the_cheapest_choice(monkeypatch, table, few, most_options):
    monkeypatch.setattr(least_cost, "_LARGEST_TABLE", table)
    monkeypatch.setattr(least_cost, "_FEW_CONFLICTS", few)
    rng = Random(f"bounds {most_options}")
    kinds = set()
    proven = 0
    for _ in range(250):
        problem = random_problem(rng, most_options=most_options)
        best = cheapest(problem)
        if best is None:
            continue
        parts = prove_bound(problem, best[1], Budget())
        form, bound = checked(problem, parts, Fraction(1, 3))
        assert bound == Fraction(best[0], 3)
        kinds |= {kind for part in form for step in part["steps"] for kind in step}
        proven += 1
    assert proven > 100
    assert kinds >= {"branch", "cases", "dual"}


def test_a_choice_that_is_not_the_cheapest_is_not_proven():
    problem = CoverProblem({0: (0, 5), 1: (0, 2)}, [{0: 1, 1: 1}])
    with pytest.raises(InternalError):
        prove_bound(problem, {0: 1, 1: 0}, Budget())


def test_too_many_cases_are_given_up(monkeypatch):
    monkeypatch.setattr(least_cost, "_MOST_STEPS", 0)
    monkeypatch.setattr(least_cost, "_LARGEST_TABLE", 0)
    problem = CoverProblem(dict.fromkeys(range(5), (0, 1)), [{i: 1, (i + 1) % 5: 1} for i in range(5)])
    with pytest.raises(BudgetExceeded):
        prove_bound(problem, {0: 1, 1: 0, 2: 1, 3: 0, 4: 1}, Budget())


def test_an_odd_ring_needs_no_branch():
    """Five conflicts in a ring: linear programming gives 5/2, and every choice costs a whole number."""
    problem = CoverProblem(dict.fromkeys(range(5), (0, 1)), [{i: 1, (i + 1) % 5: 1} for i in range(5)])
    form, bound = checked(problem, prove_bound(problem, {0: 1, 1: 0, 2: 1, 3: 0, 4: 1}, Budget()))
    assert bound == 3
    assert [step for part in form for step in part["steps"]] == [{"dual": [[i, "1/2"] for i in range(5)]}]


def test_forged_bounds_are_rejected_or_true():
    """Whatever is changed in a proof: the bound that is accepted is never above the cheapest choice."""
    rng = Random("forged bounds")
    rejected = accepted = 0
    for _ in range(60):
        problem = random_problem(rng, most_options=3)
        best = cheapest(problem)
        if best is None or not best[0]:
            continue
        original, _ = checked(problem, prove_bound(problem, best[1], Budget()))
        for _ in range(40):
            form = [{**part, "steps": [dict(step) for step in part["steps"]]} for part in original]
            part = rng.choice(form)
            kind = rng.randrange(4)
            if kind == 0:
                part["bound"] = str(Fraction(part["bound"]) + rng.choice((1, -1, Fraction(1, 2))))
            elif kind == 1:
                part["conflicts"] = [number for number in part["conflicts"] if rng.random() < 0.7]
            else:
                step = rng.choice(part["steps"])
                if "dual" in step:
                    step["dual"] = [
                        [
                            rng.randrange(len(problem.conflicts)) if rng.random() < 0.2 else number,
                            str(Fraction(price) * rng.choice((1, 2, Fraction(1, 2), 0))),
                        ]
                        for number, price in step["dual"]
                    ]
                elif "cases" in step:
                    step["cases"] = [
                        [options[:-1] if rng.random() < 0.3 else options, place] for options, place in step["cases"]
                    ]
                else:
                    step["conflict"] = rng.randrange(len(problem.conflicts))
                if kind == 3:
                    part["bound"] = str(Fraction(part["bound"]) + 1)
            try:
                check_parts_form(form)
                bound = bound_of(form, problem)
            except Rejected:
                rejected += 1
                continue
            assert bound <= best[0]
            accepted += 1
    assert rejected > 300
    assert accepted > 30


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1/0",
        "2/4",
        "1/1",
        "-0",
        "+1",
        "1.5",
        " 1",
        "1 ",
        "01",
        "0/3",
        "1/-2",
        "١",
        "9" * 3000,
        1,
        None,
        True,
        ["1"],
    ],
)
def test_fractions_have_one_form(text):
    with pytest.raises(Rejected):
        as_fraction(text, "x")


@pytest.mark.parametrize("text", ["0", "-3", "17/32", "-1/2"])
def test_fractions_are_read(text):
    assert str(as_fraction(text, "x")) == text
