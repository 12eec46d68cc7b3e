"""``temporacle check``: which documents contradict themselves, where, and what to do about it."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from enum import StrEnum
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.checks import FRAME_COLUMNS, INCOMPLETE, summary
from temporacle.commands.common import ExitCode, Output, complain, print_json, printable
from temporacle.commands.options import Run, runs
from temporacle.commands.terminal import Watcher, listed, note, print_table, remarks
from temporacle.errors import UsageError
from temporacle.frames import digits
from temporacle.model import Action, counted, skipped_words
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict, Repair, RepairStatus, Unrepairable
from temporacle.rules import UNCHECKED, UNDECIDED, UNREADABLE, RuleKind
from temporacle.tasks.gate import INCONSISTENT
from temporacle.wording import Names, fact_line, kind_of, needs_removed, to_remove

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.checks import Check
    from temporacle.commands.check_services import GatePrinter
    from temporacle.model import Remark
    from temporacle.results import Fact
    from temporacle.tasks.gate import BaselineJudgement, Known

_CONFLICTS = 10  # shown of one document


def lines_about(check: Check) -> Iterator[str]:
    """Yield the reason why the document is undecided or unreadable, its conflicts, and its repair."""
    if check.error is not None:
        yield check.error
    yield from _conflicts(check)
    yield from _repair(check)


def _conflicts(check: Check) -> Iterator[str]:
    for words in islice(check.in_words(), _CONFLICTS):
        yield words.headline
        yield from listed(words.facts)
        if words.quotations:
            yield "Text:"
            yield from listed([each.marked for each in words.quotations])
        yield "Why:"
        yield from listed(words.derivation, last=5)
    count = len(check.conflicts)
    if count > _CONFLICTS:
        yield f"{count - _CONFLICTS} more conflicts; --output json lists them."
    if check.all_conflicts is not None and check.verdict is DocumentVerdict.INCONSISTENT:
        yield f"Minimal conflicts found, which may share links: {len(check.all_conflicts)}."
        yield from listed([" ".join(fact.id for fact in conflict) for conflict in check.all_conflicts])


def _repair(check: Check) -> Iterator[str]:
    names = Names(check.excerpts)
    if isinstance(check.repair, Unrepairable):
        yield f"No repair: these protected {kind_of(check.repair.conflict)} contradict each other."
        yield from listed([fact_line(link, names) for link in check.repair.conflict])
    if check.repair_status is RepairStatus.UNDECIDED and check.verdict is DocumentVerdict.INCONSISTENT:
        yield "No smallest repair was found in time; there may be more conflicts. --repair searches longer."
    if not isinstance(check.repair, Repair):
        return
    better_of = {id(each.link): each for each in check.relabellings or ()}
    yield needs_removed(check.to_drop)
    instead = check.repair.alternatives or ((),) * len(check.to_drop)
    for fact, others in zip(check.to_drop, instead, strict=True):
        yield f"  {to_remove(fact, others)}"
        if (better := better_of.get(id(fact))) is not None:
            yield f"    or relabel it as one of {', '.join(better.labels) or 'no label of this label set'}"


class Summary:
    """Counts checks."""

    def __init__(self, accepted: frozenset[str] = frozenset()) -> None:
        self._accepted = accepted  # codes of links that may be dropped
        self._started = perf_counter()
        self._verdicts: Counter[DocumentVerdict] = Counter()
        self._links = 0  # that were kept
        self._dropped: Counter[str] = Counter()  # links, by code
        self._with_dropped = 0  # documents
        self._failing: Counter[str] = Counter()  # findings that decide about the exit code, by code

    def add(self, check: Check, findings: Iterable[BaselineJudgement]) -> None:
        """Count a document."""
        self._verdicts[check.verdict] += 1
        self._links += check.links
        if check.remarks:
            dropped = Counter(remark.code for remark in check.remarks if remark.action is Action.DROPPED)
            self._dropped += dropped
            self._with_dropped += bool(dropped)
        self._failing.update(each.finding.code for each in findings if each.fails)

    @property
    def total(self) -> int:
        """Return how many documents there were."""
        return self._verdicts.total()

    def exit_code(self) -> ExitCode:
        """Return NO if there is one, then UNDECIDED; wrong usage if nothing was readable."""
        if self._failing[INCONSISTENT]:
            return ExitCode.NO
        if self._verdicts[DocumentVerdict.UNREADABLE] == self.total:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self._failing.total() else ExitCode.YES

    def lines(self) -> Iterator[str]:
        """Yield the lines of the summary for people."""
        dropped = f"; {self._dropped_links()}" if self._dropped else ""
        yield f"{summary(self._verdicts)}{dropped}; {perf_counter() - self._started:.2f} s"
        unknown = {DocumentVerdict.UNREADABLE, DocumentVerdict.UNDECIDED}
        if self._verdicts.keys() - unknown and not self._links:
            why = "all of them were skipped" if self._dropped else "the documents have none"
            yield f"No link was checked: {why}."
        code = self.exit_code()
        if code is ExitCode.UNDECIDED:
            yield f"Exit code 3: {'; '.join(self._reasons())}."
        elif code is ExitCode.USAGE and self.total:
            yield "Exit code 2: no document could be read."

    def _dropped_links(self) -> str:
        codes = ", ".join(f"{code} {count}" for code, count in self._dropped.most_common())
        place = f"in {counted(self._with_dropped, 'document')}"
        accepted = sum(count for code, count in self._dropped.items() if code in self._accepted)
        return f"{counted(self._dropped.total(), 'link')} skipped {place} ({codes})" + (
            f", {accepted} of them allowed" if accepted else ""
        )

    def _reasons(self) -> Iterator[str]:
        """Yield the reasons why the answer is not a plain yes."""
        if count := self._failing[UNREADABLE]:
            yield f"{counted(count, 'document')} could not be read"
        if count := self._failing[UNDECIDED]:
            yield f"{counted(count, 'document')} could not be decided"
        if count := self._failing[UNCHECKED]:
            yield f"{counted(count, 'document')} could not be checked, because all links were skipped"
        errors = {UNREADABLE, UNDECIDED, UNCHECKED}
        others = {code: count for code, count in self._failing.items() if code not in errors}
        if count := sum(count for code, count in others.items() if code not in INCOMPLETE):
            was = "link was" if count == 1 else "links were"
            yield f"{count} {was} skipped, so the verdicts hold for the remaining links only"
        for code in sorted(INCOMPLETE & others.keys()):
            lacks = "lacks" if others[code] == 1 else "lack"
            yield f"{counted(others[code], 'document')} {lacks} part of what was asked for ({code})"


_COLUMNS_FOR_PROGRAMS = (
    *("document", "path", "entities", "links", "verdict", "decided_by", "conflict", "repair", "certificate"),
    *("error", "seconds", "skipped_links"),
)
_MOST_IDS = 12  # links in a cell of the table


class CheckPrinter:
    """Prints checks as they come and counts them."""

    def __init__(self, output: Output, *, show_all: bool) -> None:
        self._output = output
        self._show_all = show_all
        self._rows: list[list[str]] = []  # of the table
        if output is Output.CSV:
            _print_csv(_COLUMNS_FOR_PROGRAMS)

    def add(self, check: Check, findings: Sequence[BaselineJudgement]) -> None:
        """Report one document. What the baseline knows is in JSON and CSV only."""
        if self._output is Output.JSON:
            print_json({**check.to_dict(), "warnings": _wanted(check), **_known(findings)})
            return
        known = [each.known for each in findings[len(findings) - len(check.remarks) :]]  # remarks come last
        for remark, is_known in zip(check.remarks, known, strict=True):
            if not is_known:
                remarks().show(check.path or check.document, remark)
        if self._output is Output.CSV:
            _print_csv(map(spreadsheet_cell, _cells(check)))
            return
        is_new = check.verdict is not DocumentVerdict.CONSISTENT and any(
            not each.known for each in findings if each.finding.kind is RuleKind.ERROR
        )
        if is_new:
            _explain(check)
            for each in findings:
                if not each.listed and not each.known:
                    for number, line in enumerate(each.finding.message.split("\n")):
                        typer.echo(printable(f"    {line}" if number else f"  Since the baseline: {line}"))
        if self._show_all or is_new:
            cells = check.frame_row() | {"repair": ["none"] if _has_no_repair(check) else _ids(check.to_drop)}
            self._rows.append([_brief(cell) if isinstance(cell, list) else str(cell) for cell in cells.values()])

    def finish(self, fixed: Sequence[tuple[Known, int]], _code: ExitCode) -> None:
        """Print the table, and the known findings that are gone."""
        if self._rows:
            skipped = FRAME_COLUMNS.index("skipped_links")
            nothing = all(row[skipped] == "0" for row in self._rows)
            places = [place for place in range(len(FRAME_COLUMNS)) if place != skipped or not nothing]
            print_table(
                [FRAME_COLUMNS[each] for each in places], [[row[each] for each in places] for row in self._rows]
            )
        for entry, count in fixed:
            line = f"fixed[{entry.code}]: {entry.document}: {entry.message}{f' ({count} times)' if count > 1 else ''}"
            if self._output is Output.TABLE:
                typer.echo(printable(line))
            elif not remarks().quiet:
                complain(line)


def _wanted(check: Check) -> list[dict[str, Any]]:
    """Return the remarks of a document that are to be shown, as JSON."""
    return [{**remark.to_dict(), "path": check.path} for remark in check.remarks if remarks().wants(remark)]


def _known(findings: Sequence[BaselineJudgement]) -> dict[str, Any]:
    """Return how many findings of a document pass because the baseline has them."""
    known = sum(each.known for each in findings)
    return {"known_findings": known} if known else {}


def _print_csv(cells: Iterable[str]) -> None:
    csv.writer(sys.stdout, lineterminator="\n").writerow(cells)


def _cells(check: Check) -> Iterator[str]:
    cells = {**check.to_dict(), "conflict": " ".join(_ids(check.conflict)), "repair": " ".join(_ids(check.to_drop))}
    cells["skipped_links"] = sum(check.skipped_links.values())
    return ("" if cells[column] is None else str(cells[column]) for column in _COLUMNS_FOR_PROGRAMS)


def _ids(links: Iterable[Fact]) -> list[str]:
    return [link.id for link in links]


def _brief(ids: list[str]) -> str:
    """Return ids for a cell of the table, shortened: a conflict may have thousands."""
    more = len(ids) - _MOST_IDS
    return " ".join(ids) if more <= 1 else f"{' '.join(ids[:_MOST_IDS])} and {more} more"


def _has_no_repair(check: Check) -> bool:
    return check.repair_status in {RepairStatus.IMPOSSIBLE, RepairStatus.UNDECIDED}


def _explain(check: Check) -> None:
    """Print the explanation of a document that is not consistent."""
    colour = typer.colors.RED if check.verdict is DocumentVerdict.INCONSISTENT else typer.colors.YELLOW
    place = "" if check.path is None else f" ({check.path})"
    typer.secho(printable(f"{check.document}{place}: {check.verdict.value}"), fg=colour, bold=True)
    for line in lines_about(check):
        typer.echo(printable(f"  {line}"))


def print_answers(run: Run, output: str) -> ExitCode:
    """Compare the answers about each document, and print a table or JSON."""
    from temporacle.tasks.check import COLUMNS

    if output not in {"table", "json"}:
        raise UsageError("--answers has --output table and json only")
    found = list(run)
    for each in found:
        if output == "json":
            print_json(each.to_dict())
        else:
            for number, sentence in enumerate(each.feedback, 1):
                if sentence:
                    complain(f"{each.document}, answer {number}: {sentence}")
    if output == "table":
        rows = [[_shown(cell) for cell in each.row().values()] for each in found]
        print_table(COLUMNS, rows)
        total = sum(len(each.verdicts) for each in found)
        consistent = sum(each.consistent for each in found)
        skipped = skipped_words(sum((Counter(each.skipped_links) for each in found), Counter[str]()))
        of = f"{counted(total, 'answer')} about {counted(len(found), 'document')}"
        typer.echo(f"{of}: {consistent} consistent{skipped and f'; links{skipped[1:]}'}")
    verdicts = {verdict for each in found for verdict in each.verdicts}
    if "inconsistent" in verdicts:
        return ExitCode.NO
    return ExitCode.UNDECIDED if run.has_heard_trouble or verdicts - {"consistent"} else ExitCode.YES


def _shown(cell: object) -> str:
    return "none" if cell is None else digits(cell) if isinstance(cell, float) else str(cell)


class CheckOutput(StrEnum):
    """For people, for programs, for spreadsheets, for services."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"


