"""ChemoTimelines: timelines of patients in JSON."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import InputError, UsageError
from temporacle.scoring.clinical import ExactPatient, exact_patients
from temporacle.scoring.official import chemotimelines
from temporacle.tasks.clinical.refusals import refuse_other_patients
from temporacle.tasks.clinical.run import ProgramRun, content

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.scoring.official.programs import ChemotimelinesChoices
    from temporacle.tasks.clinical.run import Row

_WHOLE_DATE = len("2013-1-1")


def run(gold: str, system: str, choices: ChemotimelinesChoices, notes: list[str]) -> ProgramRun:
    if not choices.ids:
        raise UsageError("chemotimelines needs ids: a file with the ids of all patients, one a line")
    try:
        day = date.fromisoformat(choices.run_date)
    except ValueError:
        raise UsageError(f"run_date {choices.run_date!r} is not a date such as 2024-03-15") from None
    if choices.mode != "strict":
        notes.append(f"relaxed scores depend on the day of the run, here {day}; --run-date chooses another")
    task = chemotimelines.TimelineTask(
        _timelines_in(gold),
        _timelines_in(system),
        _lines(choices.ids),
        _lines(choices.gold_ids) if choices.gold_ids else None,
    )
    printed = chemotimelines.run(task, mode=choices.mode, edition=int(choices.edition), run_date=day)
    scored = task.gold.keys() | task.system.keys() if task.gold_ids is None else set(task.gold_ids)
    reference, predicted = (
        {name: each for name, each in side.items() if name in scored} for side in (task.gold, task.system)
    )
    patients = exact_patients(reference, predicted, choices.mode)
    exact = [{"document": each.patient, **_figures(each)} for each in patients]
    right, wrong, missed = (sum(getattr(each, name) for each in patients) for name in ("right", "wrong", "missed"))
    total = _figures(ExactPatient("", right, wrong, missed, has_gold=bool(patients)))
    return ProgramRun(printed.text.encode(), printed, (), exact, total, tuple(_causes(task, choices.mode)))


def _figures(patient: ExactPatient) -> Row:
    ratios = {name: getattr(patient, name) for name in ("precision", "recall", "f1")}
    counts = {"right": patient.right, "wrong": patient.wrong, "missed": patient.missed}
    return {**{name: None if value is None else float(value) for name, value in ratios.items()}, "counts": counts}


def _causes(task: chemotimelines.TimelineTask, mode: str) -> Iterator[str]:
    """Yield what in the input the program treats wrongly."""
    timelines = [*task.gold.values(), *task.system.values()]
    entries = [entry for each in timelines for entry in each]
    if mode != "strict":
        if any(len(when) < _WHOLE_DATE and "W" not in when.upper() for _, _, when in entries):
            yield "incomplete dates are completed by the day of the run"
        yield "entries within the other side's time of a drug count as right"
    else:
        yield "a wrong label is not counted as wrong"
    if task.gold.keys() != task.system.keys():
        yield "patients that only one side has are not counted"
    if any("W" in when.upper() for _, _, when in entries):
        yield "weeks are not ISO weeks"
    if mode in {"month", "year"} and any(drug.startswith("chemo") for drug, _, _ in entries):
        yield "generic names drop each other"
    if any(len(set(each)) < len(each) for each in timelines):
        yield "repeated entries count each time"
    if any(label != label.lower() for _, label, _ in entries):
        yield "labels in capitals match nothing"


def _timelines_in(path: str) -> Mapping[str, Sequence[chemotimelines.Entry]]:
    """Return the timelines of a JSON file by patient. Raise InputError for anything else."""
    try:
        found = json.loads(content(Path(path)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"bad JSON: {error}", path=path) from None
    if not isinstance(found, dict):
        raise InputError("must be an object of patients", path=path, cure='write {"patient1": [[drug, label, date]]}')
    return {
        patient: [_entry(path, patient, each) for each in _list(path, patient, entries)]
        for patient, entries in found.items()
    }


def _list(path: str, patient: str, entries: object) -> list[object]:
    if not isinstance(entries, list):
        raise InputError(f"the timeline of {patient} is not a list", path=path)
    return entries


def _entry(path: str, patient: str, entry: object) -> chemotimelines.Entry:
    if not isinstance(entry, list) or len(entry) != 3 or not all(isinstance(part, str) for part in entry):
        raise InputError(f"an entry of {patient} is not [drug, label, date]: {entry!r:.80}", path=path)
    return entry[0], entry[1], entry[2]


def _lines(path: str) -> list[str]:
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file of ids; give a file with one id a line")
    text = content(Path(path)).decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n") if text else []


def refuse_misleading(gold: str, system: str, _found: ProgramRun) -> None:
    """Refuse two files without a common patient."""
    refuse_other_patients(_timelines_in(gold), _timelines_in(system))
