"""All engines against each other, on generated graphs; and the certificates against their checker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.audit.engines import CHECKED, check_engine
from temporacle.audit.faults import FaultKind
from temporacle.audit.generate import CasePlan
from temporacle.audit.graphs import Vocabulary
from temporacle.audit.pasted_tests import Implementation, python_test
from temporacle.audit.results import Crosscheck, EngineAudit
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OF_COMPLETENESS = (FaultKind.INCOMPLETE, FaultKind.MISSED_INCONSISTENCY)


def crosscheck(
    *,
    cases: int = 300,
    seed: int = 0,
    entities: int = 4,
    relations: str = "any",
    engine: str | Sequence[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Crosscheck:
    """Compare the engines on ``cases`` graphs generated from ``seed``.

    ``exact`` is judged by the enumeration of all scenarios, every other engine by ``exact``. An engine that promises
    soundness only may miss relations: these are counted, and are not findings.

    ``entities``: of a graph at most, 2 to 6. ``relations``: "atomic", "convex" or "any".
    ``engine``: the name of one, or several; all by default. ``progress``: gets how many graphs of how many are done.

    >>> crosscheck(cases=5, engine="propagation").clean
    True
    """
    names = [engine] if isinstance(engine, str) else list(dict.fromkeys(engine or CHECKED))
    for name in names:
        if name not in CHECKED:
            raise UsageError(f"unknown engine {name!r}: choose {', '.join(CHECKED)}")
    if relations not in tuple(Vocabulary):
        raise UsageError(f"unknown relations {relations!r}: choose {', '.join(Vocabulary)}")
    if cases < 1 or not 2 <= entities <= 6:
        raise UsageError(f"cases is {cases} and entities {entities}: give 1 or more cases, and 2 to 6 entities")
    plan = CasePlan(cases, seed, Vocabulary(relations), entities, large=0)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(done, cases * len(names))

    return Crosscheck(tuple(_checked(name, plan, advance) for name in names), cases, seed)


def _checked(name: str, plan: CasePlan, progress: Callable[[], None]) -> EngineAudit:
    from dataclasses import replace

    tally, complete = check_engine(name, plan, progress), CHECKED[name]
    code = ("from temporacle.audit.engines import engine_function", "", f"closure = engine_function({name!r})")
    findings = tuple(
        replace(finding, test=python_test(finding, number, Implementation(code)))
        for number, finding in enumerate(tally.grouped(), 1)
        if complete or finding.kind not in _OF_COMPLETENESS
    )
    return EngineAudit(name, complete, findings, tally.to_dict(), tally.clean if complete else tally.is_sound)
