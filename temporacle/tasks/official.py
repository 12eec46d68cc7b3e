"""The output of the programs of shared tasks, byte for byte, and the same as values."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import BudgetExceeded, UsageError
from temporacle.figures import digits
from temporacle.runner import Plan, work
from temporacle.scoring.metric import one_of
from temporacle.scoring.official.programs import PROGRAMS as CLINICAL
from temporacle.scoring.official.tempeval3.scores import METHODS, DocumentScore, score_file, summed
from temporacle.scoring.options import Align
from temporacle.signature import signature
from temporacle.tasks.official_differences import Differences, explained
from temporacle.tasks.official_files import (
    FilePair,
    LinkPair,
    answered_pairs,
    listed_pairs,
    prepared,
    questions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.model import Remark
    from temporacle.scoring.official.pairs.rules import ProgramFault

    Row = dict[str, Any]

_NOTHING: dict[str, Any] = {"precision": None, "recall": None, "f1": None, "counts": {}}
PROGRAMS = ("awareness", "timeline", "tempeval1")  # metrics with an official program
_OTHERS = ("pairs", *CLINICAL)  # they have files and options of their own


@dataclass(frozen=True, slots=True, repr=False)
class OfficialScore:
    """The output of an emulated program, and the same as rows."""

    metric: str
    signature: str
    text: bytes
    documents: Sequence[Row]
    total: Row
    stops: str | None = None  # the error with which the original ends on this input
    undecided: tuple[tuple[str, str], ...] = ()  # documents and reasons: then there is no total
    unread: tuple[tuple[str, str], ...] = ()  # documents and reasons: the total is that of the others
    dropped: tuple[tuple[str | None, Remark], ...] = ()  # links that could not be used, with their files
    notes: tuple[str, ...] = ()
    compared: Sequence[LinkPair] = field(default=(), compare=False)  # what differences are looked for in
    differences: Differences | None = None  # where they were asked for
    faults: tuple[ProgramFault, ...] | None = (
        None  # measures that differ, for programs without a comparison link by link
    )

    def __repr__(self) -> str:
        f1 = self.total["f1"]
        of = f"{len(self.documents)} document{'s' * (len(self.documents) != 1)}"
        return f"OfficialScore({self.metric} of {of}: F1 {'none' if f1 is None else digits(f1)})"

    @property
    def complete(self) -> bool:
        """Return whether everything was read, decided and scored, and the original would not end with an error."""
        explained_all = self.differences is None or self.differences.complete
        return not (self.dropped or self.unread or self.undecided or self.stops) and explained_all

    def to_dict(self) -> Row:
        """Return the JSON object of the total."""
        total = self.total if self.differences is None else {**self.total, **self.differences.total}
        if self.faults is not None:
            total = {**total, "differences": [fault.to_dict() for fault in self.faults]}
        skipped = [{"document": name, "reason": reason} for name, reason in (*self.unread, *self.undecided)]
        return {
            "total": True,
            "metric": self.metric,
            **total,
            "documents": len(self.documents),
            "skipped": skipped,
            "stops": self.stops,
            "signature": self.signature,
        }

    def rows(self) -> list[Row]:
        """Return the JSON objects of the documents."""
        return list(self.documents) if self.differences is None else self.differences.beside(self.documents)


class _Printed(NamedTuple):
    """The output of one program for its input."""

    text: bytes
    rows: Sequence[Row]
    total: Row
    stops: str | None = None
    undecided: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    dropped: tuple[tuple[str | None, Remark], ...] = ()
    notes: tuple[str, ...] = ()
    compared: Sequence[LinkPair] = ()


def official_score(
    gold: str,
    system: str,
    *,
    metric: str = "awareness",
    method: str = "default",
    align: str = "ids",
    relaxed: bool = False,
    ordering_only: bool = False,
    explain_difference: bool = False,
    budget: float | None = None,
    plan: Plan = Plan(),  # noqa: B008 - an immutable value
) -> OfficialScore:
    """Score two files or folders as the program of the shared task does. BudgetExceeded where nothing was decided."""
    chosen_align: Align = one_of(Align, align, "align")
    _refuse(metric, method, chosen_align, relaxed=relaxed, ordering_only=ordering_only, explains=explain_difference)
    if metric == "awareness":
        printed = _awareness(gold, system, OfficialJob(method, chosen_align, budget), plan)
    elif metric == "timeline":
        printed = _timelines(gold, system, budget, ordering_only=ordering_only)
    else:
        printed = _tempeval1(gold, system, relaxed=relaxed)
    choices = {
        "official": "yes",
        "engine": "timegraph" if metric != "tempeval1" else "none",
        "complete": "no",
        "method": method,
        "align": chosen_align.value,
        "scheme": "relaxed" if relaxed else "strict",
        "anchors": "no" if ordering_only else "yes",
        "average": "micro",
        "empty": "0",
    }
    score = OfficialScore(metric, signature(metric, choices), *printed)
    if not explain_difference:
        return score
    differences = Differences(complete=not printed.undecided)
    for found in explained(printed.compared, method, budget, plan):
        differences.add(found)
    return replace(score, differences=differences)


def _refuse(metric: str, method: str, align: Align, *, relaxed: bool, ordering_only: bool, explains: bool) -> None:
    """Refuse what the official programs do not have."""
    if metric not in PROGRAMS:
        raise UsageError(f"metric {metric} has no official program: choose {', '.join((*PROGRAMS, *_OTHERS))}")
    if align is Align.SPANS or (align is Align.TEMPEVAL3 and metric != "awareness"):
        raise UsageError(f"the official program for metric {metric} does not support align={align.value}")
    if method not in METHODS:
        raise UsageError(f"metric {metric} has no official method {method!r}: choose {', '.join(METHODS)}")
    if method != "default" and metric != "awareness":
        raise UsageError(f"the official program for metric {metric} has one method only: leave out method")
    if (relaxed and metric != "tempeval1") or (ordering_only and metric != "timeline"):
        option = "relaxed" if relaxed and metric != "tempeval1" else "ordering_only"
        raise UsageError(f"the official program for metric {metric} does not support {option}")
    if explains and metric == "tempeval1":
        raise UsageError("TempEval-1 makes no inferences, so there is no difference to explain")


# --- the three programs ----------------------------------------------------------------------------------------------


class OfficialDocument(NamedTuple):
    """The score of a document, or why there is none; and what is to be said about it."""

    name: str
    links: LinkPair | None = None
    score: DocumentScore | None = None
    notes: tuple[str, ...] = ()
    reason: str | None = None


class OfficialJob(NamedTuple):
    """Scores pairs of files as the TempEval-3 program does: a job for the runner."""

    method: str
    align: Align
    budget: float | None

    def results(self, item: FilePair | LinkPair, skip: int, tell: Callable[[str], None]) -> Iterator[OfficialDocument]:
        if not skip:
            tell(item.name)
            yield self._scored(item)

    def failed(self, item: FilePair | LinkPair, name: str | None, reason: str) -> OfficialDocument:  # noqa: ARG002
        return OfficialDocument(item.name, reason=reason)

    def _scored(self, pair: FilePair | LinkPair) -> OfficialDocument:
        links, complaints = prepared(pair, self.align)
        try:
            document = score_file(links.gold, links.system, self.method, seconds=self.budget)
        except BudgetExceeded as limit:
            return OfficialDocument(pair.name, reason=str(limit))
        remarks = (f"{pair.name}: {remark.message}" for remark in document.remarks)
        stopped = replace(document, stops=links.stops or document.stops)
        return OfficialDocument(pair.name, links, stopped, (*complaints, *remarks))


def _awareness(gold: str, system: str, job: OfficialJob, plan: Plan) -> _Printed:
    asked = questions(gold, system, job.align)
    found = [each for _, results in work(asked.pairs, job, plan) for each in results]
    undecided = tuple((each.name, each.reason) for each in found if each.reason is not None)
    scored = [(each.name, each.score) for each in found if each.score is not None]
    rows = [{"document": name, **score.counts.to_dict()} for name, score in scored]
    total = summed(job.method, [score for _, score in scored])
    rest = _Printed(
        b"",
        rows,
        _NOTHING,
        total.stops,
        undecided,
        asked.unread,
        asked.dropped,
        (*asked.notes, *(note for each in found for note in each.notes)),
        [each.links for each in found if each.links is not None],
    )
    if undecided:
        return rest
    f1, precision, recall = total.total.digits()
    figures = {**total.total.to_dict(), "digits": {"f1": f1, "precision": precision, "recall": recall}}
    return rest._replace(text=total.printed(), total=figures)


def _timelines(gold: str, system: str, budget: float | None, *, ordering_only: bool) -> _Printed:
    from temporacle.scoring.official.tempeval3.tlinks import numbered
    from temporacle.scoring.official.timelines import FileOutcome, TimelineFile, score_timelines

    pairs, stops = listed_pairs(gold, system)
    score = score_timelines([TimelineFile(*pair) for pair in pairs], ordering_only=ordering_only, seconds=budget)
    notes = tuple(
        f"{file.name}: {file.outcome.value}: {file.reason}" for file in score.files if file.reason is not None
    )
    rows = [
        {
            "document": file.name,
            "outcome": file.outcome.value,
            **(_NOTHING if file.counts is None else file.counts.to_dict()),
        }
        for file in score.files
    ]
    total = {
        "precision": score.precision / 100,
        "recall": score.recall / 100,
        "f1": score.f1 / 100,
        "counts": score.total.to_dict()["counts"],
    }
    compared = [
        LinkPair(file.name, numbered(file.links.gold), numbered(file.links.system))
        for file in score.files
        if file.outcome is FileOutcome.SCORED and file.links is not None
    ]
    return _Printed(score.printed(system), rows, total, stops or score.stops, notes=notes, compared=compared)


def _tempeval1(gold: str, system: str, *, relaxed: bool) -> _Printed:
    from temporacle.scoring.official.tempeval1 import Mode, score_file, score_folder

    mode = Mode.RELAXED if relaxed else Mode.STRICT
    pairs = answered_pairs(gold, system)
    contents = [(pair.response, pair.key) for pair in pairs]
    folder = os.path.isdir(gold)  # noqa: PTH112 - names are kept as typed
    score = score_folder(contents, mode) if folder else score_file(contents[0][0], contents[0][1] or b"", mode)
    notes = tuple(
        f"{pair.name}: no key file of this name; its links count as candidate links only"
        for pair in pairs
        if pair.key is None
    )
    rows = [{"document": pair.name, **_link_figures(counts)} for pair, counts in zip(pairs, score.files, strict=True)]
    return _Printed(score.printed(system, gold), rows, _link_figures(score.total), score.stops, notes=notes)


def _link_figures(counts: Any) -> Row:
    derived = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f_measure}
    return {**derived, "counts": {name: getattr(counts, name) for name in type(counts).__slots__}}
