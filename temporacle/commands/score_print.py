"""Print the answer of ``temporacle score``: rows for programs, tables for people."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

from temporacle.commands import answers
from temporacle.commands.common import complain, print_json, with_flags
from temporacle.commands.score_tables import (
    ScoreOutput,
    ScoreTable,
    breakdown_rows,
    confusion_grid,
    print_grid,
    print_notes,
    print_signature,
    short_names,
    with_interval,
    writing_pairs,
)
from temporacle.commands.watching import Watcher
from temporacle.figures import digits
from temporacle.scoring.metric import metric_named
from temporacle.scoring.significance import MEASURES
from temporacle.tasks.compare import rankings_of, scored_systems
from temporacle.tasks.score import GoldStandard, ScoreRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.corpus.pairing import IdMap
    from temporacle.io.source import Options
    from temporacle.results import Score
    from temporacle.runner import Plan
    from temporacle.runner.journal import Journal
    from temporacle.scoring.significance import SystemComparison
    from temporacle.tasks.compare import RankedSystem, Ranking
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
        pairs: str | None = None,
        system_columns: str | None = None,
        allow: Sequence[str] = (),
    ) -> None:
        self._certificates, self._pairs = certificates, pairs
        self._plan, self._journal = plan, journal
        self._output, self._groups = output, groups
        self._names = names  # what systems are called, if the user named them
        self._observer = Watcher(gold)
        self.gold = GoldStandard(
            gold,
            reading,
            request,
            average=average,
            id_map=id_map,
            observer=self._observer,
            system_columns=system_columns,
            allow=allow,
        )
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
                for each in self._each(run):
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

    def _each(self, run: ScoreRun) -> Iterator[Score]:
        """Yield the scores of documents, and write the rows of their pairs if that was asked for."""
        with ExitStack() as stack:
            write = None if self._pairs is None else stack.enter_context(writing_pairs(self._pairs))
            for each in (each for scores in run.documents() for each in scores if each is not None):
                if write is not None:
                    write(each)
                yield each

    def _rows(self, run: ScoreRun) -> Iterator[list[str]]:
        for each in self._each(run):
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
        if "label" in self._groups and total.confused:
            grid = confusion_grid(total.confused, total.labels)
            print_grid(self._output, *grid, title=f"gold labels down, system labels across{of}")

    def comparison(self, system: str, other: str, resamples: int, seed: int) -> None:
        """Print two systems, and whether their difference is significant."""
        first, second = self._called([system, other])
        totals = self._totals({first: [system], second: [other]})
        (ranking,) = rankings_of(self.gold, totals, baseline=second, resamples=resamples, seed=seed)
        one, two = ranking.of(first), ranking.of(second)
        difference = cast("SystemComparison", one.difference)  # the other one is the baseline
        if self._output is ScoreOutput.JSON:
            for each in one.score.documents:
                print_json(each.to_dict())
            comparison = {
                "system": second,
                **two.score.figures(),
                "counts": two.score.all_counts(),
                **difference.to_dict(),
                "signature": ranking.signature,
            }
            print_json({**one.score.to_dict(), "comparison": comparison})
            return
        rows = [
            self._row(name, each.score) for name, each in zip(self._shown([first, second]), (one, two), strict=True)
        ]
        print_grid(self._output, self._table.columns("system"), rows)
        cells = [
            [each.measure, *map(digits, (each.observed, each.low, each.high, each.p_value))]
            for each in difference.differences
        ]
        title = f"first minus second, {difference.documents} documents, {difference.differing} differ"
        print_grid(self._output, ["measure", "difference", "95% low", "95% high", "p"], cells, title=title)
        reasons = [f"{each.measure}: {each.reason}" for each in difference.differences if each.reason]
        print_notes(self._output, [*reasons, *difference.notes()])
        print_signature(self._output, ranking.signature)

    def ranking(self, systems: Mapping[str, Sequence[str]], *, baseline: str | None, resamples: int, seed: int) -> None:
        """Print several systems: by one metric, best F1 first; by several metrics, a column for each of them."""
        totals = self._totals(systems)
        rankings = rankings_of(self.gold, totals, baseline=baseline, resamples=resamples, seed=seed)
        if self._output is ScoreOutput.JSON:
            self._print_ranked_rows(rankings)
            return
        if self._several and self._output is not ScoreOutput.CSV and not self._table.counts:
            self._print_side_by_side(list(systems), rankings)
        else:
            self._print_ranks(rankings)
        for ranking in rankings:
            of = f"{ranking.title}: " if self._several else ""
            print_notes(self._output, [f"{of}{note}" for note in ranking.notes])
        for signature in dict.fromkeys(ranking.signature for ranking in rankings):
            print_signature(self._output, signature)

    def _print_ranked_rows(self, rankings: Sequence[Ranking]) -> None:
        for ranking in rankings:
            for each in ranking:
                for number, run in enumerate(each.runs, 1):
                    which = {"run": number} if len(each.runs) > 1 else {}
                    for document in run.documents:
                        metric = _metric(document) if self._several else {}
                        print_json({"system": each.name, **which, **metric, **document.to_dict()})
                print_json({**each.to_dict(), "signature": ranking.signature})

    def _print_ranks(self, rankings: Sequence[Ranking]) -> None:
        shown = dict(zip(names := [each.name for each in rankings[0]], self._shown(names), strict=True))
        runs = any(len(each.runs) > 1 for each in rankings[0])
        rows: list[list[str]] = []
        best: list[tuple[int, int]] = []
        before = ["rank", "system", *(["metric"] if self._several else [])]
        for ranking in rankings:
            for each in ranking:
                best += [
                    (len(rows), len(before) + column)
                    for column, measure in enumerate(MEASURES)
                    if getattr(each.score, measure) == max(getattr(other.score, measure) for other in ranking)
                ]
                rows.append(
                    [str(each.rank), *self._row(shown[each.name], each.score), *self._certainty(each, runs=runs)]
                )
        ends = [f"{measure} 95% {end}" for measure in self._with_ends for end in ("low", "high")]
        after = [*ends, "p", "adjusted p", *(["runs", "f1 s.d."] if runs else [])]
        print_grid(self._output, [*self._table.columns(*before), *after], rows, best=best)

    @property
    def _with_ends(self) -> Sequence[str]:
        """Return the figures whose intervals are shown: spreadsheets have room for all."""
        return MEASURES if self._output is ScoreOutput.CSV else ("f1",)

    def _certainty(self, system: RankedSystem, *, runs: bool) -> list[str]:
        """Return the confidence intervals, and the p-value of the difference to the best system or the baseline."""
        ends = [digits(getattr(system.of(measure), end)) for measure in self._with_ends for end in ("low", "high")]
        f1 = None if system.difference is None else system.difference.of("f1")
        tested = ["", ""] if f1 is None else [digits(f1.p_value), digits(f1.p_adjusted)]
        return [*ends, *tested, *([str(len(system.runs)), digits(system.spread)] if runs else [])]

    def _print_side_by_side(self, systems: Sequence[str], rankings: Sequence[Ranking]) -> None:
        """Print F1 of every system by every metric, each with its interval."""
        found = [[ranking.of(name) for ranking in rankings] for name in systems]
        rows = [
            [shown, *(with_interval(each.score.f1, each.interval) for each in row)]
            for shown, row in zip(self._shown(systems), found, strict=True)
        ]
        best = [
            (place, column)
            for place, row in enumerate(found)
            for column, each in enumerate(row, 1)
            if each.score.f1 == rankings[column - 1][0].score.f1
        ]
        title = "F1 [95% confidence interval]" if rankings[0][0].interval else "F1"
        columns = ["system", *(ranking.title for ranking in rankings)]
        print_grid(self._output, columns, rows, title=title, best=best)

    def _totals(self, systems: Mapping[str, Sequence[str]]) -> dict[str, list[list[Score]]]:
        with self._observer.over(*(path for runs in systems.values() for path in runs)):
            totals = scored_systems(self.gold, systems, self._plan, self._journal)
        for runs in totals.values():
            for found in runs:
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


def _metric(score: Score) -> dict[str, str]:
    """Return the metric of a document's score, if there are several metrics."""
    return {"metric": score.metric, **({"convention": score.convention} if score.convention else {})}
