"""Scores as tables in every form: for people, spreadsheets and papers."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.frames import digits
from temporacle.printing import escaped, spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from temporacle.results import Counts, Exact, Score
    from temporacle.scoring.significance import ScoreInterval

_LATEX = str.maketrans(
    {c: "\\" + c for c in "&%$#_{}"}
    | {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}  # other letters in LaTeX's usual fonts
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)
_NUMBER = re.compile(r"-?[0-9.]+")  # no formula, though a difference may begin like one


class ScoreOutput(StrEnum):
    """For people, for programs, for spreadsheets, for papers."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


class ScoreTable:
    """The figures in a row of scores: for people P, R, F1 and n, for spreadsheets the names that JSON has."""

    def __init__(self, output: ScoreOutput, kinds: Sequence[type[Counts]], *, counts: bool) -> None:
        self._for_programs = output is ScoreOutput.CSV
        alike = len(set(kinds)) == 1
        # Several metrics count different things: a row leaves the cells of the others empty.
        names = dict.fromkeys(name for kind in kinds for name, _ in kind().items())
        self.counts = list(names) if counts else []
        self._covers = alike and bool(kinds[0]().coverage())
        self._beside = list(kinds[0]().beside(0)) if alike else []  # such as the accuracy of pairs

    @property
    def figures(self) -> list[str]:
        """Return the names of precision, recall and F1."""
        return ["precision", "recall", "f1"] if self._for_programs else ["P", "R", "F1"]

    def columns(self, *first: str) -> list[str]:
        """Return the header of rows that begin with these cells."""
        asked = ["n", *(["answered"] if self._covers else [])]
        return [*first, *self.figures, *self._beside, *([] if self._for_programs else asked), *self.counts]

    def row(self, score: Score, *first: str) -> list[str]:
        """Return a row: the given cells, P, R, F1, the number of gold items, and the counts if they were asked for."""
        figures = [digits(each) for each in (score.precision, score.recall, score.f1)]
        figures += [digits(score.beside[name]) for name in self._beside]
        asked = [] if self._for_programs else [_number(score.counts.gold_size())]
        if self._covers and not self._for_programs:
            asked.append("{answered}/{asked}".format(**score.counts.coverage()))
        return [*first, *figures, *asked, *(self._count(score, name) for name in self.counts)]

    def _count(self, score: Score, name: str) -> str:
        value = dict(score.counts.items()).get(name)
        return "" if value is None else _number(value)


def _number(value: Exact) -> str:
    """Return a count, which may be a fraction."""
    return digits(value).rstrip("0") if value.denominator > 1 else str(value)


def with_interval(value: Fraction, interval: ScoreInterval | None) -> str:
    """Return a figure and its confidence interval, in one cell."""
    if interval is None:
        return digits(value)
    return f"{digits(value)} [{digits(interval.low)}, {digits(interval.high)}]"


def short_names(names: Sequence[str]) -> list[str]:
    """Return paths without the folders that all of them begin with.

    >>> short_names(["runs/2024/a", "runs/2024/b/out"]), short_names(["runs/a/"]), short_names(["/x/a", "/y/a"])
    (['a', 'b/out'], ['runs/a/'], ['/x/a', '/y/a'])
    """
    parts = [name.rstrip("/").split("/") for name in names]
    shared = 0
    while len(names) > 1 and all(len(each) > shared + 1 and each[shared] == parts[0][shared] for each in parts):
        shared += 1
    is_root = parts[0][:shared] == [""]  # the common part of absolute paths is not informative
    return ["/".join(each[shared:]) for each in parts] if shared and not is_root else list(names)


def require_names(names: Sequence[str] | None, number: int, of: str = "systems") -> None:
    """Raise UsageError unless names were given for all, each another one."""
    if names and len(names) != number:
        raise UsageError(f"--name is given {len(names)} times for {number} {of}; give one name for each, in order")
    if names and len(set(names)) < len(names):
        raise UsageError(f"--name gives two {of} the same name")


def breakdown_rows(breakdown: Mapping[str, Mapping[str, Counts]], name: str, empty: int) -> list[list[str]]:
    """Return p, R and F1 of every group."""
    from temporacle.results import harmonic_mean

    rows = []
    for group, counts in breakdown.get(name, {}).items():
        precision, recall = counts.precision(empty), counts.recall(empty)
        rows.append([group, digits(precision), digits(recall), digits(harmonic_mean(precision, recall))])
    return rows


def confusion_grid(
    confusion: Mapping[tuple[str, str], int], labels: Sequence[str] = ()
) -> tuple[list[str], list[list[str]]]:
    """Return a table with gold labels down and system labels across: these labels, or those that occur."""
    across = labels or sorted({system for _, system in confusion})
    down = labels or sorted({gold for gold, _ in confusion})
    rows = [[gold, *(str(confusion.get((gold, system), 0)) for system in across)] for gold in down]
    return ["gold \\ system", *across], rows


