"""anaforatools: folders of Anafora XML."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from temporacle.errors import InputError
from temporacle.results import harmonic_mean
from temporacle.scoring.awareness import AwarenessCounts
from temporacle.scoring.clinical import exact_links
from temporacle.scoring.official import anafora
from temporacle.scoring.official.printout import Stop
from temporacle.tasks.clinical.refusals import refuse_unanswered
from temporacle.tasks.clinical.run import ProgramRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.scoring.official.programs import AnaforaChoices
    from temporacle.tasks.clinical.run import Row

_LINK_ROW = "TLINK:Type"


def run(gold: str, system: str, choices: AnaforaChoices, notes: list[str]) -> ProgramRun:
    selection = anafora.Selection(
        tuple(tuple(each.split(":")) for each in choices.include),
        tuple(tuple(each.split(":")) for each in choices.exclude),
    )
    options = anafora.AnaforaOptions(selection, choices.temporal_closure, choices.overlap, choices.per_document)
    pairs = [
        anafora.AnaforaPair(name, _annotations(reference), () if predicted is None else _annotations(predicted))
        for name, reference, predicted in _documents(gold, system, notes)
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
    causes = tuple(_causes(summed, rows, choices))
    stopped = tuple(
        (pair.name, side.reason or side.name)
        for pair in pairs
        for side in (pair.reference, pair.predicted)
        if isinstance(side, Stop)
    )
    return ProgramRun(text, printed._replace(total=total), (), exact, _figures(summed), causes, stopped)


def _figures(counts: AwarenessCounts) -> Row:
    precision, recall = counts.precision(0), counts.recall(0)
    ratios = {"precision": precision, "recall": recall, "f1": harmonic_mean(precision, recall)}
    return {**{name: float(value) for name, value in ratios.items()}, "counts": counts.to_dict()}


def _causes(exact: AwarenessCounts, official: Row, choices: AnaforaChoices) -> Iterator[str]:
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


def _documents(gold: str, system: str, notes: list[str]) -> Iterator[tuple[str, Path, Path | None]]:
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


def _annotations(path: Path) -> Sequence[anafora.AnaforaAnnotation] | Stop:
    """Return the annotations of a file, or the error with which the program ends on it."""
    from temporacle.io.anafora import anafora_records
    from temporacle.io.source import Source

    try:
        records = anafora_records(Source(str(path)))
        return anafora.resolved(records)
    except InputError as error:
        return Stop("ValueError", str(error))
    except Stop as stop:
        return Stop(stop.name, f"{path}: {stop.reason}")


def refuse_misleading(gold: str, system: str, found: ProgramRun) -> None:
    """Refuse a system that answers no document, and input of which no document can be read."""
    refuse_unanswered(gold, system, [answer is not None for _, _, answer in _documents(gold, system, [])])
    if not found.exact:
        raise InputError(f"no document could be scored: {found.unread[0][1]}", path=found.unread[0][0])
