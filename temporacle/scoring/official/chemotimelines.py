"""ChemoTimelines: timelines of treatments, ``[drug, label, date]`` for each patient, as its program scores them.

Strict: a prediction is right if it equals a gold entry; a wrong label is not counted as false. Relaxed to day, month or
year: dates are cut, and an entry is excused if it lies within the other side's time of that drug, or agrees up to
begins-on and contains. Incomplete dates are completed by the day on which the program runs, so relaxed scores depend on
it; ``run_date`` fixes that day.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import UsageError, spelled
from temporacle.scoring.clinical import ExactPatient, exact_patients
from temporacle.scoring.metric import option
from temporacle.scoring.official.pairs.schemes import differing_figures
from temporacle.scoring.official.registry import (
    MODE_TEXT,
    Layout,
    Printout,
    Program,
    ProgramOptions,
    ProgramRequest,
    ProgramRun,
    Stop,
    nothing_found,
    require,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

MODES = ("strict", "day", "month", "year")
EDITIONS = (2024, 2025)
Entry: TypeAlias = tuple[str, str, str]  # drug, label, date
Ranges: TypeAlias = "Mapping[str, tuple[date | None, date | None]]"
Number: TypeAlias = int | float

_WEEK = re.compile(r"([0-9]{4})-W([0-9]{1,2})")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_HEAD = "Evaluation code for ChemoTimelines Shared Task. Version: v20240305\nReading from files...\n"
_SETTINGS = {2025: "strict", 2024: "relaxed to month"}
_HINTS = {
    2025: "To see the official score, please run with the --strict flag",
    2024: "To see the official score, please run without --strict flag, and set 'relaxed to month' setting"
    " by --relaxed_to=month ",
}


@dataclass(frozen=True, slots=True)
class TimelineTask:
    """The files of a run: timelines by patient, and the lines of the lists of ids."""

    gold: Mapping[str, Sequence[Entry]]
    system: Mapping[str, Sequence[Entry]]
    ids: Sequence[str]
    gold_ids: Sequence[str] | None = None


class PatientScore(NamedTuple):
    """Counts and ratios of one patient."""

    patient: str
    true: int
    false: int
    missed: int
    precision: float
    recall: float
    f1: float
    has_gold: bool


def when(text: str, run_date: date) -> date:
    """Return the day that a date stands for. Month and day that are missing are those of the run.

    >>> when("2013-W01", date(2024, 3, 15)), when("2013-02", date(2024, 3, 31))
    (datetime.date(2013, 1, 7), datetime.date(2013, 2, 28))
    """
    text = text.replace("w", "W")
    if "W" in text:
        found = _WEEK.fullmatch(text)
        if found is None or int(found[2]) > 53:
            raise Stop("ValueError", f"{text!r} is not a week")
        # Week 1 begins at the first Monday of the year; days before it are in week 0.
        first = date(int(found[1]), 1, 1) if int(found[1]) else None
        if first is None:
            raise Stop("ValueError", f"{text!r} is not a week")
        monday = first + timedelta(days=-first.weekday() % 7)
        return monday + timedelta(weeks=int(found[2]) - 1)
    dated = _DATE.fullmatch(text)
    if dated is None:
        raise Stop("ParserError", f"{text!r} is not a date")
    year, month = int(dated[1]), int(dated[2] or run_date.month)
    if not year >= 1 or not 1 <= month <= 12:
        raise Stop("ParserError", f"{text!r} is not a date")
    longest = monthrange(year, month)[1]
    day = min(run_date.day, longest) if dated[3] is None else int(dated[3])
    if not 1 <= day <= longest:
        raise Stop("ParserError", f"{text!r} is not a date")
    return date(year, month, day)


def run(task: TimelineTask, *, mode: str = "strict", edition: int = 2025, run_date: date) -> Printout:
    """Return what the program prints."""
    text = _HEAD
    scores: list[PatientScore] = []
    try:
        patients = _patients(task)
        text += f"predicted output: {len(task.system)}, gold annotation: {len(task.gold)}, all ids: {len(task.ids)}\n\n"
        for patient in patients:
            scores.append(patient_score(patient, task.gold[patient], task.system[patient], mode, run_date))  # noqa: PERF401 - one may stop
        micro = _micro(scores)
        text += "Micro average metrics\n" + "".join(
            f"Micro {name}: {value}\n" for name, value in zip(("precision", "recall", "f1"), micro, strict=True)
        )
        text += "\nMacro average metrics\n"
        means = []
        for kind, what, counted in (
            ("A", "including", scores),
            ("B", "excluding", [score for score in scores if score.has_gold]),
        ):
            text += f"Type {kind} evaluation: {what} the notes with no true relations\n"
            means.append(_macro(counted))
            names = ("precision: ", "recall: ", "f1:  ")
            text += "".join(f"[Type {kind}] Macro {name}{v}\n" for name, v in zip(names, means[-1], strict=True)) + "\n"
        official = (means[0][2] + means[1][2]) / 2
        counts = mode == ("strict" if edition == 2025 else "month")
        text += (
            "Official Score: Arithmetic mean of two types of Macro F1, type A and B,"
            f" in '{_SETTINGS[edition]}' setting will be used for the leaderboard. \n"
            f"{f'Official Score:  {official}' if counts else _HINTS[edition]}\nEvaluation completed!\n"
        )
    except Stop as stop:
        return Printout(text, _rows(scores), {}, stop.name, stop.reason)
    return Printout(text, _rows(scores), _total(micro, means, scores, official if counts else None))


def _rows(scores: Iterable[PatientScore]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {
            "document": each.patient,
            "precision": each.precision,
            "recall": each.recall,
            "f1": each.f1,
            "counts": {"true": each.true, "false": each.false, "missed": each.missed},
        }
        for each in scores
    )


def _total(
    micro: Sequence[Number], means: Sequence[Sequence[Number]], scores: Sequence[PatientScore], official: float | None
) -> dict[str, Any]:
    sums = {name: sum(getattr(each, name) for each in scores) for name in ("true", "false", "missed")}
    kinds = {
        f"type_{kind}": dict(zip(("precision", "recall", "f1"), mean, strict=True))
        for kind, mean in zip("ab", means, strict=True)
    }
    return {
        **dict(zip(("precision", "recall", "f1"), micro, strict=True)),
        "counts": sums,
        **kinds,
        "official": official,
    }


def _patients(task: TimelineTask) -> list[str]:
    """Return the patients that are scored, after the program's own checks."""
    predicted, gold, lines = len(task.system), len(task.gold), len(task.ids)
    if not lines or lines != predicted:
        raise Stop("ValueError", f"{lines} ids, but {predicted} patients in the system's file")
    if task.gold_ids is None:
        if lines != gold:
            raise Stop("ValueError", f"{lines} ids, but {gold} patients in the gold file")
        return [patient for patient in task.system if patient in task.gold]
    listed = len(task.gold_ids)
    if not listed or listed != gold or listed > predicted:
        raise Stop(
            "ValueError", f"{listed} gold ids, {gold} patients in the gold file, {predicted} in the system's file"
        )
    wanted = set(task.gold_ids)
    chosen = [patient for patient in task.system if patient in wanted]
    for patient in chosen:
        if patient not in task.gold:
            raise Stop("ValueError", f"patient {patient!r} is listed and not in the gold file")
    return chosen


