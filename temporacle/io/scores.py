"""Scored pairs from JSON Lines and from Python values. Tables of scores are read by ``score_tables``.

One document a line:

    {"document": "d1", "pairs": [{"source": "e1", "target": "e2", "scores": {"BEFORE": 0.7, "AFTER": 0.3}}],
     "links": [{"source": "t0", "relation": "AFTER", "target": "e1"}], "reading": "matres"}

``links`` (hard links) and ``reading`` may be missing. A score of null means that the pair may not get that label.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError, LabelError, UsageError, nearest, spelled
from temporacle.io.jsonl.read import document_name, numbered_lines, parse_object
from temporacle.io.rows import require_content
from temporacle.io.slices import slices
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.io.tables import delimited_rows
from temporacle.io.values import (
    Problem,
    column_names,
    content_source,
    frame_rows,
    is_content,
    is_frame,
    keys_of,
    require_usable,
)
from temporacle.model import Action, Link, Remark, Unreadable, is_missing, is_whole
from temporacle.printing import shown
from temporacle.readings import BUILT_IN, Reading, canonical, load_reading
from temporacle.relation import Relation
from temporacle.scored import Place, ScoredDocument, scored_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.io.source import Options

SUFFIXES = tuple(suffix + packed for suffix in (".jsonl", ".json", ".csv", ".tsv", ".output") for packed in ("", ".gz"))
MATRES = ("BEFORE", "AFTER", "EQUAL", "VAGUE")  # the order of the columns where nothing names them


def read_scores(paths: Iterable[str | os.PathLike[str]], options: Options) -> Iterator[ScoredDocument | Unreadable]:
    """Yield every scored document in some files and folders, one at a time; Unreadable for one that cannot be read."""
    for path in paths:
        name = os.fspath(path)
        found = 0
        for file in _files(name):
            found += 1
            yield from _read_file(file, options)
        if not found:
            cure = f"give a file, or a folder with files that end with {', '.join(SUFFIXES[::2])}"
            yield Unreadable(Source(name).name, name, InputError("no file with scores", path=name, cure=cure))


def _read_file(path: str, options: Options) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the documents of one file. Large JSON Lines are read in slices: the file is never held as a whole."""
    if not path.endswith((".jsonl", ".jsonl.gz", STANDARD_INPUT)):
        yield from read_source(Source(path, None, options), set())
        return
    met: set[str] = set()
    for piece in slices(Source(path, None, options, format="jsonl")):
        yield from (piece,) if isinstance(piece, Unreadable) else read_source(piece, met)


def _files(path: str) -> Iterator[str]:
    if path == STANDARD_INPUT or not os.path.isdir(path):  # noqa: PTH112 - names are kept as the caller wrote them
        yield path
        return
    for folder, subfolders, names in os.walk(path):
        subfolders.sort()
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(folder, name)  # noqa: PTH118


