"""``temporacle audit``: is another program's closure right?"""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    OutputOption,
    complain,
    complain_about,
    documents,
    print_json,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from temporacle.audit.findings import Subject
    from temporacle.audit.generate import Case
    from temporacle.audit.run import Report
    from temporacle.io.source import Options
    from temporacle.model import Document


class Relations(StrEnum):
    """What the links of generated graphs may be."""

    ATOMIC = "atomic"
    CONVEX = "convex"
    ANY = "any"


@reads_documents()
def audit(
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="The documents; without it graphs are generated.")
    ] = None,
    claimed: Annotated[
        str | None, typer.Argument(metavar="CLAIMED", help="Another program's closure of SOURCE.")
    ] = None,
    *,
    implementation: Annotated[
        str | None,
        typer.Option(metavar="MODULE:FUNCTION", help="Audit this function (or tieval, anaforatools, timegraph)."),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(metavar="'PROG {input}'", help="Audit this program: links TSV in, closure TSV out."),
    ] = None,
    cases: Annotated[int, typer.Option(min=1, help="How many graphs to generate.")] = 400,
    seed: Annotated[int, typer.Option(help="Seed of the graphs.")] = 0,
    relations: Annotated[Relations, typer.Option(help="Relations of generated links.")] = Relations.ATOMIC,
    entities: Annotated[int, typer.Option(min=2, help="Entities of a small graph at most.")] = 6,
    large: Annotated[int, typer.Option(min=0, help="Entities of the occasional large graph; 0: none.")] = 30,
    limit: Annotated[float, typer.Option(min=0.01, metavar="SECONDS", help="Time for an answer.")] = 10.0,
    inconsistent: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help="An exception of this type says that the links are inconsistent."),
    ] = None,
    determined_only: Annotated[
        bool, typer.Option("--determined-only", help="Demand completeness only for pairs that have one relation.")
    ] = False,
    evidence: Annotated[
        int, typer.Option(min=0, metavar="N", help="Findings of a document that get evidence; more are only listed.")
    ] = 1000,
    vary: Annotated[
        bool, typer.Option("--vary/--no-vary", help="Also ask equivalent questions: order, names, direction, state.")
    ] = True,
    report: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write a report: .html, .md or .json.")
    ] = None,
    options: Options,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Check another closure: which claims do not follow, and what follows but is not claimed.

    Either SOURCE and CLAIMED are files, or a live implementation is asked about generated graphs (or about SOURCE).
    Files are worked on by all cores or a cluster; a live audit is one conversation, in which each question depends on
    what was found before, and stays in one process.
    Every finding carries evidence; those of a live audit are shrunk to minimal graphs. Exit 1 if there is a finding.

    For example:

      temporacle audit links.tsv closure.tsv

      temporacle audit corpus.jsonl closure.jsonl --jobs 8 --resume done.jsonl --output json

      temporacle audit --implementation mypackage.closure:close --cases 1000 --seed 7 -o audit.html

      temporacle audit --command './close {input}' --relations convex --output json

      temporacle audit --implementation tieval --determined-only
    """
    from temporacle.commands.audit_report import check_target
    from temporacle.errors import UsageError

    if report is not None:
        check_target(report)
    told = _Told(output, report)
    if implementation is None and command is None:
        if source is None or claimed is None:
            raise UsageError("give SOURCE and CLAIMED, or --implementation or --command")
        from temporacle.commands.audit_files import FileAudit, Judge, journal_of_judgements
        from temporacle.commands.running import plan_of, telling_of_interrupts
        from temporacle.runner.place import Place

        judge = Judge(budget, evidence, determined_only)
        journal = None if resume is None else journal_of_judgements(resume, (source, claimed, options, judge))
        audited = FileAudit(source, claimed, options, judge)
        with telling_of_interrupts(journal), Place(plan_of(jobs, backend, scheduler)) as place:
            for row in audited.rows(place, journal):
                told.add(row)
        told.finish(audited.summary())
        raise typer.Exit(_exit_code(audited.summary(), trouble=audited.trouble))
    if claimed is not None or (implementation is not None and command is not None):
        raise UsageError("give one of CLAIMED, --implementation and --command")
    if jobs not in {None, 1} or backend is not Backend.LOCAL or scheduler is not None or resume is not None:
        raise UsageError(
            "--jobs, --backend, --scheduler and --resume belong to the audit of files: "
            "a live audit asks one question after the other, and each depends on what was found before"
        )
    from temporacle.audit.generate import Plan, Vocabulary

    plan = Plan(cases, seed, Vocabulary(relations.value), entities, large)
    read = _Documents(source, options) if source is not None else None
    given = list(plan if read is None else read.cases())
    if not given:
        raise UsageError(f"{source} holds no readable document")
    with _subject(implementation, command, limit, inconsistent or []) as subject:
        found = _audit_live(subject, given, budget, vary=vary, determined_only=determined_only)
    rows, summary = _live_rows(found, plan if source is None else None, command)
    for row in rows:
        told.add(row)
    told.finish(summary)
    nothing_judged = summary["declined"] == summary["cases"]
    if nothing_judged:
        complain("every graph was declined by the implementation: nothing has been checked")
    raise typer.Exit(_exit_code(summary, trouble=nothing_judged or (read is not None and read.trouble)))


class _Told:
    """Findings printed as they come, or held for a table and for a report."""

    def __init__(self, output: Output, report: str | None) -> None:
        self._as_json = output is Output.JSON
        self._report = report
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        if self._as_json:
            print_json(row)
        if not self._as_json or self._report is not None:
            self._rows.append(row)

    def finish(self, summary: dict[str, Any]) -> None:
        from temporacle.commands.audit_report import show, write_report

        if self._as_json:
            print_json(summary)
        else:
            show(self._rows, summary)
        if self._report is not None:
            write_report(self._report, self._rows, summary)


def _exit_code(summary: dict[str, Any], *, trouble: bool) -> ExitCode:
    if not summary["clean"]:
        return ExitCode.NO
    if trouble or summary["undecided"]:
        return ExitCode.UNDECIDED
    return ExitCode.YES


# --- live ------------------------------------------------------------------------------------------------------------


class _Documents:
    """The documents of a path as cases for a live implementation; ``trouble`` if not all of them could be read."""

    def __init__(self, path: str, options: Options) -> None:
        self.trouble = False
        self._path, self._options = path, options

    def cases(self) -> Iterable[Case]:
        from temporacle.audit.generate import Case

        for number, document in enumerate(self._readable(), 1):
            yield Case(number, document.id, tuple((link.source, link.relation, link.target) for link in document.links))

    def _readable(self) -> Iterable[Document]:
        from temporacle.model import Unreadable

        for document in documents([self._path], self._options):
            self.trouble |= complain_about(document)
            if not isinstance(document, Unreadable):
                yield document


def _subject(
    implementation: str | None, command: str | None, limit: float, inconsistent: list[str]
) -> AbstractContextManager[Subject]:
    if implementation is not None:
        from temporacle.audit.subjects.python import PythonSubject

        return PythonSubject(implementation, seconds=limit, inconsistent=inconsistent)
    from temporacle.audit.subjects.command import CommandSubject

    return nullcontext(CommandSubject(command or "", seconds=limit))


def _audit_live(
    subject: Subject, cases: list[Case], budget: float | None, *, vary: bool, determined_only: bool
) -> Report:
    from temporacle.audit.run import Audit
    from temporacle.commands.progress import Bar

    run = Audit(subject, budget=budget, vary=vary, disjunctions=not determined_only)
    with Bar(lambda: len(cases), "cases") as bar:
        return run.run(cases, lambda _: bar.advance())


def _live_rows(report: Report, plan: Any, command: str | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    from temporacle.commands.audit_rows import cause_row, counts, rates

    rows = [cause_row(cause, command) for cause in report.grouped()]
    summary: dict[str, Any] = {"summary": True, "subject": report.subject, **counts(report)}
    if plan is not None:
        summary |= {"seed": plan.seed, "relations": plan.vocabulary.value, "entities": plan.entities}
        summary["large"] = plan.large
    return rows, {**summary, "rates": rates(summary), "clean": report.clean}
