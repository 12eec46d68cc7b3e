"""``temporacle report``: pages to look at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.calendars import CalendarOption, HemisphereOption, ZoneOption, calendar_from
from temporacle.commands.common import BudgetOption, ExitCode, Paths, complain, printable
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.commands.running import Backend, BackendOption, JobsOption, ResumeOption, SchedulerOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.io.source import Options
    from temporacle.report.systems.gather import NamedCorpus
    from temporacle.tasks.report_results import ComparisonReport, CorpusReport


class Layout(StrEnum):
    """The place for the details of documents."""

    AUTO = "auto"
    SINGLE = "single"
    LINKED = "linked"


class ReportKind(StrEnum):
    """The meaning of the paths: a corpus, or systems to compare."""

    AUTO = "auto"
    CORPUS = "corpus"
    COMPARISON = "comparison"


class AlignChoice(StrEnum):
    """The way to match entities of gold and system."""

    IDS = "ids"
    SPANS = "spans"


@reads_documents(prints=False, writes=["target"])
def report(
    paths: Paths,
    *,
    target: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The page to write.")] = "report.html",
    kind: Annotated[
        ReportKind,
        typer.Option(
            "--as",
            help="What the paths are: one corpus, or a comparison (GOLD SYSTEM...). auto: a comparison if every later"
            " path has a document with the name of a document in the first.",
        ),
    ] = ReportKind.AUTO,
    title: Annotated[
        str | None, typer.Option(help="The heading of the page (default: the names of the files or folders).")
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="For a comparison: the name of a system, once each, in order."),
    ] = None,
    layout: Annotated[
        Layout,
        typer.Option(
            help="All details on one page, or on linked pages next to it (auto: with more than 60 documents)."
        ),
    ] = Layout.AUTO,
    all_details: Annotated[
        bool,
        typer.Option(
            "--all-details",
            help="For a corpus of more than 60 documents: also list details of consistent documents without warnings,"
            " and draw all consistent documents.",
        ),
    ] = False,
    align: Annotated[
        AlignChoice, typer.Option(help="For a comparison: how to match entities, by ids or by text spans.")
    ] = AlignChoice.IDS,
    seed: Annotated[
        int, typer.Option(min=0, help="For a comparison: seed of the p-values, if over 20 documents differ.")
    ] = 0,
    certificates: Annotated[
        str | None,
        typer.Option(
            "--certificates",
            metavar="PATH",
            help="For a corpus: a folder of certificates (check --certificates) to put on the page. The browser of the"
            " reader checks them.",
        ),
    ] = None,
    calendar: CalendarOption = None,
    hemisphere: HemisphereOption = None,
    zone: ZoneOption = None,
    options: Options,
    budget: BudgetOption = 60,
    jobs: JobsOption = None,
    backend: BackendOption = Backend.LOCAL,
    scheduler: SchedulerOption = None,
    resume: ResumeOption = None,
) -> None:
    """Write a page about a corpus, or about systems and a gold standard. It opens from disk and needs no network.

    A corpus: verdicts, conflicts, repairs, texts, timelines and minimal graphs. GOLD SYSTEM...: scores by every metric,
    confusions, and every link that was found, missed or wrong, with the reason. The exit code is 0 if the page was
    written and everything could be read and decided. The verdicts do not change it.

    For example:

      temporacle report examples/corpus -o report.html

      temporacle report corpus/ --calendar -o report.html

      temporacle report corpus/ --certificates certificates/ -o report.html

      temporacle report gold/ system/ -o scores.html

      temporacle report gold/ run1/ run2/ --align spans -o scores.html

      temporacle report corpus/ --jobs 8 --resume done.journal -o report.html
    """
    from temporacle.errors import UsageError

    sides = _gold_and_systems(paths, kind, options) if len(paths) > 1 or kind is ReportKind.COMPARISON else None
    shared: dict[str, Any] = {
        "output": target,
        "title": title,
        "layout": layout.value,
        "budget": budget,
        "jobs": jobs,
        "backend": backend.value,
        "scheduler": scheduler,
        **as_keywords(options),
    }
    written: ComparisonReport | CorpusReport
    try:
        dates = calendar_from(calendar, hemisphere, zone)
        if sides is not None:
            if dates is not None:
                raise UsageError("--calendar works only for a report about a corpus, not for a comparison; see --as")
            if resume is not None:
                raise UsageError(
                    "--resume works only for a report about a corpus; a comparison reads all documents again"
                )
            if certificates is not None:
                raise UsageError(
                    "--certificates works only for a report about a corpus, not for a comparison; see --as"
                )
            if all_details:
                raise UsageError("--all-details works only for a report about a corpus, not for a comparison; see --as")
            written = _comparison(_called(sides, name or []), align=align.value, seed=seed, **shared)
        elif align is not AlignChoice.IDS or seed or name:
            raise UsageError(
                "--align, --name and --seed work only for a comparison of systems, and these paths are one corpus;"
                " see --as"
            )
        else:
            written = _corpus(
                paths, resume=resume, all_details=all_details, certificates=certificates, calendar=dates, **shared
            )
    except KeyboardInterrupt:
        complain(
            "interrupted" if resume is None else f"interrupted; run the same command again to continue from {resume}"
        )
        raise
    raise typer.Exit(ExitCode.UNDECIDED if written.trouble else ExitCode.YES)


def _gold_and_systems(paths: Sequence[str], kind: ReportKind, options: Options) -> list[NamedCorpus] | None:
    from temporacle.commands.watching import Watcher
    from temporacle.tasks.report_comparison import gold_and_systems

    return gold_and_systems(paths, kind.value, observer=Watcher(), **as_keywords(options))


def _called(sides: Sequence[NamedCorpus], names: Sequence[str]) -> list[NamedCorpus]:
    """Return the systems under the names that were given for them."""
    from temporacle.errors import UsageError

    gold, *systems = sides
    if names and len(names) != len(systems):
        raise UsageError(f"--name is given {len(names)} times for {len(systems)} systems: give it once for each")
    if len(set(names)) < len(names):
        raise UsageError("two systems have the same --name")
    if not names:
        return list(sides)
    return [gold, *(side._replace(name=name, is_chosen=True) for side, name in zip(systems, names, strict=True))]


def _corpus(paths: Sequence[str], **options: Any) -> CorpusReport:
    from temporacle.commands.watching import Watcher
    from temporacle.tasks.report import report as report_corpus

    watcher = Watcher(*paths)
    with watcher.over():
        written = report_corpus(list(paths), observer=watcher, **options)
    number = len(written.documents)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in written.verdicts.items())
    typer.echo(printable(f"{number} document{'' if number == 1 else 's'} ({verdicts}): {written.page}"))
    return written


def _comparison(sides: Sequence[NamedCorpus], **options: Any) -> ComparisonReport:
    from temporacle.commands.watching import Watcher
    from temporacle.tasks.report_comparison import report_comparison, steps

    gold, *systems = sides
    watcher = Watcher()
    with watcher.counting(lambda: steps(gold, systems), "steps"):
        written = report_comparison(gold, systems, observer=watcher, **options)
    typer.echo(printable(f"gold documents: {len(written.documents)}, systems: {len(written.systems)}: {written.page}"))
    return written