def read_source(source: Source, met: set[str]) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the documents of a source: JSON Lines if it begins with a brace, otherwise a table.

    ``met`` holds the names of documents in earlier slices of the same file.
    """
    try:
        require_content(source)
        if source.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            yield from _read_lines(source, met)
        else:
            yield from read_table(source)
    except InputError as error:
        yield Unreadable(source.name, source.path, error)


def _read_lines(source: Source, met: set[str]) -> Iterator[ScoredDocument | Unreadable]:
    for number, line in numbered_lines(source):
        name = f"{source.name}:{number}"
        try:
            record = parse_object(line, number, source)
            name = document_name(record, number, source)
            if name in met:
                raise source.error(
                    f"document {shown(name)} occurs a second time", line=number, cure="rename or merge it"
                )
            met.add(name)
            yield document_of(record, name, source.options, Place(source.path, number))
        except InputError as error:
            yield Unreadable(name, source.path, error)


def document_of(
    record: Mapping[str, Any], name: str, options: Options, place: Place, unusable: Unusable | None = None
) -> ScoredDocument:
    """Return the document that an object describes. Pairs that cannot be used are an error, or go into a list."""
    pairs = record.get("pairs")
    if not isinstance(pairs, list | tuple):
        raise place.error(
            'the object has no list "pairs"',
            cure='write {"document": ..., "pairs": [{"source": ..., "target": ..., "scores": {...}}]}',
        )
    for position, pair in enumerate(pairs, 1):
        if not isinstance(pair, Mapping) or not isinstance(pair.get("scores"), Mapping):
            raise place.error(f'pair {position} has no object "scores"', cure='write "scores": {"BEFORE": 0.7, ...}')
    reading = reading_of((label for pair in pairs for label in pair["scores"]), options, place, record.get("reading"))
    found = []
    skipped: list[Remark] = []
    for position, pair in enumerate(pairs, 1):
        own = str(pair.get("id") or f"p{position}")
        try:
            ends = _entity(pair, "source", position, place), _entity(pair, "target", position, place)
            found.append(scored_pair(own, ends, pair["scores"], reading, place))
        except InputError as error:
            if unusable is None:
                raise
            skipped.append(unusable.add(position, own, error, name))
    hard = _hard_links(record.get("links"), reading, place)
    return ScoredDocument(name, tuple(found), reading, hard, place.path, remarks=tuple(skipped))


class Unusable:
    """The rows of a value that cannot be used (``values.require_usable``), among all rows."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.rows = 0

    def add(self, row: int, name: str | None, error: InputError, document: str | None = None) -> Remark:
        """Note a row. Return the remark that its document gets."""
        code = "unknown-label" if isinstance(error, LabelError) else "bad-link"
        message = error.reason + (f"; {error.cure}" if error.cure else "")
        remark = Remark(code, message, row, name, Action.DROPPED)
        self.problems.append(
            Problem(f"row {row}" if document is None else f"document {shown(document)}, row {row}", remark)
        )
        return remark


def _entity(record: Mapping[str, Any], key: str, position: int, place: Place) -> str:
    value = record.get(key)
    if is_whole(value):
        return str(value)  # event ids often are numbers
    if is_missing(value) or (isinstance(value, str) and not value.strip()):
        raise place.error(f'pair {position} has no "{key}"', cure="give the id of an entity, as text")
    if not isinstance(value, str):
        raise place.error(f"the {key} is {value!r:.40}; ids are text or whole numbers")
    return value


def _hard_links(records: object, reading: Reading, place: Place) -> tuple[Link, ...]:
    if records is None:
        return ()
    links = []
    for position, record in enumerate(records if isinstance(records, list | tuple) else [None], 1):
        label = record.get("relation", record.get("label")) if isinstance(record, Mapping) else None
        if isinstance(label, list):
            label = "|".join(map(str, label))
        if not isinstance(record, Mapping) or not isinstance(label, str):
            raise place.error(f"link {position} has no source, relation and target", cure="give all three, as text")
        ends = _entity(record, "source", position, place), _entity(record, "target", position, place)
        try:
            relation = reading.relation(label)
        except InputError as error:
            raise place.error(error.reason, element=f"link {position}", cure=error.cure) from None
        links.append(Link(str(record.get("id") or f"h{position}"), ends[0], relation, ends[1], label, place.line))
    return tuple(links)


def reading_of(labels: Iterable[str], options: Options, place: Place, named: object = None) -> Reading:
    """Return the reading of the labels: the caller's choice, else the file's, else MATRES for its four labels."""
    if options.chosen_reading is not None:
        return options.chosen_reading.with_atoms()
    if named is not None:
        if named not in BUILT_IN:
            cure = f"choose {', '.join(BUILT_IN)}, or give {spelled('labels')}"
            raise place.error(f"unknown label set {named!r:.60}", cure=cure)
        return load_reading(str(named), options.during).with_atoms()
    return options.labels_like or _reading_for(labels, options)


def _reading_for(labels: Iterable[str], options: Options) -> Reading:
    used = {canonical(str(label)) for label in labels}
    if used <= set(MATRES) and {"EQUAL", "VAGUE"} & used:
        return load_reading("matres").with_atoms()
    return options.links_reading()


