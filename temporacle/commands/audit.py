"""``temporacle audit``: is another program's closure right?"""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Annotated, Self

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, print_json, printable
from temporacle.commands.options import Run, runs, telling_of_interrupts
from temporacle.commands.terminal import Bar, note, print_table, remarks
from temporacle.declared import OUTPUT, parameters_of
from temporacle.errors import UsageError
from temporacle.report.audit_page import audit_page, check_target, crosscheck_page, described, write_page
from temporacle.tasks import task_named
from temporacle.tasks.audit import AuditObserver

if TYPE_CHECKING:
    from temporacle.audit.findings import Audit, Crosscheck, Finding
    from temporacle.model import Remark
    from temporacle.report.audit_page import AuditPage

_SHOWN = 4  # findings of a group


class AuditPrinter(AuditObserver):
    """Findings printed as they come (JSON), remarks on standard error, and a progress bar."""

    def __init__(self, pieces: str, *, as_json: bool) -> None:
        self._as_json = as_json
        self._total = 0
        self._bar = Bar(lambda: self._total, pieces)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def finding(self, finding: Finding) -> None:
        """See AuditObserver."""
        if self._as_json:
            print_json(finding.to_dict())

    def remark(self, remark: Remark) -> None:
        """See AuditObserver."""
        note(remark)

    def progress(self, _done: int, total: int) -> None:
        """See AuditObserver."""
        self._total = total
        self._bar.advance()


def show_page(page: AuditPage) -> None:
    """Print the counts, then the findings."""
    print_table(("counted", "", "rate"), page.counted)
    show_findings(page)
    if page.clean:
        typer.echo("\nno findings")


def show_findings(page: AuditPage) -> None:
    """Print the findings, grouped by cause."""
    for title, findings in page.groups():
        typer.echo(f"\n{title}")
        for first, *rest in starmap(described, findings[:_SHOWN]):
            typer.echo("\n".join([f"  - {printable(first)}", *(f"    {printable(line)}" for line in rest)]))
        if len(findings) > _SHOWN:
            typer.echo(f"  and {len(findings) - _SHOWN} more: see --output json, or -o FILE")


@runs("audit", "audit_claims", prints=False, writes=["out"])
def audit(
    run: Run,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write a report: .html, .md or .json.", rich_help_panel=OUTPUT
        ),
    ] = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Check another closure: which claims do not follow, and what follows but is not claimed.

    Either SOURCE and CLAIMED are files, or a live implementation is asked about generated graphs (or about SOURCE).
    Files are worked on by all cores or a cluster; a live audit is one conversation, in which each question depends on
    what was found before, and stays in one process.
    Every finding carries evidence; those of a live audit are shrunk to minimal graphs. Exit 1 if there is a finding.

    For example:

      temporacle audit links.tsv closure.tsv

      temporacle audit corpus.jsonl closure.jsonl --jobs 8 --resume done.checkpoint --output json

      temporacle audit --implementation mypackage.closure:close --cases 1000 --seed 7 -o audit.html

      temporacle audit --command './close {input}' --relations convex --output json

      temporacle audit links.tsv closure.tsv --certificates findings/

      temporacle audit --implementation tieval --determined-only
    """
    if out is not None:
        check_target(out)
    as_json = output is Output.JSON
    live = run["implementation"] is not None or run["command"] is not None
    generated = _changed(run, "cases", "seed", "relations", "entities", "large")
    if not live:
        if run["source"] is None or run["claimed"] is None:
            raise UsageError("give SOURCE and CLAIMED, or --implementation or --command")
        if given := [*generated, *_changed(run, "inconsistent")]:
            raise UsageError(
                f"{', '.join(given)}: only for a live audit; leave out, or give --implementation or --command"
            )
    elif run["claimed"] is not None or (run["implementation"] is not None and run["command"] is not None):
        raise UsageError("give only one of CLAIMED, --implementation and --command")
    elif run["jobs"] not in {None, 1} or _changed(run, "backend", "scheduler", "resume"):
        raise UsageError(
            "--jobs, --backend, --scheduler and --resume work only for SOURCE and CLAIMED; "
            "a live audit asks one question at a time, because each depends on the answers before it"
        )
    elif _changed(run, "evidence"):
        raise UsageError("--evidence works only for SOURCE and CLAIMED; a live audit gives evidence for each finding")
    elif run["source"] is not None and generated:
        raise UsageError(f"{', '.join(generated)}: only for generated graphs; leave out, or leave out SOURCE")
    asked = run.of("audit" if live else "audit_claims")
    with telling_of_interrupts(run["resume"]), AuditPrinter("cases" if live else "documents", as_json=as_json) as heard:
        found: Audit = asked.task(**asked.given, observer=heard)
    if as_json:
        print_json(found.summary())
    else:
        show_page(audit_page(found))
    if out is not None:
        write_page(out, audit_page(found))
    if not found.clean:
        return ExitCode.NO
    return ExitCode.YES if found.completes(remarks().allowed) else ExitCode.UNDECIDED


def _changed(run: Run, *names: str) -> list[str]:
    """Return the options whose value is not the default."""
    known = parameters_of(task_named("audit")) | parameters_of(task_named("audit_claims"))
    return [f"--{name.replace('_', '-')}" for name in names if run[name] not in (known[name].default, [])]


@runs("crosscheck", prints=False, reads=False, writes=["out"])
def crosscheck(
    run: Run,
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write the findings: .html, .md or .json.", rich_help_panel=OUTPUT
        ),
    ] = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Compare all engines with each other on random graphs, and the certificates with their checker.

    Every engine is judged by the enumeration of all scenarios. The parts of the engine exact (graph, large, splitting,
    cdcl) also answer alone. A few graphs have 8 to 30 entities: there exact, cdcl, cpsat and ord-horn are compared.
    Engines decline graphs they are not made for. Propagation and path-consistency promise soundness only: what they
    miss is counted, and is not a finding. Exit 1 if any engine is wrong.

    For example:

      temporacle crosscheck --cases 1000 --seed 3

      temporacle crosscheck --engine cpsat --engine timegraph --relations convex --output json
    """
    if out is not None:
        check_target(out)
    total = 0

    def progress(_done: int, whole: int) -> None:
        nonlocal total
        total = whole
        bar.advance()

    with Bar(lambda: total, "cases") as bar:
        found: Crosscheck = run.task(**run.given, progress=progress)
    if output is Output.JSON:
        for row in found.rows():
            print_json(row)
    else:
        _show(found)
    if out is not None:
        write_page(out, crosscheck_page(found))
    return ExitCode.YES if found.clean else ExitCode.NO


def _show(found: Crosscheck) -> None:
    columns = ("engine", "graphs", "cases", "declined", "pairs", "missed", "wrong", "over_claimed")
    more = ("inconsistent", "missed_inconsistencies", "false_inconsistencies", "crashes")
    table = []
    for engine in found.engines:
        row = engine.to_dict()
        promise = "" if engine.complete else " (sound only)"
        verdict = ("agrees" if engine.clean else "WRONG") + promise
        table.append([*(str(row[column]) for column in (*columns, *more)), verdict])
    print_table((*columns, *more, "verdict"), table)
    show_findings(crosscheck_page(found))
