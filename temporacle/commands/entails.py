"""``temporacle entails``: does a document say that one thing stands in a relation to another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable
from temporacle.commands.options import Run, runs
from temporacle.printing import spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.relation import Relation
    from temporacle.results import Witness
    from temporacle.tasks.entails import Entailment


@runs("entails")
def entails(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Decide whether the document entails SOURCE RELATION TARGET.

    The verdict is entailed (true on every timeline, exit 0), refuted (true on none, exit 1) or open (true on some, exit
    1). It comes with the links that decide it, the strongest relation that follows and, unless the relation is
    entailed, a timeline on which it does not hold. If the document contradicts itself, the verdict is inconsistent
    (exit 3). An entailed relation also has exit code 3 if links were skipped. There is one document, and no --jobs.

    For example:

      temporacle entails examples/corpus/ferry.tml ei1 BEFORE ei3

      temporacle entails links.tsv a 'b|m' d --output json

      temporacle entails links.tsv a BEFORE d --certificate why.json

      temporacle entails news.tml ei4 BEFORE 1998-02-09 --calendar
    """
    answer = run.whole()
    for each in answer.notes:
        complain(each)
    if output is Output.JSON:
        print_json(answer.to_dict())
    elif output is Output.CSV:
        _write_row(answer)
    else:
        _show(answer)
    codes = {"entailed": ExitCode.YES, "refuted": ExitCode.NO, "open": ExitCode.NO}
    code = codes.get(answer.verdict.value, ExitCode.UNDECIDED)
    return ExitCode.UNDECIDED if code is ExitCode.YES and run.has_heard_trouble else code


def _write_row(answer: Entailment) -> None:
    import csv
    import sys

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("source", "relation", "target", "verdict", "strongest"))
    strongest = "" if answer.strongest is None else str(answer.strongest)
    cells = (answer.source, answer.relation, answer.target, answer.verdict.value, strongest)
    writer.writerow([spreadsheet_cell(cell) for cell in cells])


def _show(answer: Entailment) -> None:
    for line in _lines(answer):
        typer.echo(printable(line))
    if answer.witness is not None:
        _show_witness(answer.witness, answer)


def _lines(answer: Entailment) -> Iterator[str]:
    from temporacle.commands.terminal import listed
    from temporacle.wording import Names, entities_of, fact_line, kind_of

    names = Names(answer.excerpts)
    verdict = answer.verdict.value
    yield f"{answer.source} {answer.relation} {answer.target}: {verdict}"
    if verdict == "inconsistent":
        yield "The document contradicts itself, so nothing is taken to follow from it. See temporacle check."
        return
    asked = f"{names[answer.source]} {answer.relation} {names[answer.target]}"
    if answer.because:
        kind = kind_of(answer.because)
        count = f"this {kind.removesuffix('s')}" if len(answer.because) == 1 else f"these {len(answer.because)} {kind}"
        yield f"{asked} {'follows from' if verdict == 'entailed' else 'contradicts'} {count}:"
        yield from listed([fact_line(link, names) for link in answer.because])
    elif verdict == "open":
        yield "The links allow it, and they do not require it."
    elif answer.because is not None:
        yield f"{asked} {'holds' if verdict == 'entailed' else 'fails'} whether or not the links hold."
    if quotations := answer.excerpts.quotations((answer.source, answer.target, *entities_of(answer.because or ()))):
        yield "Text:"
        yield from listed([each.marked for each in quotations])
    if answer.strongest is not None:
        yield from _strongest(answer.strongest, names[answer.source], names[answer.target])


def _strongest(relation: Relation, source: str, target: str) -> Iterator[str]:
    """Yield the strongest relation that follows, each of its atoms in words."""
    from temporacle.relation import ATOM_WORDS

    if relation.is_universal:
        yield f"Strongest relation: none. Every relation between {source} and {target} is possible."
        return
    yield f"Strongest relation: {source} {relation} {target}"
    yield from (f"  {atom}: {ATOM_WORDS[atom]}" for atom in relation.atoms)


def _show_witness(witness: Witness, answer: Entailment) -> None:
    """Print the two entities, and the others if there are few."""
    from temporacle.commands.terminal import print_table
    from temporacle.tasks.entails import FEW_ENTITIES

    typer.echo(f"A timeline on which every link holds, and {printable(answer.relation)} does not:")
    rows = sorted(witness.items(), key=lambda item: item[1])
    if len(rows) > FEW_ENTITIES:
        rows = [row for row in rows if row[0] in (answer.source, answer.target)]
    texts = answer.excerpts.texts
    cells = [(name, texts.get(name, ""), *(_time(time, answer.unit) for time in times)) for name, times in rows]
    if texts:
        print_table(("entity", "words", "start", "end"), cells)
    else:
        print_table(("entity", "start", "end"), [(name, start, end) for name, _, start, end in cells])
    if answer.unit is not None:
        typer.echo(f"A time with a sign behind it is up to {answer.unit - 1}/{answer.unit} of a second later.")
    if more := len(witness) - len(rows):
        typer.echo(f"{more} more entities; --output json has all of them.")


def _time(time: int, unit: int | None) -> str:
    """Return a time of a witness: a rank, or a moment of the calendar."""
    if unit is None:
        return str(time)
    from temporacle.calendar.civil import iso_time

    return iso_time(time // unit) + ("+" if time % unit else "")
