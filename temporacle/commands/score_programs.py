"""Print scores of clinical programs: their own lines with ``--official``, otherwise exact scores of the same input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.commands.answers import print_table
from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.commands.score_official import print_official
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.figures import digits
from temporacle.tasks.clinical.score import clinical_score, exact_clinical

if TYPE_CHECKING:
    from temporacle.commands.score_tables import ScoreOutput


_ANSWERED = ("number", "document", "question", "answer", "gold")


def print_program(
    gold: str, system: str, *, official: bool, output: ScoreOutput, counts: bool = False, **options: Any
) -> ExitCode:
    """Score as the program does or exactly, and print the result."""
    if official:
        return print_official(gold, system, output=output, scorer=clinical_score, **options)
    options.pop("explain_difference")
    if output.value not in {"json", "table"}:
        raise UsageError(f"metric {options['metric']} has --output table and json only")
    try:
        score = exact_clinical(gold, system, **options)
    except BudgetExceeded as limit:
        complain(f"undecided: {limit}; allow more time with --time-limit")
        return ExitCode.UNDECIDED
    for note in score.notes:
        complain(note)
    for name, reason in score.unread:
        complain(f"skipped {name}: {reason}")
    if output.value == "json":
        for row in score.documents:
            print_json(row)
        print_json(score.to_dict())
    else:
        questions = [row for row in score.documents if "question" in row]  # of QA-TempEval, which scores no documents
        if questions:
            print_table(_ANSWERED, [[str(row[name] or "") for name in _ANSWERED] for row in questions])
        names = list(score.total["counts"]) if counts else []
        rows = [
            [
                str(row.get("document", "TOTAL")),
                *map(_shown, _ratios(row)),
                *(str(row.get("counts", {}).get(name, "")) for name in names),
            ]
            for row in (*(() if questions else score.documents), score.total)
        ]
        print_table(("document", "P", "R", "F1", *names), rows)
        complain(score.signature)
    return ExitCode.YES if score.complete else ExitCode.UNDECIDED


def _ratios(row: dict[str, Any]) -> list[float | None]:
    return [row[name] for name in ("precision", "recall", "f1")]


def _shown(value: float | None) -> str:
    return "none" if value is None else digits(value)
