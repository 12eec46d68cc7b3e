"""Documents from what a caller holds in memory.

Content is the bytes or the text of a file, or an open file. It is read as a file is: links that cannot be used are
skipped, with a remark.

    "<TimeML>...</TimeML>"      b"..."      io.StringIO(...)      open("d1.tml")

Values are data of the caller. A row that cannot be used is an error, unless the caller says ``on_error="skip"``.

    [("left", "BEFORE", "docked")]                                              triples: one document
    [{"source": "left", "relation": "BEFORE", "target": "docked"}]              records; documents by "document"
    {"d1": [("left", "BEFORE", "docked")], "d2": [...]}                         documents by name
    {"document": "d1", "links": [...]}                                          an object as in a JSON file, or a list
    {"d1": "<TimeML>...</TimeML>"}                                              content, documents or frames by name
    {"d1": "sailed(1) before docked(2)"}        answers of models by name, perhaps several: ["...", "..."]
    frame                                  pandas, polars, Arrow, a dict of columns: one link a row, or nested ``links``
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain, islice
from math import isnan
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from temporacle.errors import FAILURES, InputError, LabelError, UsageError, spelled, warn_of_rows
from temporacle.io import read_source
from temporacle.io.columns import (
    NEEDED,
    OTHER_NAMES,
    SAMPLED,
    ColumnsError,
    is_header,
    may_be_labels,
    require_one_of_labels,
    roles_of,
)
from temporacle.io.source import Options, Source
from temporacle.io.tables import documents_in
from temporacle.model import ANSWERS, Action, Document, HowRead, Link, Remark, Unreadable, as_link, is_missing, is_whole
from temporacle.printing import shown
from temporacle.readings import load_reading
from temporacle.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from temporacle.plugins import Plugin

Found: TypeAlias = Document | Unreadable

NAME = "document"  # of a document without a name
EXPECTED = (
    'give a path, the content of a file, a Document, a list of these, triples such as ("left", "BEFORE", "docked"),'
    " records or a frame with the columns source, relation and target, or a dict of triples by name"
)
_STARTS = ("<", "{", "[")
_WITH_ID = re.compile(r"\S\([\w.-]+\)\s")  # "sailed(1) before"
_OF_FILE = re.compile(rb"\A\s*+[\[{<]|\A[^\n]*?(?:\t|\w,\w)")  # how files of data begin
_TRIPLES = re.compile(rb'"links"\s*:\s*\[\s*\[')
_PATH = re.compile(r"[/\\]|\S\.\w{1,6}\Z")
_DECLARED = re.compile(r"""\A(\s*<\?xml\s[^>]*?)(\bencoding\s*=\s*(?:"[^"]*"|'[^']*'))""")
_NAMED_BY = ("document", *OTHER_NAMES["document"], "id", "name")  # columns that name the documents of a nested frame
_LABEL_CODES = frozenset({"unknown-label", "missing-label"})
_KEPT = ("text", "entities")  # of a nested frame, beside its links


# ----------------------------------------------------------------------------------------------------
# Content


def is_content(source: object) -> bool:
    """Return whether a value is the content of a file: bytes, an open file, or text that is not a path.

    >>> is_content("<TimeML/>"), is_content("gold/d1.tml"), is_content(b"a")
    (True, False, True)
    """
    if isinstance(source, str):
        looks_so = source.lstrip("\ufeff \t\r\n").startswith(_STARTS) or "\n" in source or not source.strip()
        return (looks_so or _is_said(source)) and not _exists(source)
    return isinstance(source, bytes | bytearray | memoryview) or _is_file(source)


def _is_said(text: str) -> bool:
    """Return whether a text of one line is what a model says, and no path.

    >>> _is_said("sailed(1) before docked(2)"), _is_said("I cannot tell. "), _is_said("my corpus/notes 1.")
    (True, True, False)
    """
    sentence = text.rstrip()
    is_sentence = sentence.endswith((".", "!", "?")) and not {"/", "\\"} & set(sentence) and len(sentence.split()) > 1
    return is_sentence or _WITH_ID.search(text) is not None


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)  # noqa: PTH110 - the text may be anything
    except ValueError:  # a null character
        return False


def _is_file(source: object) -> bool:
    return callable(getattr(source, "read", None)) and not isinstance(source, os.PathLike)


