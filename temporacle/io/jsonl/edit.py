"""JSON Lines: links in the array of their document, or one link a line. A note is a key ``comment`` of the link."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import FreeIds, Splice, in_step, is_named, joined_notes, plain_note, time_and_attribute
from temporacle.io.edit.places import (
    inserted,
    items,
    line_after,
    lines,
    members,
    removed,
    value_at,
    value_of,
    whole_line,
    with_member,
    without_member,
    written_like,
)
from temporacle.io.jsonl.document import id_of
from temporacle.io.jsonl.read import is_link
from temporacle.io.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.places import Value
    from temporacle.io.source import Options
    from temporacle.model import Document, Link

_COMMENT = "comment"


class _Stated(NamedTuple):
    """A link as the file states it."""

    place: Value
    record: Any
    position: int  # in its array, from 0; or of its line, if it is alone there


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in the text of a JSON Lines file."""
    records = [(number, line, _record(text, line)) for number, line in lines(text)]
    readable = {document.id: document for document in documents}
    if records and is_link(records[0][2], source.options.named_columns):
        if source.options.named_columns or not {"source", "target"} <= records[0][2].keys():
            cure = "convert it first, such as with temporacle convert"
            raise UsageError(f"{source.path}: links under other keys than source and target cannot be changed; {cure}")
        return list(_of_links(text, source, records, readable, edits))
    found: list[Splice] = []
    remaining = {name: edits[name] for name in edits if name in readable}
    for number, line, record in records:
        name = record.get("document")
        if not isinstance(name, str) or name not in remaining:
            continue
        if not readable[name].links or readable[name].links[0].line == number:  # a second one of that name is not read
            found += _in_document(text, value_at(text, line.start), readable[name], remaining.pop(name))
    return found


def _record(text: str, line: Value) -> dict[str, Any]:
    """Return the object on a line; an empty one for a line that cannot be read, which stays unchanged."""
    try:
        found = line.of(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _in_document(text: str, line: Value, document: Document, edits: Edits) -> Iterator[Splice]:
    array = value_of(text, line, "links")
    stated = [] if array is None else [_Stated(item, item.of(text), k) for k, item in enumerate(items(text, array))]
    links = _named(stated, document.links)
    edits.require(links, document.id)
    gone = {links[name].position for name in edits.drop}
    if array is not None and gone:
        yield from removed(text, array, gone)
    for name, link in links.items():
        yield from _changes(text, name, link, edits)
    if edits.values:
        yield from _with_values(text, line, edits.values)
    if not edits.add:
        return
    model = links[document.links[-1].id] if document.links else None
    new = _new_records(edits.add, model, links)
    if array is None:
        yield with_member(text, line, "links", new)
    else:
        style = line if model is None else model.place
        written = [written_like(text, style, each) for each in new]
        yield inserted(text, array, written, gone=gone, after=None if model is None else model.position)


def _with_values(text: str, line: Value, values: Mapping[str, str | None]) -> Iterator[Splice]:
    """Yield the replacements of what times say about the calendar. Of two entities with one id, the first counts."""
    array = value_of(text, line, "entities")
    places: dict[object, Value] = {}
    for item in [] if array is None else items(text, array):
        record = item.of(text)
        if isinstance(record, dict):
            places.setdefault(id_of(record.get("id")), item)
    for name, value in values.items():
        time, attribute = time_and_attribute(name)
        if time not in places:
            raise UsageError(f"{time} has no object among the entities of the file: its value cannot be set")
        if value is None:
            yield from without_member(text, places[time], attribute)
        else:
            yield with_member(text, places[time], attribute, value)


def _new_records(added: Sequence[NewLink], model: _Stated | None, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the new links, with the keys that a link of the same document has."""
    keys = {"id", "source", "relation", "target"} if model is None else set(model.record)
    ids = FreeIds(names)
    found = []
    for new in added:
        record: dict[str, Any] = {
            "document": model.record.get("document") if model is not None else None,
            "id": ids.give(new.id),
            "source": new.source,
            "relation": new.label,
            "label": new.label,
            "target": new.target,
        }
        if model is not None and isinstance(model.record.get("relation"), list):
            record["relation"] = new.label.split("|")
        record = {key: value for key, value in record.items() if key in keys}
        if new.comment:
            record[_COMMENT] = plain_note(new.comment)
        found.append(record)
    return found


def _of_links(
    text: str,
    source: Source,
    records: list[tuple[int, Value, Any]],
    readable: Mapping[str, Document],
    edits: Mapping[str, Edits],
) -> Iterator[Splice]:
    """Yield the replacements in a file with one link per line. A dropped link is removed with its line."""
    for document, wanted in edits.items():
        stated = []
        for number, line, record in records:
            if record.get("document", source.name) == document:
                stated.append(_Stated(value_at(text, line.start), record, number - 1))
        links = _named(stated, readable[document].links)
        wanted.require(links, document)
        for name, link in links.items():
            if name in wanted.drop:
                yield Splice(*whole_line(text, link.place.start))
            yield from _changes(text, name, link, wanted)
        if wanted.add:
            model = links[readable[document].links[-1].id]
            for record in _new_records(wanted.add, model, links):
                line = whole_line(text, model.place.start)
                yield line_after(text, line, written_like(text, model.place, record))


def _named(stated: list[_Stated], links: Sequence[Link]) -> dict[str, _Stated]:
    """Return the links by id, including unreadable links whose names no other link has."""
    found = in_step(links, stated, _says)
    used = {id(each) for each in found.values()}
    for each in stated:
        if id(each) not in used:
            found.setdefault(_name(each), each)
    return found


def _name(stated: _Stated) -> str:
    own = stated.record.get("id") if isinstance(stated.record, dict) else None
    return own if isinstance(own, str) and own else str(stated.position + 1)


def _says(stated: _Stated, link: Link) -> bool:
    record = stated.record
    if not isinstance(record, dict) or not is_named(link, _name(stated)):
        return False
    ends = id_of(record.get("source")), id_of(record.get("target"))
    return ends == (link.source, link.target) and record.get("weight", 1) == link.weight


def _changes(text: str, name: str, link: _Stated, edits: Edits) -> Iterator[Splice]:
    if not isinstance(link.record, dict) or name in edits.drop:
        return
    if (label := edits.relabel.get(name)) is not None:
        present = {each.key for each in members(text, link.place)}
        if "relation" in present or "label" not in present:
            yield with_member(text, link.place, "relation", label)
        if "label" in present:
            yield with_member(text, link.place, "label", label)
    before = link.record.get(_COMMENT)
    if before is None or isinstance(before, str):
        after = joined_notes(before, (name,), edits)
        if after is None and before is not None:
            yield from without_member(text, link.place, _COMMENT)
        elif after is not None and after != before:
            yield with_member(text, link.place, _COMMENT, after)


# ----------------------------------------------------------------------------------------------------
# The one line of a JSON Lines file that holds a document, found without reading the others.
#
# A file may have a hundred thousand documents. A line can only be the one that is looked for if it has the name of the
# document in it, or an escape sequence that may stand for a part of it. Only such lines are parsed.

_BOM = b"\xef\xbb\xbf"
_SHORTLY_ESCAPED = re.compile(r'["\\/\x00-\x1f\x7f]')  # characters that JSON can write without \u


class LinePlace(NamedTuple):
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


def place_of(lines: Iterable[bytes], name: str, source: Source) -> LinePlace | None:
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
                found = LinePlace(number, begin, line)
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