def patient_score(
    patient: str, gold: Sequence[Entry], system: Sequence[Entry], mode: str, run_date: date
) -> PatientScore:
    """Score one patient."""
    if not gold:
        ratio = 0.0 if system else 1.0
        return PatientScore(patient, 0, len(system), 0, ratio, ratio, ratio, has_gold=False)
    gold_ranges, system_ranges = _ranges(gold, run_date), _ranges(system, run_date)
    if mode in {"month", "year"}:
        gold, system = _cut(gold, mode, run_date), _cut(system, mode, run_date)
    in_gold, in_system = set(gold), set(system)
    true = [entry for entry in system if entry in in_gold]
    false = [entry for entry in system if entry not in in_gold]
    missed = [entry for entry in gold if entry not in in_system]
    missed_places = {(drug, day) for drug, _, day in missed}
    if mode == "strict":
        left_false, left_missed, found = false, missed, len(true)
    else:
        excused = [_is_inside(each, gold_ranges, run_date) or _is_near(each, in_gold) for each in false]
        left_false = [each for each, is_excused in zip(false, excused, strict=True) if not is_excused]
        left_missed = [
            each for each in missed if not (_is_inside(each, system_ranges, run_date) or _is_near(each, in_system))
        ]
        found = len(true) + sum(excused)
    wrong = sum((drug, day) not in missed_places for drug, _, day in left_false)
    lost = len(left_missed)
    precision = recall = f1 = 0.0
    if found + lost and found + wrong:
        precision, recall = found / (found + wrong), found / (found + lost)
        f1 = 2 * (precision * recall) / (precision + recall) if precision + recall else 0.0
    return PatientScore(patient, found, wrong, lost, precision, recall, f1, has_gold=True)