def content_source(content: Any, options: Options, name: str | None = None) -> Source:
    """Return a source that carries the content. ``name`` is that of its document, if the content gives none."""
    path = name or NAME
    if _is_file(content):
        own = getattr(content, "name", None)
        if name is None and isinstance(own, str):
            path = os.path.basename(own) or NAME  # noqa: PTH119 - only a name, not a place
        content = _content_of(content, path)
    if isinstance(content, str) and options.encoding is not None:
        raise UsageError("encoding: the text has been decoded already; leave encoding out, or give bytes")
    source = Source(path, None, options, name=name or Source(path).name)
    return source.with_data(_as_lines(source.contents(bytes_of(content, path))))


def bytes_of(content: Any, path: str = NAME) -> bytes:
    """Return the content of a file as bytes. ``path``: what errors call it."""
    if _is_file(content):
        content = _content_of(content, path)
    if isinstance(content, str):
        return _encoded(content, path)
    if not isinstance(content, bytes | bytearray | memoryview):
        raise UsageError(f"read() of the file gives a {type(content).__name__}, not text or bytes: {EXPECTED}")
    return bytes(content)


def _as_lines(data: bytes) -> bytes:
    """Return documents, records or triples in a list of JSON, or in an object over several lines, as JSON Lines.

    Links of documents may be triples, as in objects in memory.
    """
    start = data.removeprefix(codecs.BOM_UTF8).strip()
    is_split = start.startswith(b"{") and (b"\n" in start or _TRIPLES.search(start) is not None)
    if not (start.startswith(b"[") or is_split):
        return data
    try:
        value = json.loads(start)
    except (ValueError, RecursionError):  # several objects, or its reader says what is wrong
        return b"\n".join(map(_line_with_links, data.split(b"\n"))) if _TRIPLES.search(data) else data
    rows = value if isinstance(value, list) else [value]
    if all(isinstance(each, list) and len(each) == len(NEEDED) for each in rows):
        rows = [dict(zip(NEEDED, each, strict=True)) for each in rows]
    if not rows or not all(isinstance(each, dict) and (_is_object(each) or _is_record(each)) for each in rows):
        return data
    rows = [_with_links(each) for each in rows]
    if all("scores" in each for each in rows):
        rows = [{"document": NAME, "pairs": rows}]
    return "\n".join(map(json.dumps, rows)).encode()


def _line_with_links(line: bytes) -> bytes:
    if _TRIPLES.search(line) is None:
        return line
    try:
        return json.dumps(_with_links(json.loads(line))).encode()
    except (ValueError, RecursionError):
        return line  # its reader says what is wrong


def _with_links(row: Any) -> Any:
    """Return an object of JSON with its links as objects if they are triples."""
    links = row.get("links") if isinstance(row, dict) else None
    return {**row, "links": _links(links)} if isinstance(links, list) else row


def _content_of(file: Any, path: str) -> Any:
    try:
        content = file.read()
    except UnicodeDecodeError as error:
        raise UsageError(f"the file was opened with another encoding ({error}): open it with mode 'rb'") from None
    except (OSError, ValueError) as error:  # closed, or opened for writing
        raise UsageError(f"the file cannot be read ({error}): open it again for reading") from None
    if not content:
        raise InputError("nothing is left to read", path=path, cure="open the file again, or go back with seek(0)")
    return content


def _encoded(text: str, path: str) -> bytes:
    """Return the text in UTF-8. What XML says about its encoding was true of the file, and is blanked."""
    text = _DECLARED.sub(lambda found: found[1] + " " * len(found[2]), text, count=1)
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        reason = f"character {error.start} is half of a character, which cannot be read"
        raise InputError(reason, path=path, cure="decode the text in its own encoding") from None


def read_content(content: Any, options: Options, name: str | None = None) -> Iterator[Found]:
    """Yield the documents of the content of a file."""
    source = content_source(content, options, name)
    found = (_placeless(document) for document in read_source(source))
    is_answer = options.format == ANSWERS or (options.format is None and options.labels_like is not None)
    return _or_answer(found, source) if isinstance(content, str) and is_answer else found


def _or_answer(found: Iterable[Found], source: Source) -> Iterator[Found]:
    """Yield documents. If none of them can be read, a text that is not a file is an answer of a model."""
    from temporacle.io.llm import read_text

    every = list(found)
    if all(isinstance(each, Unreadable) for each in every):
        answer = _placeless(read_text(source))
        is_prose = bool(source.data.strip()) and _OF_FILE.search(source.data) is None
        if source.options.format == ANSWERS or is_prose or (isinstance(answer, Document) and answer.links):
            every = [answer]
    yield from every


