"""All engines against each other, on generated graphs; and the certificates against their checker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from temporacle.audit.answers import FaultKind, Vocabulary
from temporacle.audit.engines import CHECKED, CHECKED_ON_MEDIUM, check_engine, judges, promises_completeness
from temporacle.audit.findings import Crosscheck, EngineAudit
from temporacle.audit.generate import CasePlan, MediumPlan
from temporacle.audit.pasted_tests import Implementation, python_test
from temporacle.errors import UsageError
from temporacle.plugins import Group, names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.audit.findings import AuditTally

_OF_COMPLETENESS = (FaultKind.INCOMPLETE, FaultKind.MISSED_INCONSISTENCY)
_MEDIUM_SHARE = 10  # one medium graph for so many small ones


def crosscheck(
    *,
    cases: int = 300,
    seed: int = 0,
    entities: int = 4,
    medium: int | None = None,
    relations: str = "any",
    engine: str | Sequence[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Crosscheck:
    """Compare the engines, and the parts of the exact one, on ``cases`` graphs generated from ``seed``.

    All are judged by the enumeration of all scenarios, and the enumeration by CP-SAT. Graphs of 8 to 30 entities are
    judged by CP-SAT: the verdict, and what follows for three of the entities. An engine that promises soundness only
    may miss relations: these are counted, and are not findings.

    ``entities``: of a graph at most, 2 to 6. ``medium``: how many graphs of 8 to 30 entities; a tenth of ``cases`` by
    default. ``relations``: "atomic", "convex" or "any". ``engine``: the name of one, or several; all by default.
    ``progress``: gets how many graphs of how many are done.

    >>> crosscheck(cases=5, engine="propagation").clean
    True
    """
    names = [engine] if isinstance(engine, str) else list(dict.fromkeys(engine or CHECKED))
    for name in names:
        if promises_completeness(name) is None:
            raise UsageError(option="engine", value=name, allowed=names_of(Group.ENGINES, CHECKED))
    if relations not in tuple(Vocabulary):
        raise UsageError(f"unknown relations {relations!r}: choose {', '.join(Vocabulary)}")
    if cases < 1 or not 2 <= entities <= 6:
        raise UsageError(f"cases is {cases} and entities {entities}: give 1 or more cases, and 2 to 6 entities")
    more = cases // _MEDIUM_SHARE if medium is None else medium
    if more < 0:
        raise UsageError(f"medium is {more}: give 0 or more")
    vocabulary = Vocabulary(relations)
    on_medium = [name for name in names if name in CHECKED_ON_MEDIUM] if more else []
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress(done, cases * len(names) + more * len(on_medium))

    by = judges()
    small = CasePlan(cases, seed, vocabulary, entities, large=0)
    rows = [_row(name, check_engine(name, small, advance, by=by)) for name in names]
    by = judges(medium=True)
    larger = MediumPlan(more, seed, vocabulary)
    for name in on_medium:
        tally = check_engine(name, larger, advance, by=by, medium=True)
        rows.append(replace(_row(name, tally), graphs="medium"))
    return Crosscheck(tuple(rows), cases, seed)


def _row(name: str, tally: AuditTally) -> EngineAudit:
    complete = bool(promises_completeness(name))
    code = ("from temporacle.audit.engines import engine_function", "", f"closure = engine_function({name!r})")
    findings = tuple(
        replace(finding, test=python_test(finding, number, Implementation(code)))
        for number, finding in enumerate(tally.grouped(), 1)
        if complete or finding.kind not in _OF_COMPLETENESS
    )
    return EngineAudit(name, complete, findings, tally.to_dict(), tally.clean if complete else tally.is_sound)
