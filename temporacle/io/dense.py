"""TimeBank-Dense and its kin: tab text with one-letter labels (b, a, i, ii, s, v).

Two layouts:

- document, source, target, label; a fifth column is a remark (TimeBank-Dense, TDDiscourse);
- source, target, label, in one file for each document and annotator; whatever follows is a remark. These files were
  typed by hand: columns may be separated by any blanks, and a pair without a label has not been annotated.

Ids are those of events and times, not of instances; ``t0`` is the creation time.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from temporacle.io.formats import is_integer, knows, share
from temporacle.io.rows import Builders, Row, entities_by_letter, rows, with_body, wrong_columns
from temporacle.model import Body, Entity, Kind
from temporacle.printing import shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from temporacle.io.builder import DocumentBuilder
    from temporacle.io.formats import Sample
    from temporacle.io.source import Source
    from temporacle.model import Document

_ID = re.compile(r"(?:e|ei|t)\d+")


def share_that_fits(sample: Sample) -> float:
    """Return the share of lines with documents in column 1 and the label in column 4 (a fifth is a remark), or with an
    annotator's three columns.
    """
    corpus = share(sample.rows, lambda row: len(row) in {4, 5} and _is_label(row[2], row[3], sample))
    return max(corpus, _annotator(sample))


def _annotator(sample: Sample) -> float:
    """Return the share of lines with source, target, label, and perhaps a remark. Rows without a label are pairs that
    have not been judged.

    Blanks may stand for tabs, so a row of fewer columns is cut again at white space. Then both ids must have the form
    of these corpora, or any prose would do whose third words are "a".
    """
    cut: list[list[str]] = []
    for row in sample.rows:
        pieces = row if len(row) > 2 else " ".join(row).split()
        if len(pieces) < 2 or (len(row) < 3 and not all(_ID.fullmatch(name) for name in pieces[:2])):
            return 0
        cut.append(pieces)
    labelled = [row for row in cut if len(row) > 2 and row[2].strip()]
    return share(labelled, lambda row: _is_label(row[1], row[2], sample))


def _is_label(before: str, label: str, sample: Sample) -> bool:
    """Return whether a label has one letter and follows an id. An id such as BEFORE is a label in a links file."""
    is_short = len(label) <= 2  # what is spelled out may be any other table
    return is_short and knows("dense", label) and not (len(before) > 2 and sample.is_link_label(before))


def has_numbered_ids(sample: Sample) -> bool:
    """Return whether the targets have numbers, as all ids of these corpora do.

    Most lines must: a line of column names, or of remarks, is not a link.
    """
    return share(sample.rows, lambda row: any(map(str.isdigit, _target(row)))) > 0.5


def _target(row: list[str]) -> str:
    if len(row) in {3, 4}:
        return row[-2]
    has_document = len(row) == 5 and knows("dense", row[3])
    return row[2] if has_document else (row[1:2] or row)[0]


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of the file, in the order of first mention."""
    table = list(rows(source))
    builders = Builders(source, "dense", source.reading("dense"))
    if _has_document_column(table, builders):
        for row in table:
            _add_corpus_row(builders, row)
    else:
        _add_annotator_rows(builders, table)
    for document in builders.build():
        yield with_body(document, entities_by_letter)


def _has_document_column(table: list[Row], builders: Builders) -> bool:
    """Return whether the labels are in the fourth column rather than the third, by the majority of lines."""

    def is_label(field: str) -> bool:
        return canonical(field) in builders.reading.labels

    fourth = sum(len(row.fields) in {4, 5} and is_label(row.fields[3]) for row in table)
    third = sum(is_label(word) for row in table for word in _words(row)[2:3])
    if fourth or third:
        return fourth > third
    return all(len(row.fields) in {4, 5} and bool(row.fields[3].strip()) for row in table)


def _add_corpus_row(builders: Builders, row: Row) -> None:
    if len(row.fields) not in {4, 5}:
        raise wrong_columns(builders.source, row, "4 (document, source, target, label; a fifth for remarks)")
    document, first, second = (field.strip() for field in row.fields[:3])
    if not document:
        raise builders.source.error("the document column is empty", line=row.line, cure="name the document")
    _add(builders.of(document), row, first, row.fields[3], second)


def _add_annotator_rows(builders: Builders, table: list[Row]) -> None:
    builder = builders.of(builders.source.name)
    labelled = False
    for row in table:
        words = _words(row)
        if len(words) < 2:
            builder.drop("missing-endpoint", "the line has one column only", line=row.line, element=str(row.line))
        elif len(words) > 2:
            labelled = True
            _add(builder, row, words[0], words[2], words[1])
    if not labelled:
        raise builders.source.error("no labels: a list of pairs is not an annotation", cure="give an annotated file")


def _words(row: Row) -> list[str]:
    return "\t".join(row.fields).split(None, 3)


def _add(builder: DocumentBuilder, row: Row, first: str, label: str, second: str) -> None:
    name = str(row.line)
    lower = label.lower()
    if lower != label:
        builder.warn_once("label-case", f"label {shown(label)} read as {shown(lower)}", line=row.line, element=name)
    builder.add_link(name, first, label, second, line=row.line, plain_case=False)


# ----------------------------------------------------------------------------------------------------
# MATRES: tab text with six columns: document, word 1, word 2, id 1, id 2, label. Labels compare start points only.
#
# Ids are bare integers: the entity is the event instance ``ei`` + integer of the TimeML file of that document. The
# words are for people. There are no times and no spans.


def matres_share_that_fits(sample: Sample) -> float:
    """Return the share of lines with a document, two words, two bare integers and a label."""
    return share(
        sample.rows, lambda row: len(row) == 6 and is_integer(row[3]) and is_integer(row[4]) and knows("matres", row[5])
    )


def read_matres(source: Source) -> Iterator[Document]:
    """Yield the documents of the file, in the order of first mention."""
    builders = Builders(source, "matres", source.reading("matres"))
    words: dict[str, dict[str, str]] = {}
    for row in rows(source):
        if len(row.fields) != 6:
            raise wrong_columns(source, row, "6 (document, word, word, id, id, label)")
        document, *_, label = row.fields
        document = document.strip()
        if not document:
            raise source.error("the document column is empty", line=row.line, cure="name the document")
        builder = builders.of(document)
        numbers = [field.strip() for field in row.fields[3:5]]
        if not all(number.isascii() and number.isdigit() for number in numbers):
            message = f"{shown(numbers[0])} and {shown(numbers[1])} must be the numbers of event instances"
            builder.drop("bad-id", message, line=row.line, element=str(row.line))
            continue
        first, second = (f"ei{number}" for number in numbers)
        builder.add_link(str(row.line), first, label, second, line=row.line)
        known = words.setdefault(document, {})
        known.setdefault(first, row.fields[1])
        known.setdefault(second, row.fields[2])
    for found in builders.build():
        yield with_body(found, partial(_events, words.get(found.id, {})))


def _events(words: Mapping[str, str], ids: tuple[str, ...]) -> Body:
    return Body(tuple(Entity(name, Kind.EVENT, words.get(name)) for name in ids))
