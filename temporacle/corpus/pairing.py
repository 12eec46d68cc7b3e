"""Find the system document that answers each gold document.

1. By name, without folders and suffixes.
2. Those left over, by the DOCID that their TimeML files state, where it occurs once on each side; with a warning.
3. Nothing else: never by similarity. The first unpaired documents get the nearest name on the other side as a hint.

Two single documents that were not given as folders are a pair, whatever their names. Two documents of one name on one
side are an error: a folder of several runs, for instance, is not one system.
"""

from __future__ import annotations

import csv
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple, overload

from temporacle.corpus.references import StoredDocument, StoredLine, bare_name, names_of
from temporacle.errors import InputError, UsageError, nearest
from temporacle.io.source import Source
from temporacle.model import ANSWERS, Document, HowRead, Remark, Unreadable
from temporacle.printing import shown
from temporacle.scoring.alignment import known_ids, renamed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.corpus.references import Reference

_HINTS = 20  # unpaired documents of a side that get the nearest name as a hint
_SHOWN = 4
_NONE = -1  # in place of a position


class Pair(NamedTuple):
    """A gold document and the system document that answers it; None: there is no such document."""

    name: str
    gold: Reference | None
    system: Reference | None

    def loaded(self) -> Pair:
        """Return the pair with the content of its lines, which can be read in any process."""
        return Pair(self.name, self.gold and self.gold.loaded(), self.system and self.system.loaded())

    @property
    def size(self) -> int:
        """Return the number of bytes to be read for both."""
        return (0 if self.gold is None else self.gold.size) + (0 if self.system is None else self.system.size)


class Pairs(Sequence[Pair]):
    """Pairs that are made when they are asked for. Only the positions of both documents are kept."""

    def __init__(
        self,
        golds: Sequence[Reference],
        systems: Sequence[Reference],
        gold_places: Iterable[int],
        system_places: Iterable[int],
    ) -> None:
        self._golds, self._systems = golds, systems
        self._gold_places, self._system_places = array("q", gold_places), array("q", system_places)

    def __len__(self) -> int:
        return len(self._gold_places)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        gold_place, system_place = self._gold_places[place], self._system_places[place]
        gold = None if gold_place == _NONE else self._golds[gold_place]
        system = None if system_place == _NONE else self._systems[system_place]
        return Pair((gold or self._systems[system_place]).name, gold, system)


class Pairing(NamedTuple):
    """Pairs in the order of gold, what is left on either side, and what a person should know."""

    pairs: Sequence[Pair]
    asked: Sequence[Pair]  # also gold documents without a partner, in their order; then such documents of the system
    gold_only: tuple[Reference, ...]
    system_only: tuple[Reference, ...]
    warnings: tuple[Remark, ...]
    unread: tuple[Unreadable, ...]  # left out because a readable document has the same name


def pair_up(golds: Sequence[Reference], systems: Sequence[Reference], *, by_name: bool = True) -> Pairing:
    """Pair two corpora. ``by_name=False``: two single documents are a pair even if their names differ."""
    if not by_name and len(golds) == len(systems) == 1:
        only = Pairs(golds, systems, [0], [0])
        return Pairing(only, only, (), (), (), ())
    unread: list[Unreadable] = []
    gold_places = _one_of_each_name("gold", golds, unread)
    gold_names, system_names = names_of(golds), names_of(systems)
    free = {system_names[place]: place for place in _one_of_each_name("system", systems, unread)}
    partners = array("q", (free.pop(gold_names[place], _NONE) for place in gold_places))
    warnings = []
    alone = {gold_names[place]: number for number, place in enumerate(gold_places) if partners[number] == _NONE}
    free_gold = [golds[gold_places[number]] for number in alone.values()]
    for name, other in _by_docid(free_gold, [systems[place] for place in free.values()]):
        partners[alone.pop(name)] = free.pop(other)
        message = f"gold {name!r} and system {other!r} are paired by their DOCID, not by their names"
        warnings.append(Remark("paired-by-docid", message))
    warnings += _about_unpaired("gold", "unpaired-gold", list(alone), list(free))
    warnings += _about_unpaired("system", "unpaired-system", list(free), list(alone))
    paired = range(len(partners)) if not alone else [n for n, partner in enumerate(partners) if partner != _NONE]
    is_in_order = isinstance(gold_places, range)
    in_order = range(len(partners)) if is_in_order else sorted(range(len(partners)), key=gold_places.__getitem__)
    return Pairing(
        Pairs(golds, systems, (gold_places[n] for n in paired), (partners[n] for n in paired)),
        Pairs(
            golds,
            systems,
            chain((gold_places[n] for n in in_order), repeat(_NONE, len(free))),
            chain((partners[n] for n in in_order), free.values()),
        ),
        tuple(golds[gold_places[number]] for number in alone.values()),
        tuple(systems[place] for place in free.values()),
        tuple(warnings),
        tuple(unread),
    )


