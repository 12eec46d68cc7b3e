"""Emulate programs with their own file formats: clinical shared tasks and QA-TempEval; return values, too."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import date
from fnmatch import fnmatchcase
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, InputError, UsageError
from temporacle.model import Document, Remark, Unreadable
from temporacle.readings import canonical
from temporacle.results import harmonic_mean
from temporacle.runner import Plan
from temporacle.scoring.awareness import AwarenessCounts
from temporacle.scoring.official.clinical import anafora, chemotimelines, i2b2
from temporacle.scoring.official.clinical.anafora_exact import exact_links
from temporacle.scoring.official.clinical.chemotimelines_exact import ExactPatient, exact_patients
from temporacle.scoring.official.clinical.choices import PROGRAMS
from temporacle.scoring.official.clinical.i2b2_links import I2b2Side
from temporacle.scoring.official.clinical.printout import Printout, Stop
from temporacle.scoring.official.pairs.faults import differing
from temporacle.scoring.official.qa_tempeval import (
    ANSWERS,
    LINK_LABELS,
    RELATIONS,
    UNKNOWN,
    BadLine,
    Question,
    counted,
    official_part,
)
from temporacle.scoring.official.tlinks import numbered
from temporacle.signature import signature
from temporacle.tasks.clinical_refusals import (
    refuse_other_notes,
    refuse_other_patients,
    refuse_program_options,
    refuse_unanswered,
)
from temporacle.tasks.inputs import documents
from temporacle.tasks.official import OfficialScore
from temporacle.tasks.official_differences import Differences, explained
from temporacle.tasks.official_files import LinkPair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.scoring.official.clinical.choices import (
        AnaforaChoices,
        ChemotimelinesChoices,
        I2b2Choices,
        QaTempevalChoices,
    )
    from temporacle.scoring.official.pairs.faults import Fault
    from temporacle.scoring.official.qa_tempeval import QuestionCounts

    Row = dict[str, Any]

_LINK_ROW = "TLINK:Type"
_WHOLE_DATE = len("2013-1-1")


class _Run(NamedTuple):
    """The output of a program, and the result of an exact scorer for the same input."""

    text: bytes
    printed: Printout
    pairs: Iterable[LinkPair] = ()  # of i2b2, for a comparison link by link
    exact: Sequence[Row] = ()  # of the other programs: documents
    exact_total: Row = {}  # noqa: RUF012 - never changed
    causes: tuple[str, ...] = ()  # why the two may differ on this input
    unread: tuple[tuple[str, str], ...] = ()  # documents that have no exact score, and why


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
    _refuse_misleading(gold, system, metric, run)
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


def _refuse_misleading(gold: str, system: str, metric: str, run: _Run) -> None:
    """Refuse inputs of which an exact score would be a number about nothing."""
    if metric == "i2b2":
        if run.printed.reason and not run.printed.stops:
            raise UsageError(
                f"{gold} and {system} cannot be compared: {run.printed.reason}; give two files,"
                " or two folders with the same files"
            )
        refuse_other_notes(note_pairs(gold, system) or (), gold)
    elif metric == "anafora":
        refuse_unanswered(gold, system, [answer is not None for _, _, answer in anafora_files(gold, system, [])])
        if not run.exact:
            raise InputError(f"no document could be scored: {run.unread[0][1]}", path=run.unread[0][0])
    elif metric == "chemotimelines":
        refuse_other_patients(timelines_in(gold), timelines_in(system))


def _choices(metric: str, given: Mapping[str, Any], budget: float | None) -> Any:
    if metric not in PROGRAMS:
        raise UsageError(f"unknown program {metric!r}: choose {', '.join(PROGRAMS)}")
    choices: Any = PROGRAMS[metric].chosen(metric, given, budget=budget)
    if metric == "chemotimelines":
        choices = replace(choices, run_date=choices.run_date or str(date.today()))  # noqa: DTZ011 - as the program does
    return choices


def _ran(gold: str, system: str, metric: str, choices: Any, notes: list[str]) -> _Run:
    for side in (gold, system):
        if not os.path.exists(side):  # noqa: PTH110 - names are kept as typed
            raise UsageError(f"{side}: no such file or folder")
    run: _Run = _RUNNERS[metric](gold, system, choices, notes)
    return run


def _signed(choices: Any) -> dict[str, str]:
    signed: dict[str, str] = choices.signature()
    for name in {"ids", "gold-ids"} & signed.keys():  # what a file says, not where it is
        signed[name] = sha256(_content(Path(signed[name]))).hexdigest()[:8] if signed[name] != "none" else "none"
    return signed


def _faults(official: Row, run: _Run) -> Iterator[Fault]:
    """Yield the measures that differ, with everything in the input that the program treats wrongly."""
    cause = "; ".join(run.causes) or "rounding"
    exact = {
        name: Fraction(run.exact_total[name])
        for name in ("precision", "recall", "f1")
        if run.exact_total.get(name) is not None
    }
    yield from differing(official, exact, cause)


# --- i2b2 2012 --------------------------------------------------------------------------------------------------------


def _i2b2(gold: str, system: str, choices: I2b2Choices, notes: list[str]) -> _Run:  # noqa: ARG001
    options = i2b2.I2b2Options(choices.tags, choices.spans, choices.mode, choices.blocks == "all", choices.budget)
    kinds = [os.path.isdir(side) for side in (gold, system)]  # noqa: PTH112
    if kinds[0] != kinds[1]:
        return _Run((i2b2.head(options) + i2b2.NEITHER).encode(), Printout("", reason="a file and a folder"))
    pairs = note_pairs(gold, system)
    if pairs is None:
        text = (i2b2.head(options) + i2b2.MISMATCH).encode()
        return _Run(text, Printout("", reason="the two folders hold different numbers of files"))
    return _Run(*i2b2.run(pairs, options, folder=kinds[0]), _compared(pairs, options))


def _compared(pairs: Iterable[i2b2.NotePair], options: i2b2.I2b2Options) -> Iterator[LinkPair]:
    """Yield the links of each note under gold's ids. Entities are always matched, whatever is evaluated."""
    whole = replace(options, tags="all")
    for pair in pairs:
        try:
            gold, system = i2b2.comparable_links(pair, whole)
        except Stop as stop:
            raise InputError(f"cannot be compared: {stop.reason}", path=pair.name) from None
        yield LinkPair(pair.name, numbered(gold), numbered(system))


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


