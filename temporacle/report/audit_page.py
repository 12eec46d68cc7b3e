"""An audit for people: the counts, and the findings in words; as a page in HTML or Markdown, or as JSON."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.audit.answers import FaultKind, NoticedBy
from temporacle.audit.findings import rates
from temporacle.errors import UsageError
from temporacle.io.files import atomic_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from temporacle.audit.answers import Graph
    from temporacle.audit.findings import Audit, Crosscheck, Finding
    from temporacle.relation import Relation

_SUFFIXES = (".html", ".md", ".json")
_TITLES = {
    "documents": "documents",
    "cases": "cases",
    "consistent": "consistent cases",
    "inconsistent": "inconsistent cases",
    "declined": "not supported by the implementation",
    "undecided": "undecided",
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
_LIVE_ONLY = {
    "cases",
    "declined",
    "varied",
    "order_dependent",
    "name_dependent",
    "direction_dependent",
    "redundancy_dependent",
    "state_leaks",
    "unshrunk",
}


class AuditPage(NamedTuple):
    """The contents of an audit page: a title, counts, and findings. A finding about one of our engines names it."""

    title: str
    counted: Sequence[tuple[str, str, str]]
    findings: Sequence[tuple[str | None, Finding]]
    data: Callable[[], Mapping[str, Any]]  # the whole of it, for JSON
    clean: bool

    def groups(self) -> list[tuple[str, list[tuple[str | None, Finding]]]]:
        """Return findings by kind, manner and how they were noticed; ``described`` tells each in lines of text."""
        groups: dict[str, list[tuple[str | None, Finding]]] = {}
        for engine, finding in self.findings:
            by = "" if finding.noticed_by is NoticedBy.EXACT else f" (noticed by {finding.noticed_by.value})"
            title = f"{finding.kind.value}: {finding.fault.manner.value}{by}"
            groups.setdefault(title, []).append((engine, finding))
        return list(groups.items())


def audit_page(audit: Audit) -> AuditPage:
    """Return the content of the page about an audit."""
    how = ", ".join(f"{name} {value}" for name, value in audit.settings.items())
    counts = {**({"documents": audit.counts["cases"]} if audit.of_claims else {}), **audit.counts}
    hidden = _LIVE_ONLY if audit.of_claims else set()
    return AuditPage(
        f"Audit of {audit.subject}" + (f" ({how})" if how else ""),
        _counted(counts, hidden),
        [(None, finding) for finding in audit.findings],
        audit.to_dict,
        audit.clean,
    )


def crosscheck_page(crosscheck: Crosscheck) -> AuditPage:
    """Return the content of the page about a comparison of engines, with their total counts."""
    engines = crosscheck.engines
    together = {name: sum(engine.counts[name] for engine in engines) for name in engines[0].counts}
    return AuditPage(
        f"Audit of our engines (seed {crosscheck.seed}): {', '.join(engine.engine for engine in engines)}",
        _counted(together, set()),
        [(engine.engine, finding) for engine in engines for finding in engine.findings],
        crosscheck.to_dict,
        crosscheck.clean,
    )


def check_target(path: str) -> None:
    """Refuse a page of unknown form before the work starts."""
    if not path.endswith(_SUFFIXES):
        raise UsageError(f"{path}: a report is written as {', '.join(_SUFFIXES)}")


def write_page(path: str, page: AuditPage) -> None:
    """Write the page in the form that the name of the file asks for."""
    if path.endswith(".json"):
        text = json.dumps(page.data(), indent=1, ensure_ascii=False) + "\n"
    else:
        text = markdown(page) if path.endswith(".md") else html_page(page)
    with atomic_bytes(path) as file:
        file.write(text.encode("utf-8", "backslashreplace"))


# --- words -----------------------------------------------------------------------------------------------------------


def _counted(counts: Mapping[str, int], hidden: set[str]) -> list[tuple[str, str, str]]:
    shares = rates(counts)
    return [
        (title, str(counts[name]), f"{shares[name]:.1%}" if name in shares else "")
        for name, title in _TITLES.items()
        if name in counts and name not in hidden
    ]


def described(engine: str | None, finding: Finding) -> list[str]:
    """Return a description of a finding."""
    if finding.document is not None:
        where = f"document {finding.document}"
    else:
        where = f"case {finding.case}, seen {finding.count} time{'s' if finding.count > 1 else ''}"
    lines = [where if engine is None else f"{engine}: {where}"]
    if finding.document is None:
        lines.append("links: " + (_joined(finding.graph) or "none"))
    if finding.history is not None:
        lines += ["after: " + _joined(graph) for graph in (*finding.earlier, finding.history)]
    if finding.variant is not None:
        lines.append("answered otherwise: " + _joined(finding.variant))
    fault = finding.fault
    if fault.pair is not None:
        lines.append(f"claimed: {fault.pair[0]} {_relation(fault.claimed)} {fault.pair[1]}")
        lines.append(f"exact:   {fault.pair[0]} {_relation(fault.exact)} {fault.pair[1]}")
    lines += _evidence(finding)
    return lines + (finding.test.rstrip().split("\n") if finding.test else [])


def _evidence(finding: Finding) -> list[str]:
    evidence = finding.evidence
    if finding.kind is FaultKind.CRASH:
        return [f"seen: {finding.fault.reason}"]
    if evidence.model is not None:
        name = "countermodel" if finding.kind is FaultKind.UNSOUND else "witness"
        return [f"{name}: " + ", ".join(f"{entity} {start}-{end}" for entity, (start, end) in evidence.model.items())]
    if evidence.certificate is None:
        return []
    title = "follows from" if finding.kind is FaultKind.INCOMPLETE else "contradict each other"
    links = tuple((link.source, link.relation, link.target) for link in evidence.links)
    return [f"{title}: {_joined(links) or 'nothing'}"]


def _joined(links: Graph) -> str:
    return ", ".join(f"{source} {relation} {target}" for source, relation, target in links)


def _relation(relation: Relation | None) -> str:
    if relation is None:
        return "?"
    return "(anything)" if relation.is_universal else str(relation) if relation else "(nothing is left)"


# --- pages -----------------------------------------------------------------------------------------------------------


def markdown(page: AuditPage) -> str:
    """Return the page in Markdown."""
    parts = [f"# {page.title}\n", "| counted | | rate |\n|---|---|---|"]
    parts += [f"| {title} | {number} | {rate} |" for title, number, rate in page.counted]
    for title, findings in page.groups():
        parts.append(f"\n## {title}\n")
        for each in findings:
            lines = (line.replace("```", "'''") for line in described(*each))
            parts.append("```\n" + "\n".join(lines) + "\n```")
    if page.clean:
        parts.append("\nNo findings.")
    return "\n".join(parts) + "\n"


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "td,th{padding:.1rem 1rem .1rem 0;text-align:left}pre{background:#8881;padding:.6rem;overflow:auto}"
    ":root{color-scheme:light dark}"
)


def html_page(page: AuditPage) -> str:
    """Return the page in HTML. It needs no other file, and may not load or run anything."""
    safe = html.escape
    counted = "".join(
        f"<tr><td>{safe(title)}</td><td>{safe(number)}</td><td>{safe(rate)}</td></tr>"
        for title, number, rate in page.counted
    )
    groups = "".join(
        f"<h2>{safe(title)}</h2>" + "".join(f"<pre>{safe(chr(10).join(described(*each)))}</pre>" for each in findings)
        for title, findings in page.groups()
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{safe(page.title)}</title><style>{_STYLE}</style></head><body><h1>{safe(page.title)}</h1>"
        f"<table><tr><th>counted</th><th></th><th>rate</th></tr>{counted}</table>"
        f"{groups or '<p>No findings.</p>'}</body></html>\n"
    )
