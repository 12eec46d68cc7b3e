"""The answer of ``check`` about one document, as programs get it: worked out anywhere, printed and kept as it is.

It travels between processes as text. With millions of documents on many cores, what the one process that prints has to
do for each is what limits the rate; for most documents that is to count a verdict and to pass a line on.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.commands.common import json_text, link_json, remark_json
from temporacle.model import Action, Document, Unreadable
from temporacle.reasoner.check import OUT_OF_TIME, CheckOptions, check_document
from temporacle.results import Certificate, DocumentVerdict, Repair, Unrepairable

if TYPE_CHECKING:
    from typing import Self

    from temporacle.model import Link
    from temporacle.results import CheckResult

Row = dict[str, Any]


class Outcome(NamedTuple):
    """A row as JSON, what is counted of it, and what is needed to write files: only where files are to be written."""

    text: str
    verdict: str
    complete: bool  # the document was read whole and answered whole
    remarkable: bool  # there is more to tell about the document than that it is consistent
    document: Document | None = None
    certificate: Certificate | None = None
    repair: Repair | None = None

    @classmethod
    def of(cls, row: Row) -> Self:
        """A row without files."""
        remarks = row["warnings"]
        complete = not any(
            remark["action"] == Action.DROPPED.value or remark["code"] == OUT_OF_TIME for remark in remarks
        )
        remarkable = bool(remarks) or row["verdict"] != DocumentVerdict.CONSISTENT.value
        return cls(json_text(row), row["verdict"], complete, remarkable)

    @property
    def row(self) -> Row:
        """A new copy of the row."""
        found: Row = json.loads(self.text)
        return found


def outcome(document: Document | Unreadable, asked: CheckOptions, *, writes_files: bool) -> Outcome:
    """Check a document."""
    result = check_document(document, asked)
    found = Outcome.of(row_of(result, asked))
    if not writes_files or isinstance(document, Unreadable):
        return found
    repair = result.repair if isinstance(result.repair, Repair) else None
    return found._replace(document=document, certificate=result.certificate, repair=repair)


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
