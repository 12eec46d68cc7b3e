"""The CDCL solvers of python-sat: clauses go in and stay, questions are assumptions.

Only this module knows python-sat. It calls the library's compiled module directly: the classes around it load ten times
slower and take twice the time for each clause. Both are of the one version that the project asks for.

Most questions are answered within some hundred conflicts: these run at once, with signals held back meanwhile. What
is left goes on in a thread, so that this one can watch the budget and answer signals. The solver is never stopped and
started again by the clock, so the same clauses in the same order give the same answers anywhere.
"""

from __future__ import annotations

import gc
import signal
from collections import deque
from functools import cache, partial
from typing import IO, TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.signals import held_back

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.reasoner.network import Budget

_AT_ONCE = 500  # conflicts
_LOOK = 0.05  # seconds between looks at a search that is asked to stop
_PLAIN, _WITH_PROOF = "minisat22", "glucose41"


@cache
def is_available() -> bool:
    """Return whether python-sat can be loaded."""
    try:
        _library()
    except ImportError:
        return False
    return True


def _library() -> Any:
    with held_back(signal.SIGINT, signal.SIGTERM):
        import pysolvers
    return pysolvers


class Cdcl:
    """An incremental solver. Close it after use: it holds memory that Python does not count.

    >>> from temporacle.reasoner.network import Budget
    >>> solver = Cdcl(Budget())
    >>> solver.add([[1, 2], [-1, 2]])
    >>> solver.solve([-2]), solver.core(), solver.solve()
    (False, [-2], True)
    >>> solver.values(2)[1]
    True
    """

    def __init__(self, budget: Budget, *, with_proof: bool = False) -> None:
        library = _library()
        name = _WITH_PROOF if with_proof else _PLAIN
        self._budget = budget
        self._library = library
        self._call = {
            each: getattr(library, f"{name}_{each}")
            for each in ("new", "add_cl", "solve_lim", "cbudget", "interrupt", "clearint", "model", "core", "del")
        }
        self._solver: Any = self._call["new"]()
        self._trace: IO[bytes] | None = None
        self._trace_handle: Any = None
        self._read = 0  # bytes of the trace
        if with_proof:
            import tempfile

            self._trace = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the solver
            self._trace_handle = getattr(library, f"{name}_tracepr")(self._solver, self._trace)

    def add(self, clauses: Iterable[list[int]]) -> None:
        """Add clauses as lists of numbers: v for a variable, -v for its negation."""
        deque(map(partial(self._call["add_cl"], self._solver), clauses), maxlen=0)

    def add_many(self, parts: Iterable[list[list[int]]]) -> None:
        """Add clauses in parts that are made one after another.

        The garbage collector is off, since it would find nothing.
        """
        was_on = gc.isenabled()
        gc.disable()
        try:
            for clauses in parts:
                self._budget.check()
                self.add(clauses)
        finally:
            if was_on:
                gc.enable()

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Return whether all clauses and assumptions can be true. Raise BudgetExceeded if this is not known in time."""
        answer = self.solve_at_once(assumptions)
        return self._solve_beside(list(assumptions)) if answer is None else answer

    def solve_at_once(self, assumptions: Sequence[int] = (), conflicts: int = _AT_ONCE) -> bool | None:
        """Return whether all can be true, for easy questions; None if so many conflicts are not enough."""
        self._budget.check()
        with held_back(signal.SIGINT, signal.SIGTERM):
            self._call["cbudget"](self._solver, conflicts)
            answer = self._call["solve_lim"](self._solver, list(assumptions), 0, 0)
        return None if answer is None else bool(answer)

    def _solve_beside(self, assumptions: list[int]) -> bool:
        """Return whether all can be true, found in a thread.

        Without a limit on conflicts, the solver gives up only when it is interrupted.
        """
        from concurrent.futures import ThreadPoolExecutor, wait

        self._call["cbudget"](self._solver, -1)
        with ThreadPoolExecutor(1) as beside:
            running = beside.submit(self._call["solve_lim"], self._solver, assumptions, 0, 1)
            try:
                wait([running], timeout=self._budget.remaining())
                if running.done():
                    answer = running.result()
                    if answer is None:
                        raise InternalError("the solver gave up without being asked to")
                    return bool(answer)
            finally:
                while not running.done():  # more than once: the search may not have begun yet
                    self._call["interrupt"](self._solver)
                    wait([running], timeout=_LOOK)
                self._call["clearint"](self._solver)
        self._budget.check()
        raise BudgetExceeded("the solver was stopped before it had an answer")

    def values(self, variables: int) -> list[bool]:
        """Return the value of variables 1, 2, ... in the solution just found; those that no clause has are False."""
        model = self._call["model"](self._solver)
        if model is None:  # also where there is no variable
            if not variables:
                return []
            raise InternalError("the solver says there is a solution but shows none")
        values = [literal > 0 for literal in model[:variables]]
        return values + [False] * (variables - len(values))

    def core(self) -> list[int]:
        """Return assumptions that cannot all be true, after an unsatisfiable answer."""
        return list(self._call["core"](self._solver) or ())

    def learnt(self) -> Iterator[tuple[int, ...]]:
        """Yield the clauses learnt since the last time (a DRUP proof).

        Deletions are left out, since they only save memory. So are empty clauses, which stand for refused questions.
        """
        if self._trace is None:
            raise InternalError("this solver was not asked to write a proof")
        self._library.flushpr(self._trace_handle)
        self._trace.seek(self._read)
        lines = self._trace.read().decode("ascii").splitlines()
        self._read = self._trace.tell()
        for line in lines:
            if not line.startswith("d"):
                *literals, zero = map(int, line.split())
                if zero:
                    raise InternalError("the solver wrote a proof in an unknown form")
                if literals:
                    yield tuple(literals)

    def close(self) -> None:
        """Give the memory back."""
        if self._solver is not None:
            self._call["del"](self._solver)
            self._solver = None
        if self._trace is not None:
            self._trace.close()

    def __del__(self) -> None:
        if getattr(self, "_solver", None) is not None:
            self.close()