def _ranges(entries: Iterable[Entry], run_date: date) -> Ranges:
    """Return for each drug its earliest begin and its latest end. All dates are read, so a bad one stops here."""
    begins: dict[str, date] = {}
    ends: dict[str, date] = {}
    for drug, label, written in entries:
        day = when(written, run_date)
        if label == "begins-on":
            begins[drug] = min(day, begins.get(drug, day))
        elif label == "ends-on":
            ends[drug] = max(day, ends.get(drug, day))
    return {drug: (begins.get(drug), ends.get(drug)) for drug in {**begins, **ends}}


def _cut(entries: Iterable[Entry], mode: str, run_date: date) -> list[Entry]:
    """Return the entries with dates cut to months or years, each once, without generic drugs beside others."""
    shape = "{0.year:04d}-{0.month:02d}" if mode == "month" else "{0.year:04d}"
    cut = list(dict.fromkeys((drug, label, shape.format(when(day, run_date))) for drug, label, day in entries))
    places: dict[tuple[str, str], int] = {}
    for _, label, day in cut:
        places[label, day] = places.get((label, day), 0) + 1
    return [each for each in cut if not (each[0].startswith("chemo") and places[each[1], each[2]] > 1)]


def _is_inside(entry: Entry, ranges: Ranges, run_date: date) -> bool:
    drug, label, written = entry
    begin, end = ranges.get(drug, (None, None))
    if begin is None or end is None:
        return False
    day = when(written, run_date)
    if label in {"ends-on", "ENDS-ON"}:
        return day > begin and begin <= day <= end
    if label in {"begins-on", "BEGINS-ON"}:
        return day < end and begin <= day <= end
    return begin <= day <= end


def _is_near(entry: Entry, others: Collection[Entry]) -> bool:
    drug, label, day = entry
    if label in {"begins-on", "ends-on"}:
        return (drug, "contains-1", day) in others
    return label == "contains-1" and ((drug, "begins-on", day) in others or (drug, "ends-on", day) in others)


def _micro(scores: Sequence[PatientScore]) -> tuple[Number, Number, Number]:
    if not scores:
        return 0, 0, 0
    true, false, missed = (sum(getattr(each, name) for each in scores) for name in ("true", "false", "missed"))
    if not true + false or not true + missed:
        raise Stop("ZeroDivisionError", "nothing is right, and nothing is counted as wrong or as missed")
    precision, recall = true / (true + false), true / (true + missed)
    return precision, recall, 2 * (precision * recall) / (precision + recall) if precision + recall else 0


def _macro(scores: Sequence[PatientScore]) -> tuple[float, float, float]:
    if not scores:
        raise Stop("ZeroDivisionError", "no patient to average over")
    sums = [0.0, 0.0, 0.0]
    for each in scores:  # added one by one: sum() of later Python versions rounds differently
        sums = [total + value for total, value in zip(sums, (each.precision, each.recall, each.f1), strict=True)]
    return sums[0] / len(scores), sums[1] / len(scores), sums[2] / len(scores)


