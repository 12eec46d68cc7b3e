"""``temporacle closure``: the strongest relation of every pair."""

from __future__ import annotations

from typing import Annotated

import typer

from temporacle.commands.calendars import CalendarOption, HemisphereOption, ZoneOption, calendar_from
from temporacle.commands.common import (
    BudgetOption,
    Output,
    OutputOption,
    Paths,
    complain,
    note,
)
from temporacle.commands.reading import Options, as_keywords, reads_documents
from temporacle.reasoner.reference.engines import ENGINES

_ENGINES = "; ".join(f"{engine.name} ({engine.note})" for engine in ENGINES.values())


@reads_documents(writes=["certificate"])
def closure(
    paths: Paths,
    *,
    engine: Annotated[str, typer.Option(help=_ENGINES)] = "exact",
    points: Annotated[
        bool, typer.Option("--points", help="Print the order of starts and ends instead of relations.")
    ] = False,
    universal: Annotated[bool, typer.Option("--all", help="Also list pairs about which nothing is known.")] = False,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write a proof that the closure is right and complete."),
    ] = None,
    certificates: Annotated[
        str | None, typer.Option("--certificates", metavar="DIR", help="Write such a proof for each document.")
    ] = None,
    calendar: CalendarOption = None,
    hemisphere: HemisphereOption = None,
    zone: ZoneOption = None,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    r"""Print the strongest relation that each document entails for every pair of entities.

    For example:

      temporacle closure examples/corpus/ferry.tml

      temporacle closure links.tsv --output json

      temporacle closure links.tsv --points

      temporacle closure links.tsv --certificate closure.json

      temporacle closure gold/ --certificates certificates/

      temporacle closure news.tml --calendar exact

      printf 'a\tBEFORE\tb\nb\tb|m\tc\n' | temporacle closure -
    """
    from temporacle.commands.answers import AnswerPrinter
    from temporacle.commands.remarks import remarks
    from temporacle.model import Action, Remark
    from temporacle.reasoner.reference.engines import engine_named
    from temporacle.tasks.closure import DocumentClosure, DocumentPoints, each_closure

    if not engine_named(engine).complete:
        complain(f"note: engine {engine} is not complete: it can miss relations and inconsistencies")
    printer = AnswerPrinter(output, (DocumentPoints if points else DocumentClosure).columns, what="closure")
    found = each_closure(
        paths,
        engine=engine,
        points=points,
        all=universal,
        budget=budget,
        calendar=calendar_from(calendar, hemisphere, zone),
        certificate=certificate,
        certificates=certificates,
        report=note,
        **as_keywords(options),
    )
    for answer, _ in found:
        if answer.uncertified is not None:
            message = f"{answer.document}: no certificate of the closure: {answer.uncertified}"
            remarks().show(answer.path, Remark("uncertified", message, action=Action.DROPPED))
            printer.trouble += 1
        if printer.heard(answer):
            printer.print_rows(answer.rows())
    raise typer.Exit(printer.finish(paths))
