"""JSON Lines: one object a line, one document an object.

    {"document": "harbour",
     "entities": ["docked", {"id": "left", "kind": "event", "start": 10, "end": 14, "text": "left"}],
     "links": [{"id": "k1", "source": "left", "relation": "b|m", "target": "docked", "weight": 2}]}

``document`` is required; ``entities``, if present, lists every name a link may use. A relation is a string or a list
of labels. What other formats know has its place too: ``text`` of a document; ``label`` (as first written) and ``task``
of a link; ``spans``, ``event_id``, ``value``, ``function``, ``type``, ``mod``,
``beginPoint`` and ``endPoint`` of an entity. Unknown keys are allowed.

A line that cannot be read spoils no other line. Files with one link a line are read by ``jsonl_links``; writing stands
in ``jsonl_write``.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from temporacle.errors import InputError
from temporacle.io.builder import new_link, remarks_about_repeated, repeated_pairs
from temporacle.io.columns import HEADER, PREDICTIONS, SAMPLED, ColumnsError, is_header, require_one_of_labels
from temporacle.io.jsonl.document import add_link, document_of, has_plain_extras, labels_of, with_extras
from temporacle.io.rows import Builders, links_reading, only_new_remarks, plain_entities, require_content, with_body
from temporacle.io.source import line_too_long
from temporacle.io.tables import as_text, roles_in
from temporacle.io.tools.json_file import first_object, parsed
from temporacle.model import Document, PlainGraph, Unreadable
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from temporacle.io.columns import Columns
    from temporacle.io.source import Source

Made = TypeVar("Made", bound=Document | PlainGraph)

_BOM = b"\xef\xbb\xbf"
_NARRATIVETIME = "NarrativeTime's JSON Lines, whose code of positions and branches cannot be read"
_FOREIGN = "the object is not a document of this format"
_LINK = "the line is a link, and the lines before it are documents"
_LIKE_LINKS = {"tlinks", "tlink", "link", "relations", "edges", "triples", "temporal_relations", "temporal_links"}
_LONGEST_KEY = 40
_LOOKED_AT = 1 << 16  # bytes
_KEYS_OF_DOCUMENTS = {"document", "links", "entities", "event_order", *_LIKE_LINKS}
MIXED = "put documents into one file, and single links into another"


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a JSON Lines file, one at a time."""
    return _read(source, document_of)


def read_graphs(source: Source) -> Iterator[Document | PlainGraph | Unreadable]:
    """Yield the same, with plain graphs in place of ordinary documents."""
    return _read(source, graph_or_document)


def _read(
    source: Source, made: Callable[[str, dict[str, Any], int, Source], Made]
) -> Iterator[Made | Document | Unreadable]:
    """Yield what is ``made`` of the object on each line."""
    require_content(source)
    if source.first_line == 1:
        refuse_spread_out(source)
    seen: set[str] = set()
    said: set[str] = set()
    is_first = True
    for number, line in numbered_lines(source):
        found = _made_of_line(line, number, source, made)
        if isinstance(found, Unreadable):
            reason = found.error.reason
            if reason == _LINK and is_first:
                yield from read_links(source)
                return
            if reason in {_NARRATIVETIME, _LINK} or (reason == _FOREIGN and not seen and source.first_line == 1):
                raise found.error  # the whole file is of another format
            yield found
        elif found.id in seen:
            error = source.error(
                f"document {shown(found.id)} occurs a second time", line=number, cure="rename or merge it"
            )
            yield Unreadable(found.id, source.path, error)
        else:
            seen.add(found.id)
            yield only_new_remarks(found, said) if isinstance(found, Document) and found.remarks else found
        is_first = False


def refuse_spread_out(source: Source) -> None:
    """Raise one error for an object that is printed over several lines, rather than an error for each line."""
    lines = numbered_lines(source)
    number, first = next(lines, (1, b""))
    second = next(lines, (0, b""))[1]
    if second and _goes_on(first) and not _is_complete(second):
        cure = "write each document on one line, for example with: jq -c ."
        raise source.error("the JSON object is spread over several lines", line=number, cure=cure)


def _goes_on(line: bytes) -> bool:
    """Return whether a line is the beginning of an object that could go on in the next line."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return line.lstrip()[:1] == b"{" and error.pos >= len(error.doc.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def _is_complete(line: bytes) -> bool:
    try:
        return type(json.loads(line)) is dict
    except (ValueError, RecursionError):
        return False


def numbered_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, as UTF-8 bytes with their numbers, one at a time."""
    for number, _, line in placed_lines(source):
        yield number, line


