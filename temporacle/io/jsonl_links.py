"""JSON Lines with one link a line, as ``closure --output json`` prints them.

    {"document": "harbour", "source": "left", "relation": ["b"], "target": "docked"}

Keys may have other names (``columns``). ``document`` may be missing: then the file is one document, named by the file.
``id``, ``label`` and ``weight`` are those of a link in ``jsonl``; a relation that is missing is taken from the label.
The lines of a document need not follow each other, as in CSV. A line that cannot be read spoils the file: it could be a
link of any document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.columns import HEADER, PREDICTIONS
from temporacle.io.jsonl import MIXED, document_name, is_link, numbered_lines, parse_object
from temporacle.io.jsonl_document import add_link
from temporacle.io.jsonl_extras import with_extras
from temporacle.io.link_rows import as_text, roles_in
from temporacle.io.rows import Builders, links_reading, plain_entities, with_body
from temporacle.model import Document, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.source import Source


_USUAL = frozenset(HEADER)
_OTHERS = frozenset(PREDICTIONS)


def _with_usual_names(record: dict[str, Any], source: Source, line: int) -> dict[str, Any]:
    """Return a link under the usual keys, whatever they are called in the file. Whole numbers are accepted as names."""
    keys, columns = record.keys(), source.options.named_columns
    is_doubtful = bool(columns) or not _OTHERS.isdisjoint(keys)
    if (is_doubtful or not keys >= _USUAL) and _is_one_link(record):
        names = list(record)
        try:
            roles = roles_in(source, names, line)
        except InputError:
            if is_doubtful or not is_link(record):
                raise
            return record  # one of the usual keys is missing: the link is dropped
        used = {role: name for role, name in zip(roles, names, strict=True) if role}
        replaced = {*used, *(() if used["relation"] == "relation" else ("label",))}  # of another relation
        rest = {name: record[name] for name in names if name not in replaced and name not in used.values()}
        record = {role: record[name] for role, name in used.items()} | rest
    for name in ("document", "source", "target"):
        if type(record.get(name)) is int:
            record[name] = as_text(record[name])
    return record


def _is_one_link(record: dict[str, Any]) -> bool:
    return "links" not in record and "entities" not in record and "verdict" not in record


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents that the links of a file belong to, in the order of first mention."""
    builders = Builders(source, "jsonl", links_reading(source.options))
    stated: dict[str, list[dict[str, Any]]] = {}  # by document: the objects its links were made of
    refused: dict[str, Unreadable] = {}
    for number, line in numbered_lines(source):
        record = _with_usual_names(parse_object(line, number, source), source, number)
        if "links" in record or "entities" in record:
            reason = "the line is a document, and the lines before it are links"
            raise source.error(reason, line=number, cure=MIXED)
        name = document_name(record, number, source) if "document" in record else source.name
        if "verdict" in record and "source" not in record:
            reason = f"the line says that the document is {record['verdict']!r:.40}, so its links are not here"
            error = source.error(reason, line=number, cure="remove the line, or read the document itself")
            refused.setdefault(name, Unreadable(name, source.path, error))
            continue
        builder = builders.of(name, len(line), number)
        own = record.get("id")
        written = {**record, "relation": record["label"]} if "relation" not in record and "label" in record else record
        before = len(builder.links)
        add_link(builder, written, own if type(own) is str and own else str(number), number)
        if len(builder.links) > before:
            stated.setdefault(name, []).append({key: value for key, value in record.items() if key != "document"})
    for document in builders.build():
        if document.id not in refused:
            yield with_extras(with_body(document, plain_entities), {}, stated.get(document.id, ()))
    yield from refused.values()
