"""Forms of a closure that are not documents: verdicts among links TSV, and JSON Lines of pairs and verdicts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.audit.subjects.exchange import INCONSISTENT
from temporacle.io.jsonl import numbered_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.errors import InputError
    from temporacle.io.source import Source

_BOM = b"\xef\xbb\xbf"


def is_blank(source: Source) -> bool:
    """Return whether a file is empty: it claims that nothing follows."""
    return not source.data.removeprefix(_BOM).strip()


def without_verdicts(data: bytes) -> tuple[bytes, list[str] | None]:
    """Return the file without lines that are verdicts, and the documents of these lines; None if the file is a single
    verdict.
    """
    said = INCONSISTENT.encode()
    if said not in data.lower():
        return data, []
    lines = data.removeprefix(_BOM).split(b"\n")
    content = [line.strip() for line in lines if line.strip() and not line.startswith(b"#")]
    if len(content) == 1 and content[0].lower() == said:
        return b"", None
    found, kept = [], []
    for line in lines:
        document, _, verdict = line.strip().partition(b"\t")
        if verdict.strip().lower() == said:
            found.append(document.decode("utf-8", "replace"))
            kept.append(b"")  # the numbers of the other lines stay
        else:
            kept.append(line)
    return b"\n".join(kept), found


def is_closure(source: Source) -> bool:
    """Return whether a file is JSON Lines of pairs and verdicts. The first readable object decides."""
    if not source.data.removeprefix(_BOM).lstrip().startswith(b"{"):
        return False
    return _is_claim(next((row for _, row in _parsed_lines(source) if isinstance(row, dict)), {}))


def closure_rows(source: Source) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    """Yield the numbered objects of such a file, one at a time, or an error for a line that cannot be read."""
    cure = "write an object with source, relation and target, or with a verdict, as text"
    for number, row in _parsed_lines(source):
        if isinstance(row, dict) and not (_is_claim(row) and _is_plain(row)):
            yield number, source.error("the line is not a claim", line=number, cure=cure)
        else:
            yield number, row


def _parsed_lines(source: Source) -> Iterator[tuple[int, dict[str, Any] | InputError]]:
    for number, line in numbered_lines(source):
        try:
            row = json.loads(line)
        except RecursionError:
            yield number, source.error("bad JSON: nested too deeply", line=number)
        except ValueError as error:
            yield number, source.error(f"bad JSON: {error}", line=number)
        else:
            yield number, row if isinstance(row, dict) else source.error("the line is not an object", line=number)


def _is_claim(row: dict[str, Any]) -> bool:
    return "links" not in row and ({"source", "target"} <= row.keys() or "verdict" in row)


def _is_plain(row: dict[str, Any]) -> bool:
    """Return whether all names are strings, and not nested values, which could be of any depth."""
    relation = row.get("relation")
    parts = relation if isinstance(relation, list) else [relation]
    names = [row.get(key) for key in ("document", "source", "target", "verdict")]
    return all(value is None or isinstance(value, str | int) for value in (*names, *parts))
