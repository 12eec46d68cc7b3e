"""``temporacle decode``: the best consistent labelling of scored pairs."""

from __future__ import annotations

from temporacle.commands.common import Output, OutputOption
from temporacle.commands.options import Run, runs


@runs("decode", prints=False, writes=["out"])
def decode(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Find the labelling of highest total score that is consistent, and prove that it is optimal.

    Exit code 0: every document has its optimum. 1: one has no consistent labelling. 3: one could not be read, or its
    optimum is not known within the budget. 2: nothing could be read.

    For example:

      temporacle decode scores.jsonl --labels matres

      temporacle decode scores.csv -o decoded.tsv

      temporacle decode scores.jsonl --hard times.tml --margins --output json

      temporacle decode --consensus run1/ run2/ run3/ --align spans -o consensus.jsonl
    """
    from temporacle.commands.decode_print import DecodePrinter
    from temporacle.errors import UsageError
    from temporacle.io.listing import refuse_to_replace

    out, to = run["out"], run["to"]
    refuse_to_replace(out, run["hard"] or ())
    if to is not None and out is None:
        raise UsageError("--to is the format of the documents that -o writes: also give -o; -o - prints them")
    printer = DecodePrinter(output, out, to, margins=run["margins"])
    # The documents are written while they come.
    printer.print_all(run.changed(out=None, to=None, explained=output is not Output.CSV and out != "-"))
    return printer.exit_code(run.paths)