@runs("check")
def check(
    run: Run,
    *,
    from_hook: Annotated[bool, typer.Option("--from-hook", hidden=True)] = False,  # a program has named the files
    show_all: Annotated[bool, typer.Option("--all", help="Also list consistent documents in the table.")] = False,
    output: Annotated[
        CheckOutput,
        typer.Option(
            "--output",
            help="table for people, json for programs, csv for rows; for services: github, sarif, junit.",
        ),
    ] = CheckOutput.TABLE,
) -> int:
    """Certify that documents are consistent, or show which links of each contradict each other.

    Exit code 0: all are consistent. 1: one is not. 3: one could not be read or decided, and none is known to be
    inconsistent. 2: nothing could be read.

    For example:

      temporacle check gold/

      temporacle check gold/ --repair --relabel --protect SIMULTANEOUS

      temporacle check gold/ --calendar --protect values --repair

      temporacle check gold/ --certificates certificates/ --output json

      temporacle check million.jsonl.gz --jobs 8 --resume done.checkpoint --output json

      temporacle check gold/ --baseline known.json --output github
    """
    from contextlib import closing

    from temporacle.commands.terminal import remarks
    from temporacle.tasks.gate import Gate

    if from_hook:
        from temporacle.corpus.options import reading_of
        from temporacle.io.listing import annotations_among

        paths = annotations_among(run.paths, reading_of(run.paths, run.given), note)
        if not paths:
            return ExitCode.YES
        run = run.changed(source=paths)
    if run["answers"]:
        return print_answers(run, output.value)
    gate = Gate(run["baseline"], run["write_baseline"], run["allow"])
    watcher = run.watcher = _CheckWatcher(*run.paths)
    summary = Summary(gate.accepted)
    printer = _printer(output, show_all=show_all, compares=gate.compares)
    started = iter(run.changed(gate=gate))
    refused = False
    try:
        with closing(started) as found:
            for each in found:
                summary.add(each, each.findings)
                printer.add(each, each.findings)
        if not summary.total:
            complain(f"no document under {', '.join(run.paths)}")
    except Exception:
        refused = not summary.total
        raise
    finally:  # what is done is printed also when the rest is interrupted
        if not refused:
            remarks().finish(counts_skipped=False)
            printer.finish(gate.fixed(), summary.exit_code())
            for line in summary.lines():
                _conclude(output, line)
    code = summary.exit_code()
    if watcher.unmatched and code is ExitCode.YES:
        code = ExitCode.UNDECIDED
    if gate.compares:
        _conclude(output, f"Baseline: {gate.known} known, {gate.new} new, {len(gate.fixed())} fixed.")
    if gate.is_old:
        _conclude(output, f"{run['baseline']} is of an older version: write it again with --write-baseline.")
    if (written := gate.write()) is not None:
        _conclude(output, f"{written} findings written to {run['write_baseline']}")
        code = code if gate.compares or code == ExitCode.USAGE else ExitCode.YES  # they are known from now on
    return code


class _CheckWatcher(Watcher):
    """Notes names that protect nothing: they are known at the end."""

    unmatched = False

    def corpus_remark(self, remark: Remark) -> None:
        from temporacle.tasks.check import UNMATCHED

        if remark.code == UNMATCHED:
            self.unmatched = True
            remark = remark._replace(element=None, message=f"--{remark.element} {remark.message}")
        note(remark)


def _printer(output: CheckOutput, *, show_all: bool, compares: bool) -> CheckPrinter | GatePrinter:
    if output.value in {each.value for each in Output}:
        return CheckPrinter(Output(output.value), show_all=show_all)
    from temporacle.commands.check_services import GithubPrinter, JunitPrinter, SarifPrinter

    if output is CheckOutput.SARIF:
        return SarifPrinter(compares=compares)
    return GithubPrinter() if output is CheckOutput.GITHUB else JunitPrinter()


def _conclude(output: CheckOutput, line: str) -> None:
    """Print a line of the summary: on standard output for people, on standard error if the output is for programs."""
    from temporacle.commands.terminal import remarks

    if output is CheckOutput.TABLE:
        typer.echo(printable(line))
    elif not remarks().quiet:
        complain(line)
