"""Print the answer of ``temporacle score --official --metric pairs``: the program's lines, or rows for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.commands.score_official import print_faults
from temporacle.errors import UsageError
from temporacle.tasks.official_pairs import official_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.commands.score_tables import ScoreOutput


def print_official_pairs(gold: str, systems: Sequence[str], *, output: ScoreOutput, **options: Any) -> ExitCode:
    """Score as the program of a convention does, and print what it prints."""
    if output.value not in {"json", "table"}:
        raise UsageError(
            "--official prints what the original program prints, or JSON (--output json), but not csv or latex"
        )
    score = official_pairs(gold, systems, **options)
    for note in score.notes:
        complain(note)
    if output.value == "json":
        for fault in score.faults:
            print_json(fault.to_dict())
        for row in score.documents:
            print_json(row)
        print_json(score.to_dict())
    else:
        sys.stdout.write(score.text())
        if options["explain_difference"]:
            print_faults(score.faults)
        complain(score.signature)
    if score.stops is not None:
        complain(f"note: on this input the original program ends with an error: {score.stops}")
    return ExitCode.YES if score.stops is None else ExitCode.UNDECIDED
