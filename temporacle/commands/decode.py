"""``temporacle decode``: the best consistent labelling of scored pairs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from temporacle.commands.common import BudgetOption, Output, OutputOption, note
from temporacle.commands.reading import Options, reads_documents
from temporacle.io.formats import WRITERS


class ObjectiveName(StrEnum):
    """What a score adds to the value of a labelling."""

    LOGPROB = "logprob"
    PROB = "prob"
    WEIGHT = "weight"


@reads_documents()
def decode(
    scores: Annotated[
        list[str], typer.Argument(metavar="SCORES...", help="Files or folders with scored pairs; - is standard input.")
    ],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", metavar="OUT", help="Write the documents: a file, a folder, or - for standard output."
        ),
    ] = None,
    to_format: Annotated[
        str | None, typer.Option("--to", help=f"{', '.join(WRITERS)}. Default: the suffix of OUT decides.")
    ] = None,
    objective: Annotated[
        ObjectiveName,
        typer.Option("--objective", help="Sum of logarithms of probabilities, of probabilities, or of any weights."),
    ] = ObjectiveName.LOGPROB,
    hard: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="PATH", help="Documents whose links hold whatever the scores say; repeatable."),
    ] = None,
    alternatives: Annotated[
        int, typer.Option("--alternatives", min=0, metavar="K", help="Find the K next best labellings, too.")
    ] = 1,
    margins: Annotated[
        bool, typer.Option("--margins", help="For each pair, what the objective loses if it gets another label.")
    ] = False,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Find the labelling of highest total score that is consistent, and prove that it is optimal.

    Exit code 0: every document has its optimum. 1: one has no consistent labelling. 3: one could not be read, or its
    optimum is not known within the budget. 2: nothing could be read.

    For example:

      temporacle decode scores.jsonl --reading matres

      temporacle decode scores.csv -o decoded.tsv

      temporacle decode scores.jsonl --with times.tml --margins --output json
    """
    from temporacle.commands.decode_print import DecodePrinter
    from temporacle.scored import Objective
    from temporacle.tasks.decode import decodings

    printer = DecodePrinter(output, out, to_format)
    found = decodings(
        scores,
        options,
        objective=Objective(objective.value),
        hard=hard,
        alternatives=alternatives,
        margins=margins,
        budget=budget,
        report=note,
    )
    printer.print_all(found)
    raise typer.Exit(printer.exit_code(scores))
