"""``temporacle audit``: is another program's closure right?"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, cast

import typer

from temporacle.audit.answers import Vocabulary
from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    OutputOption,
    print_json,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption

if TYPE_CHECKING:
    from temporacle.audit.findings import Audit
    from temporacle.corpus.inputs import ReadingOptions


@reads_documents(prints=False, writes=["report"])
def audit(
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE", help="Documents to ask about (default: generated graphs).")
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
        typer.Option(metavar="'PROG {input}'", help="Audit this program. It reads links TSV and writes closure TSV."),
    ] = None,
    cases: Annotated[int, typer.Option(min=1, help="Number of graphs to generate.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the graphs.")] = 0,
    relations: Annotated[Vocabulary, typer.Option(help="Relations of generated links.")] = Vocabulary.ATOMIC,
    entities: Annotated[int, typer.Option(min=2, help="Largest number of entities in a small graph.")] = 6,
    large: Annotated[int, typer.Option(min=0, help="Entities in a large graph; 0 for no large graphs.")] = 30,
    limit: Annotated[float, typer.Option(min=0.01, metavar="SECONDS", help="Time limit for one answer.")] = 10.0,
    inconsistent: Annotated[
        list[str] | None,
        typer.Option(metavar="TYPE", help="Type of exception that means: the links are inconsistent."),
    ] = None,
    determined_only: Annotated[
        bool, typer.Option("--determined-only", help="Expect only pairs whose relation is a single atom.")
    ] = False,
    evidence: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Number of findings per document that get evidence; the others are only listed."
        ),
    ] = 1000,
    certificates: Annotated[
        str | None,
        typer.Option(
            "--certificates", metavar="DIR", help="Write a certificate of each finding, for temporacle verify."
        ),
    ] = None,
    vary: Annotated[
        bool,
        typer.Option("--vary/--no-vary", help="Also ask equivalent questions: other order, names, direction, state."),
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

      temporacle audit corpus.jsonl closure.jsonl --jobs 8 --resume done.journal --output json

      temporacle audit --implementation mypackage.closure:close --cases 1000 --seed 7 -o audit.html

      temporacle audit --command './close {input}' --relations convex --output json

      temporacle audit links.tsv closure.tsv --certificates findings/

      temporacle audit --implementation tieval --determined-only
    """
    from temporacle.commands.audit_print import AuditPrinter
    from temporacle.commands.running import telling_of_interrupts
    from temporacle.errors import UsageError
    from temporacle.report.audit_page import check_target
    from temporacle.tasks.audit import audit as audit_live
    from temporacle.tasks.audit import audit_claims

    if report is not None:
        check_target(report)
    as_json = output is Output.JSON
    reading = cast("ReadingOptions", {each.name: getattr(options, each.name) for each in fields(options)})
    generated = _changed(cases=(cases, 1000), seed=(seed, 0), relations=(relations, Vocabulary.ATOMIC))
    generated += _changed(entities=(entities, 6), large=(large, 30))
    asked = _changed(limit=(limit, 10.0), inconsistent=(inconsistent or [], []))
    if implementation is None and command is None:
        if source is None or claimed is None:
            raise UsageError("give SOURCE and CLAIMED, or --implementation or --command")
        if given := [*generated, *asked]:
            raise UsageError(
                f"{', '.join(given)}: only for a live audit; leave out, or give --implementation or --command"
            )
        with telling_of_interrupts(resume), AuditPrinter("documents", as_json=as_json) as observer:
            found = audit_claims(
                source,
                claimed,
                evidence=evidence,
                determined_only=determined_only,
                budget=budget,
                jobs=jobs,
                backend=backend.value,
                scheduler=scheduler,
                resume=resume,
                certificates=certificates,
                observer=observer,
                **reading,
            )
    elif claimed is not None or (implementation is not None and command is not None):
        raise UsageError("give only one of CLAIMED, --implementation and --command")
    elif jobs not in {None, 1} or backend is not Backend.LOCAL or scheduler is not None or resume is not None:
        raise UsageError(
            "--jobs, --backend, --scheduler and --resume work only for SOURCE and CLAIMED; "
            "a live audit asks one question at a time, because each depends on the answers before it"
        )
    elif evidence != 1000:
        raise UsageError("--evidence works only for SOURCE and CLAIMED; a live audit gives evidence for each finding")
    elif source is not None and generated:
        raise UsageError(f"{', '.join(generated)}: only for generated graphs; leave out, or leave out SOURCE")
    else:
        with AuditPrinter("cases", as_json=as_json) as observer:
            found = audit_live(
                implementation,
                command=command,
                source=source,
                cases=cases,
                seed=seed,
                relations=relations.value,
                entities=entities,
                large=large,
                limit=limit,
                inconsistent=inconsistent or (),
                determined_only=determined_only,
                vary=vary,
                budget=budget,
                certificates=certificates,
                observer=observer,
                **reading,
            )
    _print(found, output, report)
    raise typer.Exit(_exit_code(found))


def _changed(**options: tuple[object, object]) -> list[str]:
    """Return the options whose value is not the default."""
    return [f"--{name}" for name, (value, default) in options.items() if value != default]


def _print(found: Audit, output: Output, report: str | None) -> None:
    from temporacle.commands.audit_print import show_page
    from temporacle.report.audit_page import audit_page, write_page

    if output is Output.JSON:
        print_json(found.summary())
    else:
        show_page(audit_page(found))
    if report is not None:
        write_page(report, audit_page(found))


def _exit_code(found: Audit) -> ExitCode:
    if not found.clean:
        return ExitCode.NO
    return ExitCode.YES if found.whole else ExitCode.UNDECIDED