def _placeless(document: Found) -> Found:
    """Return a document without a path: there is no file to be opened again."""
    return replace(document, path=None) if isinstance(document, Document) else document


# ----------------------------------------------------------------------------------------------------
# Values


class Problem(NamedTuple):
    """A row that cannot be used, and why."""

    place: str  # "row 3"
    remark: Remark


def require_usable(problems: Sequence[Problem], rows: int, options: Options) -> None:
    """Raise LabelError or InputError for rows that cannot be used; with ``on_error="skip"`` warn once for each code."""
    if not problems:
        return
    first = problems[0]
    if options.on_error == "skip":
        numbers = Counter(each.remark.code for each in problems)
        firsts = {each.remark.code: f"{each.place}: {each.remark.message}" for each in reversed(problems)}
        for code, number in numbers.items():
            warn_of_rows(code, number, rows, firsts[code])
        return
    count = f"{len(problems)} of {rows} row{'s' if rows != 1 else ''} cannot be used"
    kind = LabelError if first.remark.code in _LABEL_CODES else InputError
    cure = f"{count}: correct {'them' if len(problems) > 1 else 'it'}, or give {spelled('on_error', 'skip')}"
    raise kind(first.remark.message, element=first.place, cure=cure)


def read_values(source: Any, options: Options, name: str | None = None) -> list[Found]:
    """Return the documents of a value. Raise UsageError if it is not data that can be read."""
    from temporacle.io.llm import is_message

    if is_message(source):
        return _of_objects([{"document": name or NAME, "text": source, "asked": None}], options, name)
    if isinstance(source, Mapping):
        return _of_mapping(source, options, name)
    if column_names(source) is not None:
        return _of_frame(source, options, name or "frame")
    if not isinstance(source, Iterable):
        raise UsageError(f"cannot read documents from a {type(source).__name__}: {EXPECTED}")
    return _of_items(list(source), options, name)


def _of_mapping(value: Mapping[Any, Any], options: Options, name: str | None) -> list[Found]:
    if _is_table(value, options):
        return _of_frame(value, options, name or "frame")
    if is_header(list(map(str, value)), options.named_columns):
        return _of_records([value], options, name or NAME)
    if value and all(map(_is_document, value.values())):
        return [each for key, own in value.items() for each in _under_name(str(key), own, options)]
    if answers := _answers(value, any_text=options.labels_like is not None, any_value=options.on_error == "skip"):
        rest = {key: each for key, each in value.items() if str(key) not in answers}
        objects = [{"document": key, "text": each, "asked": None} for key, own in answers.items() for each in own]
        return [*(_of_mapping(rest, options, name) if rest else ()), *_of_objects(objects, options, name)]
    if value and all(isinstance(each, Mapping) and _is_object(each) for each in value.values()):
        return _of_objects([{**each, "document": key} for key, each in value.items()], options, name)
    if value and all(isinstance(each, list | tuple) for each in value.values()) and not _is_object(value):
        documents = []
        problems: list[Problem] = []
        rows = 0
        for key, items in ((key, items) for key, each in value.items() for items in _several(each)):
            document, own = _of_list(items, options, str(key))
            problems += [Problem(f"document {shown(str(key))}, {each.place}", each.remark) for each in own]
            rows += len(items)
            documents += document
        require_usable(problems, rows, options)
        return documents
    return _of_objects([value], options, name)


def _several(items: Sequence[Any]) -> Sequence[Sequence[Any]]:
    """Return lists of statements: several answers about one document, or one list as it is."""
    are_lists = (isinstance(each, list) and all(isinstance(item, list | tuple) for item in each) for each in items)
    return items if items and all(are_lists) else [items]


def _is_document(value: object) -> bool:
    """Return whether a value in a dict is a document, a frame, or the content of a file."""
    if isinstance(value, Document) or _is_file(value) or _is_of_file(value):
        return True
    return not isinstance(value, Mapping) and column_names(value) is not None


def _under_name(name: str, value: Any, options: Options) -> Iterable[Found]:
    if isinstance(value, Document):
        return [replace(value, id=name)]
    return _of_frame(value, options, name) if is_frame(value) else read_content(value, options, name)


