"""``temporacle score --official``: what the programs of shared tasks print, byte for byte, and the same as JSON."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.runner.spread import spread
from temporacle.scoring.official.awareness import METHODS, Counts, score_file, summed
from temporacle.scoring.options import Align
from temporacle.signature import signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.commands.official_files import FilePair, LinkPair
    from temporacle.commands.score_rows import ScoreOutput
    from temporacle.runner.place import Place
    from temporacle.scoring.official.awareness import DocumentScore

    Row = dict[str, Any]

_NOTHING: dict[str, Any] = {"precision": None, "recall": None, "f1": None, "counts": {}}


@dataclass(frozen=True, slots=True)
class Printed:
    """What an emulated program prints, and the same as JSON."""

    text: bytes
    rows: Sequence[Row]
    total: Row
    stops: str | None = None  # the error with which the original ends on this input
    undecided: tuple[tuple[str, str], ...] = ()  # documents and reasons: then there is no total
    unread: tuple[tuple[str, str], ...] = ()  # documents and reasons: the total is that of the others
    whole: bool = True  # no link was dropped
    explained: Sequence[LinkPair] = ()  # what --explain-difference looks at


def official_score(
    gold: str,
    system: str,
    *,
    metric: str,
    method: str,
    align: Align,
    relaxed: bool,
    ordering_only: bool,
    explain_difference: bool,
    budget: float | None,
    output: ScoreOutput,
    place: Place,
) -> ExitCode:
    """Score two files or folders as the program of the shared task does, and print what it prints."""
    if align is Align.SPANS or (align is Align.TEMPEVAL3 and metric != "awareness"):
        raise UsageError(f"there are no official digits for metric {metric} with alignment {align.value}")
    if method != "default" and metric != "awareness":
        raise UsageError(f"the official program for metric {metric} has one method only: leave out --method")
    if method not in METHODS:
        raise UsageError(f"metric {metric} has no official method {method!r}: choose {', '.join(METHODS)}")
    if (relaxed and metric != "tempeval1") or (ordering_only and metric != "timeline"):
        option = "--relaxed" if relaxed and metric != "tempeval1" else "--ordering-only"
        raise UsageError(f"there are no official digits for metric {metric} with {option}")
    if explain_difference and metric == "tempeval1":
        raise UsageError("the TempEval-1 program draws no inferences: there is no exact verdict to differ from")
    if output.value not in {"json", "table"}:
        raise UsageError("official digits are printed as the program prints them, or with --output json")
    try:
        if metric == "awareness":
            printed = _awareness(gold, system, _Task(method, align, budget), place)
        elif metric == "timeline":
            printed = _timelines(gold, system, budget, ordering_only=ordering_only)
        elif metric == "tempeval1":
            printed = _tempeval1(gold, system, relaxed=relaxed)
        else:
            raise UsageError(f"metric {metric} has no official program: choose awareness, timeline or tempeval1")
    except BudgetExceeded as limit:
        complain(f"undecided: {limit}; allow more time with --budget")
        return ExitCode.UNDECIDED
    choices = {"official": "yes", "engine": "timegraph" if metric != "tempeval1" else "none", "complete": "no"}
    choices |= {"method": method, "align": align.value, "scheme": "relaxed" if relaxed else "strict"}
    line = signature(metric, {**choices, "anchors": "no" if ordering_only else "yes", "average": "micro", "empty": "0"})
    for name, reason in printed.unread:
        complain(f"skipped {name}: {reason}")
    for name, reason in printed.undecided:
        complain(f"undecided: {name}: {reason}; allow more time with --budget")
    as_json = output.value == "json"
    told_all = True
    if not as_json and not printed.undecided:
        sys.stdout.flush()
        sys.stdout.buffer.write(printed.text)
        sys.stdout.buffer.flush()
    if explain_difference:
        from temporacle.commands.score_difference import Comparer, tell_differences

        complete = not printed.undecided
        told = tell_differences(printed.explained, Comparer(method, budget, as_json), place, complete=complete)
        told_all = told.complete
        printed = replace(printed, rows=told.beside(printed.rows), total={**printed.total, **told.total})
    if as_json:
        _print_json(printed, metric, line)
    else:
        complain(line)
    if printed.stops is not None:
        complain(f"note: on this input the original program ends with {printed.stops}")
    complete = printed.whole and not printed.unread and not printed.undecided
    return ExitCode.YES if complete and told_all and printed.stops is None else ExitCode.UNDECIDED


def _print_json(printed: Printed, metric: str, line: str) -> None:
    for row in printed.rows:
        print_json(row)
    total = {"total": True, "metric": metric, **printed.total, "documents": len(printed.rows)}
    skipped = [{"document": name, "reason": reason} for name, reason in (*printed.unread, *printed.undecided)]
    print_json({**total, "skipped": skipped, "stops": printed.stops, "signature": line})


# --- the three programs ----------------------------------------------------------------------------------------------


def _awareness(gold: str, system: str, task: _Task, place: Place) -> Printed:
    from temporacle.commands.official_files import questions

    scored: list[_Scored] = []
    undecided: list[tuple[str, str]] = []
    asked = questions(gold, system, task.align)
    for pair, found in spread(task.score, asked.pairs, place, failed=_not_scored):
        if isinstance(found, str):
            undecided.append((pair.name, found))
            continue
        for message in found.complaints:
            complain(message)
        scored.append(found)
    rows = [{"document": each.links.name, **figures(each.document.counts)} for each in scored]
    score = summed(task.method, [each.document for each in scored])
    explained = [each.links for each in scored]
    rest = Printed(b"", rows, _NOTHING, score.stops, tuple(undecided), asked.unread, asked.whole, explained)
    if undecided:
        return rest
    f1, precision, recall = score.total.digits()
    total = {**figures(score.total), "digits": {"f1": f1, "precision": precision, "recall": recall}}
    return replace(rest, text=score.printed(), total=total)


class _Scored(NamedTuple):
    """A document, and what is to be said about it."""

    links: LinkPair
    document: DocumentScore
    complaints: tuple[str, ...]


class _Task(NamedTuple):
    """What to do with every pair of files, in this process or another."""

    method: str
    align: Align
    budget: float | None

    def score(self, pair: FilePair | LinkPair) -> _Scored | str:
        """The score; or why there is none."""
        from temporacle.commands.official_files import prepared

        links, complaints = prepared(pair, self.align)
        try:
            document = score_file(links.gold, links.system, self.method, seconds=self.budget)
        except BudgetExceeded as limit:
            return str(limit)
        remarks = (f"{pair.name}: {remark.message}" for remark in document.remarks)
        return _Scored(links, replace(document, stops=links.stops or document.stops), (*complaints, *remarks))


def _not_scored(_pair: object, reason: str) -> str:
    return reason


def _timelines(gold: str, system: str, budget: float | None, *, ordering_only: bool) -> Printed:
    from temporacle.commands.official_files import LinkPair, listed_pairs
    from temporacle.scoring.official.timelines import Outcome, TimelineFile, score_timelines
    from temporacle.scoring.official.tlinks import numbered

    pairs, stops = listed_pairs(gold, system)
    score = score_timelines([TimelineFile(*pair) for pair in pairs], ordering_only=ordering_only, seconds=budget)
    for file in score.files:
        if file.reason is not None:
            complain(f"{file.name}: {file.outcome.value}: {file.reason}")
    rows = [
        {
            "document": file.name,
            "outcome": file.outcome.value,
            **(_NOTHING if file.counts is None else figures(file.counts)),
        }
        for file in score.files
    ]
    total = {
        "precision": score.precision / 100,
        "recall": score.recall / 100,
        "f1": score.f1 / 100,
        "counts": counts_row(score.total),
    }
    explained = [
        LinkPair(file.name, numbered(file.links.gold), numbered(file.links.system))
        for file in score.files
        if file.outcome is Outcome.SCORED and file.links is not None
    ]
    return Printed(score.printed(system), rows, total, stops or score.stops, explained=explained)


def _tempeval1(gold: str, system: str, *, relaxed: bool) -> Printed:
    from temporacle.commands.official_files import answered_pairs
    from temporacle.scoring.official.tempeval1 import Mode, score_file, score_folder

    mode = Mode.RELAXED if relaxed else Mode.STRICT
    pairs = answered_pairs(gold, system)
    contents = [(pair.response, pair.key) for pair in pairs]
    folder = os.path.isdir(gold)  # noqa: PTH112 - names are kept as typed
    score = score_folder(contents, mode) if folder else score_file(contents[0][0], contents[0][1] or b"", mode)
    for pair in pairs:
        if pair.key is None:
            complain(f"{pair.name}: no key file of this name; its links count as candidate links only")
    rows = [{"document": pair.name, **_link_figures(counts)} for pair, counts in zip(pairs, score.files, strict=True)]
    return Printed(score.printed(system, gold), rows, _link_figures(score.total), score.stops)


def figures(counts: Counts) -> Row:
    """Counts, and what is derived from them."""
    return {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1, "counts": counts_row(counts)}


def counts_row(counts: Counts) -> Row:
    return {name: getattr(counts, name) for name in Counts.__slots__}


def _link_figures(counts: Any) -> Row:
    derived = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f_measure}
    return {**derived, "counts": {name: getattr(counts, name) for name in type(counts).__slots__}}
