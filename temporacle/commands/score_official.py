"""``temporacle score --official``: files for the emulated programs of shared tasks, and their output byte for byte."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.scoring.official.awareness import METHODS, Counts, OfficialScore, score_documents, score_links
from temporacle.scoring.official.tlinks import read_links, triples_of
from temporacle.scoring.options import Align
from temporacle.signature import signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.commands.score_rows import ScoreOutput
    from temporacle.scoring.official.awareness import Links

_IGNORED = "DS_Store"
_NOTHING: dict[str, Any] = {"precision": None, "recall": None, "f1": None, "counts": {}}


class FilePair(NamedTuple):
    """The contents of a gold file, and of the system's file of the same name if there is one."""

    name: str
    gold: bytes
    system: bytes | None


class Printed(NamedTuple):
    """What an emulated program prints, and the same as JSON."""

    text: bytes
    rows: list[dict[str, Any]]
    total: dict[str, Any]
    stops: str | None
    documents: int


def official_score(
    gold: str,
    system: str,
    *,
    metric: str,
    method: str,
    align: Align,
    relaxed: bool,
    ordering_only: bool,
    budget: float | None,
    output: ScoreOutput,
) -> ExitCode:
    """Score two files or folders as the program of the shared task does, and print what it prints."""
    if align is Align.SPANS or (align is Align.TEMPEVAL3 and metric != "awareness"):
        raise UsageError(f"there are no official digits for metric {metric} with alignment {align.value}")
    if method not in METHODS or (method != "default" and metric != "awareness"):
        raise UsageError(f"metric {metric} has no official method {method!r}: choose {', '.join(METHODS)}")
    if (relaxed and metric != "tempeval1") or (ordering_only and metric != "timeline"):
        raise UsageError(f"there are no official digits for metric {metric} with this option")
    try:
        if metric == "awareness":
            printed = _awareness(gold, system, method, align, budget)
        elif metric == "timeline":
            printed = _timelines(gold, system, budget, ordering_only=ordering_only)
        elif metric == "tempeval1":
            printed = _tempeval1(gold, system, relaxed=relaxed)
        else:
            raise UsageError(f"metric {metric} has no official program: choose awareness, timeline or tempeval1")
    except BudgetExceeded as limit:
        complain(f"undecided: {limit}")
        return ExitCode.UNDECIDED
    choices = {"official": "yes", "engine": "timegraph" if metric != "tempeval1" else "none", "complete": "no"}
    choices |= {"method": method, "align": align.value, "scheme": "relaxed" if relaxed else "strict"}
    line = signature(metric, {**choices, "anchors": "no" if ordering_only else "yes", "average": "micro", "empty": "0"})
    _print(printed, metric, line, output)
    if printed.stops is None:
        return ExitCode.YES
    complain(f"note: on this input the original program ends with {printed.stops}")
    return ExitCode.UNDECIDED


def _print(printed: Printed, metric: str, line: str, output: ScoreOutput) -> None:
    if output.value == "json":
        for row in printed.rows:
            print_json(row)
        total = {"total": True, "metric": metric, **printed.total, "documents": printed.documents}
        print_json({**total, "skipped": [], "stops": printed.stops, "signature": line})
    elif output.value == "table":
        sys.stdout.flush()
        sys.stdout.buffer.write(printed.text)
        sys.stdout.buffer.flush()
        complain(line)
    else:
        raise UsageError("official digits are printed as the program prints them, or with --output json")


# --- the three programs ----------------------------------------------------------------------------------------------


def _awareness(gold: str, system: str, method: str, align: Align, budget: float | None) -> Printed:
    pairs = list(_file_pairs(gold, system))
    if align is Align.TEMPEVAL3:
        score = _normalised(pairs, method, budget)
    elif all(_is_xml(pair.gold) and (pair.system is None or _is_xml(pair.system)) for pair in pairs):
        score = score_documents([(pair.gold, pair.system) for pair in pairs], method, seconds=budget)
    else:
        names, links = _links_of(gold, system)
        pairs = [FilePair(name, b"", b"") for name in names]
        score = score_links(links, method, seconds=budget)
    for pair, document in zip(pairs, score.documents, strict=True):
        for remark in document.remarks:
            complain(f"{pair.name}: {remark.message}")
    rows = [
        {"document": pair.name, **_figures(document.counts)}
        for pair, document in zip(pairs, score.documents, strict=True)
    ]
    f1, precision, recall = score.total.digits()
    total = {**_figures(score.total), "digits": {"f1": f1, "precision": precision, "recall": recall}}
    return Printed(score.printed(), rows, total, score.stops, len(rows))


