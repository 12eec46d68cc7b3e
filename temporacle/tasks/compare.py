"""Several systems against one gold standard: ranked, with confidence intervals and p-values.

Systems are compared on the documents that all of them have a score for. Where some have a score for more, their totals
here are those of the shared documents, and the signature says so. A system may have several runs (seeds): its figures
are the means of their figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import sqrt
from operator import add
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, overload

from temporacle.corpus.observer import SILENT, Observer
from temporacle.declared import About, refuse_a_second_reading, whole_task_with
from temporacle.errors import UsageError, unknown, without_extra
from temporacle.frames import digits, html_table, to_frame
from temporacle.model import Remark, skipped_words
from temporacle.results import InOrder, skipped_sides, warned_words
from temporacle.scoring.metric import metric_named, signature_of_all
from temporacle.scoring.significance import (
    INTERVALS,
    LEVEL,
    MEASURES,
    RESAMPLES,
    SEED,
    Estimate,
    ScoreInterval,
    SystemComparison,
    estimates,
    holm,
)
from temporacle.scoring.significance import compare as compared
from temporacle.scoring.tally import Tally
from temporacle.tasks.score import GoldStandard, ScoreRun, all_scores
from temporacle.tasks.score_answers import runs_of
from temporacle.tasks.score_request import Gold, ScoringOptions, own_metric_parameters, scoring_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.corpus.inputs import Inputs
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal


@dataclass(frozen=True, slots=True, repr=False)
class RankedSystem:
    """One system among several."""

    rank: int
    name: str
    score: Score  # of the only run, or the means of all
    estimates: tuple[Estimate, ...]  # precision, recall and F1 with their intervals
    difference: SystemComparison | None  # to the best system or the baseline; None for that system itself
    against: str = ""  # that system
    runs: tuple[Score, ...] = ()

    def __repr__(self) -> str:
        skipped = skipped_words(self.skipped_links["system"])
        return f"RankedSystem({self.rank}, {self.name!r}, F1 {digits(self.score.f1)}{skipped})"

    @property
    def skipped_links(self) -> dict[str, dict[str, int]]:
        """Return how many links could not be used, by side and code: those of the gold standard, and of all runs."""
        runs = self.runs or (self.score,)
        system = sum((Counter(each.skipped_links["system"]) for each in runs), Counter[str]())
        return {"gold": dict(runs[0].skipped_links["gold"]), "system": dict(system)}

    @property
    def interval(self) -> ScoreInterval | None:
        """Return the 95 % confidence interval of F1; None where there is none, for the ``reason`` of its estimate."""
        return self.of("f1").interval

    @property
    def spread(self) -> float | None:
        """Return the standard deviation of F1 between runs; None for one run."""
        values = [each.f1 for each in self.runs]
        if len(values) < 2:
            return None
        mean = sum(values) / len(values)
        return sqrt(sum((each - mean) ** 2 for each in values) / (len(values) - 1))

    def of(self, measure: str) -> Estimate:
        """Return precision, recall or f1 with its interval."""
        return next(each for each in self.estimates if each.measure == measure)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of its total."""
        row: dict[str, Any] = {"system": self.name, "rank": self.rank, **self.score.to_dict()}
        row["skipped_links"] = self.skipped_links
        if self.interval is not None:
            row["f1_interval"] = list(self.interval)
        row["intervals"] = {each.measure: each.to_dict() for each in self.estimates}
        if len(self.runs) > 1:
            row["runs"] = [each.figures() for each in self.runs]
            row["f1_deviation_of_runs"] = self.spread
        if self.difference is not None:
            row["against"] = self.against
            is_best = not self.difference.family.startswith("baseline")
            row["best_minus_this" if is_best else "this_minus_baseline"] = self.difference.to_dict()
        return row

    def row(self) -> dict[str, Any]:
        """Return the cells of a table."""
        ends = {f"{each.measure}_{end}": getattr(each, end) for each in self.estimates for end in ("low", "high")}
        f1 = None if self.difference is None else self.difference.of("f1")
        return {
            "rank": self.rank,
            "system": self.name,
            **{measure: float(getattr(self.score, measure)) for measure in MEASURES},
            **ends,
            "p_value": None if f1 is None or f1.p_value is None else float(f1.p_value),
            "p_adjusted": None if f1 is None or f1.p_adjusted is None else float(f1.p_adjusted),
            **({"runs": len(self.runs), "f1_deviation": self.spread} if len(self.runs) > 1 else {}),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(InOrder[RankedSystem]):
    """Systems, best F1 first."""

    holds: ClassVar[str] = "systems"

    systems: tuple[RankedSystem, ...]
    resamples: int
    seed: int
    signature: str = ""
    notes: tuple[str, ...] = ()  # what must be known about the intervals and p-values

    def __repr__(self) -> str:
        shown = ", ".join(f"{each.rank}. {each.name} {digits(each.score.f1)}" for each in self.systems)
        return f"Ranking({shown}{skipped_sides(self.skipped_links)}{warned_words(self.warnings)})"

    @property
    def skipped_links(self) -> dict[str, dict[str, int]]:
        """Return how many links of the gold standard and of each system could not be used, by code."""
        gold = self.systems[0].skipped_links["gold"] if self.systems else {}
        return {"gold": gold} | {each.name: each.skipped_links["system"] for each in self.systems}

    @property
    def warnings(self) -> tuple[Remark, ...]:
        """Return the warnings about all systems."""
        return tuple(dict.fromkeys(remark for each in self.systems for run in each.runs for remark in run.warnings))

    def to_dict(self) -> dict[str, Any]:
        """Return what ``--output json`` prints."""
        return {
            "signature": self.signature,
            "resamples": self.resamples,
            "seed": self.seed,
            "notes": list(self.notes),
            "systems": [each.to_dict() for each in self.systems],
        }

    def to_frame(self) -> Any:
        """Return a pandas frame with one row for each system."""
        columns, rows = self._table()
        return to_frame(rows, columns)

    def _repr_html_(self) -> str:
        every, rows = self._table()
        columns = [name for name in every if any(row.get(name) is not None for row in rows)]
        cells = [[digits(cell) if isinstance(cell, float) else cell for cell in map(row.get, columns)] for row in rows]
        return html_table(columns, cells, caption=" \u00b7 ".join((repr(self), *self.notes, self.signature)))

    def plot(self, measure: str = "f1") -> Any:
        """Return a matplotlib figure: precision, recall or f1 of each system, with its interval where there is one.

        ``ranking.plot().savefig("figure.pdf")`` writes it. Raise UsageError if matplotlib is not installed.
        """
        if measure not in MEASURES:
            raise unknown("figure", measure, MEASURES)
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise without_extra("plot()", "figures") from error
        figure = Figure(figsize=(5.6, 0.8 + 0.4 * len(self)), layout="constrained")
        axes = figure.add_subplot()
        for place, system in enumerate(reversed(self.systems)):
            value, interval = float(getattr(system.score, measure)), system.of(measure).interval
            if interval is not None:
                axes.plot([float(end) for end in interval], [place, place], color="#1f5fa8", linewidth=2)
            axes.plot([value], [place], "o", color="#1f5fa8")
        axes.set_yticks(range(len(self)), [each.name for each in reversed(self.systems)])
        axes.set_ylim(-0.6, len(self) - 0.4)
        axes.set_xlabel(f"{'F1' if measure == 'f1' else measure}, with 95 % confidence interval")
        axes.grid(axis="x", alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        return figure

    def _table(self) -> tuple[list[str], list[dict[str, Any]]]:
        rows = [each.row() for each in self.systems]
        return list(dict.fromkeys(name for row in rows for name in row)), rows

    @property
    def title(self) -> str:
        """Return the metric that systems are ranked by, and its convention."""
        return self.systems[0].score.title

    def of(self, name: str) -> RankedSystem:
        """Return the system of that name."""
        return next(each for each in self.systems if each.name == name)


@overload
def compare(
    gold: Inputs, systems: Mapping[str, Inputs] | Sequence[Inputs], *, metric: str = "awareness", **options: Any
) -> Ranking: ...
@overload
def compare(
    gold: Inputs, systems: Mapping[str, Inputs] | Sequence[Inputs], *, metric: Sequence[str], **options: Any
) -> list[Ranking]: ...
@whole_task_with(own_metric_parameters)
def compare(
    gold: Gold,
    systems: Annotated[Mapping[str, Inputs] | Sequence[Inputs], About("Systems by name, or a list of paths.")],
    *,
    details: Annotated[
        bool, About("Also count by label and by kind of pair, and keep every pair.", only_python=True)
    ] = False,
    baseline: Annotated[str | None, About("Compare all others with this system.", value="NAME")] = None,
    resamples: Annotated[
        int, About("Number of random swaps, if over 20 documents differ.", value="N", least=1)
    ] = RESAMPLES,
    seed: Annotated[int, About("Seed of random swaps.", value="N", least=0)] = SEED,
    observer: Observer = SILENT,
    **shared: Annotated[Any, ScoringOptions],
) -> Ranking | list[Ranking]:
    """Score several systems and rank them by F1.

    A system is one run, or several: ``Runs(...)``, or a list of complete corpora (frames, lists of documents, lists of
    statements). A list of metrics, or of conventions, gives a list of rankings. Without ``baseline``, systems are
    compared with the best, and p is adjusted for all pairs. The last keywords are options of metrics, which they name.

    Args:
        observer: Gets warnings and progress.

    Returns:
        The systems in the order of F1, with confidence intervals and p-values.

    Raises:
        UsageError: A system does not fit gold; the message says what to do.

    Examples:
        >>> gold = [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]
        >>> compare(gold, {"ours": list(gold), "baseline": gold[:1]})
        Ranking(1. ours 1.0000, 2. baseline 0.6667)
    """
    named = named_systems(systems)
    require_baseline(baseline, named)
    runs = [run for each in named.values() for run in each]
    refuse_a_second_reading([gold, *runs])
    scoring = scoring_of(gold, runs, shared, details=details)
    standard = GoldStandard(gold, scoring, observer=observer)
    journal = scoring.journal(observer, list(named))
    with nullcontext() if journal is None else closing(journal):
        scored = scored_systems(standard, named, scoring.going.plan, journal)
    rankings = rankings_of(standard, scored, baseline=baseline, resamples=resamples, seed=seed)
    return rankings if scoring.is_list else rankings[0]


def named_systems(systems: Mapping[str, Inputs] | Sequence[Inputs]) -> dict[str, list[Inputs]]:
    """Return the runs of systems by name. The name of a path is the path itself."""
    if isinstance(systems, str) or not isinstance(systems, Mapping | Sequence) or not systems:
        raise UsageError('systems must be a dict such as {"ours": "run1/", "baseline": "run2/"}, or a list of paths')
    if isinstance(systems, Mapping):
        return {name: runs_of(each) for name, each in systems.items()}
    named = {
        each if isinstance(each, str) else f"system {number}": runs_of(each) for number, each in enumerate(systems, 1)
    }
    if len(named) < len(systems):
        raise UsageError("a system is named twice")
    return named


def require_baseline(baseline: str | None, names: Iterable[str]) -> None:
    """Raise UsageError for a baseline that is none of the systems."""
    names = list(names)
    if baseline is not None and baseline not in names:
        raise UsageError(f"baseline is {baseline!r}; it must be the name of a system: {', '.join(names)}")


def scored_systems(
    gold: GoldStandard, systems: Mapping[str, Sequence[Inputs]], plan: Plan, journal: Journal | None = None
) -> dict[str, list[list[Score]]]:
    """Return the totals of each run of each system by each metric, with the scores of their documents."""
    return {
        name: [
            all_scores(ScoreRun(gold, run, plan, journal=journal, part=f"{number}.{place}" if place else str(number)))
            for place, run in enumerate(runs)
        ]
        for number, (name, runs) in enumerate(systems.items(), 1)
    }


def rankings_of(
    gold: GoldStandard,
    totals: Mapping[str, Sequence[Sequence[Score]]],
    *,
    baseline: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Ranking]:
    """Return the ranking by each metric."""
    metrics = range(len(next(iter(totals.values()))[0]))
    by_metric = ({name: [run[place] for run in runs] for name, runs in totals.items()} for place in metrics)
    return [ranked(gold, each, baseline=baseline, resamples=resamples, seed=seed) for each in by_metric]


def ranked(
    gold: GoldStandard,
    totals: Mapping[str, Sequence[Score]],
    *,
    baseline: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Ranking:
    """Return systems by F1 on the documents for which all of them have a score; equal scores have equal ranks."""
    shared = on_shared_documents(gold, totals)
    chosen: dict[str, Any] = {"average": gold.average, "empty": gold.request.empty}
    scores = {name: _mean_of(runs) for name, runs in shared.items()}
    order = sorted(shared, key=lambda name: (-scores[name].f1, name))
    against = order[0] if baseline is None else baseline
    documents = {name: [run.documents for run in runs] for name, runs in shared.items()}

    def difference(first: str, second: str, measures: Sequence[str] = MEASURES) -> SystemComparison:
        return compared(
            documents[first], documents[second], resamples=resamples, seed=seed, measures=measures, **chosen
        )

    others = [name for name in order if name != against]
    pairs = {name: (name, against) if baseline is not None else (against, name) for name in others}
    found = {name: difference(*pair) for name, pair in pairs.items()}
    family = "all-pairs/holm" if baseline is None else f"baseline={baseline}/holm"
    rest = [] if baseline is not None else list(combinations(others, 2))
    tested = [*found.values(), *(difference(*pair, ("f1",)) for pair in rest)]
    p_values = [each.of("f1").p_value for each in tested]
    adjusted = holm([Fraction(1) if each is None else each for each in p_values])
    found = {
        name: each.in_family(family, len(tested), p) for (name, each), p in zip(found.items(), adjusted, strict=False)
    }
    entries = tuple(
        RankedSystem(
            1 + sum(other.f1 > scores[name].f1 for other in scores.values()),
            name,
            scores[name],
            estimates(documents[name], **chosen),
            found.get(name),
            against if name in found else "",
            tuple(shared[name]),
        )
        for name in order
    )
    methods = "+".join(sorted({each.method for each in found.values()}))
    parts = {
        "interval": INTERVALS,
        "level": str(LEVEL),
        **({"p": methods, "family": family} if found else {}),
        **_signed_runs([len(runs) for runs in totals.values()]),
    }
    signature = "|".join(
        (
            signature_of_all([each.score.signature for each in entries]),
            *(f"{name}:{value}" for name, value in parts.items()),
        )
    )
    return Ranking(entries, resamples, seed, signature, _notes(entries))


def _signed_runs(numbers: Sequence[int]) -> dict[str, str]:
    return {"runs": ",".join(map(str, numbers))} if max(numbers) > 1 else {}


def _notes(systems: Sequence[RankedSystem]) -> tuple[str, ...]:
    """Return what must be known about intervals and p-values, each sentence once with the systems it is about."""
    found: dict[str, list[str]] = {}
    for each in systems:
        compared_with = each.difference
        reasons = [each.of("f1").reason]
        if compared_with is not None:
            reasons += [compared_with.of("f1").reason, *compared_with.notes()]
        if len(each.runs) == 1 and any(len(other.runs) > 1 for other in systems):
            reasons.append("one run: how much its runs vary is not known")
        for reason in dict.fromkeys(filter(None, reasons)):
            found.setdefault(reason, []).append(each.name)
    return tuple(f"{', '.join(names)}: {reason}" for reason, names in found.items())


def _mean_of(runs: Sequence[Score]) -> Score:
    """Return the only score, or one with the mean figures of several runs and the sums of their counts."""
    if len(runs) == 1:
        return runs[0]

    def mean(values: Iterable[Fraction]) -> Fraction:
        return sum(values, Fraction()) / len(runs)

    return replace(
        runs[0],
        counts=reduce(add, (each.counts for each in runs)),
        precision=mean(each.precision for each in runs),
        recall=mean(each.recall for each in runs),
        f1=mean(each.f1 for each in runs),
        beside={name: mean(each.beside[name] for each in runs) for name in runs[0].beside},
        derived={},
        documents=(),
        skipped=tuple(dict.fromkeys(skipped for each in runs for skipped in each.skipped)),
        warnings=tuple(dict.fromkeys(remark for each in runs for remark in each.warnings)),
        breakdown={},
        confused={},
        labels=(),
    )


def on_shared_documents(gold: GoldStandard, totals: Mapping[str, Sequence[Score]]) -> dict[str, list[Score]]:
    """Return the totals of all runs over the documents that all of them have a score for."""
    scored = [{each.document for each in total.documents} for runs in totals.values() for total in runs]
    shared = set.intersection(*scored)
    everything = set.union(*scored)
    if not shared:
        raise UsageError("the systems have no scored document in common")
    if shared == everything:
        return {name: list(runs) for name, runs in totals.items()}
    left_out = sorted(name or "" for name in everything - shared)
    where = f"systems are compared on the {len(shared)} documents for which all of them have a score"
    told = Remark("documents-left-out", f"{where}; left out: {', '.join(left_out)}")
    gold.observer.warning(told)
    return {
        name: [
            replace(each, warnings=(*each.warnings, told))
            for each in (_restricted(gold, total, shared, len(everything)) for total in runs)
        ]
        for name, runs in totals.items()
    }


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