def _anafora(gold: str, system: str, choices: AnaforaChoices, notes: list[str]) -> _Run:
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
    rows: Row = next((row for row in printed.total.get("rows", ()) if row["row"] == _LINK_ROW), {})
    total = {**printed.total, **{name: rows[name] for name in ("precision", "recall", "f1", "counts") if rows}}
    counts = {
        pair.name: exact_links(pair.name, pair.reference, pair.predicted, choices.budget)
        for pair in pairs
        if not isinstance(pair.reference, Stop) and not isinstance(pair.predicted, Stop)
    }
    summed = sum(counts.values(), AwarenessCounts())
    text = printed.text.encode("utf-8", "surrogateescape")
    exact = [{"document": name, **_figures(each)} for name, each in counts.items()]
    causes = tuple(_anafora_causes(summed, rows, choices))
    stopped = tuple(
        (pair.name, side.reason or side.name)
        for pair in pairs
        for side in (pair.reference, pair.predicted)
        if isinstance(side, Stop)
    )
    return _Run(text, printed._replace(total=total), (), exact, _figures(summed), causes, stopped)


def _figures(counts: AwarenessCounts) -> Row:
    precision, recall = counts.precision(0), counts.recall(0)
    ratios = {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}
    return {**{name: float(value) for name, value in ratios.items()}, "counts": counts.to_dict()}


def _anafora_causes(exact: AwarenessCounts, official: Row, choices: AnaforaChoices) -> Iterator[str]:
    if not official:
        yield f"the program printed no row {_LINK_ROW}: include {_LINK_ROW}"
        return
    if exact.gold_set_aside or exact.system_set_aside:
        yield "contradictory links: the program lets them entail everything"
    if not choices.temporal_closure:
        yield "no closure: a link that follows from others is wrong"
    reduced = official["counts"]["reference"] > exact.gold_total or official["counts"]["predicted"] > exact.system_total
    if reduced:
        yield "links that follow from others are counted"
    if not official["counts"]["predicted"] or not official["counts"]["reference"]:
        yield "0/0 counts as 1"


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


