"""Score as a program with its own file formats does, or exactly on the same input; return values, too."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.runner import Plan
from temporacle.scoring.official.i2b2.links import I2b2Side
from temporacle.scoring.official.pairs.rules import differing
from temporacle.scoring.official.programs import PROGRAMS
from temporacle.signature import signature
from temporacle.tasks.clinical import anafora, chemotimelines, i2b2, questions
from temporacle.tasks.clinical.refusals import refuse_program_options
from temporacle.tasks.clinical.run import content
from temporacle.tasks.official import OfficialScore
from temporacle.tasks.official_differences import Differences, explained

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from temporacle.scoring.official.pairs.rules import ProgramFault
    from temporacle.tasks.clinical.run import ProgramRun, Row


class _Program(NamedTuple):
    """How a program runs, and which inputs have no exact score because it would be a number about nothing."""

    run: Callable[[str, str, Any, list[str]], ProgramRun]
    refuse_misleading: Callable[[str, str, ProgramRun], None] | None = None


_PROGRAMS = {
    "i2b2": _Program(i2b2.run, i2b2.refuse_misleading),
    "anafora": _Program(anafora.run, anafora.refuse_misleading),
    "chemotimelines": _Program(chemotimelines.run, chemotimelines.refuse_misleading),
    "qa-tempeval": _Program(questions.run),
}


def clinical_score(
    gold: str,
    system: str,
    *,
    metric: str,
    explain_difference: bool = False,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    **given: Any,
) -> OfficialScore:
    """Score as the program of a clinical shared task does.

    ``metric``: i2b2, anafora or chemotimelines. ``explain_difference`` also gives the exact score, and why it differs.
    The other options are those of the program, see ``docs/clinical.md``.
    """
    choices = _choices(metric, given, budget)
    if explain_difference and metric == "i2b2" and choices.mode != "tempeval":
        raise UsageError(f"differences of i2b2 are explained for mode tempeval only, not for {choices.mode}")
    notes: list[str] = []
    run = _ran(gold, system, metric, choices, notes)
    printed = run.printed
    total = {"precision": None, "recall": None, "f1": None, "counts": {}} | printed.total
    score = OfficialScore(
        metric,
        signature(metric, {"official": "yes", **_signed(choices), "complete": "no"}),
        run.text,
        printed.rows,
        total,
        f"{printed.stops}: {printed.reason}" if printed.stops else None,
        unread=(("all notes", printed.reason),) if printed.reason and not printed.stops else (),
        notes=tuple(notes),
    )
    if not explain_difference:
        return score
    if metric != "i2b2":
        return replace(score, faults=tuple(_faults(total, run)))
    differences = Differences(complete=not printed.stops)
    for found in explained(list(run.pairs), "default", budget, plan, I2b2Side):
        differences.add(found)
    return replace(score, differences=differences)


def exact_clinical(
    gold: str,
    system: str,
    *,
    metric: str,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
    **given: Any,
) -> OfficialScore:
    """Score the input of a clinical program exactly: the same documents and entities, without the program's faults.

    The rows are those of documents; ``text`` is empty.
    """
    choices = _choices(metric, given, budget)
    refuse_program_options(metric, choices)
    notes: list[str] = []
    run = _ran(gold, system, metric, choices, notes)
    if refuse := _PROGRAMS[metric].refuse_misleading:
        refuse(gold, system, run)
    rows, total = run.exact, run.exact_total
    if metric == "i2b2":
        differences = Differences()
        for found in explained(list(run.pairs), "default", budget, plan, I2b2Side):
            differences.add(found)
        if differences.exact is None:
            raise BudgetExceeded("the time limit ran out before all notes were decided")
        rows = [
            {"document": each.name, **each.comparison.exact.to_dict()}
            for each in differences.documents
            if each.comparison is not None and each.comparison.exact is not None
        ]
        total = differences.exact.to_dict()
    signed = {"official": "no", **_signed(choices), "engine": "exact", "complete": "yes"}
    return OfficialScore(metric, signature(metric, signed), b"", rows, total, unread=run.unread, notes=tuple(notes))


def _choices(metric: str, given: Mapping[str, Any], budget: float | None) -> Any:
    if metric not in PROGRAMS:
        raise UsageError(f"unknown program {metric!r}: choose {', '.join(PROGRAMS)}")
    choices: Any = PROGRAMS[metric].chosen(metric, given, budget=budget)
    if metric == "chemotimelines":
        choices = replace(choices, run_date=choices.run_date or str(date.today()))  # noqa: DTZ011 - as the program does
    return choices


def _ran(gold: str, system: str, metric: str, choices: Any, notes: list[str]) -> ProgramRun:
    for side in (gold, system):
        if not os.path.exists(side):  # noqa: PTH110 - names are kept as typed
            raise UsageError(f"{side}: no such file or folder")
    return _PROGRAMS[metric].run(gold, system, choices, notes)


def _signed(choices: Any) -> dict[str, str]:
    signed: dict[str, str] = choices.signature()
    for name in {"ids", "gold-ids"} & signed.keys():  # what a file says, not where it is
        signed[name] = sha256(content(Path(signed[name]))).hexdigest()[:8] if signed[name] != "none" else "none"
    return signed


def _faults(official: Row, run: ProgramRun) -> Iterator[ProgramFault]:
    """Yield the measures that differ, with everything in the input that the program treats wrongly."""
    cause = "; ".join(run.causes) or "rounding"
    exact = {
        name: Fraction(run.exact_total[name])
        for name in ("precision", "recall", "f1")
        if run.exact_total.get(name) is not None
    }
    yield from differing(official, exact, cause)
