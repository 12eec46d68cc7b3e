"""i2b2 2012: notes in files or folders."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import InputError, UsageError
from temporacle.scoring.official.i2b2 import program
from temporacle.scoring.official.printout import Printout, Stop
from temporacle.scoring.official.tempeval3.tlinks import numbered
from temporacle.tasks.clinical.refusals import refuse_other_notes
from temporacle.tasks.clinical.run import ProgramRun, content
from temporacle.tasks.official_files import LinkPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from temporacle.scoring.official.programs import I2b2Choices


def run(gold: str, system: str, choices: I2b2Choices, notes: list[str]) -> ProgramRun:  # noqa: ARG001
    options = program.I2b2Options(choices.tags, choices.spans, choices.mode, choices.blocks == "all", choices.budget)
    kinds = [os.path.isdir(side) for side in (gold, system)]  # noqa: PTH112
    if kinds[0] != kinds[1]:
        return ProgramRun(
            (program.head(options) + program.NEITHER).encode(), Printout("", reason="a file and a folder")
        )
    pairs = _note_pairs(gold, system)
    if pairs is None:
        text = (program.head(options) + program.MISMATCH).encode()
        return ProgramRun(text, Printout("", reason="the two folders hold different numbers of files"))
    return ProgramRun(*program.run(pairs, options, folder=kinds[0]), _compared(pairs, options))


def _compared(pairs: Iterable[program.NotePair], options: program.I2b2Options) -> Iterator[LinkPair]:
    """Yield the links of each note under gold's ids. Entities are always matched, whatever is evaluated."""
    whole = replace(options, tags="all")
    for pair in pairs:
        try:
            gold, system = program.comparable_links(pair, whole)
        except Stop as stop:
            raise InputError(f"cannot be compared: {stop.reason}", path=pair.name) from None
        yield LinkPair(pair.name, numbered(gold), numbered(system))


def _note_pairs(gold: str, system: str) -> list[program.NotePair] | None:
    """Return the notes of two files or folders in the order of names; None if the folders differ in size."""
    if not os.path.isdir(gold):  # noqa: PTH112
        return [program.NotePair(Path(gold).name, content(Path(gold)), content(Path(system)))]
    names, others = (sorted(each.name for each in Path(side).iterdir()) for side in (gold, system))
    if len(names) != len(others):
        return None
    return [
        program.NotePair(name, content(Path(gold, name)), content(Path(system, name)) if name in others else None)
        for name in names
    ]


def refuse_misleading(gold: str, system: str, found: ProgramRun) -> None:
    """Refuse inputs that cannot be compared, and files of another kind."""
    if found.printed.reason and not found.printed.stops:
        raise UsageError(
            f"{gold} and {system} cannot be compared: {found.printed.reason}; give two files,"
            " or two folders with the same files"
        )
    refuse_other_notes(_note_pairs(gold, system) or (), gold)