def _normalised(pairs: list[FilePair], method: str, budget: float | None) -> OfficialScore:
    """Scores after alignment and renumbering as in TempEval-3. What cannot be normalised counts as without links."""
    from temporacle.scoring.official.normalizer import normalize_pair

    contents: list[tuple[bytes, bytes | None]] = []
    for pair in pairs:
        if pair.system is None:
            contents.append((pair.gold, None))
            continue
        found = normalize_pair(pair.gold, pair.system, name=pair.name)
        for objection in found.objections:
            complain(f"{pair.name}: {objection}")
        contents.append(
            (b"" if found.gold is None else found.gold.content, None if found.system is None else found.system.content)
        )
    return score_documents(contents, method, seconds=budget)


def _timelines(gold: str, system: str, budget: float | None, *, ordering_only: bool) -> Printed:
    from temporacle.scoring.official.timelines import TimelineFile, score_timelines

    files = [TimelineFile(*pair) for pair in _file_pairs(gold, system)]
    score = score_timelines(files, ordering_only=ordering_only, seconds=budget)
    rows = [
        {
            "document": file.name,
            "outcome": file.outcome.value,
            **(_NOTHING if file.counts is None else _figures(file.counts)),
        }
        for file in score.files
    ]
    total = {
        "precision": score.precision / 100,
        "recall": score.recall / 100,
        "f1": score.f1 / 100,
        "counts": _counts(score.total),
    }
    return Printed(score.printed(system), rows, total, score.stops, len(rows))


def _tempeval1(gold: str, system: str, *, relaxed: bool) -> Printed:
    from temporacle.scoring.official.tempeval1 import Mode, score_file, score_folder

    mode = Mode.RELAXED if relaxed else Mode.STRICT
    pairs = [pair for pair in _file_pairs(gold, system) if pair.system is not None]
    contents = [(pair.system or b"", pair.gold) for pair in pairs]
    folder = os.path.isdir(gold)  # noqa: PTH112 - names are kept as typed
    score = score_folder(contents, mode) if folder else score_file(*contents[0], mode)
    rows = [{"document": pair.name, **_link_figures(counts)} for pair, counts in zip(pairs, score.files, strict=True)]
    return Printed(score.printed(system, gold), rows, _link_figures(score.total), None, len(rows))


def _figures(counts: Counts) -> dict[str, Any]:
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1, "counts": _counts(counts)}


def _counts(counts: Counts) -> dict[str, Any]:
    return {name: getattr(counts, name) for name in Counts.__slots__}


def _link_figures(counts: Any) -> dict[str, Any]:
    figures = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f_measure}
    return {**figures, "counts": {name: getattr(counts, name) for name in type(counts).__slots__}}


# --- files -----------------------------------------------------------------------------------------------------------


def _file_pairs(gold: str, system: str) -> Iterator[FilePair]:
    """Every file of the gold folder in the order of names, with the system's file of that name; or two files."""
    if os.path.isdir(gold) != os.path.isdir(system):  # noqa: PTH112 - names are kept as typed
        raise UsageError("official digits need two files or two folders")
    if not os.path.isdir(gold):  # noqa: PTH112
        yield FilePair(os.path.basename(gold), _content(gold), _content(system))  # noqa: PTH119
        return
    names = sorted(
        os.path.relpath(os.path.join(folder, name), gold)  # noqa: PTH118
        for folder, _, files in os.walk(gold)
        for name in files
        if _IGNORED not in name
    )
    if not names:
        raise UsageError(f"{gold}: no files")
    for name in names:
        answer = os.path.join(system, name)  # noqa: PTH118
        there = os.path.isfile(answer)  # noqa: PTH113
        yield FilePair(name, _content(os.path.join(gold, name)), _content(answer) if there else None)  # noqa: PTH118


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error


def _is_xml(content: bytes) -> bool:
    return not content.strip() or content.lstrip().startswith(b"<") or bool(read_links(content).links)


def _links_of(gold: str, system: str) -> tuple[list[str], list[tuple[Links, Links]]]:
    """The links of documents in other formats than TimeML, under their labels."""
    from temporacle.corpus import pair_up
    from temporacle.io import read_corpus
    from temporacle.model import Document

    folders = os.path.isdir(gold)  # noqa: PTH112
    pairing = pair_up(list(read_corpus(gold)), list(read_corpus(system)), folders=folders)
    names: list[str] = []
    links: list[tuple[Links, Links]] = []
    for key, answer in (*pairing.pairs, *((each, Document(each.id)) for each in pairing.gold_only)):
        if isinstance(key, Document) and isinstance(answer, Document):
            names.append(key.id)
            links.append((triples_of(key.links), triples_of(answer.links)))
        else:
            complain(f"skipped {key.id}: unreadable")
    if not links:
        raise UsageError("no document of the system answers a gold document: are these the right files?")
    return names, links
