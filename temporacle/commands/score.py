"""``temporacle score``: how well a system, or an annotator, agrees with a gold standard."""

from __future__ import annotations

from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from temporacle.commands import terminal
from temporacle.commands.common import ExitCode, complain, print_json
from temporacle.commands.options import Run, refuse_paths, runs, telling_of_interrupts
from temporacle.commands.score_tables import (
    ScoreOutput,
    ScoreTable,
    breakdown_rows,
    confusion_grid,
    print_grid,
    print_notes,
    print_signature,
    require_names,
    short_names,
    with_interval,
    writing_pairs,
)
from temporacle.declared import OUTPUT
from temporacle.errors import UsageError
from temporacle.frames import digits
from temporacle.scoring.metric import metric_named
from temporacle.scoring.significance import MEASURES, RESAMPLES, SEED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.results import Score
    from temporacle.scoring.agreement import Coefficients
    from temporacle.scoring.significance import SystemComparison
    from temporacle.tasks.agreement import Agreement
    from temporacle.tasks.compare import RankedSystem, Ranking
    from temporacle.tasks.score import AnswersRun, ScoreRun


class Group(StrEnum):
    """By what scores can be told apart."""

    LABEL = "label"
    KIND = "kind"
    TASK = "task"


CountsOption = Annotated[bool, typer.Option("--counts", help="Also show the counts in tables.", rich_help_panel=OUTPUT)]
ScoreOutputOption = Annotated[
    ScoreOutput, typer.Option("--output", help="table, json, csv, markdown, latex or html.", rich_help_panel=OUTPUT)
]


