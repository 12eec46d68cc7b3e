"""``temporacle closure``, ``reduce`` and ``bounds``: what follows from each document."""

from __future__ import annotations

import csv
import shutil
import sys
from collections import Counter
from io import StringIO
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Annotated

import typer

from temporacle.commands.common import CONFIG, Output, OutputOption, complain, json_text, print_json, printable
from temporacle.commands.options import Run, runs
from temporacle.errors import BudgetExceeded, UsageError
from temporacle.printing import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.reasoner.network import Budget
    from temporacle.tasks.bounds import Bounded, DocumentBounds
    from temporacle.tasks.closure import DocumentReduction

_HELD = 16 << 20  # characters of a document's answer that are held in memory; more go to a temporary file
_KINDS = ("major", "minor", "trivial")


@runs("closure")
def closure(run: Run, *, output: OutputOption = Output.TABLE) -> int:
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
    from temporacle.commands.terminal import AnswerPrinter, remarks
    from temporacle.model import Action, Remark
    from temporacle.reasoner.reference.engines import engine_named
    from temporacle.tasks.closure import DocumentClosure, DocumentPoints

    if not engine_named(run["engine"]).complete:
        complain(f"note: engine {run['engine']} is not complete: it can miss relations and inconsistencies")
    printer = AnswerPrinter(output, (DocumentPoints if run["points"] else DocumentClosure).columns, what="closure")
    for answer in run:
        if answer.uncertified is not None:
            message = f"{answer.document}: no certificate of the closure: {answer.uncertified}"
            remarks().show(answer.path, Remark("uncertified", message, action=Action.DROPPED))
            printer.trouble += 1
        if printer.heard(answer):
            printer.print_rows(answer.rows_in_time())
    return printer.finish(run.paths)


# --- the minimal graph ------------------------------------------------------------------------------------------------


@runs("reduce")
def reduce(
    run: Run,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Also list minor and trivial edges in the table. JSON and CSV always do.")
    ] = False,
    calendar: Annotated[str | None, typer.Option("--calendar", hidden=True)] = None,
    output: OutputOption = Output.TABLE,
) -> int:
    """Print the labelled transitive reduction of each document's endpoint graph.

    Endpoints that must be equal are one node. A major edge follows from no other edges. A minor edge follows from
    others. A trivial edge joins the start and the end of one entity. The table shows the major edges.

    For example:

      temporacle reduce examples/corpus/ferry.tml

      temporacle reduce examples/corpus/ferry.tml --all

      temporacle reduce links.tsv --output json
    """
    from temporacle.commands.terminal import AnswerPrinter
    from temporacle.reasoner.network import Budget
    from temporacle.results import DocumentVerdict
    from temporacle.tasks.closure import DocumentReduction

    if calendar is not None:
        raise UsageError("--calendar: the minimal graph is one of links, and values are not part of it; leave it out")
    printer = AnswerPrinter(output, DocumentReduction.columns, what="minimal graph")
    hidden: Counter[str] = Counter()
    for answer in run:
        shown = answer
        allowed = answer.allowed or Budget(None)
        try:
            if answer.graph is None or output is Output.TABLE:
                rows = list(answer.edges(allowed, only_major=not every) if answer.graph is not None else answer.rows())
                if printer.heard(answer):
                    printer.print_rows(rows)
            else:
                printer.print_header()
                _print_whole(answer, allowed, output)
                printer.heard(answer)
                if answer.dropped and output is Output.JSON:
                    print_json({"document": answer.document, "skipped_links": answer.skipped_links})
        except BudgetExceeded as limit:
            shown = answer.without_more(DocumentVerdict.UNDECIDED, str(limit))
            printer.heard(shown)
            printer.print_rows(shown.rows())
        if shown.graph is not None:
            hidden["minor"] += shown.graph.count_minor()
            hidden["trivial"] += len(shown.graph.trivial)
            _say_what_no_edge_can(shown.path or shown.document, shown.graph.different)
    code = printer.finish(run.paths)
    if output is Output.TABLE and not every and printer.read:
        complain(_left_out(hidden))
    return code


def _say_what_no_edge_can(place: str, different: int) -> None:
    if different:
        complain(f"{place}: {different} pairs of endpoints are only known to differ. The graph has no edge for them.")


