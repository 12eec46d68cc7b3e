"""Print the result of ``temporacle score --official`` for the programs of clinical shared tasks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.errors import UsageError
from temporacle.tasks.clinical import clinical_score

if TYPE_CHECKING:
    from temporacle.commands.score_tables import ScoreOutput


def print_program(gold: str, system: str, *, output: ScoreOutput, **options: Any) -> ExitCode:
    """Score as the program does, and print what it prints."""
    if output.value not in {"json", "table"}:
        raise UsageError(
            "--official prints what the original program prints, or JSON (--output json), but not csv or latex"
        )
    score = clinical_score(gold, system, **options)
    for note in score.notes:
        complain(note)
    if output.value == "json":
        for row in score.documents:
            print_json(row)
        print_json(score.to_dict())
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(score.text)
        sys.stdout.buffer.flush()
        complain(score.signature)
    if score.stops is not None:
        complain(f"note: on this input the original program ends with {score.stops}: {score.reason}")
    return ExitCode.YES if score.stops is None and not score.reason else ExitCode.UNDECIDED
