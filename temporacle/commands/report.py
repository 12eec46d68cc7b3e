"""``temporacle report``: pages to look at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    During,
    DuringOption,
    EncodingOption,
    ExitCode,
    FormatOption,
    Paths,
    ReadingOption,
    complain,
    documents,
    printable,
    reading_options,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from temporacle.io.source import Options
    from temporacle.reports.comparison import Side


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
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes for a corpus; all cores unless given.")
    ] = None,
    format_name: FormatOption = None,
    reading: ReadingOption = None,
    during: DuringOption = During.SIMULTANEOUS,
    encoding: EncodingOption = None,
    budget: BudgetOption = 60,
) -> None:
    """Write a page about a corpus, or about systems and a gold standard. It needs no network and opens from disk.

    A corpus: verdicts, texts, timelines, minimal graphs, conflicts and repairs. GOLD SYSTEM...: scores by every metric,
    confusions, and every link that was found, missed or wrong, with the reason. Exit code 0 if the page was written
    and everything could be read and decided, whatever the verdicts are.

    For example:

      temporacle report examples/corpus -o report.html

      temporacle report gold/ system/ -o scores.html

      temporacle report gold/ run1/ run2/ --align spans -o scores.html
    """
    options = reading_options(format_name, reading, during, encoding)
    linked = None if layout is Layout.AUTO else layout is Layout.LINKED
    sides = _sides(paths, options) if subject is not Subject.CORPUS and len(paths) > 1 else []
    if subject is Subject.COMPARISON or (sides and _answers(sides)):
        from temporacle.errors import UsageError
        from temporacle.reports.comparison import Choices, write_comparison_report
        from temporacle.scoring.options import Align

        if len(sides) < 2:
            raise UsageError("a comparison needs GOLD and at least one SYSTEM")
        chosen = Choices(Align(align.value), during.value, reading, budget, seed)
        with _progress("scoring") as progress:
            compared = write_comparison_report(sides[0], sides[1:], target, chosen, linked=linked, progress=progress)
        typer.echo(printable(f"gold documents: {len(compared)}, systems: {len(sides) - 1}: {target}"))
        whole = all(figures is not None for row in compared for figures in row.figures)
        raise typer.Exit(ExitCode.YES if whole else ExitCode.UNDECIDED)
    raise typer.Exit(_corpus_report(paths, options, target, linked=linked, budget=budget, jobs=jobs))


def _sides(paths: Sequence[str], options: Options) -> list[Side]:
    from temporacle.reports.comparison import Side

    return [Side(path, list(documents([path], options))) for path in paths]


def _answers(sides: Sequence[Side]) -> bool:
    from temporacle.reports.comparison import looks_like_comparison

    return looks_like_comparison(sides)


def _corpus_report(
    paths: Sequence[str], options: Options, target: str, *, linked: bool | None, budget: float | None, jobs: int | None
) -> ExitCode:
    from temporacle.io.report.values import Verdict
    from temporacle.reports.corpus import write_corpus_report

    with _progress("checking") as progress:
        rows = write_corpus_report(paths, options, target, linked=linked, budget=budget, jobs=jobs, progress=progress)
    verdicts = [row.verdict for row in rows]
    if verdicts.count(Verdict.UNREADABLE) == len(verdicts):
        complain("nothing readable under these paths; no page was written")
        return ExitCode.USAGE
    counted = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in Verdict if verdict in verdicts)
    typer.echo(printable(f"{len(verdicts)} documents ({counted}): {target}"))
    decided = {Verdict.UNDECIDED, Verdict.UNREADABLE}.isdisjoint(verdicts)
    return ExitCode.YES if decided else ExitCode.UNDECIDED


def _progress(title: str) -> AbstractContextManager[Callable[[str], None]]:
    """Something to call with the name of whatever is done; shown on a terminal only."""
    from contextlib import contextmanager

    @contextmanager
    def shown() -> Iterator[Callable[[str], None]]:
        from rich.console import Console

        console = Console(stderr=True)
        if not console.is_terminal:
            yield lambda _name: None
            return
        count = 0
        with console.status(title) as status:

            def advance(name: str) -> None:
                nonlocal count
                count += 1
                status.update(f"{title}: {count} done, {printable(name)}".replace("[", "\\["))

            yield advance

    return shown()
