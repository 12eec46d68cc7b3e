"""Links as rows with named columns, whatever they were read from: CSV, Parquet, JSON Lines or a data frame.

``source``, ``relation`` and ``target`` are needed (``columns`` knows under which names). With a column ``document`` the
rows describe many documents. ``id`` and ``weight`` are used if they are there; any other column is left alone. A
relation is one label, or several joined by ``|``, or a list of them. A link without an id of its own is named by its
line or row. Whole numbers are names, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.io.columns import NEEDED, ColumnsError, roles_of
from temporacle.io.jsonl_document import is_weight
from temporacle.io.rows import Builders, links_reading, note_blanks, note_during, plain_entities, with_body

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document


def documents_in(source: Source, kind: str, records: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[Document]:
    """Yield the documents that numbered rows describe, in the order of first mention."""
    builders = Builders(source, kind, links_reading(source.options))
    many = False
    for line, record in records:
        many = many or "document" in record
        _add(builders, line, record)
    if not many and source.first_line == 1:
        builders.of(source.name)  # a file without links is a document without links
    for document in builders.build():
        yield with_body(document, plain_entities)


def roles_in(source: Source, headers: Sequence[str], line: int | None = None) -> tuple[str, ...]:
    """Return the role of each column of a table. Raise InputError if the roles cannot be determined."""
    try:
        return roles_of(headers, source.options.named_columns)
    except ColumnsError as error:
        raise source.error(str(error), line=line, cure=error.cure) from None


def _add(builders: Builders, line: int, record: Mapping[str, Any]) -> None:
    document = as_text(record.get("document", builders.source.name))
    if not isinstance(document, str) or not document.strip():
        raise builders.source.error("the document column is empty", line=line, cure="name the document")
    size = sum(len(cell) for cell in record.values() if isinstance(cell, str))
    builder = builders.of(document, size, line)
    name = str(record.get("id") or line)
    first, label, second = (record[column] for column in NEEDED)
    first, second = as_text(first), as_text(second)
    if isinstance(label, list):
        label = "|".join(map(str, label))
    if not all(cell is None or isinstance(cell, str) for cell in (first, label, second)):
        builder.drop("bad-link", "source, relation and target must be text", line=line, element=name)
        return
    weight = record.get("weight")
    weight = _number(weight) if isinstance(weight, str) else weight
    if weight is None:
        weight = 1
    if isinstance(weight, str) or not is_weight(weight):
        builder.drop("bad-weight", f"weight {weight!r:.40} is not a finite number above zero", line=line, element=name)
        return
    note_blanks(builder, (document, first or "", second or ""), line=line, element=name)
    before = len(builder.links)
    builder.add_link(name, first, label, second, line=line, weight=weight)
    if len(builder.links) > before:
        note_during(builder, label or "", line=line, element=name)


def as_text(cell: Any) -> Any:
    """Return a whole number as text, since it is a name, and anything else unchanged.

    >>> as_text(12), as_text("e12"), as_text(True)
    ('12', 'e12', True)
    """
    return str(cell) if type(cell) is int else cell


def _number(cell: str) -> float | str | None:
    """Return a number from a cell; the cell itself if it is not a number, None if it is blank."""
    try:
        return float(cell) if cell.strip() else None
    except ValueError:
        return cell
