"""Several systems against one gold standard: ranked, with confidence intervals and p-values.

Systems are compared on the documents that all of them have a score for. Where some have a score for more, their totals
here are those of the shared documents, and the signature says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from temporacle.errors import UsageError
from temporacle.figures import digits
from temporacle.frames import html_table, to_frame
from temporacle.model import Remark
from temporacle.runner import Plan
from temporacle.scoring.aggregation import Tally
from temporacle.scoring.comparison import Comparison
from temporacle.scoring.comparison import compare as compared
from temporacle.scoring.intervals import ScoreInterval, f1_interval
from temporacle.scoring.metrics import metric_named
from temporacle.tasks.observer import SILENT
from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores
from temporacle.tasks.score_request import reading_for, request_for, split_options, wants_list

if TYPE_CHECKING:
    from temporacle.results import Score
    from temporacle.runner.journal import Journal
    from temporacle.tasks.inputs import Inputs
    from temporacle.tasks.observer import Observer

SAMPLES, SEED = 1000, 0


@dataclass(frozen=True, slots=True, repr=False)
class RankedSystem:
    """One system among several."""

    rank: int
    name: str
    score: Score
    interval: ScoreInterval | None  # 95 % confidence interval of F1; None for fewer than two documents
    difference: Comparison | None  # the best system minus this one; None for the best, and for fewer than two documents

    def __repr__(self) -> str:
        return f"RankedSystem({self.rank}, {self.name!r}, F1 {digits(self.score.f1)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of its total."""
        row: dict[str, Any] = {"system": self.name, "rank": self.rank, **self.score.to_dict()}
        if self.interval is not None:
            row["f1_interval"] = [float(end) for end in self.interval]
        if self.difference is not None:
            row["best_minus_this"] = self.difference.to_dict()
        return row


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Sequence[RankedSystem]):
    """Systems, best F1 first."""

    systems: tuple[RankedSystem, ...]
    samples: int
    seed: int

    @overload
    def __getitem__(self, index: int) -> RankedSystem: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankedSystem]: ...
    def __getitem__(self, index: int | slice) -> RankedSystem | Sequence[RankedSystem]:
        return self.systems[index]

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        return f"Ranking({', '.join(f'{each.rank}. {each.name} {digits(each.score.f1)}' for each in self.systems)})"

    def to_dict(self) -> dict[str, Any]:
        return {"samples": self.samples, "seed": self.seed, "systems": [each.to_dict() for each in self.systems]}

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each system."""
        rows = [self._row(each) for each in self.systems]
        return to_frame(rows, list(rows[0]))

    def _repr_html_(self) -> str:
        rows = [self._row(each) for each in self.systems]
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in row.values()] for row in rows]
        return html_table(list(rows[0]), cells, caption=self.systems[0].score.signature)

    @property
    def title(self) -> str:
        """Return the metric that systems are ranked by, and its convention."""
        return self.systems[0].score.title

    def of(self, name: str) -> RankedSystem:
        """Return the system of that name."""
        return next(each for each in self.systems if each.name == name)

    def _row(self, system: RankedSystem) -> dict[str, Any]:
        score = system.score
        low, high = (None, None) if system.interval is None else map(float, system.interval)
        p_value = None if system.difference is None else float(system.difference.of("f1").p_value)
        return {
            "rank": system.rank,
            "system": system.name,
            "precision": float(score.precision),
            "recall": float(score.recall),
            "f1": float(score.f1),
            "f1_low": low,
            "f1_high": high,
            "p_value": p_value,
        }


@overload
def compare(
    gold: Inputs,
    systems: Mapping[str, Inputs] | Sequence[Inputs],
    *,
    metric: str = "awareness",
    convention: str | None = None,
    **options: Any,
) -> Ranking: ...
@overload
def compare(
    gold: Inputs,
    systems: Mapping[str, Inputs] | Sequence[Inputs],
    *,
    metric: str | Sequence[str],
    convention: str | Sequence[str] | None = None,
    **options: Any,
) -> list[Ranking]: ...
def compare(
    gold: Inputs,
    systems: Mapping[str, Inputs] | Sequence[Inputs],
    *,
    metric: str | Sequence[str] = "awareness",
    convention: str | Sequence[str] | None = None,
    average: str = "micro",
    align: str = "ids",
    empty: int = 0,
    details: bool = False,
    budget: float | None = None,
    jobs: int | None = None,
    samples: int = SAMPLES,
    seed: int = SEED,
    observer: Observer = SILENT,
    **options: Any,
) -> Ranking | list[Ranking]:
    """Score several systems and rank them by F1.

    ``systems`` is a dict from names to sources, or a list of paths. A list of metrics, or of conventions, gives a list
    of rankings. ``samples`` and ``seed`` belong to the bootstrap behind intervals and p-values. ``gold``, ``metric``,
    ``convention``, ``average``, ``align``, ``empty``, ``details``, ``budget``, ``jobs``, ``observer`` and the other
    keywords, such as ``during``, are those of ``score``.

    >>> gold = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
    >>> compare(gold, {"ours": gold, "baseline": gold[:1]})
    Ranking(1. ours 1.0000, 2. baseline 0.6667)
    """
    named = named_systems(systems)
    reading, chosen = split_options(options, gold, *named.values())
    if convention is not None:
        chosen["convention"] = convention
    metrics = [metric] if isinstance(metric, str) else list(metric)
    request = request_for(metrics, chosen, align=align, empty=empty, details=details, budget=budget)
    standard = GoldStandard(gold, reading_for(request, reading), request, average=average, observer=observer)
    rankings = rankings_of(standard, scored_systems(standard, named, Plan(jobs)), samples, seed)
    return rankings if wants_list(metric, convention) else rankings[0]


def named_systems(systems: Mapping[str, Inputs] | Sequence[Inputs]) -> dict[str, Inputs]:
    """Return systems by name. The name of a path is the path itself."""
    if isinstance(systems, str) or not isinstance(systems, Mapping | Sequence) or not systems:
        raise UsageError('systems must be a dict such as {"ours": "run1/", "baseline": "run2/"}, or a list of paths')
    if isinstance(systems, Mapping):
        return dict(systems)
    named = {each if isinstance(each, str) else f"system {number}": each for number, each in enumerate(systems, 1)}
    if len(named) < len(systems):
        raise UsageError("a system is named twice")
    return named


def scored_systems(
    gold: GoldStandard, systems: Mapping[str, Inputs], plan: Plan, journal: Journal | None = None
) -> dict[str, list[Score]]:
    """Return the totals of each system by each metric, with the scores of their documents."""
    return {
        name: all_scores(ScoreRun(gold, system, plan, journal=journal, part=str(number)))
        for number, (name, system) in enumerate(systems.items(), 1)
    }


def rankings_of(
    gold: GoldStandard, totals: Mapping[str, Sequence[Score]], samples: int = SAMPLES, seed: int = SEED
) -> list[Ranking]:
    """Return the ranking by each metric."""
    metrics = range(len(next(iter(totals.values()))))
    return [ranked(gold, {name: found[place] for name, found in totals.items()}, samples, seed) for place in metrics]


def ranked(gold: GoldStandard, totals: Mapping[str, Score], samples: int = SAMPLES, seed: int = SEED) -> Ranking:
    """Return systems by F1 on the documents for which all of them have a score; equal scores have equal ranks."""
    shared = on_shared_documents(gold, totals)
    order = sorted(shared, key=lambda name: (-shared[name].f1, name))
    best = shared[order[0]]
    entries = []
    for name in order:
        total = shared[name]
        rank = 1 + sum(other.f1 > total.f1 for other in shared.values())
        interval = f1_interval(
            total.documents, average=gold.average, empty=gold.request.empty, samples=samples, seed=seed
        )
        difference = None if total is best else difference_of(gold, best, total, samples, seed)
        entries.append(RankedSystem(rank, name, total, interval, difference))
    return Ranking(tuple(entries), samples, seed)


def difference_of(gold: GoldStandard, first: Score, second: Score, samples: int, seed: int) -> Comparison | None:
    """Return the first minus the second, with intervals and p-values; None for fewer than two documents."""
    if len(first.documents) < 2:
        return None
    return compared(
        first.documents,
        second.documents,
        average=gold.average,
        empty=gold.request.empty,
        samples=samples,
        seed=seed,
    )


def on_shared_documents(gold: GoldStandard, totals: Mapping[str, Score]) -> dict[str, Score]:
    """Return the totals over the documents that all systems have a score for."""
    scored = [{each.document for each in total.documents} for total in totals.values()]
    shared = set.intersection(*scored)
    everything = set.union(*scored)
    if not shared:
        raise UsageError("the systems have no scored document in common")
    if shared == everything:
        return dict(totals)
    left_out = sorted(name or "" for name in everything - shared)
    where = f"systems are compared on the {len(shared)} documents for which all of them have a score"
    gold.observer.warning(Remark("documents-left-out", f"{where}; left out: {', '.join(left_out)}"))
    return {name: _restricted(gold, total, shared, len(everything)) for name, total in totals.items()}


def _restricted(gold: GoldStandard, total: Score, names: set[str | None], of: int) -> Score:
    tally = Tally(metric_named(total.metric), gold.request.empty, gold.average)
    kept = tuple(each for each in total.documents if each.document in names)
    for each in kept:
        tally.add(each)
    return replace(
        tally.total(),
        convention=total.convention,
        documents=kept,
        skipped=total.skipped,
        warnings=total.warnings,
        signature=f"{total.signature}|shared:{len(kept)}/{of}",
    )