class _AnyLabel(Reading):
    """Accepts every label, so that all labels of a run can be seen before it is decided what they mean."""

    def relation(self, label: str) -> Relation:  # noqa: ARG002 - it has no meaning yet
        return ~Relation(0)


_ANY = _AnyLabel("any", {}, atoms=True)


def with_label_set(source: Any, options: Options, hard: Iterable[str] = ()) -> Options:
    """Return options with one label set for all documents of a run: decided by all labels, those of hard links, too.

    The choice of the caller counts first, and what a document says about itself. ``source`` is read once more later.
    """
    if options.chosen_reading is not None:
        return options
    used = set(hard)
    for found in _scored(source, replace(options, labels_like=_ANY, on_error="skip"), Unusable()):
        if isinstance(found, ScoredDocument) and found.reading is _ANY:
            used.update(label.label for pair in found.pairs for label in pair.labels)
            used.update(link.label for link in found.links)
    return replace(options, labels_like=_reading_for(used, options))


def readable_twice(source: Any, options: Options) -> Any:
    """Return a source that can be read a second time: what comes only once is kept."""
    if isinstance(source, str) and source == STANDARD_INPUT:
        return Source(STANDARD_INPUT, Source(STANDARD_INPUT).data, options)
    if hasattr(source, "read"):
        return content_source(source, options)
    if isinstance(source, Iterator):
        return list(source)
    if isinstance(source, list | tuple):
        return [readable_twice(each, options) if isinstance(each, str) else each for each in source]
    return source


def scored_documents(source: Any, options: Options) -> Iterator[ScoredDocument | Unreadable]:
    """Return the scored documents of a source: paths, content, documents, objects as in JSON Lines, triples, a frame.

    Rows of values that cannot be used are an error, or are skipped, as the options say.
    """
    unusable = Unusable()
    if _is_path(source):
        return read_scores([source], options)
    found = _scored(source, options, unusable)
    if isinstance(source, Iterator):
        return _one_at_a_time(found, options, unusable)
    every = list(found)
    require_usable(unusable.problems, unusable.rows, options)
    return iter(every)


def _one_at_a_time(
    found: Iterator[ScoredDocument | Unreadable], options: Options, unusable: Unusable
) -> Iterator[ScoredDocument | Unreadable]:
    for document in found:
        if options.on_error == "raise":
            require_usable(unusable.problems, unusable.rows, options)
        yield document
    require_usable(unusable.problems, unusable.rows, options)


