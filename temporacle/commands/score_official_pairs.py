"""What ``temporacle score --official --metric pairs`` prints: the program's own lines, or rows for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.errors import UsageError
from temporacle.figures import digits
from temporacle.tasks.official_pairs import official_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.commands.score_tables import ScoreOutput
    from temporacle.tasks.official_pairs import OfficialPairs


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
            _print_faults(score)
        complain(score.signature)
    if score.stops is not None:
        complain(f"note: on this input the original program ends with an error: {score.stops}")
    return ExitCode.YES if score.stops is None else ExitCode.UNDECIDED


def _print_faults(score: OfficialPairs) -> None:
    from temporacle.commands.answers import print_table

    if not score.faults:
        sys.stdout.write("no fault of the program changed a number\n")
        return
    rows = [
        [fault.measure, "none" if fault.official is None else digits(fault.official), digits(fault.exact), fault.cause]
        for fault in score.faults
    ]
    print_table(("measure", "official", "exact", "cause"), rows)
