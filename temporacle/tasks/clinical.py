"""What the programs of clinical shared tasks print for two files or folders, and the same as values."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.scoring.official.clinical import anafora, chemotimelines, i2b2
from temporacle.scoring.official.clinical.choices import PROGRAMS
from temporacle.scoring.official.clinical.printout import Printout, Stop
from temporacle.signature import signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.scoring.official.clinical.choices import AnaforaChoices, ChemotimelinesChoices, I2b2Choices

    Row = dict[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class ClinicalScore:
    """What an original program prints, and the same as rows."""

    metric: str
    signature: str
    text: bytes
    documents: Sequence[Row] = ()
    total: Row = field(default_factory=dict)
    stops: str | None = None  # the error with which the original ends on this input
    reason: str = ""  # what it stumbles over
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        what = f"stops with {self.stops}" if self.stops else f"F1 {self.total.get('f1')}"
        return f"ClinicalScore({self.metric} of {len(self.documents)} rows: {what})"

    def to_dict(self) -> Row:
        """The JSON object of the total."""
        figures: Row = {"precision": None, "recall": None, "f1": None, "counts": {}} | self.total
        return {
            "total": True,
            "metric": self.metric,
            **figures,
            "documents": len({row["document"] for row in self.documents}),
            "stops": self.stops,
            "signature": self.signature,
        }


def clinical_score(gold: str, system: str, *, metric: str, budget: float | None = None, **given: Any) -> ClinicalScore:
    """Score as the program of a clinical shared task does.

    ``metric``: i2b2, anafora or chemotimelines. The other options are those of the program, see ``docs/clinical.md``.
    """
    if metric not in PROGRAMS:
        raise UsageError(f"unknown program {metric!r}: choose {', '.join(PROGRAMS)}")
    choices: Any = PROGRAMS[metric].chosen(metric, given, budget=budget)
    for side in (gold, system):
        if not os.path.exists(side):  # noqa: PTH110 - names are kept as typed
            raise UsageError(f"{side}: no such file or folder")
    notes: list[str] = []
    if metric == "chemotimelines":
        choices = replace(choices, run_date=choices.run_date or str(date.today()))  # noqa: DTZ011 - as the program does
    text, printed = _RUNNERS[metric](gold, system, choices, notes)
    signed = {"official": "yes", **choices.signature(), "complete": "no"}
    for name in {"ids", "gold-ids"} & signed.keys():  # what a file says, not where it is
        signed[name] = sha256(_content(Path(signed[name]))).hexdigest()[:8] if signed[name] != "none" else "none"
    return ClinicalScore(
        metric,
        signature(metric, signed),
        text,
        printed.rows,
        printed.total,
        printed.stops,
        printed.reason,
        tuple(notes),
    )


# --- i2b2 2012 --------------------------------------------------------------------------------------------------------


def _i2b2(gold: str, system: str, choices: I2b2Choices, notes: list[str]) -> tuple[bytes, Printout]:  # noqa: ARG001
    options = i2b2.I2b2Options(choices.tags, choices.spans, choices.mode, choices.blocks == "all", choices.budget)
    kinds = [os.path.isdir(side) for side in (gold, system)]  # noqa: PTH112
    if kinds[0] != kinds[1]:
        return (i2b2.head(options) + i2b2.NEITHER).encode(), Printout("")
    pairs = note_pairs(gold, system)
    if pairs is None:
        return (i2b2.head(options) + i2b2.MISMATCH).encode(), Printout("", reason="the folders differ in size")
    text, printed, _ = i2b2.run(pairs, options, folder=kinds[0])
    return text, printed


def note_pairs(gold: str, system: str) -> list[i2b2.NotePair] | None:
    """Return the notes of two files or folders in the order of names; None if the folders differ in size."""
    if not os.path.isdir(gold):  # noqa: PTH112
        return [i2b2.NotePair(Path(gold).name, _content(Path(gold)), _content(Path(system)))]
    names, others = (sorted(each.name for each in Path(side).iterdir()) for side in (gold, system))
    if len(names) != len(others):
        return None
    return [
        i2b2.NotePair(name, _content(Path(gold, name)), _content(Path(system, name)) if name in others else None)
        for name in names
    ]


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=str(path)) from error


# --- anaforatools -----------------------------------------------------------------------------------------------------


def _anafora(gold: str, system: str, choices: AnaforaChoices, notes: list[str]) -> tuple[bytes, Printout]:
    selection = anafora.Selection(
        tuple(tuple(each.split(":")) for each in choices.include),
        tuple(tuple(each.split(":")) for each in choices.exclude),
    )
    options = anafora.AnaforaOptions(selection, choices.temporal_closure, choices.overlap, choices.per_document)
    pairs = [
        anafora.AnaforaPair(name, _annotations(reference), () if predicted is None else _annotations(predicted))
        for name, reference, predicted in anafora_files(gold, system, notes)
    ]
    printed = anafora.run(pairs, options)
    return printed.text.encode("utf-8", "surrogateescape"), printed


def anafora_files(gold: str, system: str, notes: list[str]) -> Iterator[tuple[str, Path, Path | None]]:
    """Yield the documents: each folder without subfolders that holds XML, and the file that answers it."""
    for folder, subfolders, files in sorted(os.walk(gold)):
        found = sorted(name for name in files if name.endswith(".xml"))
        if subfolders or not found:
            continue
        name = Path(folder).name or Path(folder).resolve().name
        answers = Path(system, Path(folder).relative_to(gold))
        answered = [
            path
            for path in (sorted(answers.iterdir()) if answers.is_dir() else ())
            if fnmatchcase(path.name, f"{_literal(name)}*.xml") and not path.name.startswith(".")
        ]
        for side, several in (("reference", found), ("prediction", answered)):
            if len(several) > 1:
                notes.append(f"{name}: {len(several)} {side} files; the first is taken")
        yield name, Path(folder, found[0]), next(iter(answered), None)


def _literal(name: str) -> str:
    return "".join(f"[{character}]" if character in "*?[" else character for character in name)


def _annotations(path: Path) -> Sequence[anafora.Annotation] | Stop:
    """Return the annotations of a file, or the error with which the program ends on it."""
    from temporacle.io.anafora_records import anafora_records
    from temporacle.io.source import Source

    try:
        records = anafora_records(Source(str(path)))
        return anafora.resolved(records)
    except InputError as error:
        return Stop("ValueError", str(error))
    except Stop as stop:
        return Stop(stop.name, f"{path}: {stop.reason}")


# --- ChemoTimelines ---------------------------------------------------------------------------------------------------


def _chemotimelines(gold: str, system: str, choices: ChemotimelinesChoices, notes: list[str]) -> tuple[bytes, Printout]:
    if not choices.ids:
        raise UsageError("chemotimelines needs ids: a file with the ids of all patients, one a line")
    try:
        day = date.fromisoformat(choices.run_date)
    except ValueError:
        raise UsageError(f"run_date {choices.run_date!r} is not a date such as 2024-03-15") from None
    if choices.mode != "strict":
        notes.append(f"relaxed scores depend on the day of the run, here {day}; --run-date chooses another")
    task = chemotimelines.TimelineTask(
        timelines_in(gold),
        timelines_in(system),
        _lines(choices.ids),
        _lines(choices.gold_ids) if choices.gold_ids else None,
    )
    printed = chemotimelines.run(task, mode=choices.mode, edition=int(choices.edition), run_date=day)
    return printed.text.encode(), printed


def timelines_in(path: str) -> Mapping[str, Sequence[chemotimelines.Entry]]:
    """Return the timelines of a JSON file by patient. InputError for anything else."""
    try:
        found = json.loads(_content(Path(path)))
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
    text = _content(Path(path)).decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n") if text else []


_RUNNERS: dict[str, Any] = {"i2b2": _i2b2, "anafora": _anafora, "chemotimelines": _chemotimelines}