@runs("score", "compare", writes=["pairs"])
def score(
    run: Run,
    *,
    by: Annotated[
        list[Group] | None,
        typer.Option("--by", help="Also show scores by label (with a confusion table), kind of pair, or task."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="Name of each system, in order; repeatable."),
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="SYSTEM2", help="Compare with this system: confidence intervals and p-values.")
    ] = None,
    seeds: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="NAME=PATH", help="A run (seed) of a system; repeatable."),
    ] = None,
    counts: CountsOption = False,
    pairs: Annotated[
        str | None,
        typer.Option(
            "--pairs",
            metavar="FILE",
            help="Write a row for each pair that counts, as CSV, TSV or JSON Lines by suffix.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    output: ScoreOutputOption = ScoreOutput.TABLE,
) -> int:
    """Score SYSTEM against GOLD with complete inference; every score carries its signature.

    For example:

      temporacle score gold/ system/

      temporacle score gold/ system/ --metric awareness --metric reduction

      temporacle score gold/ run1/ run2/ --name ours --name baseline --metric awareness --metric reduction

      temporacle score gold/ run1/ --compare run2/ --output json

      temporacle score gold/ --run ours=a.jsonl --run ours=b.jsonl --run base=c.jsonl --baseline base

      temporacle score gold/ answers.jsonl --answers --metric pairs

      temporacle score gold/ system/ --certificates certificates/

      temporacle score gold.jsonl.gz run1.jsonl.gz --jobs 8 --resume done.checkpoint --output json
    """
    from temporacle.scoring.metric import WITH_EXACT_SCORE

    systems: list[str] = list(run["system"] or ())
    named = _runs(seeds or [], systems)
    refuse_paths([compare, *named.values()], ())
    metrics = run["metric"] if isinstance(run["metric"], list) else [run["metric"]]
    groups = [group.value for group in by or ()]
    ranks = (len(systems) > 1 and not run["answers"]) or bool(named) or compare is not None
    program = next((each for each in metrics if each in WITH_EXACT_SCORE), None)
    _refuse(run, systems, name, compare, is_many=len(metrics) > 1 or len(run["convention"] or ()) > 1, runs=bool(named))
    if ranks:
        for option, value in (
            ("pairs", pairs),
            *((each, run[each]) for each in ("id_map", "certificate", "certificates")),
        ):
            if value is not None:
                raise UsageError("works with one SYSTEM only", option=option)
        if groups and output is not ScoreOutput.JSON:
            raise UsageError("tables by label, kind or task need one SYSTEM, or --output json", option="by")
    if pairs is not None and (len(metrics) > 1 or len(run["convention"] or ()) > 1):
        raise UsageError("--pairs works with one SYSTEM, one metric and one convention")
    if program is not None:
        from temporacle.commands.official import print_exact

        unused = {"--by": bool(groups), "--name": bool(name), "--pairs": pairs is not None, "several systems": ranks}
        if given := [what for what, is_given in unused.items() if is_given]:
            raise UsageError(f"metric {program} reads a format of its own: leave out {', '.join(given)}")
        return print_exact(run.of("score", system=systems[0]), output=output, counts=counts)
    _refuse_groups(metrics, groups)
    details = bool(groups) or pairs is not None
    if run["answers"]:
        if named or compare is not None or pairs is not None or groups:
            raise UsageError("cannot be combined with --run, --compare, --pairs and --by", option="answers")
        return _print_answers(run.of("score", system=systems), output)
    if not ranks:
        found = run.of("score", system=systems[0], details=details, rows=pairs is not None)
        return Printer(output, groups, counts=counts, names=name, pairs=pairs).score(found, systems[0])
    compared = {called: [path] for called, path in zip(name or systems, systems, strict=False)} | named
    printer = Printer(output, groups, counts=counts, names=name)
    if compare is not None:
        first, second = name or (systems[0], compare)
        both = {first: [systems[0]], second: [compare]}
        return printer.comparison(
            run.of("compare", systems=_given(both), baseline=second, details=details), first, second
        )
    return printer.ranking(run.of("compare", systems=_given(compared), details=details), list(compared))


def _print_answers(run: Run, output: ScoreOutput) -> ExitCode:
    """Print F1 of several answers about each document, then all figures of the totals."""
    found: AnswersRun = run.started()
    several = len(found.scores) > 1
    for each in found.scores:
        if output is ScoreOutput.JSON:
            for document in each.documents:
                print_json({**(_metric(each.mean) if several else {}), **document.row()})
            print_json(each.to_dict())
            continue
        rows = list(each.rows())
        cells = [
            [digits(cell) if isinstance(cell, float) else str(cell or "") for cell in row.values()] for row in rows
        ]
        print_grid(output, list(rows[0]), cells, title=f"F1: {each.mean.title}" if several else "")
        if output is not ScoreOutput.CSV:
            totals = [[kind, *map(digits, (one.precision, one.recall, one.f1))] for kind, one in each.figures()]
            print_grid(output, ["all answers", "P", "R", "F1"], totals)
            print_signature(output, each.mean.signature)
    return ExitCode.UNDECIDED if found.trouble else ExitCode.YES


def _refuse(
    run: Run, systems: Sequence[str], names: Sequence[str] | None, compare: str | None, *, is_many: bool, runs: bool
) -> None:
    """Refuse options that cannot be meant together."""
    if not systems and not runs:
        raise UsageError("SYSTEM... is missing: name the files or folders to score, or runs with --run NAME=PATH")
    if runs and (compare or names):
        raise UsageError("--run cannot be combined with --compare and --name")
    if compare and len(systems) > 1:
        raise UsageError("--compare works with one SYSTEM only")
    if compare and is_many:
        raise UsageError("--compare works with one metric and one convention only")
    ranks = len(systems) > 1 or runs or compare is not None
    if not ranks and (run["resamples"], run["seed"]) != (RESAMPLES, SEED):
        raise UsageError("--resamples and --seed work only with --compare or several systems")
    if run["baseline"] is not None and (compare or not ranks):
        raise UsageError("--baseline works only with several systems; --compare names its own")
    require_names(names, len(systems) + (compare is not None))
    if len(set(systems)) < len(systems):
        raise UsageError("a system is named twice")


def _given(systems: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return systems as Python takes them."""
    from temporacle.tasks.score_answers import Runs

    return {name: Runs(*paths) for name, paths in systems.items()}


def _runs(given: list[str], systems: list[str]) -> dict[str, list[str]]:
    """Return the paths of ``--run NAME=PATH`` by name."""
    found: dict[str, list[str]] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not (name and equals and path):
            raise UsageError(f"--run is {each!r}; write it as NAME=PATH, such as ours=seed1.jsonl")
        found.setdefault(name, []).append(path)
    for name, paths in found.items():
        if len(set(paths)) < len(paths):
            raise UsageError(f"--run gives {name} the same file twice")
        if name in systems:
            raise UsageError(f"{name} is a SYSTEM and the name of runs; give the runs another name")
    return found


def _refuse_groups(metrics: list[str], groups: list[str]) -> None:
    """Refuse a table that a metric does not have, instead of leaving it out."""
    for name in metrics:
        known = metric_named(name).groups
        if missing := sorted(set(groups) - known):
            choice = f"choose {' or '.join(sorted(known))}" if known else "it has one score only"
            raise UsageError(f"metric {name} has no scores by {' or '.join(missing)}: {choice}")


class Printer:
    """Prints scores: rows for programs, tables for people."""

    _table: ScoreTable

    def __init__(
        self,
        output: ScoreOutput,
        groups: Sequence[str],
        *,
        counts: bool,
        names: Sequence[str] | None,
        pairs: str | None = None,
    ) -> None:
        self._output, self._groups, self._counts, self._pairs = output, groups, counts, pairs
        self._names = names or ()  # what systems are called, if the user named them
        self._several = False  # metrics

    def _about(self, metrics: Sequence[str]) -> None:
        """Take note of the metrics that are shown."""
        self._several = len(metrics) > 1
        kinds = [metric_named(name).counts for name in metrics]
        # Spreadsheets have room for counts.
        more = self._counts or (self._output is ScoreOutput.CSV and not self._several)
        self._table = ScoreTable(self._output, kinds, counts=more)

    def score(self, run: Run, system: str) -> ExitCode:
        """Print one system: every document as soon as it is scored, then the totals."""
        with telling_of_interrupts(run["resume"]):
            found: ScoreRun = run.started()
            self._about([name for name, _ in found.gold.request.metrics])
            with run.watcher.over(system):
                if self._output is ScoreOutput.JSON:
                    for each in self._each(found):
                        print_json({**(_metric(each) if self._several else {}), **each.to_dict()})
                    for total in found.totals():
                        print_json({**total.to_dict(), "system": self._names[0] if self._names else system})
                    _say_what_was_skipped(found.totals())
                else:
                    self._print_documents(found)
        return ExitCode.UNDECIDED if found.gold.trouble else ExitCode.YES

    def _print_documents(self, run: ScoreRun) -> None:
        rows = self._rows(run)
        columns = self._table.columns("document", *(["metric"] if self._several else []))
        if self._output is ScoreOutput.CSV:
            print_grid(self._output, columns, rows)
        else:
            self._print_in_parts(columns, rows)
        totals = run.totals()
        for total in totals:
            self._print_groups(total, run.gold.request.empty)
        self._print_signatures(totals)
        _say_what_was_skipped(totals)

    def _print_in_parts(self, columns: Sequence[str], rows: Iterator[list[str]]) -> None:
        """Print rows in tables of many rows, so that a large corpus needs little memory. Others than people get one."""
        kept: list[list[str]] = []
        try:
            for row in rows:
                if len(kept) == terminal.MANY_ROWS and self._output is ScoreOutput.TABLE:
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

    def _print_groups(self, total: Score, empty: int) -> None:
        of = f": {total.title}" if self._several else ""
        for group in self._groups or (["task"] if "task" in total.breakdown else []):
            if found := breakdown_rows(total.breakdown, group, empty):
                print_grid(self._output, [group, *self._table.figures], found, title=f"by {group}{of}")
        if "label" in self._groups and total.confused:
            grid = confusion_grid(total.confused, total.labels)
            print_grid(self._output, *grid, title=f"gold labels down, system labels across{of}")

    def comparison(self, run: Run, first: str, second: str) -> ExitCode:
        """Print two systems, and whether their difference is significant."""
        (ranking,), code = self._ranked(run)
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
            return code
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
        return code

    def ranking(self, run: Run, systems: Sequence[str]) -> ExitCode:
        """Print several systems: by one metric, best F1 first; by several metrics, a column for each of them."""
        rankings, code = self._ranked(run)
        if self._output is ScoreOutput.JSON:
            self._print_ranked_rows(rankings)
            return code
        if self._several and self._output is not ScoreOutput.CSV and not self._table.counts:
            self._print_side_by_side(systems, rankings)
        else:
            self._print_ranks(rankings)
        for ranking in rankings:
            of = f"{ranking.title}: " if self._several else ""
            print_notes(self._output, [f"{of}{note}" for note in ranking.notes])
        for signature in dict.fromkeys(ranking.signature for ranking in rankings):
            print_signature(self._output, signature)
        return code

    def _ranked(self, run: Run) -> tuple[list[Ranking], ExitCode]:
        """Return the rankings by each metric. Say what was skipped."""
        found = run.whole()
        rankings = [found] if hasattr(found, "systems") else found
        self._about([ranking[0].score.metric for ranking in rankings])
        runs: dict[tuple[str, int], list[Score]] = {}
        for each in (each for ranking in rankings for each in ranking):
            for number, total in enumerate(each.runs):
                runs.setdefault((each.name, number), []).append(total)
        for name in run["systems"]:
            for (called, _), totals in runs.items():
                if called == name:
                    _say_what_was_skipped(totals)
        skipped = any(total.skipped for totals in runs.values() for total in totals)
        return rankings, ExitCode.UNDECIDED if skipped or run.has_heard_trouble else ExitCode.YES

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

    def _shown(self, names: Sequence[str]) -> list[str]:
        """Return names of systems in tables for people."""
        return list(names) if self._names or self._output is ScoreOutput.CSV else short_names(names)


def _say_what_was_skipped(totals: Sequence[Score]) -> None:
    for each in dict.fromkeys(each for total in totals for each in total.skipped):
        complain(f"skipped {each.document}: {each.reason}")
    if not any(total.scored for total in totals):
        complain("No document could be scored, so there is no total. See the errors above.")


def _metric(score: Score) -> dict[str, str]:
    """Return the metric of a document's score, if there are several metrics."""
    return {"metric": score.metric, **({"convention": score.convention} if score.convention else {})}


@runs("agree")
def agree(
    run: Run,
    *,
    counts: CountsOption = False,
    output: ScoreOutputOption = ScoreOutput.TABLE,
) -> int:
    """Show how far two or more annotators agree: scores in both directions, kappa and alpha.

    For example:

      temporacle agree annotator1/ annotator2/

      temporacle agree a.jsonl b.jsonl c.jsonl --name Ann --name Bo --name Cy --output json
    """
    require_names(run["name"], len(run["annotators"]), "annotators")
    found: Agreement = run.whole()
    skipped = [*(skip for two in found.between for skip in two.forward.skipped), *found.skipped]
    for each in dict.fromkeys(skipped):
        complain(f"skipped {each.document}: {each.reason}")
    if not any(two.forward.scored for two in found.between):
        complain("No document could be scored, so there is no total. See the errors above.")
    if output is ScoreOutput.JSON:
        for document in found.between[0].forward.documents:
            print_json(document.to_dict())
        print_json(found.to_dict())
    else:
        kinds = [metric_named(found.between[0].forward.metric).counts]
        table = ScoreTable(output, kinds, counts=counts or output is ScoreOutput.CSV)
        shown = list(run["name"]) or short_names(found.annotators)
        _print_tables(found, shown, table, output)
    return ExitCode.UNDECIDED if skipped or run.has_heard_trouble else ExitCode.YES


def _print_tables(found: Agreement, shown: Sequence[str], table: ScoreTable, output: ScoreOutput) -> None:
    called = dict(zip(found.annotators, shown, strict=True))
    rows = [
        table.row(score, called[key], called[answer])
        for two in found.between
        for (key, answer), score in ((two.names, two.forward), (two.names[::-1], two.backward))
    ]
    print_grid(output, table.columns("key", "answer"), rows)
    measured = [("as stated", found.stated), ("after closure", found.closed)]
    rows = [[name, *_cells(each)] for name, each in measured if each is not None]
    title = "agreement about pairs"
    print_grid(output, ["links", "pairs", "by all", "Cohen", "Fleiss", "Krippendorff"], rows, title=title)
    if len(found.between) > 1:
        rows = [
            [called[two.names[0]], called[two.names[1]], str(kappa.pairs), digits(kappa.observed), digits(kappa.kappa)]
            for two, kappa in zip(found.between, found.stated.kappas, strict=True)
        ]
        title = "every two annotators, links as stated"
        print_grid(output, ["annotator", "other", "pairs", "observed", "Cohen"], rows, title=title)
    print_signature(output, found.signature)


def _cells(found: Coefficients) -> list[str]:
    figures = [digits(value) for value in (found.kappa, found.fleiss, found.krippendorff)]
    return [str(found.pairs), str(found.by_all), *figures]
