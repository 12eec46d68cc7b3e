"""``temporacle entails``: does a document say that one thing stands in a relation to another?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    OutputOption,
    complain,
    complain_about,
    note,
    print_json,
    printable,
)
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.model import Remark

if TYPE_CHECKING:
    from temporacle.model import Document, Link, Unreadable
    from temporacle.tasks.entails import Entailment


@reads_documents()
def entails(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A document; - is standard input.")],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Id of an entity.")],
    relation: Annotated[str, typer.Argument(metavar="RELATION", help="A label, atoms such as b|m, or both.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Id of an entity.")],
    *,
    document_id: Annotated[
        str | None, typer.Option("--document", help="Which document, where PATH holds several.")
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write a proof of the answer, for temporacle verify."),
    ] = None,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Decide whether the document entails SOURCE RELATION TARGET.

    The verdict is entailed (true in every model, exit 0), refuted (true in none) or open (both: exit 1), with the links
    it follows from or that refute it, the strongest relation that does follow and, where the relation does not, a model
    in which it fails. A document that contradicts itself entails nothing: the verdict is inconsistent, exit 3.

    For example:

      temporacle entails examples/corpus/ferry.tml ei1 BEFORE ei3

      temporacle entails links.tsv a 'b|m' d --output json

      temporacle entails links.tsv a BEFORE d --certificate why.json
    """
    from temporacle.tasks.entails import entails as ask

    answer = ask(
        path,
        source,
        relation,
        target,
        document=document_id,
        certificate=certificate,
        budget=budget,
        report=_report,
        **as_keywords(options),
    )
    for each in answer.notes:
        complain(each)
    if output is Output.JSON:
        print_json(answer.to_dict())
    elif output is Output.CSV:
        _write_row(answer)
    else:
        _show(answer)
    codes = {"entailed": ExitCode.YES, "refuted": ExitCode.NO, "open": ExitCode.NO}
    raise typer.Exit(codes.get(answer.verdict.value, ExitCode.UNDECIDED))


def _report(said: Remark | Unreadable | Document) -> None:
    if isinstance(said, Remark):
        note(said)
    else:
        complain_about(said)


def _write_row(answer: Entailment) -> None:
    import csv
    import sys

    from temporacle.printing import spreadsheet_cell

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("source", "relation", "target", "verdict", "strongest"))
    strongest = "" if answer.strongest is None else str(answer.strongest)
    cells = (answer.source, answer.relation, answer.target, answer.verdict.value, strongest)
    writer.writerow([spreadsheet_cell(cell) for cell in cells])


def _show(answer: Entailment) -> None:
    from temporacle.commands.answers import print_table

    verdict = answer.verdict.value
    typer.echo(printable(f"{answer.source} {answer.relation} {answer.target}: {verdict}"))
    if verdict == "inconsistent":
        typer.echo("The document contradicts itself, so nothing is taken to follow from it; see temporacle check.")
    if answer.because:
        typer.echo("it follows from:" if verdict == "entailed" else "it contradicts:")
        for link in answer.because:
            typer.echo(printable(f"  {_statement(link)}"))
    elif verdict in ("entailed", "refuted") and answer.because is not None:
        typer.echo("that is so whatever the links say")
    if answer.strongest:
        typer.echo(printable(f"strongest: {answer.source} {answer.strongest} {answer.target}"))
    if answer.witness is not None:
        typer.echo("a model in which it does not hold:")
        rows = sorted(answer.witness.items(), key=lambda item: item[1])
        print_table(("entity", "start", "end"), [(name, str(start), str(end)) for name, (start, end) in rows])


def _statement(link: Link) -> str:
    place = link.id if link.line is None else f"{link.id}, line {link.line}"
    return f"{link.source} {link.label or link.relation} {link.target} ({place})"
