"""What reaches people and programs: messages and a progress bar on standard error, rows and tables on standard output.

A command that reads documents has the options ``--select``, ``--ignore``, ``--quiet`` and ``--verbose``, and everything
it says about its input goes through the one ``RemarkPrinter`` of its run. What is hidden is only not printed: a skipped
link counts in summaries and exit codes all the same.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, Self

from temporacle.commands.common import ExitCode, Output, complain, print_json, printable
from temporacle.corpus.observer import Observer
from temporacle.errors import UsageError
from temporacle.io.source import STANDARD_INPUT
from temporacle.model import Action, Remark, skipped_words
from temporacle.printing import spreadsheet_cell
from temporacle.results import DocumentVerdict
from temporacle.rules import UNREADABLE, RuleKind, Trouble, codes_in, rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.tasks.answers import DocumentAnswer

SHOWN = 3  # remarks of one code that are printed without --verbose


class RemarkPrinter:
    """Prints the first remarks of each code as they come, and at the end how many more there were."""

    def __init__(
        self,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        *,
        quiet: bool = False,
        verbose: bool = False,
    ) -> None:
        self.allowed: frozenset[str] = frozenset()  # codes of links that may be skipped
        self._selected, self._ignored = codes_in(select), codes_in(ignore)
        for code in sorted(self._ignored):
            if rules()[code].kind is RuleKind.ERROR:
                raise UsageError(f"{code} cannot be ignored: it is an error; a baseline lets known ones pass")
        if quiet and (verbose or self._selected):
            raise UsageError(f"--quiet and {'--verbose' if verbose else '--select'} cannot be combined")
        self.quiet = quiet
        self._verbose = verbose
        self._said: Counter[tuple[RuleKind, str]] = Counter()
        self._hidden: Counter[str] = Counter()  # links that were skipped without a word, by code

    def wants(self, remark: Remark) -> bool:
        """Return whether a remark is to be shown, by its code."""
        return remark.code not in self._ignored and (not self._selected or remark.code in self._selected)

    def matters(self, remark: Remark) -> bool:
        """Return whether what a remark is about changes the exit code: it is not allowed."""
        return remark.code not in self.allowed

    def show(self, path: str | None, remark: Remark) -> None:
        """Print a remark about a file, unless it is unwanted or one too many. Errors are always printed."""
        trouble = Trouble(path, remark)
        kind = trouble.kind
        if kind is RuleKind.ERROR:
            complain(str(trouble))
        elif not self.quiet and self.wants(remark):
            self._said[kind, remark.code] += 1
            if self._verbose or self._said[kind, remark.code] <= SHOWN:
                complain(str(trouble))
        elif remark.action is Action.DROPPED:
            self._hidden[remark.code] += 1

    def finish(self, *, counts_skipped: bool = True) -> None:
        """Say how many remarks of each code were not printed, and which command explains the codes.

        ``counts_skipped``: whether to count skipped links of which nothing was printed; a summary may have done so.
        """
        for (kind, code), count in self._said.items():
            if not self._verbose and count > SHOWN:
                complain(f"{kind}[{code}]: and {count - SHOWN} more; --verbose lists them")
        if codes := list(dict.fromkeys(code for kind, code in self._said if kind is not RuleKind.NOTE)):
            complain(f"What to do: temporacle explain {' '.join(codes[:SHOWN])}")
        if counts_skipped and self._hidden:
            complain(f"links:{skipped_words(self._hidden)[1:]}")
        self._said.clear()
        self._hidden.clear()


_current: list[RemarkPrinter] = []


def remarks() -> RemarkPrinter:
    """Return the printer of the current command."""
    return _current[-1] if _current else RemarkPrinter(verbose=True)


def note(remark: Remark) -> None:
    """Say something about a corpus as a whole, such as how many files were skipped."""
    remarks().show(None, remark)


@contextmanager
def printing(printer: RemarkPrinter) -> Iterator[None]:
    """Use a printer while a command runs."""
    _current.append(printer)
    try:
        yield
    finally:
        printer.finish()
        _current.remove(printer)


_PATIENCE = 1.0


class Bar:
    """A bar with the progress, the speed, and the time left. ``total`` is the total amount, None if it is not known; it
    is called only when the bar is shown.
    """

    def __init__(self, total: Callable[[], int | None], pieces: str = "documents") -> None:
        self.wanted = sys.stderr.isatty()
        self._total = total
        self._pieces = pieces
        self._started = monotonic()
        self._number = self._done = 0
        self._bar: Any = None
        self._task: Any = None

    @classmethod
    def over(cls, *paths: str) -> Self:
        """Return a progress bar over documents, measured by the bytes of their files."""
        return cls(lambda: total_size(paths))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, number: int = 1, size: int = 1) -> None:
        """Count pieces as done, with their share of the total."""
        if not self.wanted:
            return
        self._number += number
        self._done += size
        elapsed = monotonic() - self._started
        if elapsed < _PATIENCE:
            return
        if self._bar is None:
            self._show()
        rate = f"{self._number:,} {self._pieces}, {self._number / elapsed:,.0f}/s"
        self._bar.update(self._task, completed=self._done, rate=rate)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
        # Answers that are printed on the same terminal go above the bar; those that go elsewhere must get there.
        above = sys.stdout.isatty()
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=above)
        self._task = self._bar.add_task("", total=self._total(), rate="")
        self._bar.start()


def total_size(paths: Sequence[str]) -> int | None:
    """Return the number of bytes under some paths; None if it cannot be known in advance, as for a pipe or gzip."""
    total = 0
    for path in paths:
        files = (os.path.join(top, name) for top, _, names in os.walk(path) for name in names)  # noqa: PTH118
        for file in files if os.path.isdir(path) else (path,):  # noqa: PTH112
            try:
                size = os.path.getsize(file)  # noqa: PTH202
            except OSError:
                size = 0
            if path == "-" or file.endswith(".gz"):
                return None
            total += size
    return total


class Watcher(Observer):
    """Prints to standard error what a person should know."""

    has_heard_trouble = False  # whether something could not be used

    def __init__(self, *paths: str) -> None:
        self._paths = paths
        self._bar: Bar | None = None

    @contextmanager
    def over(self, *paths: str) -> Iterator[None]:
        """Show a progress bar over the files of a task: those given at first, and these."""
        with self._shown(Bar.over(*self._paths, *paths)):
            yield

    @contextmanager
    def counting(self, total: Callable[[], int | None], pieces: str) -> Iterator[None]:
        """Show a progress bar over so many pieces."""
        with self._shown(Bar(total, pieces)):
            yield

    @contextmanager
    def _shown(self, bar: Bar) -> Iterator[None]:
        self._bar = bar
        with bar:
            try:
                yield
            finally:
                self._bar = None

    @property
    def wants_progress(self) -> bool:  # type: ignore[override]
        return self._bar is not None and self._bar.wanted

    def corpus_remark(self, remark: Remark) -> None:
        remarks().show(None, remark)

    def unusable(self, path: str | None, remark: Remark) -> None:
        self.has_heard_trouble |= remarks().matters(remark)
        remarks().show(path, remark)

    def warning(self, remark: Remark) -> None:
        remarks().show(None, remark)

    def advanced(self, documents: int, size: int) -> None:
        if self._bar is not None:
            self._bar.advance(documents, size)


__all__ = ["MANY_ROWS", "AnswerPrinter", "print_table"]
MANY_ROWS = 2000  # rows in a table; the next rows get a table of their own, so that a large corpus needs little memory


class AnswerPrinter:
    """Prints rows, and remembers what the exit code needs."""

    def __init__(self, output: Output, columns: Sequence[str], *, what: str | None = None) -> None:
        self._what = what  # only a consistent document has it; None: every document has its row
        self.output = output
        self.columns = columns
        self.read = 0
        self.said_no = False
        self.trouble = 0  # documents that could not be read whole, or decided
        self._rows: list[list[str]] = []
        self._header_due = output is Output.CSV

    def heard(self, answer: DocumentAnswer) -> bool:
        """Record an answer and report what could not be read. Return whether its rows are to be printed."""
        for remark in answer.dropped:
            remarks().show(answer.path, remark)
        if answer.verdict is DocumentVerdict.UNREADABLE:
            remarks().show(answer.path, Remark(UNREADABLE, answer.reason or "", element=answer.document))
        elif self._what is not None and answer.verdict is DocumentVerdict.INCONSISTENT:
            see = (
                ""
                if answer.path is None or answer.path == STANDARD_INPUT
                else f" See: temporacle check {shlex.quote(answer.path)}"
            )
            complain(f"{answer.document}: inconsistent, so it has no {self._what}.{see}")
        elif self._what is not None and answer.verdict is not DocumentVerdict.CONSISTENT:
            said = "undecided: " if answer.verdict is DocumentVerdict.UNDECIDED else ""
            complain(f"{answer.document}: {said}{answer.reason}")
        self.trouble += any(map(remarks().matters, answer.dropped)) or answer.verdict not in {
            DocumentVerdict.CONSISTENT,
            DocumentVerdict.INCONSISTENT,
        }
        self.said_no = self.said_no or answer.verdict is DocumentVerdict.INCONSISTENT
        readable = answer.verdict is not DocumentVerdict.UNREADABLE
        self.read += readable
        return readable or (self.output is Output.JSON and self._what is not None)

    def print_rows(self, rows: Iterable[dict[str, Any]]) -> None:
        """Print the rows of an answer. Where only consistent documents have rows, ``heard`` has said the verdicts."""
        for row in rows:
            if "listed" in row:
                self.trouble += 1
                complain(f"{row['document']}: undecided: the time limit ran out after {row['listed']} rows")
            if self.output is Output.JSON:
                print_json(row)
                continue
            if "verdict" in row and "listed" not in row and self._what is not None:
                continue
            if "skipped_links" in row and "verdict" not in row:
                continue  # each skipped link has been shown as a remark
            values = row if "verdict" not in row else {**row, self.columns[1]: row["verdict"]}
            cells = [_cell(values.get(column, "")) for column in self.columns]
            if self.output is Output.TABLE:
                self._rows.append(cells)
                if len(self._rows) >= MANY_ROWS:
                    self._print_table()
            else:
                self.print_header()
                csv.writer(sys.stdout, lineterminator="\n").writerow([spreadsheet_cell(cell) for cell in cells])

    def _print_table(self) -> None:
        """Print the rows so far, and forget them."""
        if self._rows:
            print_table(self.columns, self._rows)
            self._rows.clear()

    def print_header(self) -> None:
        """Print the names of the columns, once and for CSV only."""
        if self._header_due:
            csv.writer(sys.stdout, lineterminator="\n").writerow(self.columns)
            self._header_due = False

    def finish(self, paths: Sequence[str]) -> ExitCode:
        """Print the table. Return NO if there is one, then UNDECIDED; wrong usage if nothing was readable."""
        if not self.read and not self.trouble:
            complain(f"no document under {', '.join(paths)}")
        self._print_table()
        if self.read:
            self.print_header()
        if self.said_no:
            return ExitCode.NO
        if not self.read:
            return ExitCode.USAGE
        return ExitCode.UNDECIDED if self.trouble else ExitCode.YES


_NUMBER = re.compile(r"(-?[0-9]+(\.[0-9]+)?)?( \[[-0-9., ]+\])?")  # perhaps with its interval


def _cell(value: object) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


_ENTRIES = 20  # shown of one list
_GAP = 2  # columns between two cells
_WIDEST = 10_000  # characters of a line in a file
_NARROWEST = 12  # characters a column of text is folded to before a table is divided


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table for people. Text from documents is neither markup nor terminal commands. Numbers are never cut.

    Where a terminal is too narrow, text is folded; where that is not enough, further columns follow below, each time
    with the first column.
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    names = [printable(column) for column in columns]  # may be labels from documents
    is_number = [all(_NUMBER.fullmatch(row[place]) for row in cells) for place in range(len(names))]
    lines = None if _may_be_terminal() else plain_lines(names, cells, is_number)
    if lines is None:
        _print_richly(names, cells, is_number)
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines))


def _may_be_terminal() -> bool:
    """Return whether Rich might take the output for a terminal."""
    return sys.stdout.isatty() or "FORCE_COLOR" in os.environ or "TTY_COMPATIBLE" in os.environ


def plain_lines(names: Sequence[str], rows: Sequence[Sequence[str]], is_number: Sequence[bool]) -> Iterator[str] | None:
    """Return the lines of a table for a file, as Rich would print them; None if only Rich can tell.

    Rich is made for terminals. It takes a twentieth of a millisecond for each cell, at the end of a run.
    """
    columns = [[name, *(row[place] for row in rows)] for place, name in enumerate(names)]
    if not all(cell.isascii() and cell.strip() == cell for column in columns for cell in column):
        return None
    widths = [max(map(len, column)) for column in columns]
    if not all(widths) or sum(widths) + _GAP * len(widths) > _WIDEST:
        return None
    parts = [f"{{:{'>' if fixed else '<'}{width}}}" for fixed, width in zip(is_number, widths, strict=True)]
    line = (" " * _GAP).join(parts).format
    return (line(*row) for row in (names, *rows))


def _print_richly(names: Sequence[str], cells: Sequence[Sequence[str]], is_number: Sequence[bool]) -> None:
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDEST
    widths = [max(map(cell_len, (names[place], *(row[place] for row in cells)))) for place in range(len(names))]
    least = [width if fixed else min(width, _NARROWEST) for width, fixed in zip(widths, is_number, strict=True)]
    for number, places in enumerate(divided(least, console.width)):
        table = Table(box=None, header_style="bold", pad_edge=False)
        for place in places:
            justify: Literal["left", "right"] = "right" if is_number[place] else "left"
            table.add_column(Text(names[place]), justify=justify, no_wrap=is_number[place], overflow="fold")
        for row in cells:
            table.add_row(*(Text(row[place]) for place in places))
        if number:
            console.print()
        console.print(table)


def divided(least: Sequence[int], width: int) -> list[list[int]]:
    """Return the columns of each part of a table: as many as fit, and the first column in every part.

    >>> divided([8, 6, 6, 6], 80), divided([8, 6, 6, 6], 24)
    ([[0, 1, 2, 3]], [[0, 1, 2], [0, 3]])
    """
    parts = [[0]]
    used = least[0]
    for place in range(1, len(least)):
        if used + _GAP + least[place] > width and len(parts[-1]) > 1:
            parts.append([0])
            used = least[0]
        parts[-1].append(place)
        used += _GAP + least[place]
    return parts


def listed(lines: Sequence[str], last: int = 0) -> Iterator[str]:
    """Yield indented lines. A long list is shortened to its first lines, and its ``last`` ones if the end matters."""
    hidden = len(lines) - _ENTRIES
    if hidden <= 1:
        yield from (f"  {line}" for line in lines)
        return
    yield from (f"  {line}" for line in lines[: _ENTRIES - last])
    yield f"  ... and {hidden} more; --output json has all of them"
    yield from (f"  {line}" for line in lines[len(lines) - last :])
