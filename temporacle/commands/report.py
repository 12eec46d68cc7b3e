"""``temporacle report``: pages to look at."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import ExitCode, printable
from temporacle.commands.options import Run, runs, telling_of_interrupts
from temporacle.commands.terminal import Watcher, remarks
from temporacle.errors import UsageError
from temporacle.model import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.report.systems.gather import NamedCorpus
    from temporacle.tasks.report_work import ComparisonReport, CorpusReport


class ReportKind(StrEnum):
    """The meaning of the paths: a corpus, or systems to compare."""

    AUTO = "auto"
    CORPUS = "corpus"
    COMPARISON = "comparison"


@runs("report", "report_comparison", prints=False)
def report(
    run: Run,
    *,
    kind: Annotated[
        ReportKind,
        typer.Option(
            "--as",
            help="What the paths are: one corpus, or a comparison (GOLD SYSTEM...). auto: a comparison if every later"
            " path has a document with the name of a document in the first.",
        ),
    ] = ReportKind.AUTO,
    name: Annotated[
        list[str] | None,
        typer.Option("--name", metavar="NAME", help="For a comparison: the name of a system, once each, in order."),
    ] = None,
) -> int:
    """Write a page about a corpus, or about systems and a gold standard. It opens from disk and needs no network.

    A corpus: verdicts, conflicts, repairs, texts, timelines and minimal graphs. GOLD SYSTEM...: scores by every metric,
    confusions, and every link that was found, missed or wrong, with the reason. The exit code is 0 if the page was
    written and everything could be read and decided. The verdicts do not change it.

    For example:

      temporacle report examples/corpus -o report.html

      temporacle report corpus/ --calendar -o report.html

      temporacle report corpus/ --use-certificates certificates/ -o report.html

      temporacle report gold/ system/ -o scores.html

      temporacle report gold/ run1/ run2/ --align spans -o scores.html

      temporacle report corpus/ --jobs 8 --resume done.checkpoint -o report.html
    """
    paths, sides = run["source"], None
    if len(paths) > 1 or kind is ReportKind.COMPARISON:
        from temporacle.tasks.report_comparison import gold_and_systems

        sides = gold_and_systems(paths, kind.value, run.given, Watcher())
    with telling_of_interrupts(run["resume"]):
        written = _corpus(run, name) if sides is None else _comparison(run, _called(sides, name or []))
    return ExitCode.UNDECIDED if any(remarks().matters(each.remark) for each in written.trouble) else ExitCode.YES


def _called(sides: Sequence[NamedCorpus], names: Sequence[str]) -> list[NamedCorpus]:
    """Return the systems under the names that were given for them."""
    gold, *systems = sides
    if names and len(names) != len(systems):
        raise UsageError(f"--name is given {len(names)} times for {len(systems)} systems: give it once for each")
    if len(set(names)) < len(names):
        raise UsageError("two systems have the same --name")
    if not names:
        return list(sides)
    return [gold, *(side._replace(name=name, is_chosen=True) for side, name in zip(systems, names, strict=True))]


def _corpus(run: Run, names: Sequence[str] | None) -> CorpusReport:
    if run["align"] != "ids" or run["seed"] or names:
        raise UsageError(
            "--align, --name and --seed work only for a comparison of systems, and these paths are one corpus; see --as"
        )
    written: CorpusReport = run.of("report").whole()
    number = len(written.documents)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in written.verdicts.items())
    typer.echo(printable(f"{counted(number, 'document')} ({verdicts}): {written.page}"))
    return written


def _comparison(run: Run, sides: Sequence[NamedCorpus]) -> ComparisonReport:
    from temporacle.tasks.report_comparison import steps

    for option in ("calendar", "hemisphere", "zone", "resume", "use_certificates", "all_details"):
        if run[option] not in (None, False):
            raise UsageError("works only for a report about a corpus, not for a comparison; see --as", option=option)
    gold, *systems = sides
    watcher = Watcher()
    asked = run.of("report_comparison", gold=gold, systems=systems)
    with watcher.counting(lambda: steps(gold, systems), "steps"):
        written: ComparisonReport = asked.task(**asked.given, observer=watcher)
    typer.echo(printable(f"gold documents: {len(written.documents)}, systems: {len(written.systems)}: {written.page}"))
    return written
