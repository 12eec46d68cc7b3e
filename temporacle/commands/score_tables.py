"""Scores as tables in every form: for people, spreadsheets and papers."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from temporacle.figures import digits
from temporacle.printing import escaped, spreadsheet_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.results import Counts, Score

_LATEX = str.maketrans(
    {c: "\\" + c for c in "&%$#_{}"}
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


def score_cells(name: str, score: Score, *, counts: bool) -> list[str]:
    """A row of a table: name, P, R, F1, and the counts where they are asked for."""
    figures = [digits(score.precision), digits(score.recall), digits(score.f1)]
    if not counts:
        return [name, *figures]
    numbers = [digits(value).rstrip("0") if value.denominator > 1 else str(value) for _, value in score.counts.items()]
    return [name, *figures, *numbers]


def score_columns(first: str, kind: type[Counts], *, counts: bool) -> list[str]:
    """The header of such rows."""
    return [first, "precision", "recall", "f1", *((name for name, _ in kind().items()) if counts else ())]


def breakdown_rows(breakdown: Mapping[str, Mapping[str, Counts]], name: str, empty: int) -> list[list[str]]:
    """P, R and F1 of every group."""
    from temporacle.results import harmonic_mean

    rows = []
    for group, counts in breakdown.get(name, {}).items():
        precision, recall = counts.precision(empty), counts.recall(empty)
        rows.append([group, digits(precision), digits(recall), digits(harmonic_mean(precision, recall))])
    return rows


def confusion_grid(confusion: Mapping[tuple[str, str], int]) -> tuple[list[str], list[list[str]]]:
    """Gold labels down, system labels across."""
    across = sorted({system for _, system in confusion})
    down = sorted({gold for gold, _ in confusion})
    rows = [[gold, *(str(confusion.get((gold, system), 0)) for system in across)] for gold in down]
    return ["gold \\ system", *across], rows


def print_grid(output: ScoreOutput, columns: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
    """One table in the form asked for. CSV is written row by row."""
    if output is ScoreOutput.TABLE:
        from temporacle.commands.answers import print_table

        if title:
            sys.stdout.write(f"\n{title}\n")
        print_table(columns, list(rows))
    elif output is ScoreOutput.CSV:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(map(spreadsheet_cell, columns))
        writer.writerows([cell if _NUMBER.fullmatch(cell) else spreadsheet_cell(cell) for cell in row] for row in rows)
    elif output is ScoreOutput.MARKDOWN:
        _print_markdown(columns, rows, title)
    else:
        _print_latex(columns, rows, title)


def _print_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    lines = [f"\n**{title}**\n"] if title else []
    lines += [_piped(columns), _piped(["---", *("---:" for _ in columns[1:])]), *map(_piped, rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def _piped(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell).replace("|", "\\|") for cell in cells) + " |"


def _print_latex(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    lines = [f"% {title}"] if title else []
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", "\\hline", _ampersands(columns), "\\hline"]
    lines += [*map(_ampersands, rows), "\\hline", "\\end{tabular}"]
    sys.stdout.write("\n".join(lines) + "\n")


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(escaped(cell).translate(_LATEX) for cell in cells) + r" \\"


def print_signature(output: ScoreOutput, signature: str) -> None:
    """The signature below a table, in a form that does not spoil it. CSV has no place for it."""
    signature = escaped(signature)  # a reading of one's own has any name
    if output is ScoreOutput.TABLE:
        sys.stdout.write(f"\n{signature}\n")
    elif output is ScoreOutput.MARKDOWN:
        sys.stdout.write(f"\n`{signature}`\n")
    elif output is ScoreOutput.LATEX:
        sys.stdout.write(f"% {signature}\n")
    else:
        sys.stderr.write(f"{signature}\n")
