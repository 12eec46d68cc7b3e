"""Scored pairs from JSON Lines and from Python values. Tables of scores are read by ``score_tables``.

One document a line:

    {"document": "d1", "pairs": [{"source": "e1", "target": "e2", "scores": {"BEFORE": 0.7, "AFTER": 0.3}}],
     "links": [{"source": "t0", "relation": "AFTER", "target": "e1"}], "reading": "matres"}

``links`` (hard links) and ``reading`` may be missing. A score of null means that the pair may not get that label.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError
from temporacle.io.jsonl import document_name, numbered_lines, parse_object
from temporacle.io.rows import require_content
from temporacle.io.slices import slices
from temporacle.io.source import STANDARD_INPUT, Source
from temporacle.model import Link, Unreadable
from temporacle.printing import shown
from temporacle.readings import BUILT_IN, Reading, canonical, load_reading
from temporacle.scored import Place, ScoredDocument, scored_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
            from temporacle.io.score_tables import read_table

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


def document_of(record: Mapping[str, Any], name: str, options: Options, place: Place) -> ScoredDocument:
    """Return the document that an object describes."""
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
    found = tuple(
        scored_pair(
            str(pair.get("id") or f"p{position}"),
            (_entity(pair, "source", position, place), _entity(pair, "target", position, place)),
            pair["scores"],
            reading,
            place,
        )
        for position, pair in enumerate(pairs, 1)
    )
    return ScoredDocument(name, found, reading, _hard_links(record.get("links"), reading, place), place.path)


def _entity(record: Mapping[str, Any], key: str, position: int, place: Place) -> str:
    value = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # event ids often are numbers
    if not isinstance(value, str) or not value.strip():
        raise place.error(f'pair {position} has no "{key}"', cure="give the id of an entity, as text")
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
            raise place.error(f"unknown reading {named!r:.60}", cure=f"choose {', '.join(BUILT_IN)}, or give --reading")
        return load_reading(str(named), options.during).with_atoms()
    used = {canonical(str(label)) for label in labels}
    if used <= set(MATRES) and {"EQUAL", "VAGUE"} & used:
        return load_reading("matres").with_atoms()
    return options.links_reading()


def scored_documents(source: Any, options: Options) -> Iterator[ScoredDocument | Unreadable]:
    """Yield the scored documents of a Python value: paths, documents, objects as in JSON Lines, triples, a frame."""
    from temporacle.io.frames import is_frame

    if isinstance(source, ScoredDocument | Unreadable):
        yield source
    elif isinstance(source, str | os.PathLike):
        yield from read_scores([source], options)
    elif isinstance(source, Mapping) and "pairs" in source:
        yield document_of(source, str(source.get("document", "document")), options, Place(None))
    elif is_frame(source):
        from temporacle.io.score_tables import read_score_frame

        yield from read_score_frame(source, options)
    elif isinstance(source, list | tuple) and source and _is_triple(source[0]):
        yield _of_triples(source, options)
    elif isinstance(source, list | tuple) or hasattr(source, "__iter__"):
        for each in source:
            if isinstance(each, list | tuple):
                raise UsageError(_EXPECTED.format(type(each).__name__))
            yield from scored_documents(each, options)
    else:
        raise UsageError(_EXPECTED.format(type(source).__name__))


_EXPECTED = (
    "cannot read scores from a {}: give a path, an object with pairs, a frame,"
    ' or triples such as ("left", "docked", {{"BEFORE": 0.9, "AFTER": 0.1}})'
)


def _is_triple(item: object) -> bool:
    return isinstance(item, list | tuple) and len(item) == 3 and isinstance(item[2], Mapping)


def _of_triples(items: Sequence[Any], options: Options) -> ScoredDocument:
    for position, item in enumerate(items, 1):
        if not _is_triple(item):
            raise UsageError(f'item {position} is {item!r:.60}: expected ("left", "docked", {{"BEFORE": 0.9, ...}})')
    pairs = [{"source": source, "target": target, "scores": scores} for source, target, scores in items]
    return document_of({"pairs": pairs}, "document", options, Place(None))
