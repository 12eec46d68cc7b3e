"""An audit for people: on the terminal, and as a page in Markdown, HTML or JSON."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import typer

from temporacle.commands.common import printable
from temporacle.errors import UsageError

_SHOWN = 4  # findings of a group on the terminal
_SUFFIXES = (".html", ".md", ".json")
_TITLES = {
    "documents": "documents",
    "cases": "cases",
    "consistent": "consistent cases",
    "inconsistent": "inconsistent cases",
    "declined": "declined by the implementation",
    "undecided": "undecided by us",
    "pairs": "pairs checked",
    "missed": "pairs missed",
    "missed_atoms": "of these, pairs that have one relation",
    "wrong": "pairs wrong",
    "over_claimed": "pairs over-claimed",
    "missed_inconsistencies": "inconsistencies missed",
    "false_inconsistencies": "false alarms",
    "crashes": "no answer (crash, hang, malformed)",
    "varied": "cases asked in other ways",
    "order_dependent": "dependent on the order of links",
    "name_dependent": "dependent on names",
    "direction_dependent": "dependent on the direction of links",
    "redundancy_dependent": "dependent on repeated links",
    "state_leaks": "dependent on earlier calls",
    "findings": "distinct findings",
    "unshrunk": "further faulty cases, not shrunk",
}

_LIVE_ONLY = set(list(_TITLES)[list(_TITLES).index("varied") :]) - {"findings"} | {"crashes", "declined"}


def show(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Counts, then the findings grouped by cause."""
    from temporacle.commands.answers import print_table

    print_table(("counted", "", "rate"), _counted(summary))
    show_groups(rows)
    if summary["clean"]:
        typer.echo("\nno findings")


def show_groups(rows: list[dict[str, Any]]) -> None:
    """Findings with the same cause one under the other."""
    for title, group in _groups(rows):
        typer.echo(f"\n{title}")
        for row in group[:_SHOWN]:
            first, *rest = _lines(row)
            for line in (f"  - {first}", *(f"    {line}" for line in rest)):
                typer.echo(printable(line))
        if len(group) > _SHOWN:
            typer.echo(f"  and {len(group) - _SHOWN} more: see --output json, or -o FILE")


def check_target(path: str) -> None:
    """Refuse a report of unknown form before the work starts."""
    if not path.endswith(_SUFFIXES):
        raise UsageError(f"{path}: a report is written as {', '.join(_SUFFIXES)}")


def write_report(path: str, rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Write the report in the form its name asks for."""
    if path.endswith(".json"):
        text = json.dumps({"summary": summary, "findings": rows}, indent=1, ensure_ascii=False) + "\n"
    elif path.endswith(".md"):
        text = markdown(rows, summary)
    else:
        text = page(rows, summary)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


# --- the parts -------------------------------------------------------------------------------------------------------


def _counted(summary: dict[str, Any]) -> list[tuple[str, str, str]]:
    rates = summary["rates"]
    return [
        (title, str(summary[name]), f"{rates[name]:.1%}" if name in rates else "")
        for name, title in _TITLES.items()
        if name in summary and (name not in _LIVE_ONLY or "documents" not in summary)
    ]


def _groups(rows: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Findings by kind, manner and how they were noticed."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        noticed = row.get("check", "exact")
        by = "" if noticed == "exact" else f" (noticed by {noticed})"
        groups.setdefault(f"{row['kind']}: {row['manner']}{by}", []).append(row)
    return list(groups.items())


def _lines(row: dict[str, Any]) -> list[str]:
    """A finding in words."""
    where = f"document {row['document']}" if "document" in row else f"case {row['case']}, seen {row['count']} times"
    lines = [f"{row['engine']}: {where}" if "engine" in row else where]
    if "links" in row:
        lines.append("links: " + _joined(row["links"]))
    if "after" in row:
        lines.append("after: " + _joined(row["after"]))
    if "variant" in row:
        lines.append("answered otherwise: " + _joined(row["variant"]))
    if row["pair"] is not None:
        source, target = row["pair"]
        lines.append(f"claimed: {source} {_relation(row['claimed'])} {target}")
        lines.append(f"exact:   {source} {_relation(row['exact'])} {target}")
    lines += _evidence_lines(row["evidence"])
    if "test" in row:
        lines += row["test"].rstrip().split("\n")
    return lines


def _evidence_lines(evidence: dict[str, Any]) -> list[str]:
    lines = []
    for name in ("countermodel", "witness"):
        if name in evidence:
            times = ", ".join(f"{entity} {start}-{end}" for entity, (start, end) in evidence[name].items())
            lines.append(f"{name}: {times}")
    for name, title in (("links", "follows from"), ("conflict", "cannot all be true")):
        if name in evidence:
            said = _joined([[link["source"], "|".join(link["relation"]), link["target"]] for link in evidence[name]])
            lines.append(f"{title}: {said or 'nothing at all'}")
    if "reason" in evidence:
        lines.append(f"seen: {evidence['reason']}")
    return lines


def _joined(links: list[list[str]]) -> str:
    return ", ".join(" ".join(link) for link in links)


def _relation(atoms: list[str] | None) -> str:
    if atoms is None:
        return "?"
    return "(anything)" if len(atoms) == 13 else "|".join(atoms) or "(nothing is left)"


def _head(summary: dict[str, Any]) -> str:
    how = [f"{name} {summary[name]}" for name in ("seed", "relations", "entities", "large") if name in summary]
    return f"Audit of {summary['subject']}" + (f" ({', '.join(how)})" if how else "")


def markdown(rows: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    """A report in Markdown."""
    parts = [f"# {_head(summary)}\n", "| counted | | rate |\n|---|---|---|"]
    parts += [f"| {title} | {number} | {rate} |" for title, number, rate in _counted(summary)]
    for title, group in _groups(rows):
        parts.append(f"\n## {title}\n")
        parts += ["```\n" + "\n".join(line.replace("```", "'''") for line in _lines(row)) + "\n```" for row in group]
    if summary["clean"]:
        parts.append("\nNo findings.")
    return "\n".join(parts) + "\n"


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "td,th{padding:.1rem 1rem .1rem 0;text-align:left}pre{background:#8881;padding:.6rem;overflow:auto}"
    ":root{color-scheme:light dark}"
)


def page(rows: list[dict[str, Any]], summary: dict[str, Any]) -> str:
    """A report as one HTML page that needs nothing else."""
    safe = html.escape
    counted = "".join(
        f"<tr><td>{safe(title)}</td><td>{safe(number)}</td><td>{safe(rate)}</td></tr>"
        for title, number, rate in _counted(summary)
    )
    groups = "".join(
        f"<h2>{safe(title)}</h2>" + "".join(f"<pre>{safe(chr(10).join(_lines(row)))}</pre>" for row in group)
        for title, group in _groups(rows)
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{safe(_head(summary))}</title><style>{_STYLE}</style></head><body><h1>{safe(_head(summary))}</h1>"
        f"<table><tr><th>counted</th><th></th><th>rate</th></tr>{counted}</table>"
        f"{groups or '<p>No findings.</p>'}</body></html>\n"
    )