def _is_of_file(content: object) -> bool:
    """Return whether a value in a dict is the content of a file and no answer of a model: bytes, XML, or a table."""
    if not isinstance(content, str):
        return isinstance(content, bytes)
    rows = [row for row in content.splitlines() if row.strip() and not row.startswith("#")]
    return _is_xml(content) or (bool(rows) and all(row.count("\t") >= len(NEEDED) - 1 for row in rows))


def _is_xml(text: str) -> bool:
    from temporacle.io.recognise import has_known_root

    start = text.lstrip()
    return start.startswith("<") and (start.startswith("<?xml") or has_known_root(start))


def _answers(value: Mapping[Any, Any], *, any_text: bool = False, any_value: bool = False) -> dict[str, list[Any]]:
    """Return the answers of models in a dict of documents by name, each document with one or several of them.

    An answer is a text, a message, or missing. ``any_text``: also texts of one word, and objects that a model wrote.
    ``any_value``: also values that no model writes, in which nothing can be read.
    """
    from temporacle.io.llm import TEXTS, is_message

    names = set(map(str, value))
    if _is_object(value) or is_message(value) or (names & set(TEXTS) and names & set(_NAMED_BY)):
        return {}

    def is_leaf(each: object) -> bool:
        if isinstance(each, Mapping) and not is_message(each):
            return any_text and not _is_object(each) and (any_value or "target" not in each)
        if any_text and any_value and not isinstance(each, str | list | tuple) and not _is_document(each):
            return True
        return (isinstance(each, str) and not _is_xml(each)) or is_message(each) or is_missing(each)

    found: dict[str, list[Any]] = {}
    for key, own in value.items():
        if is_leaf(own):
            found[str(key)] = [own]
        elif isinstance(own, list | tuple) and own and all(map(is_leaf, own)):
            if not isinstance(own[0], Mapping):
                found[str(key)] = list(own)
            elif any_value and not is_header(list(map(str, own[0]))):  # a list that a model wrote
                found[str(key)] = [own]
        elif any_value and isinstance(own, list | tuple) and any(map(is_leaf, own)):
            found[str(key)] = [own]
    every = [each for own in found.values() for each in own]
    texts = [each for each in every if isinstance(each, str)]
    if any(map(is_message, every)) or any(map(_is_prose, texts)):
        return found
    is_meant = any_text and every and not any(map(_PATH.search, texts))
    return found if is_meant or (len(found) < len(value) and not texts) else {}


def holds_answers(value: Mapping[Any, Any]) -> bool:
    """Return whether a dict holds answers of models by the names of their documents."""
    return bool(_answers(value))


def _is_prose(text: str) -> bool:
    """Return whether a text is neither a name nor a path, as far as one can tell."""
    return not text.strip() or (any(sign in text for sign in " \n({[") and not _exists(text))


def _is_object(value: Mapping[Any, Any]) -> bool:
    """Return whether a dict has the keys of a document in a JSON file."""
    return "links" in value or "pairs" in value


def _is_table(value: Mapping[Any, Any], options: Options) -> bool:
    """Return whether a dict holds columns: lists of cells under the names of columns."""
    are_columns = bool(value) and all(
        not isinstance(each, str | bytes | Mapping) and isinstance(each, Iterable) for each in value.values()
    )
    if not are_columns:
        return False
    if is_header(list(map(str, value)), options.named_columns):
        return True
    if _texts_in(value) and any(each in value for each in _NAMED_BY):
        return True
    links = value.get("links")
    return links is not None and len(value) > 1 and not isinstance(next(iter(links), None), Mapping)


def _of_items(items: Sequence[Any], options: Options, name: str | None) -> list[Found]:
    """Return the documents of a list that holds neither documents nor paths nor content."""
    if items and isinstance(items[0], Mapping) and not _is_record(items[0], options):
        return _of_objects(items, options, name)
    documents, problems = _of_list(items, options, name or NAME)
    require_usable(problems, len(items), options)
    return documents


def _is_record(value: Mapping[Any, Any], options: Options = Options()) -> bool:  # noqa: B008 - an immutable value
    if _is_object(value):
        return False
    return ("source" in value and "target" in value) or is_header(list(map(str, value)), options.named_columns)


def _of_list(items: Sequence[Any], options: Options, name: str) -> tuple[list[Found], list[Problem]]:
    """Return the documents of triples or records, and the rows that cannot be used."""
    if items and isinstance(items[0], Mapping):
        records = _of_records(items, options, name, strict=False)
        return records, _problems(records)
    document = statements(items, options, name)
    return [document], _problems([document])