def _chemotimelines(gold: str, system: str, choices: ChemotimelinesChoices, notes: list[str]) -> _Run:
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
    scored = task.gold.keys() | task.system.keys() if task.gold_ids is None else set(task.gold_ids)
    reference, predicted = (
        {name: each for name, each in side.items() if name in scored} for side in (task.gold, task.system)
    )
    patients = exact_patients(reference, predicted, choices.mode)
    exact = [{"document": each.patient, **_patient_figures(each)} for each in patients]
    right, wrong, missed = (sum(getattr(each, name) for each in patients) for name in ("right", "wrong", "missed"))
    total = _patient_figures(ExactPatient("", right, wrong, missed, has_gold=bool(patients)))
    return _Run(printed.text.encode(), printed, (), exact, total, tuple(_timeline_causes(task, choices.mode)))


def _patient_figures(patient: ExactPatient) -> Row:
    ratios = {name: getattr(patient, name) for name in ("precision", "recall", "f1")}
    counts = {"right": patient.right, "wrong": patient.wrong, "missed": patient.missed}
    return {**{name: None if value is None else float(value) for name, value in ratios.items()}, "counts": counts}


def _timeline_causes(task: chemotimelines.TimelineTask, mode: str) -> Iterator[str]:
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


def timelines_in(path: str) -> Mapping[str, Sequence[chemotimelines.Entry]]:
    """Return the timelines of a JSON file by patient. Raise InputError for anything else."""
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
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file of ids; give a file with one id a line")
    text = _content(Path(path)).decode("utf-8", "surrogateescape")
    return text.removesuffix("\n").split("\n") if text else []


# --- QA-TempEval ------------------------------------------------------------------------------------------------------


def _qa_tempeval(gold: str, system: str, choices: QaTempevalChoices, notes: list[str]) -> _Run:
    """Score answers to questions. The program's graph is not emulated: the answers are exact, its rules are its own."""
    from temporacle.tasks.ask import SET_ASIDE, AnsweredQuestion, ask_lines, questions_in

    def report(said: Remark | Unreadable) -> None:
        notes.append(said.message if isinstance(said, Remark) else str(said.error))

    lines = questions_in(gold)
    known_labels = [_with_known_labels(each, notes) for each in documents(system, report=report)]
    exact = ask_lines(known_labels, lines, contradictions=SET_ASIDE, budget=choices.budget, report=report)
    undecided = [each for each in exact if each.answer == "undecided"]
    if undecided:
        raise BudgetExceeded(undecided[0].reason)
    read = official_part(lines)

    def printed(each: AnsweredQuestion) -> str:
        known = isinstance(each.question, Question) and each.question.relation in RELATIONS
        if each.unlinked is not None:
            return f"{UNKNOWN} (entity {each.unlinked} not found)"
        return each.answer if known and each.answer in ANSWERS.values() else UNKNOWN

    by_line = {each.question.line: each for each in exact}
    pairs = [None if isinstance(each, BadLine) else (each.answer, printed(by_line[each.line])) for each in read]
    text = "".join(
        f"{each.written}|predicted={pair[1]}\n" for each, pair in zip(read, pairs, strict=True) if pair is not None
    )
    rows = tuple(each.to_dict() for each in exact)
    found, right = counted(pairs), exact.score or counted(())
    notes += [f"{gold}:{each.line}: {each.reason}" for each in lines if isinstance(each, BadLine)]
    return _Run(
        f"{text}{found.printed()}\n".encode(),
        Printout("", rows, _question_figures(found)),
        (),
        rows,
        _question_figures(right),
        ("questions about DURING, DURING_INV and OVERLAP are never answered", "reading ends at the first bad line"),
    )


def _with_known_labels(document: Document | Unreadable, notes: list[str]) -> Document | Unreadable:
    """Return the document without links whose labels the program does not know."""
    if isinstance(document, Unreadable):
        return document
    links = tuple(link for link in document.links if canonical(link.label) in LINK_LABELS)
    if left := len(document.links) - len(links):
        notes.append(f"{document.id}: {left} links have labels that the program does not know; they are left out")
    return replace(document, links=links)


def _question_figures(counts: QuestionCounts) -> Row:
    ratios = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**ratios, "counts": counts._asdict()}


_RUNNERS: dict[str, Any] = {
    "i2b2": _i2b2,
    "anafora": _anafora,
    "chemotimelines": _chemotimelines,
    "qa-tempeval": _qa_tempeval,
}
