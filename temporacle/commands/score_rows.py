"""Scores as rows: JSON objects of the interface, and tables in every form."""

from __future__ import annotations

import re
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from temporacle.commands.common import print_json
from temporacle.figures import digits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.corpus import Agreement
    from temporacle.results import Counts, Score
    from temporacle.scoring.comparison import Comparison

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


# --- JSON -------------------------------------------------------------------------------------------------------------


def document_json(score: Score) -> dict[str, Any]:
    """The line of one document."""
    row: dict[str, Any] = {"document": score.document, **_measures(score), "counts": _score_counts(score)}
    if score.unmatched is not None:
        row["unmatched"] = {"gold": list(score.unmatched.gold), "system": list(score.unmatched.system)}
    if score.warnings:
        row["warnings"] = list(score.warnings)
    return row


def total_json(score: Score, documents: int, *, details: bool = False) -> dict[str, Any]:
    """The last line; ``documents`` is how many were scored."""
    row: dict[str, Any] = {
        "total": True,
        "metric": score.metric,
        **_measures(score),
        "counts": _score_counts(score),
        "documents": documents,
        "skipped": [{"document": each.document, "reason": each.reason} for each in score.skipped],
    }
    for name, groups in score.breakdown.items():
        row[f"by_{name}"] = {group: counts_json(counts) for group, counts in groups.items()}
    if details and score.confusion:
        row["confusion"] = [
            {"gold": gold, "system": system, "count": number}
            for (gold, system), number in sorted(score.confusion.items())
        ]
    if score.warnings:
        row["warnings"] = list(score.warnings)
    return {**row, "signature": score.signature}


def _measures(score: Score) -> dict[str, Any]:
    figures = {"precision": score.precision, "recall": score.recall, "f1": score.f1}
    return {
        **{name: float(value) for name, value in figures.items()},
        **{f"{name}_exact": str(value) for name, value in figures.items()},
    }


def counts_json(counts: Counts) -> dict[str, Any]:
    """Counts by name; a fraction is a number with its exact value beside it."""
    row: dict[str, Any] = {}
    for name, value in counts.items():
        if value.denominator == 1:
            row[name] = int(value)
        else:
            row[name], row[f"{name}_exact"] = float(value), str(value)
    return row


def _score_counts(score: Score) -> dict[str, Any]:
    """Counts, and the further figures of the metric."""
    row = counts_json(score.counts)
    for name, value in score.derived.items():
        row[name], row[f"{name}_exact"] = float(value), str(value)
    return row


def comparison_json(system: str, other: Score, comparison: Comparison) -> dict[str, Any]:
    """How the second system did, and whether the difference means anything."""
    return {
        "system": system,
        **_measures(other),
        "counts": _score_counts(other),
        "documents": comparison.documents,
        "samples": comparison.samples,
        "seed": comparison.seed,
        "differences": {
            each.measure: {
                "observed": float(each.observed),
                "low": float(each.low),
                "high": float(each.high),
                "p_value": float(each.p_value),
            }
            for each in comparison.differences
        },
    }


def agreement_json(agreement: Agreement) -> dict[str, Any]:
    """Both directions and kappa."""
    kappa = agreement.kappa
    figures = {"observed": kappa.observed, "expected": kappa.expected, "kappa": kappa.kappa}
    return {
        "backward": {**_measures(agreement.backward), "counts": _score_counts(agreement.backward)},
        "pairs": kappa.pairs,
        **{name: None if value is None else float(value) for name, value in figures.items()},
    }


# --- tables -----------------------------------------------------------------------------------------------------------


def score_cells(name: str, score: Score) -> list[str]:
    """A row of a table: name, P, R, F1, counts."""
    counts = [digits(value).rstrip("0") if value.denominator > 1 else str(value) for _, value in score.counts.items()]
    return [name, digits(score.precision), digits(score.recall), digits(score.f1), *counts]


def score_columns(first: str, counts: Counts) -> list[str]:
    """The header of such rows."""
    return [first, "precision", "recall", "f1", *(name for name, _ in counts.items())]


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

        from temporacle.commands.answers import harmless

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([cell if _NUMBER.fullmatch(cell) else harmless(cell) for cell in row] for row in rows)
    elif output is ScoreOutput.MARKDOWN:
        _print_markdown(columns, rows, title)
    else:
        _print_latex(columns, rows, title)


def _print_markdown(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    lines = [f"\n**{title}**\n"] if title else []
    lines += [_piped(columns), _piped(["---", *("---:" for _ in columns[1:])]), *map(_piped, rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def _piped(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _print_latex(columns: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> None:
    lines = [f"% {title}"] if title else []
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", "\\hline", _ampersands(columns), "\\hline"]
    lines += [*map(_ampersands, rows), "\\hline", "\\end{tabular}"]
    sys.stdout.write("\n".join(lines) + "\n")


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(cell.translate(_LATEX) for cell in cells) + r" \\"


def print_signature(output: ScoreOutput, signature: str) -> None:
    """The signature below a table, in a form that does not spoil it. CSV has no place for it."""
    if output is ScoreOutput.TABLE:
        sys.stdout.write(f"\n{signature}\n")
    elif output is ScoreOutput.MARKDOWN:
        sys.stdout.write(f"\n`{signature}`\n")
    elif output is ScoreOutput.LATEX:
        sys.stdout.write(f"% {signature}\n")
    else:
        sys.stderr.write(f"{signature}\n")


def print_rows(rows: Iterable[dict[str, Any]]) -> None:
    """JSON, one object a line."""
    for row in rows:
        print_json(row)
