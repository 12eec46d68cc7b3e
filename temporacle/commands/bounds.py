"""``temporacle bounds``: when entities can start and end on the calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.calendars import CalendarOption, CalendarPolicy, HemisphereOption, ZoneOption, calendar_from
from temporacle.commands.common import BudgetOption, Output, OutputOption, note, printable
from temporacle.commands.reading import Options, as_keywords, reads_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.tasks.bounds import Bounded, DocumentBounds


@reads_documents()
def bounds(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A document or a folder; - is standard input.")],
    entities: Annotated[
        list[str] | None, typer.Argument(metavar="[ENTITY...]", help="Ids of entities; default: all.")
    ] = None,
    *,
    why: Annotated[bool, typer.Option("--why", help="Name the links and values that each limit follows from.")] = False,
    calendar: CalendarOption = CalendarPolicy.WITHIN,
    hemisphere: HemisphereOption = None,
    zone: ZoneOption = None,
    options: Options,
    budget: BudgetOption = None,
    output: OutputOption = Output.TABLE,
) -> None:
    """Print the earliest and latest calendar time at which each entity can start and end.

    The limits are tight: links and values allow every time between them. JSON says of each limit whether it can be
    reached (attained) or only approached. A document that contradicts itself has no bounds: exit 1.

    For example:

      temporacle bounds examples/calendar/harbour.tml

      temporacle bounds news.tml ei4 ei7 --why

      temporacle bounds news.tml --calendar exact --output json
    """
    from temporacle.commands.answers import AnswerPrinter
    from temporacle.tasks.bounds import DocumentBounds, each_bounds

    chosen = calendar_from(calendar or CalendarPolicy.WITHIN, hemisphere, zone)
    assert chosen is not None  # noqa: S101 - a policy was given
    printer = AnswerPrinter(output, DocumentBounds.columns, what="bounds")
    for answer, _ in each_bounds(
        path, entities or (), chosen, why=why, budget=budget, report=note, **as_keywords(options)
    ):
        if not printer.heard(answer):
            continue
        if output is Output.JSON:
            printer.print_rows(answer.rows())
        elif output is Output.CSV:
            printer.print_rows(answer.table() if answer.entities else answer.rows())
        elif answer.entities:
            _show(answer)
    raise typer.Exit(printer.finish([path]))


def _show(answer: DocumentBounds) -> None:
    """A document for people: a table, and the reasons below if they were asked for."""
    from temporacle.commands.answers import print_table
    from temporacle.tasks.bound_words import range_words

    clock = answer.entities[0].bounds.clock
    typer.echo(printable(f"{answer.document} ({'UTC' if clock == 'UTC' else 'local time'})"))
    texts = answer.excerpts.texts
    rows = [
        (name, " ".join(texts.get(name, "").split()), range_words(start), range_words(end))
        for (name, _, start, end), _ in answer.entities
    ]
    print_table(("entity", "words", "starts", "ends"), rows)
    for each in answer.entities:
        for line in _reasons(answer, each):
            typer.echo(printable(line))


def _reasons(answer: DocumentBounds, each: Bounded) -> Iterator[str]:
    from temporacle.wording import Names, fact_line

    names = Names(answer.excerpts)
    for (end, limit), facts in (each.because or {}).items():
        sooner = "earlier" if limit == "earliest" else "later"
        yield f"{names[each.bounds.entity]} {end}s no {sooner}, because of"
        yield from (f"  {fact_line(fact, names)}" for fact in facts)
