"""``temporacle experiment``: the experiments of the source papers, repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    ExitCode,
    complain,
    documents,
    printable,
)
from temporacle.commands.reading import Options, reads_documents

if TYPE_CHECKING:
    from pathlib import Path

    from temporacle.experiments.outcome import Outcome, Settings
    from temporacle.io.source import Options
    from temporacle.model import Document


@reads_documents()
def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="recall-decay, precision-noise, minimal-growth, awareness-decay, timegraph-growth, or all.",
        ),
    ],
    *,
    target: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Folder for tables and figures.")],
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", metavar="PATH", help="Use documents under PATH; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides everything but measured seconds.")] = 0,
    entities: Annotated[int, typer.Option(min=3, help="Events of a generated graph.")] = 10,
    graphs: Annotated[int, typer.Option(min=1, help="Generated graphs, or documents drawn from the corpus.")] = 10,
    samples: Annotated[int, typer.Option(min=1, help="Changed copies of a graph for every step.")] = 5,
    options: Options,
) -> None:
    """Repeat an experiment of Tannier & Muller (2011) or UzZaman & Allen (2011).

    Writes NAME.csv with every measurement, NAME.txt with the papers' claims and whether they hold in what was
    measured, and figures as SVG and PNG (these need matplotlib: the extra `figures`). Exit code 0 whether the claims
    hold or not: they are findings.

    For example:

      temporacle experiment recall-decay -o results

      temporacle experiment precision-noise -o results --seed 7 --graphs 20

      temporacle experiment minimal-growth -o results --corpus gold/ --graphs 100
    """
    from temporacle.errors import UsageError
    from temporacle.experiments.outcome import Settings
    from temporacle.experiments.registry import EXPERIMENTS

    names = list(EXPERIMENTS) if name == "all" else [name]
    if name not in EXPERIMENTS and name != "all":
        raise UsageError(f"unknown experiment {name!r}: choose {', '.join(EXPERIMENTS)}, or all")
    folder = _folder(target)
    found = _corpus(corpus or [], options)
    settings = Settings(seed, entities, graphs, samples, tuple(found))
    for each in names:
        _report(_run(each, settings), settings, folder)
    raise typer.Exit(ExitCode.YES)


def _folder(target: str) -> Path:
    from pathlib import Path

    from temporacle.errors import UsageError

    folder = Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write to {target}: {error.strerror or error}") from error
    return folder


def _corpus(paths: list[str], options: Options) -> list[Document]:
    from temporacle.errors import UsageError
    from temporacle.model import Unreadable

    found: list[Document] = []
    for document in documents(paths, options):
        if isinstance(document, Unreadable):
            complain(f"unreadable: {document.error}")
        else:
            found.append(document)
    if paths and not found:
        raise UsageError("nothing readable under the corpus")
    return found


def _run(name: str, settings: Settings) -> Outcome:
    """Run with a progress bar, on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    from temporacle.experiments.registry import run_experiment

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(name, total=None)
        return run_experiment(name, settings, lambda done, total: bar.update(task, completed=done, total=total))


def _report(outcome: Outcome, settings: Settings, folder: Path) -> None:
    from temporacle.experiments.files import save_claims, save_figures, save_table

    typer.echo(f"{outcome.name}: {', '.join((*outcome.notes, f'{len(outcome.rows)} rows'))}")
    for claim in outcome.claims:
        typer.echo(f"  {claim}")
    written = [save_table(outcome, folder), save_claims(outcome, settings, folder)]
    figures = save_figures(outcome, folder)
    if figures is None:
        complain("no figures: matplotlib is not installed; pip install 'temporacle[figures]'")
    for path in (*written, *(figures or ())):
        typer.echo(printable(f"  wrote {path}"))