def statements(items: Iterable[Any], options: Options, name: str = NAME) -> Document:
    """Return one document made from triples, with labels read as the options say. Those that cannot be used are
    skipped, with a remark.
    """
    reading = options.links_reading()
    links: list[Link] = []
    skipped: list[Remark] = []
    for position, item in enumerate(items, 1):
        try:
            links.append(as_link(item, position, reading))
        except InputError as error:
            code = (
                "bad-link" if not isinstance(error, LabelError) else "unknown-label" if error.cure else "missing-label"
            )
            message = error.reason + (f"; {error.cure}" if error.cure else "")
            skipped.append(Remark(code, message, position, f"l{position}", Action.DROPPED))
    if links and all(link.target in reading.labels and link.label not in reading.labels for link in links):
        link = links[0]
        raise UsageError(
            f"the third item of each triple is a label, as in {(link.source, link.label, link.target)!r:.80}:"
            f" write {(link.source, link.target, link.label)!r:.80}"
        )
    how = HowRead("statements", reading, options.choices)
    return Document(name, tuple(links), how_read=how, remarks=tuple(skipped))


def _problems(documents: Iterable[Found]) -> list[Problem]:
    """Return the rows that could not be used, in their order."""
    skipped = (remark for each in documents if isinstance(each, Document) for remark in each.dropped)
    return [Problem(f"row {remark.line}", remark) for remark in sorted(skipped, key=lambda each: each.line or 0)]


def keys_of(records: Sequence[Any]) -> list[Any]:
    """Return the keys of records in the order of first mention. Raise UsageError for a record that is not a dict."""
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise UsageError(f"row {number} is {record!r:.60}, and the rows before are dicts: give one kind")
    return list(dict.fromkeys(chain.from_iterable(records)))


def _of_records(records: Sequence[Any], options: Options, name: str, *, strict: bool = True) -> list[Found]:
    names = keys_of(records)
    first = records[:SAMPLED]
    sample = [[record.get(key) for record in first] for key in names]
    used = _used(list(map(str, names)), names, options, "the records have", sample)
    rows = ({role: cell_of(role, record.get(key)) for role, key in used.items()} for record in records)
    return _of_rows(rows, len(records), "records", options, name, strict=strict)


def _of_rows(
    rows: Iterable[Mapping[str, Any]], count: int, kind: str, options: Options, name: str, *, strict: bool = True
) -> list[Found]:
    source = Source(name, b"", options, format=kind, name=name)
    nameless: list[Remark] = []
    found = [replace(each, path=None) for each in documents_in(source, kind, _named(rows, nameless))]
    if nameless and found:
        found[0] = replace(found[0], remarks=(*found[0].remarks, *nameless))
    if strict:
        require_usable(_problems(found) or [Problem(f"row {each.line}", each) for each in nameless], count, options)
    return [*found]


