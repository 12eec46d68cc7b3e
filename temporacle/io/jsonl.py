"""JSON Lines: one object a line, one document an object.

    {"document": "harbour",
     "entities": ["docked", {"id": "left", "kind": "event", "start": 10, "end": 14, "text": "left"}],
     "links": [{"id": "k1", "source": "left", "relation": "b|m", "target": "docked", "weight": 2}]}

``document`` is required; ``entities``, if present, lists every name a link may use. A relation is a string or a list
of labels. What other formats know has its place too: ``text`` of a document; ``label`` (as first written) and ``task``
of a link; ``spans``, ``event_id``, ``value`` and ``function`` of an entity. Unknown keys are allowed.

A line that cannot be read spoils no other line.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.jsonl_document import document_of
from temporacle.io.rows import only_new_remarks, require_content
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source

_BOM = b"\xef\xbb\xbf"
_NARRATIVETIME = "NarrativeTime's JSON Lines, whose code of positions and branches cannot be read"
_FOREIGN = "the object is not a document of this format"


def read(source: Source) -> Iterator[Document | Unreadable]:
    """The documents of a JSON Lines file, one at a time."""
    require_content(source)
    seen: set[str] = set()
    said: set[str] = set()
    for number, line in numbered_lines(source):
        found = read_line(line, number, source)
        if isinstance(found, Unreadable):
            is_first = not seen and source.first_line == 1
            if found.error.reason == _NARRATIVETIME or (found.error.reason == _FOREIGN and is_first):
                raise found.error  # the whole file is of another format
            yield found
        elif found.id in seen:
            error = source.error(f"document {found.id!r} occurs a second time", line=number, cure="rename or merge it")
            yield Unreadable(found.id, source.path, error)
        else:
            seen.add(found.id)
            yield only_new_remarks(found, said) if found.remarks else found


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, as UTF-8 bytes with their numbers, cut off one at a time."""
    data = source.decode().encode() if source.options.encoding else source.data
    start, number = len(_BOM) if data.startswith(_BOM) else 0, source.first_line - 1
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end]
        if line.strip():
            yield number, line
        start = end + 1


def read_line(line: bytes, number: int, source: Source) -> Document | Unreadable:
    """The document on one line (UTF-8). It depends on nothing but that line, so lines can be read in parallel.

    What only a whole file can show is left to the caller: a document that occurs twice, and remarks that are said
    once a file (``rows.only_new_remarks``).
    """
    name = f"{source.name}:{number}"
    try:
        record = parse_record(line, number, source)
        name = record["document"]
        return document_of(name, record, number, source)
    except InputError as error:
        return Unreadable(name, source.path, error)


def parse_record(line: bytes, number: int, source: Source) -> dict[str, Any]:
    """The JSON object on a line, known to have a document name; InputError with line and column otherwise."""
    try:
        text = line.decode()
        record = json.loads(text)
        if "\\u" in text:  # an escape may smuggle in half a character, which nobody could print
            json.dumps(record, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        cure = "write each document on one line"
        raise source.error(f"bad JSON: {error.msg}", line=number, column=error.colno, cure=cure) from None
    except UnicodeDecodeError as error:
        bad = line[error.start]
        raise source.error(f"byte 0x{bad:02x} is not UTF-8", line=number, column=error.start + 1) from None
    except UnicodeEncodeError:
        raise source.error(
            "a \\u escape gives half a character", line=number, cure="write surrogates in pairs"
        ) from None
    except RecursionError:
        raise source.error("bad JSON: nested too deeply", line=number) from None
    except ValueError as error:  # a number of thousands of digits
        raise source.error(f"bad JSON: {error}", line=number) from None
    if type(record) is not dict:
        raise source.error(
            "a line must be one JSON object", line=number, cure='write {"document": ..., "links": [...]}'
        )
    if "event_order" in record:
        raise source.error(_NARRATIVETIME, line=number, cure="use the converted .tml files")
    if "document" not in record and "links" not in record:
        keys = ", ".join(list(record)[:5]) or "no keys"
        raise source.error(_FOREIGN, line=number, cure=f'it needs "document" and "links" and has {keys}')
    name = record.get("document")
    if type(name) is not str or not name.strip():
        raise source.error("the object has no document name", line=number, cure='add "document": "some name"')
    return record