def _is_path(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and not is_content(source)


def _scored(source: Any, options: Options, unusable: Unusable) -> Iterator[ScoredDocument | Unreadable]:
    if isinstance(source, ScoredDocument | Unreadable):
        yield source
    elif _is_path(source):
        yield from read_scores([source], options)
    elif isinstance(source, Source) and source.path == STANDARD_INPUT:
        yield from read_source(Source(source.path, source.data, options), set())
    elif isinstance(source, Source) or is_content(source):
        content = source if isinstance(source, Source) else content_source(source, options)
        content.options = options
        for found in read_source(content, set()):
            yield replace(found, path=None) if isinstance(found, ScoredDocument) else found
    elif isinstance(source, Mapping) and "pairs" in source:
        yield _of_pairs(source["pairs"], source, str(source.get("document", "document")), options, unusable)
    elif isinstance(source, Mapping) and source and all(map(_are_pairs, source.values())):
        for name, pairs in source.items():
            yield _of_pairs(pairs, {}, str(name), options, unusable)
    elif is_frame(source):
        names = column_names(source) or []
        rows = ((number, list(row)) for number, row in enumerate(frame_rows(source, names), 1))
        yield from _documents("frame", options, None, names, rows, unusable=unusable)
    elif _are_pairs(source):
        yield _of_pairs(source, {}, "document", options, unusable)
    elif isinstance(source, list | tuple) and source and isinstance(source[0], Mapping) and "pairs" not in source[0]:
        yield from _of_records(source, options, unusable)
    elif isinstance(source, list | tuple) or hasattr(source, "__iter__"):
        for each in source:
            if isinstance(each, list | tuple):
                raise UsageError(_EXPECTED.format(type(each).__name__))
            yield from _scored(each, options, unusable)
    else:
        raise UsageError(_EXPECTED.format(type(source).__name__))


_EXPECTED = (
    "cannot read scores from a {}: give a path, the content of a file, an object with pairs, a frame, records,"
    ' or triples such as ("left", "docked", {{"BEFORE": 0.9, "AFTER": 0.1}})'
)


def _is_triple(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 3 and isinstance(item[2], Mapping)


def _are_pairs(items: object) -> bool:
    """Return whether the first item of a list is a triple, or an object with scores."""
    if not isinstance(items, list | tuple) or not items:
        return False
    return _is_triple(items[0]) or (isinstance(items[0], Mapping) and isinstance(items[0].get("scores"), Mapping))


def _of_pairs(items: Any, record: Mapping[str, Any], name: str, options: Options, unusable: Unusable) -> ScoredDocument:
    if not isinstance(items, list | tuple):
        raise UsageError('"pairs" must be a list: [{"source": ..., "target": ..., "scores": {...}}]')
    pairs = []
    for position, item in enumerate(items, 1):
        if isinstance(item, Mapping):
            pairs.append(item)
        elif _is_triple(item):
            pairs.append(dict(zip(("source", "target", "scores"), item, strict=True)))
        else:
            raise UsageError(f'item {position} is {item!r:.60}: expected ("left", "docked", {{"BEFORE": 0.9, ...}})')
    unusable.rows += len(pairs)
    return document_of({**record, "pairs": pairs}, name, options, Place(None), unusable)


def _of_records(records: Sequence[Any], options: Options, unusable: Unusable) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the documents of records: one pair, or one label of a pair, for each."""
    names = keys_of(records)
    rows = ((number, [each.get(name) for name in names]) for number, each in enumerate(records, 1))
    yield from _documents("document", options, None, list(map(str, names)), rows, unusable=unusable)


# ----------------------------------------------------------------------------------------------------
# Scored pairs in tables: CSV, tab-separated text and data frames.
#
#     wide   document, source, target, BEFORE, AFTER, ...    one row a pair, one column a label; an empty cell means
#     that
#                                                            the pair may not get the label
#     long   document, source, target, relation, score       one row a label
#
# Other usual names of columns are understood (``NAMES``). A wide table may have a column ``label``, the prediction of
# whoever made the scores; it is not needed. Without ``document`` the table is one document. In a long table the rows
# with the same document, source, target and id are one pair.
#
# A file without names of columns can have the form ``doc,e1,e2,label,score,score,score,score``: the scores are those of
# BEFORE, AFTER, EQUAL and VAGUE.

NAMES = {
    "document": ("document", "doc", "doc_id", "docid", "file"),
    "source": ("source", "e1", "event1", "eid1"),
    "target": ("target", "e2", "event2", "eid2"),
    "relation": ("relation", "label", "pred", "prediction"),
    "score": ("score", "prob", "probability", "weight"),
    "id": ("id", "pair"),
}
_HEADERLESS = ("document", "source", "target", "relation", *MATRES)
_PREFIXES = ("p_", "prob_", "score_")


def read_table(source: Source) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the documents of a file with columns, in the order of first mention."""
    text = source.decode()
    delimiter = next((each for each in ("\t", ",", ";") if each in text.partition("\n")[0]), ",")
    rows = ((line, row) for line, row in delimited_rows(source, text, delimiter) if any(map(str.strip, row)))
    first = next(rows, None)
    if first is None:
        raise source.error("file is empty")
    line, cells = first
    names, has_header = _header(cells)
    if not names:
        raise source.error(
            "the first line does not name the columns",
            line=line,
            cure="name them: document,source,target,BEFORE,AFTER,... or document,source,target,relation,score",
        )
    more = rows if has_header else chain([first], rows)
    yield from _documents(source.name, source.options, source.path, names, more)


def _header(cells: Sequence[str]) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether they were taken from these cells."""
    if len(cells) == len(_HEADERLESS) and all(_is_number(cell) for cell in cells[4:]):
        return list(_HEADERLESS), False
    known = {name for names in NAMES.values() for name in names}
    return (list(cells), True) if any(cell.strip().lower() in known for cell in cells) else ([], False)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


class _Columns(NamedTuple):
    """The position of each kind of column."""

    known: dict[str, int]  # the names of NAMES
    labels: dict[str, int]  # of a wide table
    others: tuple[str, ...] = ()  # columns of numbers under a name that is not a label: an epoch, for instance

    @property
    def is_long(self) -> bool:
        return "score" in self.known


def _columns(names: Sequence[str], first: Sequence[Any], place: Place, options: Options) -> _Columns:
    lowered = [name.strip().lower() for name in names]
    known: dict[str, int] = {}
    for name, spellings in NAMES.items():
        found = next((spelling for spelling in spellings if spelling in lowered), None)
        if found is not None:
            known[name] = lowered.index(found)
    if missing := [name for name in ("source", "target") if name not in known]:
        raise place.error(
            f"no column {' and no column '.join(missing)}", cure=f"name the columns {', '.join(NAMES)}, or labels"
        )
    if "score" in known and "relation" in known:
        return _Columns(known, {})
    known.pop("score", None)
    labels: dict[str, int] = {}
    others: list[str] = []
    for position, name in enumerate(names):
        if position not in known.values() and _scalar(first[position]) is not _TEXT:
            label = _without_prefix(name.strip())
            labels[label] = position
            if label == name.strip() and not _is_label(label, options):
                others.append(label)
    if len(others) == len(labels):  # none is a label
        others = []
    for name in others:
        del labels[name]
        if (near := _meant(name, options)) is not None:
            cure = f"did you mean {near}? rename the column, or remove it"
            raise place.label_error(f"column {shown(name)} has numbers, and no label has this name", None, cure)
    if not labels:
        raise place.error("no column of scores", cure="name a column for each label, or give relation and score")
    return _Columns(known, labels, tuple(others))


def _readings(options: Options) -> list[Reading]:
    """Return the label sets that a column may belong to: the chosen one, or all built-in ones."""
    chosen = options.chosen_reading
    return [each.with_atoms() for each in ((chosen,) if chosen is not None else map(load_reading, BUILT_IN))]


def _meant(name: str, options: Options) -> str | None:
    """Return the label that the name of a column may be meant for; in the same case, so not BEGINS for begin."""
    near = nearest(name, (label for reading in _readings(options) for label in reading.labels), cutoff=0.85)
    return near if near is not None and near.isupper() == name.isupper() else None


def _is_label(name: str, options: Options) -> bool:
    return any(reading.knows(name) for reading in _readings(options))


def _without_prefix(name: str) -> str:
    prefix = next((prefix for prefix in _PREFIXES if name.lower().startswith(prefix)), "")
    return name[len(prefix) :]


_TEXT = object()


def _scalar(cell: Any) -> Any:
    """Return a number; None for an empty cell; _TEXT for anything else."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return None
    if isinstance(cell, str):
        return float(cell) if _is_number(cell) else _TEXT
    if isinstance(cell, bool):
        return _TEXT
    return float(cell) if isinstance(cell, int | float | Decimal) else _TEXT


class _PairScores(NamedTuple):
    """The scores of one pair as they are collected."""

    name: str
    ends: tuple[str, str]
    scores: dict[str, float | None]
    line: int


def _documents(
    default: str,
    options: Options,
    path: str | None,
    names: Sequence[str],
    rows: Iterable[tuple[int, list[Any]]],
    *,
    unusable: Unusable | None = None,
) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the documents of rows. Rows that cannot be used spoil their document, or go into a list."""
    found: dict[str, dict[Any, _PairScores]] = {}
    bad: dict[str, InputError] = {}
    skipped: dict[str, list[Remark]] = {}
    columns: _Columns | None = None
    for line, row in rows:
        place = Place(path, line)
        if len(row) != len(names):
            raise place.error(f"{len(row)} columns where {len(names)} are expected")
        columns = columns or _columns(names, row, place, options)
        document = _name(row[columns.known["document"]], place) if "document" in columns.known else default
        if not document:
            raise place.error("the document column is empty", cure="name the document")
        pairs = found.setdefault(document, {})
        try:
            _add(pairs, columns, row, place)
        except InputError as error:
            if unusable is None:
                bad.setdefault(document, error)
            else:
                skipped.setdefault(document, []).append(unusable.add(line, None, error))
        if unusable is not None:
            unusable.rows += 1
    others = ", ".join(map(shown, () if columns is None else columns.others))
    said = [Remark("other-columns", f"columns that were not read, because no label has their name: {others}")]
    said = said if others else []
    for document, pairs in found.items():
        try:
            if document in bad:
                raise bad[document]
            made = _document(document, pairs.values(), options, path, unusable)
            yield replace(made, remarks=(*said, *skipped.get(document, ()), *made.remarks))
            said = []  # once for a table
        except InputError as error:
            yield Unreadable(document, path or "", error)


def _name(cell: Any, place: Place) -> str:
    if is_missing(cell):
        return ""
    if not isinstance(cell, str) and not is_whole(cell):
        raise place.error(f"the id is {cell!r:.40}; ids are text or whole numbers")
    return str(cell).strip()


def _add(pairs: dict[Any, _PairScores], columns: _Columns, row: Sequence[Any], place: Place) -> None:
    ends = _name(row[columns.known["source"]], place), _name(row[columns.known["target"]], place)
    if not all(ends):
        raise place.error("source or target is empty", cure="give the ids of two entities")
    own = _name(row[columns.known["id"]], place) if "id" in columns.known else ""
    if columns.is_long:
        label = row[columns.known["relation"]]
        if not isinstance(label, str) or not label.strip():
            raise place.label_error(f"the label is {label!r:.40}", own or None)
        label = label.strip()
        pair = pairs.setdefault((ends, own), _PairScores(own or f"p{len(pairs) + 1}", ends, {}, place.line or 0))
        if any(canonical(label) == canonical(other) for other in pair.scores):
            raise place.error(
                f"{ends[0]}, {ends[1]} has a second score for {shown(label)}",
                cure="if the pair occurs several times, give each occurrence an id of its own in a column id",
            )
        pair.scores[label] = _score(row[columns.known["score"]], label, place)
        return
    scores = {label: _score(row[position], label, place) for label, position in columns.labels.items()}
    name = own or f"p{len(pairs) + 1}"
    pairs[len(pairs)] = _PairScores(name, ends, scores, place.line or 0)


def _score(cell: Any, label: str, place: Place) -> float | None:
    number = _scalar(cell)
    if number is _TEXT:
        raise place.error(
            f"the score of {shown(label)} is {cell!r:.40}, not a number",
            cure="give a number, or leave the cell empty if the pair may not get this label",
        )
    return number  # type: ignore[no-any-return]


def _document(
    name: str, pairs: Iterable[_PairScores], options: Options, path: str | None, unusable: Unusable | None
) -> ScoredDocument:
    listed = list(pairs)
    reading = _reading(listed, options, Place(path, listed[0].line if listed else None))
    found = []
    skipped: list[Remark] = []
    for pair in listed:
        try:
            found.append(scored_pair(pair.name, pair.ends, pair.scores, reading, Place(path, pair.line)))
        except InputError as error:
            if unusable is None:
                raise
            skipped.append(unusable.add(pair.line, pair.name, error))
    return ScoredDocument(name, tuple(found), reading, path=path, remarks=tuple(skipped))


def _reading(pairs: Sequence[_PairScores], options: Options, place: Place) -> Reading:
    labels: Mapping[str, None] = {label: None for pair in pairs for label in pair.scores}
    return reading_of(labels, options, place)
