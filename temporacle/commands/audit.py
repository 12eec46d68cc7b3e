"""``temporacle audit``: is another program's closure right?"""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from temporacle.commands.common import (
    BudgetOption,
    During,
    DuringOption,
    EncodingOption,
    ExitCode,
    FormatOption,
    Output,
    OutputOption,
    ReadingOption,
    complain,
    complain_about,
    documents,
    print_json,
    reading_options,
)
from temporacle.commands.running import JobsOption  # noqa: TC001 - Typer reads it

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from temporacle.io.source import Options
    from temporacle.model import Document
    from temporacle.reasoner.audit.findings import Answer, Fault, Subject
    from temporacle.reasoner.audit.generate import Case
    from temporacle.reasoner.audit.run import Report


class Relations(StrEnum):
    """What the links of generated graphs may be."""

    ATOMIC = "atomic"
    CONVEX = "convex"
    ANY = "any"


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
    format_name: FormatOption = None,
    reading: ReadingOption = None,
    during: DuringOption = During.SIMULTANEOUS,
    encoding: EncodingOption = None,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Check another closure: which claims do not follow, and what follows but is not claimed.

    Either SOURCE and CLAIMED are files, or a live implementation is asked about generated graphs (or about SOURCE).
    Every finding carries evidence; those of a live audit are shrunk to minimal graphs. Exit 1 if there is a finding.

    For example:

      temporacle audit links.tsv closure.tsv

      temporacle audit --implementation mypackage.closure:close --cases 1000 --seed 7 -o audit.html

      temporacle audit --command './close {input}' --relations convex --output json

      temporacle audit --implementation tieval --determined-only
    """
    from temporacle.commands.audit_report import check_target, show, write_report
    from temporacle.errors import UsageError

    if report is not None:
        check_target(report)
    options = reading_options(format_name, reading, during, encoding)
    if implementation is None and command is None:
        if source is None or claimed is None:
            raise UsageError("give SOURCE and CLAIMED, or --implementation or --command")
        rows, summary, trouble = _audit_files(
            source, claimed, options, budget, evidence=evidence, determined_only=determined_only, jobs=jobs
        )
    else:
        if claimed is not None or (implementation is not None and command is not None):
            raise UsageError("give one of CLAIMED, --implementation and --command")
        from temporacle.reasoner.audit.generate import Plan, Vocabulary

        plan = Plan(cases, seed, Vocabulary(relations.value), entities, large)
        given = list(plan) if source is None else list(_cases(source, options))
        with _subject(implementation, command, limit, inconsistent or []) as subject:
            found = _audit_live(subject, given, budget, vary=vary, determined_only=determined_only)
        rows, summary, trouble = _live_rows(found, plan if source is None else None, command)
    if output is Output.JSON:
        for row in (*rows, summary):
            print_json(row)
    else:
        show(rows, summary)
    if report is not None:
        write_report(report, rows, summary)
    raise typer.Exit(_exit_code(summary, trouble=trouble))


def _exit_code(summary: dict[str, Any], *, trouble: bool) -> ExitCode:
    if not summary["clean"]:
        return ExitCode.NO
    if trouble or summary["undecided"]:
        return ExitCode.UNDECIDED
    return ExitCode.YES


# --- files -----------------------------------------------------------------------------------------------------------


def _audit_files(
    source: str,
    claimed: str,
    options: Options,
    budget: float | None,
    *,
    evidence: int,
    determined_only: bool,
    jobs: int | None,
) -> tuple[list[dict[str, Any]], dict[str, Any], bool]:
    """Judge each document of SOURCE by what CLAIMED says about it."""
    from functools import partial

    from temporacle.commands.audit_rows import counts, rates
    from temporacle.errors import UsageError
    from temporacle.reasoner.audit.findings import Closed, SaidInconsistent
    from temporacle.reasoner.audit.run import Report
    from temporacle.runner.place import Place, Plan
    from temporacle.runner.spread import spread
    from temporacle.subjects.claims import read_claims

    sources, trouble = _readable(source, options)
    claims = read_claims(claimed, options)
    for message in claims.troubles:
        complain(message)
    trouble = trouble or bool(claims.troubles)
    if not sources:
        raise UsageError(f"{source} holds no readable document")
    if not claims.answers and not claims.everything and claims.troubles:
        raise UsageError(f"{claimed} holds no readable closure")
    if len(sources) == 1 and len(claims.answers) == 1:  # whatever the two files are called
        claims.answers = dict.fromkeys((sources[0].id,), next(iter(claims.answers.values())))
    for document in sources:
        if document.id not in claims.answers and not claims.everything:
            complain(f"note: {claimed} claims nothing about document {document.id!r}")
    for stranger in sorted(set(claims.answers) - {document.id for document in sources}):
        complain(f"{claimed}: document {stranger!r} is not in {source}")
        trouble = True
    report = Report(claimed)
    rows: list[dict[str, Any]] = []
    answers = [
        SaidInconsistent() if claims.everything else claims.answers.get(document.id, Closed(())) for document in sources
    ]
    work = partial(_judged, budget=budget, evidence=evidence, determined_only=determined_only)
    results = spread(work, zip(sources, answers, strict=True), Place(Plan(jobs)), failed=_not_judged)
    for (document, _), found in results:
        report.cases += 1
        if isinstance(found, str):
            report.undecided += 1
            complain(f"{document.id}: {found}")
        else:
            report.count(found.consistent, found.pairs, found.faults)
            rows += found.rows
    summary = {"summary": True, "subject": claimed, "documents": len(sources), **counts(report), "findings": len(rows)}
    return rows, {**summary, "rates": rates(summary), "clean": report.clean}, trouble


class _Judged(NamedTuple):
    """What is counted about a document, and the rows of its findings."""

    consistent: bool
    pairs: int
    faults: list[Fault]
    rows: list[dict[str, Any]]


def _judged(
    question: tuple[Document, Answer], *, budget: float | None, evidence: int, determined_only: bool
) -> _Judged | str:
    """Judge one document, in this process or another; or why that was not possible."""
    from temporacle.commands.audit_rows import finding
    from temporacle.errors import BudgetExceeded
    from temporacle.reasoner.audit.evidence import Evidence, evidence_for
    from temporacle.reasoner.audit.findings import Manner
    from temporacle.reasoner.audit.judge import judge
    from temporacle.reasoner.network import Budget, Network
    from temporacle.reasoner.oracle import Oracle

    document, answer = question
    network = Network.of(document)
    allowed = Budget(budget)
    try:
        judgement = judge(network, answer, Oracle(network, budget=allowed).minimal_network())
    except BudgetExceeded as limit:
        return str(limit)
    faults = [
        fault for fault in judgement.faults if not (determined_only and fault.manner is Manner.MISSED_DISJUNCTION)
    ]
    rows = []
    for number, fault in enumerate(faults):
        why = evidence_for(network, fault, allowed) if number < evidence else Evidence()
        rows.append(finding({"document": document.id}, fault, why))
    return _Judged(judgement.consistent, judgement.pairs, faults, rows)


def _not_judged(_question: object, reason: str) -> str:
    return reason


def _readable(path: str, options: Options) -> tuple[list[Document], bool]:
    """The documents of a path, and whether something of it could not be read."""
    from temporacle.model import Unreadable

    found: list[Document] = []
    trouble = False
    for document in documents([path], options):
        trouble |= complain_about(document)
        if not isinstance(document, Unreadable):
            found.append(document)
    return found, trouble


# --- live ------------------------------------------------------------------------------------------------------------


def _cases(path: str, options: Options) -> Iterable[Case]:
    """The documents of a path as cases for a live implementation."""
    from temporacle.reasoner.audit.generate import Case

    for number, document in enumerate(_readable(path, options)[0], 1):
        yield Case(number, document.id, tuple((link.source, link.relation, link.target) for link in document.links))


def _subject(
    implementation: str | None, command: str | None, limit: float, inconsistent: list[str]
) -> AbstractContextManager[Subject]:
    if implementation is not None:
        from temporacle.subjects.python import PythonSubject

        return PythonSubject(implementation, seconds=limit, inconsistent=inconsistent)
    from temporacle.subjects.command import CommandSubject

    return nullcontext(CommandSubject(command or "", seconds=limit))


def _audit_live(
    subject: Subject, cases: list[Case], budget: float | None, *, vary: bool, determined_only: bool
) -> Report:
    from temporacle.commands.audit_report import progress_over
    from temporacle.reasoner.audit.run import Audit

    run = Audit(subject, budget=budget, vary=vary, disjunctions=not determined_only)
    with progress_over(len(cases)) as step:
        return run.run(cases, lambda _: step())


def _live_rows(report: Report, plan: Any, command: str | None) -> tuple[list[dict[str, Any]], dict[str, Any], bool]:
    from temporacle.commands.audit_rows import cause_row, counts, rates

    rows = [cause_row(cause, command) for cause in report.grouped()]
    summary: dict[str, Any] = {"summary": True, "subject": report.subject, **counts(report)}
    if plan is not None:
        summary |= {"seed": plan.seed, "relations": plan.vocabulary.value, "entities": plan.entities}
        summary["large"] = plan.large
    return rows, {**summary, "rates": rates(summary), "clean": report.clean}, False