def _named(rows: Iterable[Mapping[str, Any]], nameless: list[Remark]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the numbered rows whose document has a name, and put a remark on each of the others into a list."""
    for number, row in enumerate(rows, 1):
        document = row.get("document", "-")
        if isinstance(document, str) and document.strip():
            yield number, row if row.get("id") else {**row, "id": f"l{number}"}
        else:
            message = f"the document is {document!r:.40}; name it by text or a whole number"
            nameless.append(Remark("bad-link", message, number, None, Action.DROPPED))


def _used(
    names: Sequence[str], keys: Sequence[Any], options: Options, whose: str, sample: Iterable[Sequence[Any]]
) -> dict[str, Any]:
    """Return the key of each role. Raise UsageError if a role has none, or two. ``sample``: first values."""
    try:
        require_one_of_labels(dict(zip(names, sample, strict=True)), options)
        roles = roles_of(names, options.named_columns)
    except ColumnsError as error:
        raise UsageError(f"{whose} {error}; {error.cure}") from None
    return {role: key for role, key in zip(roles, keys, strict=True) if role}


# --- objects as in JSON files


def _of_objects(objects: Sequence[Any], options: Options, name: str | None) -> list[Found]:
    """Return the documents of objects as in JSON files: JSON Lines of our own, or an export of a tool."""
    found = [_placeless(each) for each in read_objects(objects, options, NAME, name or NAME)]
    for document in found:
        if isinstance(document, Unreadable):
            if options.on_error == "skip" or document.is_answer:
                continue
            error = document.error
            raise UsageError(f"cannot read documents from a dict: {error.reason}; {EXPECTED}")
    own = [each for each in found if isinstance(each, Document) and each.format != ANSWERS]  # answers are of models
    skipped = [(each, remark) for each in own for remark in each.dropped]
    problems = [Problem(f"document {shown(each.id)}, row {_row(remark)}", remark) for each, remark in skipped]
    links = sum(len(each.links) for each in found if isinstance(each, Document)) + len(skipped)
    require_usable(problems, links, options)
    return found


def read_objects(objects: Sequence[Any], options: Options, path: str, name: str) -> Iterator[Found]:
    """Yield the documents of objects as in JSON files. ``name``: of a document without one."""
    if not all(isinstance(each, Mapping) for each in objects):
        odd = next(each for each in objects if not isinstance(each, Mapping))
        raise UsageError(f"a list of dicts holds a {type(odd).__name__}: {EXPECTED}")
    plain = [_plain(each) for each in objects]
    for number, each in enumerate(plain, 1):
        if "links" in each and "document" not in each:
            each["document"] = name if len(plain) == 1 else f"{name}{number}"
        if "links" in each:
            each["links"] = _links(each["links"])
    data = "\n".join(json.dumps(each) for each in plain).encode()
    return map(_lineless, read_source(Source(path, data, replace(options, format=None), name=name)))


def _lineless(document: Found) -> Found:
    """Return a document without the line of our own making that its links stand in."""
    if not isinstance(document, Document) or document.format != "jsonl":
        return document
    return replace(document, links=tuple(link._replace(line=None) for link in document.links))


def read_by_plugin(plugin: Plugin, source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents that a plugin finds in a file."""
    own = plugin.implementation
    name = next((source.name.removesuffix(each) for each in own.suffixes if source.name.endswith(each)), source.name)
    options = source.options
    try:
        objects = list(own.read(source.data, name or source.name))
        if options.chosen_reading is None and own.label_set is not None:
            options = replace(options, reading=load_reading(own.label_set, options.during))
        found = read_objects(objects, options, source.path, name or source.name)
    except FAILURES as error:
        raise source.error(plugin.failed(error)) from None
    for document in found:
        how = getattr(document, "how_read", None)
        if how is None:
            yield document
        else:
            read = how._replace(format=plugin.name, choices=(*how.choices, f"plugin-{plugin.signed}"))
            yield replace(document, how_read=read)


def _row(remark: Remark) -> str:
    return remark.element or str(remark.line)


def _links(links: Any) -> Any:
    """Return links as objects: they may be triples, or columns of a table."""
    if isinstance(links, dict):
        columns = list(links)
        links = [dict(zip(columns, row, strict=True)) for row in zip(*links.values(), strict=True)]
    if not isinstance(links, list):
        return links
    return [_link(each) for each in links]


def _link(link: Any) -> Any:
    """Return a link as an object whose ids are text."""
    if isinstance(link, list) and len(link) == len(NEEDED):
        link = dict(zip(NEEDED, link, strict=True))
    if not isinstance(link, dict):
        return link
    return {key: str(cell) if key in _IDS and is_whole(cell) else cell for key, cell in link.items()}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it. Missing cells are null."""
    if isinstance(value, str | bool) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, Relation):
        return str(value)
    if isinstance(value, Link):
        return {"id": value.id, "source": value.source, "relation": str(value.relation), "label": value.label,
                "target": value.target, "weight": value.weight}  # fmt: skip
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, float):
        return None if isnan(value) else value
    if is_missing(value):
        return None
    if hasattr(value, "tolist"):  # numpy
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(each) for each in value]
    return str(value)


# --- frames: whatever has named columns
#
# None of the libraries is needed here. Missing cells (None, NaN, pandas.NA) are empty.


def is_frame(value: object) -> bool:
    """Return whether a value has named columns, or is a dict.

    >>> is_frame({"source": ["a"], "relation": ["b"], "target": ["c"]}), is_frame([("a", "b", "c")])
    (True, False)
    """
    return isinstance(value, Mapping) or column_names(value) is not None


def column_names(frame: Any) -> list[str] | None:
    """Return the names of the columns; None if the value is not a frame."""
    if isinstance(frame, Mapping):
        return list(map(str, frame))
    for attribute in ("column_names", "columns"):  # pyarrow has both, and its columns are not names
        names = getattr(frame, attribute, None)
        if isinstance(names, Mapping):  # of splits
            splits = ", ".join(map(str, names))
            raise UsageError(f"the data has the splits {splits}: choose one, such as data[{next(iter(names))!r}]")
        if names is not None and not callable(names):
            if hasattr(frame, "collect"):
                raise UsageError("the frame is lazy: give frame.collect()")
            return list(map(str, names))
    return None


def _of_frame(frame: Any, options: Options, name: str) -> list[Found]:
    names = column_names(frame) or []
    if not is_header(names, options.named_columns):
        if "links" in names:
            return _of_objects(_nested(frame, names), options, None)
        if texts := _texts_in(names):
            return _of_objects(_written(frame, names, texts), options, None)
    used = _used(names, names, options, "the frame has", (_first_values(frame, name) for name in names))
    cells = [[cell_of(role, value) for value in _values(frame, column)] for role, column in used.items()]
    count = len(cells[0])
    rows = (dict(zip(used, row, strict=True)) for row in zip(*cells, strict=True))
    return _of_rows(rows, count, "frame", options, name)


def _first_values(frame: Any, name: str) -> list[Any]:
    """Return the first values of a column that may hold labels."""
    return list(islice(frame[name], SAMPLED)) if may_be_labels(name) else []


def _nested(frame: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return one object for each row of a frame whose rows are documents."""
    naming = next((each for each in _NAMED_BY if each in names), None)
    kept = [each for each in ("links", *_KEPT) if each in names]
    columns = [_values(frame, each) for each in kept]
    ids = [f"{NAME}{number}" for number in range(1, len(columns[0]) + 1)] if naming is None else _values(frame, naming)
    objects = []
    for number, (own, *cells) in enumerate(zip(ids, *columns, strict=True), 1):
        if not ((isinstance(own, str) and own.strip()) or is_whole(own)):
            raise InputError(
                f"the document is {own!r:.40}", element=f"row {number}", cure="name it by text or a whole number"
            )
        found = {key: cell for key, cell in zip(kept, cells, strict=True) if key == "links" or not is_missing(cell)}
        objects.append({**found, "document": str(own), "links": [] if is_missing(found["links"]) else found["links"]})
    return objects


def _texts_in(names: Collection[str]) -> str | None:
    """Return the column with the texts of answers."""
    from temporacle.io.llm import TEXTS

    return next((each for each in TEXTS if each in names), None)


def _written(frame: Any, names: Sequence[str], texts: str) -> list[dict[str, Any]]:
    """Return one object for each row of a frame whose rows are answers of models."""
    naming = next((each for each in _NAMED_BY if each in names), None)
    written = _values(frame, texts)
    ids = [f"{NAME}{number}" for number in range(1, len(written) + 1)] if naming is None else _values(frame, naming)
    rest = [each for each in ("labels", "asked") if each in names]
    more = zip(*(_values(frame, each) for each in rest), strict=True) if rest else [()] * len(written)
    return [
        {"asked": None, **dict(zip(rest, cells, strict=True)), "document": str(own), "text": text}
        for own, text, cells in zip(ids, written, more, strict=True)
    ]


def frame_rows(frame: object, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Return the rows of some columns. Missing cells are None, and integers in columns of names become text."""
    cells = [[cell_of(column, value) for value in _values(frame, column)] for column in columns]
    return zip(*cells, strict=True)


def _values(frame: Any, column: str) -> list[Any]:
    try:
        values = frame[column]
        for method in ("to_list", "tolist", "to_pylist"):  # polars and pandas, numpy, Arrow
            if hasattr(values, method):
                found: list[Any] = getattr(values, method)()
                return found
        return list(values)
    except TypeError:
        raise UsageError(f"a {type(frame).__name__} has no cells in its column {column}: {EXPECTED}") from None


_IDS = frozenset({"document", "source", "target", "id"})


def cell_of(role: str, value: Any) -> Any:
    """Return a cell as the readers of tables take it: None if it is missing, text for a whole number that is an id.

    >>> cell_of("source", 12), cell_of("source", float("nan")), cell_of("source", 12.0)
    ('12', None, 12.0)
    """
    if is_missing(value):
        return None
    if isinstance(value, Relation):
        return str(value)
    return str(value) if role in _IDS and is_whole(value) else value