# ----------------------------------------------------------------------------------------------------
# The program over two files, and the exact score of its timelines.

_WHOLE_DATE = len("2013-1-1")


@dataclass(frozen=True, slots=True)
class ChemotimelinesChoices(ProgramOptions):
    """Options of the ChemoTimelines program."""

    mode: str = option("strict", MODE_TEXT)
    edition: str = option("2025", "The edition of the task: 2024 or 2025.")
    run_date: str = option("", "The day on which the program is taken to run, as YYYY-MM-DD. Default: today.")
    ids: str = option("", "A file with the ids of all patients, one per line.")
    gold_ids: str = option("", "A file with the ids of the patients to score, one per line.")

    def __post_init__(self) -> None:
        require("mode", self.mode, MODES)
        require("edition", self.edition, tuple(map(str, EDITIONS)))

    def day(self) -> date:
        """Return the day of the run. Raise UsageError for a text that is not a date."""
        try:
            return date.fromisoformat(self.run_date or str(date.today()))  # noqa: DTZ011 - as the program does
        except ValueError:
            raise UsageError("write a date such as 2024-03-15", option="run_date", value=self.run_date) from None


class PatientFiles(NamedTuple):
    """The files of a run, and digests of the lists of ids for the signature."""

    task: TimelineTask
    digests: Mapping[str, str]


def _run(read: PatientFiles, choices: ChemotimelinesChoices, request: ProgramRequest) -> ProgramRun:
    task, day = read.task, choices.day()
    if choices.mode != "strict":
        request.notes.append(
            f"relaxed scores depend on the day of the run, here {day}; {spelled('run_date')} chooses another"
        )
    printed = run(task, mode=choices.mode, edition=int(choices.edition), run_date=day)
    scored = task.gold.keys() | task.system.keys() if task.gold_ids is None else set(task.gold_ids)
    reference, predicted = (
        {name: each for name, each in side.items() if name in scored} for side in (task.gold, task.system)
    )
    patients = exact_patients(reference, predicted, choices.mode)
    right, wrong, missed = (sum(getattr(each, name) for each in patients) for name in ("right", "wrong", "missed"))
    exact = _exact_figures(ExactPatient("", right, wrong, missed, has_gold=bool(patients)))
    total = nothing_found() | printed.total
    return ProgramRun(
        printed.text.encode(),
        printed.rows,
        total,
        {"official": "yes", **choices.signature(), "run-date": str(day), **read.digests, "complete": "no"},
        stops=f"{printed.stops}: {printed.reason}" if printed.stops else None,
        faults=tuple(differing_figures(total, exact, _causes(task, choices.mode))),
        exact=[{"document": each.patient, **_exact_figures(each)} for each in patients],
        exact_total=exact,
        no_exact=_misleading(task.gold, task.system),
    )


def _exact_figures(patient: ExactPatient) -> dict[str, Any]:
    ratios = {name: getattr(patient, name) for name in ("precision", "recall", "f1")}
    counts = {"right": patient.right, "wrong": patient.wrong, "missed": patient.missed}
    return {**{name: None if value is None else float(value) for name, value in ratios.items()}, "counts": counts}


def _misleading(gold: Collection[str], system: Collection[str]) -> UsageError | None:
    """Return why an exact score would be a number about nothing: the timelines are those of different patients."""
    if not gold or not system or set(gold) & set(system):
        return None
    return UsageError(
        f"gold and system have no patient in common. Gold: {', '.join(sorted(gold)[:4])}."
        f" System: {', '.join(sorted(system)[:4])}. Write the same ids on both sides"
    )


def _causes(task: TimelineTask, mode: str) -> Iterator[str]:
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


PROGRAM = Program(
    "chemotimelines",
    "ChemoTimelines 2024 and 2025: timelines of treatments",
    ChemotimelinesChoices,
    Layout.PATIENTS,
    _run,
    exact={},
)
