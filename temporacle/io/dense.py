"""TimeBank-Dense and its kin: tab text with one-letter labels (b, a, i, ii, s, v).

Two layouts:

- document, source, target, label; a fifth column is a remark (TimeBank-Dense, TDDiscourse);
- source, target, label, in one file for each document and annotator; whatever follows is a remark. These files were
  typed by hand: columns may be separated by any blanks, and a pair without a label has not been annotated.

Ids are those of events and times, not of instances; ``t0`` is the creation time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.io.rows import Builders, Row, entities_by_letter, rows, with_body, wrong_columns
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.io.builder import DocumentBuilder
    from temporacle.io.source import Source
    from temporacle.model import Document


def read(source: Source) -> Iterator[Document]:
    """The documents of the file, in the order of first mention."""
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
    """Whether the labels stand in the fourth column rather than the third: what more lines say."""

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
        builder.warn_once("label-case", f"label {label!r} read as {lower!r}", line=row.line, element=name)
    builder.add_link(name, first, label, second, line=row.line, plain_case=False)
