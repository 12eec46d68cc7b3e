"""``temporacle decode``: the best consistent labelling of scored pairs."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

from temporacle.commands.common import ExitCode, Output, OutputOption, complain, print_json, printable
from temporacle.commands.options import Run, runs
from temporacle.commands.terminal import note, print_table, remarks
from temporacle.errors import UsageError
from temporacle.model import Remark, counted
from temporacle.printing import spreadsheet_cell
from temporacle.reasoner.conflicts.explanation import explain
from temporacle.rules import UNREADABLE
from temporacle.scored import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from temporacle.model import Document
    from temporacle.tasks.decodings import DocumentDecoding

_COLUMNS = ("document", "pairs", "changed", "objective", "argmax", "runner-up", "verdict")
_ROWS = ("document", "source", "label", "target", "score")


class DecodePrinter:
    """Prints decodings, writes their documents, and remembers what the exit code needs."""

    def __init__(self, output: Output, out: str | None, to_format: str | None, *, margins: bool = False) -> None:
        self._output = output
        self._out = out
        self._margins = margins
        self._format = _writer_name(out, to_format)
        self._table: list[list[str]] = []
        self._read = 0
        self._said_no = False
        self._trouble = False
        self._header_due = output is Output.CSV
        self._totals = [0, 0]  # pairs, changed
        self._counts: dict[str, int] = {}
        self._label_sets: dict[str, None] = {}  # one, unless documents name their own

    def print_all(self, found: Iterable[DocumentDecoding]) -> None:
        """Print everything, and write the documents if a place was given."""
        try:
            if self._out is None:
                for _ in self._heard(found):
                    pass
            else:
                from temporacle.io.writers import write

                write(self._heard(found), self._out, self._format, note)
        finally:  # what is done is printed also when the rest fails
            if self._table and self._output is Output.TABLE and self._out != "-":
                width = len(_COLUMNS) - (self._counts.keys() == {"optimal"})  # the line below the table says so
                print_table(_COLUMNS[:width], [row[:width] for row in self._table])
                self._print_summary()

    def _heard(self, found: Iterable[DocumentDecoding]) -> Iterator[Document]:
        for each in found:
            self._note(each)
            if self._out != "-":
                self._print(each)
            if each.decoded is not None:
                yield each.to_document()

    def _note(self, each: DocumentDecoding) -> None:
        if each.label_set is not None:
            self._label_sets[each.label_set] = None
        for remark in each.remarks:
            remarks().show(each.path, remark)
        if each.verdict == UNREADABLE:
            remarks().show(each.path, Remark(UNREADABLE, each.reason or "", element=each.document))
        elif each.reason is not None:
            complain(f"{each.document}: {each.verdict}: {each.reason}")
        elif each.decoded is not None:
            for what, reason in each.decoded.undecided.items():
                complain(f"{each.document}: {what} not known: {reason}")
        self._counts[each.verdict] = self._counts.get(each.verdict, 0) + 1
        self._read += each.verdict != "unreadable"
        self._said_no = self._said_no or each.verdict == "impossible"
        self._trouble = self._trouble or not each.completes(remarks().allowed)

    def _print(self, each: DocumentDecoding) -> None:
        if self._output is Output.JSON:
            print_json(each.to_dict())
        elif self._output is Output.CSV:
            self._print_rows(each)
        elif each.verdict != "unreadable":
            self._print_reasons(each)
            _print_others(each)
            self._table.append(self._row(each))

    def _print_rows(self, each: DocumentDecoding) -> None:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        columns = (*_ROWS, "margin") if self._margins else _ROWS
        if self._header_due:
            writer.writerow(columns)
            self._header_due = False
        for row in each.rows():
            cells = (row.get(column) for column in columns)  # no margin: no other label is possible
            writer.writerow(["" if cell is None else spreadsheet_cell(str(cell)) for cell in cells])

    def _row(self, each: DocumentDecoding) -> list[str]:
        decoded = each.decoded
        if decoded is None:
            pairs = "" if each.scored is None else str(len(each.scored.pairs))
            return [each.document, pairs, "", "", "", "", each.verdict]
        self._totals[0] += len(decoded.pairs)
        self._totals[1] += len(decoded.changes)
        following = "" if each.runner_up is None else f"{each.runner_up:.4f}"
        return [
            each.document,
            str(len(decoded.pairs)),
            str(len(decoded.changes)),
            f"{as_number(decoded.value):.4f}",
            f"{as_number(decoded.argmax):.4f}",
            following,
            each.verdict if decoded.optimal else f"{each.verdict}, at most {as_number(decoded.bound):.4f}",
        ]

    def _print_reasons(self, each: DocumentDecoding) -> None:
        from temporacle.reasoner.decode.decode import Impossible

        if isinstance(each.found, Impossible):
            _say(f"{each.document}: no labelling is consistent. These contradict each other:")
            _say_all(explain(each.found.because, each.texts), 2)
        elif each.decoded is not None and each.decoded.changes:
            decoded = each.decoded
            _say(f"{each.document}: {len(decoded.changes)} of {len(decoded.pairs)} labels changed")
            for change in each.changed:
                old = f"{change['source']} {change['from']} {change['target']}"
                reason = " Not all are true:" if change["because"] else ""
                _say(f"  {old} becomes {change['to']}, score loss {change['price']:.4f}.{reason}")
                _say_all(change["explanation"], 4)

    def _print_summary(self) -> None:
        counts = ", ".join(f"{number} {verdict}" for verdict, number in self._counts.items())
        total = sum(self._counts.values())
        pairs, changed = self._totals
        _say(f"{counted(total, 'document')}: {counts}; {changed} of {pairs} labels changed")
        if self._label_sets:
            _say(f"Label set: {', '.join(self._label_sets)}")

    def exit_code(self, paths: Sequence[str]) -> ExitCode:
        """Return NO if there is one, then UNDECIDED; wrong usage if nothing was readable."""
        if not self._counts:
            complain(f"no document under {', '.join(paths)}")
        if self._said_no:
            return ExitCode.NO
        if not self._read:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self._trouble else ExitCode.YES


def _writer_name(out: str | None, to_format: str | None) -> str:
    from temporacle.io.writers import writer_for, writer_named

    if to_format is not None:
        return writer_named(to_format).name
    return "jsonl" if out in (None, "-") else writer_for(out).name


def _print_others(each: DocumentDecoding) -> None:
    """Print margins and alternatives, as far as they were asked for."""
    for row in each.rows():
        if "margin" in row:
            margin = "no other label is possible" if row["margin"] is None else f"margin {row['margin']:.4f}"
            _say(f"{each.document}: {row['source']} {row['label']} {row['target']}, {margin}")
    for number, other in enumerate(each.alternatives if len(each.alternatives) > 1 else (), 1):
        differs = "; ".join(f"{pair['source']} {pair['label']} {pair['target']}" for pair in other["differs"])
        _say(f"{each.document}: alternative {number}, objective {other['objective']:.4f}: {differs}")


def _say(line: str) -> None:
    sys.stdout.write(printable(line) + "\n")


def _say_all(lines: Iterable[str], indent: int) -> None:
    for line in lines:
        _say(" " * indent + line)


@runs("decode", prints=False)
def decode(run: Run, *, output: OutputOption = Output.TABLE) -> int:
    """Find the labelling of highest total score that is consistent, and prove that it is optimal.

    Exit code 0: every document has its optimum. 1: one has no consistent labelling. 3: one could not be read, or its
    optimum is not known within the time limit. 2: nothing could be read.

    For example:

      temporacle decode scores.jsonl --labels matres

      temporacle decode scores.csv -o decoded.tsv

      temporacle decode scores.jsonl --hard times.tml --margins --output json

      temporacle decode --consensus run1/ run2/ run3/ --align spans -o consensus.jsonl
    """
    out, to = run["out"], run["to"]
    if to is not None and out is None:
        raise UsageError("--to is the format of the documents that -o writes: also give -o; -o - prints them")
    printer = DecodePrinter(output, out, to, margins=run["margins"])
    # The documents are written while they come.
    printer.print_all(run.changed(out=None, to=None, explained=output is not Output.CSV and out != "-"))
    return printer.exit_code(run.paths)