def placed_lines(source: Source) -> Iterator[tuple[int, int, bytes]]:
    """Yield the same, each with the place in the data at which it begins."""
    data = source.decode().encode() if source.options.encoding else source.data
    start, number = len(_BOM) if data.startswith(_BOM) else 0, source.first_line - 1
    largest = source.options.largest_line
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if end - start > largest:
            raise line_too_long(source, number)
        line = data[start:end]
        if line.strip():
            yield number, start, line
        start = end + 1


def read_line(line: bytes, number: int, source: Source) -> Document | Unreadable:
    """Return the document on one line (UTF-8). It depends on that line only, so lines can be read in parallel.

    What only a whole file can show is left to the caller: a document that occurs twice, and remarks that are said
    once a file (``rows.only_new_remarks``).
    """
    return _made_of_line(line, number, source, document_of)


def _made_of_line(
    line: bytes, number: int, source: Source, made: Callable[[str, dict[str, Any], int, Source], Made]
) -> Made | Unreadable:
    record = None
    try:
        record = parse_record(line, number, source)
        return made(record["document"], record, number, source)
    except InputError as error:
        name = f"{source.name}:{number}" if record is None else record["document"]
        return Unreadable(name, source.path, error)


def is_link_line(line: bytes, columns: Columns = ()) -> bool:
    """Return whether a line is a single link rather than a document; False for a line that cannot be parsed."""
    try:
        record = json.loads(line.removeprefix(_BOM))
    except (ValueError, RecursionError):
        return False
    return type(record) is dict and is_link(record, columns)


def holds_documents(source: Source) -> bool:
    """Return whether JSON begins with a document or a link. In a folder, other JSON such as package.json does not."""
    record = first_object(source.data[:_LOOKED_AT].decode("utf-8", "replace"))
    return bool(record.keys() & _KEYS_OF_DOCUMENTS) or is_link(record, source.options.named_columns)


def is_link(record: dict[str, Any], columns: Columns = ()) -> bool:
    """Return whether an object is a single link: two or more of source, relation and target, and no list of links.

    All three may have other names, as in ``columns``.

    >>> is_link({"source": "a", "relation": "b", "target": "c"}), is_link({"document": "d", "source": "a newspaper"})
    (True, False)
    """
    if "links" in record or "entities" in record:
        return False
    if ("source" in record) + ("target" in record) + ("relation" in record or "label" in record) > 1:
        return True
    return is_header(list(record), columns)


def parse_object(line: bytes, number: int, source: Source) -> dict[str, Any]:
    """Return the JSON object on a line. Raise InputError with line and column if there is none."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        bad = line[error.start]
        raise source.error(f"byte 0x{bad:02x} is not UTF-8", line=number, column=error.start + 1) from None
    record: dict[str, Any] = parsed(text, source, "bad JSON", "write each document on one line", line=number)
    if type(record) is not dict:
        raise source.error(
            "a line must be one JSON object", line=number, cure='write {"document": ..., "links": [...]}'
        )
    return record


def parse_record(line: bytes, number: int, source: Source) -> dict[str, Any]:
    """Return the document on a line, checked to have a name. Raise InputError with line and column otherwise."""
    record = parse_object(line, number, source)
    if "links" not in record:
        _refuse_other_kinds(record, number, source)
    document_name(record, number, source)
    return record


def _refuse_other_kinds(record: dict[str, Any], number: int, source: Source) -> None:
    """Raise InputError for objects that only look like a document without links."""
    if "event_order" in record:
        raise source.error(_NARRATIVETIME, line=number, cure="use the converted .tml files")
    if is_link(record, source.options.named_columns):
        raise source.error(_LINK, line=number, cure=MIXED)
    if "entities" not in record and ("verdict" in record or {"left", "right"} <= record.keys()):
        raise source.error(
            "the line is an answer about a document, not the document", line=number, cure="read the document itself"
        )
    near = _key_like_links(record)
    if near is not None:
        raise source.error(f'unknown key {shown(near)} where "links" is expected', line=number, cure='call it "links"')
    if "pairs" in record and "entities" not in record:
        raise source.error(
            "the line has scored pairs, not links", line=number, cure="choose the labels with temporacle decode first"
        )
    if "document" not in record:
        keys = ", ".join(key[:40] for key in list(record)[:5]) or "no keys"
        raise source.error(_FOREIGN, line=number, cure=f'it needs "document" and "links" and has {keys}')


def _key_like_links(record: dict[str, Any]) -> str | None:
    """Return a key that holds a list and was probably meant as "links".

    >>> _key_like_links({"document": "d", "tlinks": []}), _key_like_links({"document": "d", "tags": []})
    ('tlinks', None)
    """
    from difflib import get_close_matches

    lists = [key for key, value in record.items() if type(value) is list and len(key) <= _LONGEST_KEY]
    return next((key for key in lists if key.lower() in _LIKE_LINKS or get_close_matches(key.lower(), ["links"])), None)


def document_name(record: dict[str, Any], number: int, source: Source) -> str:
    """Return the name under "document". Raise InputError if there is none."""
    name = record.get("document")
    if type(name) is not str or not name.strip():
        raise source.error("the object has no document name", line=number, cure='add "document": "some name"')
    return name


# ----------------------------------------------------------------------------------------------------
# JSON Lines with one link a line, as ``closure --output json`` prints them.
#
#     {"document": "harbour", "source": "left", "relation": ["b"], "target": "docked"}
#
# Keys may have other names (``columns``). ``document`` may be missing: then the file is one document, named by the
# file. ``id``, ``label`` and ``weight`` are those of a link in ``jsonl``; a relation that is missing is taken from the
# label. The lines of a document need not follow each other, as in CSV. A line that cannot be read spoils the file: it
# could be a link of any document.

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


def read_links(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents that the links of a file belong to, in the order of first mention."""
    builders = Builders(source, "jsonl", links_reading(source.options))
    stated: dict[str, list[dict[str, Any]]] = {}  # by document: the objects its links were made of
    refused: dict[str, Unreadable] = {}
    sample: dict[str, list[Any]] = {}  # the first values of each key
    for count, (number, line) in enumerate(numbered_lines(source)):
        given = parse_object(line, number, source)
        if count < SAMPLED:
            for key, value in given.items():
                sample.setdefault(key, []).append(value)
        record = _with_usual_names(given, source, number)
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
    try:
        require_one_of_labels(sample, source.options)
    except ColumnsError as error:
        raise source.error(str(error), cure=error.cure) from None
    for document in builders.build():
        if document.id not in refused:
            yield with_extras(with_body(document, plain_entities), {}, stated.get(document.id, ()))
    yield from refused.values()


