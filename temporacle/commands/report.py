"""``temporacle report``: pages to look at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Paths,
    complain,
    complain_about,
    documents,
    json_text,
    note,
    printable,
)
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.io.source import Options
    from temporacle.report.compare_systems import Side
    from temporacle.runner import Plan


class Layout(StrEnum):
    """Where the details of documents stand."""

    AUTO = "auto"
    SINGLE = "single"
    LINKED = "linked"


class Subject(StrEnum):
    """What the paths are."""

    AUTO = "auto"
    CORPUS = "corpus"
    COMPARISON = "comparison"


class AlignChoice(StrEnum):
    """How entities of gold and system are recognised as the same."""

    IDS = "ids"
    SPANS = "spans"


@reads_documents()
def report(
    paths: Paths,
    *,
    target: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = "report.html",
    subject: Annotated[
        Subject,
        typer.Option("--as", help="One corpus, or GOLD SYSTEM...; auto: a comparison if later paths answer the first."),
    ] = Subject.AUTO,
    layout: Annotated[
        Layout, typer.Option(help="Details on one page, on linked pages beside it, or by the number of documents.")
    ] = Layout.AUTO,
    align: Annotated[AlignChoice, typer.Option(help="With systems: how entities are recognised.")] = AlignChoice.IDS,
    seed: Annotated[int, typer.Option(min=0, help="With systems: seed of the confidence intervals.")] = 0,
    options: Options,
    budget: BudgetOption = 60,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
) -> None:
    """Write a page about a corpus, or about systems and a gold standard. It needs no network and opens from disk.

    A corpus: verdicts, texts, timelines, minimal graphs, conflicts and repairs. GOLD SYSTEM...: scores by every metric,
    confusions, and every link that was found, missed or wrong, with the reason. Exit code 0 if the page was written
    and everything could be read and decided, whatever the verdicts are.

    For example:

      temporacle report examples/corpus -o report.html

      temporacle report gold/ system/ -o scores.html

      temporacle report gold/ run1/ run2/ --align spans -o scores.html

      temporacle report corpus/ --jobs 8 --resume done.jsonl -o report.html
    """
    from temporacle.commands.running import plan_of

    linked = None if layout is Layout.AUTO else layout is Layout.LINKED
    sides = _sides(paths, options) if subject is not Subject.CORPUS and len(paths) > 1 else []
    plan = plan_of(jobs, backend, scheduler)
    if subject is Subject.COMPARISON or (sides and _answers(sides)):
        from temporacle.commands.progress import Bar
        from temporacle.commands.running import telling_of_interrupts
        from temporacle.errors import UsageError
        from temporacle.model import Unreadable
        from temporacle.report.compare_systems import Choices, steps, write_comparison_report
        from temporacle.scoring.options import Align

        if len(sides) < 2:
            raise UsageError("a comparison needs GOLD and at least one SYSTEM")
        if resume is not None:
            raise UsageError("--resume belongs to the report of a corpus: a comparison looks at all documents again")
        found = [each for side in sides for each in side.documents]
        trouble = sum(map(complain_about, found))
        unreadable = {each.id for each in found if isinstance(each, Unreadable)}
        for side in sides:
            if all(isinstance(each, Unreadable) for each in side.documents):
                raise UsageError(f"{side.name}: no readable document")
        chosen = Choices(Align(align.value), options.during, options.chosen_reading, budget, seed)
        with telling_of_interrupts(), Bar(lambda: steps(sides[0], sides[1:]), "steps") as bar:
            compared = write_comparison_report(
                sides[0], sides[1:], target, chosen, linked=linked, plan=plan, progress=bar.advance
            )
        typer.echo(printable(f"gold documents: {len(compared)}, systems: {len(sides) - 1}: {target}"))
        for row in compared:
            if None in row.figures and row.id not in unreadable:
                complain(f"{row.id}: not compared with every system; the page says why")
                trouble += 1
        raise typer.Exit(ExitCode.UNDECIDED if trouble else ExitCode.YES)
    if align is not AlignChoice.IDS or seed:
        from temporacle.errors import UsageError

        raise UsageError("--align and --seed belong to a comparison of systems, and this is one corpus: see --as")
    raise typer.Exit(_corpus_report(paths, options, target, plan, linked=linked, budget=budget, resume=resume))


def _sides(paths: Sequence[str], options: Options) -> list[Side]:
    from temporacle.report.compare_systems import Side

    return [Side(path, list(documents([path], options))) for path in paths]


def _answers(sides: Sequence[Side]) -> bool:
    from temporacle.report.compare_systems import looks_like_comparison

    return looks_like_comparison(sides)


def _corpus_report(
    paths: Sequence[str],
    options: Options,
    target: str,
    plan: Plan,
    *,
    linked: bool | None,
    budget: float | None,
    resume: str | None,
) -> ExitCode:
    from temporacle import __version__
    from temporacle.commands.progress import Bar
    from temporacle.commands.running import telling_of_interrupts
    from temporacle.report.corpus_summary import rendered_of, rendered_row, write_corpus_report
    from temporacle.report.values import Verdict
    from temporacle.runner.resume import Journal

    journal = None
    if resume is not None:
        run = repr((__version__, "report", paths, options, budget))
        journal = Journal(resume, run, lambda rendered: json_text(rendered_row(rendered)), rendered_of)
    with telling_of_interrupts(journal), Bar.over(*paths) as bar:
        progress = bar.advance if bar.wanted else None
        rows = write_corpus_report(
            paths,
            options,
            target,
            linked=linked,
            budget=budget,
            plan=plan,
            journal=journal,
            report=note,
            progress=progress,
        )
    verdicts = [row.verdict for row in rows]
    trouble = [message for row in rows for message in row.trouble]
    for message in trouble:
        complain(message)
    if verdicts.count(Verdict.UNREADABLE) == len(verdicts):
        complain("nothing readable under these paths; no page was written")
        return ExitCode.USAGE
    counted = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict if verdict in verdicts)
    typer.echo(printable(f"{len(verdicts)} document{'s' if len(verdicts) != 1 else ''} ({counted}): {target}"))
    return ExitCode.UNDECIDED if trouble else ExitCode.YES