def _one_of_each_name(side: str, documents: Sequence[Reference], unread: list[Unreadable]) -> Sequence[int]:
    """Return the positions of documents with different names, in the order in which the names first occur.

    Raise UsageError if two documents have the same name and neither is empty.
    """
    names = names_of(documents)
    if len(set(names)) == len(names):
        return range(len(names))
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    result, clashes = [], {}
    for name, same in places.items():
        opened = [(place, documents[place].read()) for place in same] if len(same) > 1 else []
        unread += [document for _, document in opened if isinstance(document, Unreadable)]
        read = [(place, document) for place, document in opened if isinstance(document, Document)]
        saying = [place for place, document in read if _says_something(document)]
        result.append(next(iter((*saying, *(place for place, _ in read), *same))))
        if len(saying) > 1:
            clashes[name] = [documents[place].path or "a document in memory" for place in saying]
    if clashes:
        raise UsageError(_several_of_one_name(side, clashes))
    return result


def _says_something(document: Document) -> bool:
    return bool(document.links or document.entity_ids or document.format == ANSWERS)


def _several_of_one_name(side: str, clashes: dict[str, list[str]]) -> str:
    name, paths = next(iter(clashes.items()))
    others = f" (and {len(clashes) - 1} more names)" if len(clashes) > 1 else ""
    places = ", ".join(paths[:_SHOWN])
    return (
        f"the {side} side has {len(paths)} documents called {name!r}{others}: {places};"
        " give each run as a separate system, or rename the documents"
    )


def _by_docid(golds: Sequence[Reference], systems: Sequence[Reference]) -> Iterable[tuple[str, str]]:
    if not golds or not systems:
        return
    gold_ids = {each.name: _docid(each) for each in golds}
    system_ids = {each.name: _docid(each) for each in systems}
    gold_count, system_count = Counter(gold_ids.values()), Counter(system_ids.values())
    holder = {docid: name for name, docid in system_ids.items()}
    for name, docid in gold_ids.items():
        if docid is not None and gold_count[docid] == 1 and system_count[docid] == 1:
            yield name, holder[docid]


def _docid(reference: Reference) -> str | None:
    """Return the DOCID or DOCNO of a TimeML file; None for anything else."""
    content = reference.content
    if isinstance(content, Unreadable) or not reference.path:
        return None
    if isinstance(content, Document) and content.format != "timeml":
        return None
    if isinstance(content, StoredLine | StoredDocument) or (isinstance(content, Source) and content.format == "jsonl"):
        return None  # one of many documents of a file
    from temporacle.io.xml import stated_docid

    try:
        return stated_docid(Source(reference.path))
    except InputError:
        return None  # read from somewhere else, or gone since


def _about_unpaired(side: str, code: str, names: Sequence[str], others: Sequence[str]) -> Iterable[Remark]:
    """Yield a remark on each, with a hint for the first ones, because a hint compares a name with all others."""
    for number, name in enumerate(names):
        near = nearest(name, others) if number < _HINTS else None
        hint = f"; the nearest unpaired name is {near!r}" if near is not None else ""
        yield Remark(code, f"the {side} document {name!r} has no partner{hint}")


# ----------------------------------------------------------------------------------------------------
# Ids of a system as ids of gold, from a file: ``score --id-map FILE``.
#
# CSV or TSV with a header. A row renames a document, an entity of one document, or an entity wherever it occurs:
#
#     document,id,gold_document,gold_id
#     run_d1,,d1,                         the document run_d1 is gold's d1
#     run_d1,7,,ei12                      in it, entity 7 is gold's ei12
#     ,dct,,t0                            in every document, dct is t0
#
# Columns that are not needed may be missing. Nothing in the file may be without effect, or have two: an unknown
# document or entity, the same one twice, two that become one, and unknown columns are errors.

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
