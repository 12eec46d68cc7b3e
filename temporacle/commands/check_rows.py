"""The answer of ``check`` about one document, as programs get it: worked out anywhere, printed and kept as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.commands.common import link_json, remark_json
from temporacle.model import Document, Unreadable
from temporacle.reasoner.check import CheckOptions, check_document
from temporacle.results import Certificate, Repair, Unrepairable

if TYPE_CHECKING:
    from temporacle.model import Link
    from temporacle.results import CheckResult

Row = dict[str, Any]


class Outcome(NamedTuple):
    """A row, and what is needed to write files: only where files are to be written."""

    row: Row
    document: Document | None = None
    certificate: Certificate | None = None
    repair: Repair | None = None


def outcome(document: Document | Unreadable, asked: CheckOptions, *, writes_files: bool) -> Outcome:
    """Check a document."""
    result = check_document(document, asked)
    row = row_of(result, asked)
    if not writes_files or isinstance(document, Unreadable):
        return Outcome(row)
    return Outcome(row, document, result.certificate, result.repair if isinstance(result.repair, Repair) else None)


def row_of(result: CheckResult, asked: CheckOptions) -> Row:
    """The JSON object of a result."""
    row: Row = {
        "document": result.document,
        "path": result.path,
        "entities": result.entities,
        "links": result.links,
        "verdict": result.verdict.value,
        "decided_by": result.decided_by,
        "conflict": _links(result.conflicts[0]) if result.conflicts else [],
        "repair": None if isinstance(result.repair, Unrepairable) else _links(_dropped(result)),
        "certificate": None,
        "warnings": [remark_json(remark, result.path) for remark in result.warnings],
        "error": result.error,
        "seconds": round(result.seconds, 6),
    }
    if result.chains:
        row["explanation"] = list(result.chains[0])
    if asked.conflicts > 1:
        row["conflicts"] = [_links(conflict) for conflict in result.conflicts]
        row["explanations"] = [list(sentences) for sentences in result.chains]
    if isinstance(result.repair, Unrepairable):
        row["unrepairable"] = _links(result.repair.conflict)
    if asked.relabel:
        row["relabel"] = [
            {"id": entry.link.id, "possible": list(entry.possible.atoms), "labels": list(entry.labels)}
            for entry in result.relabellings
        ]
    return row


def _dropped(result: CheckResult) -> tuple[Link, ...]:
    return result.repair.dropped if isinstance(result.repair, Repair) else ()


def _links(links: tuple[Link, ...]) -> list[Row]:
    return [link_json(link) for link in links]
