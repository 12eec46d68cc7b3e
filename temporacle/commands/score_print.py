"""What ``temporacle score`` prints: rows for programs, tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.commands.common import complain, print_json, with_flags
from temporacle.commands.score_tables import (
    ScoreOutput,
    breakdown_rows,
    confusion_grid,
    print_grid,
    print_signature,
    score_cells,
    score_columns,
)
from temporacle.commands.watching import Watcher
from temporacle.figures import digits
from temporacle.scoring.metrics import metric_named
from temporacle.tasks.agreement import agreement_of
from temporacle.tasks.compare import difference_of, named_systems, on_shared_documents, ranked, scored_systems
from temporacle.tasks.score import GoldStandard, ScoreRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.results import Counts, Score
    from temporacle.runner import Journal, Plan
    from temporacle.tasks.compare import RankedSystem
    from temporacle.tasks.score_pair import Request


class Printer:
    """One gold standard, and everything that is scored against it."""

    def __init__(
        self,
        gold: str,
        reading: Options,
        request: Request,
        *,
        average: str,
        plan: Plan,
        journal: Journal | None,
        output: ScoreOutput,
        groups: Sequence[str],
        counts: bool,
    ) -> None:
        self._plan, self._journal = plan, journal
        self._output, self._groups = output, groups
        self._counts = counts or output is ScoreOutput.CSV  # spreadsheets have room for them
        self._observer = Watcher(gold)
        self.gold = GoldStandard(gold, reading, request, average=average, observer=self._observer)

    @property
    def trouble(self) -> bool:
        return self.gold.trouble

    def score(self, system: str) -> None:
        """One system: every document as soon as it is scored, then the totals."""
        run = ScoreRun(self.gold, system, self._plan, journal=self._journal)
        several = len(self.gold.request.metrics) > 1
        with self._observer.over(system):
            if self._output is ScoreOutput.JSON:
                for each in _each(run):
                    print_json({**({"metric": each.metric} if several else {}), **each.to_dict()})
                for total in run.totals():
                    print_json(total.to_dict())
                self._say_what_was_skipped(run.totals())
                return
            self._print_documents(run, several=several)

    def _print_documents(self, run: ScoreRun, *, several: bool) -> None:
        rows = self._cells(run, several=several)
        columns = ["document", "metric", "precision", "recall", "f1"]
        if not several:
            ((name, _),) = self.gold.request.metrics
            columns = self._columns("document", metric_named(name).counts)
        if self._output is ScoreOutput.CSV:
            print_grid(self._output, columns, rows)
        else:
            kept: list[list[str]] = []
            try:
                kept.extend(rows)
            finally:  # also when the rest is interrupted; there is no total of a part
                if kept:
                    print_grid(self._output, columns, kept)
        totals = run.totals()
        for total in totals:
            self._print_groups(total)
        for total in totals:
            print_signature(self._output, total.signature)
        self._say_what_was_skipped(totals)

    def _cells(self, run: ScoreRun, *, several: bool) -> Iterator[list[str]]:
        for each in _each(run):
            yield self._row(each.document or "", each, several=several)
        for total in run.totals():
            yield self._row("TOTAL", total, several=several)

    def _print_groups(self, total: Score) -> None:
        for group in self._groups or (["task"] if "task" in total.breakdown else []):
            if found := breakdown_rows(total.breakdown, group, self.gold.request.empty):
                print_grid(self._output, [group, "precision", "recall", "f1"], found, title=f"by {group}")
        if "label" in self._groups and total.confusion:
            print_grid(self._output, *confusion_grid(total.confusion), title="gold labels down, system labels across")

    def comparison(self, system: str, other: str, samples: int, seed: int) -> None:
        """Two systems, and whether their difference means anything."""
        shared = on_shared_documents(self.gold, self._totals([system, other]))
        first, second = shared.values()
        difference = difference_of(self.gold, first, second, samples, seed)
        if self._output is ScoreOutput.JSON:
            for each in first.documents:
                print_json(each.to_dict())
            comparison = {
                "system": other,
                **second.figures(),
                "counts": second.all_counts(),
                **({} if difference is None else difference.to_dict()),
            }
            print_json({**first.to_dict(), "comparison": comparison})
            return
        rows = [self._row(name, each) for name, each in shared.items()]
        print_grid(self._output, self._columns("system", type(first.counts)), rows)
        if difference is None:
            complain("a single document gives no interval and no p-value")
        else:
            cells = [
                [each.measure, *map(digits, (each.observed, each.low, each.high, each.p_value))]
                for each in difference.differences
            ]
            title = f"first minus second, {difference.documents} documents, {samples} samples, seed {seed}"
            print_grid(self._output, ["measure", "difference", "95% low", "95% high", "p"], cells, title=title)
        print_signature(self._output, first.signature)

    def ranking(self, systems: Sequence[str], samples: int, seed: int) -> None:
        """Several systems, best F1 first."""
        found = ranked(self.gold, self._totals(systems), samples, seed)
        if self._output is ScoreOutput.JSON:
            for each in found:
                for document in each.score.documents:
                    print_json({"system": each.name, **document.to_dict()})
                print_json(each.to_dict())
            return
        rows = [[str(each.rank), *self._row(each.name, each.score), *_certainty(each)] for each in found]
        columns = ["rank", *self._columns("system", type(found[0].score.counts)), "f1 95% low", "f1 95% high", "p"]
        print_grid(self._output, columns, rows)
        print_signature(self._output, found[0].score.signature)

    def _totals(self, systems: Sequence[str]) -> dict[str, Score]:
        named = named_systems(systems)
        with self._observer.over(*systems):
            totals = scored_systems(self.gold, named, self._plan, self._journal)
        for total in totals:
            self._say_what_was_skipped((total,))
        return dict(zip(named, totals, strict=True))

    def agreement(self, other: str) -> None:
        """Two annotators."""
        run = ScoreRun(self.gold, other, self._plan, journal=self._journal)
        with self._observer.over(other):
            for each in _each(run):
                if self._output is ScoreOutput.JSON:
                    print_json(each.to_dict())
        found = agreement_of(run)
        self._say_what_was_skipped((found.forward,))
        if self._output is ScoreOutput.JSON:
            print_json(found.to_dict())
            return
        forward, kappa = found.forward, found.kappa
        rows = [self._row(f"{self.gold.name} as key", forward), self._row(f"{other} as key", found.backward)]
        print_grid(self._output, self._columns("direction", type(forward.counts)), rows)
        cells = [str(kappa.pairs), digits(kappa.observed), digits(kappa.expected), digits(kappa.kappa)]
        print_grid(self._output, ["pairs both labelled", "observed", "expected", "kappa"], [cells], title="kappa")
        print_signature(self._output, forward.signature)

    def _say_what_was_skipped(self, totals: Sequence[Score]) -> None:
        for each in dict.fromkeys(each for total in totals for each in total.skipped):
            complain(f"skipped {each.document}: {with_flags(each.reason)}")
        if not any(total.scored for total in totals):
            complain("No document could be scored, so there is no total. See the errors above.")

    def _columns(self, first: str, kind: type[Counts]) -> list[str]:
        return score_columns(first, kind, counts=self._counts)

    def _row(self, name: str, score: Score, *, several: bool = False) -> list[str]:
        if not several:
            return score_cells(name, score, counts=self._counts)
        return [name, score.metric, *score_cells("", score, counts=False)[1:]]


def _each(run: ScoreRun) -> Iterator[Score]:
    return (each for scores in run.documents() for each in scores if each is not None)


def _certainty(system: RankedSystem) -> list[str]:
    """The confidence interval of F1, and the p-value of the difference to the best system."""
    low, high = system.interval or (None, None)
    p_value = None if system.difference is None else system.difference.of("f1").p_value
    return [digits(low), digits(high), digits(p_value)]
