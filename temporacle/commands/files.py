"""``temporacle apply``, ``convert``, ``fix`` and ``verify``: files that are written or checked again."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

import typer

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable
from temporacle.commands.options import Run, runs
from temporacle.errors import InputError, TimeLimitError, UsageError
from temporacle.printing import spreadsheet_cell

if TYPE_CHECKING:
    from temporacle.io.edit import Edits
    from temporacle.io.source import Options
    from temporacle.tasks.fix import Fix
    from temporacle.tasks.verify import CertificateCheck

_STANDARD_OUTPUT = "-"


@runs("apply", prints=False)
def apply(run: Run) -> int:
    """Add, remove, relabel or comment links of a file, or set values of times. No other byte of the file changes.

    A new link joins two entities of the document and is written like its other links. Separate its parts by blanks, or
    by tabs if a name has blanks in it.

    The result is read again before it is written: text, entities and all other links must be the same as before.
    `temporacle formats` lists the formats that can be changed.

    For example:

      temporacle apply story.tml --drop l3 -o fixed.tml

      temporacle apply story.tml --add "ei1 BEFORE ei4" --add "ei4 IS_INCLUDED t2" --in-place

      temporacle apply story.tml --set-value t3=1998-02-09 --in-place

      temporacle apply notes.ann --relabel R2=AFTER --comment "R3=see R2" --in-place

      temporacle apply tasks.json --document tasks#7 --drop rel2 -o tasks.fixed.json
    """
    from temporacle.corpus.options import reading_of
    from temporacle.editing.saving import applied, edits_of

    out = run["out"]
    if (out is None) is not run["in_place"]:
        raise UsageError("say where to write: give -o OUT, or --in-place to change the file itself")
    edits = edits_of(**{name: run[name] for name in ("drop", "relabel", "comment", "add", "set_value")})
    if not edits:
        raise UsageError("nothing to do: give --add, --drop, --relabel, --comment or --set-value")
    file, options = run["source"], reading_of(run["source"], run.given)
    try:
        found = applied(file, edits, run["document"], options)
    except InputError as error:
        if _is_unreadable(file, options):
            raise UsageError(str(error)) from error
        raise
    if out == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(found.original.packed(found.data))
        return ExitCode.YES
    complain(f"wrote {found.save(out)}: {_summary(edits)}")
    return ExitCode.YES


def _is_unreadable(file: str, options: Options) -> bool:
    """Return whether nothing in a file can be read."""
    from temporacle.io import read_source
    from temporacle.io.source import Source
    from temporacle.model import Unreadable

    return all(isinstance(each, Unreadable) for each in read_source(Source(file, None, options)))


def _summary(edits: Edits) -> str:
    parts = (("added", edits.add), ("removed", edits.drop), ("relabelled", edits.relabel), ("commented", edits.comment))
    counted = [f"{len(links)} link{'s' if len(links) > 1 else ''} {what}" for what, links in parts if links]
    if edits.values:
        counted.append(f"{len(edits.values)} value{'s' if len(edits.values) > 1 else ''} set")
    return ", ".join(counted)


@runs("convert", prints=False)
def convert(run: Run) -> int:
    """Convert documents to another format. A folder as OUT gets one file for each document.

    For example:

      temporacle convert gold/ gold.jsonl

      temporacle convert tempeval-training/ training.jsonl --merge

      temporacle convert corpus.jsonl tml/ --to timeml

      temporacle convert story.tml - --to dot
    """
    from temporacle.commands.terminal import remarks

    written = run.whole()
    complain(f"{written.documents} document{'s' if written.documents != 1 else ''} written as {written.format}")
    if not written.read and not any(isinstance(each.error, TimeLimitError) for each in written.unreadable):
        return ExitCode.USAGE
    return ExitCode.UNDECIDED if run.has_heard_trouble or any(map(remarks().matters, written.dropped)) else ExitCode.YES


@runs("verify", reads=False)
def verify(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Re-check certificates with a small checker that shares no code with the reasoner.

    With --document each certificate must belong to its file: same bytes, same links. If a folder of certificates is
    given, too, every document must have a certificate.

    Exit code 0: all hold. 1: one does not, or a document has none. 3: something could not be opened, the others hold.
    2: nothing could be opened.

    For example:

      temporacle verify certificates/

      temporacle verify certificates/d1.json --document gold/d1.tml

      temporacle verify certificates/ --document gold/ --jobs 8

      temporacle verify scores/ --document gold/ --document system/

      temporacle verify certificates/ --page certificates.html
    """
    found: set[bool | None] = set()
    for check in run:
        _print(check, output, first=not found)
        found.add(check.valid)
    if False in found:
        return ExitCode.NO
    if not found:
        complain(f"no certificates (*.json) in {', '.join(run.paths)}: check --certificates DIR writes some")
    if True not in found:
        return ExitCode.USAGE
    return ExitCode.UNDECIDED if None in found else ExitCode.YES


def _print(check: CertificateCheck, output: Output, *, first: bool) -> None:
    if output is Output.JSON:
        print_json(check.to_dict())
    elif output is Output.CSV:
        from temporacle.tasks.verify import COLUMNS

        row = {name: getattr(check, name) for name in COLUMNS}
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if first:
            writer.writerow(row)
        writer.writerow(["" if value is None else spreadsheet_cell(str(value)) for value in row.values()])
    elif check.valid is None:
        complain(check.sentence())
    elif check.valid:
        typer.echo(printable(check.sentence()))
    else:
        typer.secho(printable(check.sentence()), fg=typer.colors.RED)


@runs("fix", prints=False)
def fix(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Change files so that their documents are consistent: remove the links of the smallest repair.

    Say where to write: -o OUT or --in-place. No other byte of a file changes, and a file without changes is not
    written. A repair does not know which link is wrong: read the conflicts (temporacle check) first.

    For example:

      temporacle fix gold/ --dry-run

      temporacle fix gold/ -o fixed/

      temporacle fix story.tml --relabel --protect SIMULTANEOUS --in-place

      temporacle fix gold/ --annotate -o for-annotators/
    """
    from temporacle.commands.terminal import AnswerPrinter
    from temporacle.tasks.fix import Fix, summary

    printer = AnswerPrinter(output, Fix.columns)
    found: list[Fix] = []
    for answer in run:
        found.append(answer)
        printer.heard(answer)
        if answer.reason and answer.verdict.value != "unreadable":
            complain(f"{answer.document}: not changed: {answer.reason}")
            printer.trouble += 1
        if answer.diff and output is Output.TABLE:
            for line in answer.diff.splitlines():
                sys.stdout.write("\t".join(map(printable, line.split("\t"))) + "\n")
        elif output is Output.JSON:
            printer.print_rows(answer.rows())
        elif answer.diff is None:
            printer.print_rows(answer.found())
    printer.said_no = any(each.is_left or (run["dry_run"] and each.is_changed) for each in found)
    code = printer.finish(run.paths)
    if output is Output.TABLE and printer.read:
        typer.echo(summary(found))
    return code
