"""``temporacle stats``: figures about a corpus."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import ExitCode, Output, complain, print_json
from temporacle.commands.options import Run, runs
from temporacle.commands.score_tables import ScoreOutput, print_grid
from temporacle.frames import digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.tasks.stats import Totals


class By(StrEnum):
    """What the rows of a table are about."""

    DOCUMENT = "document"
    LABEL = "label"
    KIND = "kind"


@runs("stats")
def stats(
    run: Run,
    *,
    by: Annotated[
        By | None,
        typer.Option("--by", help="Print only this table. Default: all three, in CSV the one of documents."),
    ] = None,
    output: Annotated[ScoreOutput, typer.Option("--output", help="Form of the tables.")] = ScoreOutput.TABLE,
) -> int:
    """Count what a corpus holds: entities, links by label and kind, what follows, and conflicts.

    A pair of entities is stated if it has a link, decided if one of the 13 relations follows for it, known if anything
    follows. Redundant links follow from all other links. These figures leave out inconsistent
    documents. Of those, only conflicts are counted, and the links in conflicts by label.

    For example:

      temporacle stats gold/

      temporacle stats gold/ --by label --output latex

      temporacle stats gold/ --output csv -o figures.csv
    """
    from temporacle.commands.terminal import AnswerPrinter
    from temporacle.results import DocumentVerdict
    from temporacle.tasks.stats import DocumentStats, Totals, cells_of

    answers = AnswerPrinter(Output.JSON, DocumentStats.columns)
    totals = Totals()
    rows: list[list[str]] = []
    is_json = output is ScoreOutput.JSON
    for each in run:
        totals.add(each)
        if not answers.heard(each):
            continue
        if each.reason is not None:
            complain(f"{each.document}: {each.reason}")
            answers.trouble += each.verdict is DocumentVerdict.INCONSISTENT
        if is_json:
            answers.print_rows(each.rows())
        else:
            rows.append([each.document, each.verdict.value, *_cells(cells_of(each.figures))])
    code = answers.finish(run.paths)
    if answers.read:
        rows.append(["TOTAL", f"{answers.read}", *_cells(cells_of(totals.figures))])
        if is_json:
            print_json(totals.to_dict())
        else:
            _print(output, by, DocumentStats.columns, rows, totals)
    # Figures describe: a contradiction in a document is no "no".
    if code is ExitCode.NO:
        code = ExitCode.UNDECIDED if answers.trouble else ExitCode.YES
    return code


def _print(
    output: ScoreOutput, by: By | None, columns: Sequence[str], rows: Sequence[Sequence[str]], totals: Totals
) -> None:
    figures = totals.figures
    wanted = [by] if by is not None else [By.DOCUMENT] if output is ScoreOutput.CSV else list(By)
    for each in wanted:
        title = "" if len(wanted) == 1 or each is By.DOCUMENT else f"Links by {each}"
        if each is By.DOCUMENT:
            print_grid(output, columns, rows, title=title)
        elif each is By.LABEL:
            names = ["label", "links", "share", "in conflicts"]
            print_grid(output, names, _shares(figures.labels, figures.conflict_labels), title=title)
        else:
            print_grid(output, ["kind", "links", "share"], _shares(figures.kinds), title=title)
    if output is ScoreOutput.TABLE:
        typer.echo(f"\n{totals.summary()}")


def _shares(counts: Mapping[str, int], *beside: Mapping[str, int]) -> list[list[str]]:
    """Return the counts as rows, the largest first, each with its share."""
    whole = sum(counts.values())
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return [
        [name, str(counts[name]), digits(counts[name] / whole), *(str(other.get(name, 0)) for other in beside)]
        for name in order
    ]


def _cells(values: Sequence[Any]) -> list[str]:
    return [digits(each) if isinstance(each, float) else "" if each is None else str(each) for each in values]
