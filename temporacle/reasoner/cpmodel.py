"""Models for CP-SAT and the solver that decides them, over the compiled part of OR-Tools alone.

``ortools.sat.python.cp_model`` offers the same, but loads pandas, for methods that nothing here uses. That takes half a
second of processor time, several times as long as all the rest of a first answer. So the few methods that are needed
stand here, under the names that they have there. A model is the same message, byte for byte. Tests compare the two.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1  # what CP-SAT takes for infinite


class CpTools:
    """What the solver offers. ``helper`` is the module ``ortools.sat.python.cp_model_helper``."""

    def __init__(self, helper: Any) -> None:
        self._helper = helper
        for status in ("OPTIMAL", "FEASIBLE", "INFEASIBLE", "MODEL_INVALID", "UNKNOWN"):
            setattr(self, status, getattr(helper.CpSolverStatus, status))

    OPTIMAL: Any
    FEASIBLE: Any
    INFEASIBLE: Any
    MODEL_INVALID: Any
    UNKNOWN: Any

    def CpModel(self) -> CpModel:  # noqa: N802 - as OR-Tools calls it
        return CpModel(self._helper)

    def CpSolver(self) -> CpSolver:  # noqa: N802
        return CpSolver(self._helper)


class CpModel:
    """A model under construction. Expressions are OR-Tools' own; literals may be ``True`` and ``False``.

    Constraints are collected as text and parsed together, which takes half the time of adding them one by one.
    """

    def __init__(self, helper: Any) -> None:
        self._helper = helper
        self._proto = helper.CpModelProto()
        self._stated: list[str] = []  # constraints that are not in the message yet
        self._constants: dict[int, Any] = {}

    @property
    def proto(self) -> Any:
        """Return the message that the solver gets."""
        if self._stated:
            self._merge("".join([f"constraints{{{each}}}" for each in self._stated]))
            self._stated.clear()
        return self._proto

    def _merge(self, text: str) -> None:
        if not self._proto.merge_text_format(text):
            raise InternalError("OR-Tools cannot read a model in its own text format")

    def new_int_vars(self, number: int, least: int, most: int) -> list[Any]:
        first = len(self._proto.variables)
        self._merge(f"variables{{domain:[{least},{most}]}}" * number)
        return [self._helper.IntVar(self._proto, index) for index in range(first, first + number)]

    def new_bool_var(self) -> Any:
        return self.new_int_vars(1, 0, 1)[0]

    def new_constant(self, value: int) -> Any:
        """Return a variable that has this value only: the same one each time."""
        if value not in self._constants:
            self._constants[value] = self.new_int_vars(1, value, value)[0]
        return self._constants[value]

    def _index_of(self, literal: Any) -> int:
        return int((self.new_constant(int(literal)) if isinstance(literal, bool) else literal).index)

    def _state(self, constraint: str) -> _Constraint:
        self._stated.append(constraint)
        return _Constraint(self._stated, self._index_of)

    def _linear(self, variables: Sequence[int], coefficients: Sequence[int], limits: Sequence[int]) -> _Constraint:
        return self._state(f"linear{{vars:{[*variables]} coeffs:{[*coefficients]} domain:{[*limits]}}}")

    def add(self, stated: Any) -> _Constraint:
        """Add a linear expression with its bounds, or a Boolean where an expression has no variables."""
        if isinstance(stated, bool):
            return self.add_bool_or([True] if stated else [])
        bounds = stated.bounds.flattened_intervals()
        limits = [each if each in (_LEAST, _MOST) else each - stated.offset for each in bounds]
        return self._linear([variable.index for variable in stated.vars], stated.coeffs, limits)

    def add_order(self, first: Any, second: Any, gap: int) -> _Constraint:
        """Add ``first + gap <= second``, in a fraction of the time that an expression takes."""
        x, y = first.index, second.index
        if x == y:
            return self._linear((), (), (_LEAST, -gap))
        sides = f"vars:[{x},{y}]coeffs:[1,-1]" if x < y else f"vars:[{y},{x}]coeffs:[-1,1]"
        return self._state(f"linear{{{sides}domain:[{_LEAST},{-gap}]}}")

    def add_bool_or(self, literals: Iterable[Any]) -> _Constraint:
        return self._state(f"bool_or{{literals:{list(map(self._index_of, literals))}}}")

    def add_exactly_one(self, literals: Iterable[Any]) -> _Constraint:
        return self._state(f"exactly_one{{literals:{list(map(self._index_of, literals))}}}")

    def add_implication(self, condition: Any, conclusion: Any) -> _Constraint:
        return self._state(f"bool_and{{literals:{self._index_of(conclusion)}}}").only_enforce_if(condition)

    def add_assumptions(self, literals: Iterable[Any]) -> None:
        self._proto.assumptions.extend(list(map(self._index_of, literals)))

    def add_hint(self, variable: Any, value: int) -> None:
        self._proto.solution_hint.vars.append(variable.index)
        self._proto.solution_hint.values.append(value)

    def minimize(self, expression: Any) -> None:
        self._set_objective(expression, 1)

    def maximize(self, expression: Any) -> None:
        self._set_objective(expression, -1)

    def _set_objective(self, expression: Any, sign: int) -> None:
        self._proto.clear_objective()
        objective = self._proto.objective
        if isinstance(expression, int):
            objective.offset, objective.scaling_factor = expression, 1.0
            return
        objective.scaling_factor = float(sign)
        flat = self._helper.FlatIntExpr(expression)
        objective.vars.extend([variable.index for variable in flat.vars])
        objective.coeffs.extend([sign * coefficient for coefficient in flat.coeffs])
        objective.offset = sign * flat.offset

    def validate(self) -> str:
        """Return what is wrong with the model; empty if nothing is."""
        return str(self._helper.CpSatHelper.validate_model(self.proto))


class _Constraint:
    """The constraint that was added last: a condition is given at once, or not at all."""

    __slots__ = ("_index_of", "_stated")

    def __init__(self, stated: list[str], index_of: Callable[[Any], int]) -> None:
        self._stated = stated
        self._index_of = index_of

    def only_enforce_if(self, literal: Any) -> _Constraint:
        self._stated[-1] += f" enforcement_literal:{self._index_of(literal)}"
        return self


class CpSolver:
    """Decides one model, and keeps the response."""

    def __init__(self, helper: Any) -> None:
        self._helper = helper
        self.parameters = helper.SatParameters()
        self.response_proto: Any = None
        self._running: Any = None
        self._lock = threading.Lock()

    def solve(self, model: CpModel) -> Any:
        """Return the status."""
        running = self._helper.SolveWrapper()
        with self._lock:
            self._running = running
        running.set_parameters(self.parameters)
        self.response_proto = running.solve(model.proto)
        with self._lock:
            self._running = None
        return self.response_proto.status

    def stop_search(self) -> None:
        """End the search, which goes on in another thread."""
        with self._lock:
            if self._running is not None:
                self._running.stop_search()

    def value(self, expression: Any) -> int:
        return int(self._helper.ResponseHelper.value(self.response_proto, expression))

    def boolean_value(self, literal: Any) -> bool:
        return bool(self._helper.ResponseHelper.boolean_value(self.response_proto, literal))

    @property
    def objective_value(self) -> float:
        return float(self.response_proto.objective_value)

    @property
    def best_objective_bound(self) -> float:
        return float(self.response_proto.best_objective_bound)

    def sufficient_assumptions_for_infeasibility(self) -> list[int]:
        return list(self._helper.ResponseHelper.sufficient_assumptions_for_infeasibility(self.response_proto))