# ----------------------------------------------------------------------------------------------------
# The graph of a plain object of JSON Lines: a fast path for ``check``, which needs no links with ids and lines.
#
# An object is *plain* if nothing in it needs a remark, except that pairs of entities may be repeated. For any other
# object the document is made (``jsonl_document``), which knows every rule. Tests compare the two.

_ENDS_AND_LABEL = 3  # the keys that every link has


def graph_or_document(name: str, record: dict[str, Any], line: int, source: Source) -> PlainGraph | Document:
    """Return the graph that an object describes if it is plain, the document otherwise.

    Raise InputError if its links or entities are not lists.
    """
    plain = None if source.options.values else plain_graph(name, record, line, source)  # it has no values
    return plain or document_of(name, record, line, source)


def plain_graph(name: str, record: dict[str, Any], line: int, source: Source) -> PlainGraph | None:
    """Return the graph of a plain object; None for any other."""
    links, labels = record.get("links"), labels_of(source)
    if type(links) is not list:
        return None
    try:
        sources = [link["source"] for link in links]
        relations = [labels[link["relation"]] for link in links]
        targets = [link["target"] for link in links]
        names = {*sources, *targets}
        declared = names if record.get("entities") is None else set(record["entities"])
    except (KeyError, TypeError):
        return None
    is_plain = _are_names(names) and (
        declared is names or (_are_names(declared) and _lists_all(record["entities"], declared, names))
    )
    if not is_plain:
        return None
    is_bare = set(map(len, links)) <= {_ENDS_AND_LABEL}
    if not is_bare and not all(map(has_plain_extras, links)):
        return None
    repeated = repeated_pairs(sources, targets)
    if repeated and not is_bare:
        return None
    # A link without an id is named by its position.
    concerned = [
        new_link((str(each + 1), sources[each], relations[each], targets[each], links[each]["relation"], line, 1, None))
        for each in repeated
    ]
    remarks = remarks_about_repeated(concerned) if concerned else ()
    complete = partial(document_of, name, record, line, source)
    counted = partial(_labels, links)
    return PlainGraph(
        name, source.path, len(declared), sources, relations, targets, remarks, "jsonl", counted, complete
    )


def _labels(links: Iterable[dict[str, str]]) -> Counter[str]:
    return Counter(link["relation"] for link in links)


def _are_names(values: Collection[object]) -> bool:
    return set(map(type, values)) <= {str} and "" not in values


def _lists_all(entities: object, declared: set[str], names: set[str]) -> bool:
    return type(entities) is list and len(declared) == len(entities) and names <= declared
