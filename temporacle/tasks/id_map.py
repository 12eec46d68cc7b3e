"""Ids of a system as ids of gold, from a file: ``score --id-map FILE``.

CSV or TSV with a header. A row renames a document, an entity of one document, or an entity wherever it occurs:

    document,id,gold_document,gold_id
    run_d1,,d1,                         the document run_d1 is gold's d1
    run_d1,7,,ei12                      in it, entity 7 is gold's ei12
    ,dct,,t0                            in every document, dct is t0

Columns that are not needed may be missing. Nothing in the file may be without effect, or have two: an unknown document
or entity, the same one twice, two that become one, and unknown columns are errors.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.model import HowRead
from temporacle.printing import shown
from temporacle.scoring.ids import known_ids, renamed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.model import Document
    from temporacle.tasks.references import Reference

COLUMNS = ("document", "id", "gold_document", "gold_id")
_LARGEST = 64 << 20  # characters


class Renaming(NamedTuple):
    """The new ids of one document."""

    everywhere: Mapping[str, str]
    here: Mapping[str, str]  # of this document alone; they come first
    source: str  # the file, for messages
    mark: str  # what stands for the file in signatures

    def apply(self, document: Document) -> tuple[Document, frozenset[str]]:
        """Return the document with renamed entities, and the ids renamed in all documents that it has.

        Raise UsageError for unknown ids.
        """
        known = known_ids(document)
        if unknown := sorted(self.here.keys() - known):
            raise UsageError(f"{self.source}: document {shown(document.id)} has no entity {shown(unknown[0])}")
        met = frozenset(self.everywhere.keys() & known)
        names = {**{name: self.everywhere[name] for name in met}, **self.here}
        after = [names.get(name, name) for name in sorted(known)]
        if len(set(after)) < len(after):
            twice = next(name for name in after if after.count(name) > 1)
            raise UsageError(f"{self.source}: two entities of document {shown(document.id)} become {shown(twice)}")
        how = document.how_read or HowRead("statements", document.reading)
        marked = how._replace(choices=(*how.choices, self.mark))
        return replace(renamed(document, names), how_read=marked), met


class IdMap(NamedTuple):
    """The contents of an id map: new names of documents and of entities."""

    documents: Mapping[str, str]
    everywhere: Mapping[str, str]
    inside: Mapping[str, Mapping[str, str]]  # by document
    source: str
    mark: str

    def applied_to(self, references: Sequence[Reference]) -> list[Reference]:
        """Return the documents under gold's names, with their renamings.

        Raise UsageError if the file names an unknown one.
        """
        from temporacle.tasks.references import bare_name

        known = {each.name for each in references}
        for name in (*self.documents, *self.inside):
            if name not in known:
                raise UsageError(f"{self.source}: the system has no document {shown(name)}")
        return [
            each._replace(
                name=bare_name(self.documents.get(each.name, each.name)),
                renaming=Renaming(self.everywhere, self.inside.get(each.name, {}), self.source, self.mark),
            )
            for each in references
        ]


def read_id_map(path: str) -> IdMap:
    """Read a file; UsageError, with its line, for whatever is wrong with it."""
    from hashlib import sha256

    try:
        with open(path, encoding="utf-8-sig", newline="") as file:  # noqa: PTH123
            text = file.read(_LARGEST)
    except OSError as error:
        raise UsageError(f"{path}: cannot be opened: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8") from None
    first, *_ = text.split("\n", 1)
    rows = csv.reader(text.splitlines(), delimiter="\t" if "\t" in first else ",", strict=True)
    filled = _Filled(path)
    try:
        header = [name.strip().lower() for name in next(rows, [])]
        if not set(header) <= set(COLUMNS) or len(set(header)) < len(header):
            raise UsageError(f"{path}:1: the columns are {', '.join(COLUMNS)}, and the file has {', '.join(header)}")
        if not ({"document", "gold_document"} <= set(header) or {"id", "gold_id"} <= set(header)):
            raise UsageError(f"{path}:1: nothing to rename: give document and gold_document, or id and gold_id")
        for row in rows:
            if row:
                if len(row) != len(header):
                    raise UsageError(f"{path}:{rows.line_num}: {len(row)} columns where {len(header)} are expected")
                filled.add(_cells(header, row), rows.line_num)
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: not well-formed: {error}") from None
    mark = f"id-map@{sha256(text.encode()).hexdigest()[:8]}"
    return IdMap(filled.documents, filled.everywhere, filled.inside, path, mark)


def _cells(header: Sequence[str], row: Sequence[str]) -> tuple[str, str, str, str]:
    found = dict(zip(header, row, strict=True))
    document, name, gold_document, gold_name = (found.get(column, "").strip() for column in COLUMNS)
    return document, name, gold_document, gold_name


class _Filled:
    """The renamings of the rows so far."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.documents: dict[str, str] = {}
        self.everywhere: dict[str, str] = {}
        self.inside: dict[str, dict[str, str]] = {}

    def add(self, row: tuple[str, str, str, str], line: int) -> None:
        """Take a row."""
        document, name, gold_document, gold_name = row
        if bool(name) != bool(gold_name):
            raise self._error(line, "an entity needs both id and gold_id")
        if gold_document and not document:
            raise self._error(line, "gold_document needs document")
        if not name and not gold_document:
            raise self._error(line, "the row renames nothing")
        if gold_document:
            before = self.documents.get(document)
            if before is not None and (not name or before != gold_document):
                raise self._error(line, f"document {shown(document)} is renamed twice")
            if before is None and gold_document in self.documents.values():
                raise self._error(line, f"two documents become {shown(gold_document)}")
            self.documents[document] = gold_document
        if name:
            self._add_entity(
                self.inside.setdefault(document, {}) if document else self.everywhere, name, gold_name, line
            )

    def _add_entity(self, names: dict[str, str], name: str, gold_name: str, line: int) -> None:
        if name in names:
            raise self._error(line, f"entity {shown(name)} is renamed twice")
        if gold_name in names.values():
            raise self._error(line, f"two entities become {shown(gold_name)}")
        names[name] = gold_name

    def _error(self, line: int, reason: str) -> UsageError:
        return UsageError(f"{self._path}:{line}: {reason}")
