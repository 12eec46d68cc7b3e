"""``temporacle experiment``: the experiments of the source papers, repeated."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from temporacle.commands.common import ExitCode, complain, printable
from temporacle.commands.options import as_keywords, reads_documents
from temporacle.experiments.run import EXPERIMENTS

if TYPE_CHECKING:
    from temporacle.experiments.run import ExperimentReport


@reads_documents
def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"{', '.join(EXPERIMENTS)}, or all.",
        ),
    ],
    *,
    target: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="Folder for tables and figures.")],
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="PATH", help="Draw documents from PATH instead of generating graphs; may be repeated."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed; the same seed gives the same results, except for measured seconds.")
    ] = 0,
    entities: Annotated[int, typer.Option(min=3, help="Number of events in a generated graph.")] = 10,
    graphs: Annotated[
        int, typer.Option(min=1, help="Number of generated graphs, or of documents drawn from the corpus.")
    ] = 10,
    samples: Annotated[int, typer.Option(min=1, help="Number of changed copies of a graph at each step.")] = 5,
    options: Any,
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
    from temporacle.commands.terminal import Watcher
    from temporacle.experiments.run import experiments

    with _Watched() as bar:
        found = experiments(
            name,
            output=target,
            corpus=corpus or None,
            seed=seed,
            entities=entities,
            graphs=graphs,
            samples=samples,
            observer=Watcher(),
            progress=bar.advance,
            **as_keywords(options),
        )
        for done in found:
            _print(done)
    raise typer.Exit(ExitCode.YES)


def _print(done: ExperimentReport) -> None:
    outcome = done.outcome
    typer.echo(f"{outcome.name}: {', '.join((*outcome.notes, f'{len(outcome.rows)} rows'))}")
    for claim in outcome.claims:
        typer.echo(f"  {claim}")
    if not done.drawn:
        complain("no figures: matplotlib is not installed; pip install 'temporacle[figures]'")
    for path in done.written:
        typer.echo(printable(f"  wrote {path}"))


class _Watched:
    """A progress bar for each experiment, on a terminal only."""

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import Progress

        console = Console(stderr=True)
        # What is printed on the same terminal goes above the bar; what goes elsewhere must get there.
        above = sys.stdout.isatty()
        self._bar = Progress(console=console, transient=True, disable=not console.is_terminal, redirect_stdout=above)
        self._tasks: dict[str, Any] = {}
        self._bar.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._bar.stop()

    def advance(self, name: str, done: int, total: int) -> None:
        if name not in self._tasks:
            for task in self._tasks.values():
                self._bar.update(task, visible=False)
            self._tasks[name] = self._bar.add_task(name, total=total)
        self._bar.update(self._tasks[name], completed=done, total=total)
