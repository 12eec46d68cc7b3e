"""Running CP-SAT: how it is loaded, asked and interrupted.

A solver that gives up, which can happen before the time limit, is asked once more with presolve switched. If it gives
up again, that is BudgetExceeded. Whatever else it does is an InternalError, never a verdict.
"""

from __future__ import annotations

import signal
from functools import cache
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.cpmodel import CpTools
from temporacle.signals import held_back

if TYPE_CHECKING:
    from temporacle.reasoner.network import Budget

_MOST_MEGABYTES = 4096
_SEED = 20110


@cache
def load_solver() -> CpTools:
    """Return what OR-Tools offers.

    Signals wait meanwhile, because compiled code takes an interrupt for a fault of its own.
    """
    with held_back(signal.SIGINT, signal.SIGTERM):
        from ortools.sat.python import cp_model_helper
    return CpTools(cp_model_helper)


def run_solver(model: Any, budget: Budget, *, presolve: bool, linearization: int = 0) -> tuple[Any, bool]:
    """Return the solver after it has decided, and whether it has a solution."""
    cp_model = load_solver()

    for attempt in (presolve, not presolve):
        budget.check()
        solver = cp_model.CpSolver()
        parameters = solver.parameters
        parameters.num_workers = 1
        parameters.linearization_level = linearization
        parameters.cp_model_presolve = attempt
        parameters.random_seed = _SEED
        parameters.max_memory_in_mb = _MOST_MEGABYTES
        parameters.catch_sigint_signal = False  # it would end the search, but not the run
        remaining = budget.remaining()
        if remaining is not None:
            parameters.max_time_in_seconds = max(remaining, 0.001)
        try:
            status = _interruptible(solver, model)
        except Exception as error:
            raise InternalError(f"CP-SAT failed: {error}") from error
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return solver, True
        if status == cp_model.INFEASIBLE:
            return solver, False
        if status == cp_model.MODEL_INVALID:
            raise InternalError(f"CP-SAT rejected the model: {model.validate()}")
        if status != cp_model.UNKNOWN:
            raise InternalError(f"CP-SAT returned the unexpected status {status!r}")
    budget.check()
    raise BudgetExceeded("CP-SAT gave up without an answer")


def _interruptible(solver: Any, model: Any) -> Any:
    """Return the status of the solver.

    It runs in another thread, because a thread inside the solver cannot handle signals.
    """
    from concurrent.futures import ThreadPoolExecutor, wait

    with ThreadPoolExecutor(1) as beside:
        status = beside.submit(solver.solve, model)
        try:
            return status.result()
        except BaseException:
            while not status.done():  # more than once: the search may not have begun yet
                solver.stop_search()
                wait([status], timeout=0.05)
            raise
