"""``temporacle check``: which documents contradict themselves, where, and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import ExitCode, Output, complain, note, printable
from temporacle.commands.options import Run, runs
from temporacle.commands.watching import Watcher
from temporacle.errors import UsageError

if TYPE_CHECKING:
    from temporacle.commands.check_gate import GatePrinter
    from temporacle.commands.check_report import CheckPrinter
    from temporacle.model import Remark


class CheckOutput(StrEnum):
    """For people, for programs, for spreadsheets, for services."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"


@runs("check", writes=["write_baseline"])
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
    """Certify that documents are consistent, or show for each which links cannot all be true.

    Exit code 0: all are consistent. 1: one is not. 3: one could not be read or decided, and none is known to be
    inconsistent. 2: nothing could be read.

    For example:

      temporacle check gold/

      temporacle check gold/ --repair --relabel --protect SIMULTANEOUS

      temporacle check gold/ --calendar --protect values --repair

      temporacle check gold/ --certificates certificates/ --output json

      temporacle check million.jsonl.gz --jobs 8 --resume done.journal --output json

      temporacle check gold/ --baseline known.json --output github
    """
    import os
    from contextlib import closing

    from temporacle.commands.check_summary import Summary
    from temporacle.commands.remarks import remarks
    from temporacle.tasks.baseline import Gate

    if missing := [path for path in run.paths if path != "-" and not os.path.lexists(path)]:
        raise UsageError(f"no such file or folder: {', '.join(missing)}")
    if from_hook:
        from temporacle.corpus.options import reading_of
        from temporacle.io.listing import annotations_among

        paths = annotations_among(run.paths, reading_of(run.paths, run.given), note)
        if not paths:
            return ExitCode.YES
        run = run.changed(source=paths)
    if run["answers"]:
        from temporacle.commands.check_samples import print_samples

        return print_samples(run, output.value)
    gate = Gate(run["baseline"], run["write_baseline"], run["allow"])
    watcher = run.watcher = _CheckWatcher(*run.paths)
    summary = Summary(gate.accepted)
    printer = _printer(output, show_all=show_all, compares=gate.compares)
    started = iter(run.changed(gate=gate))
    try:
        with closing(started) as found:
            for each in found:
                summary.add(each, each.findings)
                printer.add(each, each.findings)
        if not summary.total:
            complain(f"no document under {', '.join(run.paths)}")
    finally:  # what is done is printed also when the rest is interrupted
        remarks().finish()
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
        from temporacle.commands.check_report import CheckPrinter

        return CheckPrinter(Output(output.value), show_all=show_all)
    from temporacle.commands.check_gate import GithubPrinter, JunitPrinter, SarifPrinter

    if output is CheckOutput.SARIF:
        return SarifPrinter(compares=compares)
    return GithubPrinter() if output is CheckOutput.GITHUB else JunitPrinter()


def _conclude(output: CheckOutput, line: str) -> None:
    """Print a line of the summary: on standard output for people, on standard error if the output is for programs."""
    from temporacle.commands.remarks import remarks

    if output is CheckOutput.TABLE:
        typer.echo(printable(line))
    elif not remarks().quiet:
        complain(line)
