"""The programs of shared tasks and papers under one name: each with its own files and options."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.runner import Plan
from temporacle.scoring.official.programs import PROGRAMS as CLINICAL
from temporacle.tasks import official

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.tasks.official import OfficialScore
    from temporacle.tasks.official_pairs import OfficialPairs

_OPTIONS = ("method", "align", "relaxed", "ordering_only")
_PAIR_OPTIONS = ("convention", "missing", "label_set")


def official_score(
    gold: str | PathLike[str],
    system: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    metric: str = "awareness",
    explain_difference: bool = False,
    budget: float | None = None,
    jobs: int | None = None,
    **options: Any,
) -> OfficialScore | OfficialPairs:
    """Score as the program of a shared task or paper does: its output byte for byte, with its faults, and as values.

    ``gold`` and ``system`` are files or folders in the program's own format. ``metric`` is awareness, timeline,
    tempeval1, pairs, i2b2, anafora, chemotimelines or qa-tempeval; conventions of pairs in which runs vote take a list
    of systems. ``explain_difference`` also gives the exact score,
    and where the two differ. ``budget`` is in seconds for each document. ``jobs`` is the number of worker processes;
    None starts one per core, unless the work is short. The other keywords are the options of the program, named as on
    the command line (docs/official.md, docs/clinical.md). Options of reading such as ``during`` do not apply, because
    the programs read files in their own way.

    >>> found = official_score("examples/gold", "examples/system")
    >>> print(found.text.decode().splitlines()[-2])
    Overall Temporal Awareness Score (F1 score): 35.0877
    """
    systems = [system] if isinstance(system, str | PathLike) else list(system)
    if metric == "pairs":
        from temporacle.tasks.official_pairs import official_pairs

        _refuse_others(metric, options, _PAIR_OPTIONS)
        runs = [fspath(each) for each in systems]
        return official_pairs(fspath(gold), runs, explain_difference=explain_difference, **options)
    if len(systems) != 1:
        raise UsageError(f"metric {metric} takes one system only")
    if metric not in CLINICAL:  # those refuse options themselves
        _refuse_others(metric, options, _OPTIONS)
    options |= {"metric": metric, "explain_difference": explain_difference, "budget": budget, "plan": Plan(jobs)}
    if metric in CLINICAL:
        from temporacle.tasks.clinical.score import clinical_score

        return clinical_score(fspath(gold), fspath(systems[0]), **options)
    return official.official_score(fspath(gold), fspath(systems[0]), **options)


def _refuse_others(metric: str, options: dict[str, Any], known: tuple[str, ...]) -> None:
    if unknown := [name for name in options if name not in known]:
        raise UsageError(
            f"the official program for metric {metric} has no option {', '.join(unknown)}: choose {', '.join(known)}"
        )
