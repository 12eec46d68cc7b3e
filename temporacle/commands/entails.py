"""``temporacle entails``: does a document say that one thing stands in a relation to another?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from temporacle.commands.common import (
    BudgetOption,
    ExitCode,
    Output,
    OutputOption,
    complain,
    documents,
    print_json,
    printable,
)
from temporacle.commands.reading import Options, reads_documents

if TYPE_CHECKING:
    from temporacle.model import Document
    from temporacle.reasoner.oracle import Oracle
    from temporacle.relation import Relation


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

    The verdict is entailed (true in every model, exit 0), refuted (true in none) or open (both: exit 1), with the
    strongest relation that does follow and, where the relation does not, a model in which it fails.

    For example:

      temporacle entails examples/corpus/ferry.tml ei1 BEFORE ei3

      temporacle entails links.tsv a 'b|m' d --output json

      temporacle entails links.tsv a BEFORE d --certificate why.json
    """
    from temporacle.errors import BudgetExceeded, UsageError
    from temporacle.model import Unreadable
    from temporacle.reasoner.oracle import Oracle
    from temporacle.tasks.provenance import provenance, require_recordable, write_certificate

    if certificate is not None:
        require_recordable(options)
    found: list[Document] = []
    for document in documents([path], options):
        if isinstance(document, Unreadable):
            complain(f"unreadable: {document.error}")
        elif document_id is None or document.id == document_id:
            found.append(document)
    if len(found) != 1:
        wanted = f" called {document_id!r}" if document_id else ""
        cure = "" if document_id else ": choose one with --document" if found else ""
        raise UsageError(f"{path} holds {len(found)} readable documents{wanted}{cure}")
    asked = _relation(found[0], relation)
    oracle = Oracle(found[0], budget=budget)
    answer = _answer(oracle, source, asked, target)
    if certificate is not None and answer["verdict"] != "undecided":
        try:
            write_certificate(certificate, oracle.certificate((source, asked, target)), provenance(found[0], options))
        except BudgetExceeded as limit:
            complain(f"no certificate: {limit}")
    if output is Output.JSON:
        print_json(answer)
    elif output is Output.CSV:
        _write_row(answer, source, relation, target)
    else:
        _show(answer, source, relation, target)
    codes = {"entailed": ExitCode.YES, "refuted": ExitCode.NO, "open": ExitCode.NO}
    raise typer.Exit(codes.get(answer["verdict"], ExitCode.UNDECIDED))


def _relation(document: Document, text: str) -> Relation:
    """The asked relation under the document's reading, atoms always understood."""
    from temporacle.errors import LabelError, UsageError

    try:
        return document.reading.with_atoms().relation(text)
    except LabelError as error:
        raise UsageError(str(error)) from None


def _answer(oracle: Oracle, source: str, relation: Relation, target: str) -> dict[str, Any]:
    """The verdict first: what else there is to say is left out where the budget ends before it is known."""
    from temporacle.errors import BudgetExceeded
    from temporacle.results import Verdict

    oracle.network.number(source)
    oracle.network.number(target)
    answer: dict[str, Any] = {"verdict": "undecided", "strongest": None, "witness": None}
    try:
        if not oracle.is_consistent():
            return {"verdict": "inconsistent", "strongest": [], "witness": None}
        verdict = oracle.entails(source, relation, target)
        answer["verdict"] = verdict.value
        if verdict is Verdict.UNKNOWN:
            complain("not decided within the budget")
            return answer
        if verdict is not Verdict.ENTAILED:
            model = oracle.countermodel(source, relation, target) or {}
            answer["witness"] = {name: list(times) for name, times in model.items()}
        answer["strongest"] = list(oracle.strongest(source, target).atoms)
    except BudgetExceeded as limit:
        complain(str(limit))
    return answer


def _write_row(answer: dict[str, Any], source: str, relation: str, target: str) -> None:
    import csv
    import sys

    from temporacle.io.write_csv import harmless

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("source", "relation", "target", "verdict", "strongest"))
    cells = (source, relation, target, answer["verdict"], "|".join(answer["strongest"] or ()))
    writer.writerow([harmless(cell) for cell in cells])


def _show(answer: dict[str, Any], source: str, relation: str, target: str) -> None:
    from temporacle.commands.answers import print_table

    typer.echo(printable(f"{source} {relation} {target}: {answer['verdict']}"))
    if answer["verdict"] == "inconsistent":
        typer.echo("The document contradicts itself, so nothing is taken to follow from it; see temporacle check.")
    if answer["strongest"]:
        typer.echo(printable(f"strongest: {source} {'|'.join(answer['strongest'])} {target}"))
    if answer["witness"] is not None:
        typer.echo("a model in which it does not hold:")
        rows = sorted(answer["witness"].items(), key=lambda item: item[1])
        print_table(("entity", "start", "end"), [(name, str(start), str(end)) for name, (start, end) in rows])
