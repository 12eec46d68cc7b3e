"""The one line of a JSON Lines file that holds a document, found without reading the others.

A file may have a hundred thousand documents. A line can only be the one that is looked for if it has the name of the
document in it, or an escape sequence that may stand for a part of it. Only such lines are parsed.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from temporacle.io.jsonl import is_link
from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from temporacle.io.source import Options

_BOM = b"\xef\xbb\xbf"
_SHORTLY_ESCAPED = re.compile(r'["\\/\x00-\x1f\x7f]')  # characters that JSON can write without \u


class Place(NamedTuple):
    """A line of a file: its number, where it begins, and its bytes without the line feed."""

    number: int
    start: int
    line: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.line)

    def source(self, path: str, options: Options) -> Source:
        """Return the line as a source of its own, which knows its number in the file."""
        return Source(path, self.line, options, format="jsonl", first_line=self.number)


def place_of(lines: Iterable[bytes], name: str, source: Source) -> Place | None:
    """Return the only line with a document of that name; None if that is not certain, or if lines are single links.

    ``lines``: of the whole file, with their line feeds. ``source``: the file, for its options and its name.
    """
    # Lines that cannot be read are called by the file and their number.
    if source.options.encoding is not None or not name.strip() or name.startswith(f"{source.name}:"):
        return None
    raw = name.encode("utf-8", "surrogatepass")
    escape = b"\\" if _SHORTLY_ESCAPED.search(name) else b"\\u"
    found = None
    start, is_first = 0, True
    for number, whole in enumerate(lines, 1):
        begin = start
        start += len(whole)
        line = whole.rstrip(b"\n") if whole.endswith(b"\n") else whole
        if number == 1 and line.startswith(_BOM):
            begin, line = len(_BOM), line[len(_BOM) :]
        if is_first and line.strip():
            is_first = False
            if not _is_document(line, source):
                return None
        if raw in line or escape in line:
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                if raw in line:
                    return None
                continue
            if isinstance(record, dict) and record.get("document") == name:
                if found is not None:
                    return None
                found = Place(number, begin, line)
    return found


def _is_document(line: bytes, source: Source) -> bool:
    """Return whether a line is a document. Then the file is one of documents, not of links or of another format."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return (
        isinstance(record, dict)
        and isinstance(record.get("document"), str)
        and not is_link(record, source.options.named_columns)
    )