def print_grid(
    output: ScoreOutput,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    best: Collection[tuple[int, int]] = (),
) -> None:
    """Print one table in the requested form. CSV is written row by row.

    ``best``: row and column of the cells that are bold where a form has bold cells.
    """
    if output is ScoreOutput.TABLE:
        from temporacle.commands.terminal import print_table

        if title:
            sys.stdout.write(f"\n{title}\n")
        print_table(columns, list(rows))
    elif output is ScoreOutput.CSV:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        lines = iter(rows)
        first = list(islice(lines, 1))  # a refusal comes before the first row, and prints nothing
        rows = chain(first, lines)
        writer.writerow(map(spreadsheet_cell, columns))
        writer.writerows([cell if _NUMBER.fullmatch(cell) else spreadsheet_cell(cell) for cell in row] for row in rows)
    elif output is ScoreOutput.MARKDOWN:
        _print_markdown(columns, rows, title, best)
    elif output is ScoreOutput.HTML:
        _print_html(columns, rows, title, best)
    else:
        _print_latex(columns, rows, title, best)


def _print_markdown(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str, best: Collection[tuple[int, int]]
) -> None:
    lines = [f"\n**{title}**\n"] if title else []
    rows = list(rows)
    lines += [
        _piped(map(_in_markdown, columns)),
        _piped("---" if left else "---:" for left in _are_words(columns, rows)),
    ]
    lines += [_piped(row) for row in _marked(rows, best, _in_markdown, "**{}**")]
    sys.stdout.write("\n".join(lines) + "\n")


def _marked(
    rows: Iterable[Sequence[str]], best: Collection[tuple[int, int]], escape: Callable[[str], str], bold: str
) -> Iterator[list[str]]:
    """Yield rows as they are written in a form, with its best cells in bold."""
    for place, row in enumerate(rows):
        yield [
            bold.format(escape(cell)) if (place, column) in best else escape(cell) for column, cell in enumerate(row)
        ]


def _are_words(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Return which columns hold words, and stand to the left: those with a letter in some cell."""
    return [any(map(str.isalpha, "".join(row[place] for row in rows))) for place in range(len(columns))]


def _in_markdown(cell: str) -> str:
    return escaped(cell).replace("|", "\\|")


def _piped(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _print_latex(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str, best: Collection[tuple[int, int]]
) -> None:
    lines = [f"% {title}"] if title else []
    rows = list(rows)
    sides = "".join("l" if left else "r" for left in _are_words(columns, rows))
    lines += [f"\\begin{{tabular}}{{{sides}}}", "\\toprule"]
    lines += [_ampersands(map(_in_latex, columns)), "\\midrule"]
    lines += [_ampersands(row) for row in _marked(rows, best, _in_latex, r"\textbf{{{}}}")]
    sys.stdout.write("\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n")


def _print_html(
    columns: Sequence[str], rows: Iterable[Sequence[str]], title: str, best: Collection[tuple[int, int]]
) -> None:
    from html import escape

    def line(cells: Iterable[str], tag: str) -> str:
        return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in cells)}</tr>"

    def in_html(cell: str) -> str:
        return escape(escaped(cell))

    lines = ["<table>", *([f"<caption>{escape(title)}</caption>"] if title else []), line(map(in_html, columns), "th")]
    lines += [line(row, "td") for row in _marked(rows, best, in_html, "<strong>{}</strong>")]
    sys.stdout.write("\n".join([*lines, "</table>"]) + "\n")


def _in_latex(cell: str) -> str:
    return escaped(cell).translate(_LATEX)


def _ampersands(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


@contextmanager
def writing_pairs(path: str) -> Iterator[Callable[[Score], None]]:
    """Write the pairs of scores to a file: CSV, or TSV or JSON Lines by its name."""
    import csv

    from temporacle.commands.common import json_text
    from temporacle.io.files import atomic
    from temporacle.results import PairRow

    columns = list(PairRow("", "", kind="other").to_dict(""))
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n", delimiter="\t" if path.endswith(".tsv") else ",")
        is_json = path.endswith((".jsonl", ".json"))
        if not is_json:
            writer.writerow(columns)

        def write(score: Score) -> None:
            for row in score.pair_rows():
                if is_json:
                    file.write(json_text(row) + "\n")
                else:
                    cells = ("" if row[name] is None else str(row[name]) for name in columns)
                    writer.writerow([cell if _NUMBER.fullmatch(cell) else spreadsheet_cell(cell) for cell in cells])

        yield write


_NOTES = {
    ScoreOutput.TABLE: "{}\n",
    ScoreOutput.MARKDOWN: "- {}\n",
    ScoreOutput.LATEX: "% {}\n",
    ScoreOutput.HTML: "<p>{}</p>\n",
}
_SIGNATURES = {**_NOTES, ScoreOutput.MARKDOWN: "`{}`\n", ScoreOutput.HTML: "<p><code>{}</code></p>\n"}
_AFTER_A_LINE = (ScoreOutput.TABLE, ScoreOutput.MARKDOWN)


def print_notes(output: ScoreOutput, notes: Iterable[str]) -> None:
    """Print sentences below a table, in a form that fits it. CSV has no place for them."""
    for place, note in enumerate(notes):
        _print_below(output, _NOTES, note, apart=place == 0)


def print_signature(output: ScoreOutput, signature: str) -> None:
    """Print the signature below a table, in a form that fits it. CSV has no place for it."""
    _print_below(output, _SIGNATURES, signature, apart=True)


def _print_below(output: ScoreOutput, forms: Mapping[ScoreOutput, str], text: str, *, apart: bool) -> None:
    from html import escape

    text = escaped(text)  # names may be any
    if output not in forms:
        sys.stderr.write(f"{text}\n")
        return
    begin = "\n" if apart and output in _AFTER_A_LINE else ""
    sys.stdout.write(begin + forms[output].format(escape(text) if output is ScoreOutput.HTML else text))
