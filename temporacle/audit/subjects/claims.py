"""A closure that another program has written to a file: claims and verdicts by document.

Besides every readable format, three forms of a closure are understood:

    links TSV in which the single line ``inconsistent``, or a line ``document TAB inconsistent``, is a verdict
    JSON Lines as ``temporacle closure --output json`` prints them: one object a pair, or a verdict
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from temporacle.audit.findings import Answer, Closed, SaidInconsistent, Triple
from temporacle.audit.subjects.exchange import INCONSISTENT
from temporacle.errors import LabelError
from temporacle.io import read_corpus, read_source
from temporacle.io.source import STANDARD_INPUT, Options, Source
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable

_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Claims:
    """What was claimed, by document."""

    answers: dict[str, Answer] = field(default_factory=dict)
    everything: bool = False  # the file is one verdict, "inconsistent", on whatever it is about
    troubles: list[str] = field(default_factory=list)  # what could not be read


def read_claims(path: str, options: Options) -> Claims:
    """The claims in a file or folder."""
    claims = Claims()
    if path != STANDARD_INPUT and not Path(path).is_file():
        _add_documents(claims, read_corpus([path], options))
        return claims
    data = sys.stdin.buffer.read() if path == STANDARD_INPUT else None
    source = Source(path, data, options)
    if not source.data.removeprefix(_BOM).strip():  # nothing follows, it says
        return claims
    rows = _closure_rows(source)
    if rows is not None:
        _add_rows(claims, rows, source)
        return claims
    kept, verdicts = _without_verdicts(source.data)
    if verdicts is None:
        claims.everything = True
        return claims
    _add_documents(claims, read_source(Source(path, kept, options)) if kept.strip() or not verdicts else ())
    claims.answers.update(dict.fromkeys(verdicts, SaidInconsistent()))
    return claims


def _add_documents(claims: Claims, documents: Iterable[Document | Unreadable]) -> None:
    for document in documents:
        if isinstance(document, Unreadable):
            claims.troubles.append(f"unreadable: {document.error}")
            continue
        claims.troubles += [
            f"{document.path}:{remark.line}: dropped {remark.element or 'claim'}: {remark.message}"
            for remark in document.dropped
        ]
        claims.answers[document.id] = Closed(
            tuple((link.source, link.relation, link.target) for link in document.links)
        )


def _without_verdicts(data: bytes) -> tuple[bytes, list[str] | None]:
    """The file without lines that are verdicts, and their documents; None if it is nothing but one bare verdict."""
    lines = data.removeprefix(_BOM).split(b"\n")
    said = INCONSISTENT.encode()
    content = [line.strip() for line in lines if line.strip() and not line.startswith(b"#")]
    if len(content) == 1 and content[0].lower() == said:
        return b"", None
    found, kept = [], []
    for line in lines:
        document, tab, verdict = line.strip().partition(b"\t")
        if tab and verdict.strip().lower() == said:
            found.append(document.decode("utf-8", "replace"))
        else:
            kept.append(line)
    return b"\n".join(kept), found


def _closure_rows(source: Source) -> list[tuple[int, dict[str, Any]]] | None:
    """The objects of a JSON Lines file if they are pairs and verdicts; None if it is anything else."""
    data = source.data.removeprefix(_BOM)
    if not data.lstrip().startswith(b"{"):
        return None
    rows = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError:
                return None
            if (
                not isinstance(row, dict)
                or "links" in row
                or not ({"source", "target"} <= set(row) or "verdict" in row)
            ):
                return None
            rows.append((number, row))
    return rows


def _add_rows(claims: Claims, rows: list[tuple[int, dict[str, Any]]], source: Source) -> None:
    reading = source.options.reading_for("links").with_atoms()
    found: dict[str, list[Triple]] = {}
    for number, row in rows:
        document = str(row.get("document", source.name))
        if row.get("verdict") == INCONSISTENT:
            claims.answers[document] = SaidInconsistent()
        elif "verdict" in row:
            claims.troubles.append(f"{source.path}:{number}: the verdict {row['verdict']!r} claims nothing")
        else:
            relation = row.get("relation") or ""
            label = "|".join(map(str, relation)) if isinstance(relation, list) else str(relation)
            try:
                triple = (str(row["source"]), reading.relation(label), str(row["target"]))
                found.setdefault(document, []).append(triple)
            except LabelError as error:
                claims.troubles.append(f"{source.path}:{number}: dropped claim: {error}")
    for document, triples in found.items():
        claims.answers.setdefault(document, Closed(tuple(triples)))
