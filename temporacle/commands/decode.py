"""``temporacle decode``: the best consistent labelling of scored pairs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from temporacle.commands.common import BudgetOption, Output, OutputOption, note
from temporacle.commands.reading import Options, reads_documents
from temporacle.commands.running import Backend, JobsOption, plan_of
from temporacle.io.formats import WRITERS


class ObjectiveName(StrEnum):
    """The way a score adds to the value of a labelling."""

    LOGPROB = "logprob"
    PROB = "prob"
    WEIGHT = "weight"


class AlignName(StrEnum):
    """The way to match the entities of runs."""

    IDS = "ids"
    SPANS = "spans"


@reads_documents(prints=False, writes=["out"])
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
        ObjectiveName | None,
        typer.Option("--objective", help="Sum of ln(score) (default), of scores, or of any numbers."),
    ] = None,
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
    consensus: Annotated[
        bool,
        typer.Option("--consensus", help="SCORES are annotated files or folders, one a run; their links vote."),
    ] = False,
    weight: Annotated[
        list[float] | None, typer.Option("--weight", help="Weight of a run's votes; once for each run, in order.")
    ] = None,
    align: Annotated[
        AlignName | None, typer.Option("--align", help="Match the entities of runs by ids (default) or by text spans.")
    ] = None,
    absent: Annotated[
        float | None,
        typer.Option(
            "--absent",
            metavar="SHARE",
            help="Share of its weight that a run puts on leaving out a pair that it does not link (0 to 1, default 0).",
        ),
    ] = None,
    certificates: Annotated[
        str | None,
        typer.Option("--certificates", metavar="DIR", help="Write the proof of each optimum: certificates to verify."),
    ] = None,
    options: Options,
    budget: BudgetOption = None,
    jobs: JobsOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Find the labelling of highest total score that is consistent, and prove that it is optimal.

    Exit code 0: every document has its optimum. 1: one has no consistent labelling. 3: one could not be read, or its
    optimum is not known within the budget. 2: nothing could be read.

    For example:

      temporacle decode scores.jsonl --labels matres

      temporacle decode scores.csv -o decoded.tsv

      temporacle decode scores.jsonl --with times.tml --margins --output json

      temporacle decode --consensus run1/ run2/ run3/ --align spans -o consensus.jsonl
    """
    from temporacle.commands.decode_print import DecodePrinter
    from temporacle.errors import UsageError
    from temporacle.io.listing import refuse_to_replace
    from temporacle.scored import Objective
    from temporacle.tasks.consensus import Voting
    from temporacle.tasks.decode import decodings

    refuse_to_replace(out, hard or ())
    if to_format is not None and out is None:
        raise UsageError("--to is the format of the documents that -o writes: give -o, too; -o - prints them")
    if consensus and objective is not None:
        raise UsageError("a consensus adds up the weights of the runs: leave out --objective")
    if not consensus and any(each is not None for each in (weight, align, absent)):
        raise UsageError("--weight, --align and --absent belong to a consensus: give --consensus, too")
    chosen = Objective.WEIGHT if consensus else Objective(objective or Objective.LOGPROB)
    voting = Voting(tuple(weight or ()), align or "ids", absent or 0.0) if consensus else None
    printer = DecodePrinter(output, out, to_format, margins=margins)
    found = decodings(
        scores,
        options,
        objective=chosen,
        hard=hard,
        alternatives=alternatives,
        margins=margins,
        budget=budget,
        plan=plan_of(jobs, Backend.LOCAL, None),
        certificates=certificates,
        voting=voting,
        explained=output is not Output.CSV and out != "-",
        report=note,
    )
    printer.print_all(found)
    raise typer.Exit(printer.exit_code(scores))
