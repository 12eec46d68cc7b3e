"""Print the answer of ``temporacle score``: rows for programs, tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.commands import answers
from temporacle.commands.common import complain, print_json, with_flags
from temporacle.commands.score_tables import (
    ScoreOutput,
    ScoreTable,
    breakdown_rows,
    confusion_grid,
    print_grid,
    print_signature,
    short_names,
    with_interval,
)
from temporacle.commands.watching import Watcher
from temporacle.figures import digits
from temporacle.scoring.metrics import metric_named
from temporacle.tasks.compare import difference_of, named_systems, on_shared_documents, rankings_of, scored_systems
from temporacle.tasks.score import GoldStandard, ScoreRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.io.source import Options
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.tasks.compare import RankedSystem, Ranking
    from temporacle.tasks.id_map import IdMap
    from temporacle.tasks.score_certificates import ScoreCertificates
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
        names: Sequence[str] = (),
        id_map: IdMap | None = None,
        certificates: ScoreCertificates | None = None,
    ) -> None:
        self._certificates = certificates
        self._plan, self._journal = plan, journal
        self._output, self._groups = output, groups
        self._names = names  # what systems are called, if the user named them
        self._observer = Watcher(gold)
        self.gold = GoldStandard(gold, reading, request, average=average, id_map=id_map, observer=self._observer)
        self._several = len(self.gold.request.metrics) > 1
        kinds = [metric_named(name).counts for name, _ in self.gold.request.metrics]
        # Spreadsheets have room for counts.
        self._table = ScoreTable(output, kinds, counts=counts or (output is ScoreOutput.CSV and not self._several))

    @property
    def trouble(self) -> bool:
        return self.gold.trouble

    def score(self, system: str) -> None:
        """Print one system: every document as soon as it is scored, then the totals."""
        run = ScoreRun(self.gold, system, self._plan, journal=self._journal, certificates=self._certificates)
        with self._observer.over(system):
            if self._output is ScoreOutput.JSON:
                for each in _each(run):
                    print_json({**(_metric(each) if self._several else {}), **each.to_dict()})
                for total in run.totals():
                    print_json({**total.to_dict(), "system": self._called([system])[0]})
                self._say_what_was_skipped(run.totals())
                return
            self._print_documents(run)

    def _print_documents(self, run: ScoreRun) -> None:
        rows = self._rows(run)
        columns = self._table.columns("document", *(["metric"] if self._several else []))
        if self._output is ScoreOutput.CSV:
            print_grid(self._output, columns, rows)
        else:
            self._print_in_parts(columns, rows)
        totals = run.totals()
        for total in totals:
            self._print_groups(total)
        self._print_signatures(totals)
        self._say_what_was_skipped(totals)

    def _print_in_parts(self, columns: Sequence[str], rows: Iterator[list[str]]) -> None:
        """Print rows in tables of many rows, so that a large corpus needs little memory. Others than people get one."""
        kept: list[list[str]] = []
        try:
            for row in rows:
                if len(kept) == answers.MANY_ROWS and self._output is ScoreOutput.TABLE:
                    print_grid(self._output, columns, kept)
                    kept = []
                kept.append(row)
        finally:  # also after an interruption, which leaves out the total
            if kept:
                print_grid(self._output, columns, kept)

    def _rows(self, run: ScoreRun) -> Iterator[list[str]]:
        for each in _each(run):
            yield self._row(each.document or "", each)
        for total in run.totals():
            yield self._row("TOTAL", total)

    def _row(self, name: str, score: Score) -> list[str]:
        return self._table.row(score, name, *([score.title] if self._several else []))

    def _print_signatures(self, totals: Sequence[Score]) -> None:
        for signature in dict.fromkeys(total.signature for total in totals):
            print_signature(self._output, signature)

    def _print_groups(self, total: Score) -> None:
        of = f": {total.title}" if self._several else ""
        for group in self._groups or (["task"] if "task" in total.breakdown else []):
            if found := breakdown_rows(total.breakdown, group, self.gold.request.empty):
                print_grid(self._output, [group, *self._table.figures], found, title=f"by {group}{of}")
        if "label" in self._groups and total.confusion:
            grid = confusion_grid(total.confusion, total.labels)
            print_grid(self._output, *grid, title=f"gold labels down, system labels across{of}")

    def comparison(self, system: str, other: str, samples: int, seed: int) -> None:
        """Print two systems, and whether their difference is significant."""
        totals = {name: found[0] for name, found in self._totals([system, other]).items()}
        shared = on_shared_documents(self.gold, totals)
        first, second = shared.values()
        difference = difference_of(self.gold, first, second, samples, seed)
        if self._output is ScoreOutput.JSON:
            for each in first.documents:
                print_json(each.to_dict())
            comparison = {
                "system": self._called([system, other])[1],
                **second.figures(),
                "counts": second.all_counts(),
                **({} if difference is None else difference.to_dict()),
            }
            print_json({**first.to_dict(), "comparison": comparison})
            return
        rows = [self._row(name, each) for name, each in zip(self._shown(list(shared)), shared.values(), strict=True)]
        print_grid(self._output, self._table.columns("system"), rows)
        if difference is None:
            complain("there is no interval and no p-value for a single document")
        else:
            cells = [
                [each.measure, *map(digits, (each.observed, each.low, each.high, each.p_value))]
                for each in difference.differences
            ]
            title = f"first minus second, {difference.documents} documents, {samples} samples, seed {seed}"
            print_grid(self._output, ["measure", "difference", "95% low", "95% high", "p"], cells, title=title)
        print_signature(self._output, first.signature)

    def ranking(self, systems: Sequence[str], samples: int, seed: int) -> None:
        """Print several systems: by one metric, best F1 first; by several metrics, a column for each of them."""
        rankings = rankings_of(self.gold, self._totals(systems), samples, seed)
        if self._output is ScoreOutput.JSON:
            self._print_ranked_rows(rankings)
            return
        if self._several and self._output is not ScoreOutput.CSV and not self._table.counts:
            self._print_side_by_side(self._called(systems), rankings)
        else:
            self._print_ranks(rankings)
        self._print_signatures([each.score for ranking in rankings for each in ranking])

    def _print_ranked_rows(self, rankings: Sequence[Ranking]) -> None:
        for ranking in rankings:
            for each in ranking:
                for document in each.score.documents:
                    print_json(
                        {"system": each.name, **(_metric(document) if self._several else {}), **document.to_dict()}
                    )
                print_json(each.to_dict())

    def _print_ranks(self, rankings: Sequence[Ranking]) -> None:
        shown = dict(zip(names := [each.name for each in rankings[0]], self._shown(names), strict=True))
        rows = [
            [str(each.rank), *self._row(shown[each.name], each.score), *_certainty(each)]
            for ranking in rankings
            for each in ranking
        ]
        first = ["rank", "system", *(["metric"] if self._several else [])]
        print_grid(self._output, [*self._table.columns(*first), "f1 95% low", "f1 95% high", "p"], rows)

    def _print_side_by_side(self, systems: Sequence[str], rankings: Sequence[Ranking]) -> None:
        """Print F1 of every system by every metric, each with its interval."""
        rows = [
            [
                shown,
                *(with_interval(each.score.f1, each.interval) for each in (ranking.of(name) for ranking in rankings)),
            ]
            for name, shown in zip(systems, self._shown(systems), strict=True)
        ]
        title = "F1 [95% confidence interval]" if rankings[0][0].interval else "F1"
        print_grid(self._output, ["system", *(ranking.title for ranking in rankings)], rows, title=title)

    def _totals(self, systems: Sequence[str]) -> dict[str, list[Score]]:
        named_systems(systems)  # refuses a system that is given twice
        named = dict(zip(self._called(systems), systems, strict=True))
        with self._observer.over(*systems):
            totals = scored_systems(self.gold, named, self._plan, self._journal)
        for found in totals.values():
            self._say_what_was_skipped(found)
        return totals

    def _called(self, systems: Sequence[str]) -> list[str]:
        return list(self._names or systems)

    def _shown(self, names: Sequence[str]) -> list[str]:
        """Return names of systems in tables for people."""
        return list(names) if self._names or self._output is ScoreOutput.CSV else short_names(names)

    def _say_what_was_skipped(self, totals: Sequence[Score]) -> None:
        for each in dict.fromkeys(each for total in totals for each in total.skipped):
            complain(f"skipped {each.document}: {with_flags(each.reason)}")
        if not any(total.scored for total in totals):
            complain("No document could be scored, so there is no total. See the errors above.")


def _each(run: ScoreRun) -> Iterator[Score]:
    return (each for scores in run.documents() for each in scores if each is not None)


def _metric(score: Score) -> dict[str, str]:
    """Return the metric of a document's score, if there are several metrics."""
    return {"metric": score.metric, **({"convention": score.convention} if score.convention else {})}


def _certainty(system: RankedSystem) -> list[str]:
    """Return the confidence interval of F1, and the p-value of the difference to the best system."""
    low, high = system.interval or (None, None)
    p_value = None if system.difference is None else system.difference.of("f1").p_value
    return [digits(low), digits(high), digits(p_value)]
