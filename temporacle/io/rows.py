"""Shared by the readers of tab text and JSON Lines: rows, documents grouped by name, remarks said once per file."""

from __future__ import annotations

import dataclasses
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from temporacle.errors import spelled
from temporacle.io.builder import DocumentBuilder
from temporacle.io.source import exceeded
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown
from temporacle.readings import Reading, canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.errors import InputError
    from temporacle.io.source import Options, Source
    from temporacle.model import Document

Span: TypeAlias = tuple[int, int]  # in the text: start and end
_BOM = b"\xef\xbb\xbf"
DCT = "t0"  # what tab formats call the creation time, without declaring it

# Remarks about a habit of a file rather than about one link. A file of many documents says them once.
ONCE_PER_FILE = frozenset({"label-blanks", "label-case", "name-blanks", "during-is-timeml", "overlap-order", "measure"})


class Row(NamedTuple):
    """One line of a table: its number in the file and its fields."""

    line: int
    fields: list[str]


def require_content(source: Source) -> None:
    """Raise an error for an empty or blank file: its annotation was probably lost."""
    if source.data in {b"", _BOM} or source.data.isspace():  # neither looks beyond the first other byte
        raise source.error("file is empty")


def rows(source: Source) -> Iterator[Row]:
    """Yield the lines of a tab file, split into fields. Blank lines are skipped."""
    require_content(source)
    largest = source.options.largest_cell
    for number, line in source.lines():
        if line.strip():
            fields = line.split("\t")
            if len(line) > largest and max(map(len, fields)) > largest:
                raise cell_too_long(source, number)
            refuse_nul(source, line, number)
            yield Row(number, fields)


def refuse_nul(source: Source, line: str, number: int) -> None:
    """Raise InputError for a line with a NUL character: no id has one, and most tools cut a text there."""
    if "\0" in line:
        given = spelled("encoding", "utf-16")
        cure = f"take it out; if every second character is one, the file is UTF-16: give {given}"
        raise source.error("there is a NUL character in the line", line=number, cure=cure)


def cell_too_long(source: Source, line: int) -> InputError:
    """Return the error for a cell of a table beyond the limit."""
    return exceeded(source, "a cell is longer", "largest_cell", line=line)


def wrong_columns(source: Source, row: Row, expected: str) -> InputError:
    """Return the error for a line that does not have the columns of its format."""
    found = len(row.fields)
    return source.error(
        f"{found} column{'s' if found != 1 else ''} where {expected} are expected",
        line=row.line,
        cure="separate the columns by tabs",
    )


class Builders:
    """The documents of one file by name, in the order of first mention; their rows may be interleaved."""

    def __init__(self, source: Source, format_name: str, reading: Reading) -> None:
        self.source = source
        self.format_name = format_name
        self.reading = reading
        self._builders: dict[str, DocumentBuilder] = {}
        self._largest = source.options.largest_document

    def of(self, document: str, size: int = 0, line: int | None = None) -> DocumentBuilder:
        """Return the builder of that document, made when first needed. *size* is added to the document's size."""
        found = self._builders.get(document)
        if found is None:
            found = DocumentBuilder(document, self.source, self.format_name, self.reading)
            self._builders[document] = found
        found.size += size
        if found.size > self._largest:
            raise exceeded(self.source, f"document {shown(document)} is larger", "largest_document", line=line)
        return found

    def build(self) -> Iterator[Document]:
        """Yield the finished documents."""
        said: set[str] = set()
        for builder in self._builders.values():
            yield only_new_remarks(builder.build(), said)


def with_body(document: Document, body: Callable[[tuple[str, ...]], Body]) -> Document:
    """Return the document with a body that is made from its ids when needed (a partial can be pickled, unlike a
    lambda).
    """
    return dataclasses.replace(document, body=partial(body, document.entity_ids))


def plain_entities(ids: tuple[str, ...], *, text: str | None = None) -> Body:
    """Return entities of which only the name is known."""
    return Body(tuple(Entity(name) for name in ids), text)


def placed_words(sentences: Iterable[Iterable[str]]) -> tuple[str, list[list[Span]]]:
    r"""Return the text of tokenised sentences, one in each line with single blanks, and the places of their words.

    >>> placed_words([["It", "left"], [], ["."]])
    ('It left\n\n.', [[(0, 2), (3, 7)], [], [(9, 10)]])
    """
    lines: list[str] = []
    places: list[list[Span]] = []
    start = 0
    for words in map(list, sentences):
        ends = list(accumulate((len(word) + 1 for word in words), initial=start))
        places.append([(begin, end - 1) for begin, end in pairwise(ends)])
        lines.append(" ".join(words))
        start += len(lines[-1]) + 1
    return "\n".join(lines), places


def joined_spans(numbers: Iterable[int], places: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans of words, given by their numbers, with neighbours joined.

    >>> joined_spans([2, 0, 1, 4], [(0, 2), (3, 7), (8, 9), (10, 12), (13, 14)])
    ((0, 9), (13, 14))
    """
    spans: list[Span] = []
    last = None
    for number in sorted(set(numbers)):
        start, end = places[number]
        if spans and number - 1 == last:
            start, _ = spans.pop()
        spans.append((start, end))
        last = number
    return tuple(spans)


def entities_by_letter(ids: tuple[str, ...]) -> Body:
    """Return entities whose names show their kind: e7 is an event, t3 a time, t0 the creation time.

    >>> [entity.kind.value for entity in entities_by_letter(("e7", "t3")).entities]
    ['event', 'time']
    """
    kinds = {"e": Kind.EVENT, "t": Kind.TIME}
    return Body(tuple(Entity(name, kinds.get(name[:1], Kind.UNKNOWN), is_dct=name == DCT) for name in ids))


def only_new_remarks(document: Document, said: set[str]) -> Document:
    """Return the document without the remarks in ``said``, which are made once for a file, and add its own there."""
    habits = {remark.code for remark in document.remarks} & ONCE_PER_FILE
    repeated = habits & said
    said |= habits
    if not repeated:
        return document
    return dataclasses.replace(document, remarks=tuple(r for r in document.remarks if r.code not in repeated))


def links_reading(options: Options) -> Reading:
    """Return the reading for labels of links TSV and JSON Lines. It also contains the atoms."""
    return options.links_reading()


def note_blanks(builder: DocumentBuilder, names: Iterable[str], *, line: int | None, element: str) -> None:
    """Say that blanks around a name make it another name: in a table they are seldom meant."""
    for name in names:
        if name != name.strip():
            message = f"{shown(name)} has blanks around it; they are taken as part of the name"
            builder.warn_once("name-blanks", message, line=line, element=element)


def note_during(builder: DocumentBuilder, label: str, *, line: int | None, element: str) -> None:
    """Report how DURING is read if the user has not chosen, because TimeML and Allen disagree about it."""
    if builder.reading.name == "links" and mentions_during(label):
        meaning = builder.reading.relation("DURING")
        builder.warn_once(
            "during-is-timeml",
            f"DURING is read as TimeML's, '{meaning}' (see {spelled('during')}); with"
            f" {spelled('labels', 'allen')} it is Allen's, 'd'",
            line=line,
            element=element,
        )


@lru_cache(maxsize=1024)
def mentions_during(label: str) -> bool:
    """Return whether one of the labels joined by ``|`` is DURING or DURING_INV."""
    return any(canonical(part) in {"DURING", "DURING_INV"} for part in label.split("|"))