def _left_out(hidden: Counter[str]) -> str:
    minor, trivial = (f"{hidden[kind]} {kind} edge{'' if hidden[kind] == 1 else 's'}" for kind in ("minor", "trivial"))
    return (
        "A major edge follows from no other edges. "
        f"Not shown: {minor} (they follow from others), {trivial} (an entity starts before it ends); --all lists them."
    )


def _print_whole(answer: DocumentReduction, budget: Budget, output: Output) -> None:
    """Print all lines of a document, or none if the budget ends first.

    There can be as many edges as pairs of endpoints.
    """
    with SpooledTemporaryFile(_HELD, "w+", encoding="utf-8", errors="surrogatepass", newline="") as held:
        for piece in (_json if output is Output.JSON else _csv)(answer, budget):
            held.write(piece)
        held.seek(0)
        shutil.copyfileobj(held, sys.stdout)


def _json(answer: DocumentReduction, budget: Budget) -> Iterator[str]:
    """Yield the line of a document in pieces. One endpoint stands for its node."""
    names = [json_text({"": node[0]})[len('{"": ') : -1] for node in answer.nodes]
    rights = {label: [f'"{label}", {name}]' for name in names] for label in ("<", "<=")}
    yield json_text({"document": answer.document, **CONFIG, "nodes": answer.nodes})[:-1]
    for kind in _KINDS:
        yield f', "{kind}": ['
        before = ""
        for source, ends in _edges(answer, kind, rights, budget):
            left = f"[{names[source]}, "
            yield before + left + f", {left}".join(ends)
            before = ", "
        yield "]"
    yield "}\n"


def _csv(answer: DocumentReduction, budget: Budget) -> Iterator[str]:
    """Yield one line for each edge, with all endpoints of its nodes."""
    document, *names = map(_csv_cell, (answer.document, *(" = ".join(node) for node in answer.nodes)))
    rights = {label: [f"{label},{name}\n" for name in names] for label in ("<", "<=")}
    for kind in _KINDS:
        for source, ends in _edges(answer, kind, rights, budget):
            left = f"{document},{kind},{names[source]},"
            yield left + left.join(ends)


def _csv_cell(text: str) -> str:
    file = StringIO()
    csv.writer(file, lineterminator="").writerow([spreadsheet_cell(text), ""])
    return file.getvalue()[:-1]


def _edges(
    answer: DocumentReduction, kind: str, rights: dict[str, list[str]], budget: Budget
) -> Iterator[tuple[int, list[str]]]:
    """Yield, for each node with edges of a kind, the text of their right ends."""
    graph = answer.graph
    assert graph is not None  # noqa: S101 - narrows the type only
    strict, weak = rights["<"], rights["<="]
    if kind == "minor":
        for source, targets, weakly in graph.minor_rows():
            budget.check()
            if weakly:
                yield source, [(weak if weakly >> target & 1 else strict)[target] for target in targets]
            else:
                yield source, [strict[target] for target in targets]
        return
    for source, label, target in graph.major if kind == "major" else graph.trivial:
        budget.check()
        yield source, [rights[label][target]]


# --- bounds -----------------------------------------------------------------------------------------------------------


@runs("bounds")
def bounds(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Print the earliest and latest calendar time at which each entity can start and end.

    The limits are tight: links and values allow every time between them. JSON says of each limit whether it can be
    reached (attained) or only approached. A document that contradicts itself has no bounds: exit 1.

    For example:

      temporacle bounds examples/calendar/harbour.tml

      temporacle bounds news.tml ei4 ei7 --why

      temporacle bounds news.tml --calendar exact --output json
    """
    from temporacle.commands.terminal import AnswerPrinter
    from temporacle.tasks.bounds import DocumentBounds

    printer = AnswerPrinter(output, DocumentBounds.columns, what="bounds")
    for answer in run:
        if not printer.heard(answer):
            continue
        if output is Output.JSON:
            printer.print_rows(answer.rows())
        elif output is Output.CSV:
            printer.print_rows(answer.table() if answer.entities else answer.rows())
        elif answer.entities:
            _show_bounds(answer)
    return printer.finish(run.paths)


def _show_bounds(answer: DocumentBounds) -> None:
    """A document for people: a table, and the reasons below if they were asked for."""
    from temporacle.commands.terminal import print_table
    from temporacle.tasks.bounds import range_words

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
